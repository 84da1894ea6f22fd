//! Parsing of the fields of a JSON body or a form into typed values. As with [`super::Params`], all errors are
//! collected by field, and unknown fields are ignored. A field that is `null` counts as absent, unless its type is a
//! [`Replacement`].

use std::fmt;
use std::num::NonZeroU64;

use serde_json::{Map, Value};

use super::params::{MAX_SAFE_INTEGER, out_of_range, parse_form};
use crate::models::{
    AnimeId, EmailAddress, LocaleCode, Notes, PartialDate, TimeZone, TrackerToken, UserId,
    Username, WireEnum,
};
use crate::{Error, FieldErrors, Result};

/// A JSON value. The code that [`body!`](crate::body) generates uses this name, so that its crate need not depend
/// on `serde_json`.
pub type JsonValue = Value;

const REQUIRED: &str = "is required";

/// The fields of a body, and the errors found in them so far.
#[derive(Default)]
pub struct Fields {
    fields: Map<String, Value>,
    errors: FieldErrors,
}

impl From<Map<String, Value>> for Fields {
    fn from(fields: Map<String, Value>) -> Self {
        Self {
            fields,
            errors: FieldErrors::new(),
        }
    }
}

/// The fields of a submitted form, in order. A name can be repeated.
#[derive(Clone, Default)]
pub struct Form(Vec<(String, String)>);

crate::hide_values!(Form);

/// Shows the names of invalid fields only, so that no log contains a value.
impl fmt::Debug for Fields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Fields, with errors in: {:?}",
            self.errors.keys()
        )
    }
}

impl Form {
    /// Parses the body of a form. A field whose name or value cannot be decoded counts as absent.
    ///
    /// # Errors
    /// A sentence for the caller if the form is not UTF-8.
    pub fn parse(body: &[u8]) -> Result<Self, &'static str> {
        let form = std::str::from_utf8(body).map_err(|_| "The form must be encoded in UTF-8.")?;
        Ok(Self(parse_form(form)))
    }

    /// Returns the value of a field as it was submitted, or an empty string if the field is absent. If the field is
    /// repeated, the last value counts.
    pub fn value(&self, name: &str) -> &str {
        self.values(name).next_back().unwrap_or_default()
    }

    /// Returns all values of a field that can be repeated, such as the checkboxes of a list.
    pub fn values<'f>(&'f self, name: &str) -> impl DoubleEndedIterator<Item = &'f str> {
        let named = self.0.iter().filter(move |(field, _)| field == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Returns the names and values of all fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.0.iter();
        fields.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns true if the field is present. A checkbox is present only if it is checked.
    pub fn has(&self, name: &str) -> bool {
        self.values(name).next().is_some()
    }

    /// Returns the fields for parsing. Empty fields count as absent.
    pub fn fields(&self) -> Fields {
        let values = self.0.iter().cloned();
        let mut fields: Map<String, Value> =
            values.map(|(name, value)| (name, value.into())).collect();
        fields.retain(|_, value| value.as_str() != Some(""));
        fields.into()
    }
}

/// A type of the fields of JSON bodies and forms.
pub trait BodyField: Sized {
    /// Parses a value other than null.
    ///
    /// # Errors
    /// The reason why the value is invalid, for the caller.
    fn parse(value: &Value) -> Result<Self, String>;

    /// Returns the value of an absent field, or `None` if the field is required.
    fn absent() -> Option<Self> {
        None
    }

    /// Returns the value of a field that is null, or `None` if the field is required. Null counts as absent, unless
    /// the type distinguishes null from an absent field.
    fn null() -> Option<Self> {
        Self::absent()
    }
}

