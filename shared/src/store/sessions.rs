//! The table Session: who is signed in on the web pages, in which browser.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use serde::{Deserialize, Serialize};

use super::{Item, StoreError, TableNames, number, read, text, write};
use crate::models::UserId;

/// A browser that somebody has signed in with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Session {
    /// SHA-256 of what its cookie holds, in Base64.
    pub id_hash: String,
    /// Who.
    pub user_id: UserId,
    /// The generation of the user's tokens that it belongs to: what ends those ends it.
    pub generation: u64,
    /// When they signed in, in seconds since the Unix epoch.
    pub begun_at: u64,
    /// When it ends unless it is used before, in seconds since the Unix epoch; the table's TTL.
    pub expires_at: u64,
}

/// The sessions.
#[derive(Clone, Debug)]
pub struct SessionStore {
    client: Client,
    table: String,
}

impl SessionStore {
    /// The table.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames) -> Self {
        Self {
            client,
            table: tables.of("Session"),
        }
    }

    /// Begins a session.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn begin(&self, session: &Session) -> Result<(), StoreError> {
        let request = self.client.put_item().table_name(&self.table);
        request.set_item(Some(write(session)?)).send().await?;
        Ok(())
    }

    /// A session, whether it has expired or not, as it is at this moment.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find(&self, id_hash: &str) -> Result<Option<Session>, StoreError> {
        let request = self.client.get_item().table_name(&self.table);
        let request = request.set_key(Some(key(id_hash))).consistent_read(true);
        request.send().await?.item.map(read).transpose()
    }

    /// Lets a session last until `expires_at`, in seconds since the Unix epoch, unless it was ended
    /// meanwhile.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn prolong(&self, id_hash: &str, expires_at: u64) -> Result<(), StoreError> {
        let prolonged = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key(id_hash)))
            .condition_expression("attribute_exists(id_hash)")
            .update_expression("SET expires_at = :expires_at")
            .expression_attribute_values(":expires_at", number(expires_at))
            .send()
            .await;
        let Err(error) = prolonged else {
            return Ok(());
        };
        match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(_)) => Ok(()),
            _ => Err(error.into()),
        }
    }

    /// Ends a session.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn end(&self, id_hash: &str) -> Result<(), StoreError> {
        let request = self.client.delete_item().table_name(&self.table);
        request.set_key(Some(key(id_hash))).send().await?;
        Ok(())
    }
}

fn key(id_hash: &str) -> Item {
    HashMap::from([("id_hash".to_owned(), text(id_hash))])
}
