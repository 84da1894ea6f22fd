//! Tables in an external engine, each used by one test after another. DynamoDB Local takes two seconds to create the
//! tables of a service, and a moment to empty them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{DeleteRequest, WriteRequest};
use cli::data::schema::TABLES;
use dynamo::{MAX_BATCH_WRITE, Table, TableNames};
use futures_util::future::join_all;

use crate::engine;

/// The number of rows above which a table is not used again, because a new one is ready sooner.
const MANY_ROWS: i32 = 1_000;

/// The tables of tests that have ended.
static FREE: Mutex<Vec<TableNames>> = Mutex::new(Vec::new());

/// Tables that a test uses.
struct Lease(TableNames);

impl Drop for Lease {
    fn drop(&mut self) {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(self.0.clone());
    }
}

/// Returns empty tables that nothing else uses until the runtime of the caller, and with it the test, ends.
pub(crate) async fn take(client: &Client) -> TableNames {
    let tables = match free_tables(client).await {
        Some(tables) => tables,
        None => engine::created_tables(client).await,
    };
    // DynamoDB Local deletes expired rows every 10 s, by the time of the machine. The rows of the tests have expired by
    // that time, because the clock of the tests starts in the past.
    engine::disable_time_to_live(client, &tables).await;
    let lease = Lease(tables.clone());
    // The runtime drops its tasks when it ends.
    tokio::spawn(async {
        let _lease = lease;
        std::future::pending::<()>().await;
    });
    tables
}

async fn free_tables(client: &Client) -> Option<TableNames> {
    let next = || FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    while let Some(tables) = next() {
        if empty(client, &tables).await {
            return Some(tables);
        }
    }
    None
}

/// Deletes the rows of the tables. Returns false if one of them cannot be used again.
async fn empty(client: &Client, tables: &TableNames) -> bool {
    let emptied = TABLES
        .iter()
        .map(|table| empty_table(client, tables, table));
    join_all(emptied).await.into_iter().all(|is_empty| is_empty)
}

async fn empty_table(client: &Client, tables: &TableNames, table: &Table) -> bool {
    let name = tables.of(table.name);
    let scan = client.scan().table_name(&name).limit(MANY_ROWS);
    // A test can have deleted a table, or left one with another key.
    let Ok(rows) = scan.send().await else {
        return false;
    };
    let has_key = |row: &HashMap<_, _>| table.key.iter().all(|&name| row.contains_key(name));
    if rows.last_evaluated_key.is_some() || !rows.items().iter().all(has_key) {
        return false;
    }
    let deletions = rows.items().iter().map(|row| {
        let key = table
            .key
            .iter()
            .map(|&name| (name.to_owned(), row[name].clone()));
        let request = DeleteRequest::builder().set_key(Some(key.collect()));
        let request = request.build().unwrap();
        WriteRequest::builder().delete_request(request).build()
    });
    let deletions: Vec<_> = deletions.collect();
    for batch in deletions.chunks(MAX_BATCH_WRITE) {
        let request = client.batch_write_item();
        let request = request.request_items(&name, batch.to_vec());
        let unprocessed = request.send().await.unwrap().unprocessed_items;
        assert!(unprocessed.is_none_or(|left| left.is_empty()));
    }
    true
}
