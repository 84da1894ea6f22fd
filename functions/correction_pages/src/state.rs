//! The state of the handlers.

use std::sync::Arc;

use accounts::users::UserStore;
use catalogue::SharedCatalogue;
use catalogue::corrections::CorrectionDesk;
use pages::sessions::PageSessions;
use runtime::Environment;
use shared::Result;
use shared::auth::Tokens;
use shared::models::{Anime, Song};

pages::page_state! {
    CorrectionPagesState {
        sessions: PageSessions,
        corrections: CorrectionState,
    }
}

/// The state of corrections.
#[derive(Debug)]
pub(crate) struct CorrectionState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) tokens: Tokens,
    /// The users, for the names of moderators.
    pub(crate) users: UserStore,
    /// The songs, for the pages of anime.
    pub(crate) songs: SharedCatalogue<Song>,
    pub(crate) anime_corrections: CorrectionDesk<Anime>,
    pub(crate) song_corrections: CorrectionDesk<Song>,
}

impl CorrectionPagesState {
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
            corrections: Arc::new(CorrectionState {
                sessions: Arc::clone(&sessions),
                tokens,
                users: UserStore::new(database),
                songs: environment.catalogue()?,
                anime_corrections: CorrectionDesk::new(database),
                song_corrections: CorrectionDesk::new(database),
            }),
            sessions,
        })
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: CorrectionPagesState) -> Result<()> {
    let corrections = &state.corrections;
    runtime::warm(&corrections.tokens, &corrections.users).await
}
