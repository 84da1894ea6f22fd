//! The state of the pages.

use std::sync::Arc;

use accounts::linking::Linking;
use accounts::{Accounts, Applications, Links};
use runtime::Environment;
use shared::Error;
use store::SnapshotStore;

use crate::sessions::{Sessions, Visitor};

/// What the pages work with.
#[derive(Debug)]
pub struct SiteState {
    /// The accounts.
    pub accounts: Arc<Accounts>,
    /// Links that go by mail.
    pub links: Links,
    /// Links accounts at trackers.
    pub linking: Linking,
    /// Who is signed in.
    pub sessions: Sessions,
    /// OAuth clients, and what users have connected.
    pub applications: Applications,
    /// Says how many anime there are.
    pub anime: SnapshotStore,
    /// Says how many songs there are.
    pub songs: SnapshotStore,
}

impl SiteState {
    /// Made out of what Lambda's environment says.
    ///
    /// # Errors
    /// When the environment is short of something.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let counts =
            |kind| SnapshotStore::new(environment.client.clone(), &environment.tables, kind);
        let accounts = environment.accounts()?;
        let sessions = environment.sessions();
        let random = environment.random.clone();
        Ok(Arc::new(Self {
            sessions: Sessions::new(sessions, &environment.public_url, random),
            applications: environment.applications(),
            links: environment.links(&accounts)?,
            linking: environment.linking()?,
            accounts,
            anime: counts("anime"),
            songs: counts("song"),
        }))
    }

    /// The service's address, as its users see it, without a slash at its end.
    pub(crate) fn public_url(&self) -> &str {
        self.accounts.tokens.public_url()
    }

    /// The name of who is signed in, for a page that everybody may see: it comes even when that cannot
    /// be found out.
    pub(crate) async fn name_of(&self, visitor: &Visitor) -> Option<String> {
        match self.sessions.find(visitor).await {
            Ok(signed_in) => signed_in.map(|signed_in| signed_in.account.user.username),
            Err(error) => {
                tracing::warn!(?error, "a page does not know who sees it");
                None
            }
        }
    }
}

/// Opens the connections that the first request needs.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(state: Arc<SiteState>) -> Result<(), Error> {
    runtime::warm(&state.accounts.tokens, &state.accounts.users).await
}
