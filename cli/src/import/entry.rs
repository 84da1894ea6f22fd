//! The reading of one entry of a file, for each kind of document.

use catalogue::import::{Facts, Skip};
use serde::de::DeserializeOwned;

/// The reason for skipping an entry that is not valid JSON or lacks required fields.
pub const BROKEN: &str = "it cannot be parsed";

/// A mapping of entries to facts.
pub trait Import {
    /// The facts that an entry states.
    type Facts: Facts;

    /// Returns true if the first line of a file is a heading, not an entry.
    fn is_heading(_text: &[u8]) -> bool {
        false
    }

    /// Reads an entry, and records it for the comparison with later entries.
    fn facts(&mut self, text: &[u8]) -> Result<Self::Facts, Skip>;
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
