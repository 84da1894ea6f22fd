//! The creation of users.

use aws_sdk_dynamodb::types::{ReturnValue, TransactWriteItem};
use dynamo::{Condition, Item, Outcome, number, to_error, write};
use futures_util::try_join;
use shared::models::{
    DisplaySettings, EmailAddress, Factors, Gender, LinkedAccounts, ListVersion, Role, User,
    UserId, Username,
};
use shared::{Error, Result};

use super::unique;
use super::user::{Account, LIST_SHARD};
use super::user_store::UserStore;
use crate::errors::{already_taken, identity_taken, invalid_invitation};

/// The data of a new account.
pub struct NewAccount {
    /// The name.
    pub username: Username,
    /// The e-mail address.
    pub email: EmailAddress,
    /// True if the address is known to belong to the user, because a trusted identity provider has verified it.
    pub email_verified: bool,
    /// The hash of the password; `None` if the user signs in without one.
    pub password_hash: Option<String>,
    /// The passkey or the account at an identity provider with which the user registers.
    pub factors: Factors,
    /// Gender.
    pub gender: Gender,
    /// Preferred locale code.
    pub localization: String,
    /// The time of the registration, in milliseconds since the Unix epoch.
    pub created_at: u64,
    /// The invitation, which is used up. It determines the role.
    pub invitation: Option<UsedInvitation>,
}

/// The use of an invitation by a new account.
#[derive(Debug)]
pub struct UsedInvitation {
    pub(crate) role: Role,
    /// The action that deletes the invitation, if it is valid.
    pub(crate) action: TransactWriteItem,
}

impl UserStore {
    /// Creates an account. The same transaction writes the marker rows of its username, its e-mail address and its
    /// account at an identity provider, and deletes the invitation.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the username, the e-mail address or the account at the provider belongs to another user,
    /// or [`Error::Invalid`] that names `invitation`.
    pub async fn create(&self, new: NewAccount) -> Result<Account> {
        let id = self.next_id().await?;
        self.create_with_id(id, new).await
    }

    /// Creates an account as [`Self::create`] does, with an identifier from [`Self::next_id`].
    ///
    /// # Errors
    /// As [`Self::create`].
    pub async fn create_with_id(&self, id: UserId, new: NewAccount) -> Result<Account> {
        let account = Account {
            username_folded: new.username.folded(),
            user: User {
                id,
                username: new.username.as_str().to_owned(),
                role: new
                    .invitation
                    .as_ref()
                    .map_or(Role::Basic, |invitation| invitation.role),
                avatar: String::new(),
                gender: new.gender,
                has_tracker_a: Some(false),
                has_tracker_b: Some(false),
            },
            email: new.email.as_str().to_owned(),
            email_verified: new.email_verified,
            localization: new.localization,
            time_zone: None,
            password_hash: new.password_hash,
            password_version: 0,
            email_version: 0,
            factors: new.factors,
            token_generation: 0,
            kept_token: None,
            created_at: new.created_at,
            linked: LinkedAccounts::default(),
            public_profile: false,
            indexable_profile: false,
            display: DisplaySettings::default(),
            favorites: Vec::new(),
            list: ListVersion::default(),
            calendar_feed: None,
            asked_at: Some(0),
            picture: None,
        };
        let mut row = write(&account)?;
        row.insert("list_shard".to_owned(), number(LIST_SHARD));
        row.extend(empty_list());
        let mut writes = self.transaction();
        let is_new = Condition::new("attribute_not_exists(id)");
        writes.require(is_new.put(&self.users, row)?, |_| {
            Error::internal("the identifier of a new user is in use already")
        });
        // The invitation comes before the names: only callers with a valid one learn that a name is taken.
        if let Some(invitation) = new.invitation {
            writes.require(invitation.action, |_| invalid_invitation());
        }
        for marker in self.identity_markers(id, &Factors::default(), &account.factors)? {
            writes.require(marker, |_| identity_taken());
        }
        let [username, email] = [
            unique::of_username(&account.username_folded),
            unique::of_email(new.email.as_str()),
        ];
        let username = writes.add(self.put_marker(&username, id)?);
        let email = writes.add(self.put_marker(&email, id)?);
        match writes.commit().await? {
            Outcome::Written => Ok(account),
            Outcome::Refused(refused) => {
                Err(already_taken(refused.has(username), refused.has(email)))
            }
        }
    }

    /// Takes the next identifier of a user from the counter. If the registration then fails, the identifier stays
    /// unused.
    pub async fn next_id(&self) -> Result<UserId> {
        let response = self
            .client
            .update_item()
            .table_name(&self.unique)
            .set_key(Some(unique::key(unique::USER_COUNTER)))
            .update_expression("ADD last_id :one")
            .expression_attribute_values(":one", number(1))
            .return_values(ReturnValue::UpdatedNew)
            .send()
            .await
            .map_err(to_error)?;
        let last = response
            .attributes
            .and_then(|mut row| row.remove("last_id"));
        let last = last.ok_or_else(|| {
            Error::internal("the update of the counter of users returned no number")
        })?;
        serde_dynamo::from_attribute_value(last).map_err(Error::internal)
    }

    /// Checks that a username and an e-mail address are free. [`UserStore::create`] checks them again,
    /// because another user can register in between.
    ///
    /// # Errors
    /// [`Error::Conflict`], which names the fields whose values are taken.
    pub async fn check_free(&self, username: &Username, email: &EmailAddress) -> Result<()> {
        let folded = username.folded();
        let (named, addressed) =
            try_join!(self.find_by_username(&folded), self.find_by_email(email))?;
        if named.is_none() && addressed.is_none() {
            return Ok(());
        }
        Err(already_taken(named.is_some(), addressed.is_some()))
    }
}

/// Returns the attributes of a new user's row that state the version of the empty list.
fn empty_list() -> Item {
    let names = [
        "last_change_number",
        "digest_number",
        "story_digest",
        "deletion_digest",
        "deletions_since",
    ];
    names.map(|name| (name.to_owned(), number(0))).into()
}
