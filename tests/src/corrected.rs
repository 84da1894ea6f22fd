//! Corrections in a service under test.

use catalogue::corrections::{
    Correctable, CorrectionDesk, CorrectionError, NewCorrection, field_state,
};
use catalogue::import::{DocumentFacts, MergePlan};
use catalogue::rows::{CatalogueRow, CatalogueStore};
use shared::auth::{Access, Action};

use crate::people::{Person, credential};
use crate::service::Service;

/// The note of the corrections of [`Service::correct`].
pub const NOTE: &str = "As on the cover";

impl Service {
    /// Returns the desk where corrections are made.
    pub fn desk<R: Correctable>(&self) -> CorrectionDesk<R> {
        CorrectionDesk::new(&self.database())
    }

    /// Returns a user's access to corrections.
    pub fn access_to_correct(&self, person: &Person) -> Access {
        let tokens = self.environment.tokens().unwrap();
        Access::without_owner(&credential(&tokens, person.id), Action::CorrectCatalogue)
    }

    /// Corrects the current value of a field.
    ///
    /// # Errors
    /// As [`CorrectionDesk::correct`].
    pub async fn try_correct<R: Correctable>(
        &self,
        person: &Person,
        id: u64,
        field: &str,
        text: &str,
    ) -> Result<(), CorrectionError> {
        let desk = self.desk::<R>();
        let seen = field_state(&desk.find(id).await?.row, field)?;
        let new = NewCorrection {
            field,
            seen: &seen,
            text,
            note: NOTE,
        };
        let access = self.access_to_correct(person);
        desk.correct(&access, id, new).await
    }

    /// Corrects a field.
    ///
    /// # Panics
    /// If the correction is refused.
    pub async fn correct<R: Correctable>(&self, person: &Person, id: u64, field: &str, text: &str) {
        let corrected = self.try_correct::<R>(person, id, field, text).await;
        corrected.unwrap();
    }

    /// Takes back the correction of a field.
    ///
    /// # Panics
    /// If this is refused.
    pub async fn take_back<R: Correctable>(&self, person: &Person, id: u64, field: &str) {
        let desk = self.desk::<R>();
        let seen = field_state(&desk.find(id).await.unwrap().row, field).unwrap();
        let access = self.access_to_correct(person);
        let taken = desk.take_back(&access, id, field, &seen).await;
        taken.unwrap();
    }

    /// Returns a row of the catalogue as it is at this moment.
    ///
    /// # Panics
    /// If there is no such row.
    pub async fn catalogue_row<R: Correctable>(&self, id: u64) -> CatalogueRow<R> {
        self.desk::<R>().find(id).await.unwrap().row
    }

    /// Merges facts into the catalogue, as an import does.
    ///
    /// # Panics
    /// If the facts cannot be merged.
    pub async fn merge<F: DocumentFacts>(&self, facts: F) {
        let store = CatalogueStore::new(&self.database());
        let plan = MergePlan::make(&store, vec![facts]).await.unwrap();
        plan.carry_out(&store).await.unwrap();
    }
}
