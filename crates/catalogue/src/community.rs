//! The community counts: for each anime, how many users have it on their lists, and the spread of their scores
//! (docs/data-model.md, "Community counts").
//!
//! The crate `stories` counts, and publishes the counts as a snapshot. Pages read them from memory
//! ([`crate::Catalogue::community`]).

use std::collections::BTreeMap;

use dynamo::Database;
use serde::{Deserialize, Serialize};
use shared::Result;
use shared::models::{AnimeId, UserScore, WatchStatus};

use crate::snapshots::loaded_value::LoadedValue;
use crate::snapshots::snapshot_store::SnapshotStore;
use crate::snapshots::value_snapshot::{publish_value, read_value};

/// The kind of the snapshot.
const KIND: &str = "community";

/// The number of the layout of the snapshot's bytes. It must be increased with every change of [`CommunityCounts`]. A
/// function ignores a snapshot of another layout.
const FORMAT: u64 = 1;

/// The smallest number of users whose entries or scores are published. Counts of fewer would tell what a single user
/// watches, and how that user has scored it.
pub const MIN_USERS: u32 = 3;

/// The age from which the counts are made again, in seconds: 20 hours. A schedule that counts at the same time every
/// day must not skip a day because one of its runs started later than usual.
const DUE_AFTER_S: u64 = 20 * 60 * 60;

/// The number of users who have an anime on their lists, and the spread of their scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Community {
    /// The numbers of users by the status of their entry, in the order of [`WatchStatus`].
    pub by_status: [u32; 6],
    /// The numbers of scores. The first bar has the scores up to 10 of 100, the last those above 90. All are 0 if fewer
    /// than [`MIN_USERS`] users have scored the anime.
    pub scores: [u32; 10],
    /// The sum of the scores, in tenths.
    sum_tenths: u64,
}

impl Community {
    /// Returns the number of users who have the anime on their lists.
    pub fn users(&self) -> u32 {
        self.by_status.iter().sum()
    }

    /// Returns the number of users whose entry has this status.
    pub fn of_status(&self, status: WatchStatus) -> u32 {
        let position = usize::from(u8::from(status));
        self.by_status.get(position).copied().unwrap_or_default()
    }

    /// Returns the number of scores.
    pub fn score_count(&self) -> u32 {
        self.scores.iter().sum()
    }

    /// Returns the mean of the scores; `None` if fewer than [`MIN_USERS`] users have scored the anime.
    pub fn mean_score(&self) -> Option<UserScore> {
        let count = u64::from(self.score_count());
        let mean = (self.sum_tenths + count / 2).checked_div(count)?;
        UserScore::from_tenths(u16::try_from(mean).ok()?)
    }

    fn count(&mut self, status: WatchStatus, score: Option<UserScore>) {
        if let Some(number) = self.by_status.get_mut(usize::from(u8::from(status))) {
            *number += 1;
        }
        let Some(score) = score else {
            return;
        };
        // A score is from 1 to 1000 tenths.
        if let Some(number) = self.scores.get_mut(usize::from((score.tenths() - 1) / 100)) {
            *number += 1;
            self.sum_tenths += u64::from(score.tenths());
        }
    }

    /// Returns the counts that can be published; `None` if too few users have the anime.
    fn published(self) -> Option<Self> {
        if self.users() < MIN_USERS {
            return None;
        }
        let has_scores = self.score_count() >= MIN_USERS;
        Some(if has_scores {
            self
        } else {
            Self {
                by_status: self.by_status,
                ..Self::default()
            }
        })
    }
}

/// The community counts of all anime that at least [`MIN_USERS`] users have on their lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommunityCounts {
    /// The time of the count, in seconds since the Unix epoch.
    counted_at: u64,
    /// The counts, by the identifiers of the anime.
    anime: BTreeMap<u64, Community>,
}

impl CommunityCounts {
    /// Returns the counts of an anime; `None` if fewer than [`MIN_USERS`] users have it.
    pub fn get(&self, anime: AnimeId) -> Option<&Community> {
        self.anime.get(&anime.get())
    }

    /// Returns the number of users who have an anime, for sorting; 0 if fewer than [`MIN_USERS`] have it.
    pub fn popularity(&self, anime: AnimeId) -> u32 {
        self.get(anime).map_or(0, Community::users)
    }
}

/// Counts entries of lists.
#[derive(Debug, Default)]
pub struct CommunityCounter(BTreeMap<u64, Community>);

impl CommunityCounter {
    /// Counts the entry of a user, who has one entry for each anime.
    pub fn count(&mut self, anime: AnimeId, status: WatchStatus, score: Option<UserScore>) {
        let community = self.0.entry(anime.get()).or_default();
        community.count(status, score);
    }
}

/// The counts in memory. They are empty if none are published.
pub(crate) type LoadedCommunity = LoadedValue<CommunityCounts>;

/// Returns counts that are not loaded yet.
pub(crate) fn unloaded_community(database: &Database) -> LoadedCommunity {
    LoadedValue::new(database, KIND, FORMAT)
}

/// Returns true if the published counts are 20 hours old or older, or if none are published.
pub async fn is_count_due(database: &Database) -> Result<bool> {
    let snapshots = SnapshotStore::new(database, KIND);
    let head = snapshots.head().await?;
    let head = head.filter(|head| head.format == FORMAT);
    let replaced = "the community counts are being replaced";
    let published: CommunityCounts = read_value(&snapshots, head, replaced).await?;
    let age_s = database.clock.now_s().abs_diff(published.counted_at);
    Ok(age_s >= DUE_AFTER_S)
}

/// Publishes the counts of all users for all functions, and returns the number of anime in them. The first counts are
/// published only once an anime has enough users.
///
/// # Errors
/// As [`SnapshotStore::publish`].
pub async fn publish_community(database: &Database, counter: CommunityCounter) -> Result<usize> {
    let all = counter.0.into_iter();
    let published = all.filter_map(|(anime, counts)| Some((anime, counts.published()?)));
    let counts = CommunityCounts {
        counted_at: database.clock.now_s(),
        anime: published.collect(),
    };
    let snapshots = SnapshotStore::new(database, KIND);
    let rows = counts.anime.len();
    if rows > 0 || snapshots.head().await?.is_some() {
        publish_value(&snapshots, FORMAT, rows, &counts).await?;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use shared::models::{UserScore, WatchStatus};

    use super::Community;

    fn counted(tenths: &[u16]) -> Community {
        let mut community = Community::default();
        for tenths in tenths {
            let score = UserScore::from_tenths(*tenths);
            community.count(WatchStatus::Completed, score);
        }
        community
    }

    #[test]
    fn scores_are_counted_in_ten_bars() {
        let community = counted(&[1, 100, 101, 900, 901, 1000, 0]);
        assert_eq!(community.scores, [2, 1, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!((community.users(), community.score_count()), (7, 6));
        assert_eq!(community.mean_score(), UserScore::from_tenths(501));
        assert_eq!(community.of_status(WatchStatus::Completed), 7);
        assert_eq!(community.of_status(WatchStatus::Dropped), 0);
    }

    #[test]
    fn counts_of_fewer_than_three_users_are_not_published() {
        assert_eq!(counted(&[800, 900]).published(), None);
        let without_scores = counted(&[800, 900, 0]).published().unwrap();
        assert_eq!(
            (without_scores.users(), without_scores.score_count()),
            (3, 0)
        );
        assert_eq!(without_scores.mean_score(), None);
        assert_eq!(
            counted(&[800, 900, 0, 700])
                .published()
                .unwrap()
                .score_count(),
            3
        );
    }
}
