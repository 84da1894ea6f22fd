//! The part that both adapters share: a tracker's URLs, the operator's client there, and requests to the
//! token endpoint.

use http_client::SetupError;
use reqwest::{Method, RequestBuilder, Url};
use shared::clock::Clock;

use super::config::{Config, parse_url};
use super::error::TrackerResult;
use super::pace::Waiter;
use super::tokens::{self, TrackerTokens};
use super::transport::{Call, Transport};

/// The URLs, client and transport of a tracker.
#[derive(Debug)]
pub(super) struct TrackerEndpoint {
    pub config: Config,
    pub api: Url,
    pub transport: Transport,
    authorize: Url,
    token: Url,
    clock: Clock,
}

impl TrackerEndpoint {
    /// Checks the URLs and builds the HTTP client. Returns `None` if no client is configured.
    pub(super) fn new(
        config: Config,
        clock: Clock,
        waiter: Waiter,
    ) -> Result<Option<Self>, SetupError> {
        if config.client_id.is_empty() {
            return Ok(None);
        }
        let api = parse_url("the API", &config.api)?;
        let authorize = parse_url("the authorization page", &config.authorize)?;
        let token = parse_url("the token endpoint", &config.token)?;
        let (limits, timeouts) = (config.limits.clone(), config.timeouts.clone());
        let transport = Transport::new(limits, timeouts, clock.clone(), waiter)?;
        Ok(Some(Self {
            config,
            api,
            transport,
            authorize,
            token,
            clock,
        }))
    }

    /// Returns the URL of the page on which a user allows the connection (RFC 6749, section 4.1.1).
    /// `extra_parameters` are parameters that only one of the trackers needs.
    pub(super) fn authorize_url(&self, state: &str, extra_parameters: &[(&str, &str)]) -> String {
        let mut url = self.authorize.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.config.client_id)
            .append_pair("redirect_uri", &self.config.redirect_uri)
            .append_pair("state", state)
            .extend_pairs(extra_parameters);
        url.into()
    }

    /// Requests tokens from the token endpoint. `fill` adds the body with the grant to the request. `old` are the
    /// tokens that a refresh replaces.
    pub(super) async fn request_tokens(
        &self,
        call: Call,
        old: Option<&TrackerTokens>,
        fill: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> TrackerResult<TrackerTokens> {
        let request = fill(self.transport.request(Method::POST, self.token.clone()));
        let response = self.transport.send(call, request).await?;
        if let Some(refusal) = tokens::read_refusal(call.name, &response) {
            return Err(refusal);
        }
        let response = self.transport.check_status(call, response)?;
        call.check(TrackerTokens::read(&response.body, self.clock.now_s(), old))
    }
}
