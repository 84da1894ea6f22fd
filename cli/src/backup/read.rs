//! Reads every row of the service. The rows of each user are read in one consistent state.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use accounts::tables::{
    AUTH_CODE, OAUTH_CLIENT, OAUTH_GRANT, SESSION, THROTTLE, TRACKER_LINK, UNIQUE, USER,
};
use accounts::users::{
    EMAIL_PREFIX, IDENTITY_PREFIX, PICTURE_PREFIX, USERNAME_PREFIX, of_identity,
};
use anyhow::{Context, anyhow};
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, ReturnConsumedCapacity};
use catalogue::tables::{ANIME, CATALOG_SNAPSHOT, SONG};
use dynamo::{CallError, Database, Item, Table};
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::models::{Identity, TrackerName};
use stories::tables::{PLAYER, USER_STATISTICS, USER_STORY, WAITING_LIST};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::file::canonical;
use super::pace::UnitPace;
use crate::data::schema::TABLES;
use crate::import::RunningStage;

/// Tables that are simply scanned, before the users. The snapshot of the catalogue comes first, so that it names no row
/// that the backup lacks.
const BEFORE_USERS: [&Table; 3] = [&CATALOG_SNAPSHOT, &ANIME, &SONG];

/// Tables whose rows are read without changes, after the users.
const AFTER_USERS: [&Table; 4] = [&OAUTH_CLIENT, &AUTH_CODE, &SESSION, &THROTTLE];

/// Number of rows that are read ahead of the rows that are written.
pub const ROWS_AHEAD: usize = 1_000;

/// Number of users that are read at the same time.
const USERS_AT_ONCE: usize = 8;

/// Number of attempts to read a user who makes changes meanwhile.
const ATTEMPTS: u32 = 20;

/// Pause before another attempt. Imports, which make many changes one after the other, take seconds.
const PAUSE: Duration = Duration::from_millis(500);

/// Maximum number of attempts to read a batch of which `DynamoDB` leaves a part unprocessed.
const BATCH_ATTEMPTS: u32 = 10;

/// A row and the table it is in.
pub type BackupRow = (&'static str, Item);

/// Receives the rows that are read, and shows the progress.
pub struct RowSender<'a> {
    rows: mpsc::Sender<BackupRow>,
    sent: AtomicU64,
    stage: RunningStage<'a>,
}

impl<'a> RowSender<'a> {
    pub fn new(rows: mpsc::Sender<BackupRow>, stage: RunningStage<'a>) -> Self {
        Self {
            rows,
            sent: AtomicU64::new(0),
            stage,
        }
    }

    async fn send(&self, row: BackupRow) -> anyhow::Result<()> {
        let sent = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        self.stage.advance(sent, sent);
        self.rows.send(row).await.context("the backup has stopped")
    }
}

/// Reads every row. Expired rows are left out.
pub struct RowReader<'p> {
    database: Database,
    pace: &'p UnitPace,
    /// Digests of the markers that were read. If a name or address changes its owner during the backup, two users have
    /// a marker for it.
    markers: Mutex<HashSet<u64>>,
    /// Rows that expire before this time, in seconds since the Unix epoch, are left out.
    now_s: u64,
}

impl<'p> RowReader<'p> {
    pub fn new(database: &Database, pace: &'p UnitPace) -> Self {
        Self {
            markers: Mutex::default(),
            now_s: database.clock.now_s(),
            database: database.clone(),
            pace,
        }
    }

    /// Returns the number of rows. On AWS it is up to six hours old (`DynamoDB` API Reference, `TableDescription`).
    pub async fn count_rows(&self) -> anyhow::Result<u64> {
        let mut rows = 0;
        for table in TABLES {
            let request = self.database.client.describe_table();
            let request = request.table_name(self.database.tables.of(table.name));
            let described = request.send().await;
            let described = described.map_err(CallError::new);
            let described = described.with_context(|| cannot_read(table))?.table;
            let count = described.and_then(|table| table.item_count);
            rows += count
                .and_then(|count| u64::try_from(count).ok())
                .unwrap_or_default();
        }
        Ok(rows)
    }

    /// Sends every row. Ends early if the receiver is gone.
    ///
    /// # Errors
    /// When a table cannot be read, or a user changes in every attempt to read their rows.
    pub async fn send_all(&self, rows: &RowSender<'_>) -> anyhow::Result<()> {
        for table in BEFORE_USERS {
            self.scan(table, async |row| rows.send(row).await).await?;
        }
        self.send_users(rows).await?;
        for table in AFTER_USERS {
            self.scan(table, async |row| rows.send(row).await).await?;
        }
        // The markers and the pictures of users were read with them. The counter of identifiers is read after all
        // users, so that it is not lower than an identifier in the backup.
        self.scan(&UNIQUE, async |row| {
            let value = row.1.get("value").and_then(|value| value.as_s().ok());
            let is_of_user = value.is_some_and(|value| {
                value.starts_with(USERNAME_PREFIX)
                    || value.starts_with(EMAIL_PREFIX)
                    || value.starts_with(IDENTITY_PREFIX)
                    || value.starts_with(PICTURE_PREFIX)
            });
            if is_of_user {
                Ok(())
            } else {
                rows.send(row).await
            }
        })
        .await
    }

