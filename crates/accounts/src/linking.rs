//! Linking a user's account at a tracker.

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

/// How long a user has to allow a connection, in seconds.
const STATE_S: u64 = 10 * 60;

/// How long a tracker has to answer in all, in milliseconds: less than a request has
/// ([`shared::http::layers::DEADLINE`]), for what it says is still to be written.
const PATIENCE_MS: u64 = 5_000;

/// When to ask again a tracker that does not say, in seconds.
const AGAIN_S: u64 = 30;

/// Characters of PKCE's verifier, which has 43 to 128 (RFC 7636, section 4.1).
const VERIFIER: usize = 64;

/// The most characters that are kept of an account's name: both trackers allow fewer.
const MAX_NAME: usize = 64;

/// The longest address of an image.
const MAX_AVATAR: usize = 2048;

/// Why an account at a tracker is not linked.
#[derive(Debug)]
pub enum NotLinked {
    /// This service does not offer the tracker.
    Off,
    /// It was not begun in this session and at this tracker, or too long ago.
    NotBegun,
    /// It was not allowed at the tracker.
    Denied,
    /// The tracker refuses the code or the token.
    Refused,
    /// The token is that of another account.
    OtherAccount,
    /// The tracker refuses the service itself, which only its operator can mend.
    Misconfigured,
    /// The tracker does not answer, or may not be asked more: not before this time, where it says.
    Later(Option<Duration>),
    /// It has nothing to do with the tracker.
    Fault(Error),
}

impl From<Error> for NotLinked {
    fn from(error: Error) -> Self {
        Self::Fault(error)
    }
}

/// Logs it as well: it is made of fixed words.
impl From<TrackerError> for NotLinked {
    fn from(error: TrackerError) -> Self {
        if error.detail().cause() == Cause::ClientRefused {
            tracing::error!(%error, "a tracker refuses the client that is configured");
            return Self::Misconfigured;
        }
        tracing::warn!(%error, "an account at a tracker is not linked");
        match error {
            TrackerError::Final(_) | TrackerError::Reconnect(_) => Self::Refused,
            TrackerError::Later { after, .. } => Self::Later(after),
        }
    }
}

/// What a caller of the API is told who has sent an account's identifier and its token.
impl From<NotLinked> for Error {
    fn from(reason: NotLinked) -> Self {
        let seconds = |time: Duration| time.as_secs() + u64::from(time.subsec_nanos() > 0);
        let after = |time: Option<Duration>| time.map_or(AGAIN_S, seconds);
        match reason {
            NotLinked::Off => Self::invalid(
                "tracker_a_id",
                "cannot be linked: this service does not offer this tracker",
            ),
            NotLinked::OtherAccount => {
                Self::invalid("tracker_a_id", "must be the account that the token is for")
            }
            NotLinked::NotBegun | NotLinked::Denied | NotLinked::Refused => {
                Self::invalid("tracker_a_token", "is refused by the tracker")
            }
            NotLinked::Misconfigured => Self::TrackerUnavailable(after(None)),
            NotLinked::Later(time) => Self::TrackerUnavailable(after(time)),
            NotLinked::Fault(error) => error,
        }
    }
}

/// What a tracker sends a user back with (RFC 6749, section 4.1.2).
#[derive(Clone, Default)]
pub struct Returned {
    /// What they were sent there with.
    pub state: String,
    /// What the tokens can be had for, if they have allowed it.
    pub code: Option<String>,
    /// Why there is no code.
    pub error: Option<String>,
}

/// Keeps state and code out of every log.
impl std::fmt::Debug for Returned {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Returned")
    }
}

/// What a user is sent to a tracker with, sealed. They bring it back, so nothing has to be stored.
#[derive(Serialize, Deserialize)]
struct Begun {
    tracker: TrackerName,
    /// PKCE's; empty where the tracker has no such thing.
    verifier: String,
    /// When it is too late, in seconds since the Unix epoch.
    ends_at: u64,
}

/// Encrypts the tokens of a user's account at a tracker.
///
/// # Errors
/// When no key can be read.
pub async fn seal_tokens(
    sealer: &Sealer,
    user: UserId,
    tracker: TrackerName,
    tokens: &Tokens,
) -> Result<String, Error> {
    let json = serde_json::to_string(tokens);
    let json = json.map_err(|_| Error::internal("tokens that are no JSON"))?;
    sealer.seal(&place(user, tracker), &json).await
}

/// Decrypts the tokens of a link. `None` when they were encrypted for another, or under a key that is
/// gone.
///
/// # Errors
/// When no key can be read.
pub async fn open_tokens(sealer: &Sealer, link: &Link) -> Result<Option<Tokens>, Error> {
    let place = place(link.user_id, link.tracker);
    let json = sealer.open(&place, &link.tokens).await?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
}

fn place(user: UserId, tracker: TrackerName) -> String {
    format!("{tracker} tokens of user {}", user.get())
}

/// The place that a state is sealed for: the session that it was begun in, which no other browser has. So
/// nobody can be made to link another's account (RFC 6749, section 10.12).
fn place_of_state(session: &Credential) -> String {
    format!("link of session {}", session.token_id)
}

/// Base64 as it may stand in an address (RFC 4648, section 5).
fn url_safe(sealed: &str) -> String {
    sealed.replace('+', "-").replace('/', "_")
}

/// The inverse of [`url_safe`].
fn from_url_safe(state: &str) -> String {
    state.replace('-', "+").replace('_', "/")
}

/// What links accounts at trackers.
#[derive(Debug)]
pub struct Linking {
    /// The trackers.
    pub trackers: Arc<Trackers>,
    /// What is linked.
    pub links: LinkStore,
    sealer: Sealer,
    clock: Clock,
    random: Random,
}

impl Linking {
    /// With these trackers and keys.
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
    /// As [`Sealer::warm`].
    pub async fn warm(&self) -> Result<(), Error> {
        self.sealer.warm().await
    }

    /// Begins to link an account at a tracker. Answers the tracker's address where the user of this session
    /// allows it.
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

    /// The account at a tracker that has sent the user of this session back.
    ///
    /// # Errors
    /// [`NotLinked`].
    pub async fn finish(
        &self,
        session: &Credential,
        name: TrackerName,
        returned: &Returned,
    ) -> Result<NewLink, NotLinked> {
        let begun = self.begun(session, name, &returned.state).await?;
        // Only now: whatever else stands in the address may be anybody's.
        let (Some(code), None) = (&returned.code, &returned.error) else {
            return Err(NotLinked::Denied);
        };
        let tracker = self.tracker(name).await?;
        let deadline = self.deadline();
        let tokens = tracker.exchange(code, &begun.verifier, deadline).await?;
        let viewer = tracker.viewer(&tokens, deadline).await?;
        Ok(self.link(session.user_id, name, viewer, &tokens).await?)
    }

    /// An account at the first tracker by its identifier and token, once the tracker has said that they
    /// belong together.
    ///
    /// # Errors
    /// [`NotLinked`].
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

    /// What this session was sent to this tracker with, while it is not too late.
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

/// The name of an account as pages show it; its number where the name has nothing to see.
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
