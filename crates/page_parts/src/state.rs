//! The state of pages about stories.

use std::sync::Arc;

use catalogue::SharedCatalogue;
use pages::sessions::PageSessions;
use shared::clock::Clock;
use shared::models::Anime;
use stories::lists::StoryStore;

/// The state of pages with anime and the visitor's stories about them.
#[derive(Debug)]
pub struct StoryPagesState {
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
