//! The content of a list file.

use shared::models::{AnimeFormat, AnimeId, DetailsChange, StatedId, TrackerIds, WatchStatus};
use shared::named_values;

/// The content of a list file.
#[derive(Clone, Debug, PartialEq)]
pub struct ListFile {
    /// The format.
    pub format: ListFormat,
    /// The valid entries, in the order of the file. A file can have several entries for the same anime.
    pub entries: Vec<ListEntry>,
    /// The watched episodes and movies of a list that has each of them, in the order of the file.
    pub watched: Vec<WatchedRow>,
    /// The invalid entries, in the order of the file.
    pub skipped: Vec<SkippedEntry>,
    /// Sentences for the user about the file as a whole, for example fields that stories do not have.
    pub remarks: Vec<String>,
}

/// The format of a list file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// The XML of MyAnimeList's export. Other trackers also write it.
    MalXml,
    /// An account export of AniList, or the response to its list query.
    AniListJson,
    /// This service's own JSON.
    KirokuJson,
    /// CSV with a header row.
    Csv,
    /// A format of another service or program, by its name for reports.
    Other(&'static str),
    /// Like [`Self::Other`], for lists of movies and series of all kinds. A title in such a list can belong both to an
    /// anime and to a live-action series.
    Mixed(&'static str),
}

impl ListFormat {
    /// Returns the name for reports.
    pub fn title(self) -> &'static str {
        match self {
            Self::MalXml => "MyAnimeList XML",
            Self::AniListJson => "AniList JSON",
            Self::KirokuJson => "Kiroku JSON",
            Self::Csv => "CSV",
            Self::Other(title) | Self::Mixed(title) => title,
        }
    }
}

/// One anime in a list file, or a series or movie that may be an anime. At least one identifier or the title is known.
///
/// If `ids` are of [`IdKind::Series`](shared::models::IdKind::Series) and `season` is `None`, the status belongs to all
/// seasons together. It belongs to an anime only if the series has no other anime.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListEntry {
    /// The position among the file's entries, from 1.
    pub position: usize,
    /// The identifier in this service.
    pub anime_id: Option<AnimeId>,
    /// The identifiers at AniList and MyAnimeList.
    pub trackers: TrackerIds,
    /// The identifiers at other services, the most trusted first.
    pub ids: Vec<StatedId>,
    /// The title, at most 300 characters, none of them invisible.
    pub title: Option<String>,
    /// The format that the file states.
    pub format: Option<AnimeFormat>,
    /// The year of the release that the file states.
    pub year: Option<u16>,
    /// The season of the series, as media servers and databases of series count them.
    pub season: Option<u16>,
    /// The number of the anime's episodes that the file states.
    pub episodes: Option<u32>,
    /// The watch status.
    pub status: WatchStatus,
    /// True if the file states no status, such as a list of ratings. Then `status` has no meaning, and only the details
    /// may be used, for a story that exists or that is made from the watched rows of the same file.
    pub is_details_only: bool,
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

impl ListEntry {
    /// Returns an entry with only a position and a status. The caller adds an identifier or a title.
    pub fn new(position: usize, status: WatchStatus) -> Self {
        Self {
            position,
            anime_id: None,
            trackers: TrackerIds::default(),
            ids: Vec::new(),
            title: None,
            format: None,
            year: None,
            season: None,
            episodes: None,
            status,
            is_details_only: false,
            current_episode: None,
            current_episode_ticks: None,
            details: DetailsChange::default(),
            created_at_ms: None,
            changed_at_ms: None,
        }
    }
}

/// A watched episode or movie in a list file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WatchedRow {
    /// The position among the file's entries and rows, from 1.
    pub position: usize,
    /// True for a movie, false for an episode of a series.
    pub is_movie: bool,
    /// The title of the series or the movie, at most 300 characters, none of them invisible.
    pub title: Option<String>,
    /// The year in which the series or the movie was released.
    pub year: Option<u16>,
    /// The season of the series, as databases of series count them. Special episodes are left out by the readers.
    pub season: Option<u16>,
    /// The number of the episode within the season.
    pub episode: Option<u32>,
    /// The identifiers of the series or the movie, the most trusted first, and never of the episode.
    pub ids: Vec<StatedId>,
    /// The time of watching, in milliseconds since the Unix epoch. If the file has only the day, noon in UTC is used.
    pub at_ms: Option<u64>,
}

named_values! {
    /// The highest score of the scale on which a user has rated, for files that do not state it.
    #[schema(
        as = FileScoreScale,
        description = "The scale of a file's scores, by its highest score."
    )]
    pub enum ScoreScaleOption {
        /// 1 to 100.
        Hundred = "100",
        /// 1 to 10.
        Ten = "10",
        /// 1 to 5.
        Five = "5",
        /// 1 to 3.
        Three = "3",
    }
}

impl ScoreScaleOption {
    /// Returns the highest score.
    pub fn maximum(self) -> f64 {
        match self {
            Self::Hundred => 100.0,
            Self::Ten => 10.0,
            Self::Five => 5.0,
            Self::Three => 3.0,
        }
    }
}

/// The user's statements about a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The scale of the scores. It counts only if neither the file nor its format states one.
    pub score_scale: Option<ScoreScaleOption>,
    /// The account whose views count, in a media server's history of several accounts. Lists have no accounts.
    pub account: Option<u64>,
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

/// The result of reading a list file, or a part of it.
pub type ReadResult<T = ()> = Result<T, ListFileError>;

/// The reason why a file could not be read at all, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ListFileError(String);

impl ListFileError {
    /// Returns an error with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}
