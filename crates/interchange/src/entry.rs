//! The content of a list file.

use shared::models::{AnimeId, DetailsChange, TrackerIds, WatchStatus};

/// The content of a list file.
#[derive(Clone, Debug, PartialEq)]
pub struct ListFile {
    /// The format.
    pub format: ListFormat,
    /// The valid entries, in the order of the file. A file can have several entries for the same anime.
    pub entries: Vec<ListEntry>,
    /// The invalid entries, in the order of the file.
    pub skipped: Vec<SkippedEntry>,
    /// Sentences for the user about the file as a whole, for example fields that stories do not have.
    pub remarks: Vec<String>,
}

/// The format of a list file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// The XML of MyAnimeList's export. Other trackers write it, too.
    MalXml,
    /// An account export of AniList, or the response to its list query.
    AniListJson,
    /// This service's own JSON.
    KirokuJson,
    /// CSV with a header row.
    Csv,
    /// An answer of Jellyfin or Emby about watched items. [`read`](crate::read) does not read it.
    JellyfinJson,
    /// An answer of Plex about watched items. [`read`](crate::read) does not read it.
    PlexJson,
}

impl ListFormat {
    /// Returns the name for reports.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::MalXml => "MyAnimeList XML",
            Self::AniListJson => "AniList JSON",
            Self::KirokuJson => "Kiroku JSON",
            Self::Csv => "CSV",
            Self::JellyfinJson => "Jellyfin or Emby JSON",
            Self::PlexJson => "Plex JSON",
        }
    }
}

/// One anime in a list file. At least one identifier or the title is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListEntry {
    /// The position among the file's entries, from 1.
    pub position: usize,
    /// The identifier in this service.
    pub anime_id: Option<AnimeId>,
    /// The identifiers at AniList and MyAnimeList.
    pub trackers: TrackerIds,
    /// The title, at most 300 characters, none of them invisible.
    pub title: Option<String>,
    /// The watch status.
    pub status: WatchStatus,
    /// The number of the current episode, if the file has that field. It may exceed the number of episodes.
    pub current_episode: Option<u32>,
    /// The watching time of the current episode in milliseconds, if the file has that field.
    pub current_episode_ticks: Option<u64>,
    /// The details. A field that the file does not have is `None`. If the file has the field without a value, a score
    /// or date is `Some(None)`, notes are `Some` empty notes, and `repeats` and `private` are `None`.
    pub details: DetailsChange,
    /// The creation time of the entry, in milliseconds since the Unix epoch.
    pub created_at_ms: Option<u64>,
    /// The time of the entry's last change, in milliseconds since the Unix epoch. Most formats have whole seconds.
    pub changed_at_ms: Option<u64>,
}

/// An entry that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedEntry {
    /// The position among the file's entries, from 1.
    pub position: usize,
    /// The title, if the entry has one.
    pub title: Option<String>,
    /// The reason, for the user: a sentence that begins without a capital letter and ends without a period.
    pub reason: String,
}

/// The reason why a file could not be read at all, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(pub(crate) String);

impl ReadError {
    /// Returns an error with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}
