//! The writing of corrections: the store of the attribute `corrections` in the tables [`crate::rows::anime`] and
//! [`crate::rows::song`].

use accounts::users::UserStore;
use dynamo::{Database, Outcome};
use shared::Error;
use shared::auth::Access;

use crate::rows::document::{CatalogueDocument, CatalogueRow, RowRevision};
use crate::rows::document_store::{CatalogueStore, StoredRow};
use crate::snapshots::snapshot_store::SnapshotStore;

/// The outcome of [`CorrectionStore::put`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The row is written.
    Written,
    /// The row has changed since it was read. Nothing is written.
    Changed,
    /// Too many corrections are not published yet. Nothing is written.
    TooManyUnpublished,
}

/// The store of the corrections of one kind of document.
#[derive(Clone, Debug)]
pub struct CorrectionStore<R> {
    documents: CatalogueStore<R>,
    snapshots: SnapshotStore,
    users: UserStore,
}

impl<R: CatalogueDocument> CorrectionStore<R> {
    /// Creates the store of the corrections of one kind of document.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self {
            documents: CatalogueStore::new(database),
            snapshots: SnapshotStore::new(database, R::KIND),
            users: UserStore::new(database),
        }
    }

    /// Returns a row, by a strongly consistent read.
    pub async fn find(&self, id: u64) -> Result<Option<StoredRow<R>>, Error> {
        Ok(self.documents.get_current(&[id]).await?.remove(&id))
    }

    /// Writes a row whose corrections have changed, if the stored row still has the revision `known`. The same
    /// transaction marks the document as corrected. Functions read the marks every 10 seconds, and do not use a cached
    /// copy of a marked document for longer.
    pub async fn put(
        &self,
        access: &Access,
        row: &CatalogueRow<R>,
        known: RowRevision,
    ) -> Result<PutOutcome, Error> {
        let mut writes = self.users.begin(access).await?;
        let (put, revision) = self.documents.put_action(row, known)?;
        let put = writes.add(put);
        let id = row.document.id();
        writes.add(self.snapshots.mark_action(id, revision)?);
        Ok(match writes.commit().await? {
            Outcome::Written => PutOutcome::Written,
            Outcome::Refused(refused) if refused.has(put) => PutOutcome::Changed,
            Outcome::Refused(_) => PutOutcome::TooManyUnpublished,
        })
    }
}
