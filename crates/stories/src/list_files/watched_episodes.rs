//! Lists that have each watched episode: their rows as entries (docs/list-files.md, "Watched episodes").

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catalogue::identify::{Evidence, MatchReason};
use catalogue::seasons::AnimeEpisode;
use interchange::{ListEntry, SkippedEntry, WatchedRow};
use shared::models::{AnimeFormat, AnimeId, StatedId, TimeZone, WatchStatus};

use super::identified::EntryFinder;
use super::watched_items::{
    ITEMS_AT_ONCE, MAX_MISSES, NO_EPISODE, NOT_CERTAIN, NOT_FOUND, NOT_SEARCHED, SkippedItems,
    WatchedProgress, status_after,
};

const CONTRADICTED: &str =
    "the title, the year or the kind is not that of the anime with this identifier";

/// The episodes of an anime that a list says were watched.
#[derive(Debug)]
pub(super) struct WatchedEntry {
    /// The anime.
    pub anime: AnimeId,
    /// The entry that the rows make together.
    pub entry: ListEntry,
    /// The identifiers of the series in the rows. Empty if only titles led to the anime.
    pub ids: BTreeSet<StatedId>,
    /// The time of the last row, in milliseconds since the Unix epoch; 0 if it is unknown.
    pub last_at: u64,
    /// True if only titles led to the anime. Then it is proposed.
    pub is_by_title: bool,
    /// True if the year or the number of episodes confirms the title in all rows.
    pub is_confirmed: bool,
}

struct AnimeRows {
    watched: WatchedProgress,
    title: Option<String>,
    ids: BTreeSet<StatedId>,
    last_at: u64,
    is_confirmed: bool,
}

/// Finds the episodes of watched rows. Returns an entry for each anime, in the order of the file, and an entry for each
/// season without a certain anime. `zone` is the time zone of days, and `now` is in milliseconds since the Unix epoch.
pub(super) async fn find_rows(
    finder: &mut EntryFinder,
    rows: &[WatchedRow],
    zone: TimeZone,
    now: u64,
) -> (Vec<WatchedEntry>, Vec<SkippedEntry>) {
    let mut skipped = SkippedItems::default();
    let mut by_anime: BTreeMap<(bool, AnimeId), AnimeRows> = BTreeMap::new();
    let mut misses: HashMap<(Option<&str>, Option<u16>), u32> = HashMap::new();
    for (number, row) in rows.iter().enumerate() {
        if number % ITEMS_AT_ONCE == 0 || finder.is_pause_due() {
            tokio::task::yield_now().await;
        }
        let title = row.title.as_deref();
        let season = match row.season {
            Some(season) if !row.is_movie => season.to_string(),
            _ => String::new(),
        };
        if !row.is_movie && row.episode.is_none() {
            skipped.add(row.position, title, &season, NO_EPISODE);
            continue;
        }
        let misses = misses.entry((title, row.season)).or_default();
        let evidence = evidence_of(row, *misses < MAX_MISSES);
        match find_row(finder, &evidence) {
            Ok((episode, status, reason)) => {
                let is_by_title = !matches!(
                    reason,
                    MatchReason::AnimeId | MatchReason::Id(_) | MatchReason::SeriesId(_)
                );
                let rows = by_anime
                    .entry((is_by_title, episode.anime))
                    .or_insert_with(|| AnimeRows {
                        watched: WatchedProgress::new(row.position),
                        title: row.title.clone(),
                        ids: BTreeSet::new(),
                        last_at: 0,
                        is_confirmed: true,
                    });
                let time = row.at_ms.filter(|time| *time <= now);
                rows.watched.add(episode.episode, status, time);
                rows.watched
                    .add_day(episode.episode, time.map(|time| zone.day_of(time)));
                rows.ids.extend(&row.ids);
                rows.is_confirmed &= reason == MatchReason::TitleAndDetails;
                rows.last_at = rows.last_at.max(time.unwrap_or_default());
            }
            Err(reason) => {
                *misses += u32::from(reason == NOT_FOUND);
                skipped.add(row.position, title, &season, reason);
            }
        }
    }
    let entries = by_anime.into_iter().map(|((is_by_title, anime), rows)| {
        let entry = rows.watched.into_entry(anime, zone);
        WatchedEntry {
            anime,
            entry: ListEntry {
                title: rows.title,
                ..entry
            },
            ids: rows.ids,
            last_at: rows.last_at,
            is_by_title,
            is_confirmed: rows.is_confirmed,
        }
    });
    let mut entries: Vec<WatchedEntry> = entries.collect();
    entries.sort_by_key(|watched| watched.entry.position);
    (entries, skipped.into_entries())
}

/// Returns the episode of a row that is certain and the status of a story after it, or the reason why no episode is
/// certain.
fn find_row(
    finder: &mut EntryFinder,
    evidence: &Evidence,
) -> Result<(AnimeEpisode, WatchStatus, MatchReason), &'static str> {
    let (identified, is_unsearched) = finder.identify(evidence);
    match identified.certain().zip(identified.certain) {
        Some((episode, reason)) => {
            let status = status_after(episode, &finder.seasons().index)?;
            Ok((episode, status, reason))
        }
        None if !identified.conflicts.is_empty() => Err(CONTRADICTED),
        None if !identified.candidates.is_empty() => Err(NOT_CERTAIN),
        None if is_unsearched => Err(NOT_SEARCHED),
        None => Err(NOT_FOUND),
    }
}

/// Returns the evidence of a row. The title is left out if several episodes of the season have led to nothing, because
/// the search for similar titles takes long.
fn evidence_of(row: &WatchedRow, has_title: bool) -> Evidence {
    Evidence {
        ids: row.ids.clone(),
        titles: row.title.iter().filter(|_| has_title).cloned().collect(),
        season: row.season.filter(|_| !row.is_movie),
        episode: row.episode.filter(|_| !row.is_movie),
        year: row.year,
        format: row.is_movie.then_some(AnimeFormat::Movie),
        ..Evidence::default()
    }
}
