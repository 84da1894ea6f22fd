//! Bodies of requests: JSON objects, parsed into typed values. As with [`crate::query`], every
//! fault is collected and named, and unknown fields are ignored. `null` is as good as absent.

use std::fmt;
use std::ops::RangeInclusive;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};

use crate::error::{ApiError, FieldErrors};
use crate::models::WireEnum;
use crate::query::Params;

/// The most bytes that a body may have.
pub const MAX_BODY: usize = 64 * 1024;

/// The fields of a body, and the faults found in them so far.
#[derive(Default)]
pub struct Fields {
    fields: Map<String, Value>,
    errors: FieldErrors,
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let is_json = has_media_type(request.headers(), "application/json");
        let body = read(request.into_body()).await?;
        if !is_json {
            return Err(ApiError::UnsupportedMediaType);
        }
        Self::parse(&body)
    }
}

/// What a page's form sent.
#[derive(Clone, Default)]
pub struct Form(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let is_form = has_media_type(request.headers(), FORM);
        let body = read(request.into_body()).await?;
        if !is_form {
            return Err(ApiError::NoForm);
        }
        Self::parse(&body)
    }
}

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
    /// [`ApiError::MalformedBody`] for what is no text.
    pub fn parse(body: &[u8]) -> Result<Self, ApiError> {
        let form = std::str::from_utf8(body)
            .map_err(|_| ApiError::MalformedBody("The form is not UTF-8."))?;
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

/// What a form sends.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// A required field, after [`Fields::finish`] has made sure that it is there.
///
/// # Errors
/// [`ApiError::Internal`] where nothing was made sure of.
pub fn present<T>(value: Option<T>) -> Result<T, ApiError> {
    value.ok_or_else(|| ApiError::internal("a field that was required is not there"))
}

/// Whether the body says that it is of this type (RFC 9110, section 8.3.1).
#[must_use]
pub fn has_media_type(headers: &HeaderMap, wanted: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(wanted))
}

/// The whole of a body.
///
/// # Errors
/// [`ApiError::PayloadTooLarge`] beyond [`MAX_BODY`], [`ApiError::MalformedBody`] when it breaks off.
pub async fn read(body: Body) -> Result<bytes::Bytes, ApiError> {
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::PayloadTooLarge),
        Err(_) => Err(ApiError::MalformedBody(
            "The body ended before it was whole.",
        )),
    }
}

impl Fields {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// [`ApiError::MalformedBody`] for whatever is none.
    pub fn parse(body: &[u8]) -> Result<Self, ApiError> {
        if body.is_empty() {
            return Err(ApiError::MalformedBody(
                "The body is empty: send a JSON object.",
            ));
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self {
                fields,
                errors: FieldErrors::new(),
            }),
            Ok(_) => Err(ApiError::MalformedBody("The body is not a JSON object.")),
            Err(_) => Err(ApiError::MalformedBody("The body is not JSON.")),
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
    /// [`ApiError::Invalid`] with every fault that was found.
    pub fn finish(self) -> Result<(), ApiError> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(ApiError::Invalid(self.errors))
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
