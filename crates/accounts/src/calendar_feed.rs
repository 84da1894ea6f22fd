//! Addresses of calendar feeds (docs/api.md, "Calendar feed").
//!
//! A calendar program cannot sign in, so the address of a feed contains a secret: the user's identifier and a random
//! part. The user's row has the random part encrypted, not as a digest, so that users can copy the address again for
//! another device. The encryption is bound to the user and to the generation of the user's tokens, so an address stops
//! working when the user's tokens end.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::auth::{Action, Sealer};
use shared::models::UserId;
use shared::random::Random;
use shared::{Error, digest};
use store::{Account, UserStore};

use crate::session::{SignedInUser, user_of_secret};

/// The number of random bytes in a secret.
const RANDOM_BYTES: usize = 16;

/// The operations on the addresses of calendar feeds.
#[derive(Debug)]
pub struct CalendarFeeds {
    users: UserStore,
    sealer: Sealer,
    random: Random,
}

impl CalendarFeeds {
    /// Creates the operations with this store and these keys.
    #[must_use]
    pub fn new(users: UserStore, sealer: Sealer, random: Random) -> Self {
        Self {
            users,
            sealer,
            random,
        }
    }

    /// Gives the user's feed a new address, so that the earlier address stops working. Returns the secret in the new
    /// address.
    pub async fn renew(&self, user: &SignedInUser) -> Result<String, Error> {
        let random = URL_SAFE_NO_PAD.encode(self.random.bytes::<RANDOM_BYTES>());
        let sealed = self
            .sealer
            .seal(&seal_context(&user.account), &random)
            .await?;
        let access = user.access(Action::ManageTokens);
        self.users.set_calendar_feed(&access, Some(&sealed)).await?;
        Ok(format_secret(user.account.user.id, &random))
    }

    /// Ends the address of the user's feed, if it has one.
    pub async fn remove(&self, user: &SignedInUser) -> Result<(), Error> {
        let access = user.access(Action::ManageTokens);
        self.users.set_calendar_feed(&access, None).await
    }

    /// Returns the secret in the address of a user's feed; `None` if the feed has no address.
    pub async fn read_secret(&self, account: &Account) -> Result<Option<String>, Error> {
        let random = self.read_random_part(account).await?;
        Ok(random.map(|random| format_secret(account.user.id, &random)))
    }

    /// Returns the owner of the feed whose address has this secret; `None` if no feed has it.
    pub async fn find_owner(&self, secret: &str) -> Result<Option<Account>, Error> {
        let Some((user, (_, random))) = user_of_secret(secret).zip(secret.split_once('.')) else {
            return Ok(None);
        };
        let Some(account) = self.users.account(user).await? else {
            return Ok(None);
        };
        let expected = self.read_random_part(&account).await?;
        // The digests are compared, so that the duration does not reveal how many characters of a guess are right.
        let is_same = expected.is_some_and(|expected| digest(&expected) == digest(random));
        Ok(is_same.then_some(account))
    }

    /// Decrypts the random part of the secret in the user's row.
    async fn read_random_part(&self, account: &Account) -> Result<Option<String>, Error> {
        match &account.calendar_feed {
            Some(sealed) => self.sealer.open(&seal_context(account), sealed).await,
            None => Ok(None),
        }
    }
}

/// Returns a secret: the user's identifier, a dot and the random part.
fn format_secret(user: UserId, random: &str) -> String {
    format!("{}.{random}", user.get())
}

/// Returns the context of the encrypted random part, which binds it to its user and to the generation of the user's
/// tokens ([`Sealer::seal`]).
fn seal_context(account: &Account) -> String {
    let (user, generation) = (account.user.id.get(), account.token_generation);
    format!("calendar feed of user {user} in generation {generation}")
}
