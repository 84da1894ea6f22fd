//! One of the two trackers, for callers that use both in the same way.

use http_client::SetupError;
use shared::clock::Clock;
use shared::models::TrackerName;

use crate::anilist::AniList;
use crate::config::Config;
use crate::entry::{EntryWrite, TrackerEntry, UserList, Viewer};
use crate::error::{Cause, TrackerError, TrackerResult};
use crate::my_anime_list::MyAnimeList;
use crate::pace::Waiter;
use crate::tokens::TrackerTokens;

/// One of the two trackers.
#[derive(Debug)]
pub enum Tracker {
    /// Tracker A.
    AniList(AniList),
    /// Tracker B.
    MyAnimeList(MyAnimeList),
}

impl Tracker {
    /// Builds the adapter to a tracker. Returns `None` if no client is configured: the tracker is off.
    ///
    /// # Errors
    /// [`SetupError`] if the configuration is invalid.
    pub fn new(
        name: TrackerName,
        config: Config,
        clock: Clock,
        waiter: Waiter,
    ) -> Result<Option<Self>, SetupError> {
        Ok(match name {
            TrackerName::A => AniList::new(config, clock, waiter)?.map(Self::AniList),
            TrackerName::B => MyAnimeList::new(config, clock, waiter)?.map(Self::MyAnimeList),
        })
    }

    /// Returns the URL of the tracker's page on which a user allows the connection. The tracker returns
    /// `state` unchanged with the authorization code. `verifier` is the PKCE verifier (43 to 128 characters);
    /// tracker A does not support PKCE and ignores it.
    pub fn authorize_url(&self, state: &str, verifier: &str) -> String {
        match self {
            Self::AniList(tracker) => tracker.authorize_url(state),
            Self::MyAnimeList(tracker) => tracker.authorize_url(state, verifier),
        }
    }

    /// Exchanges an authorization code for tokens.
    ///
    /// # Errors
    /// [`TrackerError::Later`] if the same code may still be accepted later. After any other [`TrackerError`], the
    /// user needs a new code.
    pub async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        deadline: u64,
    ) -> TrackerResult<TrackerTokens> {
        match self {
            Self::AniList(tracker) => tracker.exchange(code, deadline).await,
            Self::MyAnimeList(tracker) => tracker.exchange(code, verifier, deadline).await,
        }
    }

    /// Exchanges the refresh token for new tokens. Afterwards, tracker B no longer accepts the old refresh token.
    /// So the caller must make only one such call at a time for each user, and must store the new tokens before
    /// using them.
    ///
    /// # Errors
    /// [`TrackerError::Reconnect`] if the user must link the account again. Tracker A always returns this error,
    /// because it has no refresh tokens.
    pub async fn refresh(
        &self,
        tokens: &TrackerTokens,
        deadline: u64,
    ) -> TrackerResult<TrackerTokens> {
        match self {
            Self::AniList(_) => {
                let cause = Cause::NoRefreshToken;
                Err(TrackerError::reconnect("tracker_a refresh", cause))
            }
            Self::MyAnimeList(tracker) => tracker.refresh(tokens, deadline).await,
        }
    }

    /// Returns the account that these tokens belong to.
    pub async fn viewer(&self, tokens: &TrackerTokens, deadline: u64) -> TrackerResult<Viewer> {
        match self {
            Self::AniList(tracker) => tracker.viewer(tokens, deadline).await,
            Self::MyAnimeList(tracker) => tracker.viewer(tokens, deadline).await,
        }
    }

    /// Returns the whole list of an account. `viewer` is the account's identifier.
    ///
    /// # Errors
    /// [`TrackerError`] if any part of the list could not be read.
    pub async fn list(
        &self,
        tokens: &TrackerTokens,
        viewer: u64,
        deadline: u64,
    ) -> TrackerResult<UserList> {
        match self {
            Self::AniList(tracker) => tracker.list(tokens, viewer, deadline).await,
            // At tracker B, the token alone identifies the account.
            Self::MyAnimeList(tracker) => tracker.list(tokens, deadline).await,
        }
    }

    /// Creates or updates an entry. Returns the entry as the tracker has stored it.
    ///
    /// # Errors
    /// [`TrackerError`]. After [`TrackerError::Later`] the entry may or may not have been written.
    pub async fn save(
        &self,
        tokens: &TrackerTokens,
        write: &EntryWrite,
        deadline: u64,
    ) -> TrackerResult<TrackerEntry> {
        match self {
            Self::AniList(tracker) => tracker.save(tokens, write, deadline).await,
            Self::MyAnimeList(tracker) => tracker.save(tokens, write, deadline).await,
        }
    }
}
