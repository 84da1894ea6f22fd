//! Accounts: the store of the tables [`crate::schema::user`] and [`crate::schema::unique`].

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, TransactWriteItem};
use futures_util::try_join;
use shared::Error;
use shared::auth::{Access, CallerRow, Credential};
use shared::input::{Parameter, check_length};
use shared::models::{
    DisplaySettings, EmailAddress, Factors, Gender, LinkedAccounts, ListVersion, Role, TimeZone,
    TrackerName, User, UserId, Username, fold_username,
};
use shared::random::Random;

use crate::batch::batch_get;
use crate::database::Database;
use crate::errors::{self, NO_APPLICATION, NO_USER, to_error};
use crate::get::get;
use crate::grants::GrantStore;
use crate::invitation_code::InvitationCode;
use crate::item::{Item, number, read, text, write};
use crate::links::{Update, delete_link, put_link, record_linked, record_unlinked};
use crate::listing;
use crate::schema::tracker_link::Link;
use crate::schema::user::{Account, LIST_SHARD, key as user_key};
use crate::schema::{self, unique};
use crate::transaction::{Condition, Outcome, RowOutcome, TargetRow, update_row};
use crate::user_conditions::{denied, role_value, user_exists};

/// The maximum length of a username, in bytes.
const MAX_USERNAME_BYTES: usize = 32;

/// The store of accounts.
#[derive(Clone, Debug)]
pub struct UserStore {
    pub(super) client: Client,
    pub(super) users: String,
    unique: String,
    links: String,
    throttle: String,
    pub(super) grants: GrantStore,
    pub(super) random: Random,
}

/// A change of a user. Attributes whose field is `None` stay as they are.
#[derive(Clone, Default)]
pub struct UserChange {
    /// Gender.
    pub gender: Option<Gender>,
    /// Preferred locale code.
    pub localization: Option<String>,
    /// Time zone of the user's days.
    pub time_zone: Option<TimeZone>,
    /// True to let everyone read the user's list and statistics.
    pub public_profile: Option<bool>,
    /// True to let search engines list the public profile.
    pub indexable_profile: Option<bool>,
    /// The titles and the scale of scores that pages show to the user.
    pub display: Option<DisplaySettings>,
    /// The hash of a new password. Setting it ends every token and session except the caller's.
    pub password_hash: Option<String>,
    /// An account at a tracker to link.
    pub link: Option<NewLink>,
    /// A tracker whose account to unlink.
    pub unlink: Option<Unlink>,
}

/// An account at a tracker to link. It replaces an account that is linked at the same tracker.
#[derive(Clone)]
pub struct NewLink {
    /// The row of the linked account, with its encrypted tokens.
    pub link: Link,
    /// The URL of the account's image, which becomes the user's avatar. With `None`, the avatar stays.
    pub avatar: Option<String>,
}

/// A tracker whose account to unlink. The tokens of the account are deleted.
#[derive(Clone, Copy)]
pub struct Unlink {
    /// The tracker.
    pub tracker: TrackerName,
    /// True if the caller has seen that a usable account at the other tracker is linked. The write has the same
    /// condition, because unlinking the last account also removes the user from the index SyncDue.
    pub other_is_linked: bool,
}

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
    pub invitation: Option<InvitationCode>,
}

/// A pattern of usernames, folded with [`fold_username`] (docs/api.md, "User endpoints").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsernamePattern {
    /// Names that begin with this text. The index is ordered by name, so a query reads only the rows of such names.
    Beginning(String),
    /// Names that contain this text. A request reads rows until its page is full, at most 1,000 rows.
    Anywhere(String),
}

impl UsernamePattern {
    /// Reads a pattern; `None` if every name matches it. A leading `^` selects names by prefix. Usernames cannot
    /// contain this character, so it is never a part of the text that is searched.
    #[must_use]
    pub fn read(pattern: &str) -> Option<Self> {
        let pattern = match pattern.strip_prefix('^') {
            Some(beginning) => Self::Beginning(fold_username(beginning)),
            None => Self::Anywhere(fold_username(pattern)),
        };
        let (Self::Beginning(text) | Self::Anywhere(text)) = &pattern;
        (!text.is_empty()).then_some(pattern)
    }

    /// Returns true if a folded name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Beginning(beginning) => name.starts_with(beginning),
            Self::Anywhere(part) => name.contains(part),
        }
    }
}

impl Parameter for UsernamePattern {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        check_length(value)?;
        Ok(Self::read(value))
    }
}

