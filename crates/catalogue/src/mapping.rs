//! The mapping from identifiers at other services to anime (docs/api.md, "Mapping").
//!
//! An import or refresh that reads the mapping file publishes the identifiers in the file as a separate snapshot. A
//! function loads that snapshot at the first request for identifiers, and joins it with the index of anime. So the
//! rows of anime need no attributes for these identifiers, and a new mapping replaces the earlier one completely.

use std::collections::HashMap;
use std::sync::Arc;

use dynamo::Database;
use shared::clock::Clock;
use shared::models::{AnimeId, PerTracker, StatedId, TrackerIds};
use shared::{Error, Result};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::identifiers::{IdSource, Identifier, MappingEntry};
use crate::import::IdMapping;
use crate::index::{AnimeIndex, TrackedAnime};
use crate::refresh::refresh_store::RefreshStore;
use crate::snapshots::catalog_snapshot::Head;
use crate::snapshots::snapshot_store::{LONGEST_WAIT, SnapshotStore};
use crate::snapshots::value_snapshot::{publish_value, read_value};

/// The kind of the snapshot.
const KIND: &str = "mapping";

/// The number of the layout of the snapshot's bytes. It must be increased with every change of [`MappingEntry`]. A
/// function ignores a snapshot of another layout.
const FORMAT: u64 = 1;

/// The maximum number of anime that are returned for one identifier. The real mapping has at most 65.
const MAX_ANIME_OF_ID: usize = 100;

/// An anime with its identifiers at other services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentifiedAnime {
    /// The identifier in the catalogue.
    pub id: AnimeId,
    /// The other identifiers, in order of their sources, each once.
    pub identifiers: Vec<Identifier>,
}

/// All anime with their identifiers at other services.
#[derive(Debug, Default)]
pub struct AnimeMapping {
    /// The anime, in list order.
    anime: Vec<IdentifiedAnime>,
    /// The identifiers and the positions of their anime, in ascending order.
    positions: Vec<(IdSource, u32, usize)>,
}

impl AnimeMapping {
    /// Joins anime with the entries of the mapping file. An entry belongs to each anime that has one of the entry's
    /// identifiers at the trackers, unless the entry and the anime have different identifiers at the other tracker.
    pub fn new(tracked: impl Iterator<Item = TrackedAnime>, entries: Vec<MappingEntry>) -> Self {
        let tracked: Vec<TrackedAnime> = tracked.collect();
        let mut elsewhere: Vec<Vec<Identifier>> = vec![Vec::new(); tracked.len()];
        let mut at_trackers = PerTracker::<HashMap<u32, usize>>::default();
        for (position, anime) in tracked.iter().enumerate() {
            for (tracker, id) in anime.trackers.iter() {
                if let Some(id) = id {
                    at_trackers[tracker].entry(*id).or_insert(position);
                }
            }
        }
        for entry in entries {
            let a = entry.trackers.a.and_then(|id| at_trackers.a.get(&id));
            let b = entry.trackers.b.and_then(|id| at_trackers.b.get(&id));
            for position in a.into_iter().chain(b.filter(|_| a != b)) {
                if !tracked[*position].trackers.contradict(entry.trackers) {
                    elsewhere[*position].extend(&entry.elsewhere);
                }
            }
        }
        let anime = tracked.iter().zip(elsewhere);
        let anime: Vec<IdentifiedAnime> = anime
            .map(|(anime, ids)| join_identifiers(anime, ids))
            .collect();
        let mut positions: Vec<(IdSource, u32, usize)> = anime
            .iter()
            .enumerate()
            .flat_map(|(position, anime)| {
                let ids = anime.identifiers.iter();
                ids.map(move |known| (known.source, known.id, position))
            })
            .collect();
        positions.sort_unstable();
        positions.dedup();
        Self { anime, positions }
    }

    /// Returns the anime with this identifier, at most [`MAX_ANIME_OF_ID`], in list order. With a
    /// `season`, anime of another season are left out.
    pub fn find(
        &self,
        source: IdSource,
        id: u32,
        season: Option<u16>,
    ) -> impl Iterator<Item = &IdentifiedAnime> {
        let is_wanted = move |known: &Identifier| {
            (known.source, known.id) == (source, id)
                && season.is_none_or(|season| known.may_have_season(season))
        };
        let start = self
            .positions
            .partition_point(|entry| (entry.0, entry.1) < (source, id));
        let same = self.positions[start..].iter();
        same.take_while(move |entry| (entry.0, entry.1) == (source, id))
            .map(|(_, _, position)| &self.anime[*position])
            .filter(move |anime| anime.identifiers.iter().any(is_wanted))
            .take(MAX_ANIME_OF_ID)
    }

    /// Returns the anime in this row of the index from which the mapping was made.
    pub(crate) fn at_row(&self, row: usize) -> Option<&IdentifiedAnime> {
        self.anime.get(row)
    }
}