    /// Sends the rows of each user. Users that change meanwhile are read again after all others.
    async fn send_users(&self, rows: &RowSender<'_>) -> anyhow::Result<()> {
        let mut start = None;
        let mut changed = Vec::new();
        loop {
            let (page, next) = self.scan_page(&USER, start).await?;
            let ids = page.into_iter().filter_map(|mut row| row.remove("id"));
            changed.extend(self.send_unchanged(ids, rows).await?);
            start = next;
            if start.is_none() {
                break;
            }
        }
        for _ in 1..ATTEMPTS {
            if changed.is_empty() {
                return Ok(());
            }
            sleep(PAUSE).await;
            let ids = std::mem::take(&mut changed);
            changed = self.send_unchanged(ids, rows).await?;
        }
        let first = changed.first().and_then(|id| id.as_n().ok());
        first.map_or(Ok(()), |id| {
            Err(anyhow!("the data of user {id} changed during every attempt to read it: run the backup again"))
        })
    }

    /// Sends the rows of these users. Returns those who have changed meanwhile.
    async fn send_unchanged(
        &self,
        ids: impl IntoIterator<Item = AttributeValue>,
        rows: &RowSender<'_>,
    ) -> anyhow::Result<Vec<AttributeValue>> {
        let read = stream::iter(ids).map(async |id| {
            let rows = self.read_user(&id).await?;
            anyhow::Ok((id, rows))
        });
        let mut read = std::pin::pin!(read.buffer_unordered(USERS_AT_ONCE));
        let mut changed = Vec::new();
        while let Some((id, of_user)) = read.try_next().await? {
            let Some(of_user) = of_user else {
                changed.push(id);
                continue;
            };
            for row in of_user {
                self.check_owner(&row)?;
                rows.send(row).await?;
            }
        }
        Ok(changed)
    }

    /// Checks that a marker was not already read with another user.
    fn check_owner(&self, (table, item): &BackupRow) -> anyhow::Result<()> {
        let value = item.get("value").and_then(|value| value.as_s().ok());
        let Some(value) = value.filter(|_| *table == UNIQUE.name) else {
            return Ok(());
        };
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        let mut markers = self.markers.lock().unwrap_or_else(PoisonError::into_inner);
        anyhow::ensure!(
            markers.insert(hasher.finish()),
            "a user name or an e-mail address changed its owner meanwhile: run the backup again"
        );
        Ok(())
    }

    /// Returns all rows of a user; `None` if one of them has changed meanwhile.
    ///
    /// Every write of a story changes the row in User, so the stories are unchanged if that row is unchanged.
    async fn read_user(&self, id: &AttributeValue) -> anyhow::Result<Option<Vec<BackupRow>>> {
        let before = self.read_without_stories(id).await?;
        let mut rows = self.query(&USER_STORY, id).await?;
        rows.extend(self.query(&PLAYER, id).await?);
        let after = self.read_without_stories(id).await?;
        let is_same = comparable(&before)? == comparable(&after)?;
        rows.extend(after);
        Ok(is_same.then_some(rows))
    }

    async fn read_without_stories(&self, id: &AttributeValue) -> anyhow::Result<Vec<BackupRow>> {
        let of_user = || Item::from([("user_id".to_owned(), id.clone())]);
        let links = TrackerName::ALL.map(|tracker| {
            let tracker = AttributeValue::S(tracker.key().to_owned());
            let mut key = of_user();
            key.insert("tracker".to_owned(), tracker);
            key
        });
        let user = Item::from([("id".to_owned(), id.clone())]);
        let keys = [
            (&USER, vec![user]),
            (&USER_STATISTICS, vec![of_user()]),
            (&WAITING_LIST, vec![of_user()]),
            (&TRACKER_LINK, links.to_vec()),
        ];
        let mut rows = self.batch_get(&keys).await?;
        let markers = rows.iter().flat_map(|(_, item)| marker_keys(item));
        let markers: Vec<Item> = markers.collect();
        if !markers.is_empty() {
            rows.extend(self.batch_get(&[(&UNIQUE, markers)]).await?);
        }
        rows.extend(self.query(&OAUTH_GRANT, id).await?);
        Ok(rows)
    }

