//! The parts of pages that several functions show, and that read stories or the catalogue: the forms about a story, and
//! the page for signing in. Parts that need no domain are in the crate `pages`.

pub mod anime;
pub mod door;
pub mod schedule;
pub mod sign_in;
mod state;
pub mod story;

pub use self::state::StoryPagesState;
