//! The change feed of a user's stories (docs/api.md, "Change feed").

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use serde::Serialize;
use shared::auth::{Access, Action, Bearer};
use shared::http::openapi::CursorExpired;
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::cursor::{self, CursorPosition};
use shared::input::{Params, QueryString};
use shared::models::{AnimeId, LinkedAccounts, ListVersion, StoryId, UserId};
use shared::{Error, Result, query};
use stories::lists::{FeedEntry, StoryList, StoryStore, feed_end, settled_end};
use utoipa::ToSchema;

use crate::UserStoryState;
use crate::document::{DetailsInclude, IncludedDocuments, StoryDocument};

/// The name of the feed in its cursors. Cursors of lists have other names, so the feed rejects them.
const FEED: &str = "user_story_changes";

/// The age up to which a cursor is valid, in milliseconds: 90 days. The store keeps deletions for longer.
const MAX_AGE_MS: u64 = 90 * 24 * 60 * 60 * 1000;

/// Tolerance for differences between the clocks of servers, in milliseconds: 1 minute.
const LEEWAY_MS: u64 = 60_000;

/// A position in the feed, and the time at which the service returned it.
struct FeedCursor {
    position: u128,
    /// In milliseconds since the Unix epoch.
    issued_at: u64,
    /// The anime after which the first read continues. `None` once the first read is complete: then the changes after
    /// `position` follow.
    first_read_after: Option<u64>,
}

impl CursorPosition for FeedCursor {
    fn to_bytes(&self) -> Vec<u8> {
        let (position, issued_at) = (self.position.to_be_bytes(), self.issued_at.to_be_bytes());
        let after = self.first_read_after.map(u64::to_be_bytes);
        [
            position.as_slice(),
            issued_at.as_slice(),
            after.as_ref().map_or(&[], <[u8; 8]>::as_slice),
        ]
        .concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (position, rest) = bytes.split_first_chunk()?;
        let (issued_at, after) = rest.split_first_chunk()?;
        let first_read_after = match after {
            [] => None,
            after => Some(u64::from_be_bytes(after.try_into().ok()?)),
        };
        Some(Self {
            position: u128::from_be_bytes(*position),
            issued_at: u64::from_be_bytes(*issued_at),
            first_read_after,
        })
    }
}

/// The changes of a user's stories since a cursor.
#[derive(Serialize, ToSchema)]
pub(crate) struct StoryFeed {
    /// The changed stories, each once with its latest state, in the order of their last changes: at most 1,000. The
    /// first read, which begins without `since`, returns the existing stories in the order of their anime.
    changes: Vec<ChangedStory>,
    /// The cursor for the next request. Each response has a new one, which is valid for 90 days.
    #[schema(example = "AAAABlJcP1u-gAAAAf____8AAAGLz-VoAFlz9w1tYpNZ")]
    cursor: String,
    /// True if more changes are already available. Send the next request at once.
    more: bool,
}

/// A story that was created, updated or deleted.
#[derive(Serialize, ToSchema)]
struct ChangedStory {
    /// Identifier of the story.
    id: StoryId,
    /// Identifier of the anime.
    anime_id: AnimeId,
    /// True if the story was deleted.
    deleted: bool,
    /// The story. Absent if it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    story: Option<StoryDocument>,
}

impl ChangedStory {
    fn new(entry: FeedEntry, linked: LinkedAccounts, included: IncludedDocuments) -> Self {
        let (id, story) = match entry {
            FeedEntry::Saved(story) => (story.id(), Some(included.document(&story, linked, None))),
            FeedEntry::Deleted(id) => (id, None),
        };
        Self {
            id,
            anime_id: id.anime(),
            deleted: story.is_none(),
            story,
        }
    }
}

query! {
    /// The parameters of a request for changes.
    struct ChangesQuery {
        /// Cursor of the previous response. Valid only for the same user
        #[param(pattern = "^[A-Za-z0-9_-]+$")]
        since: Option<String>,
        /// Identifier of the user. Default: the caller
        #[param(value_type = Option<u64>, minimum = 1, maximum = 268_435_455, example = 1)]
        user_id: Option<UserId>,
        /// `details` adds the score, dates, repeats, notes and privacy to each story
        #[param(
            value_type = Option<Vec<DetailsInclude>>, style = Form, explode = false, min_items = 1,
            example = json!(["details"])
        )]
        include: Vec<DetailsInclude>,
    }
}

