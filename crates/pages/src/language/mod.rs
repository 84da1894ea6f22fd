//! The language of a page: its choice, messages, numbers and dates (docs/development.md, "Add a message").

mod accept_language;
mod genres;
mod labels;
mod localizer;
mod messages;
mod scores;
mod titles;

pub use accept_language::accepted_languages;
pub use labels::{GENRES, own_name};
pub use localizer::Localizer;
pub use titles::LocalizedText;
