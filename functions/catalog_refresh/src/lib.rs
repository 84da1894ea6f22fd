//! The scheduled refresh of the catalogue: new and changed anime of tracker A, and their songs.
//!
//! Anime are read by the order in which they changed, back to a watermark, and merged into the rows
//! that are there ([`catalogue::import`]). The watermark moves when everything behind it is
//! written, and only then: a run that ends before keeps what it wrote, and the next one begins anew.
//! Songs come from `AnimeThemes` in the same way. What was written is published, by the run that wrote
//! it or, when that one died, by the next ([`RefreshStore`]). Two runs at once do no harm: rows are put
//! over the revision that was read, and watermarks move forward only.

mod anime;
mod media;
mod plain_text;
mod scheduled;
mod songs;

use std::collections::BTreeMap;

use catalogue::import::{AnimeIds, Report as Counts};
use catalogue::{Catalogue, Resource};
use runtime::Environment;
use shared::Error;
use shared::models::{Anime, Song, TrackerName};
use store::{CatalogueStore, RefreshStore};
use trackers::{AniList, AnimeThemes, Cause, Tracker, TrackerError, Trackers};

pub use self::media::{ID_TAKEN, NO_TITLE, OTHER_FORMAT, TRACKER_ID_RANGE};
pub use self::scheduled::scheduled;
pub use self::songs::{NO_SONG_TITLE, TOO_MANY};

/// How far back a refresh looks that is the first, in seconds.
pub const FIRST_LOOK_S: u64 = 7 * 24 * 60 * 60;

/// How often a source is asked for the same page.
const ATTEMPTS: u32 = 3;

/// Where a refresh reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'s> {
    /// Anime; `None` when tracker A is not configured.
    pub anime: Option<&'s AniList>,
    /// Songs; `None` when `AnimeThemes` is not configured.
    pub songs: Option<&'s AnimeThemes>,
}

impl<'s> Sources<'s> {
    /// Those that are configured.
    ///
    /// # Errors
    /// When what is configured cannot be used, with why.
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

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// What changed since the last refresh that came to its end.
    Changed,
    /// Everything.
    All,
}

/// What a refresh did.
#[derive(Debug)]
pub struct Report {
    /// What became of the anime that were read.
    pub anime: Counts,
    /// Why not all of them were read.
    pub anime_ended: Option<TrackerError>,
    /// What became of the songs that were read.
    pub songs: Counts,
    /// Why not all of them were read.
    pub songs_ended: Option<TrackerError>,
    /// The snapshots that were published, by kind, each with how many rows it has.
    pub published: BTreeMap<&'static str, usize>,
}

/// Who is told how far a refresh is.
pub trait Watch: Sync {
    /// A stage begins that has this length, in units of its own.
    fn begin(&self, what: &str, length: u64) -> Box<dyn Stage + Send + Sync + '_>;
}

/// A stage of a refresh.
pub trait Stage {
    /// So many entries were read, and it is so far of its length.
    fn advance(&self, entries: u64, position: u64);
}

/// Nobody is told.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _: &str, _: u64) -> Box<dyn Stage + Send + Sync + '_> {
        Box::new(Self)
    }
}

impl Stage for Unwatched {
    fn advance(&self, _: u64, _: u64) {}
}

/// What both parts of a refresh work with.
struct Context<'c> {
    environment: &'c Environment,
    scope: Scope,
    /// When the run began, in seconds since the Unix epoch.
    began_s: u64,
    watch: &'c dyn Watch,
}

/// Refreshes the catalogue until it is `until` (milliseconds since the Unix epoch), or done.
///
/// # Errors
/// When DynamoDB does not answer. What was written until then stays, and the next refresh goes on.
/// That a source does not answer is no error here: the report says so.
pub async fn refresh(
    environment: &Environment,
    sources: Sources<'_>,
    scope: Scope,
    until: u64,
    watch: &dyn Watch,
) -> Result<Report, Error> {
    let now = environment.clock.now_ms();
    let context = Context {
        environment,
        scope,
        began_s: now / 1000,
        watch,
    };
    let mut report = Report::empty();
    let mut ids = context.known_ids(sources).await?;
    if let Some(tracker) = sources.anime {
        // A long list of anime leaves some of the time to songs.
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
            anime: Counts::of("anime"),
            anime_ended: None,
            songs: Counts::of("anime"),
            songs_ended: None,
            published: BTreeMap::new(),
        }
    }

    /// Why something was not read to its end.
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

    /// The anime that are known, out of the list index: a fraction of what reading the table costs.
    async fn known_ids(&self, sources: Sources<'_>) -> Result<AnimeIds, Error> {
        let mut ids = AnimeIds::default();
        if sources.anime.is_none() && sources.songs.is_none() {
            return Ok(ids);
        }
        for item in self.store::<Anime>().list_items().await? {
            if let Some(id) = item.id() {
                ids.insert(id, item.trackers());
            }
        }
        Ok(ids)
    }

    /// Publishes, if the snapshot may be older than what refreshes wrote.
    async fn publish<R: Resource>(&self, report: &mut Report) -> Result<(), Error> {
        let progress = self.progress::<R>();
        let state = progress.state().await?;
        if !state.must_publish() {
            return Ok(());
        }
        let environment = self.environment.clone();
        let (clock, random) = (environment.clock, environment.random);
        let catalogue = Catalogue::<R>::new(environment.client, &environment.tables, clock, random);
        let rows = catalogue.publish().await?;
        report.published.insert(R::KIND, rows);
        progress.set_published(state.announced).await
    }

    /// Where reading what changed ends.
    fn since(&self, watermark: Option<u64>) -> u64 {
        watermark.unwrap_or(self.began_s.saturating_sub(FIRST_LOOK_S))
    }

    /// Where the watermark goes to: to what changed last when the reading began. A time to come would
    /// hide all changes until then.
    fn next_watermark(&self, newest: Option<u64>) -> Option<u64> {
        match self.scope {
            Scope::Changed => newest.map(|newest| newest.min(self.began_s)),
            Scope::All => Some(self.began_s),
        }
    }
}

/// Asks a source, and again when it may answer then. Both adapters wait where a limit says so.
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

/// Whether asking at once is no offence: not after a refusal that names a time, but for the limits',
/// which the adapter keeps; and not without a turn before the deadline.
fn may_ask_again(error: &TrackerError) -> bool {
    match error {
        TrackerError::Later { after, detail } => match detail.cause() {
            Cause::NoTurn => false,
            Cause::Status(429) => true,
            _ => after.is_none(),
        },
        TrackerError::Final(_) | TrackerError::Reconnect(_) => false,
    }
}
