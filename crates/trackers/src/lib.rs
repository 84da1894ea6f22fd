//! Adapters to the external trackers (docs/trackers.md, "Names"): tracker A is AniList, tracker B is
//! MyAnimeList. Songs come from AnimeThemes, which has no user accounts.
//!
//! An adapter speaks one tracker's protocol and does not know users or stories. It returns complete, typed
//! values, or a [`TrackerError`] that says what to do next. A list that was read in part is an error, never a
//! shorter list. The adapter keeps the tracker's limits itself, so one adapter serves a whole process. Every
//! call has a deadline, in milliseconds since the Unix epoch.

pub mod anilist;
pub mod anime_themes;
mod config;
mod error;
mod list;
pub mod my_anime_list;
mod pace;
mod setup;
pub mod sync;
mod tokens;
mod transport;
mod wire;

pub use anilist::AniList;
pub use anime_themes::AnimeThemes;
pub use config::{Config, Limits, SetupError, Timeouts};
pub use error::{Cause, Detail, TrackerError};
pub use list::{MAX_PAGES, Pages};
pub use my_anime_list::MyAnimeList;
pub use pace::{Kind, Pace, Waiter};
pub use setup::{ClientSecrets, SecretSource, SettingError, Trackers, read_config};
pub use tokens::{EARLY_S, Tokens};
pub use transport::MAX_BODY;

use shared::clock::Clock;
use shared::models::WatchStatus;

/// A user's entry for one anime at a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The anime's identifier at the tracker.
    pub media_id: u32,
    /// The watch status.
    pub status: WatchStatus,
    /// The number of episodes watched.
    pub progress: u32,
    /// True for an entry that other users cannot see. Tracker B has no private entries.
    pub private: bool,
    /// Time of the last change, in seconds since the Unix epoch; 0 if the tracker does not state it.
    pub updated_at: u64,
    /// The tracker's number of episodes, if known. The tracker does not store progress beyond it.
    pub episodes: Option<u32>,
}

/// A write of a user's entry for one anime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The anime's identifier at the tracker.
    pub media_id: u32,
    /// The watch status.
    pub status: WatchStatus,
    /// The number of episodes watched.
    pub progress: u32,
    /// The tracker's number of episodes, if known: see [`Entry::episodes`].
    pub episodes: Option<u32>,
    /// True to hide the entry from other users. False leaves the privacy of an existing entry unchanged.
    /// Tracker B has no private entries.
    pub private: bool,
}

impl Write {
    /// Returns the progress that the tracker can store: all episodes if completed, otherwise at most the
    /// tracker's number of episodes (docs/trackers.md, "Known traps").
    #[must_use]
    pub fn progress_to_send(&self) -> u32 {
        match self.episodes {
            Some(all) if self.status == WatchStatus::Completed => all,
            Some(all) => self.progress.min(all),
            None => self.progress,
        }
    }
}

/// The account at a tracker that a token belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// The account's identifier at the tracker.
    pub id: u64,
    /// The account's name at the tracker.
    pub name: String,
    /// URL of the account's image. Only HTTPS is kept, because pages show it.
    pub avatar: Option<String>,
}

impl Viewer {
    fn new(id: u64, name: String, avatar: Option<String>) -> Self {
        let avatar = avatar.filter(|address| address.starts_with("https://"));
        Self { id, name, avatar }
    }
}

/// One of the two trackers.
#[derive(Debug)]
pub enum Tracker {
    /// Tracker A.
    AniList(AniList),
    /// Tracker B.
    MyAnimeList(MyAnimeList),
}

impl Tracker {
    /// Builds tracker A. Returns `None` when no client is configured: the tracker is off.
    ///
    /// # Errors
    /// [`SetupError`] when the configuration is invalid.
    pub fn a(config: Config, clock: Clock, waiter: Waiter) -> Result<Option<Self>, SetupError> {
        Ok(AniList::new(config, clock, waiter)?.map(Self::AniList))
    }

    /// Builds tracker B. Returns `None` when no client is configured: the tracker is off.
    ///
    /// # Errors
    /// [`SetupError`] when the configuration is invalid.
    pub fn b(config: Config, clock: Clock, waiter: Waiter) -> Result<Option<Self>, SetupError> {
        Ok(MyAnimeList::new(config, clock, waiter)?.map(Self::MyAnimeList))
    }

    /// Returns the URL at which a user allows the connection. `state` comes back with the code. `verifier` is
    /// PKCE's code verifier (43 to 128 characters); tracker A does not support PKCE and ignores it.
    #[must_use]
    pub fn authorize_url(&self, state: &str, verifier: &str) -> String {
        match self {
            Self::AniList(tracker) => tracker.authorize_url(state),
            Self::MyAnimeList(tracker) => tracker.authorize_url(state, verifier),
        }
    }

    /// Redeems an authorization code.
    ///
    /// # Errors
    /// After [`TrackerError::Later`] the same code can be tried again. Every other [`TrackerError`] needs a
    /// new code.
    pub async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        deadline: u64,
    ) -> Result<Tokens, TrackerError> {
        match self {
            Self::AniList(tracker) => tracker.exchange(code, deadline).await,
            Self::MyAnimeList(tracker) => tracker.exchange(code, verifier, deadline).await,
        }
    }

    /// Gets new tokens for those that expire. The caller makes one such call at a time for each user, and
    /// stores the response before using it: tracker B no longer accepts the old refresh token afterwards.
    ///
    /// # Errors
    /// [`TrackerError::Reconnect`] when the user must connect the account again. Tracker A has no refresh
    /// tokens and always returns it.
    pub async fn refresh(&self, tokens: &Tokens, deadline: u64) -> Result<Tokens, TrackerError> {
        match self {
            Self::AniList(_) => Err(TrackerError::Reconnect(Detail::new(
                "tracker_a refresh",
                Cause::NoRefreshToken,
            ))),
            Self::MyAnimeList(tracker) => tracker.refresh(tokens, deadline).await,
        }
    }

    /// Returns the account that these tokens belong to.
    pub async fn viewer(&self, tokens: &Tokens, deadline: u64) -> Result<Viewer, TrackerError> {
        match self {
            Self::AniList(tracker) => tracker.viewer(tokens, deadline).await,
            Self::MyAnimeList(tracker) => tracker.viewer(tokens, deadline).await,
        }
    }

    /// Returns the whole list of an account, ordered by the anime's identifier.
    ///
    /// # Errors
    /// [`TrackerError`] when any part of the list could not be read.
    pub async fn list(
        &self,
        tokens: &Tokens,
        viewer: u64,
        deadline: u64,
    ) -> Result<Vec<Entry>, TrackerError> {
        match self {
            Self::AniList(tracker) => tracker.list(tokens, viewer, deadline).await,
            // The token identifies the viewer.
            Self::MyAnimeList(tracker) => tracker.list(tokens, deadline).await,
        }
    }

    /// Creates or updates an entry. Returns the entry that the tracker has afterwards.
    ///
    /// # Errors
    /// [`TrackerError`]. After [`TrackerError::Later`] the entry may or may not have been written.
    pub async fn save(
        &self,
        tokens: &Tokens,
        write: &Write,
        deadline: u64,
    ) -> Result<Entry, TrackerError> {
        match self {
            Self::AniList(tracker) => tracker.save(tokens, write, deadline).await,
            Self::MyAnimeList(tracker) => tracker.save(tokens, write, deadline).await,
        }
    }
}
