//! The orders of a list.

use std::cmp::Reverse;

use catalogue::index::AnimeIndex;
use shared::models::{AnimeId, AnimeStatus, PartialDate, WatchStatus};
use shared::value_names;

use super::row::JoinedRow;
use crate::lists::story_list::ListedStory;

/// The order of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// The latest change first.
    #[default]
    Changed,
    /// By title.
    Title,
    /// The highest score first, then the entries without a score.
    Score,
    /// The largest share of watched episodes first, then the entries of anime whose number of episodes is unknown.
    Progress,
    /// The latest start first, then the entries without a date.
    Started,
    /// The latest end first, then the entries without a date.
    Finished,
    /// The anime that the user watches or plans and that air, then the other entries.
    Airing,
}

// The names are values in queries.
value_names! {
    pub ListOrder {
        Changed = "changed",
        Title = "title",
        Score = "score",
        Progress = "progress",
        Started = "started",
        Finished = "finished",
        Airing = "airing",
    }
}

/// Returns true if the user watches or plans an anime that airs.
pub fn is_awaited(status: WatchStatus, anime: AnimeStatus) -> bool {
    let is_followed = matches!(status, WatchStatus::Current | WatchStatus::Planning);
    is_followed && anime == AnimeStatus::Releasing
}

/// An order, with the values on which it depends besides the list and the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    by: ListOrder,
    /// The localization codes of the titles, the preferred one first. Empty unless the order is by title.
    titles: Vec<String>,
}

impl Order {
    /// The latest change first.
    pub const LATEST: Self = Self {
        by: ListOrder::Changed,
        titles: Vec::new(),
    };

    /// Returns an order. `titles` are the localization codes of the titles by which [`ListOrder::Title`] sorts.
    pub fn new<'c>(by: ListOrder, titles: impl Iterator<Item = &'c str>) -> Self {
        let titles = match by {
            ListOrder::Title => titles.map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        Self { by, titles }
    }
}

/// The stories of a list with the rows of their anime.
#[derive(Clone, Copy)]
pub(super) struct Sorter<'j> {
    pub stories: &'j [ListedStory],
    pub rows: &'j [JoinedRow],
    pub index: &'j AnimeIndex,
}

/// A numeric key. Among entries with the same value, the latest change comes first.
type NumberKey = (Reverse<u64>, Reverse<u64>, AnimeId);

impl<'j> Sorter<'j> {
    /// Returns the positions of the stories in this order.
    pub fn sort(&self, order: &Order) -> Vec<u32> {
        let all = 0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        self.merge(order, &[], all.collect())
    }

    /// Adds the positions `added` to those of `sorted`, which are in this order.
    pub fn merge(&self, order: &Order, sorted: &[u32], added: Vec<u32>) -> Vec<u32> {
        match order.by {
            ListOrder::Title => merge_by_key(sorted, added, |row| self.title_key(order, row)),
            by => merge_by_key(sorted, added, |row| self.number_key(by, row)),
        }
    }

    /// Returns true if a story has the value by which the order sorts. In each order, the other stories are last.
    pub fn has_value(&self, order: &Order, position: u32) -> bool {
        match order.by {
            ListOrder::Title => !self.title_key(order, position).0,
            ListOrder::Changed | ListOrder::Airing => true,
            by => self
                .number_key(by, position)
                .is_some_and(|(Reverse(value), ..)| value > 0),
        }
    }

    /// Returns the key by title. Entries without a title are last.
    fn title_key(&self, order: &Order, position: u32) -> (bool, Option<&'j str>, Option<AnimeId>) {
        let row = self.rows.get(position as usize);
        let title = row.and_then(|row| {
            let titles = order.titles.iter().map(String::as_str);
            self.index.folded_title_at(row.anime_row?, titles)
        });
        (title.is_none(), title, row.map(|row| row.anime))
    }

    fn number_key(&self, by: ListOrder, position: u32) -> Option<NumberKey> {
        let story = self.stories.get(position as usize)?;
        let row = self.rows.get(position as usize)?;
        let details = &story.state.details;
        // A value that is unknown is 0, and comes last.
        let value = match by {
            ListOrder::Changed | ListOrder::Title => 0,
            ListOrder::Score => details.score.map_or(0, |score| above_none(score.tenths())),
            ListOrder::Progress => self.progress(story, row).map_or(0, above_none),
            ListOrder::Started => date_key(details.started_on),
            ListOrder::Finished => date_key(details.finished_on),
            ListOrder::Airing => {
                let anime = row.anime_row.and_then(|row| self.index.anime_at(row));
                let status = story.state.status;
                u64::from(anime.is_some_and(|anime| is_awaited(status, anime.status)))
            }
        };
        Some((Reverse(value), Reverse(story.changed_at), row.anime))
    }

    /// Returns the watched share of the episodes, from 0 to 10,000; `None` if the number of episodes is unknown.
    fn progress(&self, story: &ListedStory, row: &JoinedRow) -> Option<u64> {
        let all = u64::from(self.index.anime_at(row.anime_row?)?.episodes_count);
        let watched = u64::from(story.state.progress()).min(all);
        (watched * 10_000).checked_div(all)
    }
}

fn above_none(value: impl Into<u64>) -> u64 {
    value.into() + 1
}

fn date_key(date: Option<PartialDate>) -> u64 {
    date.map_or(0, |date| date.to_number().into())
}

fn merge_by_key<K: Ord>(sorted: &[u32], added: Vec<u32>, key: impl Fn(u32) -> K) -> Vec<u32> {
    let added = added.into_iter();
    let mut added: Vec<(K, u32)> = added.map(|position| (key(position), position)).collect();
    added.sort_unstable();
    let mut merged = Vec::with_capacity(sorted.len() + added.len());
    let mut rest = sorted;
    for (key_of_added, position) in added {
        let before;
        (before, rest) = rest.split_at(rest.partition_point(|row| key(*row) < key_of_added));
        merged.extend_from_slice(before);
        merged.push(position);
    }
    merged.extend_from_slice(rest);
    merged
}

#[cfg(test)]
mod tests {
    use shared::random::Random;

    use super::merge_by_key;

    #[test]
    fn added_positions_take_their_places() {
        let random = Random::seeded(48);
        for count in 0..200_u32 {
            let keys: Vec<u64> = (0..count).map(|_| random.below(20)).collect();
            let key = |position: u32| (keys[position as usize], position);
            let (added, others): (Vec<u32>, Vec<u32>) =
                (0..count).partition(|_| random.below(3) == 0);
            let sorted = merge_by_key(&[], others, key);
            let all = merge_by_key(&[], (0..count).collect(), key);
            assert!(all.is_sorted_by_key(|position| key(*position)));
            assert_eq!(merge_by_key(&sorted, added, key), all);
        }
    }
}
