//! The row by which `kiroku serve` checks that its keys belong to its data (docs/data-model.md, "CatalogSnapshot").

use anyhow::{Context, bail};
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::Database;
use shared::auth::Sealer;

use crate::call_error::call_error;
use crate::service_row::ServiceRow;

/// The row, which belongs to the keys.
pub(crate) const ROW: ServiceRow = ServiceRow("keys");

/// The attribute with the encrypted text.
const TEXT: &str = "sealed";

/// The context of the encrypted text.
const CONTEXT: &str = "check of keys";

/// Checks that these keys can decrypt the row. Writes the row if it is missing, or if it cannot be decrypted and that
/// is allowed.
///
/// # Errors
/// When the row must be decrypted and cannot be.
pub async fn check(database: &Database, sealer: &Sealer, must_match: bool) -> anyhow::Result<()> {
    let kept = ROW.read_text(database, TEXT).await?;
    if let Some(text) = &kept {
        if sealer.open(CONTEXT, text).await?.is_some() {
            return Ok(());
        }
        if must_match {
            bail!(
                "the keys do not belong to this data, so its users could not use what they have encrypted: name the \
                right file with --keys-file, put it back from a backup, or start once with --new-keys"
            );
        }
    }
    let mut row = ROW.key();
    let text = sealer.seal(CONTEXT, "").await?;
    row.insert(TEXT.to_owned(), AttributeValue::S(text));
    let request = database.client.put_item();
    let request = request.table_name(ServiceRow::table(database));
    let request = match kept {
        None => request.condition_expression("attribute_not_exists(sealed)"),
        Some(kept) => request
            .condition_expression("sealed = :kept")
            .expression_attribute_values(":kept", AttributeValue::S(kept)),
    };
    let put = request.set_item(Some(row)).send().await;
    put.map(drop)
        .map_err(call_error)
        .context("cannot record the keys; start again")
}
