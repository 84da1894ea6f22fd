//! The marker rows of usernames, e-mail addresses and identities, in the table [`super::unique`].

use aws_sdk_dynamodb::types::TransactWriteItem;
use dynamo::{Condition, get, number};
use shared::models::{EmailAddress, UserId};
use shared::{Error, Result};

use super::unique;
use super::user_store::UserStore;

impl UserStore {
    /// Returns the user with this username, folded with [`fold_username`].
    pub async fn find_by_username(&self, username_folded: &str) -> Result<Option<UserId>> {
        self.find_marker(&unique::of_username(username_folded))
            .await
    }

    /// Returns the user with this e-mail address.
    pub async fn find_by_email(&self, email: &EmailAddress) -> Result<Option<UserId>> {
        self.find_marker(&unique::of_email(email.as_str())).await
    }

    /// Returns the user in a marker row of the table Unique, by a strongly consistent read.
    pub(crate) async fn find_marker(&self, marker: &str) -> Result<Option<UserId>> {
        let row = get(&self.client, &self.unique, unique::key(marker)).await?;
        let id = row.and_then(|mut item| item.remove("user_id"));
        id.map(|id| serde_dynamo::from_attribute_value(id).map_err(Error::internal))
            .transpose()
    }

    /// Returns the action that writes a marker row in the table Unique, if it does not exist yet.
    pub(crate) fn put_marker(&self, marker: &str, id: UserId) -> Result<TransactWriteItem> {
        let mut item = unique::key(marker);
        item.insert("user_id".to_owned(), number(id.get()));
        Condition::new("attribute_not_exists(#value)")
            .name("value")
            .put(&self.unique, item)
    }

    /// Returns the action that deletes a marker row of a user in the table Unique.
    pub(crate) fn delete_marker(&self, marker: &str, id: UserId) -> Result<TransactWriteItem> {
        Condition::new("user_id = :user_id")
            .value("user_id", number(id.get()))
            .delete(&self.unique, unique::key(marker))
    }
}
