//! Passkeys, accounts at identity providers and second factors: the attribute `factors` of the table
//! [`crate::schema::user`], and the marker rows for identities in [`crate::schema::unique`].

use aws_sdk_dynamodb::types::TransactWriteItem;
use shared::Error;
use shared::auth::Access;
use shared::models::{Factors, Identity, UserId};

use crate::errors::{NO_USER, identity_taken};
use crate::item::{Item, map, number, text};
use crate::schema::unique;
use crate::schema::user::{Account, key as user_key};
use crate::transaction::{Condition, Outcome, transact};
use crate::users::{UserStore, caller_row};

/// The update that ends every token and session of a user.
const END_TOKENS: &str = "token_generation = token_generation + :one";

impl UserStore {
    /// Returns the user with this account at an identity provider.
    pub async fn find_by_identity(&self, identity: &Identity) -> Result<Option<UserId>, Error> {
        self.find_marker(&unique::of_identity(identity)).await
    }

    /// Replaces the caller's factors, which are still `seen`, by `new`. With `ends_others`, every token and session
    /// ends except the caller's. Only for callers with a session, because the table OAuthGrant is not checked.
    ///
    /// # Errors
    /// [`Error::Changed`] if the factors are no longer `seen`, or [`Error::Conflict`] that names `provider` if another
    /// user has the account at the identity provider.
    pub async fn change_factors(
        &self,
        access: &Access,
        seen: &Factors,
        new: Factors,
        ends_others: bool,
    ) -> Result<(), Error> {
        let id = access.credential.user_id;
        let markers = self.identity_markers(id, seen, &new)?;
        let caller = self.caller_condition(access).await?;
        let (mut condition, mut update) = replace_factors(caller, seen, new)?;
        if ends_others {
            condition = condition
                .value("one", number(1))
                .value("kept", text(&access.credential.token_id));
            update = format!("{update}, {END_TOKENS}, kept_token = :kept");
        }
        let row = condition.update(&self.users, user_key(id), &update)?;
        match self.write_row_and_markers(row, markers).await? {
            None => Ok(()),
            Some(row) => {
                access.check(caller_row(row)?.as_ref())?;
                Err(Error::Changed)
            }
        }
    }

    /// Replaces the factors of a user who signs in with one of them, if they are still `seen`. Returns false if they
    /// have changed in the meantime, or if the user does not exist.
    pub async fn record_factor_use(
        &self,
        id: UserId,
        seen: &Factors,
        new: Factors,
    ) -> Result<bool, Error> {
        let (condition, update) = replace_factors(Condition::user_exists(), seen, new)?;
        let updated = self.update(id, condition, &update).await?;
        Ok(updated.is_written())
    }

    /// Connects an account at an identity provider to a user who signs in with it for the first time.
    ///
    /// # Errors
    /// As [`Self::replace_factors`], or [`Error::Conflict`] that names `provider` if another user has the account at
    /// the provider.
    pub async fn connect_identity(
        &self,
        account: &Account,
        identity: Identity,
    ) -> Result<(), Error> {
        let new = Factors {
            identity: Some(identity),
            ..account.factors.clone()
        };
        self.write_factors(account, new, false).await
    }

    /// Replaces the factors of a user for the operator, and ends every token and session of the user.
    ///
    /// # Errors
    /// [`Error::Changed`] if the factors have changed in the meantime, or [`Error::NotFound`].
    pub async fn replace_factors(&self, account: &Account, new: Factors) -> Result<(), Error> {
        self.write_factors(account, new, true).await
    }

    /// Replaces the password of a user, whose password and e-mail address are still those of `seen`, and ends every
    /// token and session of the user. With `removes_factors`, the factors, still those of `seen` too, are removed in
    /// the same transaction. Returns false if anything of this has changed in the meantime, or if the user does not
    /// exist.
    pub async fn reset_password(
        &self,
        seen: &Account,
        password_hash: String,
        removes_factors: bool,
    ) -> Result<bool, Error> {
        let id = seen.user.id;
        let is_unchanged = Condition::new("password_version = :version")
            .value("version", number(seen.password_version))
            .value("password_hash", text(password_hash))
            .value("one", number(1))
            .and(Condition::has_email_version(seen.email_version));
        let reset = format!(
            "password_hash = :password_hash, password_version = password_version + :one, {END_TOKENS} \
            REMOVE kept_token"
        );
        if !removes_factors {
            let update = format!("SET {reset}");
            return Ok(self.update(id, is_unchanged, &update).await?.is_written());
        }
        let none = Factors::default();
        let markers = self.identity_markers(id, &seen.factors, &none)?;
        let (condition, update) = replace_factors(is_unchanged, &seen.factors, none)?;
        let row = condition.update(&self.users, user_key(id), &format!("{update}, {reset}"))?;
        Ok(self.write_row_and_markers(row, markers).await?.is_none())
    }

    async fn write_factors(
        &self,
        account: &Account,
        new: Factors,
        ends_tokens: bool,
    ) -> Result<(), Error> {
        let (id, seen) = (account.user.id, &account.factors);
        let markers = self.identity_markers(id, seen, &new)?;
        let (mut condition, mut update) = replace_factors(Condition::user_exists(), seen, new)?;
        if ends_tokens {
            condition = condition.value("one", number(1));
            update = format!("{update}, {END_TOKENS} REMOVE kept_token");
        }
        let row = condition.update(&self.users, user_key(id), &update)?;
        match self.write_row_and_markers(row, markers).await? {
            None => Ok(()),
            Some(row) if row.is_empty() => Err(NO_USER),
            Some(_) => Err(Error::Changed),
        }
    }

    /// Writes the row of a user and the marker rows in one transaction. Returns the row if its condition failed.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `provider` if only the condition of a marker row failed.
    async fn write_row_and_markers(
        &self,
        row: TransactWriteItem,
        markers: Vec<TransactWriteItem>,
    ) -> Result<Option<Item>, Error> {
        let actions = std::iter::once(row).chain(markers).collect();
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Ok(None),
            Outcome::Refused(mut rows) => {
                let row = rows.first_mut().and_then(Option::take);
                row.map(Some).ok_or_else(identity_taken)
            }
        }
    }

    /// Returns the actions on the marker rows of a user whose account at an identity provider changes.
    pub(super) fn identity_markers(
        &self,
        id: UserId,
        seen: &Factors,
        new: &Factors,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let marker = |factors: &Factors| factors.identity.as_ref().map(unique::of_identity);
        let (old, new) = (marker(seen), marker(new));
        if old == new {
            return Ok(Vec::new());
        }
        let mut actions = Vec::new();
        if let Some(new) = new {
            actions.push(self.put_marker(&new, id)?);
        }
        if let Some(old) = old {
            actions.push(self.delete_marker(&old, id)?);
        }
        Ok(actions)
    }
}

/// Returns `condition` together with the condition that the factors are still `seen`, and the update that replaces
/// them.
fn replace_factors(
    condition: Condition,
    seen: &Factors,
    mut new: Factors,
) -> Result<(Condition, String), Error> {
    new.version = seen.version + 1;
    let condition = condition.and(has_factors(seen));
    let condition = condition.value("factors", map(&new)?);
    Ok((condition, "SET factors = :factors".to_owned()))
}

/// Returns the condition that a user still has these factors.
pub(super) fn has_factors(seen: &Factors) -> Condition {
    if seen.is_unset() {
        Condition::new("attribute_not_exists(factors)")
    } else {
        Condition::new("factors.version = :seen").value("seen", number(seen.version))
    }
}
