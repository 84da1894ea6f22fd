//! The types of documents and rows of the catalogue.

use std::fmt::Debug;

use dynamo::Table;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::corrections::correction::CorrectedFields;

/// A kind of document in the catalogue: its table, and the order of its list.
pub trait CatalogueDocument:
    Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The table.
    const TABLE: &'static Table;
    /// The names of the attributes in [`CatalogueDocument::Notes`].
    const NOTES: &'static [&'static str];
    /// The name of the list index: the secondary index of the table that is ordered by list key.
    const LIST_INDEX: &'static str;
    /// The name of this kind of document in cursors and snapshots.
    const KIND: &'static str;
    /// The part of a row that is not in the document. No response contains it.
    type Notes: CorrectedFields
        + Clone
        + Debug
        + Default
        + PartialEq
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static;
    /// The type with the attributes that the list index projects.
    type ListItem: DeserializeOwned + Send;

    /// Returns the identifier.
    fn id(&self) -> u64;
    /// Returns the list key: the position in the list, as a number. Lists are in ascending order of this key. It
    /// contains the identifier ([`CatalogueDocument::id_at`]), so no two documents have the same key.
    fn list_key(&self) -> u64;
    /// Returns the identifier that a list key contains.
    fn id_at(list_key: u64) -> u64;
    /// Sets the fields whose values follow from other fields.
    fn derive_fields(&mut self) {}
    /// Sets the fields whose values follow from the notes of the row. They are not stored.
    fn derive_from_notes(&mut self, _notes: &Self::Notes) {}
}

/// A row: a document, and the attributes that no response contains.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueRow<R: CatalogueDocument> {
    /// The document.
    pub document: R,
    /// The rest of the row.
    pub notes: R::Notes,
}

impl<R: CatalogueDocument> CatalogueRow<R> {
    /// Returns the row with the fields of the document that follow from the notes.
    #[must_use]
    pub fn with_derived_fields(mut self) -> Self {
        self.document.derive_from_notes(&self.notes);
        self
    }
}

impl<R: CatalogueDocument> From<R> for CatalogueRow<R> {
    /// Returns a row of a document without notes.
    fn from(document: R) -> Self {
        Self {
            document,
            notes: R::Notes::default(),
        }
    }
}

/// The revision of a row: a digest of its document and its notes. Two states of a row with the same revision are
/// treated as equal. `None` for a row that an earlier version of the service has written.
pub type RowRevision = Option<u32>;
