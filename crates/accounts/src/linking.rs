//! Linking of a user's account at a tracker (docs/trackers.md, "Linking"). [`Linking::finish`] and
//! [`Linking::link_by_token`] return a [`NewLink`], which the caller writes with [`LinkStore::link`].

use std::sync::Arc;
use std::time::Duration;

use dynamo::Database;
use serde::{Deserialize, Serialize};
use shared::auth::{Credential, Sealer};
use shared::clock::Clock;
use shared::models::{TrackerName, UserId};
use shared::random::Random;
use shared::visible::{is_hidden, is_visible};
use shared::{Error, Result};
use trackers::{Cause, Tracker, TrackerError, TrackerTokens, Trackers, Viewer};

use crate::linked_accounts::{Link, LinkStore, NewLink};
use crate::sign_in::ceremony::{Ceremonies, CeremonyContext, CeremonyKind};

/// The time for all calls to the tracker within a request, in milliseconds: 5 seconds. It is shorter than the deadline
/// of the request ([`shared::http::layers::DEADLINE`]), because the link must still be written after the calls.
const TRACKER_CALLS_MS: u64 = 5_000;

/// The value of `Retry-After` if the tracker does not state how long to wait, in seconds.
const DEFAULT_RETRY_AFTER_S: u64 = 30;

/// The length of the PKCE verifier, in characters. RFC 7636, section 4.1, allows 43 to 128.
const VERIFIER_LENGTH: usize = 64;

/// The maximum number of characters of an account's name that are stored. Both trackers allow only shorter names.
const MAX_ACCOUNT_NAME: usize = 64;

/// The maximum length of the URL of an account's image, in bytes. A longer URL is ignored.
const MAX_AVATAR: usize = 2048;

/// The reason why an account at a tracker is not linked.
#[derive(Debug)]
pub enum NotLinked {
    /// The tracker is not enabled on this server.
    Off,
    /// The `state` is missing or malformed, was made in another session or for another tracker, or is older than 10
    /// minutes.
    InvalidState,
    /// The user did not allow the connection at the tracker.
    Denied,
    /// The tracker refuses the authorization code or the access token.
    Refused,
    /// The token belongs to another account.
    OtherAccount,
    /// The tracker refuses the client that the operator has registered there. Only the operator can fix that.
    Misconfigured,
    /// The tracker does not respond, or its limits allow no call now. Holds the time to wait, if it is known.
    Later(Option<Duration>),
    /// An error of this service.
    Fault(Error),
}

impl From<Error> for NotLinked {
    fn from(error: Error) -> Self {
        Self::Fault(error)
    }
}

/// Converts the error and logs it. The error contains only fixed words and numbers, so it is safe to log.
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

/// Converts the reason to an error of `POST /v1/user`. The request has the fields `tracker_a_id` and `tracker_a_token`.
impl From<NotLinked> for Error {
    fn from(reason: NotLinked) -> Self {
        let seconds = |time: Duration| time.as_secs() + u64::from(time.subsec_nanos() > 0);
        let after = |time: Option<Duration>| time.map_or(DEFAULT_RETRY_AFTER_S, seconds);
        match reason {
            NotLinked::Off => Self::invalid(
                "tracker_a_id",
                "cannot be linked: AniList is not enabled on this server",
            ),
            NotLinked::OtherAccount => Self::invalid(
                "tracker_a_id",
                "must be the account that the token belongs to",
            ),
            NotLinked::InvalidState | NotLinked::Denied | NotLinked::Refused => Self::invalid(
                "tracker_a_token",
                "is refused by AniList; request a new token",
            ),
            NotLinked::Misconfigured => Self::TrackerUnavailable(after(None)),
            NotLinked::Later(time) => Self::TrackerUnavailable(after(time)),
            NotLinked::Fault(error) => error,
        }
    }
}

/// The query parameters with which a tracker redirects a user back to this service (RFC 6749, section 4.1.2).
#[derive(Clone, Default)]
pub struct ReturnParameters {
    /// The parameter `state`, as it was sent to the tracker.
    pub state: String,
    /// The authorization code, if the user has allowed the connection.
    pub code: Option<String>,
    /// The tracker's error code, if there is no authorization code.
    pub error: Option<String>,
}

shared::hide_values!(ReturnParameters);

/// The state of the ceremony in which a user allows the connection at a tracker. It is the parameter `state`, which the
/// tracker sends back when it redirects the user.
#[derive(Serialize, Deserialize)]
struct LinkState {
    tracker: TrackerName,
    /// The PKCE verifier; empty for tracker A, which does not support PKCE.
    verifier: String,
}

/// Encrypts the tokens of a user's account at a tracker.
pub async fn seal_tokens(
    sealer: &Sealer,
    user: UserId,
    tracker: TrackerName,
    tokens: &TrackerTokens,
) -> Result<String> {
    let json = serde_json::to_string(tokens);
    let json = json.map_err(|_| Error::internal("tokens that cannot be written as JSON"))?;
    sealer.seal(&seal_context(user, tracker), &json).await
}

/// Decrypts the tokens of a linked account. Returns `None` if they were encrypted for another user or
/// tracker, or with a key that no longer exists.
pub async fn open_tokens(sealer: &Sealer, link: &Link) -> Result<Option<TrackerTokens>> {
    let context = seal_context(link.user_id, link.tracker);
    let json = sealer.open(&context, &link.tokens).await?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
}

/// Returns the context of the encrypted tokens, which binds them to their user and tracker ([`Sealer::seal`]).
fn seal_context(user: UserId, tracker: TrackerName) -> String {
    format!("{tracker} tokens of user {}", user.get())
}