/// An optional field.
impl<T: BodyField> BodyField for Option<T> {
    fn parse(value: &Value) -> Result<Self, String> {
        T::parse(value).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A field that replaces a value. An absent field keeps the value (`None`), and null replaces it by the type's default
/// value.
#[derive(Clone, Debug)]
pub struct Replacement<T>(pub Option<T>);

impl<T: BodyField + Default> BodyField for Replacement<T> {
    fn parse(value: &Value) -> Result<Self, String> {
        T::parse(value).map(|value| Self(Some(value)))
    }

    fn absent() -> Option<Self> {
        Some(Self(None))
    }

    fn null() -> Option<Self> {
        Some(Self(Some(T::default())))
    }
}

impl<E: WireEnum> BodyField for E {
    fn parse(value: &Value) -> Result<Self, String> {
        let variant = whole_number(value).and_then(E::from_wire);
        variant.ok_or_else(|| format!("must be one of {}", E::legend()))
    }
}

impl BodyField for String {
    fn parse(value: &Value) -> Result<Self, String> {
        read_text(value).map(str::to_owned)
    }
}

impl BodyField for bool {
    fn parse(value: &Value) -> Result<Self, String> {
        value
            .as_bool()
            .ok_or_else(|| "must be true or false".to_owned())
    }
}

/// Implements [`BodyField`] for types that are strings in JSON and have a fallible constructor.
macro_rules! text_fields {
    ($($type:ty),+) => {
        $(impl BodyField for $type {
            fn parse(value: &Value) -> Result<Self, String> {
                Self::new(read_text(value)?).map_err(str::to_owned)
            }
        })+
    };
}

text_fields!(
    EmailAddress,
    LocaleCode,
    Notes,
    TimeZone,
    TrackerToken,
    Username
);

impl BodyField for PartialDate {
    fn parse(value: &Value) -> Result<Self, String> {
        Self::parse(value.as_str().unwrap_or_default()).map_err(str::to_owned)
    }
}

/// Implements [`BodyField`] for types that are whole numbers in JSON.
macro_rules! number_fields {
    ($($type:ty, $range:expr, $new:expr);+) => {
        $(impl BodyField for $type {
            fn parse(value: &Value) -> Result<Self, String> {
                let number = whole_number(value).filter(|number| $range.contains(number));
                number.and_then($new).ok_or_else(|| out_of_range(&$range))
            }
        })+
    };
}

number_fields!(
    u32, 0..=u64::from(u32::MAX), |number| Self::try_from(number).ok();
    u64, 0..=MAX_SAFE_INTEGER, Some;
    NonZeroU64, 1..=MAX_SAFE_INTEGER, Self::new;
    AnimeId, 1..=Self::MAX, Self::new;
    UserId, 1..=Self::MAX, Self::new
);

/// Returns the whole number in a value; `None` for any other value. The callers check its range. A number with a
/// fraction of zero, such as `3.0`, counts as a whole number if it is below 2^48: JSON Schema does not distinguish
/// `3.0` from `3`, and some languages write every number with a fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number in the range of a u64 once it is checked"
)]
fn whole_number(value: &Value) -> Option<u64> {
    let with_fraction = || {
        let number = value.as_f64()?;
        let is_whole = number.fract() == 0.0 && (0.0..MAX_EXACT).contains(&number);
        is_whole.then_some(number as u64)
    };
    value.as_u64().or_else(with_fraction)
}

/// The limit for numbers with a fraction: 2^48. `serde_json` may round such a number slightly wrong, but below this
/// limit the result is not a different whole number.
const MAX_EXACT: f64 = 281_474_976_710_656.0;

fn read_text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| "must be a string".to_owned())
}

/// A request body with a fixed set of fields. [`body!`](crate::body) implements it.
pub trait Body: Sized {
    /// The names of the fields.
    const NAMES: &'static [&'static str];

    /// Reads all fields. Returns `None` if any of them is invalid; `fields` then holds the errors.
    fn read(fields: &mut Fields) -> Option<Self>;
}

