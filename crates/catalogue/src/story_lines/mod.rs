//! Sequels and prequels that no source states (docs/trackers.md, "Derived sequels and prequels").
//!
//! The anime-offline-database relates anime without saying how. An import or refresh of it publishes these relations as
//! a separate snapshot ([`keep_relations`]). [`derive_story_lines`] compares them with the titles, times and studios of
//! the anime and with the season map, and writes the neighbors that follow from all of them. So the files can be
//! imported in any order, and the derivation can be repeated at any time. Each change of the relations, the season map
//! or the mapping makes it due until it has ended ([`RefreshStore::of_derivation`]), so a run that ends early loses
//! none.

mod facts;
mod installment;
mod rule;

use std::collections::{BTreeSet, HashMap, HashSet};

use dynamo::{Database, MAX_BATCH_READ};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use shared::fold::fold;
use shared::models::{Anime, AnimeId};
use shared::{Error, Result};

use self::facts::{FOLLOWING, NeighborFacts, PRECEDING};
use self::installment::Installment;
use self::rule::{ComparedAnime, Succession, find_successions};
use crate::identifiers::IdSource;
use crate::import::Writer;
use crate::index::TrackedAnime;
use crate::mapping::{AnimeMapping, read_mapping};
use crate::refresh::refresh_store::RefreshStore;
use crate::rows::anime::{AnimeListItem, FactSource};
use crate::rows::document::CatalogueRow;
use crate::rows::document_store::CatalogueStore;
use crate::seasons::unloaded_seasons;
use crate::snapshots::catalog_snapshot::Head;
use crate::snapshots::snapshot_store::SnapshotStore;
use crate::snapshots::value_snapshot::{read_value, replace_value};

/// The kind of the snapshot.
const KIND: &str = "relations";

/// The number of the layout of the snapshot's bytes. It must be increased with every change of [`PublishedRelations`].
/// A snapshot of another layout counts as empty.
const FORMAT: u64 = 1;

/// The number of batches of rows that are read at the same time.
const BATCHES_AT_ONCE: usize = 8;

/// The maximum number of attempts to change the relations while other runs change them.
const ATTEMPTS: u32 = 4;

/// The maximum number of titles of an anime that are compared.
const MAX_TITLES: usize = 40;

/// The relations that the entries of a file state, without their types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRelations {
    /// The anime that the file has. Their earlier relations are replaced.
    pub anime: HashSet<AnimeId>,
    /// An anime, and one that its entry names.
    pub pairs: Vec<(AnimeId, AnimeId)>,
}

/// The published relations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct PublishedRelations {
    /// The related anime, in ascending order.
    pairs: Vec<(AnimeId, AnimeId)>,
    /// The anime that ever had a derived neighbor, in ascending order.
    derived: Vec<AnimeId>,
}

impl PublishedRelations {
    async fn read(snapshots: &SnapshotStore, head: Option<Head>) -> Result<Self> {
        let head = head.filter(|head| head.format == FORMAT);
        read_value(snapshots, head, "the relations are being replaced").await
    }

    /// Changes the published relations. If another run has published new relations since the relations were read, the
    /// new relations are changed, so that the changes of both runs are kept.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if other runs publish relations during every attempt.
    async fn change(snapshots: &SnapshotStore, change: impl Fn(&mut Self) + Sync) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let head = snapshots.head().await?;
            let earlier = Self::read(snapshots, head).await?;
            let mut relations = earlier.clone();
            change(&mut relations);
            let rows = relations.pairs.len();
            if relations == earlier
                || replace_value(snapshots, head, FORMAT, rows, &relations).await?
            {
                return Ok(());
            }
        }
        let why = "concurrent runs published relations in every attempt";
        Err(Error::Unavailable(why.into()))
    }

    /// Replaces the relations of the anime that a file has.
    fn merge(&mut self, file: &FileRelations) {
        self.pairs.retain(|(anime, _)| !file.anime.contains(anime));
        self.pairs.extend(&file.pairs);
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// Records anime that get a derived neighbor.
    fn add_derived<'a>(&mut self, anime: impl Iterator<Item = &'a AnimeId>) {
        self.derived.extend(anime);
        self.derived.sort_unstable();
        self.derived.dedup();
    }
}

/// Publishes the relations of a file, in place of the earlier ones of its anime. [`derive_story_lines`] is due then.
///
/// # Errors
/// Returns the error of the database.
pub async fn keep_relations(database: &Database, file: &FileRelations) -> Result<()> {
    PublishedRelations::change(&SnapshotStore::new(database, KIND), |relations| {
        relations.merge(file);
    })
    .await?;
    RefreshStore::of_derivation(database).announce().await?;
    Ok(())
}

