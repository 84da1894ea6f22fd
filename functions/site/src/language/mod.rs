//! The language of a page: its choice, messages, numbers and dates (docs/development.md, "Add a message").

mod languages;
mod localizer;
mod messages;
mod titles;

pub use languages::accepted_languages;
pub use localizer::Localizer;
pub use titles::Title;
