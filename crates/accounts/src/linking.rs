//! Links a user's account at a tracker (docs/trackers.md, "Linking").

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::Error;
use shared::auth::{Credential, Sealer};
use shared::clock::Clock;
use shared::models::{TrackerName, UserId};
use shared::random::Random;
use shared::visible::{is_hidden, is_visible};
use store::{Link, LinkStore, NewLink};
use trackers::{Cause, Tokens, Tracker, TrackerError, Trackers, Viewer};

/// A user can allow the connection for this long, in seconds: 10 minutes.
const STATE_S: u64 = 10 * 60;

/// The time for all calls to the tracker, in milliseconds: 5 seconds. It is shorter than the deadline of a
/// request ([`shared::http::layers::DEADLINE`]), because the result must still be written.
const PATIENCE_MS: u64 = 5_000;

/// The value of `Retry-After` if the tracker does not state one, in seconds.
const AGAIN_S: u64 = 30;

/// Characters of PKCE's code verifier, which has 43 to 128 (RFC 7636, section 4.1).
const VERIFIER: usize = 64;

/// The most characters of an account's name that are stored. Both trackers allow fewer.
const MAX_NAME: usize = 64;

/// The longest URL of an account's image, in bytes.
const MAX_AVATAR: usize = 2048;

/// The reason why an account at a tracker is not linked.
#[derive(Debug)]
pub enum NotLinked {
    /// The tracker is not enabled on this server.
    Off,
    /// The link was not begun in this session and at this tracker, or more than 10 minutes ago.
    NotBegun,
    /// The user did not allow the connection at the tracker.
    Denied,
    /// The tracker refuses the code or the token.
    Refused,
    /// The token belongs to another account.
    OtherAccount,
    /// The tracker refuses the service's own client. Only the operator can fix that.
    Misconfigured,
    /// The tracker does not respond, or its limits allow no call now. The duration is the wait that it asks
    /// for, if any.
    Later(Option<Duration>),
    /// An error that has nothing to do with the tracker.
    Fault(Error),
}

impl From<Error> for NotLinked {
    fn from(error: Error) -> Self {
        Self::Fault(error)
    }
}

/// Logs the error as well. It consists of fixed words, so it is safe to log.
impl From<TrackerError> for NotLinked {
    fn from(error: TrackerError) -> Self {
        if error.detail().cause() == Cause::ClientRefused {
            tracing::error!(%error, "a tracker refuses the configured client");
            return Self::Misconfigured;
        }
        tracing::warn!(%error, "an account at a tracker was not linked");
        match error {
            TrackerError::Final(_) | TrackerError::Reconnect(_) => Self::Refused,
            TrackerError::Later { after, .. } => Self::Later(after),
        }
    }
}

/// The error for a caller of the API that has sent an account's identifier and token.
impl From<NotLinked> for Error {
    fn from(reason: NotLinked) -> Self {
        let seconds = |time: Duration| time.as_secs() + u64::from(time.subsec_nanos() > 0);
        let after = |time: Option<Duration>| time.map_or(AGAIN_S, seconds);
        match reason {
            NotLinked::Off => Self::invalid(
                "tracker_a_id",
                "cannot be linked: AniList is not enabled on this server",
            ),
            NotLinked::OtherAccount => Self::invalid(
                "tracker_a_id",
                "must be the account that the token belongs to",
            ),
            NotLinked::NotBegun | NotLinked::Denied | NotLinked::Refused => Self::invalid(
                "tracker_a_token",
                "is refused by AniList; request a new token",
            ),
            NotLinked::Misconfigured => Self::TrackerUnavailable(after(None)),
            NotLinked::Later(time) => Self::TrackerUnavailable(after(time)),
            NotLinked::Fault(error) => error,
        }
    }
}

/// The parameters with which a tracker sends a user back (RFC 6749, section 4.1.2).
#[derive(Clone, Default)]
pub struct Returned {
    /// The state that the user was sent there with.
    pub state: String,
    /// The authorization code, if the user has allowed the connection.
    pub code: Option<String>,
    /// The reason why there is no code.
    pub error: Option<String>,
}

