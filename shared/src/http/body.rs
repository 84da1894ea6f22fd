//! Extractors for request bodies: JSON objects and forms.

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::ApiError;
use super::error::{BODY_TOO_LARGE, FILE_TOO_LARGE, SEND_FORM, SEND_JSON};
use crate::input::{Fields, Form};

/// The maximum size of a request body, in bytes: 64 KB (docs/api.md, "Request bodies").
pub const MAX_BODY: usize = 64 * 1024;

/// The maximum size of a list file in a request, in bytes: 5 MB.
pub const MAX_LIST_FILE: usize = 5 * 1024 * 1024;

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let body = read_typed(request, "application/json", SEND_JSON).await?;
        Self::parse(&body).map_err(ApiError::MalformedBody)
    }
}

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let body = read_typed(request, FORM_MEDIA_TYPE, SEND_FORM).await?;
        Self::parse(&body).map_err(ApiError::MalformedBody)
    }
}

/// Reads a body that must have this media type. `other_type` is the sentence for a body with another media type.
async fn read_typed(
    request: Request,
    media_type: &str,
    other_type: &'static str,
) -> Result<bytes::Bytes, ApiError> {
    let has_type = has_media_type(request.headers(), media_type);
    check_coding(request.headers())?;
    let body = read(request.into_body()).await?;
    has_type
        .then_some(body)
        .ok_or(ApiError::UnsupportedMediaType(other_type))
}

/// The media type of a submitted form.
pub const FORM_MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// Returns true if `Content-Type` names this media type. Its parameters are ignored (RFC 9110, section 8.3.1).
pub fn has_media_type(headers: &HeaderMap, wanted: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(wanted))
}

/// Checks that the body is not compressed. Only list files may be compressed, and their content shows it.
///
/// # Errors
/// [`ApiError::UnsupportedCoding`] if `Content-Encoding` names a coding.
pub fn check_coding(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let is_plain = |coding: &HeaderValue| {
        let coding = coding.as_bytes();
        coding.is_empty() || coding.eq_ignore_ascii_case(b"identity")
    };
    if codings.all(is_plain) {
        Ok(())
    } else {
        Err(ApiError::UnsupportedCoding)
    }
}

/// Reads a whole body.
///
/// # Errors
/// [`ApiError::PayloadTooLarge`] if the body is longer than [`MAX_BODY`]; [`ApiError::MalformedBody`] if it ends early.
pub async fn read(body: Body) -> Result<bytes::Bytes, ApiError> {
    read_limited(body, MAX_BODY, BODY_TOO_LARGE).await
}

/// Reads the body of a request that consists of a list file.
///
/// # Errors
/// As [`read`], but with the limit [`MAX_LIST_FILE`].
pub async fn read_file(body: Body) -> Result<bytes::Bytes, ApiError> {
    read_limited(body, MAX_LIST_FILE, FILE_TOO_LARGE).await
}

/// Reads a body of at most `limit` bytes.
///
/// # Errors
/// [`ApiError::PayloadTooLarge`] with the text `too_large` if the body is longer than `limit`;
/// [`ApiError::MalformedBody`] if it ends early.
pub async fn read_limited(
    body: Body,
    limit: usize,
    too_large: &'static str,
) -> Result<bytes::Bytes, ApiError> {
    // A client that waits for "100 Continue" gets the error before it sends such a body.
    if body.size_hint().lower() > limit as u64 {
        return Err(ApiError::PayloadTooLarge(too_large));
    }
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::PayloadTooLarge(too_large)),
        Err(_) => Err(ApiError::MalformedBody(
            "The body ended early. Send the whole request again.",
        )),
    }
}