/// Derives sequels and prequels from the published relations and the published season map, and writes them to the anime
/// for which no source states any. Neighbors that were derived earlier and no longer follow are removed.
///
/// Stops at `until`, in milliseconds since the Unix epoch, and returns false if it has not written everything. In that
/// case the derivation stays due, as after an error.
///
/// The caller must publish the index.
///
/// # Errors
/// Returns the error of the database. Rows that were written before it stay, and another call writes the rest.
pub async fn derive_story_lines(database: &Database, until: u64) -> Result<bool> {
    let state = RefreshStore::of_derivation(database);
    // A change after this read makes another derivation due.
    let announced = state.state().await?.announced;
    let is_complete = derive(database, until).await?;
    if is_complete {
        state.set_published(announced).await?;
    }
    Ok(is_complete)
}

async fn derive(database: &Database, until: u64) -> Result<bool> {
    let is_over = || database.clock.now_ms() >= until;
    let snapshots = SnapshotStore::new(database, KIND);
    let relations = PublishedRelations::read(&snapshots, snapshots.head().await?).await?;
    if relations.pairs.is_empty() && relations.derived.is_empty() {
        return Ok(true);
    }
    if is_over() {
        return Ok(false);
    }
    let store = CatalogueStore::<Anime>::new(database);
    let items = store.list_items().await?;
    let in_map = read_order_of_seasons(database, &items).await?;
    let find = tokio::task::spawn_blocking({
        let pairs = relations.pairs.clone();
        move || {
            let works = items
                .iter()
                .filter_map(|item| Some((item.id()?, work(item))));
            find_successions(&works.collect(), &pairs, &in_map)
        }
    });
    let mut found = find.await.map_err(Error::internal)?;
    let related: BTreeSet<AnimeId> = relations
        .pairs
        .iter()
        .flat_map(|(one, other)| [*one, *other])
        .collect();
    let related: Vec<u64> = related.into_iter().map(AnimeId::get).collect();
    let mut stated = StatedNeighbors::default();
    for ids in related.chunks(BATCHES_AT_ONCE * MAX_BATCH_READ) {
        if is_over() {
            return Ok(false);
        }
        let batches = ids.chunks(MAX_BATCH_READ);
        let batches = try_join_all(batches.map(|ids| store.get_many(ids))).await?;
        for stored in batches.iter().flat_map(HashMap::values) {
            stated.add(&stored.row);
        }
    }
    found.retain(|pair| stated.allow(*pair));

    let derived = relations.derived.iter();
    let derived = derived.map(|id| (*id, NeighborFacts::new(*id)));
    let mut neighbors: HashMap<AnimeId, NeighborFacts> = derived.collect();
    for Succession { first, next } in found {
        let of_first = neighbors.entry(first);
        of_first.or_insert(NeighborFacts::new(first)).following = Some(next);
        let of_next = neighbors.entry(next);
        of_next.or_insert(NeighborFacts::new(next)).preceding = Some(first);
    }
    // The anime are recorded first. If the run ends before all rows are written, the next one knows which rows may have
    // a derived neighbor.
    let add_derived = |relations: &mut PublishedRelations| relations.add_derived(neighbors.keys());
    PublishedRelations::change(&snapshots, add_derived).await?;
    let mut writer = Writer::new(store).announcing(RefreshStore::new::<Anime>(database));
    let mut is_complete = true;
    for facts in neighbors.into_values() {
        if is_over() {
            is_complete = false;
            break;
        }
        writer.write(facts).await?;
    }
    let (_, ended) = writer.finish().await;
    ended.map(|()| is_complete)
}

/// Returns the successive seasons of the published season map.
async fn read_order_of_seasons(
    database: &Database,
    items: &[AnimeListItem],
) -> Result<HashSet<Succession>> {
    let seasons = unloaded_seasons(database).get().await?;
    if seasons.is_empty() {
        return Ok(HashSet::new());
    }
    let tracked = items.iter().filter_map(|item| {
        Some(TrackedAnime {
            id: item.id()?,
            trackers: item.trackers(),
            database_id: item.database_id,
            episodes_count: item.episodes_count,
        })
    });
    let mapping = AnimeMapping::new(tracked, read_mapping(database).await?);
    let at_anidb = |anime: u32| {
        let mut found = mapping.find(IdSource::Anidb, anime, None);
        let first = found.next()?.id;
        // If several anime of the catalogue share the identifier, it is not known which of them it means.
        found.next().is_none().then_some(first)
    };
    let successions = seasons.successions().into_iter();
    let successions = successions.filter_map(|(first, next)| {
        Some(Succession {
            first: at_anidb(first)?,
            next: at_anidb(next)?,
        })
    });
    Ok(successions.collect())
}

fn work(item: &AnimeListItem) -> ComparedAnime {
    // `AniDB` has many short titles and abbreviations, which would make unrelated anime follow each other.
    let sources = item.synonyms.iter();
    let sources = sources.filter(|(source, _)| **source != FactSource::AniDb);
    let main = item.titles.get("rj").into_iter();
    let titles: BTreeSet<&String> = main.chain(sources.flat_map(|(_, texts)| texts)).collect();
    let titles = titles.into_iter().take(MAX_TITLES);
    ComparedAnime {
        format: item.format,
        year: item.season_year,
        season: item.season_period,
        minutes: item.episode_duration.unwrap_or_default(),
        studios: item.studios.iter().map(|name| fold(name)).collect(),
        titles: titles
            .filter_map(|title| Installment::parse(title))
            .collect(),
    }
}

