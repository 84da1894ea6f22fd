//! The tables User and Unique: accounts, and the marks that keep names and addresses from being
//! given out twice.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, TransactWriteItem};
use futures_util::try_join;
use shared::Error;
use shared::auth::{ABOVE, Access, CallerRow, Credential, least_role_to_act_on};
use shared::models::{
    EmailAddress, Gender, LinkedAccounts, Role, TrackerName, User, UserId, Username, fold_username,
};
use shared::random::Random;

use crate::batch::batch_get;
use crate::errors::{self, NO_USER, failed};
use crate::grants::GrantStore;
use crate::item::{Item, number, read, text, write};
use crate::links::{Update, delete_link, linked, put_link, unlinked};
use crate::listing;
use crate::schema::tracker_link::Link;
use crate::schema::user::{Account, LIST_SHARD, key as user_key};
use crate::schema::{self, unique};
use crate::table_names::TableNames;
use crate::transaction::{Condition, Outcome, Row, transact, update_row};

/// The longest name, in bytes.
const MAX_NAME: usize = 32;

/// The accounts.
#[derive(Clone, Debug)]
pub struct UserStore {
    client: Client,
    users: String,
    unique: String,
    links: String,
    grants: GrantStore,
    random: Random,
}

/// What to change of a user. What is `None` stays as it is.
#[derive(Clone, Default)]
pub struct UserChange {
    /// Gender.
    pub gender: Option<Gender>,
    /// Preferred locale code.
    pub localization: Option<String>,
    /// The hash of a new password. Every token ends but the caller's.
    pub password_hash: Option<String>,
    /// An account at a tracker that is linked.
    pub link: Option<NewLink>,
    /// A tracker whose account is to be forgotten.
    pub unlink: Option<Unlink>,
}

/// An account at a tracker that is linked, in the place of one that was.
#[derive(Clone)]
pub struct NewLink {
    /// The account, and its tokens.
    pub link: Link,
    /// The image of the account, which becomes the user's.
    pub avatar: Option<String>,
}

/// A tracker whose account is to be forgotten, tokens and all.
#[derive(Clone, Copy)]
pub struct Unlink {
    /// Which one.
    pub tracker: TrackerName,
    /// Whether the account at the other can be used. It is a condition: without one nothing is left to
    /// synchronise.
    pub other_is_linked: bool,
}

/// An account to be.
pub struct NewAccount {
    /// Its name.
    pub username: Username,
    /// Its address.
    pub email: EmailAddress,
    /// The hash of its password.
    pub password_hash: String,
    /// Gender.
    pub gender: Gender,
    /// Preferred locale code.
    pub localization: String,
    /// Milliseconds since the Unix epoch.
    pub created_at: u64,
}

/// The result of folding a user's name anew.
enum Refolded {
    Changed,
    /// Another user has registered the name since.
    Taken,
    /// The index has not caught up yet: the user is deleted, or the name is folded already.
    Stale,
}

/// Which names are asked for, folded with [`fold_username`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsernamePattern {
    /// Those that begin so: the order of the index finds them.
    Beginning(String),
    /// Those that have it anywhere: rows are read until enough have it.
    Anywhere(String),
}

impl UsernamePattern {
    /// Whether a folded name is asked for.
    #[must_use]
    pub fn fits(&self, name: &str) -> bool {
        match self {
            Self::Beginning(beginning) => name.starts_with(beginning),
            Self::Anywhere(part) => name.contains(part),
        }
    }
}

/// A page of the user list.
#[derive(Debug)]
pub struct UserPage {
    /// Obscured, by name.
    pub users: Vec<User>,
    /// Where the list goes on: after this folded name.
    pub next: Option<String>,
}

