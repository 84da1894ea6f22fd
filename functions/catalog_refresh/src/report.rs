//! The report of a refresh, for the log, the operator and the metrics.

use std::collections::BTreeMap;
use std::fmt;

use catalogue::import::MergeReport;
use catalogue::snapshots::MAX_DATA_AGE_S;
use runtime::observability::{embedded_metrics, log_metrics};
use serde_json::{Value, json};
use shared::grouped;
use stories::list_files::AddedWaiting;
use stories::lists::RaisedStories;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use trackers::TrackerError;

shared::value_names! {
    /// A source of the catalogue, with its name for the operator. The sources are in the order in which they are read.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum SourceName {
        /// The mapping of identifiers, a file in the anime-lists format.
        Mapping = "Mapping of identifiers",
        /// The places of anime in seasons, a file of anime-lists.
        Seasons = "Season maps",
        /// The anime-offline-database.
        OfflineDatabase = "anime-offline-database",
        /// `AniDB`'s titles.
        AnidbTitles = "AniDB's titles",
        /// MyAnimeList.
        MyAnimeList = "MyAnimeList",
        /// AniList.
        AniList = "AniList",
        /// `AnimeThemes`, the source of songs.
        AnimeThemes = "AnimeThemes",
    }
}

impl SourceName {
    /// Returns the name in metrics, logs and rows.
    pub fn key(self) -> &'static str {
        match self {
            Self::Mapping => "anime_mapping",
            Self::Seasons => "anime_seasons",
            Self::OfflineDatabase => "offline_database",
            Self::AnidbTitles => "anidb_titles",
            Self::MyAnimeList => "my_anime_list",
            Self::AniList => "anilist",
            Self::AnimeThemes => "anime_themes",
        }
    }

    /// Returns the environment variable that turns the source on.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Mapping => "ANIME_MAPPING_URL",
            Self::Seasons => "ANIME_SEASONS_URL",
            Self::OfflineDatabase => "OFFLINE_DATABASE_URL",
            Self::AnidbTitles => "ANIDB_TITLES_URL",
            Self::MyAnimeList => "TRACKER_B_CLIENT_ID",
            Self::AniList => "TRACKER_A_CLIENT_ID",
            Self::AnimeThemes => "ANIME_THEMES_API_URL",
        }
    }

    /// Returns the usual addresses of a file, separated by spaces, in the order in which they are tried; an empty text
    /// for the other sources. The second address of a file is on another host, or has the last release of a project
    /// that has ended.
    pub fn usual_addresses(self) -> &'static str {
        match self {
            Self::Mapping => {
                "https://raw.githubusercontent.com/Fribb/anime-lists/master/anime-list-full.json \
                 https://cdn.jsdelivr.net/gh/Fribb/anime-lists@master/anime-list-full.json"
            }
            Self::Seasons => {
                "https://raw.githubusercontent.com/Anime-Lists/anime-lists/master/anime-list-master.xml \
                 https://cdn.jsdelivr.net/gh/Anime-Lists/anime-lists@master/anime-list-master.xml"
            }
            Self::OfflineDatabase => concat!(
                "https://github.com/cedya77/anime-offline-database/",
                "releases/download/latest/anime-offline-database.jsonl.zst ",
                "https://github.com/manami-project/anime-offline-database/",
                "releases/download/latest/anime-offline-database.jsonl.zst"
            ),
            Self::AnidbTitles => {
                "https://anidb.net/api/anime-titles.xml.gz \
                 https://raw.githubusercontent.com/Anime-Lists/anime-lists/master/animetitles.xml"
            }
            Self::MyAnimeList | Self::AniList | Self::AnimeThemes => "",
        }
    }

    /// Returns the name of the stage in which the source's file is downloaded.
    pub(crate) fn download_stage(self) -> &'static str {
        match self {
            Self::Mapping => "Downloading the identifiers.",
            Self::Seasons => "Downloading the seasons.",
            Self::OfflineDatabase => "Downloading the anime-offline-database.",
            Self::AnidbTitles => "Downloading AniDB's titles.",
            Self::MyAnimeList | Self::AniList | Self::AnimeThemes => "Downloading.",
        }
    }

    /// Returns the minimum time between two runs that request the source, in seconds. AniDB blocks network addresses
    /// that download its titles more than once a day.
    pub(crate) fn interval_s(self) -> u64 {
        match self {
            Self::AnidbTitles => 24 * 60 * 60,
            _ => 0,
        }
    }

    /// Returns the weight of the source when time is assigned to it: before a source is read, the remaining time of
    /// the run is divided among this source and the sources after it, in proportion to their weights.
    pub(crate) fn weight(self) -> u64 {
        match self {
            Self::Mapping | Self::Seasons | Self::AnimeThemes => 1,
            Self::AnidbTitles => 2,
            Self::OfflineDatabase | Self::MyAnimeList | Self::AniList => 3,
        }
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The result of a refresh.
#[derive(Debug, Default)]
pub struct RefreshReport {
    /// The result at each source that is configured.
    pub sources: BTreeMap<SourceName, SourceReport>,
    /// The number of rows in each snapshot that was published, by kind of catalogue.
    pub published: BTreeMap<&'static str, usize>,
    /// The waiting entries of imports that became stories.
    pub waiting: AddedWaiting,
    /// The stories with progress beyond the catalogue whose episode was raised.
    pub raised: RaisedStories,
}

/// The result at a source.
#[derive(Debug)]
pub struct SourceReport {
    /// Counts of the entries that were read. A song has no identifier at its source, so a skipped song is reported
    /// with the identifier of its anime at AniList.
    pub counts: MergeReport,
    /// The outcome of reading the source.
    pub outcome: SourceOutcome,
    /// The time up to which the catalogue has the changes of the source, in seconds since the Unix epoch: the start
    /// of the last complete read, or else of the first request.
    pub current_at: u64,
    /// The time of the data in the file, in seconds since the Unix epoch; `None` if the source is not a file or was
    /// never read.
    pub data_at: Option<u64>,
    /// The number of usable entries in the file; `None` if no whole file was read.
    pub entries: Option<u64>,
}

/// The outcome of reading a source.
#[derive(Debug)]
pub enum SourceOutcome {
    /// The source was read completely.
    Read,
    /// The source has not changed.
    Unchanged,
    /// The source was not asked, because too little time has passed since the last request.
    NotDue,
    /// The source could not be read completely.
    Failed(SourceFailure),
}

/// The reason why a source could not be read completely.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SourceFailure {
    /// A request failed.
    #[error(transparent)]
    Request(TrackerError),
    /// A file cannot be used, for this reason.
    #[error("the file cannot be used: {0}")]
    File(String),
    /// The source returned no usable entries.
    #[error("it returned no usable entries")]
    Empty,
    /// A file has less than half of the entries of its last version.
    #[error("the file has only {} of {} entries", grouped(*.entries), grouped(*.before))]
    Shrunk {
        /// The number of entries.
        entries: u64,
        /// The number of entries in the last version.
        before: u64,
    },
    /// The data of a file is older than the data of the catalogue. Times are in seconds since the Unix epoch.
    #[error(
        "the file is from {}, older than the catalogue's data from {}",
        format_day(*.stated),
        format_day(*.known)
    )]
    Older {
        /// The time that the file states.
        stated: u64,
        /// The time of the data of the catalogue.
        known: u64,
    },
    /// A list of the source did not end within the maximum number of pages.
    #[error("its list has too many pages")]
    Endless,
    /// The titles cannot be assigned without the mapping of identifiers.
    #[error("it needs the mapping of identifiers (ANIME_MAPPING_URL)")]
    NoMapping,
    /// The titles cannot be assigned, because the mapping of identifiers cannot be read.
    #[error("it needs the mapping of identifiers, which failed: {0}")]
    Mapping(Box<SourceFailure>),
    /// The source's part of the time of the run is over.
    #[error("the time of the run is over")]
    Time,
}

