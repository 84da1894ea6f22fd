//! Reads of single rows and of the rows that a query finds.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use shared::Result;

use crate::errors::to_error;
use crate::item::Item;

/// The maximum number of rows that a request for a filtered page reads (docs/api.md, "Pagination").
pub const MAX_FILTERED_ROWS: usize = 1000;

/// Returns the row with this key, by a strongly consistent read. Costs one read unit for every 4 KB.
pub async fn get(client: &Client, table: &str, key: Item) -> Result<Option<Item>> {
    get_with(client, table, key, true).await
}

/// Returns the row with this key, by an eventually consistent read, which costs half as much as [`get`].
pub async fn peek(client: &Client, table: &str, key: Item) -> Result<Option<Item>> {
    get_with(client, table, key, false).await
}

async fn get_with(
    client: &Client,
    table: &str,
    key: Item,
    consistent: bool,
) -> Result<Option<Item>> {
    let request = client.get_item().table_name(table).set_key(Some(key));
    let response = request.consistent_read(consistent).send().await;
    Ok(response.map_err(to_error)?.item)
}

/// Returns the number of rows of a table, as `DynamoDB` has counted them in the last six hours. Costs no request units.
pub async fn row_count(client: &Client, table: &str) -> Result<u64> {
    let response = client.describe_table().table_name(table).send().await;
    let table = response.map_err(to_error)?.table;
    let count = table.and_then(|table| table.item_count).unwrap_or_default();
    Ok(u64::try_from(count).unwrap_or_default())
}

/// Returns the query for all rows whose partition key `name` has this value. The placeholder of the value is `:name`.
pub fn query(
    client: &Client,
    table: &str,
    name: &str,
    value: AttributeValue,
) -> QueryFluentBuilder {
    client
        .query()
        .table_name(table)
        .key_condition_expression(format!("{name} = :{name}"))
        .expression_attribute_values(format!(":{name}"), value)
}

/// A page of a list.
#[derive(Debug)]
pub struct ListPage<T, P> {
    /// The rows, at most as many as requested.
    pub rows: Vec<T>,
    /// The position of the row after which the next page begins; `None` on the last page.
    pub next: Option<P>,
}

/// Reads a page. `position_of` returns the position of a row in the list, from the row's keys. `read` converts a row.
///
/// The first query reads one row more than the page can have, which shows if there is another page. Further queries
/// follow until the page is full or the list ends, or with a filter, until [`MAX_FILTERED_ROWS`] rows were read. This
/// function filters the rows itself: DynamoDB also charges for the rows that it filters out, and does not allow filters
/// on the keys of an index.
pub async fn read_page<T, P: Clone>(
    query: QueryFluentBuilder,
    per_page: usize,
    position_of: impl Fn(&Item) -> Option<P>,
    read: impl Fn(Item) -> Result<T>,
    filter: Option<impl Fn(&T) -> bool>,
) -> Result<ListPage<T, P>> {
    let (mut rows, mut positions) = (Vec::new(), Vec::new());
    let (mut rows_read, mut start) = (0, None);
    let mut limit = per_page + 1;
    loop {
        let page = query
            .clone()
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .set_exclusive_start_key(start)
            .send()
            .await
            .map_err(to_error)?;
        for item in page.items.unwrap_or_default() {
            rows_read += 1;
            let (position, row) = (position_of(&item), read(item)?);
            if filter.as_ref().is_none_or(|filter| filter(&row)) {
                rows.push(row);
                positions.push(position);
            }
        }
        if rows.len() > per_page {
            rows.truncate(per_page);
            let next = positions.get(per_page.saturating_sub(1)).cloned().flatten();
            return Ok(ListPage { rows, next });
        }
        start = page.last_evaluated_key;
        if start.is_none() || (filter.is_some() && rows_read >= MAX_FILTERED_ROWS) {
            let next = start.as_ref().and_then(position_of);
            return Ok(ListPage { rows, next });
        }
        limit = match filter {
            Some(_) => MAX_FILTERED_ROWS - rows_read,
            None => per_page + 1 - rows.len(),
        };
    }
}

/// Returns the rows of a query's first page, for queries with a limit or with few rows. DynamoDB ends a page at 1 MB,
/// so later rows are not returned.
pub async fn read_first_page<T>(
    query: QueryFluentBuilder,
    read: impl Fn(Item) -> Result<T>,
) -> Result<Vec<T>> {
    let page = query.send().await.map_err(to_error)?;
    page.items
        .unwrap_or_default()
        .into_iter()
        .map(read)
        .collect()
}

/// Returns every row that a query finds, over all its pages.
pub async fn read_all<T>(
    query: QueryFluentBuilder,
    read: impl Fn(Item) -> Result<T>,
) -> Result<Vec<T>> {
    let mut items = query.into_paginator().items().send();
    let mut rows = Vec::new();
    while let Some(item) = items.next().await {
        rows.push(read(item.map_err(to_error)?)?);
    }
    Ok(rows)
}
