//! The documents whose fields are corrected.

use catalogue::corrections::{Correctable, CorrectionDesk};
use pages::language::Localizer;
use shared::Error;
use shared::models::{Anime, Song};

use crate::anime::details::songs;
use crate::state::ModerationState;

/// A kind of document whose fields are corrected on pages.
pub(crate) trait Subject: Correctable {
    /// The path of the pages, to which the identifier is added.
    const PATH: &'static str;

    /// Returns the desk where corrections are made.
    fn desk(state: &ModerationState) -> &CorrectionDesk<Self>;

    /// Returns the songs that the page about a row lists: those of an anime.
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
    const PATH: &'static str = "/moderation/anime/";

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
        format!("/anime/{}", self.id.get())
    }
}

impl Subject for Song {
    const PATH: &'static str = "/moderation/song/";

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
        format!("/anime/{}", self.anime_id.get())
    }
}
