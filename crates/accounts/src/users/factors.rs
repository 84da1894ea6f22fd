//! Passkeys, accounts at identity providers and second factors: the attribute `factors` of the table
//! [`super::user`], and the marker rows for identities in [`super::unique`].

use aws_sdk_dynamodb::types::TransactWriteItem;
use dynamo::{Condition, Item, Outcome, map, number, text};
use shared::auth::Access;
use shared::models::{Factors, Identity, UserId};
use shared::{Error, Result};

use super::conditions::{caller_row, has_email_version, user_exists};
use super::unique;
use super::user::{Account, key as user_key};
use super::user_store::UserStore;
use crate::errors::{NO_USER, identity_taken};

/// The effect of a change on the tokens and sessions of a user, except the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherSessions {
    /// They end.
    End,
    /// They stay.
    Keep,
}

/// The update that ends every token and session of a user.
const END_TOKENS: &str = "token_generation = token_generation + :one";

impl UserStore {
    /// Returns the user with this account at an identity provider.
    pub async fn find_by_identity(&self, identity: &Identity) -> Result<Option<UserId>> {
        self.find_marker(&unique::of_identity(identity)).await
    }

    /// Replaces the caller's factors by `new`, if they are still `seen`. Only for callers with a session, because the
    /// table OAuthGrant is not checked.
    ///
    /// # Errors
    /// [`Error::Changed`] if the factors are no longer `seen`, or [`Error::Conflict`] that names `provider` if another
    /// user has the account at the identity provider.
    pub async fn change_factors(
        &self,
        access: &Access,
        seen: &Factors,
        new: Factors,
        others: OtherSessions,
    ) -> Result<()> {
        let id = access.credential.user_id;
        let mut condition = self.caller_condition(access).await?;
        let mut also = String::new();
        if others == OtherSessions::End {
            condition = condition
                .value("one", number(1))
                .value("kept", text(&access.credential.token_id));
            also = format!(", {END_TOKENS}, kept_token = :kept");
        }
        let write_factors = self.write_factors(id, condition, seen, new, &also);
        match write_factors.await? {
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
    ) -> Result<bool> {
        let (condition, update) = replace_factors(user_exists(), seen, new)?;
        let updated = self.update(id, condition, &update).await?;
        Ok(updated.is_written())
    }

    /// Connects an account at an identity provider to a user who signs in with it for the first time.
    ///
    /// # Errors
    /// As [`Self::replace_factors`], or [`Error::Conflict`] that names `provider` if another user has the account at
    /// the provider.
    pub async fn connect_identity(&self, account: &Account, identity: Identity) -> Result<()> {
        let new = Factors {
            identity: Some(identity),
            ..account.factors.clone()
        };
        let condition = user_exists();
        let (id, seen) = (account.user.id, &account.factors);
        check_written(self.write_factors(id, condition, seen, new, "").await?)
    }

    /// Replaces the factors of a user for the operator, and ends every token and session of the user.
    ///
    /// # Errors
    /// [`Error::Changed`] if the factors have changed in the meantime, or [`Error::NotFound`].
    pub async fn replace_factors(&self, account: &Account, new: Factors) -> Result<()> {
        let condition = user_exists().value("one", number(1));
        let also = format!(", {END_TOKENS} REMOVE kept_token");
        let (id, seen) = (account.user.id, &account.factors);
        check_written(self.write_factors(id, condition, seen, new, &also).await?)
    }

    /// Replaces the password of a user and ends every token and session of the user, if the password and the e-mail
    /// address are still those of `seen`. With `removes_factors`, also removes all factors, if they are still those of
    /// `seen`. Returns false, and changes nothing, if any of these has changed in the meantime, or if the user does not
    /// exist.
    pub async fn reset_password(
        &self,
        seen: &Account,
        password_hash: String,
        removes_factors: bool,
    ) -> Result<bool> {
        let id = seen.user.id;
        let is_unchanged = Condition::new("password_version = :version")
            .value("version", number(seen.password_version))
            .value("password_hash", text(password_hash))
            .value("one", number(1))
            .and(has_email_version(seen.email_version));
        let reset = format!(
            "password_hash = :password_hash, password_version = password_version + :one, {END_TOKENS} \
            REMOVE kept_token"
        );
        if removes_factors {
            let (none, also) = (Factors::default(), format!(", {reset}"));
            let write_factors = self.write_factors(id, is_unchanged, &seen.factors, none, &also);
            return Ok(write_factors.await?.is_none());
        }
        let updated = self
            .update(id, is_unchanged, &format!("SET {reset}"))
            .await?;
        Ok(updated.is_written())
    }

    /// Replaces the factors of a user, if they are still `seen` and a further condition holds, together with the marker
    /// rows. `also` is appended to the update. Returns the user's row if a condition on it failed.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `provider` if only the condition of a marker row failed.
    async fn write_factors(
        &self,
        id: UserId,
        condition: Condition,
        seen: &Factors,
        new: Factors,
        also: &str,
    ) -> Result<Option<Item>> {
        let markers = self.identity_markers(id, seen, &new)?;
        let (condition, update) = replace_factors(condition, seen, new)?;
        let row = condition.update(&self.users, user_key(id), &format!("{update}{also}"))?;
        let mut writes = self.transaction();
        let row = writes.add(row);
        for marker in markers {
            writes.add(marker);
        }
        match writes.commit().await? {
            Outcome::Written => Ok(None),
            Outcome::Refused(mut refused) => refused.take(row).map(Some).ok_or_else(identity_taken),
        }
    }

    /// Returns the actions on the marker rows of a user whose account at an identity provider changes.
    pub(crate) fn identity_markers(
        &self,
        id: UserId,
        seen: &Factors,
        new: &Factors,
    ) -> Result<Vec<TransactWriteItem>> {
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

/// Turns the row that [`UserStore::write_factors`] returns into an error. It is for writes that require only that the
/// user exists and has the factors that were seen.
fn check_written(refused: Option<Item>) -> Result<()> {
    match refused {
        None => Ok(()),
        Some(row) if row.is_empty() => Err(NO_USER),
        Some(_) => Err(Error::Changed),
    }
}

/// Returns `condition` together with the condition that the factors are still `seen`, and the update that replaces
/// them.
fn replace_factors(
    condition: Condition,
    seen: &Factors,
    mut new: Factors,
) -> Result<(Condition, String)> {
    new.version = seen.version + 1;
    let condition = condition.and(has_factors(seen));
    let condition = condition.value("factors", map(&new)?);
    Ok((condition, "SET factors = :factors".to_owned()))
}

/// Returns the condition that a user still has these factors.
pub(crate) fn has_factors(seen: &Factors) -> Condition {
    if seen.is_unset() {
        Condition::new("attribute_not_exists(factors)")
    } else {
        Condition::new("factors.version = :seen").value("seen", number(seen.version))
    }
}
