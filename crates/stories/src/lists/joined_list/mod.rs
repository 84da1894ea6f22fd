//! The lists of users as pages show them: joined with the index of the catalogue, filtered, sorted and counted
//! (docs/pages.md, "Pages of a list").
//!
//! A process keeps what it has computed from a list ([`Columns`]), and uses it only for a list with the same digest and
//! for the same index. After a change of some stories, it computes only the parts that these stories change. So a page
//! of a long list costs about as much as a page of a short one.

mod columns;
mod order;
mod row;

use std::sync::Arc;

use catalogue::index::{AnimeIndex, IndexedAnime, IndexedRow};
use shared::models::{AnimeFormat, AnimeId, Season, UserScore, WatchStatus};

use crate::lists::story_list::{ListedStory, StoryList};

pub use self::columns::SuggestionReason;
pub(crate) use self::columns::{Candidate, Columns};
pub use self::order::{ListOrder, is_awaited};

use self::order::Order;
use self::row::JoinedRow;
use crate::lists::airing::{AiringRank, may_air};
use crate::lists::episodes::is_in_progress;
use crate::lists::story_store::StoryStore;
use crate::lock::lock;

impl StoryStore {
    /// Joins a list with the anime of this index.
    pub fn join(&self, list: Arc<StoryList>, index: Arc<AnimeIndex>) -> JoinedList {
        let memory = self.lists.memory(list.user());
        let cached = lock(&memory.columns).clone();
        let cached = cached.filter(|columns| columns.is_of_index(&index));
        let columns = match cached {
            Some(columns) if columns.is_of_list(&list) => columns,
            cached => {
                let columns = Arc::new(match cached {
                    Some(columns) => columns.after_changes(&list, &index),
                    None => Columns::new(&list, &index),
                });
                *lock(&memory.columns) = Some(Arc::clone(&columns));
                columns
            }
        };
        JoinedList {
            list,
            index,
            columns,
        }
    }
}

/// The list of a user, joined with the index of the catalogue.
#[derive(Debug)]
pub struct JoinedList {
    list: Arc<StoryList>,
    index: Arc<AnimeIndex>,
    /// The results that were computed from exactly this list and this index.
    pub(crate) columns: Arc<Columns>,
}

/// A filter of entries.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntryFilter<'f> {
    /// Only entries with this status.
    pub status: Option<WatchStatus>,
    /// Only entries of anime with this genre.
    pub genre: Option<&'f str>,
    /// Only entries of anime with these identifiers, which must be sorted.
    pub anime: Option<&'f [u64]>,
    /// Only entries of anime with this format.
    pub format: Option<AnimeFormat>,
    /// Only entries of anime of this year.
    pub year: Option<u16>,
    /// Only entries of anime of this season.
    pub season: Option<Season>,
    /// Only entries with this score or a higher one.
    pub score_from: Option<UserScore>,
}

impl EntryFilter<'_> {
    /// Returns true if entries are filtered by their status at most.
    fn accepts_all(&self) -> bool {
        let has_release = self.format.is_some() || self.year.is_some() || self.season.is_some();
        let has_other = self.genre.is_some() || self.anime.is_some() || self.score_from.is_some();
        !has_release && !has_other
    }
}

/// A page of a list.
#[derive(Debug)]
pub struct EntryPage<'v> {
    /// The number of entries with each status that pass the other filters, in the order of the statuses.
    pub counts: [usize; 6],
    /// The entries of the page.
    pub entries: Vec<JoinedEntry<'v>>,
    /// The number of the page, from 1.
    pub page: usize,
    /// The number of pages, at least 1.
    pub pages: usize,
}

/// A story, and the row of its anime.
#[derive(Clone, Copy, Debug)]
pub struct JoinedEntry<'v> {
    /// The story.
    pub story: &'v ListedStory,
    /// The row. If the index has no such anime, it has only the identifier.
    pub anime: IndexedRow,
}

impl JoinedList {
    /// Returns the stories in the order of their anime.
    pub fn stories(&self) -> &[ListedStory] {
        self.list.stories()
    }

    /// Returns the list.
    pub fn list(&self) -> &StoryList {
        &self.list
    }

    /// Returns the index.
    pub fn index(&self) -> &AnimeIndex {
        &self.index
    }

