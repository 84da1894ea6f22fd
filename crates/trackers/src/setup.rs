//! The trackers that a deployment uses, and their settings, which come from environment variables and Secrets Manager.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use shared::auth::ReadSecret;
use shared::clock::Clock;
use shared::models::{PerTracker, TrackerName, WatchStatus, WireEnum};
use shared::{Error, Result};
use tokio::sync::OnceCell;

use super::config::Config;
use super::pace::Waiter;
use super::tracker::Tracker;

/// The source of the secrets of the operator's clients at the trackers.
#[derive(Clone)]
pub enum SecretSource {
    /// Secrets that the caller has already read.
    Fixed(ClientSecrets),
    /// A secret whose text is the JSON of [`ClientSecrets`].
    Secret(Arc<dyn ReadSecret>),
}

/// The secrets of the operator's clients at the trackers. As JSON: `{"tracker_a": "...", "tracker_b":
/// "..."}`. A missing secret reads as empty.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct ClientSecrets {
    /// The client's secret at tracker A.
    pub tracker_a: String,
    /// The client's secret at tracker B; empty for a public client.
    pub tracker_b: String,
}

shared::hide_values!(ClientSecrets);
shared::hide_values!(SecretSource);

impl SecretSource {
    async fn read(&self) -> Result<ClientSecrets> {
        match self {
            Self::Fixed(secrets) => Ok(secrets.clone()),
            Self::Secret(secret) => {
                let secrets = serde_json::from_str(&secret.read().await?);
                secrets.map_err(|_| {
                    Error::internal("the secrets of the trackers are not a JSON object")
                })
            }
        }
    }
}

/// The trackers of a deployment. A tracker without a client identifier is off. An adapter is built on first
/// use, so that cold starts wait neither for its secret nor for setting up TLS.
#[derive(Debug)]
pub struct Trackers {
    adapters: PerTracker<LazyTracker>,
    secrets: SecretSource,
    clock: Clock,
    waiter: Waiter,
}

/// The configuration of a tracker, and its adapter once it has been built.
#[derive(Debug)]
struct LazyTracker {
    config: Config,
    adapter: OnceCell<Tracker>,
}

impl Trackers {
    /// Creates the trackers with these configurations. Their secrets are read on first use.
    pub fn new(
        configs: PerTracker<Config>,
        secrets: SecretSource,
        clock: Clock,
        waiter: Waiter,
    ) -> Self {
        let lazy = |config| LazyTracker {
            config,
            adapter: OnceCell::new(),
        };
        Self {
            adapters: configs.map(lazy),
            secrets,
            clock,
            waiter,
        }
    }

    /// Creates trackers that are all off.
    pub fn off(clock: Clock) -> Self {
        let configs = PerTracker::from_fn(Config::of);
        let secrets = SecretSource::Fixed(ClientSecrets::default());
        Self::new(configs, secrets, clock, Waiter::Sleep)
    }

    /// Returns true if this tracker has a client identifier.
    pub fn is_on(&self, name: TrackerName) -> bool {
        !self.adapters[name].config.client_id.is_empty()
    }

    /// Returns the adapter to a tracker; `None` if the tracker is off.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if its secret cannot be read, [`Error::Internal`] if its configuration is invalid.
    pub async fn get(&self, name: TrackerName) -> Result<Option<&Tracker>> {
        if !self.is_on(name) {
            return Ok(None);
        }
        let lazy = &self.adapters[name];
        let build = || async {
            let secrets = self.secrets.read().await?;
            let client_secret = match name {
                TrackerName::A => secrets.tracker_a,
                TrackerName::B => secrets.tracker_b,
            };
            let config = Config {
                client_secret,
                ..lazy.config.clone()
            };
            let (clock, waiter) = (self.clock.clone(), self.waiter.clone());
            let adapter = Tracker::new(name, config, clock, waiter);
            let adapter = adapter.map_err(|error| Error::internal(format!("{name}: {error}")))?;
            adapter.ok_or_else(|| Error::internal("a tracker has no client identifier"))
        };
        lazy.adapter.get_or_try_init(build).await.map(Some)
    }
}

/// The error for an invalid environment variable.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{name} {reason}")]
pub struct SettingError {
    name: String,
    reason: &'static str,
}

