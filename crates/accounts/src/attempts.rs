//! How often something may be tried: passwords above all (NIST SP 800-63B, section 5.2.2).
//!
//! Failures to sign in to an account are counted in two rows. One is for addresses from which the
//! account was signed in to before, the other for all others: whoever guesses from elsewhere uses up
//! the latter alone, and the owner goes on signing in from where they always do; from a new place
//! they have the link that resets the password. Each allows half of the hundred failures in a row
//! that the standard allows, and expires a day after its first.

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

/// Failures to sign in from an address, to whatever account.
const SIGN_IN_ADDRESS: Limit = Limit {
    attempts: 100,
    seconds: HOUR_S,
};

/// Registrations from an address: what a school behind one address may need, and no more hashes than
/// a core computes in a quarter of a minute.
pub const REGISTER_ADDRESS: Limit = Limit {
    attempts: 500,
    seconds: HOUR_S,
};

/// Mails of a kind to an address, exactly as its account has it.
const MAIL_ACCOUNT: Limit = Limit {
    attempts: 5,
    seconds: HOUR_S,
};

/// Mails of a kind to a mailbox under addresses that are only aliases of it and are not verified. Anyone
/// can register those, so this limit keeps a stranger from filling the mailbox.
const MAIL_ALIASES: Limit = Limit {
    attempts: 50,
    seconds: HOUR_S,
};

/// Requests for a mail, and links followed, from an address.
pub const MAIL_ADDRESS: Limit = Limit {
    attempts: 100,
    seconds: HOUR_S,
};

/// Accounts at trackers that are linked from an address, or tried to be: each asks the tracker, whose limits
/// all users share.
pub const TRACKER_ADDRESS: Limit = Limit {
    attempts: 100,
    seconds: HOUR_S,
};

/// How long an address from which an account was signed in to counts as its owner's, in seconds.
const KNOWN_S: u64 = 90 * DAY_S;

/// Counts attempts.
#[derive(Clone, Debug)]
pub struct Attempts {
    store: ThrottleStore,
    clock: Clock,
}

/// An attempt to sign in that was counted as a failure, until it is none.
#[derive(Debug)]
pub struct SignIn {
    user: Option<UserId>,
    account: String,
    network: String,
}

impl Attempts {
    /// Counts in this table.
    #[must_use]
    pub fn new(store: ThrottleStore, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// Counts an attempt to sign in, before anything is computed for it. `user` is who the name or
    /// address `given` belongs to; one that is nobody's is counted alike.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] when there were too many.
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
        // A blocked address must not use up what is left to the account.
        self.take(
            &throttle::of_address("sign_in", &attempt.network),
            SIGN_IN_ADDRESS,
        )
        .await?;
        self.take(&attempt.account, SIGN_IN_ACCOUNT).await?;
        Ok(attempt)
    }

    /// Takes the count of an attempt back that succeeded: the failures in a row end, and where it came
    /// from is known.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn succeeded(&self, attempt: SignIn) -> Result<(), Error> {
        let address = throttle::of_address("sign_in", &attempt.network);
        // Boxed, for the three calls together make a large future.
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

    /// Knows from now on that the owner of an account is at an address: they registered from there, or
    /// followed a link that only they have.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn owner_at(&self, user: UserId, address: CallerAddress) -> Result<(), Error> {
        self.know(user, &digest(&address.network())).await
    }

    async fn know(&self, user: UserId, network: &str) -> Result<(), Error> {
        let until = self.clock.now_s() + KNOWN_S;
        self.store
            .remember(&throttle::known_networks(user), network, until)
            .await
    }

    /// Forgets the failures to sign in to an account, whose owner has chosen a new password.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn forget(&self, user: UserId) -> Result<(), Error> {
        let [known, others, _] = throttle::of_user(user);
        let (known, others) = (self.store.clear(&known), self.store.clear(&others));
        futures_util::try_join!(known.boxed(), others.boxed()).map(|_| ())
    }

    /// Counts something that an address does.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] when it does it too often.
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

    /// Counts a mail of a kind to an account's address, whether or not that is verified.
    ///
    /// The count is by address and not by account, so deleting the account and registering it again gives
    /// no more mail. Unverified aliases of a mailbox (`name+tag@`, `NAME@`) share a second limit. It never
    /// applies to the plain or to a verified address, so a stranger's aliases cannot use up the mail of
    /// the mailbox's owner.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] when there were too many.
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

/// Names and addresses are only compared here, so they are not written out. That keeps them from a
/// glance, not from somebody who has the table and tries all there could be: rows expire, and those of
/// a user go with them.
fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}
