//! The writing of corrections: the store of the attribute `corrections` in the tables [`crate::schema::anime`] and
//! [`crate::schema::song`].

use shared::Error;
use shared::auth::Access;

use crate::catalogue::{CatalogueStore, Stored};
use crate::database::Database;
use crate::document::{CatalogueDocument, CatalogueRow, RowRevision};
use crate::snapshot::SnapshotStore;
use crate::transaction::Outcome;
use crate::users::UserStore;

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

impl Database {
    /// Returns the store of the corrections of one kind of document.
    #[must_use]
    pub fn corrections<R: CatalogueDocument>(&self) -> CorrectionStore<R> {
        CorrectionStore {
            documents: self.documents(),
            snapshots: self.snapshots(R::KIND),
            users: self.users(),
        }
    }
}

impl<R: CatalogueDocument> CorrectionStore<R> {
    /// Returns a row, by a strongly consistent read.
    pub async fn find(&self, id: u64) -> Result<Option<Stored<R>>, Error> {
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
