//! The stories of a user: rows, lists in memory, changes, and the change feed.

pub(crate) mod airing;
mod community_pass;
pub(crate) mod details;
pub(crate) mod episodes;
pub(crate) mod joined_list;
pub(crate) mod progress_pass;
pub(crate) mod revisions;
pub(crate) mod selection;
pub(crate) mod story_batch;
mod story_change;
pub(crate) mod story_conditions;
pub(crate) mod story_feed;
pub(crate) mod story_list;
pub(crate) mod story_store;
pub(crate) mod story_write;
mod sync_store;
pub(crate) mod undo;
pub(crate) mod user_story;

pub use self::community_pass::count_community;
pub use self::details::{StoryDetails, WireTime, seconds};
pub use self::episodes::{
    FormValues, change_by_form, highest_episode, is_in_progress, next_episode, undo_latest,
};
pub use self::joined_list::{EntryFilter, JoinedEntry, JoinedList, ListOrder, is_awaited};
pub use self::progress_pass::{RaisedStories, raise_episodes};
pub use self::revisions::{StoryRevision, list_revisions};
pub use self::selection::{
    MAX_SELECTED, SelectionChange, SelectionValues, change_selection, undo_selection,
};
pub use self::story_batch::{BatchChange, MAX_CHANGES, StoryOperation};
pub use self::story_feed::{FeedEntry, feed_end, settled_end};
pub use self::story_list::{FilledLists, ListedStory, StoryList, StoryLists};
pub use self::story_store::{StoryFilter, StoryStore};
pub use self::sync_store::{StoryWrite, SyncStore, SyncedStory};
pub use self::undo::UndoEffect;
pub use self::user_story::Story;
