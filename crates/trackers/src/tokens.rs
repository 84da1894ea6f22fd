//! The tokens of a user's account at a tracker, and the responses of token endpoints (RFC 6749, section 5).

use std::fmt;

use reqwest::RequestBuilder;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{Cause, TrackerError, TrackerResult};
use super::transport::TrackerResponse;

/// The time before their expiry at which tokens are refreshed, in seconds.
pub const REFRESH_EARLY_S: u64 = 60;

/// The tokens with which calls for a user are made. They are stored encrypted ([`shared::auth::Sealer`]).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackerTokens {
    /// The access token, which is sent with each call.
    pub access: String,
    /// The refresh token, if the tracker issues one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// The time at which the access token expires, in seconds since the Unix epoch, if the tracker states a lifetime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
}

/// A response of a token endpoint that contains tokens (RFC 6749, section 5.1).
#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    token_type: Option<String>,
    refresh_token: Option<String>,
    /// The lifetime in seconds. Any JSON type is accepted. These tokens may be the only valid tokens of the user,
    /// so a malformed lifetime must not make them unusable. Without a lifetime, they are used until the tracker
    /// refuses them.
    expires_in: Option<Value>,
}

/// A response of a token endpoint that contains an error (RFC 6749, section 5.2).
#[derive(Deserialize)]
struct TokenErrorResponse {
    error: String,
}

impl TrackerTokens {
    /// Returns true if the tokens expire within [`REFRESH_EARLY_S`] and must be refreshed
    /// ([`super::Tracker::refresh`]).
    pub fn are_due(&self, now_s: u64) -> bool {
        let expires_at = self.expires_at;
        expires_at.is_some_and(|end| end <= now_s.saturating_add(REFRESH_EARLY_S))
    }

    /// Reads the tokens in the response of a token endpoint. `old` are the tokens that they replace. If the response
    /// has no refresh token, the refresh token in `old` is kept.
    ///
    /// # Errors
    /// The reason why the response is malformed.
    pub fn read(body: &[u8], now_s: u64, old: Option<&Self>) -> Result<Self, &'static str> {
        let granted: TokenResponse =
            serde_json::from_slice(body).map_err(|_| "a response without tokens")?;
        let is_bearer = |name: &String| name.eq_ignore_ascii_case("bearer");
        if !granted.token_type.as_ref().is_none_or(is_bearer) {
            return Err("a token of another type");
        }
        let refresh = granted.refresh_token.filter(|token| !token.is_empty());
        if !is_token(&granted.access_token) || !refresh.as_deref().is_none_or(is_token) {
            return Err("an invalid token");
        }
        let lifetime = granted.expires_in.as_ref().and_then(Value::as_u64);
        Ok(Self {
            access: granted.access_token,
            refresh: refresh.or_else(|| old?.refresh.clone()),
            expires_at: lifetime.map(|seconds| now_s.saturating_add(seconds)),
        })
    }

    /// Adds the header `Authorization` with the access token to a request.
    pub(super) fn sign(
        &self,
        call: &'static str,
        request: RequestBuilder,
    ) -> TrackerResult<RequestBuilder> {
        let no_token = || TrackerError::reconnect(call, Cause::NoToken);
        if !is_token(&self.access) {
            return Err(no_token());
        }
        let mut bearer =
            HeaderValue::try_from(format!("Bearer {}", self.access)).map_err(|_| no_token())?;
        bearer.set_sensitive(true);
        Ok(request.header(AUTHORIZATION, bearer))
    }
}

/// Keeps the tokens out of every log.
impl fmt::Debug for TrackerTokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TrackerTokens")
            .field("can_refresh", &self.refresh.is_some())
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// Reads the error in the response of a token endpoint. Returns `None` if the error is neither about the client nor
/// about the grant. If the tracker refuses the client, only the operator can fix that, so the user is not asked to
/// link the account again.
pub(super) fn read_refusal(call: &'static str, response: &TrackerResponse) -> Option<TrackerError> {
    let refusal = serde_json::from_slice::<TokenErrorResponse>(&response.body).ok();
    let error = refusal.as_ref().map(|refusal| refusal.error.as_str());
    match (response.status, error) {
        (400 | 401, Some("invalid_client" | "unauthorized_client")) => {
            Some(TrackerError::later(call, Cause::ClientRefused))
        }
        (400, Some("invalid_grant")) => Some(TrackerError::reconnect(call, Cause::Status(400))),
        _ => None,
    }
}

/// Returns true if a text consists of visible ASCII characters and so can be sent in a header. RFC 6749,
/// appendix A.12, also allows spaces.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
