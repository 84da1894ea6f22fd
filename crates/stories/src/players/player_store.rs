//! Players, the reports of their messages, and the anime of their series: the store of the table [`super::player`].

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use accounts::users::{Account, UserStore};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, Select, TransactWriteItem};
use dynamo::{
    Condition, Database, Item, MAX_BATCH_READ, RowOutcome, TargetRow, WriteAttempts, as_number,
    batch_delete, batch_get, get, number, peek, query, read, read_all, text, to_error, update_row,
    was_written, write,
};
use futures_util::try_join;
use serde::de::DeserializeOwned;
use shared::Error;
use shared::auth::Access;
use shared::clock::Clock;
use shared::models::UserId;
use shared::random::Random;

use super::player::{
    CHOICE_PREFIX, COUNTED_CHOICES, MATCH_PREFIX, MAX_CHOICES, MAX_PLAYERS, MAX_REPORTS,
    MAX_UNMATCHED, MatchedSeries, PLAYER_PREFIX, Player, PlayerReport, PlayerSettings,
    SeriesChoice, TABLE, UNMATCHED_PREFIX, UnmatchedSeries, choice_entry, key as player_key,
    match_entry, player_entry, player_of_report, report_entry, report_prefix, unmatched_entry,
};
use crate::errors::{NO_PLAYER, too_many_choices, too_many_players};

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

/// The time for which unmatched series are kept, in seconds: 30 days.
pub const UNMATCHED_KEPT_S: u64 = 30 * 24 * 60 * 60;

/// The maximum time between the time of a question in the user's row and the write of the question's row, in seconds:
/// an hour. No request takes that long, but clocks of servers can differ.
const QUESTION_DELAY_S: u64 = 60 * 60;

/// The store of players.
#[derive(Clone, Debug)]
pub struct PlayerStore {
    client: Client,
    users: UserStore,
    table: String,
    clock: Clock,
    random: Random,
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
    pub async fn list(&self, user: UserId) -> Result<Vec<Player>, Error> {
        self.rows(user, PLAYER_PREFIX).await
    }

    /// Returns a player and the account of its owner, by eventually consistent reads, which cost half a read unit each.
    pub async fn find_with_owner(
        &self,
        user: UserId,
        player: u8,
    ) -> Result<Option<(Account, Player)>, Error> {
        let account = self.users.peek_account(user);
        let player = self.peek(user, player_entry(player));
        let (account, player) = try_join!(account, player)?;
        Ok(account.zip(player))
    }

    /// Adds a player of the caller. Its identifier must be free ([`Self::free_id`]).
    ///
    /// # Errors
    /// [`Error::Changed`] if another player has got the identifier in the meantime.
    pub async fn add(&self, access: &Access, player: &Player) -> Result<(), Error> {
        let is_free = Condition::new("attribute_not_exists(user_id)");
        let action = is_free.put(&self.table, write(player)?)?;
        self.transact_as(access, action, Error::Changed).await
    }

    /// Returns an identifier that none of these players has.
    ///
    /// # Errors
    /// [`Error::Conflict`] if there are already [`MAX_PLAYERS`].
    pub fn free_id(present: &[Player]) -> Result<u8, Error> {
        let is_free = |id: &u8| present.iter().all(|player| player.id() != *id);
        (0..MAX_PLAYERS)
            .find(is_free)
            .ok_or_else(|| too_many_players(MAX_PLAYERS))
    }

