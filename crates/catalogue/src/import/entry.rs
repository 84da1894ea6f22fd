//! The trait for reading one entry of a file, for each kind of document.

use serde::de::DeserializeOwned;

use super::report::Skip;
use super::write::DocumentFacts;

/// The reason for skipping an entry that is not valid JSON or lacks required fields.
pub const BROKEN: &str = "it cannot be parsed";

/// Reads the entries of a source's files as facts.
pub trait EntryReader {
    /// The facts that an entry states.
    type Facts: DocumentFacts;

    /// Returns true if the first line of a file is the metadata of a release, not an entry.
    fn is_metadata_line(_text: &[u8]) -> bool {
        false
    }

    /// Reads an entry, and records it for the comparison with later entries.
    ///
    /// # Errors
    /// The reason for skipping the entry.
    fn read_entry(&mut self, text: &[u8]) -> Result<Self::Facts, Skip>;
}

/// Parses an entry as JSON. The [`Skip`] for an invalid entry has the parser's message.
///
/// # Errors
/// [`BROKEN`] if the entry is not valid JSON or lacks required fields.
pub fn parse_entry<T: DeserializeOwned>(text: &[u8]) -> Result<T, Skip> {
    serde_json::from_slice(text).map_err(|error| {
        let message = error.to_string();
        // serde_json counts lines within the entry, not within the file, so the position is cut off.
        let reason = message.split(" at line ").next().unwrap_or_default();
        Skip::new(BROKEN, reason)
    })
}
