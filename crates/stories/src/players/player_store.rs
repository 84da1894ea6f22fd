//! Players and the reports of their messages: the store of the table [`super::player`]. `series_store.rs` has the rows
//! of the anime of their series.

use std::cmp::Reverse;

use accounts::users::{Account, UserStore};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use dynamo::{
    Condition, Database, Item, RowOutcome, TargetRow, batch_delete, get, number, peek, query, read,
    read_all, text, to_error, update_row, was_written, write,
};
use futures_util::try_join;
use serde::de::DeserializeOwned;
use shared::auth::Access;
use shared::clock::Clock;
use shared::models::UserId;
use shared::random::Random;
use shared::{Error, Result};

use super::player::{
    CHOICE_PREFIX, MATCH_PREFIX, MAX_PLAYERS, MAX_REPORTS, MatchedSeries, PLAYER_PREFIX, Player,
    PlayerReport, PlayerSettings, SeriesChoice, TABLE, UNMATCHED_PREFIX, UnmatchedSeries,
    key as player_key, player_entry, player_of_report, report_entry, report_prefix,
};
use crate::errors::{NO_PLAYER, too_many_players};

/// A change of a player. `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct PlayerChange {
    /// The encrypted random part of the secret in the address.
    pub secret: Option<String>,
    /// The settings.
    pub settings: Option<PlayerSettings>,
}

/// Everything about the players of a user.
#[derive(Clone, Debug, Default)]
pub struct PlayerRows {
    /// The players.
    pub players: Vec<Player>,
    /// The reports, each with the identifier of its player.
    pub reports: Vec<(u8, PlayerReport)>,
    /// The choices.
    pub choices: Vec<SeriesChoice>,
    /// The unmatched series.
    pub unmatched: Vec<UnmatchedSeries>,
    /// The matched series.
    pub matched: Vec<MatchedSeries>,
}

/// The store of players.
#[derive(Clone, Debug)]
pub struct PlayerStore {
    pub(super) client: Client,
    pub(super) users: UserStore,
    pub(super) table: String,
    pub(super) clock: Clock,
    pub(super) random: Random,
}

