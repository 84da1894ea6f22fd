//! The scheduled refresh of the catalogue: new and changed anime of tracker A, and their songs
//! (docs/trackers.md, "Refresh of the catalogue").
//!
//! Anime are read by time of change, latest first, back to a watermark: the time up to which all changes have
//! been written. They are merged into the existing rows ([`catalogue::import`]). The watermark moves only
//! when everything after it is written. A run that ends early keeps what it wrote, and the next one starts
//! again from the old watermark. Songs come from AnimeThemes in the same way.
//!
//! A run publishes what it has written. If it ends before that, the next run publishes ([`RefreshStore`]). It
//! is safe to run two refreshes at the same time: rows are written only over the revision that was read, and
//! watermarks only move forward.

mod anime;
mod media;
mod plain_text;
mod scheduled;
mod songs;

use std::collections::BTreeMap;

use catalogue::import::{AnimeIds, Report as Counts};
use catalogue::{Resource, publish};
use runtime::Environment;
use shared::Error;
use shared::models::{Anime, Song, TrackerName};
use store::{CatalogueStore, RefreshStore};
use trackers::{AniList, AnimeThemes, Cause, Tracker, TrackerError, Trackers};

pub use self::scheduled::scheduled;
pub use self::songs::{NO_SONG_TITLE, TOO_MANY};

/// Period of changes that the first refresh reads, in seconds: 7 days.
pub const FIRST_LOOK_S: u64 = 7 * 24 * 60 * 60;

/// Maximum number of attempts to read a page.
const ATTEMPTS: u32 = 3;

/// The sources of a refresh.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'s> {
    /// Source of anime; `None` if tracker A is not configured.
    pub anime: Option<&'s AniList>,
    /// Source of songs; `None` if AnimeThemes is not configured.
    pub songs: Option<&'s AnimeThemes>,
}

impl<'s> Sources<'s> {
    /// Returns the configured sources.
    ///
    /// # Errors
    /// The reason why the configuration is invalid.
    pub async fn of(
        trackers: &'s Trackers,
        songs: Option<&'s AnimeThemes>,
    ) -> Result<Self, String> {
        let tracker = trackers.get(TrackerName::A).await;
        let anime = match tracker.map_err(|error| format!("{error:?}"))? {
            Some(Tracker::AniList(tracker)) => Some(tracker),
            _ => None,
        };
        Ok(Self { anime, songs })
    }
}

/// The scope of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Changes since the last complete refresh.
    Changed,
    /// All anime and songs.
    All,
}

/// The result of a refresh.
#[derive(Debug)]
pub struct Report {
    /// Counts of the anime that were read.
    pub anime: Counts,
    /// The error that ended reading the anime early.
    pub anime_ended: Option<TrackerError>,
    /// Counts of the songs that were read.
    pub songs: Counts,
    /// The error that ended reading the songs early.
    pub songs_ended: Option<TrackerError>,
    /// The number of rows in each snapshot that was published, by kind of catalogue.
    pub published: BTreeMap<&'static str, usize>,
}

/// The progress of a refresh.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The name of the stage, for example `Reading anime.`
    pub stage: &'static str,
    /// The length of the stage. Each stage has its own unit.
    pub length: u64,
    /// The position within the length.
    pub position: u64,
    /// The number of entries that were read so far.
    pub entries: u64,
}

/// The context of both parts of a refresh.
struct Context<'c> {
    environment: &'c Environment,
    scope: Scope,
    /// The start of the run, in seconds since the Unix epoch.
    began_s: u64,
    /// Called at the start of each stage and after each page.
    show: &'c (dyn Fn(Progress) + Sync),
}