impl SourceFailure {
    /// Returns false if further runs fail in the same way until a file is replaced or a setting is changed.
    pub fn can_pass(&self) -> bool {
        match self {
            Self::Request(_) | Self::Endless | Self::Time => true,
            Self::Mapping(failure) => failure.can_pass(),
            Self::File(_)
            | Self::Empty
            | Self::Shrunk { .. }
            | Self::Older { .. }
            | Self::NoMapping => false,
        }
    }
}

impl SourceReport {
    /// Returns the failure, if there was one.
    pub fn failure(&self) -> Option<&SourceFailure> {
        match &self.outcome {
            SourceOutcome::Failed(failure) => Some(failure),
            _ => None,
        }
    }
}

/// A sentence for the operator, such as `failed: it returned no usable entries; stale since 2026-01-31T00:00:00Z`.
impl fmt::Display for SourceReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            SourceOutcome::Read => formatter.write_str("read"),
            SourceOutcome::Unchanged => formatter.write_str("unchanged"),
            SourceOutcome::NotDue => formatter.write_str("not asked: it is asked once a day"),
            SourceOutcome::Failed(failure) => {
                write!(
                    formatter,
                    "failed: {failure}; stale since {}",
                    format_time(self.current_at)
                )
            }
        }
    }
}

impl RefreshReport {
    /// Returns the failures of the sources, in the order in which the sources are read.
    pub fn failures(&self) -> impl Iterator<Item = (SourceName, &SourceFailure)> {
        let failures = self.sources.iter();
        failures.filter_map(|(name, source)| Some((*name, source.failure()?)))
    }

