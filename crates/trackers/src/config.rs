//! The settings of a tracker (docs/trackers.md, "Configuration").

use std::fmt;
use std::time::Duration;

use http_client::SetupError;
use reqwest::Url;
use shared::models::{TrackerName, WatchStatus};

/// The rate limits of calls to a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of calls a minute. They are spaced evenly.
    pub calls_a_minute: u32,
    /// The minimum time from one write to the next.
    pub between_writes: Duration,
}

/// The limits on the duration of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The maximum time to open a connection.
    pub connect: Duration,
    /// The maximum time for the whole call, to the last byte of the response.
    pub total: Duration,
}

/// The URLs, client and limits of a tracker.
#[derive(Clone, PartialEq, Eq)]
pub struct Config {
    /// URL of the API. Tracker A has a single endpoint. At tracker B, the URL is the base of all paths.
    pub api: String,
    /// URL of the page on which a user allows the connection.
    pub authorize: String,
    /// URL of the token endpoint.
    pub token: String,
    /// The identifier of the client that the operator has registered. The tracker is off while it is empty.
    pub client_id: String,
    /// The client's secret; empty for a public client.
    pub client_secret: String,
    /// The redirect URI that is registered for the client: the tracker redirects the user there.
    pub redirect_uri: String,
    /// The rate limits.
    pub limits: Limits,
    /// The limits on the duration of a call.
    pub timeouts: Timeouts,
    /// The error message with which tracker A refuses a token. It counts as status 401, whatever the status
    /// of the response is. AniList does not document the message. Tracker B ignores this setting.
    pub token_refused: String,
    /// The status that is sent to tracker B for an anime that is being watched again: COMPLETED or CURRENT.
    /// MyAnimeList does not document which it expects. Tracker A ignores this setting.
    pub rewatched_as: WatchStatus,
}

impl Config {
    /// Returns the defaults for a tracker, without a client. AniList's documentation states 90 calls a minute, but its
    /// servers allow 30. MyAnimeList's limits are not documented, so the default limits are cautious.
    pub fn of(name: TrackerName) -> Self {
        let ([api, authorize, token], calls_a_minute, between_writes) = match name {
            TrackerName::A => (
                [
                    "https://graphql.anilist.co",
                    "https://anilist.co/api/v2/oauth/authorize",
                    "https://anilist.co/api/v2/oauth/token",
                ],
                30,
                Duration::ZERO,
            ),
            TrackerName::B => (
                [
                    "https://api.myanimelist.net/v2",
                    "https://myanimelist.net/v1/oauth2/authorize",
                    "https://myanimelist.net/v1/oauth2/token",
                ],
                60,
                Duration::from_secs(1),
            ),
        };
        Self {
            api: api.to_owned(),
            authorize: authorize.to_owned(),
            token: token.to_owned(),
            client_id: String::new(),
            client_secret: String::new(),
            redirect_uri: String::new(),
            limits: Limits {
                calls_a_minute,
                between_writes,
            },
            timeouts: Timeouts {
                connect: Duration::from_secs(5),
                total: Duration::from_secs(30),
            },
            token_refused: "Invalid token".to_owned(),
            rewatched_as: WatchStatus::Completed,
        }
    }
}

/// Keeps the client's secret out of every log.
impl fmt::Debug for Config {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Config")
            .field("api", &self.api)
            .field("client_id", &self.client_id)
            .field("limits", &self.limits)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

/// Parses a URL to which secrets are sent: HTTPS, or plain HTTP to a loopback address. `name` is the name of
/// the setting, for the error.
pub(super) fn parse_url(name: &'static str, text: &str) -> Result<Url, SetupError> {
    let url = Url::parse(text).map_err(|_| SetupError::Address(name))?;
    let is_loopback = matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"));
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback);
    if is_safe && !has_credentials(&url) {
        Ok(url)
    } else {
        Err(SetupError::Address(name))
    }
}

/// Returns true if a URL contains a user name or a password. The HTTP client would send them in a second header
/// `Authorization`.
pub(super) fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}
