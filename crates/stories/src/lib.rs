//! Stories: the rules by which they change, and what is built on them. The API, the pages and the operator's commands
//! share this code.
//!
//! The rules are pure functions. They have no clock, and read and write no table. [`list_files`] has the imports and
//! exports of watch histories, [`user_data`] the file with everything that is stored about a user.

mod details;
pub mod list_files;
mod revisions;
mod rules;
mod statistics;
pub mod user_data;

pub use details::{StoryDetails, seconds};
pub use revisions::{StoryRevision, revisions};
pub use rules::merge_import::ImportMode;
pub use rules::statistics::{Statistics, Tally};
pub use rules::step::{FormValues, change_by_form, next_episode, undo_latest};
pub use rules::undo_import::Undone;
pub use statistics::{
    CurrentStatistics, KnownStatistics, PublicStories, RatedStory, StatisticsOwner,
    StatisticsReader,
};