/// Keeps state and code out of every log.
impl std::fmt::Debug for Returned {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Returned")
    }
}

/// The content of the state parameter, encrypted. The user brings it back, so the server stores nothing.
#[derive(Serialize, Deserialize)]
struct Begun {
    tracker: TrackerName,
    /// PKCE's code verifier; empty at tracker A, which does not support PKCE.
    verifier: String,
    /// The end of its validity, in seconds since the Unix epoch.
    ends_at: u64,
}

/// Encrypts the tokens of a user's account at a tracker.
///
/// # Errors
/// [`Error::Unavailable`] when no key can be read.
pub async fn seal_tokens(
    sealer: &Sealer,
    user: UserId,
    tracker: TrackerName,
    tokens: &Tokens,
) -> Result<String, Error> {
    let json = serde_json::to_string(tokens);
    let json = json.map_err(|_| Error::internal("tokens that cannot be written as JSON"))?;
    sealer.seal(&place(user, tracker), &json).await
}

/// Decrypts the tokens of a link. Returns `None` when they were encrypted for another link, or with a key
/// that no longer exists.
///
/// # Errors
/// [`Error::Unavailable`] when no key can be read.
pub async fn open_tokens(sealer: &Sealer, link: &Link) -> Result<Option<Tokens>, Error> {
    let place = place(link.user_id, link.tracker);
    let json = sealer.open(&place, &link.tokens).await?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
}

fn place(user: UserId, tracker: TrackerName) -> String {
    format!("{tracker} tokens of user {}", user.get())
}

/// Binds the encrypted state to the session in which linking began. No other browser has that session, so an
/// attacker cannot make a user link the attacker's account (RFC 6749, section 10.12).
fn place_of_state(session: &Credential) -> String {
    format!("link of session {}", session.token_id)
}

/// Converts Base64 to its URL-safe alphabet (RFC 4648, section 5).
fn url_safe(sealed: &str) -> String {
    sealed.replace('+', "-").replace('/', "_")
}

/// The inverse of [`url_safe`].
fn from_url_safe(state: &str) -> String {
    state.replace('-', "+").replace('_', "/")
}

/// Links accounts at trackers.
#[derive(Debug)]
pub struct Linking {
    /// The trackers.
    pub trackers: Arc<Trackers>,
    /// The linked accounts.
    pub links: LinkStore,
    sealer: Sealer,
    clock: Clock,
    random: Random,
}

impl Linking {
    /// Creates it with these trackers and keys.
    #[must_use]
    pub fn new(
        trackers: Arc<Trackers>,
        links: LinkStore,
        sealer: Sealer,
        clock: Clock,
        random: Random,
    ) -> Self {
        Self {
            trackers,
            links,
            sealer,
            clock,
            random,
        }
    }

    /// Reads the keys, so that the first request need not wait for them.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when no key can be read.
    pub async fn warm(&self) -> Result<(), Error> {
        self.sealer.warm().await
    }

    /// Begins to link an account at a tracker. Returns the tracker's URL at which the user of this session
    /// allows the connection.
    ///
    /// # Errors
    /// [`NotLinked::Off`] or [`NotLinked::Fault`].
    pub async fn begin(
        &self,
        session: &Credential,
        name: TrackerName,
    ) -> Result<String, NotLinked> {
        let tracker = self.tracker(name).await?;
        let begun = Begun {
            tracker: name,
            verifier: match name {
                TrackerName::A => String::new(),
                TrackerName::B => self.random.alphanumeric(VERIFIER),
            },
            ends_at: self.clock.now_s() + STATE_S,
        };
        let json = serde_json::to_string(&begun).map_err(Error::internal)?;
        let sealed = self.sealer.seal(&place_of_state(session), &json).await?;
        Ok(tracker.authorize_url(&url_safe(&sealed), &begun.verifier))
    }

