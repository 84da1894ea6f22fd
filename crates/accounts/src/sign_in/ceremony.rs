//! Ceremonies: steps of a sign-in or registration in which the browser or another site takes part, such as the
//! authorization at an identity provider or the use of a passkey.
//!
//! The service stores nothing while a ceremony is in progress. Its state is encrypted and travels with the browser, in
//! a form or in the parameter `state`. It is bound to the purpose of the ceremony, the browser and the signed-in user,
//! and expires after 10 minutes. So a ceremony cannot be finished in another browser, by another user, after a
//! sign-out, or for another purpose. A ceremony that signs a user in is used up when it is finished.

use dynamo::Database;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shared::auth::Sealer;
use shared::clock::Clock;
use shared::models::UserId;
use shared::random::Random;
use shared::{Error, Result, digest};

use crate::throttling::attempt_store::AttemptStore;

/// The time for a ceremony, in seconds: 10 minutes.
pub const CEREMONY_S: u64 = 10 * 60;

/// The operations on ceremonies.
#[derive(Debug)]
pub struct Ceremonies {
    sealer: Sealer,
    used: AttemptStore,
    clock: Clock,
    random: Random,
}

/// The kind of a ceremony. Ceremonies with different purposes have different kinds, even if their steps are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CeremonyKind {
    /// A visitor signs up with a passkey.
    SignUpWithPasskey,
    /// A signed-in user adds a passkey.
    AddPasskey,
    /// A visitor signs in with a passkey.
    SignInWithPasskey,
    /// A signed-in user makes a proof with a passkey.
    ProveWithPasskey,
    /// A visitor whose password is right types a code of the second factor.
    SignInWithCode,
    /// A signed-in user sets up a second factor.
    SetUpSecondFactor,
    /// The user or visitor is at the identity provider. The state has the purpose.
    VisitProvider,
    /// A person who has signed in at the identity provider chooses a name.
    SignUpWithProvider,
    /// A signed-in user links an account at a tracker.
    LinkTracker,
}

impl CeremonyKind {
    const fn name(self) -> &'static str {
        match self {
            Self::SignUpWithPasskey => "sign-up with a passkey",
            Self::AddPasskey => "new passkey",
            Self::SignInWithPasskey => "sign-in with a passkey",
            Self::ProveWithPasskey => "proof with a passkey",
            Self::SignInWithCode => "sign-in with a code",
            Self::SetUpSecondFactor => "set-up of a second factor",
            Self::VisitProvider => "visit of a provider",
            Self::SignUpWithProvider => "sign-up with a provider",
            Self::LinkTracker => "link of a tracker",
        }
    }

    /// Returns the context of a ceremony of this kind in this browser.
    pub fn context(self, browser: &str, user: Option<UserId>) -> CeremonyContext<'_> {
        CeremonyContext {
            kind: self,
            browser,
            user,
        }
    }
}

/// The purpose of a ceremony, the browser in which it takes place, and the user who takes part.
#[derive(Clone, Copy, Debug)]
pub struct CeremonyContext<'c> {
    /// The kind.
    pub kind: CeremonyKind,
    /// The identifier of the session, or of the browser if no user is signed in.
    pub browser: &'c str,
    /// The signed-in user; `None` for a visitor.
    pub user: Option<UserId>,
}

/// The content of an encrypted state.
#[derive(Serialize, Deserialize)]
struct SealedState<T> {
    /// Makes each state unique.
    id: String,
    /// The time at which the ceremony ends, in seconds since the Unix epoch.
    ends_at: u64,
    state: T,
}

impl CeremonyContext<'_> {
    fn seal_context(self) -> String {
        let user = self.user.map_or(0, UserId::get);
        let kind = self.kind.name();
        format!("{kind} of user {user} in browser {}", self.browser)
    }
}

impl Ceremonies {
    /// Creates the operations on the used states of this database, with these keys.
    pub fn new(database: &Database, sealer: Sealer) -> Self {
        Self {
            sealer,
            used: AttemptStore::new(database),
            clock: database.clock.clone(),
            random: database.random.clone(),
        }
    }

    /// Reads the keys, so that the first request does not wait for them.
    pub async fn warm(&self) -> Result<()> {
        self.sealer.warm().await
    }

    /// Begins a ceremony. Returns its encrypted state, which can be in a URL.
    pub async fn begin<T: Serialize>(
        &self,
        context: CeremonyContext<'_>,
        state: T,
    ) -> Result<String> {
        let sealed = SealedState {
            id: self.random.short_id(),
            ends_at: self.clock.now_s() + CEREMONY_S,
            state,
        };
        let json = serde_json::to_string(&sealed).map_err(Error::internal)?;
        let sealed = self.sealer.seal(&context.seal_context(), &json).await?;
        Ok(sealed.replace('+', "-").replace('/', "_"))
    }

    /// Returns the state of a ceremony; `None` if it was made in another browser, for another user or for another kind
    /// of ceremony, is older than 10 minutes, or is malformed.
    pub async fn read<T: DeserializeOwned>(
        &self,
        context: CeremonyContext<'_>,
        text: &str,
    ) -> Result<Option<T>> {
        Ok(self.open(context, text).await?.map(|sealed| sealed.state))
    }

    /// Returns the state of a ceremony as [`Self::read`] does, and uses it up: every later call returns `None`.
    pub async fn finish<T: DeserializeOwned>(
        &self,
        context: CeremonyContext<'_>,
        text: &str,
    ) -> Result<Option<T>> {
        let Some(sealed) = self.open(context, text).await? else {
            return Ok(None);
        };
        let is_first = self
            .used
            .use_up(&digest(&sealed.id), sealed.ends_at)
            .await?;
        Ok(is_first.then_some(sealed.state))
    }

    async fn open<T: DeserializeOwned>(
        &self,
        context: CeremonyContext<'_>,
        text: &str,
    ) -> Result<Option<SealedState<T>>> {
        let text = text.replace('-', "+").replace('_', "/");
        let json = self.sealer.open(&context.seal_context(), &text).await?;
        let sealed = json.and_then(|json| serde_json::from_str::<SealedState<T>>(&json).ok());
        let now = self.clock.now_s();
        Ok(sealed.filter(|sealed| sealed.ends_at > now))
    }
}