    /// Returns the genres of all entries, by name.
    pub fn genres(&self) -> Vec<&str> {
        let genres = self.columns.genres();
        let mut names: Vec<&str> = genres
            .filter_map(|genre| self.index.genre_name(genre))
            .collect();
        names.sort_unstable();
        names
    }

    /// Returns the entry of a story of the list.
    fn entry(&self, position: u32) -> Option<JoinedEntry<'_>> {
        let story = self.stories().get(position as usize)?;
        let row = self.columns.rows().get(position as usize)?;
        let anime = row.anime_row.and_then(|row| self.index.anime_at(row));
        let unknown = || IndexedRow::unknown(story.anime_id.get());
        Some(JoinedEntry {
            story,
            anime: anime.map_or_else(unknown, |anime| anime.listed),
        })
    }

    /// Returns a page of the entries that pass a filter. A page after the last one becomes the last one. `titles` are
    /// the localization codes of the titles by which [`ListOrder::Title`] sorts, the preferred one first. With
    /// `is_reversed`, the order is the opposite one, but entries without the value by which it sorts stay last.
    pub fn page<'c>(
        &self,
        filter: &EntryFilter<'_>,
        (order, is_reversed): (ListOrder, bool),
        titles: impl Iterator<Item = &'c str>,
        page: usize,
        per_page: usize,
    ) -> EntryPage<'_> {
        let accepted = self.accept(filter);
        let statuses = self.columns.statuses();
        let is_accepted = |position: usize| {
            accepted
                .as_ref()
                .is_none_or(|accepted| accepted.get(position) == Some(&true))
        };
        let mut counts = [0_usize; 6];
        for (position, status) in statuses.iter().enumerate() {
            counts[usize::from(u8::from(*status))] += usize::from(is_accepted(position));
        }
        let matching = filter.status.map_or_else(
            || counts.iter().sum(),
            |status| counts[usize::from(u8::from(status))],
        );
        let pages = matching.div_ceil(per_page).max(1);
        let page = page.clamp(1, pages);
        let has_status = |position: usize| {
            filter
                .status
                .is_none_or(|status| statuses.get(position) == Some(&status))
        };
        let order = Order::new(order, titles);
        let sorted = self.order(&order);
        let known = if is_reversed {
            let sorter = self.columns.sorter(&self.list, &self.index);
            sorted.partition_point(|position| sorter.has_value(&order, *position))
        } else {
            0
        };
        // The first part is read backwards.
        let (reversed, rest) = sorted.split_at(known);
        let is_wanted = |position: usize| has_status(position) && is_accepted(position);
        let positions = reversed.iter().rev().chain(rest).copied();
        let positions = positions.filter(|position| is_wanted(*position as usize));
        let positions = positions.skip((page - 1) * per_page).take(per_page);
        let entries = positions.filter_map(|position| self.entry(position));
        EntryPage {
            counts,
            entries: entries.collect(),
            page,
            pages,
        }
    }

    /// Returns for each story whether it passes the filter, without regard to its status; `None` if all pass.
    fn accept(&self, filter: &EntryFilter<'_>) -> Option<Vec<bool>> {
        if filter.accepts_all() {
            return None;
        }
        let rows = self.columns.rows();
        let mut accepted = vec![true; rows.len()];
        if let Some(wanted) = filter.anime {
            // The rows and the wanted anime are sorted by the identifier of the anime.
            let mut wanted = wanted.iter().copied().peekable();
            for (row, accepted) in rows.iter().zip(&mut accepted) {
                let id = row.anime.get();
                while wanted.next_if(|wanted| *wanted < id).is_some() {}
                *accepted = wanted.peek() == Some(&id);
            }
        }
        if let Some(genre) = filter.genre {
            let genre = self.index.genre_number(genre);
            let has_genre = |row: &JoinedRow| {
                let genres = row.anime_row.map(|row| self.index.genres_at(row));
                let genres = genres.unwrap_or_default();
                genre.is_some_and(|genre| genres.contains(&genre))
            };
            for (row, accepted) in rows.iter().zip(&mut accepted) {
                *accepted = *accepted && has_genre(row);
            }
        }
        if filter.format.is_some() || filter.year.is_some() || filter.season.is_some() {
            for (row, accepted) in rows.iter().zip(&mut accepted) {
                *accepted = *accepted && self.has_release(row, filter);
            }
        }
        if let Some(lowest) = filter.score_from {
            for (story, accepted) in self.stories().iter().zip(&mut accepted) {
                *accepted = *accepted && story.state.details.score >= Some(lowest);
            }
        }
        Some(accepted)
    }

    /// Returns true if the anime has the format, the year and the season of a filter.
    fn has_release(&self, row: &JoinedRow, filter: &EntryFilter<'_>) -> bool {
        let Some(place) = row.anime_row else {
            return false;
        };
        let is_wanted = |anime: IndexedAnime| {
            filter.format.is_none_or(|format| format == anime.format)
                && filter.year.is_none_or(|year| Some(year) == anime.year)
        };
        let has_season = |season| self.index.season_at(place) == Some(season);
        self.index.anime_at(place).is_some_and(is_wanted) && filter.season.is_none_or(has_season)
    }

    fn order(&self, order: &Order) -> Arc<[u32]> {
        self.columns.order(&self.list, &self.index, order)
    }

    /// Returns true if an entry has this status.
    pub fn has_status(&self, status: WatchStatus) -> bool {
        self.columns.statuses().contains(&status)
    }

    /// Returns the entry about this anime.
    pub fn find(&self, anime: AnimeId) -> Option<JoinedEntry<'_>> {
        self.entry(self.columns.position(anime)?)
    }

    /// Returns the number of entries with the status CURRENT that have a next episode, and the first of them, at most
    /// `limit`. The one that was watched last comes first.
    pub fn in_progress(&self, limit: usize) -> (usize, Vec<JoinedEntry<'_>>) {
        let positions = self.columns.in_progress.get_or_init(|| {
            let order = self.order(&Order::LATEST);
            let positions = order.iter().copied();
            positions
                .filter(|position| self.has_next(*position))
                .collect()
        });
        let first = positions.iter().take(limit);
        let first = first.filter_map(|position| self.entry(*position));
        (positions.len(), first.collect())
    }

    fn has_next(&self, position: u32) -> bool {
        let position = position as usize;
        // Most entries have another status, so the index is not needed for them.
        if self.columns.statuses().get(position) != Some(&WatchStatus::Current) {
            return false;
        }
        let row = self.columns.rows().get(position);
        let anime = row.and_then(|row| self.index.anime_at(row.anime_row?));
        let story = self.stories().get(position);
        story.zip(anime).is_some_and(|(story, anime)| {
            is_in_progress(&story.state, anime.episodes_count, anime.status)
        })
    }

    /// Returns the entries of anime that the user watches or plans and that air or may begin before the end of this
    /// year, as far as the index knows. Airing anime that the user watches come first, then airing anime that the user
    /// plans, and last anime that have not begun.
    pub fn may_air(&self, latest_year: i32) -> impl Iterator<Item = JoinedEntry<'_>> {
        let ranked = self.ranked().iter();
        let ranked = ranked.filter(move |(rank, _)| rank.may_begin_by(latest_year));
        ranked.filter_map(move |(_, position)| self.entry(*position))
    }

    /// Returns the stories of planned anime that air.
    pub(crate) fn planned_and_airing(&self) -> impl Iterator<Item = &ListedStory> {
        let planned = self.ranked().iter().filter(|(rank, _)| rank.is_planned());
        planned.filter_map(move |(_, position)| self.stories().get(*position as usize))
    }

    fn ranked(&self) -> &[(AiringRank, u32)] {
        self.columns.ranked.get_or_init(|| {
            let rows = self.columns.rows().iter().zip(self.columns.statuses());
            let ranked = (0..).zip(rows).filter_map(|(position, (row, status))| {
                // Most entries are finished, so the index is not needed for them.
                if !may_air(*status) {
                    return None;
                }
                let anime = self.index.anime_at(row.anime_row?)?;
                Some((AiringRank::of(*status, anime.status, anime.year)?, position))
            });
            let mut ranked: Vec<(AiringRank, u32)> = ranked.collect();
            ranked.sort_by_key(|(rank, _)| rank.number);
            ranked
        })
    }
}
