//! The values that a process has computed from a list: its join with the index, its orders, and its suggestions.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use catalogue::index::{AnimeIndex, IndexedRow};
use serde::Serialize;
use shared::models::{AnimeId, WatchStatus};
use utoipa::ToSchema;

use super::order::{Order, Sorter};
use super::row::JoinedRow;
use crate::lists::airing::AiringRank;
use crate::lists::story_list::StoryList;
use crate::lock::lock;

/// The maximum number of orders that are kept: one for each `ListOrder`, and one more for titles in another language.
const MAX_ORDERS: usize = 8;

/// If more than one story in 8 has changed, sorting again is as fast as moving the changed ones.
const MOVED_SHARE: usize = 8;

/// The position of a story that the new list lacks, or has in another state.
const GONE: u32 = u32::MAX;

/// The reason for a suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuggestionReason {
    /// It follows an anime that the user has completed.
    Sequel,
    /// The user plans to watch it, and it airs.
    Airing,
    /// An anime that the user has completed recommends it.
    Recommendation,
}

/// An anime that may be suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) anime: IndexedRow,
    pub(crate) reason: SuggestionReason,
    /// The anime that the user has completed, and that led to this anime.
    pub(crate) because: Option<AnimeId>,
}

/// The suggestions of a request.
type SuggestionPage = (usize, Arc<[Candidate]>);

/// The results that were computed from a list.
#[derive(Debug)]
pub(crate) struct Columns {
    digest: i64,
    /// The index. The reference is weak, so that a list that requests no longer read does not keep the index in memory.
    index: Weak<AnimeIndex>,
    rows: Vec<JoinedRow>,
    statuses: Vec<WatchStatus>,
    /// For each genre of the index, the number of stories with it.
    genres: Vec<u32>,
    /// The sum of [`JoinedRow::taste`].
    taste: u64,
    /// The orders that were asked for, as positions of stories.
    orders: Mutex<Vec<(Order, Arc<[u32]>)>>,
    /// The stories with a next episode.
    pub(super) in_progress: OnceLock<Vec<u32>>,
    /// The stories of anime that may air, with their ranks.
    pub(super) ranked: OnceLock<Vec<(AiringRank, u32)>>,
    /// The suggestions, with the limit of the request. Lists share them if they differ only in values on which
    /// suggestions do not depend.
    suggested: Arc<Mutex<Option<SuggestionPage>>>,
}

impl Columns {
    pub fn new(list: &StoryList, index: &Arc<AnimeIndex>) -> Self {
        let mut genres = Vec::new();
        let rows = list.stories().iter().map(|story| {
            let row = JoinedRow::new(story, index.row_of(story.anime_id));
            count_genres(&mut genres, index, &row, 1);
            row
        });
        let rows = rows.collect();
        Self::of_rows(list, index, rows, genres)
    }

    fn of_rows(
        list: &StoryList,
        index: &Arc<AnimeIndex>,
        rows: Vec<JoinedRow>,
        genres: Vec<u32>,
    ) -> Self {
        let statuses = list.stories().iter().map(|story| story.state.status);
        Self {
            digest: list.digest(),
            index: Arc::downgrade(index),
            statuses: statuses.collect(),
            genres,
            taste: rows
                .iter()
                .fold(0_u64, |sum, row| sum.wrapping_add(row.taste)),
            rows,
            orders: Mutex::default(),
            in_progress: OnceLock::new(),
            ranked: OnceLock::new(),
            suggested: Arc::default(),
        }
    }

