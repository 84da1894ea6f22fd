//! The rules of stories, and the services that use them: imports and exports ([`list_files`]), messages of players
//! ([`players`]), statistics, suggestions, and the file with everything stored about a user ([`user_data`]). The API,
//! the pages and the operator's commands share this code.
//!
//! The rules (`rules/`) are pure functions: they read neither a clock nor a table.

mod details;
mod joined_list;
pub mod list_files;
pub mod players;
mod progress_pass;
mod revisions;
mod rules;
mod selection;
mod statistics;
mod suggestions;
pub mod user_data;

pub use details::{StoryDetails, seconds};
pub use joined_list::{
    Entry, EntryFilter, EntryPage, JoinedList, JoinedLists, ListOrder, is_awaited,
};
pub use progress_pass::{RaisedStories, raise_episodes};
pub use revisions::{StoryRevision, list_revisions};
pub use rules::merge_import::ImportMode;
pub use rules::review::{FinishedStory, YearReview};
pub use rules::statistics::{CountedStory, Statistics, Tally};
pub use rules::step::{
    FormValues, change_by_form, highest_episode, is_in_progress, next_episode, undo_latest,
};
pub use rules::suggestions::SuggestionReason;
pub use rules::undo_import::UndoEffect;
pub use selection::{
    MAX_SELECTED, SelectionChange, SelectionValues, UndoneSelection, change_selection,
    undo_selection,
};
pub use statistics::{
    CurrentStatistics, KeptStatistics, PublicStories, RatedStory, StatisticsOwner, StatisticsReader,
};
pub use suggestions::{Suggestion, find_suggestions};