impl UserStore {
    /// The tables.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, random: Random) -> Self {
        Self {
            grants: GrantStore::new(client.clone(), tables, random.clone()),
            client,
            users: tables.of(schema::user::TABLE.name),
            unique: tables.of(unique::TABLE.name),
            links: tables.of(schema::tracker_link::TABLE.name),
            random,
        }
    }

    /// Opens the connection to DynamoDB, by reading what is not there.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn warm(&self) -> Result<(), Error> {
        self.row(UserId::LAST).await.map(|_| ())
    }

    /// The user whom everybody may see, as they are at this moment.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find(&self, id: UserId) -> Result<Option<User>, Error> {
        let user = self.item(id).await?.map(read::<User>).transpose()?;
        Ok(user.map(User::obscured))
    }

    /// The whole account, as it is at this moment.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn account(&self, id: UserId) -> Result<Option<Account>, Error> {
        self.item(id).await?.map(read).transpose()
    }

    /// A row that is not being deleted, as it is at this moment.
    async fn item(&self, id: UserId) -> Result<Option<Item>, Error> {
        let request = self.client.get_item().table_name(&self.users);
        let request = request.set_key(Some(user_key(id)));
        let found = request
            .consistent_read(true)
            .send()
            .await
            .map_err(failed)?
            .item;
        Ok(found.filter(|item| !item.contains_key("deleted_at")))
    }

    /// What the row of a caller says, as it is at this moment; and, of an application, the grant's.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn caller(&self, credential: &Credential) -> Result<Option<CallerRow>, Error> {
        let row = self.row(credential.user_id);
        let (row, grant) = try_join!(row, self.grants.of(credential))?;
        Ok(row.map(|row| CallerRow { grant, ..row }))
    }

    /// The caller's own account, if they may do what they want to do to it.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn own_account(&self, access: &Access) -> Result<Account, Error> {
        let account = self.account(access.credential.user_id);
        let (account, grant) = try_join!(account, self.grants.of(&access.credential))?;
        let row = account.as_ref().map(|account| CallerRow {
            grant,
            ..CallerRow::from(account)
        });
        access.check(row.as_ref())?;
        account.ok_or(Error::InvalidToken)
    }

    /// The condition on the caller's row under this access.
    pub(super) async fn caller_condition(&self, access: &Access) -> Result<Condition, Error> {
        if let Some(condition) = Condition::of(access) {
            return Ok(condition);
        }
        let row = self.caller(&access.credential).await?;
        Err(access.denied(row.as_ref()))
    }

    /// The action that updates the caller's row, under its own condition and what it takes to call.
    pub(super) async fn caller_update(
        &self,
        access: &Access,
        condition: Condition,
        update: &str,
    ) -> Result<TransactWriteItem, Error> {
        let caller = self.caller_condition(access).await?;
        let key = user_key(access.credential.user_id);
        let condition = caller.and(condition);
        condition.update(&self.users, key, update)
    }

    async fn row(&self, id: UserId) -> Result<Option<CallerRow>, Error> {
        let request = self.client.get_item().table_name(&self.users);
        let request = request.set_key(Some(user_key(id))).consistent_read(true);
        request
            .send()
            .await
            .map_err(failed)?
            .item
            .map(read)
            .transpose()
    }

    /// What the rows of two users say, in one call.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn caller_and(
        &self,
        credential: &Credential,
        other: UserId,
    ) -> Result<(Option<CallerRow>, Option<CallerRow>), Error> {
        let caller = credential.user_id;
        // An application does nothing to what is another user's: its grant is of no account then.
        if caller == other || credential.client.is_some() {
            let row = self.caller(credential).await?;
            return Ok((row.clone(), row));
        }
        let keys = vec![user_key(caller), user_key(other)];
        let (mut callers_row, mut others_row) = (None, None);
        for item in batch_get(&self.client, &self.users, keys, true).await? {
            let is_caller = item.get("id") == Some(&number(caller.get()));
            let row: CallerRow = read(item)?;
            if is_caller {
                callers_row = Some(row);
            } else {
                others_row = Some(row);
            }
        }
        Ok((callers_row, others_row))
    }

    /// Who has this name.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn named(&self, username_folded: &str) -> Result<Option<UserId>, Error> {
        self.marked(&unique::of_username(username_folded)).await
    }

    /// Who has this address.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn addressed(&self, email: &EmailAddress) -> Result<Option<UserId>, Error> {
        self.marked(&unique::of_email(email.as_str())).await
    }

    async fn marked(&self, mark: &str) -> Result<Option<UserId>, Error> {
        let request = self.client.get_item().table_name(&self.unique);
        let request = request
            .set_key(Some(unique::key(mark)))
            .consistent_read(true);
        let found = request.send().await.map_err(failed)?.item;
        let id = found.and_then(|mut item| item.remove("user_id"));
        id.map(|id| serde_dynamo::from_attribute_value(id).map_err(Error::internal))
            .transpose()
    }

    /// Makes an account, with the marks of its name and address in the same transaction.
    ///
    /// # Errors
    /// When DynamoDB does not answer, or identifiers have run out.
    pub async fn create(&self, new: NewAccount) -> Result<Account, Error> {
        let id = self.next_id().await?;
        let account = Account {
            username_folded: new.username.folded(),
            user: User {
                id,
                username: new.username.as_str().to_owned(),
                email: Some(new.email.as_str().to_owned()),
                email_verified: Some(false),
                role: Role::Basic,
                avatar: String::new(),
                gender: new.gender,
                localization: Some(new.localization),
                has_tracker_a: Some(false),
                has_tracker_b: Some(false),
            },
            password_hash: new.password_hash,
            password_version: 0,
            token_generation: 0,
            kept_token: None,
            created_at: new.created_at,
            linked: LinkedAccounts::default(),
        };
        let mut row = write(&account)?;
        row.insert("list_shard".to_owned(), number(LIST_SHARD));
        let actions = vec![
            Condition::new("attribute_not_exists(id)").put(&self.users, row)?,
            self.mark(&unique::of_username(&account.username_folded), id)?,
            self.mark(&unique::of_email(new.email.as_str()), id)?,
        ];
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Ok(account),
            Outcome::Refused(rows) => {
                let failed = |action: usize| rows.get(action).is_some_and(Option::is_some);
                if failed(0) {
                    return Err(Error::internal("an identifier that was given out twice"));
                }
                Err(errors::taken(failed(1), failed(2)))
            }
        }
    }

    fn mark(&self, mark: &str, id: UserId) -> Result<TransactWriteItem, Error> {
        let mut item = unique::key(mark);
        item.insert("user_id".to_owned(), number(id.get()));
        Condition::new("attribute_not_exists(#value)")
            .name("value")
            .put(&self.unique, item)
    }

    /// The next identifier. One that is not used after all is never given out again.
    async fn next_id(&self) -> Result<UserId, Error> {
        let answer = self
            .client
            .update_item()
            .table_name(&self.unique)
            .set_key(Some(unique::key(unique::USER_COUNTER)))
            .update_expression("ADD last_id :one")
            .expression_attribute_values(":one", number(1))
            .return_values(ReturnValue::UpdatedNew)
            .send()
            .await
            .map_err(failed)?;
        let last = answer.attributes.and_then(|mut row| row.remove("last_id"));
        let last = last.ok_or_else(|| Error::internal("a counter without a number"))?;
        serde_dynamo::from_attribute_value(last).map_err(Error::internal)
    }

    /// Folds the names of all users as [`fold_username`] does now. Versions before this one folded `-`
    /// and `_` to a space: until a row is folded anew, its user cannot sign in by name. Safe to repeat,
    /// and to interrupt. Returns the number of rows that changed, and the users who stay as they are because
    /// another user has registered their name in the meantime.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn refold_names(&self) -> Result<(usize, Vec<UserId>), Error> {
        #[derive(serde::Deserialize)]
        struct Named {
            id: UserId,
            username: String,
            username_folded: String,
        }
        let mut pages = self
            .client
            .query()
            .table_name(&self.users)
            .index_name("ByUsername")
            .key_condition_expression("list_shard = :shard")
            .expression_attribute_values(":shard", number(LIST_SHARD))
            .into_paginator()
            .send();
        let (mut changed, mut conflicts) = (0, Vec::new());
        while let Some(page) = pages.next().await {
            for row in page.map_err(failed)?.items.unwrap_or_default() {
                let Named {
                    id,
                    username,
                    username_folded: old,
                } = read(row)?;
                let new = fold_username(&username);
                if new == old {
                    continue;
                }
                match self.refold_name(id, &old, &new).await? {
                    Refolded::Changed => changed += 1,
                    Refolded::Taken => conflicts.push(id),
                    Refolded::Stale => {}
                }
            }
        }
        Ok((changed, conflicts))
    }

    async fn refold_name(&self, id: UserId, old: &str, new: &str) -> Result<Refolded, Error> {
        let row = Condition::new("username_folded = :old")
            .value("old", text(old))
            .value("new", text(new));
        let row = row.update(&self.users, user_key(id), "SET username_folded = :new")?;
        let own = Condition::new("user_id = :user_id").value("user_id", number(id.get()));
        let old_mark = own.delete(&self.unique, unique::key(&unique::of_username(old)))?;
        let new_mark = self.mark(&unique::of_username(new), id)?;
        let actions = vec![row, old_mark, new_mark];
        Ok(match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Refolded::Changed,
            Outcome::Refused(rows) if matches!(rows[..], [None, None, Some(_)]) => Refolded::Taken,
            Outcome::Refused(_) => Refolded::Stale,
        })
    }

    /// A page of the users, by name.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn list(
        &self,
        pattern: Option<&UsernamePattern>,
        after: Option<&str>,
        per_page: usize,
    ) -> Result<UserPage, Error> {
        let nobody = || UserPage {
            users: Vec::new(),
            next: None,
        };
        let mut query = self
            .client
            .query()
            .table_name(&self.users)
            .index_name("ByUsername")
            .expression_attribute_values(":shard", number(LIST_SHARD));
        let name_condition = match (pattern, after) {
            // DynamoDB takes no longer key, and no name has it.
            (Some(UsernamePattern::Beginning(beginning)), _) if beginning.len() > MAX_NAME => {
                return Ok(nobody());
            }
            (Some(UsernamePattern::Beginning(beginning)), Some(after)) => {
                // The next text after a text, and one after all names that begin with another.
                let from = format!("{after}\0").max(beginning.clone());
                let to = format!("{beginning}\u{7f}");
                if from > to {
                    return Ok(nobody());
                }
                query = query
                    .expression_attribute_values(":from", text(from))
                    .expression_attribute_values(":to", text(to));
                " AND username_folded BETWEEN :from AND :to"
            }
            (Some(UsernamePattern::Beginning(beginning)), None) => {
                query = query.expression_attribute_values(":beginning", text(beginning));
                " AND begins_with(username_folded, :beginning)"
            }
            (_, Some(after)) => {
                query = query.expression_attribute_values(":after", text(after));
                " AND username_folded > :after"
            }
            (_, None) => "",
        };
        query = query.key_condition_expression(format!("list_shard = :shard{name_condition}"));
        let part = pattern.filter(|pattern| matches!(pattern, UsernamePattern::Anywhere(_)));
        let filter = part.map(|part| move |user: &User| part.fits(&fold_username(&user.username)));
        let place = |row: &Item| row.get("username_folded")?.as_s().ok().cloned();
        let listed = listing::page(query, per_page, place, read, filter).await?;
        Ok(UserPage {
            users: listed.rows,
            next: listed.next,
        })
    }

    /// The user with exactly this address, obscured. May trail a change by the index's delay.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn list_by_email(&self, email: &str) -> Result<Vec<User>, Error> {
        let found = self
            .client
            .query()
            .table_name(&self.users)
            .index_name("ByEmail")
            .key_condition_expression("email = :email")
            .expression_attribute_values(":email", text(email))
            .send()
            .await
            .map_err(failed)?;
        let users = found
            .items
            .unwrap_or_default()
            .into_iter()
            .map(read::<User>);
        users.map(|user| user.map(User::obscured)).collect()
    }

    /// Changes what is the caller's own: one conditional write.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn update_own(&self, access: &Access, change: &UserChange) -> Result<User, Error> {
        let id = access.credential.user_id;
        let condition = self.caller_condition(access).await?;
        let (condition, update) = describe(condition, change, &access.credential.token_id);
        let grant = self.grants.check(&access.credential)?;
        let link = self.link_action(id, change)?;
        if grant.is_none() && link.is_none() {
            return match self.update(id, condition, &update).await? {
                Ok(user) => Ok(user),
                Err(row) => Err(access.denied(caller_row(row)?.as_ref())),
            };
        }
        let own = condition.update(&self.users, user_key(id), &update)?;
        let actions = [Some(own), grant, link].into_iter().flatten().collect();
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => {
                let user = self.item(id).await?.map(read).transpose()?;
                user.ok_or(Error::InvalidToken)
            }
            Outcome::Refused(rows) => {
                check_caller(access, &mut rows.into_iter())?;
                Err(Error::Changed)
            }
        }
    }

    /// The action that keeps or forgets an account at a tracker.
    fn link_action(
        &self,
        id: UserId,
        change: &UserChange,
    ) -> Result<Option<TransactWriteItem>, Error> {
        match (&change.link, change.unlink) {
            (Some(new), _) => put_link(&self.links, &new.link).map(Some),
            (None, Some(unlink)) => delete_link(&self.links, id, unlink.tracker).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The actions that check a caller in a transaction: their row and, of an application, the grant.
    pub(super) async fn caller_checks(
        &self,
        access: &Access,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let condition = self.caller_condition(access).await?;
        let key = user_key(access.credential.user_id);
        let mut checks = vec![condition.check(&self.users, key)?];
        checks.extend(self.grants.check(&access.credential)?);
        Ok(checks)
    }

    /// The same, where the caller's own row is updated under a condition of its own.
    pub(super) async fn caller_actions(
        &self,
        access: &Access,
        condition: Condition,
        update: &str,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let update = self.caller_update(access, condition, update).await?;
        let grant = self.grants.check(&access.credential)?;
        Ok(std::iter::once(update).chain(grant).collect())
    }

    /// Changes another user, as a moderator does.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn update_other(
        &self,
        access: &Access,
        id: UserId,
        change: &UserChange,
    ) -> Result<User, Error> {
        let checks = self.above(access, id).await?;
        let (caller, target) = checks;
        let (target, update) = describe(target, change, "");
        let actions = vec![
            caller.check(&self.users, user_key(access.credential.user_id))?,
            target.update(&self.users, user_key(id), &update)?,
        ];
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => {
                let user = self.item(id).await?.map(read).transpose()?;
                user.ok_or(NO_USER)
            }
            Outcome::Refused(rows) => Err(other_refusal(access, rows)?),
        }
    }

    /// The conditions, on the caller's row and on another user's, under which the caller may act on
    /// the latter.
    pub(super) async fn above(
        &self,
        access: &Access,
        id: UserId,
    ) -> Result<(Condition, Condition), Error> {
        let (caller, other) = self.caller_and(&access.credential, id).await?;
        let role = access.check(caller.as_ref())?;
        let other = other.filter(|other| other.deleted_at.is_none());
        let other_role = other.and_then(|other| other.role).ok_or(NO_USER)?;
        let least_role = least_role_to_act_on(other_role);
        if role < least_role {
            return Err(Error::Forbidden(ABOVE));
        }
        let mut at_least = access.clone();
        at_least.least_role = access.least_role.max(Some(least_role));
        let caller = Condition::of(&at_least).ok_or(Error::Forbidden(ABOVE))?;
        let same_role = Condition::new("#role = :role")
            .name("role")
            .value("role", number(u64::from(u8::from(other_role))));
        Ok((caller, Condition::user_exists().and(same_role)))
    }

    /// Ends every token of the caller's, this one included.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn sign_out_everywhere(&self, access: &Access) -> Result<(), Error> {
        let id = access.credential.user_id;
        let condition = self.caller_condition(access).await?;
        let end = "SET token_generation = token_generation + :one REMOVE kept_token";
        let condition = condition.value("one", number(1));
        match self.update::<CallerRow>(id, condition, end).await? {
            Ok(_) => Ok(()),
            Err(row) => Err(access.denied(caller_row(row)?.as_ref())),
        }
    }

    /// Notes that the address was shown to be the user's. False when that is so already, or there is
    /// no such user.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn verify_email(&self, id: UserId) -> Result<bool, Error> {
        let not_yet = Condition::new("email_verified = :no")
            .value("no", AttributeValue::Bool(false))
            .value("yes", AttributeValue::Bool(true));
        let updated = self.update::<CallerRow>(id, not_yet, "SET email_verified = :yes");
        Ok(updated.await?.is_ok())
    }

    /// Sets another password in the place of the one of this version, and ends every token. False
    /// when the password has changed since, or there is no such user.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn reset_password(
        &self,
        id: UserId,
        version: u64,
        password_hash: String,
    ) -> Result<bool, Error> {
        let same = Condition::new("password_version = :version")
            .value("version", number(version))
            .value("password_hash", text(password_hash))
            .value("one", number(1));
        let reset = "SET password_hash = :password_hash, password_version = password_version + :one, \
            token_generation = token_generation + :one REMOVE kept_token";
        Ok(self.update::<CallerRow>(id, same, reset).await?.is_ok())
    }

    /// Sets a user's role. False when there is no such user.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn set_role(&self, id: UserId, role: Role) -> Result<bool, Error> {
        let condition = Condition::user_exists()
            .name("role")
            .value("role", number(u64::from(u8::from(role))));
        let updated = self.update::<CallerRow>(id, condition, "SET #role = :role");
        Ok(updated.await?.is_ok())
    }

    /// Updates one row under a condition. Answers the new row, or the one that failed the condition:
    /// an empty one where there is none.
    async fn update<T: serde::de::DeserializeOwned>(
        &self,
        id: UserId,
        condition: Condition,
        update: &str,
    ) -> Result<Result<T, Item>, Error> {
        let row = Row {
            client: &self.client,
            table: &self.users,
            key: user_key(id),
        };
        match update_row(row, condition, update, &self.random).await? {
            Ok(row) => read(row).map(Ok),
            Err(row) => Ok(Err(row)),
        }
    }

    /// Checks that a name and an address are free, as far as this can be known before the write.
    ///
    /// # Errors
    /// [`Error::Conflict`], which names what is taken.
    pub async fn check_free(&self, username: &Username, email: &EmailAddress) -> Result<(), Error> {
        let folded = username.folded();
        let (named, addressed) = try_join!(self.named(&folded), self.addressed(email))?;
        if named.is_none() && addressed.is_none() {
            return Ok(());
        }
        Err(errors::taken(named.is_some(), addressed.is_some()))
    }
}