    /// Changes a player of the caller.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the caller has no such player.
    pub async fn change(
        &self,
        access: &Access,
        id: u8,
        change: &PlayerChange,
    ) -> Result<(), Error> {
        let (mut values, mut removes) = (Item::new(), Vec::new());
        if let Some(settings) = &change.settings {
            values = write(settings)?;
            // These have no value if they are empty.
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
    pub async fn remove(&self, access: &Access, id: u8) -> Result<(), Error> {
        let user = access.credential.user_id;
        let is_present = Condition::new("attribute_exists(user_id)");
        let action = is_present.delete(&self.table, player_key(user, &player_entry(id)))?;
        self.transact_as(access, action, NO_PLAYER).await?;
        let reports = (0..MAX_REPORTS).map(|slot| report_entry(id, slot));
        self.delete_entries(user, reports.collect()).await
    }

    /// Returns the reports of a player, newest first, by a strongly consistent read.
    pub async fn reports(&self, player: &Player) -> Result<Vec<PlayerReport>, Error> {
        let prefix = report_prefix(player.id());
        let mut reports: Vec<PlayerReport> = self.rows(player.user_id, &prefix).await?;
        // A deleted player with the same identifier may have left some.
        let now = self.clock.now_s();
        reports.retain(|report| report.number <= player.report_count && report.expires_at > now);
        reports.sort_by_key(|report| Reverse(report.number));
        Ok(reports)
    }

    /// Returns the latest report of a player, by an eventually consistent read; `None` if there is none, or if it has
    /// expired or was deleted.
    pub async fn latest_report(&self, player: &Player) -> Result<Option<PlayerReport>, Error> {
        if player.report_count == 0 {
            return Ok(None);
        }
        let entry = report_entry(player.id(), player.report_count);
        let report: Option<PlayerReport> = self.peek(player.user_id, entry).await?;
        Ok(report.filter(|report| report.expires_at > self.clock.now_s()))
    }

    /// Adds a report of a player. It replaces the report that is 50 older. Adds `user_name` of the report to the names
    /// that the player has seen. Nothing is added if the player no longer exists.
    pub async fn add_report(&self, player: &Player, report: &PlayerReport) -> Result<(), Error> {
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
    pub async fn delete_report(&self, player: &Player, number_of_report: u64) -> Result<(), Error> {
        let entry = report_entry(player.id(), number_of_report);
        let request = self.client.delete_item().table_name(&self.table);
        let request = request
            .set_key(Some(player_key(player.user_id, &entry)))
            .condition_expression("#number = :number")
            .expression_attribute_names("#number", "number")
            .expression_attribute_values(":number", number(number_of_report));
        was_written(request.send().await).map(|_| ())
    }

    /// Returns the choices of a user for the series with these keys, by the keys. The reads are eventually consistent.
    pub async fn choices_for(
        &self,
        user: UserId,
        keys: &BTreeSet<String>,
    ) -> Result<HashMap<String, SeriesChoice>, Error> {
        let keys: Vec<&String> = keys.iter().collect();
        let mut choices = HashMap::new();
        for keys in keys.chunks(MAX_BATCH_READ) {
            let rows = keys.iter().map(|key| player_key(user, &choice_entry(key)));
            let rows = batch_get(&self.client, &self.table, rows.collect(), false).await?;
            for row in rows {
                let choice: SeriesChoice = read(row)?;
                choices.insert(choice.key().to_owned(), choice);
            }
        }
        Ok(choices)
    }

    /// Returns the choice of a user for the series with this key, by an eventually consistent read.
    pub async fn choice(&self, user: UserId, key: &str) -> Result<Option<SeriesChoice>, Error> {
        self.peek(user, choice_entry(key)).await
    }

    /// Returns the choices of a user.
    pub async fn choices(&self, user: UserId) -> Result<Vec<SeriesChoice>, Error> {
        self.rows(user, CHOICE_PREFIX).await
    }

    /// Stores the choice of the caller for a series. `decide` returns it, given the earlier choice. `decide` is called
    /// again if another request changes the choices at the same time.
    ///
    /// # Errors
    /// [`Error::Conflict`] for the field `anime_id` if the choice is new and there are already [`MAX_CHOICES`].
    pub async fn edit_choice(
        &self,
        access: &Access,
        key: &str,
        mut decide: impl FnMut(Option<SeriesChoice>) -> Result<SeriesChoice, Error>,
    ) -> Result<SeriesChoice, Error> {
        let user = access.credential.user_id;
        let mut attempts = WriteAttempts::new(&self.random);
        loop {
            attempts.next().await?;
            let before: Option<SeriesChoice> = self.get(user, choice_entry(key)).await?;
            let is_new = before.is_none();
            let choice = decide(before)?;
            let mut writes = self.users.begin(access).await?;
            if is_new {
                let counted = self.count_new_choice(user).await?;
                writes.add(counted);
            }
            let condition = Condition::new(if is_new {
                "attribute_not_exists(user_id)"
            } else {
                "attribute_exists(user_id)"
            });
            writes.add(condition.put(&self.table, write(&choice)?)?);
            // Otherwise another request has changed the choices.
            if writes.commit().await?.is_written() {
                return Ok(choice);
            }
        }
    }

    /// Returns the write that counts a new choice. It fails if another new choice is counted in the meantime, so that
    /// there are never more than [`MAX_CHOICES`].
    ///
    /// # Errors
    /// [`Error::Conflict`] if there are [`MAX_CHOICES`].
    async fn count_new_choice(&self, user: UserId) -> Result<TransactWriteItem, Error> {
        let row = player_key(user, COUNTED_CHOICES);
        // This row is read before the choices, so that none is missed.
        let counted = get(&self.client, &self.table, row.clone()).await?;
        if count(self.query(user, CHOICE_PREFIX)).await? >= MAX_CHOICES {
            return Err(too_many_choices());
        }
        let before = counted.and_then(|row| as_number(row.get("number")?));
        let condition = match before {
            Some(before) => Condition::new("#number = :before").value("before", number(before)),
            None => Condition::new("attribute_not_exists(#number)"),
        };
        let next = number(before.unwrap_or(0).wrapping_add(1));
        let condition = condition.name("number").value("next", next);
        condition.update(&self.table, row, "SET #number = :next")
    }

    /// Takes a choice of the caller back.
    pub async fn take_back_choice(&self, access: &Access, key: &str) -> Result<(), Error> {
        let row = player_key(access.credential.user_id, &choice_entry(key));
        let action = Condition::default().delete(&self.table, row)?;
        self.transact_as(access, action, NO_PLAYER).await
    }

    /// Returns the unmatched series of a user, the last watched first, by a strongly consistent read.
    pub async fn unmatched(&self, user: UserId) -> Result<Vec<UnmatchedSeries>, Error> {
        Ok(self.unmatched_and_expired(user).await?.0)
    }

    /// Returns the series of [`Self::unmatched`], and those that have expired.
    async fn unmatched_and_expired(
        &self,
        user: UserId,
    ) -> Result<(Vec<UnmatchedSeries>, Vec<UnmatchedSeries>), Error> {
        let mut rows: Vec<UnmatchedSeries> = self.rows(user, UNMATCHED_PREFIX).await?;
        rows.sort_by_key(|row| Reverse(row.at));
        let now = self.clock.now_s();
        Ok(rows.into_iter().partition(|row| row.expires_at > now))
    }

    /// Returns the unmatched series with this key, by an eventually consistent read; `None` if it has expired.
    pub async fn find_unmatched(
        &self,
        user: UserId,
        key: &str,
    ) -> Result<Option<UnmatchedSeries>, Error> {
        let row: Option<UnmatchedSeries> = self.peek(user, unmatched_entry(key)).await?;
        Ok(row.filter(|row| row.expires_at > self.clock.now_s()))
    }

    /// Returns the number of unmatched series about which a user is asked. `asked_at` is the attribute of the user's
    /// account. If it shows that there are none, reads nothing; otherwise, the read is strongly consistent.
    pub async fn count_questions(
        &self,
        user: UserId,
        asked_at: Option<u64>,
    ) -> Result<usize, Error> {
        let now = self.clock.now_s();
        if asked_at.is_some_and(|at| at.saturating_add(UNMATCHED_KEPT_S) <= now) {
            return Ok(0);
        }
        let is_question =
            "expires_at > :now AND (attribute_not_exists(is_question) OR is_question = :yes)";
        let query = self
            .query(user, UNMATCHED_PREFIX)
            .filter_expression(is_question)
            .expression_attribute_values(":now", number(now))
            .expression_attribute_values(":yes", AttributeValue::Bool(true));
        let count = count(query).await?;
        // The row of a question follows its time.
        let is_settled = asked_at.is_none_or(|at| at.saturating_add(QUESTION_DELAY_S) <= now);
        if count == 0
            && is_settled
            && let Err(error) = self.users.forget_questions(user, asked_at, now).await
        {
            // The next page tries again.
            tracing::warn!(%error, "the time of questions was not changed");
        }
        Ok(count)
    }

    /// Keeps an unmatched series. Its episodes are added to those that are already kept, so that none is lost if
    /// several messages come at the same time. A new series replaces an expired one with the same key, or else the
    /// oldest one if there are already [`MAX_UNMATCHED`].
    pub async fn keep_unmatched(&self, row: &UnmatchedSeries, is_new: bool) -> Result<(), Error> {
        if row.is_question {
            // The time in the user's row is written first, so that no question lacks it if this process stops in
            // between.
            let now = self.clock.now_s();
            self.users.record_question(row.user_id, now).await?;
        }
        if is_new {
            let (others, expired) = self.unmatched_and_expired(row.user_id).await?;
            let excess = others.into_iter().skip(MAX_UNMATCHED - 1);
            let excess: Vec<String> = excess.map(|other| other.entry).collect();
            self.delete_entries(row.user_id, excess).await?;
            let has_expired = expired.iter().any(|other| other.entry == row.entry);
            if has_expired && self.replace_expired(row).await? {
                return Ok(());
            }
        }
        let mut values = write(row)?;
        let key = player_key(row.user_id, &row.entry);
        values.retain(|name, _| !key.contains_key(name));
        let watched = values.remove("watched");
        let mut sets = Vec::new();
        let mut request = self.client.update_item().table_name(&self.table);
        for (name, value) in values {
            sets.push(format!("#{name} = :{name}"));
            request = request
                .expression_attribute_names(format!("#{name}"), &name)
                .expression_attribute_values(format!(":{name}"), value);
        }
        let mut update = format!("SET {}", sets.join(", "));
        if let Some(watched) = watched {
            request = request.expression_attribute_values(":watched", watched);
            update.push_str(" ADD watched :watched");
        }
        let request = request.set_key(Some(key)).update_expression(update);
        request.send().await.map_err(to_error).map(|_| ())
    }

    /// Stores an unmatched series in place of an expired one. Returns false if it is no longer expired, because another
    /// message has kept the series in the meantime.
    async fn replace_expired(&self, row: &UnmatchedSeries) -> Result<bool, Error> {
        let request = self.client.put_item().table_name(&self.table);
        let request = request
            .set_item(Some(write(row)?))
            .condition_expression("expires_at <= :now")
            .expression_attribute_values(":now", number(self.clock.now_s()));
        was_written(request.send().await)
    }

    /// Returns the matched series with this key, by a strongly consistent read.
    pub async fn find_match(
        &self,
        user: UserId,
        key: &str,
    ) -> Result<Option<MatchedSeries>, Error> {
        let row: Option<MatchedSeries> = self.get(user, match_entry(key)).await?;
        Ok(row.filter(|row| row.expires_at > self.clock.now_s()))
    }

    /// Stores a matched series, in place of an earlier one.
    pub async fn keep_match(&self, row: &MatchedSeries) -> Result<(), Error> {
        self.put(write(row)?).await
    }

    /// Stores an unmatched series with these episodes only, in place of the stored ones.
    pub async fn replace_unmatched(&self, row: &UnmatchedSeries) -> Result<(), Error> {
        self.put(write(row)?).await
    }

    /// Deletes an unmatched series.
    pub async fn forget_unmatched(&self, user: UserId, key: &str) -> Result<(), Error> {
        self.delete_entries(user, vec![unmatched_entry(key)]).await
    }

    /// Returns everything about the players of a user, by a strongly consistent read.
    pub async fn all_rows(&self, user: UserId) -> Result<PlayerRows, Error> {
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
    async fn rows<T: DeserializeOwned>(&self, user: UserId, prefix: &str) -> Result<Vec<T>, Error> {
        read_all(self.query(user, prefix), read).await
    }

    fn query(&self, user: UserId, prefix: &str) -> QueryFluentBuilder {
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
    async fn get<T: DeserializeOwned>(
        &self,
        user: UserId,
        entry: String,
    ) -> Result<Option<T>, Error> {
        let row = get(&self.client, &self.table, player_key(user, &entry)).await?;
        row.map(read).transpose()
    }

    /// Returns a row of a user by an eventually consistent read.
    async fn peek<T: DeserializeOwned>(
        &self,
        user: UserId,
        entry: String,
    ) -> Result<Option<T>, Error> {
        let row = peek(&self.client, &self.table, player_key(user, &entry)).await?;
        row.map(read).transpose()
    }

    async fn put(&self, item: Item) -> Result<(), Error> {
        let request = self.client.put_item().table_name(&self.table);
        let request = request.set_item(Some(item)).send();
        request.await.map_err(to_error).map(|_| ())
    }

    async fn delete_entries(&self, user: UserId, entries: Vec<String>) -> Result<(), Error> {
        let keys = entries.iter().map(|entry| player_key(user, entry));
        batch_delete(&self.client, &self.table, keys.collect()).await
    }

    /// Makes a write of the caller. Fails with `refusal` if the condition of `action` fails.
    async fn transact_as(
        &self,
        access: &Access,
        action: TransactWriteItem,
        refusal: Error,
    ) -> Result<(), Error> {
        let mut writes = self.users.begin(access).await?;
        writes.add(action);
        writes.commit().await?.or(refusal)
    }
}

/// Returns the number of rows that a query finds.
async fn count(query: QueryFluentBuilder) -> Result<usize, Error> {
    let mut pages = query.select(Select::Count).into_paginator().send();
    let mut count = 0;
    while let Some(page) = pages.next().await {
        count += page.map_err(to_error)?.count.cast_unsigned() as usize;
    }
    Ok(count)
}
