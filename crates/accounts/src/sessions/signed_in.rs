//! Sessions of the web pages (docs/oauth.md, "Sessions").
//!
//! A session is never accepted as an access token, nor an access token as a session. The browser's cookie holds the
//! session's secret, and the table Session holds the digest of the secret. The secret names its user, and ends with an
//! authentication code, so that a forged cookie with the name of a user causes no read.
//!
//! A session ends 7 days after its last use (up to 1 hour earlier, because a use is recorded at most once an hour), 30
//! days after it began, when the user signs out, and when the user's tokens end.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dynamo::Database;
use futures_util::try_join;
use serde::{Deserialize, Serialize};
use shared::auth::{Access, Action, Authenticator, CallerRow, Credential};
use shared::clock::Clock;
use shared::models::UserId;
use shared::random::Random;
use shared::{Result, digest};

use super::session::Session;
use super::session_store::SessionStore;
use crate::users::user::Account;
use crate::users::user_store::UserStore;

/// The time after which an unused session expires, in seconds: 7 days.
const IDLE_TIMEOUT_S: u64 = 7 * 24 * 60 * 60;

/// The maximum lifetime of a session, in seconds: 30 days.
pub const SESSION_S: u64 = 30 * 24 * 60 * 60;

/// The minimum time between two extensions of a session, in seconds: 1 hour. It limits the writes to the table Session.
const MIN_EXTENSION_S: u64 = 60 * 60;

/// The time for which a proof allows changes of the account, in seconds: 10 minutes.
pub const FRESH_PROOF_S: u64 = 10 * 60;

/// The purpose of the authentication code in a secret.
const SECRET: &str = "session of the web pages";

/// The browser that begins a session, as its user sees it in the list of sessions.
#[derive(Clone, Debug, Default)]
pub struct SessionOrigin {
    /// The name of the browser and of its operating system, such as `Firefox, Linux`. Empty if they are unknown.
    pub browser: String,
    /// The network ([`CallerAddress::network`]).
    pub network: String,
    /// The time of the proof, in seconds since the Unix epoch, if it was before the sign-in. For example, the user may
    /// have entered a password at the identity provider some time ago.
    pub proved_at: Option<u64>,
    /// The session at the identity provider in which the session begins.
    pub provider: ProviderSession,
}

/// A session at an identity provider.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct ProviderSession {
    /// A digest of its identifier.
    pub id: Option<String>,
    /// The ID token, which the provider needs when the user signs out there.
    pub id_token: Option<String>,
}

shared::hide_values!(ProviderSession);

/// A user who is signed in on the web pages.
#[derive(Clone, Debug)]
pub struct SignedInUser {
    /// The account.
    pub account: Account,
    /// The credential of the session. Permission checks and writes use it like the credential of an access token.
    pub credential: Credential,
    /// The time of the last proof, with a password, a passkey or an identity provider, that the user owns the account,
    /// in seconds since the Unix epoch.
    pub proved_at: u64,
}

impl SignedInUser {
    /// Returns the name of the user.
    pub fn username(&self) -> &str {
        &self.account.user.username
    }

    /// Returns the locale code of the user.
    pub fn localization(&self) -> &str {
        &self.account.localization
    }

    /// Returns true if the last proof is at most 10 minutes old. `now` is in seconds since the Unix epoch.
    pub fn has_fresh_proof(&self, now: u64) -> bool {
        now < self.proved_at + FRESH_PROOF_S
    }

    /// Returns the access that the user needs for an action on their own data.
    pub fn access(&self, action: Action) -> Access {
        Access::new(&self.credential, action, self.credential.user_id)
    }
}

/// The operations on sessions.
#[derive(Clone, Debug)]
pub struct Sessions {
    store: SessionStore,
    users: UserStore,
    authenticator: Authenticator,
    clock: Clock,
    /// The source of the secrets of sessions.
    pub random: Random,
}

impl Sessions {
    /// Creates the operations on the stores of this database.
    pub fn new(database: &Database, authenticator: Authenticator) -> Self {
        Self {
            store: SessionStore::new(database),
            users: UserStore::new(database),
            authenticator,
            clock: database.clock.clone(),
            random: database.random.clone(),
        }
    }

