//! The documents whose fields are corrected.

use catalogue::corrections::{Correctable, CorrectionDesk};
use pages::language::Localizer;
use pages::paths::{ANIME, MODERATION_ANIME, MODERATION_SONG};
use shared::Error;
use shared::models::{Anime, Song};

use crate::anime::card::path_of;
use crate::anime::details::songs;
use crate::state::ModerationState;

/// A kind of document whose fields are corrected on pages.
pub(crate) trait Subject: Correctable {
    /// The path of the page about a document, with `{id}` for its identifier.
    const PAGE: &'static str;

    /// Returns the path of the page about the document with this identifier.
    fn path(id: u64) -> String {
        Self::PAGE.replace("{id}", &id.to_string())
    }

    /// Returns the desk where corrections are made.
    fn desk(state: &ModerationState) -> &CorrectionDesk<Self>;

    /// Returns the songs that the page about a document lists. Only the page about an anime has songs.
    fn songs(
        state: &ModerationState,
        id: u64,
    ) -> impl Future<Output = Result<Vec<Song>, Error>> + Send;

    /// Returns the title, and its language.
    fn name(&self, l10n: &Localizer) -> (String, Option<String>);

    /// Returns the path of the public page.
    fn public_path(&self) -> String;
}

impl Subject for Anime {
    const PAGE: &'static str = MODERATION_ANIME;

    fn desk(state: &ModerationState) -> &CorrectionDesk<Self> {
        &state.anime_corrections
    }

    async fn songs(state: &ModerationState, id: u64) -> Result<Vec<Song>, Error> {
        songs(&state.songs, id).await
    }

    fn name(&self, l10n: &Localizer) -> (String, Option<String>) {
        match l10n.title(&self.titles) {
            Some(title) => (title.text.to_owned(), Some(title.lang().to_owned())),
            None => (self.id.get().to_string(), None),
        }
    }

    fn public_path(&self) -> String {
        path_of(self)
    }
}

impl Subject for Song {
    const PAGE: &'static str = MODERATION_SONG;

    fn desk(state: &ModerationState) -> &CorrectionDesk<Self> {
        &state.song_corrections
    }

    async fn songs(_: &ModerationState, _: u64) -> Result<Vec<Song>, Error> {
        Ok(Vec::new())
    }

    fn name(&self, _: &Localizer) -> (String, Option<String>) {
        (self.title.clone(), None)
    }

    fn public_path(&self) -> String {
        format!("{ANIME}/{}", self.anime_id.get())
    }
}
