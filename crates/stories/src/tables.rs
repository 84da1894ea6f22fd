//! The tables that only this crate writes.

pub use crate::list_files::waiting_list::TABLE as WAITING_LIST;
pub use crate::lists::user_story::TABLE as USER_STORY;
pub use crate::players::player::TABLE as PLAYER;
pub use crate::statistics::user_statistics::TABLE as USER_STATISTICS;
