//! The deletion of the rows that a query finds, page by page.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use shared::Result;

use crate::batch::{MAX_BATCH_WRITE, batch_delete};
use crate::errors::to_error;

/// The progress of a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionProgress {
    /// Nothing is left to delete.
    Done,
    /// More rows may be left.
    Unfinished,
}

/// Deletes the rows that a query finds, page by page. `pages` is the number of pages that may still be deleted.
///
/// Each page starts after the last row of the page before it, and not at the beginning of the query. A secondary index
/// still returns rows for a moment after they are deleted, so reading from the beginning each time might never end.
pub async fn delete_rows(
    client: &Client,
    table: &str,
    query: QueryFluentBuilder,
    key: &[&str],
    pages: &mut usize,
) -> Result<DeletionProgress> {
    let limit = i32::try_from(MAX_BATCH_WRITE).unwrap_or(i32::MAX);
    let mut found = query.into_paginator().page_size(limit).send();
    while let Some(page) = found.next().await {
        let mut rows = page.map_err(to_error)?.items.unwrap_or_default();
        if !rows.is_empty() {
            let Some(left) = pages.checked_sub(1) else {
                return Ok(DeletionProgress::Unfinished);
            };
            *pages = left;
        }
        for row in &mut rows {
            row.retain(|name, _| key.contains(&name.as_str()));
        }
        batch_delete(client, table, rows).await?;
    }
    Ok(DeletionProgress::Done)
}
