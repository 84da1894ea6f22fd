//! The removal of ways to sign in: a user always keeps one.

use shared::auth::Action;
use shared::models::{Factors, Identity, Passkey};
use shared::{Error, Result};

use super::passkeys::{ATTEMPTS, Passkeys};
use crate::service::accounts::Accounts;
use crate::sessions::signed_in::SignedInUser;
use crate::users::factors::OtherSessions;
use crate::users::user::Account;

impl Accounts {
    /// Removes a passkey from an account, and ends all other sessions and all tokens of the user. Returns the passkey.
    /// `issuer` is the issuer of the server's identity provider. A passkey of another public URL, an account at another
    /// provider and a password that is not taken do not count as remaining ways to sign in.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `passkey` if it is the last way in, or [`Error::NotFound`].
    pub async fn remove_passkey(
        &self,
        passkeys: &Passkeys,
        owner: &SignedInUser,
        id: &str,
        issuer: Option<&str>,
    ) -> Result<Passkey> {
        let remove = |account: &Account, factors: &mut Factors| {
            let mut usable = usable_factors(passkeys, factors, Some(id));
            usable
                .identity
                .take_if(|identity| issuer != Some(&identity.issuer));
            let has_password = self.can_use_password(account);
            let removed = usable.remove_passkey(id, has_password)?;
            factors.passkeys.retain(|passkey| passkey.id != id);
            Ok(removed)
        };
        self.change_factors(owner, OtherSessions::End, remove).await
    }

    /// Disconnects an account from the identity provider, and ends all other sessions and all tokens of the user.
    /// Returns the account at the provider. A passkey of another public URL and a password that is not taken do not
    /// count as remaining ways to sign in.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `provider` if it is the last way in, or [`Error::NotFound`].
    pub async fn disconnect_provider(
        &self,
        passkeys: &Passkeys,
        owner: &SignedInUser,
    ) -> Result<Identity> {
        let disconnect = |account: &Account, factors: &mut Factors| {
            let mut usable = usable_factors(passkeys, factors, None);
            let has_password = self.can_use_password(account);
            let removed = usable.remove_identity(has_password)?;
            factors.identity = None;
            Ok(removed)
        };
        self.change_factors(owner, OtherSessions::End, disconnect)
            .await
    }

    /// Changes the factors of a user. Tries again with the current factors if they have changed meanwhile.
    pub(super) async fn change_factors<T>(
        &self,
        owner: &SignedInUser,
        others: OtherSessions,
        change: impl Fn(&Account, &mut Factors) -> Result<T>,
    ) -> Result<T> {
        let users = &self.users;
        let access = owner.access(Action::ChangePassword);
        let mut account = owner.account.clone();
        for _ in 0..ATTEMPTS {
            let mut factors = account.factors.clone();
            let changed = change(&account, &mut factors)?;
            match users
                .change_factors(&access, &account.factors, factors, others)
                .await
            {
                Ok(()) => return Ok(changed),
                Err(Error::Changed) => {
                    let present = users.account(owner.account.user.id).await?;
                    account = present.ok_or(Error::InvalidToken)?;
                }
                Err(error) => return Err(error),
            }
        }
        Err(Error::Contended)
    }
}

/// Returns the factors without the passkeys of other public URLs, but with the passkey `removed`.
fn usable_factors(passkeys: &Passkeys, factors: &Factors, removed: Option<&str>) -> Factors {
    let mut usable = factors.clone();
    usable
        .passkeys
        .retain(|passkey| removed == Some(&passkey.id) || passkeys.is_usable(passkey));
    usable
}
