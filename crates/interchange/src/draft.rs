//! An entry as the reader of a format finds it.

use std::borrow::Cow;

use shared::models::{AnimeFormat, IdKind, IdSource, StatedId, WatchStatus};

use super::field::{EntryField, FieldTexts};
use super::numbers::stated_id;

/// The maximum number of identifiers of an entry at other services.
pub const MAX_IDS: usize = 20;

/// An entry as the reader of a format finds it. Its texts are parsed in the same way for all formats.
#[derive(Debug, Default)]
pub struct EntryDraft<'f> {
    pub texts: FieldTexts<'f>,
    /// The status, if the format has words or numbers of its own for it.
    pub status: Option<WatchStatus>,
    /// The identifiers at services other than AniList and MyAnimeList, which are fields.
    pub ids: Vec<StatedId>,
    pub format: Option<AnimeFormat>,
    /// The year of the release, if the format has it as a number.
    pub year: Option<u16>,
    pub season: Option<u16>,
    /// True if the file states no status.
    pub is_details_only: bool,
}

impl<'f> EntryDraft<'f> {
    /// Sets the text of a field, if the file has one. An empty text means that the file has the field without a value,
    /// which clears it in an import that replaces values.
    pub fn set(&mut self, field: EntryField, text: Option<impl Into<Cow<'f, str>>>) {
        if let Some(text) = text {
            self.texts.set(field, text);
        }
    }

    /// Sets the number in a field, if the file has one.
    pub fn set_number(&mut self, field: EntryField, number: Option<impl ToString>) {
        self.set(field, number.map(|number| number.to_string()));
    }

    /// Adds an identifier at a service. Texts that are not identifiers, such as `-1`, are ignored, and so are
    /// identifiers after the first 20.
    pub fn add_id(&mut self, source: IdSource, kind: IdKind, text: Option<impl AsRef<str>>) {
        let id = text.and_then(|text| stated_id(source, kind, text.as_ref()));
        if self.ids.len() < MAX_IDS {
            self.ids.extend(id);
        }
    }
}
