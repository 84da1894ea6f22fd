//! Changes of e-mail addresses: the attributes `email`, `email_verified` and `email_version` of the table
//! [`super::user`], and the marker rows for addresses in [`super::unique`].

use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Condition, number, text};
use shared::auth::Access;
use shared::models::{EmailAddress, UserId};
use shared::{Error, Result};

use super::conditions::has_email_version;
use super::unique;
use super::user::Account;
use super::user_store::UserStore;
use crate::errors::already_taken;

impl UserStore {
    /// Replaces the e-mail address of the caller by an unverified one, if the account is still as in `seen`. The same
    /// transaction replaces the marker row. Links that were mailed to the old address stop working. Only for callers
    /// with a session, because the table OAuthGrant is not checked.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `email` if another user has the address, or [`Error::Changed`].
    pub async fn change_email(
        &self,
        access: &Access,
        seen: &Account,
        new: &EmailAddress,
    ) -> Result<()> {
        let id = access.credential.user_id;
        let condition = has_email_version(seen.email_version)
            .value("email", text(new.as_str()))
            .value("no", AttributeValue::Bool(false))
            .value("next", number(seen.email_version + 1));
        let update = "SET email = :email, email_verified = :no, email_version = :next";
        let mut writes = self
            .begin_with_update(access, condition, update, Error::Changed)
            .await?;
        let marker = self.put_marker(&unique::of_email(new.as_str()), id)?;
        writes.require(marker, |_| already_taken(false, true));
        writes.add(self.delete_marker(&unique::of_email(&seen.email), id)?);
        writes.commit().await?.or(Error::Changed)
    }

    /// Records that the user's e-mail address is verified, if it was changed `version` times. Returns false if it is
    /// already verified, if it has changed in the meantime, or if the user does not exist.
    pub async fn verify_email(&self, id: UserId, version: u64) -> Result<bool> {
        let not_yet = Condition::new("email_verified = :no")
            .value("no", AttributeValue::Bool(false))
            .value("yes", AttributeValue::Bool(true))
            .and(has_email_version(version));
        let update = self.update(id, not_yet, "SET email_verified = :yes");
        Ok(update.await?.is_written())
    }
}
