//! Limits on attempts, above all at passwords (NIST SP 800-63B, section 5.2.2; docs/oauth.md, "Rule 31").
//!
//! Failures to sign in to an account are counted in two rows: one for networks from which the account was
//! signed in to before, the other for all other networks. An attacker from elsewhere uses up only the second,
//! so the owner can still sign in from a known network. From a new network the owner can use the password
//! reset link. Each row allows half of the 100 consecutive failures that the standard allows, and expires one
//! day after its first failure.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::FutureExt;
use sha2::{Digest, Sha256};
use shared::Error;
use shared::auth::CallerAddress;
use shared::clock::Clock;
use shared::models::{EmailAddress, UserId};
use store::schema::throttle;
use store::{Limit, ThrottleStore};

const HOUR_S: u64 = 60 * 60;
const DAY_S: u64 = 24 * HOUR_S;

/// Failures to sign in to an account, in each of its two rows.
const SIGN_IN_ACCOUNT: Limit = Limit {
    attempts: 50,
    seconds: DAY_S,
};

/// Failures to sign in from a network, to any account.
const SIGN_IN_ADDRESS: Limit = Limit {
    attempts: 100,
    seconds: HOUR_S,
};

/// Registrations from a network. The limit is high enough for a school behind one address, and its hashes
/// take one core less than 15 seconds.
pub const REGISTER_ADDRESS: Limit = Limit {
    attempts: 500,
    seconds: HOUR_S,
};

/// Mails of one kind to an address, exactly as its account has it.
const MAIL_ACCOUNT: Limit = Limit {
    attempts: 5,
    seconds: HOUR_S,
};

/// Mails of one kind to a mailbox under addresses that are only aliases of it and are not verified. Anyone
/// can register those, so this limit keeps a stranger from filling the mailbox.
const MAIL_ALIASES: Limit = Limit {
    attempts: 50,
    seconds: HOUR_S,
};

/// Requests for a mail, and links followed, from a network.
pub const MAIL_ADDRESS: Limit = Limit {
    attempts: 100,
    seconds: HOUR_S,
};

/// Attempts to link an account at a tracker, from a network. Each one calls the tracker, whose limits all
/// users share.
pub const TRACKER_ADDRESS: Limit = Limit {
    attempts: 100,
    seconds: HOUR_S,
};

/// A network from which an account was signed in to stays known for this long, in seconds: 90 days.
const KNOWN_S: u64 = 90 * DAY_S;

/// Counts attempts.
#[derive(Clone, Debug)]
pub struct Attempts {
    store: ThrottleStore,
    clock: Clock,
}

/// An attempt to sign in. It counts as a failure until [`Attempts::succeeded`].
#[derive(Debug)]
pub struct SignIn {
    user: Option<UserId>,
    account: String,
    network: String,
}

impl Attempts {
    /// Creates a counter on this table.
    #[must_use]
    pub fn new(store: ThrottleStore, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// Counts an attempt to sign in, before any hash is computed. `user` is the user with the name or address
    /// `given`. Unknown names and addresses are counted the same way.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] when a limit is reached.
    pub async fn begin(
        &self,
        user: Option<UserId>,
        given: &str,
        address: CallerAddress,
    ) -> Result<SignIn, Error> {
        let network = digest(&address.network());
        let owner = match user {
            Some(id) => throttle::owner(id),
            None => format!("name#{}", digest(given)),
        };
        let known = throttle::known_networks(user.unwrap_or(UserId::LAST));
        let now = self.clock.now_s();
        let known = self.store.remembers(&known, &network, now).await?;
        let attempt = SignIn {
            user,
            account: throttle::sign_in_failures(&owner, known),
            network,
        };
        // The network is counted first, so that a blocked network does not use up the attempts of the
        // account.
        self.take(
            &throttle::of_address("sign_in", &attempt.network),
            SIGN_IN_ADDRESS,
        )
        .await?;
        self.take(&attempt.account, SIGN_IN_ACCOUNT).await?;
        Ok(attempt)
    }

    /// Takes back the count of a successful attempt: the consecutive failures end, and the network becomes
    /// known.
    pub async fn succeeded(&self, attempt: SignIn) -> Result<(), Error> {
        let address = throttle::of_address("sign_in", &attempt.network);
        // Boxed, because the three calls together make a large future.
        let account = self.store.clear(&attempt.account).boxed();
        let address = self.store.give_back(&address).boxed();
        let known = async {
            match attempt.user {
                Some(user) => self.know(user, &attempt.network).await,
                None => Ok(()),
            }
        };
        futures_util::try_join!(account, address, known.boxed()).map(|_| ())
    }

    /// Marks a network as known for an account whose owner has registered from it or followed a link sent by
    /// mail.
    pub async fn owner_at(&self, user: UserId, address: CallerAddress) -> Result<(), Error> {
        self.know(user, &digest(&address.network())).await
    }

    async fn know(&self, user: UserId, network: &str) -> Result<(), Error> {
        let until = self.clock.now_s() + KNOWN_S;
        self.store
            .remember(&throttle::known_networks(user), network, until)
            .await
    }

    /// Clears the sign-in failures of an account after its owner has set a new password.
    pub async fn forget(&self, user: UserId) -> Result<(), Error> {
        let [known, others, _] = throttle::of_user(user);
        let (known, others) = (self.store.clear(&known), self.store.clear(&others));
        futures_util::try_join!(known.boxed(), others.boxed()).map(|_| ())
    }

    /// Counts an action from a network.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] when the limit is reached.
    pub async fn by_address(
        &self,
        what: &str,
        address: CallerAddress,
        limit: Limit,
    ) -> Result<(), Error> {
        let network = digest(&address.network());
        self.take(&throttle::of_address(what, &network), limit)
            .await
    }

    /// Counts a mail of one kind to an account's address, verified or not.
    ///
    /// The count is by address and not by account, so that deleting and registering an account again does not
    /// allow more mail. Unverified aliases of a mailbox (`name+tag@`, `NAME@`) share a second limit. It never
    /// applies to the plain or to a verified address, so a stranger's aliases cannot use up the mail of the
    /// mailbox's owner.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] when a limit is reached.
    pub async fn mail(
        &self,
        kind: &str,
        to: &EmailAddress,
        is_verified: bool,
    ) -> Result<(), Error> {
        let key = format!("{kind}#address_of_account#{}", digest(to.as_str()));
        self.take(&key, MAIL_ACCOUNT).await?;
        let mailbox = to.mailbox();
        if is_verified || mailbox == to.as_str() {
            return Ok(());
        }
        let key = format!("{kind}#mailbox#{}", digest(&mailbox));
        self.take(&key, MAIL_ALIASES).await
    }

    async fn take(&self, key: &str, limit: Limit) -> Result<(), Error> {
        self.store.take(key, limit, self.clock.now_s()).await
    }
}

/// Names and addresses are only compared here, so their digests are stored. That hides them from a casual
/// reader of the table, but not from one who tries all possible values. The rows expire, and a user's rows
/// are deleted with the user.
fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}