    /// Returns the columns of a later or earlier version of the list, with the same index.
    pub fn after_changes(&self, list: &StoryList, index: &Arc<AnimeIndex>) -> Self {
        let stories = list.stories();
        let mut rows: Vec<JoinedRow> = Vec::with_capacity(stories.len());
        let mut genres = self.genres.clone();
        let mut moved = vec![GONE; self.rows.len()];
        let mut changed: Vec<u32> = Vec::new();
        let mut old_rows = self.rows.iter().zip(&mut moved).peekable();
        for (position, story) in (0..).zip(stories) {
            while let Some((gone, _)) = old_rows.next_if(|(row, _)| row.anime < story.anime_id) {
                count_genres(&mut genres, index, gone, -1);
            }
            let row = match old_rows.next_if(|(row, _)| row.anime == story.anime_id) {
                Some((row, moved)) if row.change_number == story.change_number => {
                    *moved = position;
                    *row
                }
                Some((row, _)) => {
                    changed.push(position);
                    JoinedRow::new(story, row.anime_row)
                }
                None => {
                    changed.push(position);
                    let row = JoinedRow::new(story, index.row_of(story.anime_id));
                    count_genres(&mut genres, index, &row, 1);
                    row
                }
            };
            rows.push(row);
        }
        for (gone, _) in old_rows {
            count_genres(&mut genres, index, gone, -1);
        }
        let mut columns = Self::of_rows(list, index, rows, genres);
        if changed.len() <= stories.len() / MOVED_SHARE {
            let sorter = columns.sorter(list, index);
            let orders = lock(&self.orders).clone();
            let orders = orders.into_iter().map(|(order, sorted)| {
                let remaining = sorted.iter().filter_map(|before| {
                    let after = *moved.get(*before as usize)?;
                    (after != GONE).then_some(after)
                });
                let remaining: Vec<u32> = remaining.collect();
                let sorted: Arc<[u32]> = sorter.merge(&order, &remaining, changed.clone()).into();
                (order, sorted)
            });
            columns.orders = Mutex::new(orders.collect());
        }
        if columns.taste == self.taste {
            columns.suggested = Arc::clone(&self.suggested);
        }
        columns
    }

    pub fn is_of_list(&self, list: &StoryList) -> bool {
        self.digest == list.digest() && self.rows.len() == list.stories().len()
    }

    pub fn is_of_index(&self, index: &Arc<AnimeIndex>) -> bool {
        // The weak reference keeps the address from being used for another index.
        std::ptr::eq(self.index.as_ptr(), Arc::as_ptr(index))
    }

    pub(super) fn rows(&self) -> &[JoinedRow] {
        &self.rows
    }

    pub fn statuses(&self) -> &[WatchStatus] {
        &self.statuses
    }

    /// Returns the position of the story about this anime.
    pub fn position(&self, anime: AnimeId) -> Option<u32> {
        let position = self.rows.binary_search_by_key(&anime, |row| row.anime);
        u32::try_from(position.ok()?).ok()
    }

    /// Returns the numbers of the genres that the anime of the list have.
    pub fn genres(&self) -> impl Iterator<Item = u16> {
        let counted = (0..=u16::MAX).zip(&self.genres);
        counted
            .filter(|(_, count)| **count > 0)
            .map(|(genre, _)| genre)
    }

    pub(super) fn sorter<'j>(&'j self, list: &'j StoryList, index: &'j AnimeIndex) -> Sorter<'j> {
        Sorter {
            stories: list.stories(),
            rows: &self.rows,
            index,
        }
    }

    /// Returns the positions of the stories in this order. The list and the index are those of the columns.
    pub(super) fn order(&self, list: &StoryList, index: &AnimeIndex, order: &Order) -> Arc<[u32]> {
        let find = |orders: &[(Order, Arc<[u32]>)]| {
            let entry = orders.iter().find(|(other, _)| other == order);
            entry.map(|(_, sorted)| Arc::clone(sorted))
        };
        if let Some(sorted) = find(&lock(&self.orders)) {
            return sorted;
        }
        // Other requests need not wait while this one sorts.
        let sorted: Arc<[u32]> = self.sorter(list, index).sort(order).into();
        let mut orders = lock(&self.orders);
        if find(&orders).is_none() {
            if orders.len() == MAX_ORDERS {
                orders.remove(0);
            }
            orders.push((order.clone(), Arc::clone(&sorted)));
        }
        sorted
    }

    /// Returns the remembered suggestions, if they are those that a request for `limit` would find.
    pub fn suggested(&self, limit: usize) -> Option<Arc<[Candidate]>> {
        let suggested = lock(&self.suggested).clone();
        let (_, candidates) = suggested.filter(|(number, _)| *number >= limit)?;
        Some(candidates)
    }

    /// Remembers the suggestions that a request for `limit` has found. They must depend only on the stories and the
    /// index.
    pub fn remember_suggested(&self, limit: usize, found: Arc<[Candidate]>) {
        *lock(&self.suggested) = Some((limit, found));
    }
}

/// Counts the genres of a story that is added (1) or removed (-1).
fn count_genres(counts: &mut Vec<u32>, index: &AnimeIndex, row: &JoinedRow, difference: i32) {
    let genres = row.anime_row.map(|row| index.genres_at(row));
    for genre in genres.unwrap_or_default() {
        let genre = usize::from(*genre);
        if counts.len() <= genre {
            counts.resize(genre + 1, 0);
        }
        counts[genre] = counts[genre].saturating_add_signed(difference);
    }
}
