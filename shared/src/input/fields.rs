//! The fields of a JSON body or a form, parsed into typed values. As with [`super::Params`], every fault is
//! collected and named, and unknown fields are ignored. `null` counts as absent.

use std::fmt;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::Params;
use crate::models::WireEnum;
use crate::{Error, FieldErrors};

/// The fields of a body, and the faults found in them so far.
#[derive(Default)]
pub struct Fields {
    fields: Map<String, Value>,
    errors: FieldErrors,
}

/// What a page's form sent.
#[derive(Clone, Default)]
pub struct Form(Map<String, Value>);

/// Keeps what was typed out of every log.
impl fmt::Debug for Form {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Form")
    }
}

/// Keeps what was sent out of every log.
impl fmt::Debug for Fields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fields, with faults: {:?}", self.errors.keys())
    }
}

impl Form {
    /// Reads what a form sends.
    ///
    /// # Errors
    /// A sentence for the caller, when the form is not UTF-8.
    pub fn parse(body: &[u8]) -> Result<Self, &'static str> {
        let form = std::str::from_utf8(body).map_err(|_| "The form is not UTF-8.")?;
        Ok(Self(Params::parse(form).into_object()))
    }

    /// A field as it was typed; empty where there is none.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        let value = self.0.get(name).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    /// Whether the field is there: how a box says that it is checked.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The fields, to be read. One that was left empty is as good as absent.
    #[must_use]
    pub fn fields(&self) -> Fields {
        let filled = |(_, value): &(String, Value)| value.as_str() != Some("");
        Fields {
            fields: self.0.clone().into_iter().filter(filled).collect(),
            errors: FieldErrors::new(),
        }
    }
}

/// A required field, after [`Fields::finish`] has made sure that it is there.
///
/// # Errors
/// [`Error::Internal`] where nothing was made sure of.
pub fn present<T>(value: Option<T>) -> Result<T, Error> {
    value.ok_or_else(|| Error::internal("a field that was required is not there"))
}

impl Fields {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// A sentence for the caller, when the body is not a JSON object.
    pub fn parse(body: &[u8]) -> Result<Self, &'static str> {
        if body.is_empty() {
            return Err("The body is empty: send a JSON object.");
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self {
                fields,
                errors: FieldErrors::new(),
            }),
            Ok(_) => Err("The body is not a JSON object."),
            Err(_) => Err("The body is not JSON."),
        }
    }

    /// Whether the field is there, and not null.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|value| !value.is_null())
    }

    /// A text of any length.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            _ => self.refuse(name, "must be a text"),
        }
    }

    /// What `read` makes of a text.
    pub fn parsed<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        let text = self.text(name)?;
        read(&text).map_err(|reason| self.fail(name, reason)).ok()
    }

    /// A whole number within bounds.
    pub fn number(&mut self, name: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let number = self.take(name)?.as_u64();
        let (from, to) = (range.start(), range.end());
        match number.filter(|number| range.contains(number)) {
            Some(number) => Some(number),
            None => self.refuse(name, format!("must be a whole number from {from} to {to}")),
        }
    }

    /// One value of an enumeration, by its integer.
    pub fn wire_enum<E: WireEnum>(&mut self, name: &'static str) -> Option<E> {
        match self.take(name)?.as_u64().and_then(E::from_wire) {
            Some(variant) => Some(variant),
            None => self.refuse(name, format!("must be one of {}", E::legend())),
        }
    }

    /// Notes a fault. The first fault of a field is the one that is told.
    pub fn fail(&mut self, name: &'static str, reason: impl Into<String>) {
        self.errors.entry(name).or_insert_with(|| reason.into());
    }

    /// A field that has to be there: its absence is a fault, unless it has one already.
    pub fn require<T>(&mut self, name: &'static str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.fail(name, "is required");
        }
        value
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault that was found.
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