/// Parses a value that is an object, as the body `B`.
///
/// # Errors
/// The reasons for all fields that are invalid, in the order of their names in `B`.
pub fn parse_nested<B: Body>(value: &Value) -> Result<B, String> {
    let mut fields = Fields::of(value).ok_or("must be an object")?;
    let body = B::read(&mut fields);
    let reason = |name: &&str| Some(format!("{name} {}", fields.errors.get(name)?));
    let reasons: Vec<String> = B::NAMES.iter().filter_map(reason).collect();
    body.ok_or_else(|| reasons.join("; "))
}

/// Declares a request body once: the type, its schema in the OpenAPI document and its parser.
///
/// Such a body can also be a field of another body. The type of a field determines which values are valid
/// ([`BodyField`]). A field is required unless its type has a value for an absent field, as `Option` and
/// [`Replacement`] have.
#[macro_export]
macro_rules! body {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty),+ $(,)?
        }
    ) => {
        #[derive(utoipa::ToSchema)]
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$field_meta])* $field: $type),+
        }

        impl $crate::input::Body for $name {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),+];

            fn read(fields: &mut $crate::input::Fields) -> Option<Self> {
                // All fields are read before the first `?`, so that all errors are collected.
                $(let $field = fields.read(stringify!($field));)+
                Some(Self { $($field: $field?),+ })
            }
        }

        impl $crate::input::BodyField for $name {
            fn parse(value: &$crate::input::JsonValue) -> Result<Self, String> {
                $crate::input::parse_nested(value)
            }
        }
    };
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
            Ok(Value::Object(fields)) => Ok(fields.into()),
            Ok(_) => Err("The body is JSON but not an object. Send a JSON object."),
            Err(_) => Err("The body is not valid JSON. Send a JSON object."),
        }
    }

    /// Returns the fields of a JSON value; `None` if it is not an object.
    pub fn of(value: &Value) -> Option<Self> {
        value.as_object().cloned().map(Self::from)
    }

    /// Returns true if the field is present and not null.
    pub fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|value| !value.is_null())
    }

    /// Reads a field. Returns `None` if it is invalid, or absent although it is required.
    pub fn read<T: BodyField>(&mut self, name: &'static str) -> Option<T> {
        let parsed = match self.fields.get(name) {
            None => T::absent().ok_or_else(|| REQUIRED.to_owned()),
            Some(Value::Null) => T::null().ok_or_else(|| REQUIRED.to_owned()),
            Some(value) => T::parse(value),
        };
        parsed.map_err(|reason| self.fail(name, reason)).ok()
    }

    /// Reads a required string and parses it with `parse`. Returns `None` if it is absent or invalid.
    pub fn read_with<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        let text: String = self.read(name)?;
        parse(&text).map_err(|reason| self.fail(name, reason)).ok()
    }

    /// Adds an error. Only the first error of each field is kept.
    pub fn fail(&mut self, name: &'static str, reason: impl Into<String>) {
        self.errors.entry(name).or_insert_with(|| reason.into());
    }

    /// Adds an error for each field that belongs in the object `B` in the field `parent`. Such a field would be ignored
    /// otherwise, as all unknown fields are.
    pub fn refuse_misplaced<B: Body>(&mut self, parent: &str) {
        for name in B::NAMES {
            if self.has(name) {
                let example = format!("{{\"{parent}\": {{\"{name}\": ...}}}}");
                self.fail(name, format!("must be in {parent}: {example}"));
            }
        }
    }

    /// Reads all fields of a body and finishes parsing.
    pub fn body<B: Body>(mut self) -> Result<B> {
        let body = B::read(&mut self);
        self.finish(body)
    }

    /// Finishes parsing and returns `parsed`. It may be `None` only if a field is invalid.
    ///
    /// # Errors
    /// [`Error::Invalid`] with all errors that were found.
    pub fn finish<T>(self, parsed: Option<T>) -> Result<T> {
        if !self.errors.is_empty() {
            return Err(Error::Invalid(self.errors));
        }
        parsed.ok_or_else(|| Error::internal("an invalid field has no error"))
    }
}
