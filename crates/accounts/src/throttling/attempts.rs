//! Limits on attempts, mainly on attempts to guess a password (NIST SP 800-63B, section 5.2.2; docs/oauth.md, "Rule
//! 31"). The table of limits is in docs/api.md, "Rate limits".
//!
//! Failed sign-ins to an account are counted in two rows: one for known networks, from which the account has been used,
//! and one for all others. An attacker in another network uses up only the second row, so the owner can still sign in
//! from a known network. From a new network the owner can reset the password by mail. Each row allows 50 failures, half
//! of the 100 consecutive failures that the standard allows, and expires 24 hours after its first failure.
//!
//! Passwords that are typed in a session or sent with an access token are counted in a third row. A person at an
//! unlocked computer uses up only this row, so the owner can still sign in, which is also a proof.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::FutureExt;
use sha2::{Digest, Sha256};
use shared::Result;
use shared::auth::CallerAddress;
use shared::clock::Clock;
use shared::models::{EmailAddress, UserId};

use super::attempt_store::{AttemptStore, Familiarity, Limit};
use super::throttle;

/// The limit on failed sign-ins to an account, for each of its two rows.
const SIGN_INS_PER_ACCOUNT: Limit = Limit::per_day(50);

/// The limit on wrong passwords of a user who is already signed in.
const PROOFS_PER_ACCOUNT: Limit = Limit::per_day(50);

/// The limit on failed sign-ins from a network, to all accounts together. Wrong passwords of users who are already
/// signed in have the same limit, and are counted separately.
const SIGN_INS_PER_NETWORK: Limit = Limit::per_hour(100);

/// The limit on registrations from a network. It is high enough for a school with one IP address. One core computes
/// the hashes of 500 registrations in less than 15 seconds.
pub const REGISTRATIONS_PER_NETWORK: Limit = Limit::per_hour(500);

/// The limit on mails of one kind to one e-mail address. Aliases of a mailbox count as different addresses.
const MAILS_PER_ADDRESS: Limit = Limit::per_hour(5);

/// The limit on mails of one kind to all unverified aliases of a mailbox together. Any caller can register accounts
/// with such aliases, so this limit keeps strangers from filling the mailbox.
const MAILS_PER_MAILBOX: Limit = Limit::per_hour(50);

/// The limit on requests for a reset mail from a network. Uses of mail links from a network have the same limit,
/// and are counted separately.
pub const MAIL_REQUESTS_PER_NETWORK: Limit = Limit::per_hour(100);

/// The limit on attempts to link an account at a tracker, from a network. Each attempt calls the tracker, and all
/// users share the tracker's limits.
pub const LINKINGS_PER_NETWORK: Limit = Limit::per_hour(100);

/// The limit on wrong secrets in the addresses of players, from a network.
pub const PLAYER_GUESSES_PER_NETWORK: Limit = Limit::per_hour(100);

/// The limit on uses of passkeys from a network. It is high enough for a school with one IP address, because uses that
/// succeed count as well.
pub const PASSKEY_USES_PER_NETWORK: Limit = Limit::per_hour(500);

/// The limit on returns from the identity provider, from a network. Each return calls the provider. The limit is as
/// high as the limit for passkeys, for the same reason.
pub const PROVIDER_RETURNS_PER_NETWORK: Limit = Limit::per_hour(500);

/// The time after which the known networks of an account are forgotten, in seconds: 90 days after the last use from
/// any of them.
const KNOWN_NETWORKS_S: u64 = 90 * 24 * 60 * 60;

/// The time after which the known browsers of an account are forgotten, in seconds: 1 year after the last sign-in in
/// any of them.
pub const KNOWN_BROWSERS_S: u64 = 365 * 24 * 60 * 60;

/// Counts attempts and keeps their limits.
#[derive(Clone, Debug)]
pub struct Attempts {
    store: AttemptStore,
    clock: Clock,
}

/// A counted attempt to sign in or to make a proof. It counts as a failure until [`Attempts::record_success`] is
/// called.
#[derive(Debug)]
pub struct SignInAttempt {
    user: Option<UserId>,
    account_key: String,
    network_key: String,
    /// The digest of the network.
    network: String,
}

