//! Changes of e-mail addresses: the attributes `email`, `email_verified` and `email_version` of the table
//! [`crate::schema::user`], and the marker rows for addresses in [`crate::schema::unique`].

use aws_sdk_dynamodb::types::AttributeValue;
use shared::Error;
use shared::auth::Access;
use shared::models::{EmailAddress, UserId};

use crate::errors::already_taken;
use crate::item::{number, text};
use crate::schema::unique;
use crate::schema::user::{Account, key as user_key};
use crate::transaction::{Condition, Outcome, transact};
use crate::users::{UserStore, caller_row};

impl UserStore {
    /// Replaces the e-mail address of the caller, whose account is still `seen`, by one that is not verified. The same
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
    ) -> Result<(), Error> {
        let id = access.credential.user_id;
        let caller = self.caller_condition(access).await?;
        let condition = caller
            .and(Condition::has_email_version(seen.email_version))
            .value("email", text(new.as_str()))
            .value("no", AttributeValue::Bool(false))
            .value("next", number(seen.email_version + 1));
        let update = "SET email = :email, email_verified = :no, email_version = :next";
        let mut actions = vec![
            condition.update(&self.users, user_key(id), update)?,
            self.put_marker(&unique::of_email(new.as_str()), id)?,
        ];
        if let Some(old) = &seen.user.email {
            actions.push(self.delete_marker(&unique::of_email(old), id)?);
        }
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Ok(()),
            Outcome::Refused(mut rows) => {
                if let Some(row) = rows.first_mut().and_then(Option::take) {
                    access.check(caller_row(row)?.as_ref())?;
                    return Err(Error::Changed);
                }
                let is_taken = rows.get(1).is_some_and(Option::is_some);
                Err(if is_taken {
                    already_taken(false, true)
                } else {
                    Error::Changed
                })
            }
        }
    }

    /// Records that the user's e-mail address is verified, if it was changed `version` times. Returns false if it is
    /// verified already, if it has changed in the meantime, or if the user does not exist.
    pub async fn verify_email(&self, id: UserId, version: u64) -> Result<bool, Error> {
        let not_yet = Condition::new("email_verified = :no")
            .value("no", AttributeValue::Bool(false))
            .value("yes", AttributeValue::Bool(true))
            .and(Condition::has_email_version(version));
        let updated = self.update(id, not_yet, "SET email_verified = :yes");
        Ok(updated.await?.is_written())
    }
}
