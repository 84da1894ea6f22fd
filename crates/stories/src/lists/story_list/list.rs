//! The list of a user's stories in memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use dynamo::ListPage;
use shared::models::{AnimeId, ListVersion, UserId};

use super::digest::{deletion_fingerprint, fingerprint};
use super::listed::{ListRow, ListedStory};

/// The maximum number of deletions that are kept although their tombstones were replaced. Only a program that
/// constantly deletes and creates stories exceeds it.
const MAX_REPLACED: usize = 1000;

/// The memory that a story without notes takes, in bytes.
pub(super) const STORY_BYTES: usize = 200;

/// The part of a list that a request needs besides the stories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NeededPart {
    Stories,
    Deletions,
    /// The sync states. All rows of the user are read for them during a run, and once after it.
    SyncStates,
}

/// The stories of a user, without their histories.
#[derive(Clone, Debug)]
pub struct StoryList {
    user: UserId,
    stories: Vec<ListedStory>,
    /// The tombstones, with the numbers of the deletions.
    deleted: BTreeMap<AnimeId, u64>,
    /// The deletions whose tombstones were replaced by later rows.
    replaced_deletions: Vec<(AnimeId, u64)>,
    digest: i64,
    /// The number of ended runs whose sync states the stories have; `None` if it is not known.
    sync_runs: Option<u64>,
    /// The list has all deletions up to this number: it was read when the digest no longer counted them.
    deletions_since: u64,
}

