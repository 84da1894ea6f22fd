//! Limits on attempts, above all on attempts to guess a password (NIST SP 800-63B, section 5.2.2;
//! docs/oauth.md, "Rule 31"). The table of limits is in docs/api.md, "Rate limits".
//!
//! Failed sign-ins to an account are counted in two rows: one for known networks, from which the account was
//! used before, the other for all other networks. An attacker in another network uses up only the second row,
//! so the owner can still sign in from a known network. From a new network the owner can reset the password
//! by mail. Each row allows 50 failures, half of the 100 consecutive failures that the standard allows, and
//! expires 24 hours after its first failure.

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

/// Failed sign-ins to an account, in each of its two rows.
const SIGN_IN_ACCOUNT: Limit = Limit::per_day(50);

/// Failed sign-ins from a network, to any account.
const SIGN_IN_ADDRESS: Limit = Limit::per_hour(100);

/// Registrations from a network. The limit is high enough for a school with one IP address, and the hashes of
/// 500 registrations take one core less than 15 seconds.
pub const REGISTER_ADDRESS: Limit = Limit::per_hour(500);

/// Mails of one kind to one e-mail address. Aliases of a mailbox count as different addresses.
const MAIL_ACCOUNT: Limit = Limit::per_hour(5);

/// Mails of one kind to all unverified aliases of a mailbox together. Any caller can register an account with
/// such an alias, so this limit keeps strangers from filling the mailbox.
const MAIL_ALIASES: Limit = Limit::per_hour(50);

/// Requests for a reset mail from a network, and uses of mail links from a network.
pub const MAIL_ADDRESS: Limit = Limit::per_hour(100);

/// Attempts to link an account at a tracker, from a network. Each attempt calls the tracker, whose limits all
/// users share.
pub const TRACKER_ADDRESS: Limit = Limit::per_hour(100);

/// The known networks of an account are forgotten this long after the last use from any of them, in seconds:
/// 90 days.
const KNOWN_S: u64 = 90 * 24 * 60 * 60;

/// Counts attempts and keeps their limits.
#[derive(Clone, Debug)]
pub struct Attempts {
    store: ThrottleStore,
    clock: Clock,
}

/// A counted attempt to sign in. It counts as a failure until [`Attempts::succeeded`] is called.
#[derive(Debug)]
pub struct SignIn {
    user: Option<UserId>,
    account: String,
    network: String,
}

impl Attempts {
    /// Creates the counters in this store.
    #[must_use]
    pub fn new(store: ThrottleStore, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// Counts an attempt to sign in, before any hash is computed. `name` is the username or e-mail address
    /// in the request, and `user` the user that has it. Attempts for unknown names and addresses are counted
    /// in the same way.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if a limit is reached.
    pub async fn begin_sign_in(
        &self,
        user: Option<UserId>,
        name: &str,
        address: CallerAddress,
    ) -> Result<SignIn, Error> {
        let network = digest(&address.network());
        let owner = match user {
            Some(id) => throttle::owner(id),
            None => format!("name#{}", digest(name)),
        };
        // Read a row even for an unknown user, so that both cases take the same time.
        let known = throttle::known_networks(user.unwrap_or(UserId::LAST));
        let now = self.clock.now_s();
        let known = self.store.is_known_network(&known, &network, now).await?;
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

    /// Records that an attempt has succeeded: clears the row of the account's failures in which the attempt
    /// was counted, gives the attempt back to the network's counter, and makes the network a known one.
    pub async fn succeeded(&self, attempt: SignIn) -> Result<(), Error> {
        let address = throttle::of_address("sign_in", &attempt.network);
        // Each future is boxed to keep the combined future of the three calls small.
        let account = self.store.clear(&attempt.account).boxed();
        let address = self.store.uncount_attempt(&address).boxed();
        let known = async {
            match attempt.user {
                Some(user) => self.remember_network(user, &attempt.network).await,
                None => Ok(()),
            }
        };
        futures_util::try_join!(account, address, known.boxed()).map(|_| ())
    }

    /// Makes the network of an address a known one of an account. Called when the account's owner has just registered or
    /// reset the password from this network.
    pub async fn remember_address(
        &self,
        user: UserId,
        address: CallerAddress,
    ) -> Result<(), Error> {
        self.remember_network(user, &digest(&address.network()))
            .await
    }

    async fn remember_network(&self, user: UserId, network: &str) -> Result<(), Error> {
        let until = self.clock.now_s() + KNOWN_S;
        self.store
            .add_known_network(&throttle::known_networks(user), network, until)
            .await
    }

    /// Clears the failed sign-ins of an account, after its owner has reset the password.
    pub async fn clear_failures(&self, user: UserId) -> Result<(), Error> {
        let [known, others, _] = throttle::of_user(user);
        let (known, others) = (self.store.clear(&known), self.store.clear(&others));
        futures_util::try_join!(known.boxed(), others.boxed()).map(|_| ())
    }

    /// Counts an action from a network. `what` is the action's name in the key, such as `register`.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if the limit is reached.
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

    /// Counts a mail of one kind to an account's e-mail address. `kind` is `email_verification` or
    /// `password_reset`.
    ///
    /// Mails are counted for the address and not for the account, so that deleting an account and registering
    /// it again does not allow more mail. Unverified aliases of a mailbox (`name+tag@`, `NAME@`) share a
    /// second limit. It applies neither to the mailbox's plain address nor to a verified address, so a
    /// stranger who registers aliases of a mailbox cannot block the mails to its owner.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if a limit is reached.
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

/// Returns the SHA-256 of a name, an e-mail address or a network, in Base64url. These values are only
/// compared, so it is enough to store their digests. A digest hides a value from a casual reader of the table, but
/// not from a reader who tries all possible values. The rows expire, and a user's rows are deleted with the user.
fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}
