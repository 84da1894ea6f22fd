//! Linking a user's account at a tracker.

use std::sync::Arc;

use crate::auth::Sealer;
use crate::clock::Clock;
use crate::error::ApiError;
use crate::models::UserId;
use crate::random::Random;
use crate::store::{Link, LinkStore, NewLink};
use crate::trackers::{Tokens, TrackerName, Trackers};

/// Encrypts the tokens of a user's account at a tracker.
///
/// # Errors
/// When no key can be read.
pub async fn seal_tokens(
    sealer: &Sealer,
    user: UserId,
    tracker: TrackerName,
    tokens: &Tokens,
) -> Result<String, ApiError> {
    let json = serde_json::to_string(tokens);
    let json = json.map_err(|_| ApiError::internal("tokens that are no JSON"))?;
    sealer.seal(&place(user, tracker), &json).await
}

/// Decrypts the tokens of a link. `None` when they were encrypted for another, or under a key that is
/// gone.
///
/// # Errors
/// When no key can be read.
pub async fn open_tokens(sealer: &Sealer, link: &Link) -> Result<Option<Tokens>, ApiError> {
    let place = place(link.user_id, link.tracker);
    let json = sealer.open(&place, &link.tokens).await?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
}

fn place(user: UserId, tracker: TrackerName) -> String {
    format!("{tracker} tokens of user {}", user.get())
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
    pub async fn warm(&self) -> Result<(), ApiError> {
        self.sealer.warm().await
    }

    /// Links an account at the first tracker by its number and token.
    ///
    /// # Errors
    /// When no key can be read.
    pub async fn by_token(
        &self,
        user: UserId,
        account: u64,
        token: &str,
    ) -> Result<NewLink, ApiError> {
        let tokens = Tokens {
            access: token.to_owned(),
            refresh: None,
            expires_at: None,
        };
        let link = Link {
            user_id: user,
            tracker: TrackerName::A,
            link_id: self.random.short_id(),
            account,
            name: String::new(),
            tokens: seal_tokens(&self.sealer, user, TrackerName::A, &tokens).await?,
            is_refused: false,
            linked_at: self.clock.now_ms(),
            failures: 0,
            not_before: 0,
            report: None,
        };
        Ok(NewLink { link, avatar: None })
    }
}