/// A page of a user's stories, newest first. The positions are those of [`ListedStory::order`].
pub type StoryPage = ListPage<ListedStory, u128>;

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
            replaced_deletions: Vec::new(),
            sync_runs,
            deletions_since: 0,
        }
    }

    /// Records that the list was read when the user's row stated this number ([`ListVersion::deletions`]).
    pub(super) fn with_deletions_since(self, deletions_since: u64) -> Self {
        Self {
            deletions_since,
            ..self
        }
    }

    /// Returns the digest of the stories: lists with the same digest have the same stories.
    pub fn digest(&self) -> i64 {
        self.digest
    }

    /// Returns the memory that the list takes, in [`STORY_BYTES`].
    pub(super) fn weight(&self) -> u64 {
        let notes = self.stories.iter();
        let notes = notes.map(|story| story.state.details.notes.as_str().len());
        let notes: usize = notes.sum();
        (self.stories.len() + notes / STORY_BYTES) as u64
    }

    /// Returns the owner.
    pub fn user(&self) -> UserId {
        self.user
    }

    /// Returns the stories in the order of their anime.
    pub fn stories(&self) -> &[ListedStory] {
        &self.stories
    }

    /// Returns the anime of deleted stories, with the numbers of the deletions. They are forgotten after at least 91
    /// days.
    pub fn deleted(&self) -> impl Iterator<Item = (AnimeId, u64)> {
        self.deleted.iter().map(|(anime, number)| (*anime, *number))
    }

    /// Returns the story about this anime.
    pub fn find(&self, anime: AnimeId) -> Option<&ListedStory> {
        self.stories.get(self.position(anime).ok()?)
    }

    fn position(&self, anime: AnimeId) -> Result<usize, usize> {
        self.stories
            .binary_search_by_key(&anime, |story| story.anime_id)
    }

    /// Returns true if the stories are those at this version.
    pub fn has_digest_of(&self, version: &ListVersion) -> bool {
        version.digest() == Some(self.digest)
    }

    /// Returns true if the list has every deletion up to this version. If the digest counts fewer deletions than when
    /// the list was read, a deletion that it no longer counts can be missing.
    pub fn has_deletions_of(&self, version: &ListVersion) -> bool {
        version.deletions().is_some_and(|(digest, since)| {
            since <= self.deletions_since && self.deletion_digest(since) == digest
        })
    }

    /// Returns the digest of the deletions with a number above `since`.
    pub(super) fn deletion_digest(&self, since: u64) -> i64 {
        let replaced = self.replaced_deletions.iter().copied();
        let all = self.deleted().chain(replaced);
        let counted = all.filter(|(_, number)| *number > since);
        counted
            .map(|(anime, number)| deletion_fingerprint(anime, number))
            .sum()
    }

    /// Returns true if the sync states are those at this version. While a run may be writing them, no list has them.
    pub fn has_sync_states_of(&self, version: &ListVersion) -> bool {
        version
            .sync_runs()
            .is_some_and(|runs| self.sync_runs == Some(runs))
    }

    /// Returns true if the list can be used at this version.
    pub(super) fn is_usable(&self, version: &ListVersion, needs: NeededPart) -> bool {
        self.has_digest_of(version)
            && match needs {
                NeededPart::Stories => true,
                NeededPart::Deletions => self.has_deletions_of(version),
                NeededPart::SyncStates => self.has_sync_states_of(version),
            }
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
            rows: wanted.into_iter().map(|(_, story)| story.clone()).collect(),
        }
    }

    /// Returns the anime of the stories that the user's row names as changed, and whose change this list does not have.
    pub(super) fn missing(&self, version: &ListVersion) -> Vec<AnimeId> {
        let is_missing = |anime: AnimeId, number: u64| {
            let own_number = match self.find(anime) {
                Some(story) => Some(story.change_number),
                None => self.deleted.get(&anime).copied(),
            };
            own_number.is_none_or(|own| own < number)
        };
        let changes = version.recent_changes.iter();
        let missing = changes.filter(|change| is_missing(change.anime, change.number));
        missing.map(|change| change.anime).collect()
    }

    /// Adds the later rows and the sync states of `known`, the list in memory, to this list, which was just read from
    /// the index.
    pub(super) fn add_known(&mut self, known: &Self) {
        self.sync_runs = known.sync_runs;
        for story in known.stories() {
            let position = self.position(story.anime_id);
            let own = position.ok().and_then(|index| self.stories.get_mut(index));
            match own {
                Some(own) if own.change_number == story.change_number => {
                    own.synced = story.synced;
                }
                _ => self.apply(ListRow::Story(story.clone())),
            }
        }
        for (anime, number) in known.deleted() {
            self.apply(ListRow::Deleted(anime, number));
        }
        let replaced = known.replaced_deletions.iter();
        let is_new = |deletion: &&(AnimeId, u64)| !self.replaced_deletions.contains(deletion);
        let replaced: Vec<_> = replaced.filter(is_new).copied().collect();
        self.replaced_deletions.extend(replaced);
    }

    /// Replaces a row by a later one. An earlier row or the same row changes nothing: its sync states can be older than
    /// those of the list.
    pub(super) fn apply(&mut self, row: ListRow) {
        let (anime, number) = match &row {
            ListRow::Story(story) => (story.anime_id, story.change_number),
            ListRow::Deleted(anime, number) => (*anime, *number),
            ListRow::Unreadable(_) => return,
        };
        let position = self.position(anime);
        let own_number = match position {
            Ok(position) => self.stories.get(position).map(|story| story.change_number),
            Err(_) => self.deleted.get(&anime).copied(),
        };
        if own_number.is_some_and(|own| own >= number) {
            return;
        }
        if let Some(deletion) = self.deleted.remove(&anime) {
            if self.replaced_deletions.len() >= MAX_REPLACED {
                // The digest of the deletions then shows that some are missing, so the next request of the feed reads
                // the list again.
                self.replaced_deletions.clear();
            }
            self.replaced_deletions.push((anime, deletion));
        }
        let fingerprint_of = |story: &ListedStory| fingerprint(anime, story.change_number);
        match (row, position) {
            (ListRow::Story(story), Ok(position)) => {
                if let Some(place) = self.stories.get_mut(position) {
                    self.digest += fingerprint_of(&story) - fingerprint_of(place);
                    *place = story;
                }
            }
            (ListRow::Story(story), Err(position)) => {
                self.digest += fingerprint_of(&story);
                self.stories.insert(position, story);
            }
            (ListRow::Deleted(..), position) => {
                if let Ok(position) = position {
                    let before = self.stories.remove(position);
                    self.digest -= fingerprint_of(&before);
                }
                self.deleted.insert(anime, number);
            }
            (ListRow::Unreadable(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use dynamo::{read, signed_number};
    use shared::models::{ListVersion, Notes, WatchStatus};

    use super::StoryList;
    use crate::examples::{anime, state, story, user};
    use crate::lists::story_list::listed::ListRow;
    use crate::lists::user_story::Story;

    fn saved(anime: u64, change_number: u64) -> ListRow {
        ListRow::from(&Story {
            change_number,
            ..story(anime, state(WatchStatus::Planning, 0), 1)
        })
    }

    fn deleted(id: u64, change_number: u64) -> ListRow {
        ListRow::Deleted(anime(id), change_number)
    }

    fn list(rows: Vec<ListRow>) -> StoryList {
        StoryList::new(user(), rows, None).with_deletions_since(5)
    }

    /// Returns a version whose digests are those of a list, with the deletions above `since`.
    fn version(list: &StoryList, since: i64) -> ListVersion {
        let deletions = list.deletion_digest(since.unsigned_abs());
        let fields = [
            ("last_change_number", 9),
            ("digest_number", 9),
            ("story_digest", list.digest()),
            ("deletion_digest", deletions),
            ("deletions_since", since),
        ];
        let row = fields.map(|(name, value)| (name.to_owned(), signed_number(value)));
        read(row.into()).unwrap()
    }

    #[test]
    fn changes_in_any_order_lead_to_the_same_list() {
        let numbered = [(3, 1), (5, 2), (3, 4), (1, 6), (5, 7)];
        let expected = list(vec![saved(5, 7), saved(1, 6), deleted(3, 4)]);
        for first in 0..5 {
            for second in 0..5 {
                let mut order = numbered.map(|(anime, number)| match number {
                    4 => deleted(anime, number),
                    _ => saved(anime, number),
                });
                order.swap(first, second);
                let mut changed = list(vec![]);
                for row in order {
                    changed.apply(row);
                }
                assert_eq!(changed.stories(), expected.stories());
                assert_eq!(changed.digest(), expected.digest());
                assert!(changed.has_digest_of(&version(&expected, 0)));
            }
        }
    }

    #[test]
    fn deletion_shows_in_a_digest_of_its_own() {
        let before = list(vec![saved(3, 1)]);
        let mut after = before.clone();
        after.apply(saved(5, 2));
        assert!(!before.has_digest_of(&version(&after, 0)));
        after.apply(deleted(5, 3));
        let row = version(&after, 0);
        assert!(before.has_digest_of(&row));
        assert!(!before.has_deletions_of(&row));
        // An earlier deletion.
        assert!(before.has_deletions_of(&version(&after, 3)));
        // A deletion counts although a later story has replaced its tombstone.
        after.apply(saved(5, 4));
        assert!(after.has_deletions_of(&row));
        let missing = list(vec![saved(3, 1), saved(5, 4)]);
        assert!(!missing.has_deletions_of(&version(&after, 0)));
    }

    #[test]
    fn list_may_lack_deletions_that_count_no_more() {
        let mut after = list(vec![saved(3, 1), deleted(5, 6)]);
        let before = list(vec![saved(3, 1)]);
        assert!(!before.has_deletions_of(&version(&after, 5)));
        assert!(!before.has_deletions_of(&version(&after, 6)));
        after = after.with_deletions_since(6);
        assert!(after.has_deletions_of(&version(&after, 6)));
    }

    #[test]
    fn notes_weigh_as_much_as_stories() {
        let mut list = list(vec![saved(3, 1), saved(5, 2)]);
        assert_eq!(list.weight(), 2);
        list.stories[1].state.details.notes = Notes::new(&"a".repeat(2000)).unwrap();
        assert_eq!(list.weight(), 12);
    }

    #[test]
    fn changes_that_the_index_lacks_stay() {
        let last = list(vec![saved(3, 4), saved(5, 2), deleted(7, 6)]);
        let mut read = list(vec![saved(3, 1), saved(5, 8), saved(7, 5)]);
        read.add_known(&last);
        let expected = list(vec![saved(3, 4), saved(5, 8), deleted(7, 6)]);
        assert_eq!(read.stories(), expected.stories());
        assert_eq!(read.digest(), expected.digest());
    }
}
