//! The documents whose fields are corrected.

use catalogue::corrections::{Correctable, CorrectionDesk};
use shared::models::{Anime, Song};

use crate::language::Localizer;
use crate::state::SiteState;

/// A kind of document whose fields are corrected on pages.
pub(super) trait Subject: Correctable {
    /// The path of the pages, to which the identifier is added.
    const PATH: &'static str;

    /// Returns the desk where corrections are made.
    fn desk(state: &SiteState) -> &CorrectionDesk<Self>;

    /// Returns the title, and its language.
    fn name(&self, l10n: &Localizer) -> (String, Option<String>);

    /// Returns the path of the public page.
    fn public_path(&self) -> String;
}

impl Subject for Anime {
    const PATH: &'static str = "/moderation/anime/";

    fn desk(state: &SiteState) -> &CorrectionDesk<Self> {
        &state.anime_corrections
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

    fn desk(state: &SiteState) -> &CorrectionDesk<Self> {
        &state.song_corrections
    }

    fn name(&self, _: &Localizer) -> (String, Option<String>) {
        (self.title.clone(), None)
    }

    fn public_path(&self) -> String {
        format!("/anime/{}", self.anime_id.get())
    }
}
