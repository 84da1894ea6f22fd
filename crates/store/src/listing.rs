//! Pages of a list in the order of a secondary index.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use shared::Error;

use crate::errors::failed;
use crate::item::Item;

/// The maximum number of rows that a request for a filtered page reads (docs/api.md, "Pagination").
pub const MAX_READ: usize = 1000;

/// A page of a list.
#[derive(Debug)]
pub struct ListPage<T, P> {
    /// The rows, at most as many as requested.
    pub rows: Vec<T>,
    /// The position of the row after which the next page begins; `None` on the last page.
    pub next: Option<P>,
}

/// Reads a page. `place` returns the position of a row in the list, from the row's keys. `read` converts a
/// row.
///
/// Without a filter, one query reads one row more than the page has, which shows if there is another page.
/// With a filter, queries follow until the page is full, the list ends, or [`MAX_READ`] rows were read. Rows
/// are filtered here and not by DynamoDB, because DynamoDB charges for the rows that it filters out, and does
/// not allow filters on the keys of an index.
pub async fn page<T, P: Clone>(
    query: QueryFluentBuilder,
    per_page: usize,
    place: impl Fn(&Item) -> Option<P>,
    read: impl Fn(Item) -> Result<T, Error>,
    filter: Option<impl Fn(&T) -> bool>,
) -> Result<ListPage<T, P>, Error> {
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    let (mut seen, mut start) = (0, None);
    let mut limit = per_page + 1;
    loop {
        let page = query
            .clone()
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .set_exclusive_start_key(start)
            .send()
            .await
            .map_err(failed)?;
        for item in page.items.unwrap_or_default() {
            seen += 1;
            let (at, row) = (place(&item), read(item)?);
            if filter.as_ref().is_none_or(|filter| filter(&row)) {
                rows.push(row);
                places.push(at);
            }
        }
        if rows.len() > per_page {
            rows.truncate(per_page);
            let next = places.get(per_page.saturating_sub(1)).cloned().flatten();
            return Ok(ListPage { rows, next });
        }
        start = page.last_evaluated_key;
        if start.is_none() || (filter.is_some() && seen >= MAX_READ) {
            let next = start.as_ref().and_then(place);
            return Ok(ListPage { rows, next });
        }
        limit = match filter {
            Some(_) => MAX_READ - seen,
            None => per_page + 1 - rows.len(),
        };
    }
}

/// Returns the rows of a query's first page, for queries with a limit or with few rows. DynamoDB ends a page
/// at 1 MB, and further rows are left out.
pub async fn first_page<T>(
    query: QueryFluentBuilder,
    read: impl Fn(Item) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let page = query.send().await.map_err(failed)?;
    page.items
        .unwrap_or_default()
        .into_iter()
        .map(read)
        .collect()
}

/// Returns every row that a query finds, over all its pages.
pub async fn all<T>(
    query: QueryFluentBuilder,
    read: impl Fn(Item) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut items = query.into_paginator().items().send();
    let mut rows = Vec::new();
    while let Some(item) = items.next().await {
        rows.push(read(item.map_err(failed)?)?);
    }
    Ok(rows)
}