    /// Returns the rows with these keys, strongly consistent.
    async fn batch_get(
        &self,
        keys: &[(&'static Table, Vec<Item>)],
    ) -> anyhow::Result<Vec<BackupRow>> {
        let names = &self.database.tables;
        let full: BTreeMap<_, _> = keys
            .iter()
            .map(|(table, _)| (names.of(table.name), *table))
            .collect();
        let mut wanted = HashMap::new();
        for (table, keys) in keys {
            let keys = KeysAndAttributes::builder()
                .set_keys(Some(keys.clone()))
                .consistent_read(true)
                .build()?;
            wanted.insert(names.of(table.name), keys);
        }
        let mut rows = Vec::new();
        for attempt in 0..BATCH_ATTEMPTS {
            if wanted.is_empty() {
                break;
            }
            if attempt > 0 {
                sleep(PAUSE).await;
            }
            self.pace.wait().await;
            let request = self.database.client.batch_get_item();
            let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
            let response = request.set_request_items(Some(wanted)).send().await;
            let response = response.map_err(CallError::new)?;
            self.pace.count(response.consumed_capacity()).await;
            for (name, items) in response.responses.unwrap_or_default() {
                let table = full
                    .get(&name)
                    .context("DynamoDB returned a table that was not asked for")?;
                rows.extend(items.into_iter().map(|item| (table.name, item)));
            }
            wanted = response.unprocessed_keys.unwrap_or_default();
        }
        anyhow::ensure!(
            wanted.is_empty(),
            "DynamoDB left a part of a batch unread in every attempt"
        );
        rows.retain(|row| !expires_before(row, self.now_s));
        Ok(rows)
    }

    /// Returns the rows of a user in a table whose partition key is the user.
    async fn query(
        &self,
        table: &'static Table,
        id: &AttributeValue,
    ) -> anyhow::Result<Vec<BackupRow>> {
        let mut rows = Vec::new();
        let mut start = None;
        loop {
            self.pace.wait().await;
            let request = self.database.client.query();
            let request = request
                .table_name(self.database.tables.of(table.name))
                .key_condition_expression("user_id = :user_id")
                .expression_attribute_values(":user_id", id.clone())
                .consistent_read(true)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let page = request.set_exclusive_start_key(start).send().await;
            let page = page.map_err(CallError::new);
            let page = page.with_context(|| cannot_read(table))?;
            self.pace.count(&page.consumed_capacity).await;
            rows.extend(
                page.items
                    .unwrap_or_default()
                    .into_iter()
                    .map(|item| (table.name, item)),
            );
            start = page.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        rows.retain(|row| !expires_before(row, self.now_s));
        Ok(rows)
    }

    /// Reads all rows of a table.
    pub async fn scan(
        &self,
        table: &'static Table,
        mut read: impl AsyncFnMut(BackupRow) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut start = None;
        loop {
            let (page, next) = self.scan_page(table, start).await?;
            for item in page {
                let row = (table.name, item);
                if !expires_before(&row, self.now_s) {
                    read(row).await?;
                }
            }
            start = next;
            if start.is_none() {
                return Ok(());
            }
        }
    }

    async fn scan_page(
        &self,
        table: &Table,
        start: Option<Item>,
    ) -> anyhow::Result<(Vec<Item>, Option<Item>)> {
        self.pace.wait().await;
        let request = self.database.client.scan();
        let request = request
            .table_name(self.database.tables.of(table.name))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let page = request.set_exclusive_start_key(start).send().await;
        let page = page.map_err(CallError::new);
        let page = page.with_context(|| cannot_read(table))?;
        self.pace.count(&page.consumed_capacity).await;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
    }
}

/// Returns true if a row expires before this time, in seconds since the Unix epoch.
pub fn expires_before((table, item): &BackupRow, time_s: u64) -> bool {
    let table = TABLES.iter().find(|known| known.name == *table);
    let attribute = table.and_then(|table| table.expires_at);
    let value = attribute.and_then(|attribute| item.get(attribute)?.as_n().ok());
    value
        .and_then(|value| value.parse().ok())
        .is_some_and(|expires_at: u64| expires_at < time_s)
}

/// Returns the keys of the markers and of the picture of a row in User. Rows of other tables and deleted users have
/// none.
fn marker_keys(row: &Item) -> impl Iterator<Item = Item> {
    let attributes = [
        (USERNAME_PREFIX, "username_folded"),
        (EMAIL_PREFIX, "email"),
    ];
    let of_texts = attributes.into_iter().filter_map(|(prefix, attribute)| {
        let text = row.get(attribute)?.as_s().ok()?;
        Some(format!("{prefix}{text}"))
    });
    let picture = row.get("picture").and_then(|_| row.get("id")?.as_n().ok());
    let picture = picture.map(|id| format!("{PICTURE_PREFIX}{id}"));
    let markers = of_texts.chain(identity_of(row).as_ref().map(of_identity));
    let markers = markers.chain(picture);
    markers.map(|value| Item::from([("value".to_owned(), AttributeValue::S(value))]))
}

/// Returns the account at an identity provider of a row in User.
fn identity_of(row: &Item) -> Option<Identity> {
    let factors = row.get("factors")?.as_m().ok()?;
    serde_dynamo::from_item(factors.get("identity")?.as_m().ok()?.clone()).ok()
}

/// Returns rows in a form and order in which equal sets of rows are equal.
fn comparable(rows: &[BackupRow]) -> anyhow::Result<BTreeSet<(&'static str, String)>> {
    let row = |(table, item): &BackupRow| Ok((*table, canonical(item.clone())?.to_string()));
    rows.iter().map(row).collect()
}

fn cannot_read(table: &Table) -> String {
    format!("cannot read the table {}", table.name)
}
