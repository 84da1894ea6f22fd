//! Errors. The policy: a caller's mistake is named so that the caller can mend it; what is ours
//! goes to the log, and the caller gets one fixed sentence.

use std::collections::BTreeMap;
use std::fmt;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::envelope::Envelope;
use crate::store::StoreError;

/// From the name of a field or parameter to what is wrong with it.
pub type FieldErrors = BTreeMap<&'static str, String>;

/// What an endpoint answers when it does not answer with a resource.
#[derive(Debug)]
pub enum ApiError {
    /// 400: parameters or fields that cannot be taken, each with its reason.
    Invalid(FieldErrors),
    /// 404: no resource has this identifier. Holds the message, as "Anime not found".
    NotFound(&'static str),
    /// 404: no endpoint has this path.
    UnknownPath,
    /// 405: the path exists, the method does not. Holds the value of `Allow`; where there is
    /// none, the router adds its own.
    MethodNotAllowed(Option<HeaderValue>),
    /// 503: DynamoDB is out of reach or throttles.
    Unavailable(StoreError),
    /// 500: a fault of ours. The detail is for the log alone.
    Internal(String),
}

impl ApiError {
    /// A fault of ours.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(detail.to_string())
    }

    /// Status and message of each error: the one place that says so.
    fn outside(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Invalid(_) => (StatusCode::BAD_REQUEST, "Invalid parameters"),
            Self::NotFound(message) => (StatusCode::NOT_FOUND, message),
            Self::UnknownPath => (StatusCode::NOT_FOUND, "Not found"),
            Self::MethodNotAllowed(_) => (StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"),
            Self::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "Service unavailable"),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "Internal server error"),
        }
    }
}

/// What `data` holds on an error: a sentence, or for bad fields an object from name to reason.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ErrorData {
    /// What to mend, as a sentence.
    Sentence(&'static str),
    /// From the name of a parameter to what is wrong with it.
    Fields(BTreeMap<&'static str, String>),
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, message) = self.outside();
        let mut allow = None;
        let data = match self {
            Self::Invalid(fields) => ErrorData::Fields(fields),
            Self::NotFound(_) => ErrorData::Sentence("Nothing has this identifier."),
            Self::UnknownPath => {
                ErrorData::Sentence("No endpoint has this path. GET / says where the reference is.")
            }
            Self::MethodNotAllowed(methods) => {
                allow = methods;
                ErrorData::Sentence("This path does not take this method: see the header Allow.")
            }
            Self::Unavailable(error) => {
                tracing::warn!(%error, "the store is out of reach");
                ErrorData::Sentence("The catalogue is out of reach for the moment: try again.")
            }
            Self::Internal(error) => {
                tracing::error!(error, "internal error");
                ErrorData::Sentence("The fault is ours, and it has been logged.")
            }
        };
        let mut response = Envelope::with_status(status, message, data).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if let Some(allow) = allow {
            headers.insert(header::ALLOW, allow);
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(error),
            StoreError::Fault(_) => Self::internal(error),
        }
    }
}
