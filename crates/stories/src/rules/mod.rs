//! The rules of stories, as pure functions.

pub(crate) mod airing;
pub(crate) mod merge_import;
pub(crate) mod review;
pub(crate) mod statistics;
pub(crate) mod step;
pub(crate) mod suggestions;
pub(crate) mod undo_import;