impl PlayerStore {
    /// Creates the store of players.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
            clock: database.clock.clone(),
            random: database.random.clone(),
        }
    }

    /// Returns the players of a user, in the order of their identifiers, by a strongly consistent read.
    pub async fn list(&self, user: UserId) -> Result<Vec<Player>> {
        self.rows(user, PLAYER_PREFIX).await
    }

    /// Returns a player and the account of its owner, by eventually consistent reads, which cost half a read unit each.
    pub async fn find_with_owner(
        &self,
        user: UserId,
        player: u8,
    ) -> Result<Option<(Account, Player)>> {
        let account = self.users.peek_account(user);
        let player = self.peek(user, player_entry(player));
        let (account, player) = try_join!(account, player)?;
        Ok(account.zip(player))
    }

    /// Adds a player of the caller. Its identifier must be free ([`Self::free_id`]).
    ///
    /// # Errors
    /// [`Error::Changed`] if another player has got the identifier in the meantime.
    pub async fn add(&self, access: &Access, player: &Player) -> Result<()> {
        let is_free = Condition::new("attribute_not_exists(user_id)");
        let action = is_free.put(&self.table, write(player)?)?;
        self.transact_as(access, action, Error::Changed).await
    }

    /// Returns an identifier that none of these players has.
    ///
    /// # Errors
    /// [`Error::Conflict`] if there are already [`MAX_PLAYERS`].
    pub fn free_id(players: &[Player]) -> Result<u8> {
        let is_free = |id: &u8| players.iter().all(|player| player.id() != *id);
        (0..MAX_PLAYERS)
            .find(is_free)
            .ok_or_else(|| too_many_players(MAX_PLAYERS))
    }

    /// Changes a player of the caller.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the caller has no such player.
    pub async fn change(&self, access: &Access, id: u8, change: &PlayerChange) -> Result<()> {
        let (mut values, mut removes) = (Item::new(), Vec::new());
        if let Some(settings) = &change.settings {
            values = write(settings)?;
            // These settings are not serialized if they are empty, so their attributes are removed.
            removes.extend(["server_user", "libraries"]);
            removes.retain(|name| !values.contains_key(*name));
        }
        if let Some(secret) = &change.secret {
            values.insert("secret".to_owned(), text(secret));
        }
        let condition = Condition::new("attribute_exists(user_id)");
        let (condition, update) = condition.with_update(values, &removes);
        let row = player_key(access.credential.user_id, &player_entry(id));
        let action = condition.update(&self.table, row, &update)?;
        self.transact_as(access, action, NO_PLAYER).await
    }

    /// Removes a player of the caller, and its reports.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the caller has no such player.
    pub async fn remove(&self, access: &Access, id: u8) -> Result<()> {
        let user = access.credential.user_id;
        let is_present = Condition::new("attribute_exists(user_id)");
        let action = is_present.delete(&self.table, player_key(user, &player_entry(id)))?;
        self.transact_as(access, action, NO_PLAYER).await?;
        let reports = (0..MAX_REPORTS).map(|slot| report_entry(id, slot));
        self.delete_entries(user, reports.collect()).await
    }

    /// Returns the reports of a player, newest first, by a strongly consistent read.
    pub async fn reports(&self, player: &Player) -> Result<Vec<PlayerReport>> {
        let prefix = report_prefix(player.id());
        let mut reports: Vec<PlayerReport> = self.rows(player.user_id, &prefix).await?;
        // A deleted player with the same identifier may have left reports.
        let now = self.clock.now_s();
        reports.retain(|report| report.number <= player.report_count && report.expires_at > now);
        reports.sort_by_key(|report| Reverse(report.number));
        Ok(reports)
    }

    /// Returns the latest report of a player, by an eventually consistent read; `None` if there is none, or if it has
    /// expired or was deleted.
    pub async fn latest_report(&self, player: &Player) -> Result<Option<PlayerReport>> {
        if player.report_count == 0 {
            return Ok(None);
        }
        let entry = report_entry(player.id(), player.report_count);
        let report: Option<PlayerReport> = self.peek(player.user_id, entry).await?;
        Ok(report.filter(|report| report.expires_at > self.clock.now_s()))
    }

    /// Adds a report of a player. It replaces the report that is 50 older. Adds `user_name` of the report to the names
    /// that the player has seen. Nothing is added if the player no longer exists.
    pub async fn add_report(&self, player: &Player, report: &PlayerReport) -> Result<()> {
        let mut exists = Condition::new("attribute_exists(user_id)").value("one", number(1));
        let mut update = "ADD report_count :one".to_owned();
        let user = report.user_name.as_ref();
        if let Some(name) = user.filter(|name| player.can_keep_user(name)) {
            exists = exists.value("names", AttributeValue::Ss(vec![name.clone()]));
            update.push_str(", seen_users :names");
        }
        let row = TargetRow(
            &self.client,
            &self.table,
            player_key(player.user_id, &player.entry),
        );
        let update_row = update_row(row, exists, &update, &self.random);
        let RowOutcome::Written(row) = update_row.await? else {
            return Ok(());
        };
        let player: Player = read(row)?;
        let report = PlayerReport {
            number: player.report_count,
            ..report.clone()
        };
        let mut item = write(&report)?;
        item.extend(player_key(
            player.user_id,
            &report_entry(player.id(), report.number),
        ));
        self.put(item).await
    }

    /// Deletes the report with this number, unless a later one has replaced it.
    pub async fn delete_report(&self, player: &Player, number_of_report: u64) -> Result<()> {
        let entry = report_entry(player.id(), number_of_report);
        let request = self.client.delete_item().table_name(&self.table);
        let request = request
            .set_key(Some(player_key(player.user_id, &entry)))
            .condition_expression("#number = :number")
            .expression_attribute_names("#number", "number")
            .expression_attribute_values(":number", number(number_of_report));
        was_written(request.send().await).map(|_| ())
    }

    /// Returns everything about the players of a user, by a strongly consistent read.
    pub async fn all_rows(&self, user: UserId) -> Result<PlayerRows> {
        let mut rows = PlayerRows::default();
        for item in read_all(self.query(user, ""), Ok).await? {
            let entry = item
                .get("entry")
                .and_then(|entry| entry.as_s().ok())
                .cloned();
            let entry = entry.unwrap_or_default();
            if entry.starts_with(PLAYER_PREFIX) {
                rows.players.push(read(item)?);
            } else if entry.starts_with(CHOICE_PREFIX) {
                rows.choices.push(read(item)?);
            } else if entry.starts_with(UNMATCHED_PREFIX) {
                rows.unmatched.push(read(item)?);
            } else if entry.starts_with(MATCH_PREFIX) {
                rows.matched.push(read(item)?);
            } else if let Some(player) = player_of_report(&entry) {
                rows.reports.push((player, read(item)?));
            }
        }
        Ok(rows)
    }

    /// Returns all rows of a user whose keys begin with this prefix, by a strongly consistent read.
    pub(super) async fn rows<T: DeserializeOwned>(
        &self,
        user: UserId,
        prefix: &str,
    ) -> Result<Vec<T>> {
        read_all(self.query(user, prefix), read).await
    }

    pub(super) fn query(&self, user: UserId, prefix: &str) -> QueryFluentBuilder {
        let query = query(&self.client, &self.table, "user_id", number(user.get()));
        let query = query.consistent_read(true);
        if prefix.is_empty() {
            return query;
        }
        query
            .key_condition_expression("user_id = :user_id AND begins_with(entry, :prefix)")
            .expression_attribute_values(":prefix", text(prefix))
    }

    /// Returns a row of a user by a strongly consistent read.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        user: UserId,
        entry: String,
    ) -> Result<Option<T>> {
        let row = get(&self.client, &self.table, player_key(user, &entry)).await?;
        row.map(read).transpose()
    }

    /// Returns a row of a user by an eventually consistent read.
    pub(super) async fn peek<T: DeserializeOwned>(
        &self,
        user: UserId,
        entry: String,
    ) -> Result<Option<T>> {
        let row = peek(&self.client, &self.table, player_key(user, &entry)).await?;
        row.map(read).transpose()
    }

    pub(super) async fn put(&self, item: Item) -> Result<()> {
        let request = self.client.put_item().table_name(&self.table);
        let request = request.set_item(Some(item)).send();
        request.await.map_err(to_error).map(|_| ())
    }

    pub(super) async fn delete_entries(&self, user: UserId, entries: Vec<String>) -> Result<()> {
        let keys = entries.iter().map(|entry| player_key(user, entry));
        batch_delete(&self.client, &self.table, keys.collect()).await
    }

    /// Makes a write of the caller. Fails with `refusal` if the condition of `action` fails.
    pub(super) async fn transact_as(
        &self,
        access: &Access,
        action: TransactWriteItem,
        refusal: Error,
    ) -> Result<()> {
        let mut writes = self.users.begin(access).await?;
        writes.add(action);
        writes.commit().await?.or(refusal)
    }
}