/// The neighbors that sources and moderators state.
#[derive(Debug, Default)]
struct StatedNeighbors {
    /// The stated preceding anime of each anime. `None` if a moderator states that there is none.
    preceding: HashMap<AnimeId, Option<AnimeId>>,
    following: HashMap<AnimeId, Option<AnimeId>>,
    /// For each anime, the anime that state it as their preceding or following anime.
    preceded: HashMap<AnimeId, Vec<AnimeId>>,
    followed: HashMap<AnimeId, Vec<AnimeId>>,
}

impl StatedNeighbors {
    fn add(&mut self, row: &CatalogueRow<Anime>) {
        let anime = &row.document;
        let is_stated = |field: &str, value: Option<AnimeId>| {
            let is_corrected = row.notes.corrections.contains_key(field);
            let is_derived = row.notes.sources.get(field) == Some(&FactSource::Derived);
            is_corrected || (value.is_some() && !is_derived)
        };
        // The API calls the preceding anime `sequel` (docs/api.md, "Anime").
        if is_stated(PRECEDING, anime.sequel) {
            self.preceding.insert(anime.id, anime.sequel);
            if let Some(first) = anime.sequel {
                self.preceded.entry(first).or_default().push(anime.id);
            }
        }
        if is_stated(FOLLOWING, anime.prequel) {
            self.following.insert(anime.id, anime.prequel);
            if let Some(next) = anime.prequel {
                self.followed.entry(next).or_default().push(anime.id);
            }
        }
    }

    /// Returns true if no statement contradicts a succession.
    fn allow(&self, Succession { first, next }: Succession) -> bool {
        let fits = |stated: &HashMap<AnimeId, Option<AnimeId>>, anime, neighbor| {
            stated
                .get(&anime)
                .is_none_or(|known| *known == Some(neighbor))
        };
        let fits_all = |stated: &HashMap<AnimeId, Vec<AnimeId>>, anime, neighbor| {
            let known = stated.get(&anime);
            known.is_none_or(|known| known.contains(&neighbor))
        };
        let is_reversed = self.following.get(&next) == Some(&Some(first))
            || self.preceding.get(&first) == Some(&Some(next));
        !is_reversed
            && fits(&self.following, first, next)
            && fits(&self.preceding, next, first)
            && fits_all(&self.preceded, first, next)
            && fits_all(&self.followed, next, first)
    }
}

#[cfg(test)]
mod tests {
    use shared::models::{Anime, AnimeFormat, AnimeId};

    use super::{FileRelations, PublishedRelations, StatedNeighbors};
    use crate::rows::anime::FactSource;
    use crate::rows::document::CatalogueRow;
    use crate::story_lines::facts::{FOLLOWING, PRECEDING};
    use crate::story_lines::rule::Succession;

    fn id(number: u64) -> AnimeId {
        AnimeId::new(number).unwrap()
    }

    #[test]
    fn file_replaces_the_relations_of_its_own_anime() {
        let mut relations = PublishedRelations {
            pairs: vec![(id(1), id(2)), (id(2), id(1)), (id(3), id(4))],
            derived: vec![id(1)],
        };
        relations.merge(&FileRelations {
            anime: [id(2), id(5)].into(),
            pairs: vec![(id(5), id(2)), (id(2), id(3)), (id(2), id(3))],
        });
        let pairs = [
            (id(1), id(2)),
            (id(2), id(3)),
            (id(3), id(4)),
            (id(5), id(2)),
        ];
        assert_eq!(relations.pairs, pairs);
        assert_eq!(relations.derived, [id(1)]);
    }

    fn row(number: u64, preceding: Option<u64>, following: Option<u64>) -> CatalogueRow<Anime> {
        let mut anime = Anime::new(id(number), AnimeFormat::Tv);
        (anime.sequel, anime.prequel) = (preceding.map(id), following.map(id));
        anime.into()
    }

    #[test]
    fn statements_about_either_anime_count() {
        let pair = Succession {
            first: id(1),
            next: id(2),
        };
        let allows = |row: &CatalogueRow<Anime>| {
            let mut stated = StatedNeighbors::default();
            stated.add(row);
            stated.allow(pair)
        };
        for same in [
            row(1, None, Some(2)),
            row(2, Some(1), None),
            row(1, Some(9), None),
            row(2, None, Some(9)),
            row(9, None, None),
        ] {
            assert!(allows(&same), "{same:?}");
        }
        for other in [
            row(1, None, Some(9)),
            row(2, Some(9), None),
            row(1, Some(2), None),
            row(2, None, Some(1)),
            row(9, Some(1), None),
            row(9, None, Some(2)),
        ] {
            assert!(!allows(&other), "{other:?}");
            let mut derived = other.clone();
            for field in [PRECEDING, FOLLOWING] {
                let sources = &mut derived.notes.sources;
                sources.insert(field.to_owned(), FactSource::Derived);
            }
            assert!(allows(&derived), "an earlier derivation is no statement");
        }
    }
}
