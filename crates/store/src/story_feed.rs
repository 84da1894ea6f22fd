//! The change feed of a user's stories (docs/api.md, "Change feed").
//!
//! Every change has a number that is higher than the numbers of all earlier changes of the same user. The owner's row
//! has the number of the last change, and every transaction that writes a story raises it. A reader first reads this
//! number, which determines the head, and then the stories with numbers up to it. Changes during the read have
//! higher numbers and belong to the next read.
//!
//! A query is not isolated from transactions (DynamoDB Developer Guide, "Transaction isolation levels"): for a
//! moment, the owner's row can have the number of a change whose story the query does not show yet. So after
//! the last page, a reader's position is moved back to at least [`SETTLED_MS`] before the time of the read. The next
//! read returns the changes after this position once more, and none is missed.

use serde::Deserialize;
use shared::Error;
use shared::models::{ANIME_ID_BITS, AnimeId, StoryId, UserId};

use crate::errors::to_error;
use crate::item::{Item, number, read};
use crate::listing::read_all;
use crate::schema::user_story::{Story, change_number_at, is_tombstone};
use crate::stories::{StoryStore, read_story, story_rows};

/// The maximum number of changes in a page of the feed.
pub const FEED_PAGE_SIZE: usize = 1000;

/// The age from which a change is taken to be visible to a query, in milliseconds. No request takes longer, so the
/// write of an older change is complete.
pub const SETTLED_MS: u64 = 10_000;

/// Returns the end of a feed whose last change has this number: the position of no change up to this number is higher.
#[must_use]
pub fn feed_end(last_change_number: u64) -> u128 {
    position(last_change_number, AnimeId::MAX)
}

/// Returns the position of a change. Positions are ordered by the number of the change, then by anime. Only stories
/// that were written before there were change numbers have the same number, 0.
fn position(change_number: u64, anime: u64) -> u128 {
    (u128::from(change_number) << ANIME_ID_BITS) | u128::from(anime)
}

/// Returns the position from which the next read continues, given that a reader has read all changes up to `head` at
/// `now` (milliseconds since the Unix epoch).
#[must_use]
pub fn settled_end(head: u128, now: u64) -> u128 {
    head.min(feed_end(change_number_at(now.saturating_sub(SETTLED_MS))))
}

/// Returns true if the change with this number is old enough for a query at `at` (milliseconds since the Unix epoch)
/// to see it. Just after a change, a query can miss it, although the owner's row has the number of the change
/// already.
#[must_use]
pub fn is_settled(change_number: u64, at: u64) -> bool {
    // Change numbers are times in microseconds.
    at >= (change_number / 1000).saturating_add(SETTLED_MS)
}

/// A page of the stories that exist, for a reader that has no position in the feed yet.
#[derive(Debug)]
pub struct FirstReadPage {
    /// The stories, at most [`FEED_PAGE_SIZE`].
    pub stories: Vec<Story>,
    /// The anime after which the next page begins; `None` on the last page.
    pub next: Option<u64>,
}

/// A story that was changed, with its latest state.
#[derive(Debug)]
pub enum FeedEntry {
    /// The story was created or updated.
    Saved(Box<Story>),
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

/// The attributes that determine the position of a story or a tombstone in the feed.
#[derive(Deserialize)]
struct PositionAttributes {
    anime_id: AnimeId,
    #[serde(default)]
    change_number: u64,
}

impl StoryStore {
    /// Returns a page of the stories that exist, in the order of their anime, after `after` (0 for the first page).
    /// Reads only these stories and the tombstones between them.
    pub async fn first_read(&self, user: UserId, after: u64) -> Result<FirstReadPage, Error> {
        let page = story_rows(&self.client, &self.stories, user)
            .key_condition_expression("user_id = :user_id AND anime_id > :after")
            .expression_attribute_values(":after", number(after))
            .limit(i32::try_from(FEED_PAGE_SIZE).unwrap_or(i32::MAX))
            .send()
            .await
            .map_err(to_error)?;
        let rows = page.items.unwrap_or_default().into_iter();
        let last = page
            .last_evaluated_key
            .map(read::<PositionAttributes>)
            .transpose()?;
        Ok(FirstReadPage {
            stories: rows
                .filter(|row| !is_tombstone(row))
                .map(read_story)
                .collect::<Result<_, _>>()?,
            next: last.map(|attributes| attributes.anime_id.get()),
        })
    }

    /// Returns the first page of the changes after the position `since` and up to `head`. `head` is the [`feed_end`]
    /// for the change number in the owner's row, which must have been read before this call. `now` is in
    /// milliseconds since the Unix epoch. Reads all rows of the user, at one read unit for every 4 KB, but nothing
    /// if `since` is the head.
    pub async fn changes(
        &self,
        user: UserId,
        since: u128,
        head: u128,
        now: u64,
    ) -> Result<FeedPage, Error> {
        if since == head {
            return Ok(FeedPage {
                entries: Vec::new(),
                end: head,
                has_more: false,
            });
        }
        let query = story_rows(&self.client, &self.stories, user);
        let mut rows = read_all(query, |row: Item| {
            let attributes: PositionAttributes = read(row.clone())?;
            let at = position(attributes.change_number, attributes.anime_id.get());
            Ok((at, attributes.anime_id, row))
        })
        .await?;
        rows.retain(|(at, ..)| *at > since && *at <= head);
        rows.sort_unstable_by_key(|(at, ..)| *at);
        let has_more = rows.len() > FEED_PAGE_SIZE;
        rows.truncate(FEED_PAGE_SIZE);
        let last = rows.last().filter(|_| has_more);
        let end = last.map_or(settled_end(head, now), |(at, ..)| *at);
        let entry = |(_, anime, row)| {
            if is_tombstone(&row) {
                return Ok(FeedEntry::Deleted(StoryId::of(user, anime)));
            }
            read_story(row).map(|story| FeedEntry::Saved(Box::new(story)))
        };
        Ok(FeedPage {
            entries: rows.into_iter().map(entry).collect::<Result<_, _>>()?,
            end,
            has_more,
        })
    }
}
