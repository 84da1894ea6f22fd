//! The store of users: the tables [`super::user`] and [`super::unique`].

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use dynamo::{
    Condition, Database, Item, RowOutcome, TargetRow, batch_get, get, number, read, row_count,
    to_error, update_row,
};
use futures_util::try_join;
use shared::auth::{Access, CallerRow, Credential};
use shared::models::{TimeZone, User, UserId};
use shared::random::Random;
use shared::{Error, Result};

use super::conditions::user_exists;
use super::unique;
use super::user::{self, Account, key as user_key};
use crate::errors::NO_APPLICATION;
use crate::grants::grant_store::GrantStore;

/// The store of users and their accounts.
#[derive(Clone, Debug)]
pub struct UserStore {
    pub(crate) client: Client,
    pub(crate) users: String,
    pub(crate) unique: String,
    pub(crate) grants: GrantStore,
    pub(crate) random: Random,
}

impl UserStore {
    /// Creates the store.
    pub fn new(database: &Database) -> Self {
        Self {
            grants: GrantStore::new(database),
            client: database.client.clone(),
            users: database.tables.of(user::TABLE.name),
            unique: database.tables.of(unique::TABLE.name),
            random: database.random.clone(),
        }
    }

    /// Returns the number of users. `DynamoDB` updates it every six hours, and the embedded engine at once. Deleted
    /// users are counted until their rows are removed. Costs no request units.
    pub async fn count(&self) -> Result<u64> {
        row_count(&self.client, &self.users).await
    }

    /// Opens the connection to DynamoDB before the first request, by reading a row that does not exist.
    pub async fn warm(&self) -> Result<()> {
        self.row(UserId::LAST).await.map(|_| ())
    }

    /// Returns a user, as everyone sees it, by a strongly consistent read.
    pub async fn find(&self, id: UserId) -> Result<Option<User>> {
        self.present_row(id).await?.map(read).transpose()
    }

    /// Returns the whole account of a user, by a strongly consistent read.
    pub async fn account(&self, id: UserId) -> Result<Option<Account>> {
        self.present_row(id).await?.map(read).transpose()
    }

    /// Returns the whole account of a user, by an eventually consistent read, which costs half as much.
    pub async fn peek_account(&self, id: UserId) -> Result<Option<Account>> {
        let request = self.client.get_item().table_name(&self.users);
        let response = request.set_key(Some(user_key(id))).send().await;
        let row = response.map_err(to_error)?.item;
        let row = row.filter(|row| !row.contains_key("deleted_at"));
        row.map(read).transpose()
    }

    /// Returns the accounts of these users, at most 100, by identifier. The read is strongly consistent. Deleted
    /// users are left out.
    pub async fn accounts(&self, ids: &[UserId]) -> Result<HashMap<UserId, Account>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let keys = ids.iter().map(|id| user_key(*id)).collect();
        let rows = batch_get(&self.client, &self.users, keys, true).await?;
        let rows = rows.into_iter();
        let accounts = rows
            .filter(|row| !row.contains_key("deleted_at"))
            .map(read::<Account>);
        accounts
            .map(|account| account.map(|account| (account.user.id, account)))
            .collect()
    }

    /// Returns the row of a user, by a strongly consistent read; `None` for a tombstone.
    async fn present_row(&self, id: UserId) -> Result<Option<Item>> {
        let row = get(&self.client, &self.users, user_key(id)).await?;
        Ok(row.filter(|item| !item.contains_key("deleted_at")))
    }

    /// Returns the parts of the caller's row that decide about access, by a strongly consistent read. For an
    /// application or a profile token, they include the row of the grant or token in the table OAuthGrant.
    pub async fn caller(&self, credential: &Credential) -> Result<Option<CallerRow>> {
        let row = self.row(credential.user_id);
        let (row, grant) = try_join!(row, self.grants.find_for(credential))?;
        Ok(row.map(|row| CallerRow { grant, ..row }))
    }

    /// Returns the caller's own account.
    ///
    /// # Errors
    /// The error of [`Access::check`] if the caller has no access.
    pub async fn own_account(&self, access: &Access) -> Result<Account> {
        let account = self.account(access.credential.user_id);
        let (account, grant) = try_join!(account, self.grants.find_for(&access.credential))?;
        let row = account.as_ref().map(|account| CallerRow {
            grant,
            ..CallerRow::from(account)
        });
        access.check(row.as_ref())?;
        account.ok_or(Error::InvalidToken)
    }

    /// Returns the parts of a user's row that decide about access, by a strongly consistent read.
    pub async fn row(&self, id: UserId) -> Result<Option<CallerRow>> {
        let row = get(&self.client, &self.users, user_key(id)).await?;
        row.map(read).transpose()
    }

    /// Returns the parts of two users' rows that decide about access, by strongly consistent reads: first the
    /// caller's row, then the row of `other`.
    pub async fn caller_and(
        &self,
        credential: &Credential,
        other: UserId,
    ) -> Result<(Option<CallerRow>, Option<CallerRow>)> {
        let caller = credential.user_id;
        // An application has no access to other users' data, so the row of `other` is not needed. The row of the
        // application's user is returned in its place.
        if caller == other || credential.client.is_some() {
            let row = self.caller(credential).await?;
            return Ok((row.clone(), row));
        }
        let keys = vec![user_key(caller), user_key(other)];
        let (mut callers_row, mut others_row) = (None, None);
        let rows = batch_get(&self.client, &self.users, keys, true);
        let (rows, grant) = try_join!(rows, self.grants.find_for(credential))?;
        for item in rows {
            let is_caller = item.get("id") == Some(&number(caller.get()));
            let row: CallerRow = read(item)?;
            if is_caller {
                callers_row = Some(row);
            } else {
                others_row = Some(row);
            }
        }
        let callers_row = callers_row.map(|row| CallerRow { grant, ..row });
        Ok((callers_row, others_row))
    }

    /// Ends every token and session of the caller, including the token or session of this request.
    pub async fn sign_out_everywhere(&self, access: &Access) -> Result<()> {
        let end_tokens = "SET token_generation = token_generation + :one REMOVE kept_token";
        let exists = user_exists().value("one", number(1));
        let writes = self
            .begin_with_update(access, exists, end_tokens, Error::Changed)
            .await?;
        writes.commit().await?.or(Error::Changed)
    }

    /// Returns the time zone of a user's days, by an eventually consistent read. Returns UTC if it is not known.
    pub async fn time_zone(&self, id: UserId) -> Result<TimeZone> {
        let request = self.client.get_item().table_name(&self.users);
        let request = request
            .set_key(Some(user_key(id)))
            .projection_expression("time_zone");
        let response = request.send().await.map_err(to_error)?;
        let row = response.item.unwrap_or_default();
        let name = row.get("time_zone").and_then(|name| name.as_s().ok());
        let zone = name.and_then(|name| TimeZone::new(name).ok());
        Ok(zone.unwrap_or_default())
    }

    /// Disconnects an OAuth client from the caller. All tokens of the client for the caller end.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the client is not connected.
    pub async fn disconnect(&self, access: &Access, client_id: &str) -> Result<()> {
        let mut writes = self.begin(access).await?;
        let user = access.credential.user_id;
        writes.add(self.grants.disconnect_action(user, client_id)?);
        writes.commit().await?.or(NO_APPLICATION)
    }

    /// Updates the row of a user under a condition.
    pub(crate) async fn update(
        &self,
        id: UserId,
        condition: Condition,
        update: &str,
    ) -> Result<RowOutcome> {
        let row = TargetRow(&self.client, &self.users, user_key(id));
        update_row(row, condition, update, &self.random).await
    }
}
