//! Tokens that users make on the profile page: the store of their rows in the table
//! [`crate::grants::oauth_grant`]. `GrantStore` checks these rows when a token is used.

use aws_sdk_dynamodb::Client;
use dynamo::{Condition, Database, number, read, read_all, text, write};
use shared::auth::{Access, Scope};
use shared::models::UserId;
use shared::{Error, Result};

use crate::errors::{NO_TOKEN, too_many_tokens};
use crate::grants::oauth_grant::{
    MAX_PROFILE_TOKENS, ProfileToken, TABLE, TOKEN_PREFIX, key as grant_key, slot_id,
};
use crate::users::user::Account;
use crate::users::user_store::UserStore;

/// A token to create.
#[derive(Clone, Debug)]
pub struct NewProfileToken {
    /// The identifier of the token (`jti`).
    pub token_id: String,
    /// The name.
    pub name: String,
    /// The scope; `None` for everything.
    pub scope: Option<Scope>,
}

/// The store of profile tokens.
#[derive(Clone, Debug)]
pub struct ProfileTokenStore {
    client: Client,
    users: UserStore,
    table: String,
}

impl ProfileTokenStore {
    /// Creates the store of profile tokens.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
        }
    }

    /// Returns the tokens of a user, newest first, by a strongly consistent read. They include tokens that have ended
    /// ([`Account::has_live_token`]).
    pub async fn list(&self, user: UserId) -> Result<Vec<ProfileToken>> {
        let mut tokens = self.rows(user).await?;
        tokens.sort_by(|one, other| {
            (other.created_at, &one.client_id).cmp(&(one.created_at, &other.client_id))
        });
        Ok(tokens)
    }

    /// Creates a token of the caller. `account` is the caller's account. Returns the slot of the token. `now` is
    /// in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the caller already has [`MAX_PROFILE_TOKENS`] valid tokens.
    pub async fn create(
        &self,
        access: &Access,
        account: &Account,
        new: &NewProfileToken,
        now: u64,
    ) -> Result<u8> {
        let user_id = account.user.id;
        // If the caller has access, a refused attempt means that a concurrent call has taken the slot.
        for _ in 0..=MAX_PROFILE_TOKENS {
            let rows = self.rows(user_id).await?;
            let in_slot = |slot: u8| rows.iter().find(|row| row.client_id == slot_id(slot));
            let is_free = |slot: &u8| {
                in_slot(*slot).is_none_or(|row| !account.has_live_token(row, now / 1000))
            };
            let Some(slot) = (0..MAX_PROFILE_TOKENS).find(is_free) else {
                return Err(too_many_tokens(MAX_PROFILE_TOKENS));
            };
            let unchanged = match in_slot(slot) {
                Some(row) => {
                    Condition::new("token_id = :ended").value("ended", text(&row.token_id))
                }
                None => Condition::new("attribute_not_exists(user_id)"),
            };
            let token = ProfileToken {
                user_id,
                client_id: slot_id(slot),
                token_id: new.token_id.clone(),
                token_generation: access.credential.generation,
                name: new.name.clone(),
                scope: new.scope,
                created_at: now,
                used_on: None,
            };
            let mut writes = self.users.begin(access).await?;
            writes.add(unchanged.put(&self.table, write(&token)?)?);
            if writes.commit().await?.is_written() {
                return Ok(slot);
            }
        }
        Err(Error::Unavailable(
            "the tokens of a user changed in every attempt".into(),
        ))
    }

    /// Revokes a token of the caller.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the caller has no token with this identifier.
    pub async fn revoke(&self, access: &Access, token_id: &str) -> Result<()> {
        let user = access.credential.user_id;
        let mut rows = self.rows(user).await?.into_iter();
        let row = rows.find(|row| row.token_id == token_id).ok_or(NO_TOKEN)?;
        let mut writes = self.users.begin(access).await?;
        // The slot may have a new token by now.
        let has_token = Condition::new("token_id = :token_id").value("token_id", text(token_id));
        writes.add(has_token.delete(&self.table, grant_key(user, &row.client_id))?);
        writes.commit().await?.or(NO_TOKEN)
    }

    /// Returns the rows of a user's tokens, including those that have ended.
    async fn rows(&self, user: UserId) -> Result<Vec<ProfileToken>> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .consistent_read(true)
            .key_condition_expression("user_id = :user_id AND begins_with(client_id, :tokens)")
            .expression_attribute_values(":user_id", number(user.get()))
            .expression_attribute_values(":tokens", text(TOKEN_PREFIX));
        read_all(query, read).await
    }
}
