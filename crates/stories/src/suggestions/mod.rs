//! Suggestions of anime to watch.

pub(crate) mod find;
pub(crate) mod taste;

pub use self::find::{Suggestion, find_suggestions};
pub use crate::lists::joined_list::SuggestionReason;
