//! Parsing of the fields of a JSON body or a form into typed values. As with [`super::Params`], all errors
//! are collected by field, and unknown fields are ignored. `null` counts as absent.

use std::fmt;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::Params;
use crate::models::WireEnum;
use crate::{Error, FieldErrors};

/// The fields of a body, and the errors found in them so far.
#[derive(Default)]
pub struct Fields {
    fields: Map<String, Value>,
    errors: FieldErrors,
}

/// The fields of a submitted form.
#[derive(Clone, Default)]
pub struct Form(Map<String, Value>);

/// Hides the values, so that no log contains them.
impl fmt::Debug for Form {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Form")
    }
}

/// Shows the names of invalid fields only, so that no log contains a value.
impl fmt::Debug for Fields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fields, with faults: {:?}", self.errors.keys())
    }
}

impl Form {
    /// Parses the body of a form.
    ///
    /// # Errors
    /// A sentence for the caller if the form is not UTF-8.
    pub fn parse(body: &[u8]) -> Result<Self, &'static str> {
        let form = std::str::from_utf8(body).map_err(|_| "The form must be encoded in UTF-8.")?;
        Ok(Self(Params::parse(form).into_object()))
    }

    /// Returns a field as it was submitted, or an empty string if it is absent.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        let value = self.0.get(name).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    /// Returns true if the field is present. A checkbox is present only if it is checked.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the fields for parsing. Empty fields count as absent.
    #[must_use]
    pub fn fields(&self) -> Fields {
        let filled = |(_, value): &(String, Value)| value.as_str() != Some("");
        Fields {
            fields: self.0.clone().into_iter().filter(filled).collect(),
            errors: FieldErrors::new(),
        }
    }
}

/// Unwraps a field that [`Fields::require`] and [`Fields::finish`] have checked.
///
/// # Errors
/// [`Error::Internal`] if the field was not checked and is absent.
pub fn present<T>(value: Option<T>) -> Result<T, Error> {
    value.ok_or_else(|| Error::internal("a required field is missing"))
}

impl Fields {
    /// Parses a JSON object.
    ///
    /// # Errors
    /// A sentence for the caller if the body is not a JSON object.
    pub fn parse(body: &[u8]) -> Result<Self, &'static str> {
        if body.is_empty() {
            return Err("The body is empty. Send a JSON object.");
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self {
                fields,
                errors: FieldErrors::new(),
            }),
            Ok(_) => Err("The body is JSON but not an object. Send a JSON object."),
            Err(_) => Err("The body is not valid JSON. Send a JSON object."),
        }
    }

    /// Returns true if the field is present and not null.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|value| !value.is_null())
    }

    /// Reads a string of any length.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            _ => self.refuse(name, "must be a string"),
        }
    }

    /// Reads a string and parses it with `read`.
    pub fn parsed<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        let text = self.text(name)?;
        read(&text).map_err(|reason| self.fail(name, reason)).ok()
    }

    /// Reads a whole number within a range.
    pub fn number(&mut self, name: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let number = self.take(name)?.as_u64();
        let (from, to) = (range.start(), range.end());
        match number.filter(|number| range.contains(number)) {
            Some(number) => Some(number),
            None => self.refuse(name, format!("must be a whole number from {from} to {to}")),
        }
    }

    /// Reads a value of an enumeration, by its integer.
    pub fn wire_enum<E: WireEnum>(&mut self, name: &'static str) -> Option<E> {
        match self.take(name)?.as_u64().and_then(E::from_wire) {
            Some(variant) => Some(variant),
            None => self.refuse(name, format!("must be one of {}", E::legend())),
        }
    }

    /// Adds an error. Only the first error of each field is kept.
    pub fn fail(&mut self, name: &'static str, reason: impl Into<String>) {
        self.errors.entry(name).or_insert_with(|| reason.into());
    }

    /// Adds an error if a required field is absent. An invalid value keeps the error that it has already.
    pub fn require<T>(&mut self, name: &'static str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.fail(name, "is required");
        }
        value
    }

    /// Finishes parsing.
    ///
    /// # Errors
    /// [`Error::Invalid`] with all errors that were found.
    pub fn finish(self) -> Result<(), Error> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(Error::Invalid(self.errors))
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    fn refuse<T>(&mut self, name: &'static str, reason: impl Into<String>) -> Option<T> {
        self.fail(name, reason);
        None
    }
}
