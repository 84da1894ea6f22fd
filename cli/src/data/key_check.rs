//! The row by which `kiroku serve` checks that its keys belong to its data (docs/data-model.md, "CatalogSnapshot").

use anyhow::{Context, bail};
use catalogue::snapshots::ServiceRow;
use dynamo::Database;
use shared::auth::Sealer;

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
    let kept = ServiceRow::KEYS.read_text(database, TEXT).await?;
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
    let text = sealer.seal(CONTEXT, "").await?;
    let write = ServiceRow::KEYS.replace_text(database, TEXT, kept, text);
    write.await.context("cannot record the keys; start again")
}
