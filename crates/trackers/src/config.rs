//! What an operator can set of a tracker.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use shared::models::WatchStatus;

/// How often a tracker may be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Calls a minute, spaced evenly.
    pub calls_a_minute: u32,
    /// The least time between two writes.
    pub between_writes: Duration,
}

/// How long a call may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until there is a connection.
    pub connect: Duration,
    /// All of it, to the last byte of the answer.
    pub total: Duration,
}

/// Addresses, client and limits of a tracker.
#[derive(Clone, PartialEq, Eq)]
pub struct Config {
    /// The API: its one address at tracker A, what all paths begin with at tracker B.
    pub api: String,
    /// Where a user allows the connection.
    pub authorize: String,
    /// Where codes are redeemed.
    pub token: String,
    /// The client that the operator has registered. The tracker is off while it is empty.
    pub client_id: String,
    /// Its secret; empty where the client has none.
    pub client_secret: String,
    /// Where the tracker sends the user back to, as it is registered.
    pub redirect_uri: String,
    /// How often it may be asked.
    pub limits: Limits,
    /// How long a call may take.
    pub timeouts: Timeouts,
    /// What tracker A says with a status of 400 when it refuses a token. Seen, not documented.
    pub token_refused: String,
    /// The status under which tracker B is told that an anime is watched again. Seen, not documented.
    pub rewatched_as: WatchStatus,
}

/// What is wrong with a tracker's configuration.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// An address that a secret must not be sent to.
    #[error("{0} must be an https:// address without a user name")]
    Address(&'static str),
    /// The HTTP client could not be made.
    #[error("the HTTP client: {0}")]
    Client(#[from] reqwest::Error),
    /// TLS could not be set up.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
}

impl Config {
    /// `AniList`, with no client yet. Its documents allow 90 calls a minute, its servers 30.
    #[must_use]
    pub fn anilist() -> Self {
        Self {
            api: "https://graphql.anilist.co".to_owned(),
            authorize: "https://anilist.co/api/v2/oauth/authorize".to_owned(),
            token: "https://anilist.co/api/v2/oauth/token".to_owned(),
            ..Self::with_limits(30, Duration::ZERO)
        }
    }

    /// `MyAnimeList`, with no client yet. Its limits are not documented: these are careful ones.
    #[must_use]
    pub fn my_anime_list() -> Self {
        Self {
            api: "https://api.myanimelist.net/v2".to_owned(),
            authorize: "https://myanimelist.net/v1/oauth2/authorize".to_owned(),
            token: "https://myanimelist.net/v1/oauth2/token".to_owned(),
            ..Self::with_limits(60, Duration::from_secs(1))
        }
    }

    fn with_limits(calls_a_minute: u32, between_writes: Duration) -> Self {
        Self {
            api: String::new(),
            authorize: String::new(),
            token: String::new(),
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

    /// The three addresses, once they are known to be good.
    pub(super) fn addresses(&self) -> Result<[Url; 3], SetupError> {
        Ok([
            address("the API", &self.api)?,
            address("the authorization", &self.authorize)?,
            address("the token endpoint", &self.token)?,
        ])
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

/// Over plain HTTP a secret goes to nobody but this machine.
pub(super) fn address(name: &'static str, text: &str) -> Result<Url, SetupError> {
    let url = Url::parse(text).map_err(|_| SetupError::Address(name))?;
    let is_loopback = matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"));
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback);
    if is_safe && !names_a_user(&url) {
        Ok(url)
    } else {
        Err(SetupError::Address(name))
    }
}

/// Whether an address says whom to sign in as, which the client would send in the place of the token.
pub(super) fn names_a_user(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}
