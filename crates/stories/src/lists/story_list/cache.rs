//! The lists in the memory of a process.

use std::any::Any;
use std::cmp::Reverse;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard};

use dynamo::{Item, read};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use shared::Result;
use shared::models::{ListVersion, MAX_RECENT_CHANGES, RecentChange, UserId};
use tokio::sync::Mutex;

use super::list::StoryList;
use super::listed::ListRow;
use crate::lists::joined_list::Columns;
use crate::lists::story_feed::SETTLED_MS;
use crate::lock::lock;

/// The maximum number of stories in the lists of a process. Each takes 200 bytes, up to 60 bytes in [`Columns`] and up
/// to 40 bytes in the statistics, so all of them take 60 MB. Notes count as further stories ([`StoryList::weight`]).
const MAX_STORIES: u64 = 200_000;

/// The estimated number of users. With 64 or more, `quick_cache` would divide the cache into shards, and no list could
/// be larger than one of them.
const USERS: usize = 32;

/// The weight of a user without a list, in stories.
const USER_WEIGHT: u64 = 2;

/// The weight of the genres, suggestions and statistics of a list, in stories.
const LIST_WEIGHT: u64 = 35;

/// The lists of a process, and what was computed from them. A clone shares them.
#[derive(Clone)]
pub struct StoryLists(Arc<Cache<UserId, WeighedList, ListWeigher>>);

impl Default for StoryLists {
    fn default() -> Self {
        Self(Arc::new(Cache::with_weighter(
            USERS,
            MAX_STORIES,
            ListWeigher,
        )))
    }
}

impl fmt::Debug for StoryLists {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "StoryLists({} users)", self.0.len())
    }
}

/// The memory of a user's list, with the weight of the list. The weight of a value in the cache must not change, so a
/// list whose weight has changed is inserted again.
#[derive(Clone)]
struct WeighedList {
    memory: Arc<ListMemory>,
    list: u64,
}

#[derive(Clone, Debug)]
struct ListWeigher;

impl Weighter<UserId, WeighedList> for ListWeigher {
    fn weight(&self, _: &UserId, weighed: &WeighedList) -> u64 {
        USER_WEIGHT + weighed.list
    }
}

/// The knowledge of a process about a user's list.
#[derive(Default)]
pub(crate) struct ListMemory {
    /// The list. One request at a time brings it up to date.
    pub list: Mutex<Option<Arc<StoryList>>>,
    known_changes: SyncMutex<KnownChanges>,
    /// The values that pages need from the list.
    pub columns: SyncMutex<Option<Arc<Columns>>>,
    /// The statistics of the list. Their type belongs to the module [`crate::statistics`], which is above this one.
    pub statistics: SyncMutex<Option<Arc<dyn Any + Send + Sync>>>,
}

/// The changes in the user's row, as a process knows them. They can be out of date.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownChanges {
    /// The latest changes, latest first.
    pub recent: Vec<RecentChange>,
    /// True if the row has no valid digest.
    pub lacks_digest: bool,
    /// The number of the last change, and the time at which this process first saw it, in milliseconds since the Unix
    /// epoch.
    seen: Option<(u64, u64)>,
}

impl KnownChanges {
    /// Returns true if this process first saw this number as that of the last change at least [`SETTLED_MS`] ago.
    pub fn is_settled(&self, last_change_number: u64, now: u64) -> bool {
        self.seen.is_some_and(|(number, since)| {
            number == last_change_number && now >= since.saturating_add(SETTLED_MS)
        })
    }

    /// Returns the number of the last change that this process knows of.
    pub fn last_number(&self) -> u64 {
        self.recent.first().map_or(0, |change| change.number)
    }
}

impl ListMemory {
    pub fn known_changes(&self) -> MutexGuard<'_, KnownChanges> {
        lock(&self.known_changes)
    }

    /// Remembers the version that was read from the user's row at `now` (milliseconds since the Unix epoch). Its
    /// changes are kept unless later ones are known.
    pub fn remember(&self, version: &ListVersion, now: u64) {
        let mut known_changes = self.known_changes();
        let number = version.last_change_number;
        // A clock that went back starts the time again.
        let is_known = known_changes
            .seen
            .is_some_and(|(seen, at)| seen == number && at <= now);
        if !is_known {
            known_changes.seen = Some((number, now));
        }
        if known_changes.last_number() <= number {
            known_changes.recent.clone_from(&version.recent_changes);
            known_changes.lacks_digest = version.digest().is_none();
        }
    }

    /// Remembers the version in the user's row, which was read at `now`, and returns it.
    pub fn remember_row(&self, row: &Item, now: u64) -> Result<ListVersion> {
        let version: ListVersion = read(row.clone())?;
        self.remember(&version, now);
        Ok(version)
    }

    /// Remembers changes that this process has written.
    pub fn add(&self, changes: &[RecentChange]) {
        let mut known_changes = self.known_changes();
        known_changes.recent = with_earlier(changes, &known_changes.recent);
    }
}