    /// Redeems the code with which a tracker has sent the user of this session back. Returns the new link.
    pub async fn finish(
        &self,
        session: &Credential,
        name: TrackerName,
        returned: &Returned,
    ) -> Result<NewLink, NotLinked> {
        let begun = self.begun(session, name, &returned.state).await?;
        // The state is checked first: without a valid one, the other parameters may come from an attacker.
        let (Some(code), None) = (&returned.code, &returned.error) else {
            return Err(NotLinked::Denied);
        };
        let tracker = self.tracker(name).await?;
        let deadline = self.deadline();
        let tokens = tracker.exchange(code, &begun.verifier, deadline).await?;
        let viewer = tracker.viewer(&tokens, deadline).await?;
        Ok(self.link(session.user_id, name, viewer, &tokens).await?)
    }

    /// Links an account at tracker A by its identifier and token, after the tracker has confirmed that they
    /// belong together.
    pub async fn by_token(
        &self,
        user: UserId,
        account: u64,
        token: &str,
    ) -> Result<NewLink, NotLinked> {
        let tracker = self.tracker(TrackerName::A).await?;
        let tokens = Tokens {
            access: token.to_owned(),
            refresh: None,
            expires_at: None,
        };
        let viewer = tracker.viewer(&tokens, self.deadline()).await?;
        if viewer.id != account {
            return Err(NotLinked::OtherAccount);
        }
        Ok(self.link(user, TrackerName::A, viewer, &tokens).await?)
    }

    async fn tracker(&self, name: TrackerName) -> Result<&Tracker, NotLinked> {
        self.trackers.get(name).await?.ok_or(NotLinked::Off)
    }

    /// Decrypts and checks the state: begun in this session, at this tracker, and not too long ago.
    async fn begun(
        &self,
        session: &Credential,
        name: TrackerName,
        state: &str,
    ) -> Result<Begun, NotLinked> {
        let place = place_of_state(session);
        let json = self.sealer.open(&place, &from_url_safe(state)).await?;
        let begun = json.and_then(|json| serde_json::from_str::<Begun>(&json).ok());
        let now = self.clock.now_s();
        let holds = |begun: &Begun| begun.tracker == name && begun.ends_at > now;
        begun.filter(holds).ok_or(NotLinked::NotBegun)
    }

    fn deadline(&self) -> u64 {
        self.clock.now_ms() + PATIENCE_MS
    }

    async fn link(
        &self,
        user: UserId,
        tracker: TrackerName,
        viewer: Viewer,
        tokens: &Tokens,
    ) -> Result<NewLink, Error> {
        let link = Link {
            user_id: user,
            tracker,
            link_id: self.random.short_id(),
            account: viewer.id,
            name: shown_name(&viewer),
            tokens: seal_tokens(&self.sealer, user, tracker, tokens).await?,
            is_refused: false,
            linked_at: self.clock.now_ms(),
            failures: 0,
            not_before: 0,
            report: None,
        };
        let avatar = viewer.avatar.filter(|avatar| avatar.len() <= MAX_AVATAR);
        Ok(NewLink { link, avatar })
    }
}

/// Returns the name of an account as pages show it: without hidden characters, or the account's identifier if
/// no visible character is left.
fn shown_name(viewer: &Viewer) -> String {
    let name = viewer.name.chars().filter(|c| !is_hidden(*c));
    let name: String = name.take(MAX_NAME).collect();
    if is_visible(&name) {
        name
    } else {
        viewer.id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Viewer, shown_name};

    #[test]
    fn names_of_accounts_are_shown_without_hidden_characters() {
        let shown = |name: &str| {
            shown_name(&Viewer {
                id: 7,
                name: name.to_owned(),
                avatar: None,
            })
        };
        assert_eq!(shown("mitsuha"), "mitsuha");
        assert_eq!(shown("mit\u{202e}su\u{fe0f}ha"), "mitsuha");
        assert_eq!(shown("\u{3164}\u{2800}"), "7");
        assert_eq!(shown(""), "7");
    }
}
