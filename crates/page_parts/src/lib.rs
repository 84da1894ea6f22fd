//! The parts of pages that several functions show, and that read stories or the catalogue: the forms about a story, and
//! the page for signing in. Parts that need no domain are in the crate `pages`.

pub mod anime;
pub mod sign_in;
pub mod story;

use std::sync::Arc;

use catalogue::SharedCatalogue;
use pages::sessions::PageSessions;
use shared::clock::Clock;
use shared::models::Anime;
use stories::lists::StoryStore;

/// The state of pages with anime and the visitor's stories about them.
#[derive(Debug)]
pub struct CatalogueState {
    /// The sessions of the web pages.
    pub sessions: Arc<PageSessions>,
    /// The current time.
    pub clock: Clock,
    /// The anime.
    pub catalogue: SharedCatalogue<Anime>,
    /// The stories.
    pub stories: StoryStore,
    /// True if covers and banners are loaded from the servers of the catalogue's sources.
    pub has_images: bool,
}
