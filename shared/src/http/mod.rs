//! HTTP: extractors of request parts, the envelope, error responses, and the layers around every router.

mod base_path;
mod bearer;
pub mod body;
mod envelope;
mod error;
mod error_page;
pub mod event;
pub mod file;
pub mod layers;
pub mod openapi;
mod public_url;
pub mod response;
pub mod routing;

pub use base_path::{base_path, serve_below_base_path};
pub use bearer::OptionalBearer;
pub use envelope::{Envelope, JSON, VERSION};
pub use error::{
    ApiError, BODY_TOO_LARGE, DATABASE_UNAVAILABLE, ErrorData, ErrorText, INTERNAL_ERROR,
    SEND_FORM, WRONG_CREDENTIALS,
};
pub use error_page::{ErrorPage, FailedRequest, KnownAccount, PageAccount};
pub use public_url::{PublicUrl, check_public_url, normalize_public_url};
