//! The state of the handlers.

use std::sync::Arc;

use accounts::users::UserStore;
use catalogue::Catalogue;
use page_parts::StoryPagesState;
use pages::sessions::PageSessions;
use runtime::Environment;
use shared::Result;
use shared::auth::Tokens;
use shared::models::Song;
use stories::lists::StoryStore;

pages::page_state! {
    CataloguePagesState {
        sessions: PageSessions,
        story_pages: StoryPagesState,
        songs: Catalogue<Song>,
        tokens: Tokens,
        users: UserStore,
    }
}

impl CataloguePagesState {
    /// Builds the state from the environment.
    ///
    /// # Errors
    /// A required setting is missing or invalid.
    pub fn new(environment: &Environment) -> Result<Self, lambda_http::Error> {
        let database = &environment.database;
        let tokens = environment.tokens()?;
        let sessions = environment.sessions(&tokens);
        let sessions = Arc::new(PageSessions::new(sessions, &tokens));
        Ok(Self {
            story_pages: Arc::new(StoryPagesState {
                sessions: Arc::clone(&sessions),
                clock: database.clock.clone(),
                catalogue: environment.catalogue()?,
                stories: StoryStore::new(database),
                has_images: environment.has_images,
            }),
            songs: environment.catalogue()?,
            tokens: Arc::new(tokens),
            users: Arc::new(UserStore::new(database)),
            sessions,
        })
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: CataloguePagesState) -> Result<()> {
    runtime::warm(&state.tokens, &state.users).await
}