/// Reads a tracker's configuration from environment variables. `read` returns the value of a variable.
///
/// `TRACKER_A_CLIENT_ID` turns tracker A on. `TRACKER_A_API_URL`, `TRACKER_A_AUTHORIZE_URL`, `TRACKER_A_TOKEN_URL`,
/// `TRACKER_A_CALLS_A_MINUTE`, `TRACKER_A_BETWEEN_WRITES_MS` (milliseconds), `TRACKER_A_TOKEN_REFUSED` and
/// `TRACKER_A_REWATCHED_AS` (`CURRENT` or `COMPLETED`) have defaults. Tracker B has the same variables with the
/// prefix `TRACKER_B_` (docs/trackers.md, "Configuration"). Tracker A ignores `REWATCHED_AS`, and tracker B ignores
/// `TOKEN_REFUSED`. The redirect URI is a path of the service at `public_url`.
///
/// # Errors
/// [`SettingError`] if a variable has an invalid value.
pub fn read_config(
    name: TrackerName,
    public_url: &str,
    read: impl Fn(&str) -> Option<String>,
) -> Result<Config, SettingError> {
    let mut config = Config::of(name);
    let key = |what: &str| format!("{}_{what}", name.key().to_uppercase());
    let text = |what: &str, into: &mut String| {
        if let Some(text) = read(&key(what)) {
            *into = text;
        }
    };
    text("CLIENT_ID", &mut config.client_id);
    text("API_URL", &mut config.api);
    text("AUTHORIZE_URL", &mut config.authorize);
    text("TOKEN_URL", &mut config.token);
    text("TOKEN_REFUSED", &mut config.token_refused);
    let number = |what: &str| read(&key(what)).map(|text| parse_positive(key(what), &text));
    if let Some(calls) = number("CALLS_A_MINUTE").transpose()? {
        config.limits.calls_a_minute = calls;
    }
    if let Some(ms) = number("BETWEEN_WRITES_MS").transpose()? {
        config.limits.between_writes = Duration::from_millis(ms.into());
    }
    if let Some(status) = read(&key("REWATCHED_AS")) {
        let possible = [WatchStatus::Current, WatchStatus::Completed];
        let status = WatchStatus::from_name(&status).filter(|status| possible.contains(status));
        config.rewatched_as = status.ok_or_else(|| SettingError {
            name: key("REWATCHED_AS"),
            reason: "must be CURRENT or COMPLETED",
        })?;
    }
    config.redirect_uri = format!("{public_url}{}", name.callback_path());
    Ok(config)
}

fn parse_positive(name: String, text: &str) -> Result<u32, SettingError> {
    let number = u32::from_str(text).ok().filter(|number| *number > 0);
    number.ok_or(SettingError {
        name,
        reason: "must be a whole number from 1",
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use super::read_config;
    use crate::Config;
    use shared::models::TrackerName;
    use shared::models::WatchStatus;

    const URL: &str = "https://kiroku.test";

    fn read(name: TrackerName, set: &[(&str, &str)]) -> Result<Config, String> {
        let set: HashMap<&str, &str> = set.iter().copied().collect();
        let read = |name: &str| set.get(name).map(|value| (*value).to_owned());
        read_config(name, URL, read).map_err(|error| error.to_string())
    }

    #[test]
    fn unset_variables_have_defaults() {
        for (name, letter) in [(TrackerName::A, 'a'), (TrackerName::B, 'b')] {
            let expected = Config {
                redirect_uri: format!("{URL}/profile/trackers/{letter}/callback"),
                ..Config::of(name)
            };
            assert_eq!(read(name, &[]), Ok(expected));
        }
    }

    #[test]
    fn each_tracker_reads_its_own_variables() {
        let set = [
            ("TRACKER_A_CLIENT_ID", "of a"),
            ("TRACKER_B_CLIENT_ID", "of b"),
            ("TRACKER_B_API_URL", "http://127.0.0.1:9/v2"),
            ("TRACKER_B_CALLS_A_MINUTE", "6"),
            ("TRACKER_B_BETWEEN_WRITES_MS", "250"),
            ("TRACKER_B_REWATCHED_AS", "CURRENT"),
        ];
        let a = read(TrackerName::A, &set).unwrap();
        assert_eq!(a.client_id, "of a");
        assert_eq!(a.api, Config::of(TrackerName::A).api);
        let b = read(TrackerName::B, &set).unwrap();
        assert_eq!((b.client_id.as_str(), b.limits.calls_a_minute), ("of b", 6));
        assert_eq!(b.api, "http://127.0.0.1:9/v2");
        assert_eq!(b.limits.between_writes, Duration::from_millis(250));
        assert_eq!(b.rewatched_as, WatchStatus::Current);
    }

    #[test]
    fn invalid_variable_is_named() {
        let number = "must be a whole number from 1";
        let status = "must be CURRENT or COMPLETED";
        for (name, value, expected) in [
            ("TRACKER_A_CALLS_A_MINUTE", "0", number),
            ("TRACKER_A_CALLS_A_MINUTE", "x", number),
            ("TRACKER_A_REWATCHED_AS", "PAUSED", status),
        ] {
            let error = read(TrackerName::A, &[(name, value)]).unwrap_err();
            assert_eq!(error, format!("{name} {expected}"));
        }
    }
}
