//! Lists of stories in the memory of a process (docs/data-model.md, "List versions").
//!
//! A list is used only if its digest is the one that the user's row states at the time of the request, so no process
//! shows an old list, whatever other processes have written and whatever a read has missed. If the digests differ, the
//! process reads the stories that the row names as changed, then the index `Listed`, and at last the table.

mod cache;
mod digest;
mod listed;
mod load;
mod write;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use shared::models::{AnimeId, ListVersion, UserId};

pub use self::cache::StoryLists;
pub use self::listed::ListedStory;
pub(crate) use self::listed::{ListRow, pack};
pub(crate) use self::write::{ListWrite, StoryAction};

use self::digest::fingerprint;
use crate::stories::StoryPage;

/// The parts of a list that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Stories,
    /// Also the sync states, which change without a change of the story, so that the digest does not tell.
    SyncStates,
}

/// The stories of a user, without their histories.
#[derive(Clone, Debug)]
pub struct StoryList {
    user: UserId,
    stories: Vec<ListedStory>,
    deleted: BTreeMap<AnimeId, u64>,
    digest: i64,
    sync_runs: Option<u64>,
}

impl StoryList {
    pub(crate) fn new(
        user: UserId,
        rows: impl IntoIterator<Item = ListRow>,
        sync_runs: Option<u64>,
    ) -> Self {
        let (mut stories, mut deleted) = (Vec::new(), BTreeMap::new());
        for row in rows {
            match row {
                ListRow::Story(story) => stories.push(story),
                ListRow::Deleted(anime, number) => {
                    deleted.insert(anime, number);
                }
                ListRow::Unreadable(_) => {}
            }
        }
        stories.sort_unstable_by_key(|story| story.anime_id);
        let fingerprints = stories
            .iter()
            .map(|story| fingerprint(story.anime_id, story.change_number));
        Self {
            user,
            digest: fingerprints.sum(),
            stories,
            deleted,
            sync_runs,
        }
    }

    /// Returns the owner.
    #[must_use]
    pub fn user(&self) -> UserId {
        self.user
    }

    /// Returns the stories in the order of their anime.
    #[must_use]
    pub fn stories(&self) -> &[ListedStory] {
        &self.stories
    }

    /// Returns the anime of deleted stories, with the numbers of the deletions. They are forgotten after 91 days or
    /// later.
    pub fn deleted(&self) -> impl Iterator<Item = (AnimeId, u64)> {
        self.deleted.iter().map(|(anime, number)| (*anime, *number))
    }

    /// Returns the story about this anime.
    #[must_use]
    pub fn find(&self, anime: AnimeId) -> Option<&ListedStory> {
        self.stories.get(self.position(anime).ok()?)
    }

    fn position(&self, anime: AnimeId) -> Result<usize, usize> {
        self.stories
            .binary_search_by_key(&anime, |story| story.anime_id)
    }

    /// Returns true if the stories are those at this version.
    #[must_use]
    pub fn has_digest_of(&self, version: &ListVersion) -> bool {
        version.digest() == Some(self.digest)
    }

    /// Returns true if the list can be used at this version.
    fn is_usable(&self, version: &ListVersion, needs: Needs) -> bool {
        self.has_digest_of(version) && self.has_needed(version, needs)
    }

    /// Returns true if the list has the needed sync states, so that it only has to be compared with the digest.
    fn has_needed(&self, version: &ListVersion, needs: Needs) -> bool {
        needs == Needs::Stories || self.has_sync_states_of(version)
    }

    /// Returns a page of the stories that pass a filter, newest first, beginning after the position `after`.
    pub(crate) fn page(
        &self,
        is_wanted: impl Fn(&ListedStory) -> bool,
        after: Option<u128>,
        per_page: usize,
    ) -> StoryPage {
        let stories = self.stories.iter().map(|story| (story.order(), story));
        let wanted = stories
            .filter(|(order, story)| after.is_none_or(|after| *order < after) && is_wanted(story));
        let mut wanted: Vec<(u128, &ListedStory)> = wanted.collect();
        wanted.sort_unstable_by_key(|(order, _)| Reverse(*order));
        let has_more = wanted.len() > per_page;
        wanted.truncate(per_page);
        let last = wanted.last().filter(|_| has_more);
        StoryPage {
            next: last.map(|(order, _)| *order),
            stories: wanted.into_iter().map(|(_, story)| story.clone()).collect(),
        }
    }

    /// Returns true if the sync states are those at this version. While a run may be writing them, no list has them.
    fn has_sync_states_of(&self, version: &ListVersion) -> bool {
        version
            .sync_runs()
            .is_some_and(|runs| self.sync_runs == Some(runs))
    }

    /// Returns the anime of the stories that the user's row names as changed, and whose change this list does not have.
    fn missing(&self, version: &ListVersion) -> Vec<AnimeId> {
        let is_missing = |anime: AnimeId, number: u64| {
            let known = match self.find(anime) {
                Some(story) => Some(story.change_number),
                None => self.deleted.get(&anime).copied(),
            };
            known.is_none_or(|known| known < number)
        };
        let changes = version.recent_changes.iter();
        let missing = changes.filter(|change| is_missing(change.anime, change.number));
        missing.map(|change| change.anime).collect()
    }

    /// Replaces a row by a later one. An earlier one changes nothing.
    fn apply(&mut self, row: ListRow) {
        let (anime, number) = match &row {
            ListRow::Story(story) => (story.anime_id, story.change_number),
            ListRow::Deleted(anime, number) => (*anime, *number),
            ListRow::Unreadable(_) => return,
        };
        let position = self.position(anime);
        let known = match position {
            Ok(position) => self.stories.get(position).map(|story| story.change_number),
            Err(_) => self.deleted.get(&anime).copied(),
        };
        if known.is_some_and(|known| known > number) {
            return;
        }
        if let Ok(position) = position {
            let before = self.stories.remove(position);
            self.digest -= fingerprint(anime, before.change_number);
        }
        self.deleted.remove(&anime);
        match row {
            ListRow::Story(story) => {
                self.digest += fingerprint(anime, number);
                let (Ok(position) | Err(position)) = position;
                self.stories.insert(position, story);
            }
            ListRow::Deleted(..) => {
                self.deleted.insert(anime, number);
            }
            ListRow::Unreadable(_) => {}
        }
    }
}
