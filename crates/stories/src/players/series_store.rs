//! The anime of series that players name, and the series whose anime is unknown: more rows of the table
//! [`super::player`].

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, Select, TransactWriteItem};
use dynamo::{
    Condition, MAX_BATCH_READ, WriteAttempts, as_number, batch_get, get, number, read, to_error,
    was_written, write,
};
use shared::Result;
use shared::auth::Access;
use shared::models::UserId;

use super::player::{
    CHOICE_PREFIX, COUNTED_CHOICES, MAX_CHOICES, MAX_UNMATCHED, MatchedSeries, SeriesChoice,
    UNMATCHED_PREFIX, UnmatchedSeries, choice_entry, key as player_key, match_entry,
    unmatched_entry,
};
use super::player_store::PlayerStore;
use crate::errors::{NO_PLAYER, too_many_choices};

/// The time for which reports and unmatched series are kept, in seconds: 30 days.
pub(super) const KEPT_S: u64 = 30 * 24 * 60 * 60;

/// The maximum time between the time of a question in the user's row and the write of the question's row, in seconds:
/// an hour. No request takes that long, but clocks of servers can differ.
const QUESTION_DELAY_S: u64 = 60 * 60;

impl PlayerStore {
    /// Returns the choices of a user for the series with these keys, by the keys. The reads are eventually consistent.
    pub async fn choices_for(
        &self,
        user: UserId,
        keys: &BTreeSet<String>,
    ) -> Result<HashMap<String, SeriesChoice>> {
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
    pub async fn choice(&self, user: UserId, key: &str) -> Result<Option<SeriesChoice>> {
        self.peek(user, choice_entry(key)).await
    }

    /// Returns the choices of a user.
    pub async fn choices(&self, user: UserId) -> Result<Vec<SeriesChoice>> {
        self.rows(user, CHOICE_PREFIX).await
    }

    /// Stores the choice of the caller for a series. `decide` returns it, given the earlier choice. `decide` is called
    /// again if another request changes the choices at the same time.
    ///
    /// # Errors
    /// [`shared::Error::Conflict`] for the field `anime_id` if the choice is new and there are already [`MAX_CHOICES`].
    pub async fn edit_choice(
        &self,
        access: &Access,
        key: &str,
        mut decide: impl FnMut(Option<SeriesChoice>) -> Result<SeriesChoice>,
    ) -> Result<SeriesChoice> {
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
    /// [`shared::Error::Conflict`] if there are [`MAX_CHOICES`].
    async fn count_new_choice(&self, user: UserId) -> Result<TransactWriteItem> {
        let row = player_key(user, COUNTED_CHOICES);
        // This row is read before the choices, so that none is missed.
        let counted = get(&self.client, &self.table, row.clone()).await?;
        if count(self.query(user, CHOICE_PREFIX)).await? >= MAX_CHOICES {
            return Err(too_many_choices(MAX_CHOICES));
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
    pub async fn take_back_choice(&self, access: &Access, key: &str) -> Result<()> {
        let row = player_key(access.credential.user_id, &choice_entry(key));
        let action = Condition::default().delete(&self.table, row)?;
        self.transact_as(access, action, NO_PLAYER).await
    }

    /// Returns the unmatched series of a user, the last watched first, by a strongly consistent read.
    pub async fn unmatched(&self, user: UserId) -> Result<Vec<UnmatchedSeries>> {
        Ok(self.unmatched_and_expired(user).await?.0)
    }

    /// Returns the series of [`Self::unmatched`], and those that have expired.
    async fn unmatched_and_expired(
        &self,
        user: UserId,
    ) -> Result<(Vec<UnmatchedSeries>, Vec<UnmatchedSeries>)> {
        let mut rows: Vec<UnmatchedSeries> = self.rows(user, UNMATCHED_PREFIX).await?;
        rows.sort_by_key(|row| Reverse(row.at));
        let now = self.clock.now_s();
        Ok(rows.into_iter().partition(|row| row.expires_at > now))
    }

    /// Returns the unmatched series with this key, by an eventually consistent read; `None` if it has expired.
    pub async fn find_unmatched(&self, user: UserId, key: &str) -> Result<Option<UnmatchedSeries>> {
        let row: Option<UnmatchedSeries> = self.peek(user, unmatched_entry(key)).await?;
        Ok(row.filter(|row| row.expires_at > self.clock.now_s()))
    }

    /// Returns the number of unmatched series about which a user is asked. `asked_at` is the attribute of the user's
    /// account. If it shows that there are none, reads nothing; otherwise, the read is strongly consistent.
    pub async fn count_questions(&self, user: UserId, asked_at: Option<u64>) -> Result<usize> {
        let now = self.clock.now_s();
        if asked_at.is_some_and(|at| at.saturating_add(KEPT_S) <= now) {
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
        // The row of a question is written after its time in the user's row.
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
    pub async fn keep_unmatched(&self, row: &UnmatchedSeries, is_new: bool) -> Result<()> {
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
    async fn replace_expired(&self, row: &UnmatchedSeries) -> Result<bool> {
        let request = self.client.put_item().table_name(&self.table);
        let request = request
            .set_item(Some(write(row)?))
            .condition_expression("expires_at <= :now")
            .expression_attribute_values(":now", number(self.clock.now_s()));
        was_written(request.send().await)
    }

    /// Returns the matched series with this key, by a strongly consistent read.
    pub async fn find_match(&self, user: UserId, key: &str) -> Result<Option<MatchedSeries>> {
        let row: Option<MatchedSeries> = self.get(user, match_entry(key)).await?;
        Ok(row.filter(|row| row.expires_at > self.clock.now_s()))
    }

    /// Stores a matched series, in place of an earlier one.
    pub async fn keep_match(&self, row: &MatchedSeries) -> Result<()> {
        self.put(write(row)?).await
    }

    /// Stores an unmatched series with these episodes only, in place of the stored ones.
    pub async fn replace_unmatched(&self, row: &UnmatchedSeries) -> Result<()> {
        self.put(write(row)?).await
    }

    /// Deletes an unmatched series.
    pub async fn forget_unmatched(&self, user: UserId, key: &str) -> Result<()> {
        self.delete_entries(user, vec![unmatched_entry(key)]).await
    }
}

/// Returns the number of rows that a query finds.
async fn count(query: QueryFluentBuilder) -> Result<usize> {
    let mut pages = query.select(Select::Count).into_paginator().send();
    let mut count = 0;
    while let Some(page) = pages.next().await {
        count += page.map_err(to_error)?.count.cast_unsigned() as usize;
    }
    Ok(count)
}