impl Attempts {
    /// Creates the counters in this store.
    pub fn new(store: AttemptStore, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// Counts an attempt to sign in. It must be called before any hash is computed. `name` is the username or e-mail
    /// address in the request, and `user` is the user with this name or address. Attempts with unknown names and
    /// addresses are counted in the same way.
    ///
    /// # Errors
    /// [`shared::Error::TooManyRequests`] if a limit is reached.
    pub async fn begin_sign_in(
        &self,
        user: Option<UserId>,
        name: &str,
        address: CallerAddress,
    ) -> Result<SignInAttempt> {
        let network = digest(&address.network());
        let owner = match user {
            Some(id) => throttle::user_part(id),
            None => format!("name#{}", digest(name)),
        };
        // Read a row even for an unknown user, so that both cases take the same time.
        let networks_key = throttle::known_networks_key(user.unwrap_or(UserId::LAST));
        let now = self.clock.now_s();
        let is_known = self
            .store
            .is_known_network(&networks_key, &network, now)
            .await?;
        let attempt = SignInAttempt {
            user,
            account_key: throttle::sign_in_failures_key(&owner, is_known),
            network_key: throttle::network_counter_key("sign_in", &network),
            network,
        };
        self.count_both(attempt, SIGN_INS_PER_ACCOUNT).await
    }

    /// Counts an attempt of a signed-in user to type the password, or of a program to send it with an access token. It
    /// must be called before any hash is computed.
    ///
    /// # Errors
    /// [`shared::Error::TooManyRequests`] if a limit is reached.
    pub async fn begin_proof(&self, user: UserId, address: CallerAddress) -> Result<SignInAttempt> {
        let network = digest(&address.network());
        let attempt = SignInAttempt {
            user: Some(user),
            account_key: throttle::proof_failures_key(user),
            network_key: throttle::network_counter_key("proof", &network),
            network,
        };
        self.count_both(attempt, PROOFS_PER_ACCOUNT).await
    }

    /// Counts an attempt for its network and its account. The network is counted first, so that a blocked network does
    /// not use up the attempts of the account.
    async fn count_both(
        &self,
        attempt: SignInAttempt,
        per_account: Limit,
    ) -> Result<SignInAttempt> {
        self.count(&attempt.network_key, SIGN_INS_PER_NETWORK)
            .await?;
        self.count(&attempt.account_key, per_account).await?;
        Ok(attempt)
    }

    /// Records that an attempt has succeeded: clears the row of the account's failures in which the attempt was
    /// counted, takes the attempt off the network's counter, and makes the network a known network of the account.
    pub async fn record_success(&self, attempt: SignInAttempt) -> Result<()> {
        // Each future is boxed to keep the combined future of the three calls small.
        let account = self.store.delete(&attempt.account_key).boxed();
        let address = self.store.uncount_attempt(&attempt.network_key).boxed();
        let remember = async {
            match attempt.user {
                Some(user) => self.remember_network(user, &attempt.network).await,
                None => Ok(()),
            }
        };
        futures_util::try_join!(account, address, remember.boxed()).map(|_| ())
    }

    /// Takes an attempt back, so that it counts neither as a failure nor as a success.
    pub async fn take_back(&self, attempt: SignInAttempt) -> Result<()> {
        let account = self.store.uncount_attempt(&attempt.account_key).boxed();
        let address = self.store.uncount_attempt(&attempt.network_key).boxed();
        futures_util::try_join!(account, address).map(|_| ())
    }

    /// Makes the network of an address a known network of an account. Callers call it after the account's owner has
    /// registered or has reset the password from this network.
    pub async fn remember_address(&self, user: UserId, address: CallerAddress) -> Result<()> {
        self.remember_network(user, &digest(&address.network()))
            .await
    }

    async fn remember_network(&self, user: UserId, network: &str) -> Result<()> {
        let until = self.clock.now_s() + KNOWN_NETWORKS_S;
        self.store
            .add_known(&throttle::known_networks_key(user), network, until)
            .await?;
        Ok(())
    }

    /// Makes a browser, which has this random value in its cookie, a known browser of an account.
    pub async fn remember_browser(&self, user: UserId, browser: &str) -> Result<Familiarity> {
        let until = self.clock.now_s() + KNOWN_BROWSERS_S;
        self.store
            .add_known(&throttle::known_browsers_key(user), &digest(browser), until)
            .await
    }

    /// Clears the failed sign-ins and proofs of an account, after its owner has reset the password.
    pub async fn clear_failures(&self, user: UserId) -> Result<()> {
        let [known, others, proofs, ..] = throttle::keys_of_user(user);
        let (known, others) = (self.store.delete(&known), self.store.delete(&others));
        let proofs = self.store.delete(&proofs);
        futures_util::try_join!(known.boxed(), others.boxed(), proofs.boxed()).map(|_| ())
    }

    /// Counts an action from a network. `action` is the action's name in the key of the counter, such as `register`.
    ///
    /// # Errors
    /// [`shared::Error::TooManyRequests`] if the limit is reached.
    pub async fn count_by_network(
        &self,
        action: &str,
        address: CallerAddress,
        limit: Limit,
    ) -> Result<()> {
        let network = digest(&address.network());
        self.count(&throttle::network_counter_key(action, &network), limit)
            .await
    }

    /// Counts a mail of one kind to an account's e-mail address. `kind` is `email_verification` or `password_reset`.
    ///
    /// Mails are counted for the address and not for the account, so that deleting an account and registering
    /// it again does not allow more mail. Unverified aliases of a mailbox (`name+tag@`, `NAME@`) share a
    /// second limit. It applies neither to the mailbox's plain address nor to a verified address, so a
    /// stranger who registers aliases of a mailbox cannot block the mails to its owner.
    ///
    /// # Errors
    /// [`shared::Error::TooManyRequests`] if a limit is reached.
    pub async fn count_mail(&self, kind: &str, to: &EmailAddress, is_verified: bool) -> Result<()> {
        let key = format!("{kind}#address_of_account#{}", digest(to.as_str()));
        self.count(&key, MAILS_PER_ADDRESS).await?;
        let mailbox = to.mailbox();
        if is_verified || mailbox == to.as_str() {
            return Ok(());
        }
        let key = format!("{kind}#mailbox#{}", digest(&mailbox));
        self.count(&key, MAILS_PER_MAILBOX).await
    }

    async fn count(&self, key: &str, limit: Limit) -> Result<()> {
        self.store
            .count_attempt(key, limit, self.clock.now_s())
            .await
    }
}

/// Returns the SHA-256 of a name, an e-mail address or a network, in Base64url. These values are only compared, so
/// it is enough to store their digests. A digest hides a value from a casual reader of the table, but not from a
/// reader who tries all possible values. All rows expire. When a user is deleted, the user's sign-in counters and
/// known networks are deleted; the counters of mails to the user's address stay until they expire.
fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}
