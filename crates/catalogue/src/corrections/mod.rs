//! Corrections of the catalogue by moderators and administrators (docs/data-model.md, "Corrections").

mod corrected;
pub(crate) mod correction;
mod fields;
mod values;

use accounts::users::UserStore;
use dynamo::{Database, Outcome};
use serde_json::Value;
use shared::auth::Access;
use shared::clock::Clock;
use shared::models::Anime;
use shared::{Error, Missing, Result, digest};

pub use self::correction::{CorrectedFields, Correction};
pub use self::fields::{Correctable, CorrectableField, EmptyText};
pub use self::values::{Fault, FieldKind};
use crate::rows::document::CatalogueRow;
use crate::rows::document_store::{CatalogueStore, StoredRow};
use crate::snapshots::snapshot_store::SnapshotStore;

/// The maximum length of a note, in bytes.
pub const MAX_NOTE_BYTES: usize = 1_000;

/// The maximum number of corrections of a row.
pub const MAX_CORRECTIONS: usize = 40;

/// The maximum size of a row with a new correction, as JSON in bytes. DynamoDB's limit is 400 KB, and imports may
/// add to the row later.
const MAX_ROW_BYTES: usize = 200_000;

/// The maximum number of attempts to write a row. An attempt fails if an import changes the row at the same time.
const ATTEMPTS: u32 = 5;

/// The reason for refusing to make a correction or to take one back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The value is not accepted.
    Value(Fault),
    /// The note is not accepted.
    Note(Fault),
    /// The field has changed since the moderator saw it.
    Changed,
    /// The row has too many corrections, or is too large.
    TooMany,
    /// Too many corrections are not published yet.
    Unpublished,
}

/// The reason why [`CorrectionDesk`] has not changed a row.
#[derive(Debug)]
pub enum CorrectionError {
    /// The change is refused. The form shows the reason.
    Refused(Refusal),
    /// Another error, such as a missing permission.
    Failed(Error),
}

impl CorrectionError {
    /// Returns the refusal, which the form shows.
    ///
    /// # Errors
    /// The error of [`CorrectionError::Failed`].
    pub fn into_refusal(self) -> Result<Refusal> {
        match self {
            Self::Refused(refusal) => Ok(refusal),
            Self::Failed(error) => Err(error),
        }
    }
}

impl From<Refusal> for CorrectionError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Error> for CorrectionError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A correction to make.
#[derive(Clone, Copy, Debug)]
pub struct NewCorrection<'c> {
    /// The name of the field, for example `status`, or `titles.en` for a text in a language.
    pub field: &'c str,
    /// The state of the field that the moderator saw ([`field_state`]).
    pub seen: &'c str,
    /// The new value, as the text of a form. For an empty text, see [`EmptyText`].
    pub text: &'c str,
    /// The reason.
    pub note: &'c str,
}

/// Makes corrections of one kind of document, and takes them back. It writes the attribute `corrections` of the tables
/// Anime and Song.
#[derive(Debug)]
pub struct CorrectionDesk<R> {
    documents: CatalogueStore<R>,
    snapshots: SnapshotStore,
    users: UserStore,
    anime: CatalogueStore<Anime>,
    clock: Clock,
}

impl<R: Correctable> CorrectionDesk<R> {
    /// Creates the desk for the documents of this database.
    pub fn new(database: &Database) -> Self {
        Self {
            documents: CatalogueStore::new(database),
            snapshots: SnapshotStore::new(database, R::KIND),
            users: UserStore::new(database),
            anime: CatalogueStore::new(database),
            clock: database.clock.clone(),
        }
    }

    /// Returns a row, by a strongly consistent read.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is none.
    pub async fn find(&self, id: u64) -> Result<StoredRow<R>> {
        let mut found = self.documents.get_current(&[id]).await?;
        found.remove(&id).ok_or(Error::NotFound(R::MISSING))
    }

    /// Makes a correction. `access` needs the permission to correct the catalogue.
    ///
    /// # Errors
    /// A [`Refusal`], or [`Error::NotFound`] if there is no such row or field.
    pub async fn correct(
        &self,
        access: &Access,
        id: u64,
        new: NewCorrection<'_>,
    ) -> Result<(), CorrectionError> {
        let field = require_field::<R>(new.field)?;
        let value = field.parse(new.text).map_err(Refusal::Value)?;
        let note = parse_note(new.note).map_err(Refusal::Note)?;
        self.check_anime(id, &field.kind.anime_in(&value)).await?;
        let correction = Correction {
            by: access.credential.user_id,
            at: self.clock.now_ms(),
            note,
            stated: Value::Null,
        };
        let change = |row: &CatalogueRow<R>| {
            let row = row.with_correction(new.field, value.clone(), correction.clone())?;
            let row = require_title(row)?;
            let size = serde_json::to_vec(&(&row.document, &row.notes)).map_err(Error::internal)?;
            let has_room = row.notes.corrections().len() <= MAX_CORRECTIONS;
            let fits = has_room && size.len() <= MAX_ROW_BYTES;
            Ok(fits.then_some(row).ok_or(Refusal::TooMany)?)
        };
        self.change_row(access, id, (new.field, new.seen), change)
            .await
    }

