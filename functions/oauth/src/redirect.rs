//! Redirects that carry an authorization response to the application through the browser.

use accounts::applications::AuthorizationRequest;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use shared::http::response::{CACHE_NONE, NO_REFERRER};
use shared::{Error, Result};

use crate::parameters::encode;

/// A redirect to an application (RFC 6749, sections 4.1.2 and 4.2.2; RFC 9207).
pub(crate) struct ApplicationRedirect<'r> {
    pub redirect_uri: &'r str,
    /// True if the response goes into the fragment, which browsers do not send to servers. Always true for
    /// the implicit grant.
    pub in_fragment: bool,
    /// The client's `state`, percent-encoded.
    pub state: Option<&'r str>,
    /// The issuer: the public URL of this service.
    pub issuer: &'r str,
}

impl<'r> ApplicationRedirect<'r> {
    /// Creates the redirect that responds to an authorization request.
    pub fn of(request: &'r AuthorizationRequest, issuer: &'r str) -> Self {
        Self {
            redirect_uri: &request.redirect_uri,
            in_fragment: request.implicit || request.fragment,
            state: request.state.as_deref(),
            issuer,
        }
    }

    /// Redirects the browser with these parameters, and with `state` and `iss`. The status is always 303, so
    /// that the browser does not send the form on to the application (RFC 9700, section 4.12).
    pub fn respond_with(&self, parameters: &[(&str, &str)]) -> Result<Response> {
        let mut pairs: Vec<String> = parameters
            .iter()
            .map(|(name, value)| format!("{name}={}", encode(value.as_bytes())))
            .collect();
        pairs.extend(self.state.map(|state| format!("state={state}")));
        pairs.push(format!("iss={}", encode(self.issuer.as_bytes())));
        let separator = match (self.in_fragment, self.redirect_uri.contains('?')) {
            (true, _) => "#",
            (false, false) => "?",
            (false, true) if self.redirect_uri.ends_with(['?', '&']) => "",
            (false, true) => "&",
        };
        let location = format!("{}{separator}{}", self.redirect_uri, pairs.join("&"));
        let headers = [
            (
                header::LOCATION,
                HeaderValue::from_str(&location).map_err(Error::internal)?,
            ),
            (header::CACHE_CONTROL, CACHE_NONE),
            (header::REFERRER_POLICY, NO_REFERRER),
        ];
        Ok((StatusCode::SEE_OTHER, headers).into_response())
    }

    /// Returns an error to the application (RFC 6749, section 4.1.2.1).
    pub fn respond_with_error(&self, error: AuthorizationError) -> Result<Response> {
        let AuthorizationError(code, description) = error;
        self.respond_with(&[("error", code), ("error_description", description)])
    }
}

/// An authorization error: the OAuth code and a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AuthorizationError(pub &'static str, pub &'static str);
