//! Addresses of calendar feeds (docs/api.md, "Calendar feed").
//!
//! A calendar program cannot sign in, so the address of a feed has a secret. The user's row holds it encrypted, not as
//! a digest, so that users can copy the address again for another device. The encryption is bound to the user and to
//! the generation of the user's tokens, so an address stops working when the user's tokens end.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::auth::{Action, Sealer};
use shared::models::UserId;
use shared::random::Random;
use shared::{Error, digest};
use store::{Account, UserStore};

use crate::session::{SignedInUser, user_of_session};

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

    /// Gives the user's feed a new address, and ends the earlier one. Returns the secret in the new address.
    pub async fn renew(&self, user: &SignedInUser) -> Result<String, Error> {
        let random = URL_SAFE_NO_PAD.encode(self.random.bytes::<RANDOM_BYTES>());
        let sealed = self.sealer.seal(&place(&user.account), &random).await?;
        let access = user.access(Action::ManageTokens);
        self.users.set_calendar_feed(&access, Some(&sealed)).await?;
        Ok(secret(user.account.user.id, &random))
    }

    /// Ends the address of the user's feed, if it has one.
    pub async fn remove(&self, user: &SignedInUser) -> Result<(), Error> {
        let access = user.access(Action::ManageTokens);
        self.users.set_calendar_feed(&access, None).await
    }

    /// Returns the secret in the address of a user's feed; `None` if the feed has no address.
    pub async fn secret(&self, account: &Account) -> Result<Option<String>, Error> {
        let random = self.random_part(account).await?;
        Ok(random.map(|random| secret(account.user.id, &random)))
    }

    /// Returns the owner of the feed whose address has this secret; `None` if no feed has it.
    pub async fn owner(&self, secret: &str) -> Result<Option<Account>, Error> {
        let Some((user, (_, random))) = user_of_session(secret).zip(secret.split_once('.')) else {
            return Ok(None);
        };
        let Some(account) = self.users.account(user).await? else {
            return Ok(None);
        };
        let expected = self.random_part(&account).await?;
        // Digests are compared, so that the time does not reveal how much of a guess is right.
        let is_same = expected.is_some_and(|expected| digest(&expected) == digest(random));
        Ok(is_same.then_some(account))
    }

    async fn random_part(&self, account: &Account) -> Result<Option<String>, Error> {
        match &account.calendar_feed {
            Some(sealed) => self.sealer.open(&place(account), sealed).await,
            None => Ok(None),
        }
    }
}

fn secret(user: UserId, random: &str) -> String {
    format!("{}.{random}", user.get())
}

/// Returns the place that the encryption of a secret is bound to.
fn place(account: &Account) -> String {
    let (user, generation) = (account.user.id.get(), account.token_generation);
    format!("calendar feed of user {user} in generation {generation}")
}
