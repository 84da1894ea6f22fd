//! The mapping of one entry of a file, for each kind of document.

use catalogue::import::{Facts, Skip};
use serde::de::DeserializeOwned;

/// The reason for skipping an entry that is not valid JSON or lacks required fields.
pub const BROKEN: &str = "it cannot be parsed";

/// The outcome for an entry that is not skipped.
#[derive(Debug, PartialEq)]
pub enum Decision<F> {
    /// The document is new.
    Add(F),
    /// The document differs from the entry.
    Change(F),
    /// The document agrees with the entry.
    Keep,
}

/// A mapping of entries to documents.
pub trait Import {
    /// The facts that an entry states.
    type Facts: Facts;

    /// Returns true if the first line of a file is a heading, not an entry.
    fn is_heading(_text: &[u8]) -> bool {
        false
    }

    /// Compares an entry with the known documents, and records it for the comparison with later entries.
    fn decide(&mut self, text: &[u8]) -> Result<Decision<Self::Facts>, Skip>;
}

/// Parses an entry. An invalid one is skipped, with the parser's message in the report.
pub fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, Skip> {
    serde_json::from_slice(text).map_err(|error| {
        let message = error.to_string();
        // serde_json counts lines within the entry, not within the file, so the position is cut off.
        let what = message.split(" at line ").next().unwrap_or_default();
        Skip::new(BROKEN, what)
    })
}
