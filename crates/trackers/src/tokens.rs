//! The tokens of a user at a tracker, and how an answer gives them (RFC 6749, section 5).

use std::fmt;

use reqwest::RequestBuilder;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{Cause, Detail, TrackerError};
use super::transport::Answer;

/// How long before its end a token counts as ended, in seconds.
pub const EARLY_S: u64 = 60;

/// What a user's calls are made with. It is stored sealed ([`shared::auth::Sealer`]).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The token that goes with each call.
    pub access: String,
    /// What gets the next one, where the tracker has such a thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// When the token ends, in seconds since the Unix epoch, where the tracker says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    token_type: Option<String>,
    refresh_token: Option<String>,
    /// Any type: the tokens of this answer are the only ones that hold now, and too good to lose for
    /// it. Without their end they are used until they are refused.
    expires_in: Option<Value>,
}

#[derive(Deserialize)]
struct Refused {
    error: String,
}

impl Tokens {
    /// Whether it is time for [`super::Tracker::refresh`].
    #[must_use]
    pub fn are_due(&self, now_s: u64) -> bool {
        let expires_at = self.expires_at;
        expires_at.is_some_and(|end| end <= now_s.saturating_add(EARLY_S))
    }

    /// Reads the answer of a token endpoint. `old` are the tokens that it replaces.
    ///
    /// # Errors
    /// What is wrong with the answer.
    pub fn read(body: &[u8], now_s: u64, old: Option<&Self>) -> Result<Self, &'static str> {
        let granted: Granted =
            serde_json::from_slice(body).map_err(|_| "an answer without tokens")?;
        let is_bearer = |name: &String| name.eq_ignore_ascii_case("bearer");
        if !granted.token_type.as_ref().is_none_or(is_bearer) {
            return Err("a token of another type");
        }
        let refresh = granted.refresh_token.filter(|token| !token.is_empty());
        if !is_token(&granted.access_token) || !refresh.as_deref().is_none_or(is_token) {
            return Err("a token that is none");
        }
        let lifetime = granted.expires_in.as_ref().and_then(Value::as_u64);
        Ok(Self {
            access: granted.access_token,
            refresh: refresh.or_else(|| old?.refresh.clone()),
            expires_at: lifetime.map(|seconds| now_s.saturating_add(seconds)),
        })
    }

    /// Puts the token on a call.
    pub(super) fn sign(
        &self,
        call: &'static str,
        request: RequestBuilder,
    ) -> Result<RequestBuilder, TrackerError> {
        let no_token = || TrackerError::Reconnect(Detail::new(call, Cause::NoToken));
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
impl fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Tokens")
            .field("can_refresh", &self.refresh.is_some())
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// What is wrong when a token endpoint refuses. A client that is refused is the operator's fault: no
/// user could mend it by connecting anew.
pub(super) fn refusal(call: &'static str, answer: &Answer) -> Option<TrackerError> {
    let refused = serde_json::from_slice::<Refused>(&answer.body).ok();
    match (
        answer.status,
        refused.as_ref().map(|body| body.error.as_str()),
    ) {
        (400 | 401, Some("invalid_client" | "unauthorized_client")) => {
            Some(TrackerError::later(call, Cause::ClientRefused))
        }
        (400, Some("invalid_grant")) => Some(TrackerError::Reconnect(Detail::new(
            call,
            Cause::Status(400),
        ))),
        _ => None,
    }
}

/// Visible characters alone (RFC 6749, appendix A.12), so that it can go into a header.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