/// Returns the latest changes, latest first, given new and earlier ones. If a story has several changes, only the last
/// one counts.
pub(super) fn with_earlier(
    changes: &[RecentChange],
    earlier: &[RecentChange],
) -> Vec<RecentChange> {
    let mut all: Vec<&RecentChange> = changes.iter().chain(earlier).collect();
    all.sort_unstable_by_key(|change| Reverse(change.number));
    let mut latest: Vec<RecentChange> = Vec::with_capacity(MAX_RECENT_CHANGES);
    for change in all {
        if latest.len() == MAX_RECENT_CHANGES {
            break;
        }
        if latest.iter().all(|later| later.anime != change.anime) {
            latest.push(*change);
        }
    }
    latest
}

impl StoryLists {
    /// Returns the memory of a user's list.
    pub(crate) fn memory(&self, user: UserId) -> Arc<ListMemory> {
        let new = || -> Result<WeighedList, Infallible> {
            Ok(WeighedList {
                memory: Arc::default(),
                list: 0,
            })
        };
        let Ok(weighed) = self.0.get_or_insert_with(&user, new);
        weighed.memory
    }

    /// Returns true if this process has asked about the user before, or has seen the user's list or changes.
    pub(crate) fn knows(&self, user: UserId) -> bool {
        let is_known = self.0.peek(&user).is_some();
        if !is_known {
            self.memory(user);
        }
        is_known
    }

    /// Returns the memory of a user's list, if there is one.
    pub(super) fn known_memory(&self, user: UserId) -> Option<Arc<ListMemory>> {
        self.0.get(&user).map(|weighed| weighed.memory)
    }

    /// Counts the weight of the list in the user's memory. If another memory has replaced this one meanwhile, the
    /// other stays, because it knows of later changes.
    pub(super) fn count(&self, user: UserId, memory: &Arc<ListMemory>, list: &StoryList) {
        let list = LIST_WEIGHT + list.weight();
        let is_new = |other: WeighedList| Arc::ptr_eq(&other.memory, memory) && other.list != list;
        if self.0.get(&user).is_none_or(is_new) {
            let memory = Arc::clone(memory);
            self.0.insert(user, WeighedList { memory, list });
        }
    }

    /// Applies changes that this process has written to the list of their user. If another request is bringing the list
    /// up to date, that request notices the changes by the digest.
    pub(super) fn apply(&self, user: UserId, rows: Vec<ListRow>) {
        let Some(memory) = self.known_memory(user) else {
            return;
        };
        let Ok(mut held) = memory.list.try_lock() else {
            return;
        };
        if let Some(list) = held.as_mut() {
            let list = Arc::make_mut(list);
            for row in rows {
                list.apply(row);
            }
            self.count(user, &memory, list);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shared::models::WatchStatus;

    use super::{LIST_WEIGHT, StoryLists, USER_WEIGHT};
    use crate::examples::{state, story, user};
    use crate::lists::story_list::list::StoryList;
    use crate::lists::story_list::listed::ListRow;
    use crate::lists::user_story::Story;

    fn saved(anime: u64) -> ListRow {
        ListRow::from(&Story {
            change_number: anime,
            ..story(anime, state(WatchStatus::Planning, 0), 1)
        })
    }

    #[test]
    fn stories_that_this_process_writes_count() {
        let (lists, user) = (StoryLists::default(), user());
        let memory = lists.memory(user);
        let empty = StoryList::new(user, [], None);
        *memory.list.try_lock().unwrap() = Some(Arc::new(empty));
        assert_eq!(lists.0.weight(), USER_WEIGHT);
        lists.apply(user, (1..=3).map(saved).collect());
        assert_eq!(lists.0.weight(), USER_WEIGHT + LIST_WEIGHT + 3);
    }
}
