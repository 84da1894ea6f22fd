//! Corrections of documents by moderators and administrators (docs/data-model.md, "Corrections").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::models::UserId;

/// The corrections of a row, by the name of the field. Each language of a field with several texts counts as a field
/// of its own, such as `titles.en`.
pub type Corrections = BTreeMap<String, Correction>;

/// A correction, which gives a field a value that no source replaces. The document has that value, not the correction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The moderator or administrator.
    pub by: UserId,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The reason.
    pub note: String,
    /// The value that the sources state, as in the JSON of the document; `null` if they state none. Imports and
    /// refreshes keep it current. The field gets this value when the correction is taken back.
    #[serde(default)]
    pub stated: Value,
}

/// A part of a row that has the row's corrections.
pub trait CorrectedFields {
    /// Returns the corrections.
    fn corrections(&self) -> &Corrections;

    /// Returns a mutable reference to the corrections.
    fn corrections_mut(&mut self) -> &mut Corrections;
}