/// Returns the stories that were created, updated or deleted since a cursor.
///
/// Without `since`, returns the current state. Keep the cursor of the response, and send it as `since` with the next
/// request, for example every few minutes. The next request can return a change again. Deletions are kept for 90 days;
/// with an older cursor the response is a 410. Moderators can also read the changes of basic users, and administrators
/// those of all users.
#[utoipa::path(
    get,
    path = "/v1/user_story/changes",
    tag = "user_story_sync",
    security(("bearer" = [])),
    params(ChangesQuery),
    responses(
        (status = 200, description = "The changes", body = Envelope<StoryFeed>),
        CursorExpired,
    ),
)]
pub(crate) async fn list_user_story_changes(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let mut params = Params::parse(query.as_deref().unwrap_or_default());
    let ChangesQuery {
        since,
        user_id,
        include,
    } = QueryString::read(&mut params);
    let included = IncludedDocuments::from(include);
    let owner = user_id.unwrap_or(credential.user_id);
    let now = state.clock.now_ms();
    let owners_feed = owner.get().to_string();
    let since = since.and_then(|token| read_cursor(&mut params, &owners_feed, &token, now));
    params.finish()?;

    let access = Access::new(&credential, Action::ReadStory, owner);
    // The owner's row has the end of the feed. The row must be read before the stories. Otherwise the next cursor could
    // be after a change that the response does not have.
    let (caller, owners_row) = state.users.caller_and(&credential, owner).await?;
    access.check_for(caller.as_ref(), owners_row.as_ref())?;
    let owners_row = owners_row.filter(|row| row.deleted_at.is_none());
    let version = owners_row.as_ref().map(|row| row.list.clone());
    let version = version.unwrap_or_default();
    let head = feed_end(version.last_change_number);
    if let Some(cursor) = &since {
        let is_old = cursor.issued_at.saturating_add(MAX_AGE_MS) < now;
        // The position can be after the end of the feed if the tables were restored from a backup.
        let is_past_the_end = cursor.position > head;
        if is_old || is_past_the_end {
            return Err(Error::CursorExpired.into());
        }
    }
    let since = since.unwrap_or(FeedCursor {
        position: settled_end(head, now),
        issued_at: now,
        first_read_after: Some(0),
    });
    let linked = owners_row.as_ref().map(|row| row.linked);
    let linked = linked.unwrap_or_default();
    let stories = FeedReader {
        stories: &state.stories,
        version: &version,
        with_sync_states: included.needs_sync_states(linked),
    };
    let (mut entries, mut more, next) = stories.read_page(owner, since, now).await?;
    // The deletion of a user takes a while. Stories that are not deleted yet are hidden.
    if owners_row.is_none() {
        entries.clear();
        more = false;
    }
    let change = |entry| ChangedStory::new(entry, linked, included);
    let feed = StoryFeed {
        changes: entries.into_iter().map(change).collect(),
        cursor: cursor::encode(FEED, &owners_feed, &next),
        more,
    };
    Ok(private("Changes found", feed))
}

/// Reads the feed of a user whose row has this version of the list.
struct FeedReader<'r> {
    stories: &'r StoryStore,
    version: &'r ListVersion,
    with_sync_states: bool,
}

impl FeedReader<'_> {
    /// Returns a page of the feed, true if the next page is already available, and the cursor of the next page.
    async fn read_page(
        &self,
        owner: UserId,
        since: FeedCursor,
        now: u64,
    ) -> Result<(Vec<FeedEntry>, bool, FeedCursor)> {
        let head = feed_end(self.version.last_change_number);
        if since.first_read_after.is_none() && since.position == head {
            // Nothing has changed.
            let next = FeedCursor {
                issued_at: now,
                ..since
            };
            return Ok((Vec::new(), false, next));
        }
        if let Some(after) = since.first_read_after {
            let list = self.stories.current_list(owner, self.version).await?;
            let page = list.first_read(after);
            let entries = page.rows.into_iter().map(Box::new);
            let entries = entries.map(FeedEntry::Saved).collect();
            // All changes during the first read are after the position, so they come with the requests after the
            // first read.
            let next = FeedCursor {
                first_read_after: page.next,
                ..since
            };
            let entries = self.with_sync_states(&list, entries).await?;
            return Ok((entries, page.next.is_some(), next));
        }
        let list = self
            .stories
            .current_list_with_deletions(owner, self.version);
        let list = list.await?;
        let page = list.changes(since.position, self.version, now);
        let next = FeedCursor {
            position: page.end,
            // The next page needs the deletions since the first cursor of this sequence of pages was issued, so all
            // cursors of the sequence expire at the same time.
            issued_at: if page.has_more { since.issued_at } else { now },
            first_read_after: None,
        };
        let entries = self.with_sync_states(&list, page.entries).await?;
        Ok((entries, page.has_more, next))
    }

    async fn with_sync_states(
        &self,
        list: &StoryList,
        mut entries: Vec<FeedEntry>,
    ) -> Result<Vec<FeedEntry>> {
        if self.with_sync_states {
            let saved = entries.iter_mut().filter_map(|entry| match entry {
                FeedEntry::Saved(story) => Some(&mut **story),
                FeedEntry::Deleted(_) => None,
            });
            let read_sync_states =
                self.stories
                    .read_sync_states(list, self.version, saved.collect());
            read_sync_states.await?;
        }
        Ok(entries)
    }
}

fn read_cursor(
    params: &mut Params,
    owners_feed: &str,
    token: &str,
    now: u64,
) -> Option<FeedCursor> {
    let read: Option<FeedCursor> = cursor::decode(FEED, owners_feed, token);
    let read = read.filter(|cursor| cursor.issued_at <= now.saturating_add(LEEWAY_MS));
    if read.is_none() {
        params.fail(
            "since",
            "is invalid, or belongs to another user; take it from the previous response",
        );
    }
    read
}
