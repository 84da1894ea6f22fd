//! Pages of an index, in its order.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;

use super::{Item, StoreError};

/// The most rows that one request reads on its way to those that pass its filter.
pub const MAX_READ: usize = 1000;

/// The rows of a page.
#[derive(Debug)]
pub struct Listed {
    /// At most as many as were asked for.
    pub rows: Vec<Item>,
    /// Where the list goes on: after the row that has these keys.
    pub last: Option<Item>,
}

/// Reads a page. Without a filter that is one Query for one row more than the page has, which tells
/// whether there is another one. Under a filter it goes on until the page is full, the list ends, or
/// [`MAX_READ`] rows were read: DynamoDB charges for them, whether they pass or not, and so they are
/// filtered here, where a filter may also be about the keys of an index.
pub async fn page(
    query: QueryFluentBuilder,
    per_page: usize,
    filter: Option<impl Fn(&Item) -> bool>,
) -> Result<Listed, StoreError> {
    let mut rows: Vec<Item> = Vec::new();
    let (mut read, mut start) = (0, None);
    let mut limit = per_page + 1;
    loop {
        let page = query
            .clone()
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .set_exclusive_start_key(start)
            .send()
            .await?;
        let found = page.items.unwrap_or_default();
        read += found.len();
        let passes = |row: &Item| filter.as_ref().is_none_or(|filter| filter(row));
        rows.extend(found.into_iter().filter(passes));
        if rows.len() > per_page {
            rows.truncate(per_page);
            let last = rows.last().cloned();
            return Ok(Listed { rows, last });
        }
        start = page.last_evaluated_key;
        if start.is_none() || (filter.is_some() && read >= MAX_READ) {
            return Ok(Listed { rows, last: start });
        }
        limit = match filter {
            Some(_) => MAX_READ - read,
            None => per_page + 1 - rows.len(),
        };
    }
}
