//! Corrections of documents by moderators and administrators (docs/data-model.md, "Corrections").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::models::UserId;

/// The corrections of a row, by the name of the field. A text in a language is a field of its own, such as
/// `titles.en`.
pub type Corrections = BTreeMap<String, Correction>;

/// A correction: it gives a field a value that no source replaces. The corrected value itself is in the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The moderator or administrator.
    pub by: UserId,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The reason.
    pub note: String,
    /// The value that the sources state, as in the JSON of the document; `null` if there is none. The field gets
    /// it when the correction is taken back. Imports and refreshes keep it current.
    #[serde(default)]
    pub stated: Value,
}

/// The part of a row besides the document, with its corrections.
pub trait Corrected {
    /// Returns the corrections.
    fn corrections(&self) -> &Corrections;

    /// Returns the corrections, to change them.
    fn corrections_mut(&mut self) -> &mut Corrections;
}