/// The refusal of a transaction whose first action checks the caller, and whose second changes
/// another user.
pub(super) fn other_refusal(access: &Access, mut rows: Vec<Option<Item>>) -> Result<Error, Error> {
    match rows.first_mut().and_then(Option::take) {
        Some(row) => Ok(access.denied(caller_row(row)?.as_ref())),
        None => Ok(NO_USER),
    }
}

/// What a refused transaction says of [`UserStore::caller_checks`], its first actions.
pub(super) fn check_caller(
    access: &Access,
    rows: &mut impl Iterator<Item = Option<Item>>,
) -> Result<(), Error> {
    if let Some(row) = rows.next().flatten() {
        return Err(access.denied(caller_row(row)?.as_ref()));
    }
    let grant = access.credential.client.as_ref().and_then(|_| rows.next());
    // The user's row holds, so it is the grant that has ended the token.
    match grant.flatten() {
        Some(_) => Err(Error::InvalidToken),
        None => Ok(()),
    }
}

/// A row that failed a condition on the caller; an empty one where there is none.
pub(super) fn caller_row(row: Item) -> Result<Option<CallerRow>, Error> {
    Some(row)
        .filter(|row| !row.is_empty())
        .map(read)
        .transpose()
}

/// The update that makes a change, and its values beside those of a condition.
fn describe(condition: Condition, change: &UserChange, token_id: &str) -> (Condition, String) {
    let (mut condition, mut update) = (condition, Update::default());
    if let Some(unlink) = change.unlink {
        (condition, update) = unlinked(condition, unlink.tracker, unlink.other_is_linked);
    }
    if let Some(NewLink { link, avatar }) = &change.link {
        condition = linked(condition, link, avatar.as_deref(), &mut update);
    }
    if let Some(gender) = change.gender {
        condition = condition.value("gender", number(u64::from(u8::from(gender))));
        update.set("gender = :gender");
    }
    if let Some(localization) = &change.localization {
        condition = condition.value("localization", text(localization));
        update.set("localization = :localization");
    }
    if let Some(hash) = &change.password_hash {
        condition = condition
            .value("password_hash", text(hash))
            .value("kept", text(token_id))
            .value("one", number(1));
        update.set("password_hash = :password_hash");
        update.set("password_version = password_version + :one");
        update.set("token_generation = token_generation + :one");
        update.set("kept_token = :kept");
    }
    (condition, update.expression())
}