    /// Returns the first of the [`Self::failures`].
    pub fn failure(&self) -> Option<(SourceName, &SourceFailure)> {
        self.failures().next()
    }

    /// Returns the counts of a source, if it is configured.
    pub fn counts(&self, source: SourceName) -> Option<&MergeReport> {
        self.sources.get(&source).map(|report| &report.counts)
    }

    /// Returns the report as log lines that are also metrics: one line for each source with the age of its data,
    /// and one line with the greatest age. `function` is the name of the Lambda function, and `now` is in
    /// milliseconds since the Unix epoch.
    pub fn to_metrics(&self, function: &str, now: u64) -> Vec<Value> {
        // The function's name contains the stack's name, so stacks in one account have separate metrics.
        let function = ("FunctionName", function);
        let age = |report: &SourceReport| (now / 1000).saturating_sub(report.current_at);
        let of_source = |(name, report): (&SourceName, &SourceReport)| {
            let dimensions = [function, ("Source", name.key())];
            embedded_metrics(now, &dimensions, "Seconds", &[("SourceAge", age(report))])
        };
        let oldest = self.sources.values().map(age).max().unwrap_or_default();
        let all = embedded_metrics(now, &[function], "Seconds", &[("OldestSourceAge", oldest)]);
        self.sources.iter().map(of_source).chain([all]).collect()
    }

    /// Returns a warning for each file whose data is older than [`MAX_DATA_AGE_S`] at `now`, in seconds since the Unix
    /// epoch.
    pub fn age_warnings(&self, now: u64) -> Vec<String> {
        let of_source = |(name, report): (&SourceName, &SourceReport)| {
            let data_at = report.data_at?;
            let age = now.saturating_sub(data_at);
            (age > MAX_DATA_AGE_S).then(|| {
                let days = grouped(age / (24 * 60 * 60));
                let day = format_day(data_at);
                format!(
                    "{name}: the data is from {day}, {days} days old; its source may have ended"
                )
            })
        };
        self.sources.iter().filter_map(of_source).collect()
    }

    /// Logs the result at each source, and the lines of [`Self::to_metrics`].
    pub fn log(&self, function: &str, now: u64) {
        for (name, report) in &self.sources {
            let counts = &report.counts;
            let stale_since = report.failure().map(|_| format_time(report.current_at));
            tracing::info!(
                source = name.key(),
                outcome = %report,
                stale_since,
                added = counts.added,
                changed = counts.changed,
                unchanged = counts.unchanged,
                skipped = counts.skipped_count(),
                "refreshed"
            );
        }
        for warning in self.age_warnings(now / 1000) {
            tracing::warn!("{warning}");
        }
        let AddedWaiting {
            users,
            entries,
            failed,
        } = self.waiting;
        tracing::info!(users, entries, failed, "added waiting entries");
        let RaisedStories {
            users,
            stories,
            failed,
        } = self.raised;
        tracing::info!(users, stories, failed, "raised the episode of stories");
        self.to_metrics(function, now).iter().for_each(log_metrics);
    }

    /// Returns the report as JSON, which is the result of the function.
    pub fn to_json(&self) -> Value {
        let of_source = |(name, report): (&SourceName, &SourceReport)| {
            let object = json!({"outcome": report.to_string(), "read": report.counts.read_count()});
            (name.key().to_owned(), object)
        };
        Value::Object(self.sources.iter().map(of_source).collect())
    }
}

/// Formats the day of a time in seconds since the Unix epoch.
fn format_day(seconds: u64) -> String {
    let time = format_time(seconds);
    time.split('T').next().unwrap_or_default().to_owned()
}

/// Formats a time in seconds since the Unix epoch.
fn format_time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok();
    let time = time.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    let text = time.and_then(|time| time.format(&Rfc3339).ok());
    text.unwrap_or_else(|| format!("second {seconds}"))
}