/// Returns the context of the ceremony, which binds it to the session in which linking began. No other browser has this
/// session, so an attacker cannot make a user link the attacker's account at the tracker (RFC 6749, section 10.12).
fn ceremony(session: &Credential) -> CeremonyContext<'_> {
    CeremonyKind::LinkTracker.context(&session.token_id, Some(session.user_id))
}

/// The operations of linking, with the trackers and keys that they use.
#[derive(Debug)]
pub struct Linking {
    /// The trackers.
    pub trackers: Arc<Trackers>,
    /// The store of linked accounts.
    pub links: LinkStore,
    sealer: Sealer,
    ceremonies: Ceremonies,
    clock: Clock,
    random: Random,
}

impl Linking {
    /// Creates the operations on the linked accounts of this database, with these trackers and keys.
    pub fn new(
        database: &Database,
        trackers: Arc<Trackers>,
        sealer: Sealer,
        ceremonies: Ceremonies,
    ) -> Self {
        Self {
            trackers,
            links: LinkStore::new(database),
            sealer,
            ceremonies,
            clock: database.clock.clone(),
            random: database.random.clone(),
        }
    }

    /// Reads the keys, so that the first request does not wait for them.
    pub async fn warm(&self) -> Result<()> {
        self.sealer.warm().await
    }

    /// Begins to link an account at a tracker. Returns the URL of the tracker's page on which the user allows
    /// the connection.
    ///
    /// # Errors
    /// [`NotLinked::Off`] or [`NotLinked::Fault`].
    pub async fn begin(
        &self,
        session: &Credential,
        name: TrackerName,
    ) -> Result<String, NotLinked> {
        let tracker = self.tracker(name).await?;
        let state = LinkState {
            tracker: name,
            verifier: match name {
                TrackerName::A => String::new(),
                TrackerName::B => self.random.alphanumeric(VERIFIER_LENGTH),
            },
        };
        let sealed = self.ceremonies.begin(ceremony(session), &state).await?;
        Ok(tracker.authorize_url(&sealed, &state.verifier))
    }

    /// Finishes linking after the tracker has redirected the user back: checks the `state`, exchanges the
    /// code for tokens, and reads the account. Returns the link, which is not stored yet.
    pub async fn finish(
        &self,
        session: &Credential,
        name: TrackerName,
        parameters: &ReturnParameters,
    ) -> Result<NewLink, NotLinked> {
        let state = self.open_state(session, name, &parameters.state).await?;
        // The state is checked first. Without a valid state, the other parameters may come from an attacker.
        let (Some(code), None) = (&parameters.code, &parameters.error) else {
            return Err(NotLinked::Denied);
        };
        let tracker = self.tracker(name).await?;
        let deadline = self.deadline();
        let tokens = tracker.exchange(code, &state.verifier, deadline).await?;
        let viewer = tracker.viewer(&tokens, deadline).await?;
        Ok(self
            .new_link(session.user_id, name, viewer, &tokens)
            .await?)
    }

    /// Returns a link of an account at tracker A, after the tracker has confirmed that the token belongs to
    /// the account. The link is not stored yet.
    pub async fn link_by_token(
        &self,
        user: UserId,
        account: u64,
        token: &str,
    ) -> Result<NewLink, NotLinked> {
        let tracker = self.tracker(TrackerName::A).await?;
        let tokens = TrackerTokens {
            access: token.to_owned(),
            refresh: None,
            expires_at: None,
        };
        let viewer = tracker.viewer(&tokens, self.deadline()).await?;
        if viewer.id != account {
            return Err(NotLinked::OtherAccount);
        }
        Ok(self.new_link(user, TrackerName::A, viewer, &tokens).await?)
    }

    async fn tracker(&self, name: TrackerName) -> Result<&Tracker, NotLinked> {
        self.trackers.get(name).await?.ok_or(NotLinked::Off)
    }

    /// Decrypts the state, and checks that it was made in this session, for this tracker, and at most 10 minutes ago.
    async fn open_state(
        &self,
        session: &Credential,
        name: TrackerName,
        state: &str,
    ) -> Result<LinkState, NotLinked> {
        let opened: Option<LinkState> = self.ceremonies.read(ceremony(session), state).await?;
        let is_valid = |state: &LinkState| state.tracker == name;
        opened.filter(is_valid).ok_or(NotLinked::InvalidState)
    }

    fn deadline(&self) -> u64 {
        self.clock.now_ms() + TRACKER_CALLS_MS
    }

    /// Returns the link of an account, which is not stored yet.
    async fn new_link(
        &self,
        user: UserId,
        tracker: TrackerName,
        viewer: Viewer,
        tokens: &TrackerTokens,
    ) -> Result<NewLink> {
        let link = Link {
            user_id: user,
            tracker,
            link_id: self.random.short_id(),
            account: viewer.id,
            name: shown_name(&viewer),
            tokens: seal_tokens(&self.sealer, user, tracker, tokens).await?,
            needs_reconnect: false,
            linked_at: self.clock.now_ms(),
            failures: 0,
            not_before: 0,
            report: None,
        };
        let avatar = viewer.avatar.filter(|avatar| avatar.len() <= MAX_AVATAR);
        Ok(NewLink { link, avatar })
    }
}

/// Returns the name of an account as pages show it: without hidden characters. If no visible character is
/// left, returns the account's identifier.
fn shown_name(viewer: &Viewer) -> String {
    let name = viewer.name.chars().filter(|c| !is_hidden(*c));
    let name: String = name.take(MAX_ACCOUNT_NAME).collect();
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