impl IdentifiedAnime {
    /// Returns true if the anime has other identifiers in the number space of this one.
    pub(crate) fn contradicts(&self, stated: StatedId) -> bool {
        let known = self.identifiers.iter();
        let is_alike =
            |known: &&Identifier| known.source == stated.source && known.may_be(stated.kind);
        let mut ids = known.filter(is_alike).peekable();
        ids.peek().is_some() && ids.all(|known| known.id != stated.id)
    }
}

fn join_identifiers(anime: &TrackedAnime, mut identifiers: Vec<Identifier>) -> IdentifiedAnime {
    let TrackerIds { a, b } = anime.trackers;
    identifiers.extend(a.map(|id| Identifier::new(IdSource::TrackerA, id)));
    identifiers.extend(b.map(|id| Identifier::new(IdSource::TrackerB, id)));
    let unlisted = anime.database_id.filter(|id| {
        let is_listed = |known: &Identifier| known.source == IdSource::Database && known.id == *id;
        !identifiers.iter().any(is_listed)
    });
    identifiers.extend(unlisted.map(|id| Identifier::new(IdSource::Database, id)));
    identifiers.sort_unstable();
    identifiers.dedup();
    IdentifiedAnime {
        id: anime.id,
        identifiers,
    }
}

/// The mapping in memory.
#[derive(Debug)]
pub(crate) struct LoadedMapping {
    snapshots: SnapshotStore,
    clock: Clock,
    cached: Mutex<Option<CachedMapping>>,
}

#[derive(Debug)]
struct CachedMapping {
    mapping: Arc<AnimeMapping>,
    /// The index with which the entries were joined.
    index: Arc<AnimeIndex>,
    head: Option<Head>,
    /// The time of the last check for a newer snapshot, in milliseconds since the Unix epoch.
    checked_ms: u64,
}

impl LoadedMapping {
    /// Creates a mapping that is not loaded yet.
    pub fn new(database: &Database) -> Self {
        Self {
            snapshots: SnapshotStore::new(database, KIND),
            clock: database.clock.clone(),
            cached: Mutex::new(None),
        }
    }

    /// Returns the mapping for the anime of an index. If the last check for a newer mapping was `max_age_ms`
    /// milliseconds ago or more, or was for another index, checks again. If no mapping is published, the anime have
    /// only the identifiers that are in their rows.
    pub async fn mapping_for(
        &self,
        index: Arc<AnimeIndex>,
        max_age_ms: u64,
    ) -> Result<Arc<AnimeMapping>> {
        let turn = timeout(LONGEST_WAIT, self.cached.lock()).await;
        let mut cached = turn.map_err(|_| {
            Error::Unavailable("timed out waiting for another request to load the mapping".into())
        })?;
        let now = self.clock.now_ms();
        let known = cached
            .as_ref()
            .filter(|cached| Arc::ptr_eq(&cached.index, &index));
        if let Some(known) = known
            && now.abs_diff(known.checked_ms) < max_age_ms
        {
            return Ok(Arc::clone(&known.mapping));
        }
        let head = self.snapshots.head().await?;
        let head = head.filter(|head| head.format == FORMAT);
        let mapping = match known {
            Some(known) if known.head == head => Arc::clone(&known.mapping),
            _ => {
                let entries = read_entries(&self.snapshots, head).await?;
                Arc::new(AnimeMapping::new(index.tracked_anime(), entries))
            }
        };
        *cached = Some(CachedMapping {
            mapping: Arc::clone(&mapping),
            index,
            head,
            checked_ms: now,
        });
        Ok(mapping)
    }
}

/// Returns the entries of the published mapping file; no entries if there is no such file.
pub(crate) async fn read_mapping(database: &Database) -> Result<Vec<MappingEntry>> {
    let snapshots = SnapshotStore::new(database, KIND);
    let head = snapshots.head().await?;
    read_entries(&snapshots, head.filter(|head| head.format == FORMAT)).await
}

async fn read_entries(snapshots: &SnapshotStore, head: Option<Head>) -> Result<Vec<MappingEntry>> {
    read_value(snapshots, head, "the mapping is being replaced").await
}

/// Publishes the identifiers of a mapping file for all functions. They replace the mapping that was published before.
/// After that, [`crate::story_lines::derive_story_lines`] is due.
///
/// # Errors
/// As [`SnapshotStore::publish`].
pub async fn publish_mapping(database: &Database, mapping: &IdMapping) -> Result<()> {
    let snapshots = SnapshotStore::new(database, KIND);
    let entries = mapping.entries();
    publish_value(&snapshots, FORMAT, entries.len(), &entries).await?;
    RefreshStore::of_derivation(database).announce().await?;
    Ok(())
}