/// A page of the user list.
#[derive(Debug)]
pub struct UserPage {
    /// The users in the order of their names.
    pub users: Vec<User>,
    /// The folded name after which the next page begins; `None` on the last page.
    pub next: Option<String>,
}

impl Database {
    /// Returns the store of users.
    #[must_use]
    pub fn users(&self) -> UserStore {
        UserStore {
            grants: self.grants(),
            client: self.client.clone(),
            users: self.tables.of(schema::user::TABLE.name),
            unique: self.tables.of(unique::TABLE.name),
            links: self.tables.of(schema::tracker_link::TABLE.name),
            throttle: self.tables.of(schema::throttle::TABLE.name),
            random: self.random.clone(),
        }
    }
}

impl UserStore {
    /// Opens the connection to DynamoDB before the first request, by reading a row that does not exist.
    pub async fn warm(&self) -> Result<(), Error> {
        self.row(UserId::LAST).await.map(|_| ())
    }

    /// Returns a user, as everyone sees it, by a strongly consistent read.
    pub async fn find(&self, id: UserId) -> Result<Option<User>, Error> {
        self.present_row(id).await?.map(read).transpose()
    }

    /// Returns the whole account of a user, by a strongly consistent read.
    pub async fn account(&self, id: UserId) -> Result<Option<Account>, Error> {
        self.present_row(id).await?.map(read).transpose()
    }