    /// Returns the user that the secret of a session names, so that the user's rows can be read at the same time as the
    /// session. `None` if this service has not made the secret. The session may have ended.
    pub async fn named_user(&self, secret: &str) -> Result<Option<UserId>> {
        let text = self.authenticator.verify(SECRET, secret).await?;
        Ok(text.and_then(user_of_secret))
    }

    /// Returns the user of the session with this secret, or `None` if the session has ended. Extends the
    /// session, at most once an hour. Reads nothing if this service has not made the secret.
    pub async fn find(&self, secret: &str) -> Result<Option<SignedInUser>> {
        let Some(user_id) = self.named_user(secret).await? else {
            return Ok(None);
        };
        let id_hash = digest(secret);
        let session = self.store.find(&id_hash);
        let (session, account) = try_join!(session, self.users.account(user_id))?;
        let now = self.clock.now_s();
        let is_valid = |session: &Session| session.user_id == user_id && session.expires_at > now;
        let Some((session, account)) = session.filter(is_valid).zip(account) else {
            return Ok(None);
        };
        let mut signed_in = SignedInUser {
            credential: Credential {
                user_id,
                generation: session.generation,
                token_id: id_hash,
                client: None,
                profile_token: None,
                scope: None,
            },
            account,
            proved_at: session.proved_at.unwrap_or(session.begun_at),
        };
        let row = CallerRow::from(&signed_in.account);
        if signed_in
            .access(Action::ReadOwnAccount)
            .check(Some(&row))
            .is_err()
        {
            return Ok(None);
        }
        // The session in which the password was changed stays valid, although its row has the generation from before
        // the change. So writes and tokens of this session must use the current generation.
        signed_in.credential.generation = signed_in.account.token_generation;
        let until = expiry_time(session.begun_at, now);
        if until >= session.expires_at + MIN_EXTENSION_S {
            // If the extension fails, the session only ends earlier, so the request continues.
            if let Err(error) = self.store.prolong(&session.id_hash, now, until).await {
                tracing::warn!(%error, "a session was not extended");
            }
        }
        Ok(Some(signed_in))
    }

    /// Begins a session for a user who has just signed in. Returns its secret, the value of the cookie.
    pub async fn begin(&self, account: &Account, origin: SessionOrigin) -> Result<String> {
        let user = account.user.id;
        let random = URL_SAFE_NO_PAD.encode(self.random.bytes::<32>());
        let text = format!("{}.{random}", user.get());
        let secret = self.authenticator.sign(SECRET, &text).await?;
        let now = self.clock.now_s();
        let session = Session {
            id_hash: digest(&secret),
            user_id: user,
            generation: account.token_generation,
            begun_at: now,
            expires_at: expiry_time(now, now),
            used_at: now,
            proved_at: origin.proved_at,
            browser: origin.browser,
            network: origin.network,
            provider_session: origin.provider.id,
            id_token: origin.provider.id_token,
        };
        self.store.create(&session).await?;
        Ok(secret)
    }

    /// Records a proof that the user of a session owns the account.
    pub async fn record_proof(&self, user: &SignedInUser) -> Result<()> {
        let now = self.clock.now_s();
        self.store
            .record_proof(&user.credential.token_id, now)
            .await
    }

    /// Returns true if the user's last proof is at most 10 minutes old.
    pub fn has_fresh_proof(&self, user: &SignedInUser) -> bool {
        user.has_fresh_proof(self.clock.now_s())
    }

    /// Ends the session with this secret. Does nothing if this service has not made the secret.
    pub async fn end(&self, secret: &str) -> Result<()> {
        match self.named_user(secret).await? {
            Some(_) => self.store.delete(&digest(secret)).await,
            None => Ok(()),
        }
    }
}

/// Returns the user that the secret of a session or of a calendar feed names.
pub(crate) fn user_of_secret(secret: &str) -> Option<UserId> {
    let (user, _) = secret.split_once('.')?;
    user.parse().ok().and_then(UserId::new)
}

/// Returns the time at which a session expires if it is used at `now`, in seconds since the Unix epoch.
fn expiry_time(begun_at: u64, now: u64) -> u64 {
    (now + IDLE_TIMEOUT_S).min(begun_at + SESSION_S)
}
