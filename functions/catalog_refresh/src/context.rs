//! The context of a run, which all sources share.

use catalogue::Resource;
use catalogue::refresh::{RefreshStore, SourceStore};
use catalogue::rows::{CatalogueStore, FactSource};
use runtime::Environment;
use shared::Result;
use shared::models::{Anime, Song};

use crate::report::{SourceFailure, SourceName};

/// The first refresh of a source reads the changes of this last period, in seconds: 7 days.
pub const FIRST_LOOK_S: u64 = 7 * 24 * 60 * 60;

/// A tracker lapses if no run could read it for this time, in seconds: 7 days. Weaker sources may then replace its
/// values that change often ([`catalogue::import::AnimeFacts::lapsed`]).
const LAPSE_S: u64 = 7 * 24 * 60 * 60;

/// The scope of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshScope {
    /// Changes since the last complete refresh.
    Changed,
    /// Everything.
    All,
}

/// The progress of a refresh.
#[derive(Clone, Copy, Debug)]
pub struct RefreshProgress {
    /// The name of the stage, for example `Reading AniList.`
    pub stage: &'static str,
    /// The unit of the length.
    pub unit: StageUnit,
    /// The length of the stage.
    pub length: u64,
    /// The position within the length.
    pub position: u64,
    /// The number of entries that the source's refresh has read so far.
    pub entries: u64,
}

/// The unit of the length of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageUnit {
    /// Bytes of a download.
    Bytes,
    /// A unit of the stage's own.
    Share,
}

/// The context of all parts of a refresh.
pub struct RefreshContext<'c> {
    pub environment: &'c Environment,
    pub scope: RefreshScope,
    /// True if files are read even if they have not changed since a run has read them.
    pub rereads_files: bool,
    pub reads_songs: bool,
    /// The start of the run, in seconds since the Unix epoch.
    pub began_s: u64,
    /// The trackers that have lapsed ([`Self::find_lapsed`]).
    pub lapsed: Vec<FactSource>,
    pub anime: CatalogueStore<Anime>,
    pub songs: CatalogueStore<Song>,
    /// Called at the start of each stage and after each page.
    pub show: &'c (dyn Fn(RefreshProgress) + Sync),
}

impl RefreshContext<'_> {
    /// Finds the trackers that have lapsed: for more than [`LAPSE_S`], all runs have failed to read them, or no run has
    /// read them because they are no longer configured. Files do not lapse: titles do not age, and the
    /// anime-offline-database has the lowest rank anyway.
    pub async fn find_lapsed(&mut self, configured: &[SourceName]) -> Result<()> {
        let trackers = [
            (SourceName::MyAnimeList, FactSource::MyAnimeList),
            (SourceName::AniList, FactSource::AniList),
        ];
        for (name, source) in trackers {
            let state = self.source(name).state().await?;
            let missing_since = if configured.contains(&name) {
                state.failing_since
            } else {
                state.stale_since()
            };
            if missing_since.is_some_and(|at| at.saturating_add(LAPSE_S) < self.began_s) {
                self.lapsed.push(source);
            }
        }
        Ok(())
    }

    /// Checks that a part of the run has time left. It ends at `until`, in milliseconds since the Unix epoch.
    pub fn check_time(&self, until: u64) -> Result<(), SourceFailure> {
        if self.environment.database.clock.now_ms() < until {
            Ok(())
        } else {
            Err(SourceFailure::Time)
        }
    }

    /// Returns the store that keeps the state of the refresh of anime or songs.
    pub fn progress<R: Resource>(&self) -> RefreshStore {
        RefreshStore::new::<R>(&self.environment.database)
    }

    /// Returns the store that keeps the state of a source.
    pub fn source(&self, name: SourceName) -> SourceStore {
        SourceStore::new(&self.environment.database, name.key())
    }

    /// Returns the time since which changes are read, in seconds since the Unix epoch.
    pub fn since(&self, watermark: Option<u64>) -> u64 {
        watermark.unwrap_or(self.began_s.saturating_sub(FIRST_LOOK_S))
    }

    /// Moves a watermark forward: in a full refresh to the start of the run, otherwise to `newest`, the time of the
    /// latest change when reading began. The watermark is not later than the start of the run, because a watermark in
    /// the future would hide all changes until its time.
    pub async fn move_watermark(
        &self,
        progress: &RefreshStore,
        present: Option<u64>,
        newest: Option<u64>,
    ) -> Result<()> {
        let next = match self.scope {
            RefreshScope::Changed => newest.map(|newest| newest.min(self.began_s)),
            RefreshScope::All => Some(self.began_s),
        };
        match next.filter(|next| present.is_none_or(|present| present < *next)) {
            Some(next) => progress.move_watermark(next).await,
            None => Ok(()),
        }
    }
}
