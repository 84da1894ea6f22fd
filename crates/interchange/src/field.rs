//! The fields of an entry, under the names that list files give them.

use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryField {
    /// The identifier in this service.
    AnimeId,
    AniListId,
    MalId,
    Title,
    /// The number of the anime's episodes.
    Episodes,
    Format,
    Year,
    Status,
    /// True if the user is watching the anime again, in formats that have no status for a repeat.
    Rewatching,
    CurrentEpisode,
    /// The number of the current episode, if the user is watching the anime again.
    RewatchingEpisode,
    CurrentEpisodeTicks,
    Score,
    StartedOn,
    FinishedOn,
    /// The number of times that the user has watched the anime again.
    Repeats,
    Notes,
    Private,
    CreatedAt,
    UpdatedAt,
}

/// The names of each field in lower case and without separators, separated by spaces. The first name is the name in
/// this service's own formats.
const FIELD_NAMES: [(EntryField, &str); 20] = [
    (EntryField::AnimeId, "animeid"),
    (EntryField::AniListId, "anilistid mediaid seriesid"),
    (
        EntryField::MalId,
        "malid idmal myanimelistid seriesanimedbid",
    ),
    (EntryField::Title, "title name seriestitle"),
    (EntryField::Episodes, "episodes seriesepisodes"),
    (EntryField::Format, "format seriestype"),
    (EntryField::Year, "year seasonyear"),
    (EntryField::Status, "status mystatus watchstatus"),
    (
        EntryField::Rewatching,
        // For an anime that is being watched again, Shikimori writes "Completed" as my_status. Only
        // shiki_status shows the repeat.
        "rewatching isrewatching myrewatching shikistatus",
    ),
    (
        EntryField::CurrentEpisode,
        "currentepisode progress episodeswatched watchedepisodes mywatchedepisodes",
    ),
    (EntryField::RewatchingEpisode, "myrewatchingep"),
    (EntryField::CurrentEpisodeTicks, "currentepisodeticks"),
    (EntryField::Score, "score rating myscore"),
    (
        EntryField::StartedOn,
        "startedon startedat startdate mystartdate",
    ),
    (
        EntryField::FinishedOn,
        "finishedon finishedat completedat finishdate myfinishdate",
    ),
    (
        EntryField::Repeats,
        "repeats repeat rewatches mytimeswatched",
    ),
    (EntryField::Notes, "notes comments mycomments"),
    (EntryField::Private, "private"),
    (EntryField::CreatedAt, "createdat"),
    (EntryField::UpdatedAt, "updatedat mylastupdated"),
];

/// Names of fields that are left out without a remark, because they say nothing about the episodes that the user has
/// watched. `ListFile::remarks` names every other field with a value, unless it is in [`FIELD_NAMES`].
const IGNORED_NAMES: &str = "hiddendefault hiddenfromstatuslists id media mydiscuss myid mypriority myrated \
    myrewatchvalue mysns mystorage mystoragevalue order priority progressvolume progressvolumes type updateonimport \
    user userid volumes";

/// Returns the meaning of a word in a table of meanings, each with its words, which are separated by spaces.
pub fn find_meaning<T: Copy>(table: &[(T, &str)], word: &str) -> Option<T> {
    let mut rows = table.iter();
    let row = rows.find(|(_, words)| has_word(words, word));
    row.map(|(meaning, _)| *meaning)
}

/// Returns true if a word is one of these, which are separated by spaces.
pub fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// A name of a field in a list file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldName {
    Known(EntryField),
    /// The name of a field that is not needed.
    Ignored,
    Unknown,
}

impl FieldName {
    /// Returns the meaning of a name. Case, spaces and punctuation do not matter.
    pub fn of(name: &str) -> Self {
        let normalized = normalize(name);
        match find_meaning(&FIELD_NAMES, &normalized) {
            Some(field) => Self::Known(field),
            // Many programs add facts about the anime to MyAnimeList's XML, under names such as series_image.
            None if normalized.starts_with("series") => Self::Ignored,
            None if has_word(IGNORED_NAMES, &normalized) => Self::Ignored,
            None => Self::Unknown,
        }
    }
}

/// The number of letters and digits that are compared. All known names and statuses are shorter.
const MAX_NORMALIZED: usize = 64;

/// Returns the letters and digits of a text in lower case, at most [`MAX_NORMALIZED`]. Names and statuses with the
/// same result are treated as equal.
pub fn normalize(text: &str) -> String {
    let characters = text.chars().filter(|character| character.is_alphanumeric());
    characters
        .flat_map(char::to_lowercase)
        .take(MAX_NORMALIZED)
        .collect()
}

/// The length, in bytes, to which a text is cut. Notes, the longest texts, have at most 2,000 characters.
pub const MAX_LIST_TEXT_BYTES: usize = 100_000;

/// Returns at most the first [`MAX_LIST_TEXT_BYTES`] bytes of a text, so that a file with one very long text needs no
/// more memory than other files.
pub fn cut(text: &str) -> &str {
    start_of(text, MAX_LIST_TEXT_BYTES)
}

/// Returns the characters within the first `length` bytes of a text.
pub fn start_of(text: &str, length: usize) -> &str {
    &text[..text.floor_char_boundary(length)]
}

/// The texts of an entry's fields. A field that the file does not have is missing, and a field without a value
/// has an empty text.
#[derive(Debug, Default)]
pub struct FieldTexts<'f>(BTreeMap<EntryField, Cow<'f, str>>);

impl<'f> FieldTexts<'f> {
    /// Sets a field, unless it already has a value. An entry can have a field under several names. The first value
    /// counts.
    pub fn set(&mut self, field: EntryField, text: impl Into<Cow<'f, str>>) {
        let old = self.0.entry(field).or_default();
        if old.is_empty() {
            *old = text.into();
        }
    }

    /// Returns the unchanged text of a field.
    pub fn exact(&self, field: EntryField) -> Option<&str> {
        self.0.get(&field).map(AsRef::as_ref)
    }

    /// Returns the text of a field without white space around it.
    pub fn get(&self, field: EntryField) -> Option<&str> {
        self.exact(field).map(str::trim)
    }

    pub fn value(&self, field: EntryField) -> Option<&str> {
        self.get(field).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::{EntryField, FIELD_NAMES, FieldName, IGNORED_NAMES, normalize};

    #[test]
    fn names_are_unique_and_plain() {
        let known = FIELD_NAMES.iter().flat_map(|(_, names)| names.split(' '));
        let mut all: Vec<&str> = known.chain(IGNORED_NAMES.split(' ')).collect();
        assert!(all.iter().all(|name| normalize(name) == *name), "{all:?}");
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn spelling_of_a_name_does_not_matter() {
        for name in ["started_on", "startedOn", "Started On", "STARTED-ON"] {
            let known = FieldName::Known(EntryField::StartedOn);
            assert_eq!(FieldName::of(name), known, "{name}");
        }
        assert_eq!(FieldName::of("my_tags"), FieldName::Unknown);
        assert_eq!(FieldName::of("my_sns"), FieldName::Ignored);
        assert_eq!(FieldName::of("series_image"), FieldName::Ignored);
    }
}