    /// Returns the accounts of these users, at most 100, by identifier. The read is strongly consistent. Deleted
    /// users are left out.
    pub async fn accounts(&self, ids: &[UserId]) -> Result<HashMap<UserId, Account>, Error> {
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
    async fn present_row(&self, id: UserId) -> Result<Option<Item>, Error> {
        let found = get(&self.client, &self.users, user_key(id)).await?;
        Ok(found.filter(|item| !item.contains_key("deleted_at")))
    }

    /// Returns the parts of the caller's row that decide about access, by a strongly consistent read. For an
    /// application or a profile token, they include the row of the grant or token in the table OAuthGrant.
    pub async fn caller(&self, credential: &Credential) -> Result<Option<CallerRow>, Error> {
        let row = self.row(credential.user_id);
        let (row, grant) = try_join!(row, self.grants.find_for(credential))?;
        Ok(row.map(|row| CallerRow { grant, ..row }))
    }

    /// Returns the caller's own account.
    ///
    /// # Errors
    /// The error of [`Access::check`] if the caller has no access.
    pub async fn own_account(&self, access: &Access) -> Result<Account, Error> {
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
    pub async fn row(&self, id: UserId) -> Result<Option<CallerRow>, Error> {
        let row = get(&self.client, &self.users, user_key(id)).await?;
        row.map(read).transpose()
    }

    /// Returns the parts of two users' rows that decide about access, by strongly consistent reads: first the
    /// caller's row, then the row of `other`.
    pub async fn caller_and(
        &self,
        credential: &Credential,
        other: UserId,
    ) -> Result<(Option<CallerRow>, Option<CallerRow>), Error> {
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

    /// Returns the user with this username, folded with [`fold_username`].
    pub async fn find_by_username(&self, username_folded: &str) -> Result<Option<UserId>, Error> {
        self.find_marker(&unique::of_username(username_folded))
            .await
    }

    /// Returns the user with this e-mail address.
    pub async fn find_by_email(&self, email: &EmailAddress) -> Result<Option<UserId>, Error> {
        self.find_marker(&unique::of_email(email.as_str())).await
    }

    /// Returns the user in a marker row of the table Unique, by a strongly consistent read.
    pub(super) async fn find_marker(&self, marker: &str) -> Result<Option<UserId>, Error> {
        let found = get(&self.client, &self.unique, unique::key(marker)).await?;
        let id = found.and_then(|mut item| item.remove("user_id"));
        id.map(|id| serde_dynamo::from_attribute_value(id).map_err(Error::internal))
            .transpose()
    }

    /// Creates an account. The same transaction writes the marker rows of its username, its e-mail address and its
    /// account at an identity provider, and deletes the invitation.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the username, the e-mail address or the account at the provider belongs to another user,
    /// or [`Error::Invalid`] that names `invitation`.
    pub async fn create(&self, new: NewAccount) -> Result<Account, Error> {
        let id = self.next_id().await?;
        self.create_with_id(id, new).await
    }

    /// Creates an account as [`Self::create`] does, with an identifier from [`Self::next_id`].
    ///
    /// # Errors
    /// As [`Self::create`].
    pub async fn create_with_id(&self, id: UserId, new: NewAccount) -> Result<Account, Error> {
        let account = Account {
            username_folded: new.username.folded(),
            user: User {
                id,
                username: new.username.as_str().to_owned(),
                role: new
                    .invitation
                    .as_ref()
                    .map_or(Role::Basic, InvitationCode::role),
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
            list: ListVersion::default(),
            calendar_feed: None,
            asked_at: Some(0),
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
        if let Some(invitation) = &new.invitation {
            let used = invitation.use_action(&self.throttle, new.created_at / 1000)?;
            writes.require(used, |_| errors::invalid_invitation());
        }
        for marker in self.identity_markers(id, &Factors::default(), &account.factors)? {
            writes.require(marker, |_| errors::identity_taken());
        }
        let [username, email] = [
            unique::of_username(&account.username_folded),
            unique::of_email(new.email.as_str()),
        ];
        let username = writes.add(self.put_marker(&username, id)?);
        let email = writes.add(self.put_marker(&email, id)?);
        match writes.commit().await? {
            Outcome::Written => Ok(account),
            Outcome::Refused(refused) => Err(errors::already_taken(
                refused.has(username),
                refused.has(email),
            )),
        }
    }

    /// Returns the action that writes a marker row in the table Unique, if it does not exist yet.
    pub(super) fn put_marker(&self, marker: &str, id: UserId) -> Result<TransactWriteItem, Error> {
        let mut item = unique::key(marker);
        item.insert("user_id".to_owned(), number(id.get()));
        Condition::new("attribute_not_exists(#value)")
            .name("value")
            .put(&self.unique, item)
    }

    /// Returns the action that deletes a marker row of a user in the table Unique.
    pub(super) fn delete_marker(
        &self,
        marker: &str,
        id: UserId,
    ) -> Result<TransactWriteItem, Error> {
        Condition::new("user_id = :user_id")
            .value("user_id", number(id.get()))
            .delete(&self.unique, unique::key(marker))
    }

    /// Takes the next identifier of a user from the counter. If the registration then fails, the identifier stays
    /// unused.
    pub async fn next_id(&self) -> Result<UserId, Error> {
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
            .map_err(to_error)?;
        let last = answer.attributes.and_then(|mut row| row.remove("last_id"));
        let last = last.ok_or_else(|| {
            Error::internal("the update of the counter of users returned no number")
        })?;
        serde_dynamo::from_attribute_value(last).map_err(Error::internal)
    }

    /// Returns a page of the users, in the order of their names, beginning after the folded name `after`. Reads a
    /// secondary index, which can lag behind changes.
    pub async fn list(
        &self,
        pattern: Option<&UsernamePattern>,
        after: Option<&str>,
        per_page: usize,
    ) -> Result<UserPage, Error> {
        let empty_page = || UserPage {
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
            // No username is this long, and DynamoDB rejects values that are too long for a key.
            (Some(UsernamePattern::Beginning(beginning)), _)
                if beginning.len() > MAX_USERNAME_BYTES =>
            {
                return Ok(empty_page());
            }
            (Some(UsernamePattern::Beginning(beginning)), Some(after)) => {
                // A key condition allows one BETWEEN, but not `begins_with` and `>` together. The smallest
                // text greater than `after` is `after` followed by `\0`. U+007F is greater than every
                // character of a name.
                let from = format!("{after}\0").max(beginning.clone());
                let to = format!("{beginning}\u{7f}");
                if from > to {
                    return Ok(empty_page());
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
        let filter =
            part.map(|part| move |user: &User| part.matches(&fold_username(&user.username)));
        let position_of = |row: &Item| row.get("username_folded")?.as_s().ok().cloned();
        let listed = listing::read_page(query, per_page, position_of, read, filter).await?;
        Ok(UserPage {
            users: listed.rows,
            next: listed.next,
        })
    }

    /// Returns the user with exactly this e-mail address as a list of at most one. Reads a
    /// secondary index, which can lag behind changes.
    pub async fn list_by_email(&self, email: &str) -> Result<Vec<User>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.users)
            .index_name("ByEmail")
            .key_condition_expression("email = :email")
            .expression_attribute_values(":email", text(email));
        listing::read_first_page(query, read).await
    }

    /// Changes the caller's own account with one conditional write or one transaction.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the value of [`Unlink::other_is_linked`] is outdated. A retry must read the
    /// account again first.
    pub async fn update_own(&self, access: &Access, change: &UserChange) -> Result<Account, Error> {
        let id = access.credential.user_id;
        let condition = self.caller_condition(access).await?;
        let (condition, update) = build_update(condition, change, &access.credential.token_id);
        let link = self.link_action(id, change)?;
        if !access.credential.has_grant() && link.is_none() {
            return match self.update(id, condition, &update).await? {
                RowOutcome::Written(row) => read(row),
                RowOutcome::Refused(row) => Err(denied(access, row)),
            };
        }
        let row = condition.update(&self.users, user_key(id), &update)?;
        let mut writes = self.transaction();
        writes.require(row, move |row| denied(access, row));
        self.require_grant(access, &mut writes)?;
        if let Some(link) = link {
            writes.add(link);
        }
        writes.commit().await?.or(Error::Changed)?;
        self.account(id).await?.ok_or(Error::InvalidToken)
    }

    /// Returns the action that writes or deletes the row of a linked account, if the change links or unlinks
    /// one.
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

    /// Changes another user, for a moderator or an administrator.
    pub async fn update_other(
        &self,
        access: &Access,
        id: UserId,
        change: &UserChange,
    ) -> Result<Account, Error> {
        let (mut writes, target) = self.begin_for(access, id).await?;
        let (target, update) = build_update(target, change, "");
        writes.add(target.update(&self.users, user_key(id), &update)?);
        writes.commit().await?.or(NO_USER)?;
        self.account(id).await?.ok_or(NO_USER)
    }

    /// Ends every token and session of the caller, including the token or session of this request.
    pub async fn sign_out_everywhere(&self, access: &Access) -> Result<(), Error> {
        let end_tokens = "SET token_generation = token_generation + :one REMOVE kept_token";
        let exists = user_exists().value("one", number(1));
        let writes = self
            .begin_with_update(access, exists, end_tokens, Error::Changed)
            .await?;
        writes.commit().await?.or(Error::Changed)
    }

    /// Stores `sealed`, the encrypted secret in the address of the caller's calendar feed, or with `None` removes the
    /// stored secret. Only for callers with a session, because the table OAuthGrant is not checked.
    pub async fn set_calendar_feed(
        &self,
        access: &Access,
        sealed: Option<&str>,
    ) -> Result<(), Error> {
        let condition = self.caller_condition(access).await?;
        let (condition, update) = match sealed {
            Some(sealed) => (
                condition.value("feed", text(sealed)),
                "SET calendar_feed = :feed",
            ),
            None => (condition, "REMOVE calendar_feed"),
        };
        let updated = self.update(access.credential.user_id, condition, update);
        match updated.await? {
            RowOutcome::Written(_) => Ok(()),
            RowOutcome::Refused(row) => Err(denied(access, row)),
        }
    }

    /// Returns the time zone of a user's days, by an eventually consistent read. Returns UTC if it is not known.
    pub async fn time_zone(&self, id: UserId) -> Result<TimeZone, Error> {
        let request = self.client.get_item().table_name(&self.users);
        let request = request
            .set_key(Some(user_key(id)))
            .projection_expression("time_zone");
        let answer = request.send().await.map_err(to_error)?;
        let row = answer.item.unwrap_or_default();
        let name = row.get("time_zone").and_then(|name| name.as_s().ok());
        let known = name.and_then(|name| TimeZone::new(name).ok());
        Ok(known.unwrap_or_default())
    }

    /// Stores the time zone of a user whose time zone is not known yet.
    pub async fn set_first_time_zone(&self, id: UserId, zone: TimeZone) -> Result<(), Error> {
        let is_unknown = Condition::new("attribute_not_exists(time_zone)");
        let condition = user_exists()
            .and(is_unknown)
            .value("time_zone", text(zone.name()));
        // If the time zone is known by now, or the user is deleted, nothing is written.
        self.update(id, condition, "SET time_zone = :time_zone")
            .await?;
        Ok(())
    }

    /// Sets a user's role. Returns false if the user does not exist.
    pub async fn set_role(&self, id: UserId, role: Role) -> Result<bool, Error> {
        let condition = user_exists().name("role").value("role", role_value(role));
        let updated = self.update(id, condition, "SET #role = :role");
        Ok(updated.await?.is_written())
    }

    /// Gives an administrator a lower role, unless there is no other administrator. Returns false if there is none, or
    /// if the user is no administrator any more.
    pub async fn demote_administrator(&self, id: UserId, role: Role) -> Result<bool, Error> {
        let administrator = role_value(Role::Administrator);
        let is_administrator = || {
            user_exists()
                .and(Condition::new("#role = :administrator"))
                .name("role")
                .value("administrator", administrator.clone())
        };
        let query = self
            .client
            .query()
            .table_name(&self.users)
            .index_name("ByUsername")
            .key_condition_expression("list_shard = :shard")
            .filter_expression("#role = :administrator")
            .expression_attribute_names("#role", "role")
            .expression_attribute_values(":shard", number(LIST_SHARD))
            .expression_attribute_values(":administrator", administrator.clone());
        let administrators = listing::read_all(query, read::<User>).await?;
        for other in administrators.iter().filter(|other| other.id != id) {
            let mut writes = self.transaction();
            let change = is_administrator().value("role", role_value(role));
            let change = change.update(&self.users, user_key(id), "SET #role = :role")?;
            let change = writes.add(change);
            // The index can lag behind, and the other administrator can lose the role at this moment.
            writes.add(is_administrator().check(&self.users, user_key(other.id))?);
            match writes.commit().await? {
                Outcome::Written => return Ok(true),
                Outcome::Refused(refused) if refused.has(change) => return Ok(false),
                Outcome::Refused(_) => {}
            }
        }
        Ok(false)
    }

    /// Disconnects an OAuth client from the caller. All tokens of the client for the caller end.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the client is not connected.
    pub async fn disconnect(&self, access: &Access, client_id: &str) -> Result<(), Error> {
        let mut writes = self.begin(access).await?;
        let user = access.credential.user_id;
        writes.add(self.grants.disconnect_action(user, client_id)?);
        writes.commit().await?.or(NO_APPLICATION)
    }

    /// Updates the row of a user under a condition.
    pub(super) async fn update(
        &self,
        id: UserId,
        condition: Condition,
        update: &str,
    ) -> Result<RowOutcome, Error> {
        let row = TargetRow(&self.client, &self.users, user_key(id));
        update_row(row, condition, update, &self.random).await
    }

    /// Checks that a username and an e-mail address are free. [`UserStore::create`] checks them again,
    /// because another user can register in between.
    ///
    /// # Errors
    /// [`Error::Conflict`], which names the fields whose values are taken.
    pub async fn check_free(&self, username: &Username, email: &EmailAddress) -> Result<(), Error> {
        let folded = username.folded();
        let (named, addressed) =
            try_join!(self.find_by_username(&folded), self.find_by_email(email))?;
        if named.is_none() && addressed.is_none() {
            return Ok(());
        }
        Err(errors::already_taken(named.is_some(), addressed.is_some()))
    }
}

/// Returns the update expression for a change, and `condition` with the values that the update uses.
/// `token_id` is the token that stays valid after a change of the password.
fn build_update(condition: Condition, change: &UserChange, token_id: &str) -> (Condition, String) {
    let (mut condition, mut update) = (condition, Update::default());
    if let Some(unlink) = change.unlink {
        (condition, update) = record_unlinked(condition, unlink.tracker, unlink.other_is_linked);
    }
    if let Some(NewLink { link, avatar }) = &change.link {
        condition = record_linked(condition, link, avatar.as_deref(), &mut update);
    }
    if let Some(gender) = change.gender {
        condition = condition.value("gender", number(u64::from(u8::from(gender))));
        update.set("gender = :gender");
    }
    if let Some(localization) = &change.localization {
        condition = condition.value("localization", text(localization));
        update.set("localization = :localization");
    }
    if let Some(time_zone) = change.time_zone {
        condition = condition.value("time_zone", text(time_zone.name()));
        update.set("time_zone = :time_zone");
    }
    if let Some(is_public) = change.public_profile {
        condition = condition.value("public_profile", AttributeValue::Bool(is_public));
        update.set("public_profile = :public_profile");
    }
    if let Some(is_indexable) = change.indexable_profile {
        condition = condition.value("indexable_profile", AttributeValue::Bool(is_indexable));
        update.set("indexable_profile = :indexable_profile");
    }
    if let Some(DisplaySettings { titles, scores }) = change.display {
        condition = condition
            .value("title_language", text(titles.name()))
            .value("score_scale", text(scores.name()));
        update.set("title_language = :title_language");
        update.set("score_scale = :score_scale");
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
