//! Lists of stories in the memory of a process (docs/data-model.md, "List versions").
//!
//! A list is used only if the user's row states the same digest at the time of the request, so no process shows an old
//! list, even if other processes have written or a read has missed a change. If the digests differ, the process reads
//! the stories that the row names as changed, then the index `Listed`, and finally the table.
//!
//! The digest covers only the stories. Deletions, which the change feed needs, have a digest of their own
//! ([`ListVersion::deletions`]). Sync states change without a change of the story, and no digest covers them. So they
//! are read from the table, and are valid until another run of the synchronization begins ([`ListVersion::sync_runs`]).

mod cache;
pub mod digest;
mod fill;
mod list;
mod listed;
mod load;
mod write;

pub use self::cache::StoryLists;
pub use self::fill::FilledLists;
pub(crate) use self::list::NeededPart;
pub use self::list::{StoryList, StoryPage};
pub use self::listed::ListedStory;
pub(crate) use self::listed::{ListRow, pack};
pub(crate) use self::write::{ListWrite, StoryAction};
