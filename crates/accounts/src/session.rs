//! Sessions of the web pages.
//!
//! A session is not an access token, and an access token is not a session. The browser's cookie holds a
//! random secret, the table Session its digest. A session ends 7 days after its last use, 30 days after it
//! began, when the user signs out, and with everything that ends the user's tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::try_join;
use shared::auth::{Access, Action, CallerRow, Credential};
use shared::clock::Clock;
use shared::models::UserId;
use shared::random::Random;
use shared::{Error, digest};
use store::{Account, Session, SessionStore, UserStore};

/// The lifetime of an unused session, in seconds: 7 days.
const IDLE_S: u64 = 7 * 24 * 60 * 60;

/// The longest lifetime of a session, in seconds: 30 days.
pub const SESSION_S: u64 = 30 * 24 * 60 * 60;

/// The use of a session is recorded at most once in this time, in seconds: one hour.
const NOTED_S: u64 = 60 * 60;

/// A user who is signed in on the web pages.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The account.
    pub account: Account,
    /// The user's credential in the condition of a write, like the token of an API caller.
    pub credential: Credential,
}

impl SignedIn {
    /// Access to the user's own data.
    #[must_use]
    pub fn access(&self, action: Action) -> Access {
        Access::new(&self.credential, action, self.credential.user_id)
    }
}

/// Finds, begins and ends sessions.
#[derive(Clone, Debug)]
pub struct Sessions {
    store: SessionStore,
    users: UserStore,
    clock: Clock,
    random: Random,
}

impl Sessions {
    /// Creates sessions in these stores.
    #[must_use]
    pub fn new(store: SessionStore, users: UserStore, clock: Clock, random: Random) -> Self {
        Self {
            store,
            users,
            clock,
            random,
        }
    }

    /// Finds the session with this secret. Returns `None` if it has ended.
    pub async fn find(&self, secret: &str) -> Result<Option<SignedIn>, Error> {
        let Some(user_id) = user_of(secret) else {
            return Ok(None);
        };
        let id_hash = digest(secret);
        let session = self.store.find(&id_hash);
        let (session, account) = try_join!(session, self.users.account(user_id))?;
        let now = self.clock.now_s();
        let own = |session: &Session| session.user_id == user_id && session.expires_at > now;
        let Some((session, account)) = session.filter(own).zip(account) else {
            return Ok(None);
        };
        let mut signed_in = SignedIn {
            credential: Credential {
                user_id,
                generation: session.generation,
                token_id: id_hash,
                client: None,
            },
            account,
        };
        let row = CallerRow::from(&signed_in.account);
        if signed_in
            .access(Action::ReadOwnAccount)
            .check(Some(&row))
            .is_err()
        {
            return Ok(None);
        }
        // The session that changed the password stays valid, although its generation is the one before the
        // change. Writes and tokens in this session use the present generation.
        signed_in.credential.generation = signed_in.account.token_generation;
        let until = lasts_until(session.begun_at, now);
        if until >= session.expires_at + NOTED_S {
            // If this fails, the session ends sooner. The request can go on.
            if let Err(error) = self.store.prolong(&session.id_hash, until).await {
                tracing::warn!(%error, "a session was not extended");
            }
        }
        Ok(Some(signed_in))
    }

    /// Begins a session for a user who has just signed in. Returns its secret.
    pub async fn begin(&self, account: &Account) -> Result<String, Error> {
        let user = account.user.id;
        let random = URL_SAFE_NO_PAD.encode(self.random.bytes::<32>());
        let secret = format!("{}.{random}", user.get());
        let now = self.clock.now_s();
        let session = Session {
            id_hash: digest(&secret),
            user_id: user,
            generation: account.token_generation,
            begun_at: now,
            expires_at: lasts_until(now, now),
        };
        self.store.begin(&session).await?;
        Ok(secret)
    }

    /// Ends the session with this secret.
    pub async fn end(&self, secret: &str) -> Result<(), Error> {
        self.store.end(&digest(secret)).await
    }
}

/// Returns the user that a session's secret names, so that the user's row can be read at the same time as the
/// session's.
fn user_of(secret: &str) -> Option<UserId> {
    let (user, _) = secret.split_once('.')?;
    user.parse().ok().and_then(UserId::new)
}

fn lasts_until(begun_at: u64, now: u64) -> u64 {
    (now + IDLE_S).min(begun_at + SESSION_S)
}