/// Refreshes the catalogue. Stops reading at `until` (milliseconds since the Unix epoch).
///
/// # Errors
/// The database fails. Completed writes stay, and the next refresh continues. An error of a source is not an
/// error here: it is in the report.
pub async fn refresh(
    environment: &Environment,
    sources: Sources<'_>,
    scope: Scope,
    until: u64,
    show: &(dyn Fn(Progress) + Sync),
) -> Result<Report, Error> {
    let now = environment.clock.now_ms();
    let context = Context {
        environment,
        scope,
        began_s: now / 1000,
        show,
    };
    let mut report = Report::empty();
    let mut ids = context.known_ids(sources).await?;
    if let Some(tracker) = sources.anime {
        // A quarter of the time is reserved for songs, however many anime have changed.
        let until = match sources.songs {
            Some(_) => now + until.saturating_sub(now) / 4 * 3,
            None => until,
        };
        let mut run = anime::Run::new(&context, &mut ids, sources.songs.is_some());
        report.anime_ended = run.read(tracker, until).await?;
        report.anime = run.into_counts();
        context.publish::<Anime>(&mut report).await?;
    }
    if let Some(themes) = sources.songs {
        let mut run = songs::Run::new(&context, &ids);
        report.songs_ended = run.read(themes, until).await?;
        report.songs = run.into_counts();
        context.publish::<Song>(&mut report).await?;
    }
    Ok(report)
}

impl Report {
    fn empty() -> Self {
        Self {
            anime: Counts::numbered_by("anime"),
            anime_ended: None,
            // Songs are read without an identifier, so a skipped song is reported with the identifier of its
            // anime at tracker A.
            songs: Counts::numbered_by("anime"),
            songs_ended: None,
            published: BTreeMap::new(),
        }
    }

    /// Returns the error that ended the refresh early, if any.
    #[must_use]
    pub fn ended(&self) -> Option<&TrackerError> {
        self.anime_ended.as_ref().or(self.songs_ended.as_ref())
    }
}

impl Context<'_> {
    fn store<R: Resource>(&self) -> CatalogueStore<R> {
        CatalogueStore::new(self.environment.client.clone(), &self.environment.tables)
    }

    fn progress<R: Resource>(&self) -> RefreshStore {
        RefreshStore::of::<R>(self.environment.client.clone(), &self.environment.tables)
    }

    /// Reads the identifiers of the known anime, if a source needs them.
    async fn known_ids(&self, sources: Sources<'_>) -> Result<AnimeIds, Error> {
        if sources.anime.is_none() && sources.songs.is_none() {
            return Ok(AnimeIds::default());
        }
        AnimeIds::read(&self.store()).await
    }

    /// Publishes a snapshot if the last one may lack rows that a refresh has written.
    async fn publish<R: Resource>(&self, report: &mut Report) -> Result<(), Error> {
        let progress = self.progress::<R>();
        let state = progress.state().await?;
        if !state.must_publish() {
            return Ok(());
        }
        let rows = publish::<R>(&self.environment.client, &self.environment.tables).await?;
        report.published.insert(R::KIND, rows);
        progress.set_published(state.announced).await
    }

    /// Returns the time since which changes are read, in seconds since the Unix epoch.
    fn since(&self, watermark: Option<u64>) -> u64 {
        watermark.unwrap_or(self.began_s.saturating_sub(FIRST_LOOK_S))
    }

    /// Returns the new watermark. It is the time of the latest change when reading began, or for a full
    /// refresh the start of the run. It is never in the future, because that would hide all changes until
    /// then.
    fn next_watermark(&self, newest: Option<u64>) -> Option<u64> {
        match self.scope {
            Scope::Changed => newest.map(|newest| newest.min(self.began_s)),
            Scope::All => Some(self.began_s),
        }
    }
}

/// Sends a request, and repeats it immediately after an error that may pass. The adapters themselves wait for
/// the sources' rate limits.
async fn ask<T>(call: impl AsyncFn() -> Result<T, TrackerError>) -> Result<T, TrackerError> {
    let mut answer = call().await;
    for _ in 1..ATTEMPTS {
        match &answer {
            Err(error) if may_ask_again(error) => answer = call().await,
            _ => break,
        }
    }
    answer
}

/// Returns true if an immediate retry is allowed. It is not if the source asks to wait, except after a 429,
/// for which the adapter itself waits. It is useless if the rate limit allows no call before the deadline.
fn may_ask_again(error: &TrackerError) -> bool {
    match error {
        TrackerError::Later { after, detail } => match detail.cause() {
            Cause::NoTurn | Cause::Deadline => false,
            Cause::Status(429) => true,
            _ => after.is_none(),
        },
        TrackerError::Final(_) | TrackerError::Reconnect(_) => false,
    }
}