    /// Takes a correction back, so that the field has the value that the sources state. `seen` is the state of the
    /// field that the moderator saw ([`field_state`]).
    ///
    /// # Errors
    /// As [`CorrectionDesk::correct`].
    pub async fn take_back(
        &self,
        access: &Access,
        id: u64,
        field: &str,
        seen: &str,
    ) -> Result<(), CorrectionError> {
        require_field::<R>(field)?;
        let change = |row: &CatalogueRow<R>| {
            let row = row.without_correction(field)?.ok_or(Refusal::Changed)?;
            // If the sources state no title, the correction of the last title cannot be taken back.
            Ok(require_title(row)?)
        };
        self.change_row(access, id, (field, seen), change).await
    }

    /// Changes a row, if the field still has the state that the moderator saw. If an import changes other fields at the
    /// same time, the row is read and changed again. The same transaction marks the document as corrected. Functions
    /// read the marks every 10 seconds, and do not use a cached copy of a marked document for longer.
    async fn change_row(
        &self,
        access: &Access,
        id: u64,
        (field, seen): (&str, &str),
        change: impl Fn(&CatalogueRow<R>) -> Result<CatalogueRow<R>, CorrectionError>,
    ) -> Result<(), CorrectionError> {
        for _ in 0..ATTEMPTS {
            let stored = self.find(id).await?;
            if field_state(&stored.row, field)? != seen {
                return Err(Refusal::Changed.into());
            }
            let row = change(&stored.row)?;
            let mut writes = self.users.begin(access).await?;
            let (put, revision) = self.documents.put_action(&row, stored.revision)?;
            let put = writes.add(put);
            writes.add(self.snapshots.mark_action(id, revision)?);
            match writes.commit().await? {
                Outcome::Written => {
                    let user = access.credential.user_id.get();
                    tracing::info!(user, kind = R::KIND, id, field, "corrections were changed");
                    return Ok(());
                }
                // The row has changed since it was read.
                Outcome::Refused(refused) if refused.has(put) => {}
                Outcome::Refused(_) => return Err(Refusal::Unpublished.into()),
            }
        }
        let reason = "imports wrote the same row in every attempt";
        Err(Error::Unavailable(reason.into()).into())
    }

    /// Checks that the anime to which a value refers exist, and that the document `id` does not refer to itself. The
    /// values of songs refer to no anime.
    async fn check_anime(&self, id: u64, ids: &[u64]) -> Result<(), CorrectionError> {
        if ids.is_empty() {
            return Ok(());
        }
        if ids.contains(&id) {
            return Err(Refusal::Value(Fault::Itself).into());
        }
        let known = self.anime.get_current(ids).await?;
        match ids.iter().find(|id| !known.contains_key(id)) {
            Some(unknown) => Err(Refusal::Value(Fault::UnknownAnime(unknown.to_string())).into()),
            None => Ok(()),
        }
    }
}

/// Returns a digest of a field's value and its correction. A form sends the digest back, so that the desk notices if
/// the field has changed after the form was shown. The digest does not depend on the value that the sources state
/// under a correction.
///
/// # Errors
/// [`Error::Internal`] if the document cannot be read as JSON.
pub fn field_state<R: Correctable>(row: &CatalogueRow<R>, field: &str) -> Result<String> {
    let correction = row.notes.corrections().get(field);
    let correction = correction.map(|correction| (correction.by, correction.at, &correction.note));
    let state = serde_json::to_string(&(row.field_value(field)?, correction));
    Ok(digest(&state.map_err(Error::internal)?))
}

fn require_field<R: Correctable>(name: &str) -> Result<CorrectableField> {
    R::find_field(name).ok_or(Error::NotFound(Missing::Field))
}

/// Returns the row if its document has a title, and a refusal otherwise.
fn require_title<R: Correctable>(row: CatalogueRow<R>) -> Result<CatalogueRow<R>, Refusal> {
    let titled = Some(row).filter(|row| row.document.has_title());
    titled.ok_or(Refusal::Value(Fault::LastTitle))
}

/// Returns the note of a correction, without spaces around it.
///
/// # Errors
/// [`Fault`] if the note is empty, too long, or has control characters.
pub fn parse_note(text: &str) -> Result<String, Fault> {
    let text = text.trim().replace("\r\n", "\n");
    if text.is_empty() {
        return Err(Fault::Required);
    }
    values::check_text(&text, MAX_NOTE_BYTES, true)?;
    Ok(text)
}
