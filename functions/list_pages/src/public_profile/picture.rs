//! The picture of a user, at `/user/{name}/picture`.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use pages::error::PageResult;
use pages::sessions::Visitor;
use shared::http::response::{CACHE_NONE, NO_SNIFFING};
use shared::input::Params;

use super::{NO_PROFILE, ProfileName};
use crate::state::ListState;

/// `Cache-Control` of an address that names the present picture. It changes with the picture. Shared caches do not keep
/// it, because the profile may become private.
const CACHE_PRIVATE: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");

/// The policy of a file that a user has uploaded: should a browser take it for a document, it may do nothing.
const SANDBOX: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

/// `GET /user/{name}/picture`: the picture, if the profile is public or belongs to the visitor.
pub(crate) async fn show(
    State(state): State<Arc<ListState>>,
    visitor: Visitor,
    ProfileName(name): ProfileName,
    RawQuery(query): RawQuery,
) -> PageResult {
    let signed_in = state.sessions.find_if_readable(&visitor).await;
    let visitor_id = signed_in.map(|user| user.account.user.id);
    let found = state
        .public_profiles
        .find_picture(name.as_ref(), visitor_id);
    let picture = found.await?.ok_or(NO_PROFILE)?;
    let mut params = Params::parse(query.as_deref().unwrap_or_default());
    // The digest of what is sent, which can be older or newer than the account that was read before.
    let is_current = params.token("v") == Some(picture.digest());
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(picture.format.media_type()),
        ),
        (header::CONTENT_SECURITY_POLICY, SANDBOX),
        (header::X_CONTENT_TYPE_OPTIONS, NO_SNIFFING),
        (
            header::CACHE_CONTROL,
            if is_current {
                CACHE_PRIVATE
            } else {
                CACHE_NONE
            },
        ),
    ];
    Ok((StatusCode::OK, headers, picture.bytes).into_response())
}
