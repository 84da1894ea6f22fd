//! The documents whose fields are corrected.

use catalogue::corrections::{Correctable, CorrectionDesk};
use page_parts::anime::read_songs;
use pages::anime_card::path_of;
use pages::language::Localizer;
use pages::paths::{MODERATION_ANIME, MODERATION_SONG, song_path};
use shared::Result;
use shared::models::{Anime, Song};

use crate::state::CorrectionState;

/// A kind of document whose fields are corrected on pages.
pub(crate) trait CorrectionSubject: Correctable {
    /// The path of the moderation page about a document, with `{id}` for its identifier.
    const PATH: &'static str;

    /// Returns the path of the moderation page about the document with this identifier.
    fn path(id: u64) -> String {
        Self::PATH.replace("{id}", &id.to_string())
    }

    /// Returns the desk that makes corrections of such documents.
    fn desk(state: &CorrectionState) -> &CorrectionDesk<Self>;

    /// Returns the songs that the moderation page lists: for an anime its songs, for a song none.
    fn read_songs(
        state: &CorrectionState,
        id: u64,
    ) -> impl Future<Output = Result<Vec<Song>>> + Send;

    /// Returns the title of the document, and the language tag of the title if it is known.
    fn name(&self, l10n: &Localizer) -> (String, Option<String>);

    /// Returns the path of the public page.
    fn public_path(&self) -> String;
}

impl CorrectionSubject for Anime {
    const PATH: &'static str = MODERATION_ANIME;

    fn desk(state: &CorrectionState) -> &CorrectionDesk<Self> {
        &state.anime_corrections
    }

    async fn read_songs(state: &CorrectionState, id: u64) -> Result<Vec<Song>> {
        read_songs(&state.songs, id).await
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

impl CorrectionSubject for Song {
    const PATH: &'static str = MODERATION_SONG;

    fn desk(state: &CorrectionState) -> &CorrectionDesk<Self> {
        &state.song_corrections
    }

    async fn read_songs(_: &CorrectionState, _: u64) -> Result<Vec<Song>> {
        Ok(Vec::new())
    }

    fn name(&self, _: &Localizer) -> (String, Option<String>) {
        (self.title.clone(), None)
    }

    fn public_path(&self) -> String {
        song_path(self)
    }
}
