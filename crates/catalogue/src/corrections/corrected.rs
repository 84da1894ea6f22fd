//! Applies corrections to a row, and removes them. New facts are merged into the row without its corrections
//! ([`CatalogueRow::without_corrections`]), and then the corrections are applied again
//! ([`CatalogueRow::with_corrections_of`]). So no source replaces a correction, and after a correction is taken
//! back, the field has the value that the sources state now.

use serde_json::Value;
use shared::{Error, Result};

use super::correction::{CorrectedFields, Correction};
use crate::rows::document::{CatalogueDocument, CatalogueRow};

impl<R: CatalogueDocument> CatalogueRow<R> {
    /// Returns the row without its corrections: each corrected field has the value that the sources state.
    pub fn without_corrections(&self) -> Result<Self> {
        let corrections = self.notes.corrections();
        if corrections.is_empty() {
            return Ok(self.clone());
        }
        let stated = corrections.iter();
        let stated = stated.map(|(field, correction)| (field.as_str(), correction.stated.clone()));
        let mut notes = self.notes.clone();
        notes.corrections_mut().clear();
        let row = Self {
            document: with_values(&self.document, stated)?,
            notes,
        };
        Ok(row.with_derived_fields())
    }

    /// Returns this row with the corrections of `corrected`, a row of the same document. This row must have no
    /// corrections itself.
    pub fn with_corrections_of(mut self, corrected: &Self) -> Result<Self> {
        let corrections = corrected.notes.corrections();
        if corrections.is_empty() {
            return Ok(self.with_derived_fields());
        }
        let (stated, present) = (to_json(&self.document)?, to_json(&corrected.document)?);
        for (field, correction) in corrections {
            let correction = Correction {
                stated: value_in(&stated, field),
                ..correction.clone()
            };
            let corrections = self.notes.corrections_mut();
            corrections.insert(field.clone(), correction);
        }
        let corrected_values = corrections
            .keys()
            .map(|field| (field.as_str(), value_in(&present, field)));
        self.document = with_values(&self.document, corrected_values)?;
        Ok(self.with_derived_fields())
    }

    /// Returns the value of a field, as in the JSON of the document; `null` if there is none.
    pub fn field_value(&self, field: &str) -> Result<Value> {
        Ok(value_in(&to_json(&self.document)?, field))
    }

    /// Returns the row with a correction that gives `field` this value. `correction.stated` is replaced by the value
    /// that the sources state for the field.
    ///
    /// # Errors
    /// [`Error::Internal`] if the document has no such field, or if the field cannot have this value.
    pub fn with_correction(
        &self,
        field: &str,
        value: Value,
        mut correction: Correction,
    ) -> Result<Self> {
        correction.stated = match self.notes.corrections().get(field) {
            Some(earlier) => earlier.stated.clone(),
            None => self.field_value(field)?,
        };
        let mut row = self.clone();
        row.document = with_values(&row.document, [(field, value)])?;
        row.notes
            .corrections_mut()
            .insert(field.to_owned(), correction);
        Ok(row.with_derived_fields())
    }

    /// Returns the row without the correction of this field; `None` if it has none.
    pub fn without_correction(&self, field: &str) -> Result<Option<Self>> {
        let mut row = self.clone();
        let Some(correction) = row.notes.corrections_mut().remove(field) else {
            return Ok(None);
        };
        row.document = with_values(&row.document, [(field, correction.stated)])?;
        Ok(Some(row.with_derived_fields()))
    }
}

fn to_json<R: CatalogueDocument>(document: &R) -> Result<Value> {
    serde_json::to_value(document).map_err(Error::internal)
}

fn value_in(document: &Value, field: &str) -> Value {
    let value = match field.split_once('.') {
        Some((field, language)) => document.get(field).and_then(|texts| texts.get(language)),
        None => document.get(field),
    };
    value.cloned().unwrap_or_default()
}

fn with_values<'v, R: CatalogueDocument>(
    document: &R,
    values: impl IntoIterator<Item = (&'v str, Value)>,
) -> Result<R> {
    let unknown = || Error::internal("a correction of an unknown field");
    let mut json = to_json(document)?;
    for (field, value) in values {
        let Some((field, language)) = field.split_once('.') else {
            *json.get_mut(field).ok_or_else(unknown)? = value;
            continue;
        };
        let texts = json.get_mut(field).and_then(Value::as_object_mut);
        let texts = texts.ok_or_else(unknown)?;
        if value.is_null() {
            texts.remove(language);
        } else {
            texts.insert(language.to_owned(), value);
        }
    }
    let mut document: R = serde_json::from_value(json).map_err(Error::internal)?;
    document.derive_fields();
    Ok(document)
}
