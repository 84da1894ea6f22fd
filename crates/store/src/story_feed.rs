//! The change feed of a user's stories (docs/api.md, "Change feed").
//!
//! Every change has a number, which the write's own transaction takes from the owner's row: higher than all before.
//! The row has the number of the last change. A reader first reads it, as the head, and then the stories with a number up
//! to it. Changes during the read have higher numbers and belong to the next read.
//!
//! A query is not isolated from transactions (DynamoDB Developer Guide, "Transaction isolation levels"): for a moment,
//! the owner's row can have the number of a change whose story the query does not show yet. So the position that a reader
//! continues from lies [`SETTLED_MS`] in the past. Later changes come again with the next read, and nothing is missed.

use serde::Deserialize;
use shared::Error;
use shared::models::{ANIME_ID_BITS, AnimeId, StoryId, UserId};

use crate::item::{Item, read};
use crate::listing::all;
use crate::schema::user_story::{Story, change_number_at, is_tombstone};
use crate::stories::{StoryStore, read_story, story_rows};

/// The maximum number of changes in a page of the feed.
pub const FEED_PAGE: usize = 1000;

/// The age from which changes are surely visible to a query, in milliseconds. No request takes longer, so an older change
/// is complete.
pub const SETTLED_MS: u64 = 10_000;

/// Returns the position of the end of a feed, given the number of the last change: the position after every change up to it.
#[must_use]
pub fn feed_end(last_change_number: u64) -> u128 {
    position(last_change_number, AnimeId::MAX)
}

/// Returns the position of a change. Positions are ordered by the number of the change. Stories that were written before there were change numbers have the
/// number 0 and are ordered by anime.
fn position(change_number: u64, anime: u64) -> u128 {
    (u128::from(change_number) << ANIME_ID_BITS) | u128::from(anime)
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
    pub more: bool,
}

/// The parts of a row, of a story or a tombstone, that determine its place in the feed.
#[derive(Deserialize)]
struct Place {
    anime_id: AnimeId,
    #[serde(default)]
    change_number: u64,
}

impl StoryStore {
    /// Returns the changes after the position `since` and up to `head`, the [`feed_end`] of the owner's row, which must
    /// have been read before. Without `since`, returns the stories that exist. `now` is in milliseconds since the Unix
    /// epoch. Each page reads all rows of the user, at one read unit for every 4 KB; if `since` is the head, it reads
    /// nothing.
    pub async fn changes(
        &self,
        user: UserId,
        since: Option<u128>,
        head: u128,
        now: u64,
    ) -> Result<FeedPage, Error> {
        if since == Some(head) {
            return Ok(FeedPage {
                entries: Vec::new(),
                end: head,
                more: false,
            });
        }
        let query = story_rows(&self.client, &self.stories, user);
        let query = match since {
            Some(_) => query,
            None => query.filter_expression("attribute_not_exists(deleted_at)"),
        };
        let mut rows = all(query, |row: Item| {
            let place: Place = read(row.clone())?;
            let at = position(place.change_number, place.anime_id.get());
            Ok((at, place.anime_id, row))
        })
        .await?;
        rows.retain(|(at, ..)| since.is_none_or(|since| *at > since) && *at <= head);
        rows.sort_unstable_by_key(|(at, ..)| *at);
        let more = rows.len() > FEED_PAGE;
        rows.truncate(FEED_PAGE);
        let settled = feed_end(change_number_at(now.saturating_sub(SETTLED_MS)));
        let last = rows.last().filter(|_| more);
        let end = last.map_or(head.min(settled), |(at, ..)| *at);
        let entry = |(_, anime, row)| {
            if is_tombstone(&row) {
                return Ok(FeedEntry::Deleted(StoryId::of(user, anime)));
            }
            read_story(row).map(|story| FeedEntry::Saved(Box::new(story)))
        };
        Ok(FeedPage {
            entries: rows.into_iter().map(entry).collect::<Result<_, _>>()?,
            end,
            more,
        })
    }
}
