//! The envelope of every JSON response (docs/api.md, "Response envelope").

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// The value of `version` in every envelope (docs/api.md, "Versioning").
pub const VERSION: &str = "1";

/// The envelope of every JSON response.
#[derive(Debug, Serialize, ToSchema)]
pub struct Envelope<T> {
    /// The HTTP status of the response.
    #[schema(example = 200)]
    pub status_code: u16,
    /// A short text about the result. It is fixed for each result, except for the greeting of `/v1/auth/me`.
    #[schema(value_type = String)]
    pub message: Cow<'static, str>,
    /// The resource, the list of resources, or the reason for an error.
    pub data: T,
    /// The version of the API, always "1".
    #[schema(example = "1")]
    pub version: &'static str,
}

impl<T: Serialize> Envelope<T> {
    /// Returns the envelope of a success, with status 200.
    pub fn ok(message: impl Into<Cow<'static, str>>, data: T) -> Self {
        Self::with_status(StatusCode::OK, message, data)
    }

    /// Returns an envelope with this status.
    pub fn with_status(status: StatusCode, message: impl Into<Cow<'static, str>>, data: T) -> Self {
        Self {
            status_code: status.as_u16(),
            message: message.into(),
            data,
            version: VERSION,
        }
    }
}

impl<T: Serialize> IntoResponse for Envelope<T> {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status_code).unwrap_or_default();
        let mut body = Vec::with_capacity(TYPICAL_SIZE);
        match serde_json::to_writer(&mut body, &self) {
            Ok(()) => (status, [(header::CONTENT_TYPE, JSON)], body).into_response(),
            Err(error) => {
                tracing::error!(%error, "cannot serialize the response");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }
}

/// The initial size of the buffer for an envelope, in bytes. Most envelopes with one resource fit.
const TYPICAL_SIZE: usize = 4096;

/// The content type of every envelope.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
