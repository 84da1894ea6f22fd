//! The state of the handlers.

use std::sync::Arc;

use accounts::applications::{Applications, ProfileTokenStore};
use accounts::linking::Linking;
use accounts::mail::SecurityEvent;
use accounts::service::{AccountService, Accounts};
use accounts::sessions::{SessionStore, SignedInUser};
use accounts::sign_in::{Ceremonies, Passkeys};
use accounts::throttling::AttemptStore;
use dynamo::Database;
use openid::Provider;
use page_parts::StoryPagesState;
use page_parts::sign_in::SignInWays;
use pages::sessions::PageSessions;
use runtime::Environment;
use shared::Result;
use shared::auth::RegistrationMode;
use shared::random::Random;
use shared::user_slots::UserSlots;
use stories::lists::StoryStore;
use stories::user_data::UserDataStore;

pages::page_state! {
    AccountPagesState {
        sessions: PageSessions,
        account: AccountState,
    }
}

/// The state of all pages.
#[derive(Debug)]
pub(crate) struct AccountState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) accounts: Arc<Accounts>,
    /// The database, for the times and the summary of the last refresh.
    pub(crate) database: Database,
    /// The sessions of all browsers of a user.
    pub(crate) session_store: SessionStore,
    /// Ceremonies, such as the use of a passkey.
    pub(crate) ceremonies: Arc<Ceremonies>,
    /// The ways to sign in that pages offer, passkeys among them.
    pub(crate) ways: SignInWays,
    /// The identity provider.
    pub(crate) provider: Option<Arc<Provider>>,
    /// The logout tokens of the identity provider that are used up.
    pub(crate) logout_tokens: AttemptStore,
    /// Randomness, for names of new users.
    pub(crate) random: Random,
    /// The operations on accounts that send mail: sign-in, registration, mail links.
    pub(crate) account_service: Arc<AccountService>,
    /// Linking of tracker accounts.
    pub(crate) linking: Linking,
    /// OAuth clients, and the applications that users have connected.
    pub(crate) applications: Applications,
    /// The tokens that users make on their profiles.
    pub(crate) profile_tokens: ProfileTokenStore,
    /// Everything that is stored about a user.
    pub(crate) user_data: UserDataStore,
    /// The anime and stories: for that file, for new users, and for entries that were typed before a sign-in.
    pub(crate) story_pages: StoryPagesState,
    /// The slots for these files. In one process, the files of a user are handled one after the other.
    pub(crate) file_slots: UserSlots,
}

impl AccountState {
    /// Sends a mail about a change of the account to its user.
    pub(crate) async fn notify(&self, owner: &SignedInUser, event: SecurityEvent<'_>) {
        self.account_service.notify(&owner.account, event).await;
    }

    /// Returns true if the sign-in page leads straight to the identity provider.
    pub(crate) fn leads_to_provider(&self) -> bool {
        let provider = self.provider.as_ref();
        provider.is_some_and(|provider| provider.settings.redirects)
    }

    /// Returns true if a first sign-in with the identity provider makes an account.
    pub(crate) fn may_register_with_provider(&self) -> bool {
        let provider = self.provider.as_ref();
        let is_open = self.accounts.registration == RegistrationMode::Open;
        provider.is_some_and(|provider| is_open || provider.settings.opens_registration)
    }
}

impl AccountPagesState {
    /// Builds the state from the environment.
    ///
    /// # Errors
    /// A required setting is missing or invalid.
    pub fn new(environment: &Environment) -> Result<Self, lambda_http::Error> {
        let (database, public_url) = (&environment.database, &environment.public_url);
        let accounts = environment.accounts()?;
        let account_service = Arc::new(environment.account_service(&accounts)?);
        let sessions = environment.sessions(&accounts.tokens);
        let sessions = PageSessions::new(sessions, &accounts.tokens);
        let sessions = Arc::new(sessions.with_mail(Arc::clone(&account_service)));
        let ceremonies = Arc::new(environment.ceremonies()?);
        let provider = environment.provider()?;
        Ok(Self {
            account: Arc::new(AccountState {
                sessions: Arc::clone(&sessions),
                database: database.clone(),
                session_store: SessionStore::new(database),
                ceremonies: Arc::clone(&ceremonies),
                ways: SignInWays {
                    passkeys: Passkeys::new(public_url, Arc::clone(&account_service), ceremonies),
                    provider: provider
                        .as_ref()
                        .map(|provider| provider.settings.name.clone()),
                    has_passwords: environment.has_passwords,
                },
                provider,
                logout_tokens: AttemptStore::new(database),
                random: database.random.clone(),
                account_service,
                linking: environment.linking()?,
                applications: environment.applications(),
                profile_tokens: ProfileTokenStore::new(database),
                user_data: UserDataStore::new(database),
                story_pages: StoryPagesState {
                    sessions: Arc::clone(&sessions),
                    clock: database.clock.clone(),
                    catalogue: environment.catalogue()?,
                    stories: StoryStore::new(database),
                    has_images: environment.has_images,
                },
                file_slots: environment.file_slots.clone(),
                accounts,
            }),
            sessions,
        })
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: AccountPagesState) -> Result<()> {
    let accounts = &state.account.accounts;
    runtime::warm(&accounts.tokens, &accounts.users).await
}
