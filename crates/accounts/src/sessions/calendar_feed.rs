//! Addresses of calendar feeds (docs/api.md, "Calendar feed").
//!
//! A calendar program cannot sign in, so the address of a feed contains a secret: the user's identifier and a random
//! part. The user's row has the random part encrypted, not as a digest, so that users can copy the address again for
//! another device. The encryption is bound to the user and to the generation of the user's tokens, so an address stops
//! working when the user's tokens end.

use shared::Result;
use shared::auth::{Action, AddressSecrets};
use shared::models::UserId;

use super::signed_in::{SignedInUser, user_of_secret};
use crate::users::user::Account;
use crate::users::user_store::UserStore;

/// The operations on the addresses of calendar feeds.
#[derive(Debug)]
pub struct CalendarFeeds {
    users: UserStore,
    secrets: AddressSecrets,
}

impl CalendarFeeds {
    /// Creates the operations with this store and these keys.
    pub fn new(users: UserStore, secrets: AddressSecrets) -> Self {
        Self { users, secrets }
    }

    /// Gives the user's feed a new address, so that the earlier address stops working. Returns the secret in the new
    /// address.
    pub async fn renew(&self, user: &SignedInUser) -> Result<String> {
        let secret = self.secrets.make(&seal_context(&user.account)).await?;
        let access = user.access(Action::ManageTokens);
        let sealed = Some(secret.sealed.as_str());
        self.users.set_calendar_feed(&access, sealed).await?;
        Ok(format_secret(user.account.user.id, &secret.random))
    }

    /// Ends the address of the user's feed, if it has one.
    pub async fn remove(&self, user: &SignedInUser) -> Result<()> {
        let access = user.access(Action::ManageTokens);
        self.users.set_calendar_feed(&access, None).await
    }

    /// Returns the secret in the address of a user's feed; `None` if the feed has no address.
    pub async fn read_secret(&self, account: &Account) -> Result<Option<String>> {
        let Some(sealed) = &account.calendar_feed else {
            return Ok(None);
        };
        let random = self.secrets.open(&seal_context(account), sealed).await?;
        Ok(random.map(|random| format_secret(account.user.id, &random)))
    }

    /// Returns the owner of the feed whose address has this secret; `None` if no feed has it.
    pub async fn find_owner(&self, secret: &str) -> Result<Option<Account>> {
        let Some((user, (_, random))) = user_of_secret(secret).zip(secret.split_once('.')) else {
            return Ok(None);
        };
        let account = self.users.account(user).await?;
        let Some(account) = account.filter(|account| account.calendar_feed.is_some()) else {
            return Ok(None);
        };
        let context = seal_context(&account);
        let sealed = account.calendar_feed.as_deref().unwrap_or_default();
        let is_same = self.secrets.is_same(&context, sealed, random).await?;
        Ok(is_same.then_some(account))
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
