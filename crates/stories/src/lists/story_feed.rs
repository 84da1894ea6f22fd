//! The change feed of a user's stories (docs/api.md, "Change feed").
//!
//! Every change has a number that is higher than the numbers of all earlier changes of the same user. The owner's row
//! has the number of the last change, and every transaction that writes a story raises it. A reader first reads this
//! number, which determines the head, and then the user's list of stories ([`StoryList`]).
//!
//! If the list has the digests that the owner's row states, it has every change up to the head, and the next read
//! begins there. Otherwise the list was read from the table. A query is not isolated from transactions (DynamoDB
//! Developer Guide, "Transaction isolation levels"): for a moment, the owner's row can have the number of a change
//! whose story the query does not show yet. So a reader's position is then moved back to at least [`SETTLED_MS`] before
//! the time of the read. The next read returns the changes after this position once more, and none is missed.

use dynamo::ListPage;
use shared::models::{ANIME_ID_BITS, AnimeId, ListVersion, StoryId};

use super::story_list::{ListedStory, StoryList};
use super::user_story::change_number_at;

/// The maximum number of changes in a page of the feed.
pub const FEED_PAGE_SIZE: usize = 1000;

/// The age from which a change is assumed to be visible to a query, in milliseconds. No request takes longer, so the
/// write of an older change is complete.
pub const SETTLED_MS: u64 = 10_000;

/// Returns the end of a feed whose last change has this number: the highest possible position of a change up to this
/// number.
pub fn feed_end(last_change_number: u64) -> u128 {
    position(last_change_number, AnimeId::MAX)
}

/// Returns the position of a change. Positions are ordered by the number of the change, then by anime. Only stories
/// that were written before change numbers existed have the same number, 0.
fn position(change_number: u64, anime: u64) -> u128 {
    (u128::from(change_number) << ANIME_ID_BITS) | u128::from(anime)
}

/// Returns the position from which the next read continues, given that a reader has read all changes up to `head` at
/// `now` (milliseconds since the Unix epoch).
pub fn settled_end(head: u128, now: u64) -> u128 {
    head.min(feed_end(change_number_at(now.saturating_sub(SETTLED_MS))))
}

/// A story that was changed, with its latest state.
#[derive(Debug)]
pub enum FeedEntry {
    /// The story was created or updated.
    Saved(Box<ListedStory>),
    /// The story was deleted.
    Deleted(StoryId),
}

/// A page of the feed.
#[derive(Debug)]
pub struct FeedPage {
    /// The changed stories, each once, in the order of their last changes.
    pub entries: Vec<FeedEntry>,
    /// The position after which the next page begins.
    pub end: u128,
    /// True if the feed has more changes up to the head.
    pub has_more: bool,
}

impl StoryList {
    /// Returns a page of at most [`FEED_PAGE_SIZE`] stories, in the order of their anime, after the anime `after` (0
    /// for the first page). This is for readers without a position in the feed.
    pub fn first_read(&self, after: u64) -> ListPage<ListedStory, u64> {
        let all = self.stories();
        let begin = all.partition_point(|story| story.anime_id.get() <= after);
        let rest = all.get(begin..).unwrap_or_default();
        let page = rest.get(..FEED_PAGE_SIZE).unwrap_or(rest);
        let last = page.last().filter(|_| page.len() < rest.len());
        ListPage {
            next: last.map(|story| story.anime_id.get()),
            rows: page.to_vec(),
        }
    }

    /// Returns the first page of the changes after the position `since` and up to `version`, for which the list was
    /// read. `now` is in milliseconds since the Unix epoch.
    pub fn changes(&self, since: u128, version: &ListVersion, now: u64) -> FeedPage {
        let head = feed_end(version.last_change_number);
        let position_of = |anime: AnimeId, number| position(number, anime.get());
        let stories = self.stories().iter();
        let saved =
            stories.map(|story| (position_of(story.anime_id, story.change_number), Ok(story)));
        let deleted = self
            .deleted()
            .map(|(anime, number)| (position_of(anime, number), Err(anime)));
        let is_wanted = |position: u128| position > since && position <= head;
        let mut changes: Vec<_> = saved
            .chain(deleted)
            .filter(|(position, _)| is_wanted(*position))
            .collect();
        changes.sort_unstable_by_key(|(position, _)| *position);
        let has_more = changes.len() > FEED_PAGE_SIZE;
        changes.truncate(FEED_PAGE_SIZE);
        let last = changes.last().filter(|_| has_more);
        // A list with the digests of the version has every change up to this version.
        let end = if self.has_digest_of(version) && self.has_deletions_of(version) {
            head
        } else {
            settled_end(head, now)
        };
        let end = last.map_or(end, |(position, _)| *position);
        let entry = |(_, change): (u128, Result<&ListedStory, AnimeId>)| match change {
            Ok(story) => FeedEntry::Saved(Box::new(story.clone())),
            Err(anime) => FeedEntry::Deleted(StoryId::of(self.user(), anime)),
        };
        FeedPage {
            entries: changes.into_iter().map(entry).collect(),
            end,
            has_more,
        }
    }
}
