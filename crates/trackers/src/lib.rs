//! Adapters to the external trackers (trackers.md): tracker A is `AniList`, tracker B is
//! `MyAnimeList`. Songs come from `AnimeThemes`, which knows no users.
//!
//! An adapter speaks one tracker's wire and knows nothing of users or stories. It answers with whole,
//! typed values or with a [`TrackerError`] that says what to do next: a list is never a short one. It
//! keeps the tracker's limits by itself, so one adapter serves a whole process; every call has a
//! deadline, in milliseconds since the Unix epoch.

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

/// What a tracker knows of one anime of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The anime's identifier at the tracker.
    pub media_id: u32,
    /// How far the user is with it.
    pub status: WatchStatus,
    /// Episodes watched.
    pub progress: u32,
    /// Hidden from others. Tracker B has no such thing.
    pub private: bool,
    /// When the entry changed last, in seconds since the Unix epoch; 0 where the tracker does not say.
    pub updated_at: u64,
    /// How many episodes the tracker says there are, where it knows: progress beyond it would never
    /// come back.
    pub episodes: Option<u32>,
}

/// What is to be written for one anime of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The anime's identifier at the tracker.
    pub media_id: u32,
    /// How far the user is with it.
    pub status: WatchStatus,
    /// Episodes watched.
    pub progress: u32,
    /// How many episodes the tracker says there are, where it is known: see [`Entry::episodes`].
    pub episodes: Option<u32>,
    /// Whether an entry is to be hidden from others; where not, one that is there stays as it is. Tracker B
    /// has no such thing.
    pub private: bool,
}

impl Write {
    /// The progress that the tracker can hold: all episodes of what is completed, and for the rest no
    /// more than there are (trackers.md, "Known traps").
    #[must_use]
    pub fn progress_to_send(&self) -> u32 {
        match self.episodes {
            Some(all) if self.status == WatchStatus::Completed => all,
            Some(all) => self.progress.min(all),
            None => self.progress,
        }
    }
}

/// Whose account at a tracker a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// Their identifier at the tracker.
    pub id: u64,
    /// Their name there.
    pub name: String,
    /// Address of their image, if it has one over HTTPS: pages show it.
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
    /// Tracker A. `None` when no client is configured: it is off.
    ///
    /// # Errors
    /// When what is configured cannot be used.
    pub fn a(config: Config, clock: Clock, waiter: Waiter) -> Result<Option<Self>, SetupError> {
        Ok(AniList::new(config, clock, waiter)?.map(Self::AniList))
    }

    /// Tracker B. `None` when no client is configured: it is off.
    ///
    /// # Errors
    /// As [`Tracker::a`].
    pub fn b(config: Config, clock: Clock, waiter: Waiter) -> Result<Option<Self>, SetupError> {
        Ok(MyAnimeList::new(config, clock, waiter)?.map(Self::MyAnimeList))
    }

    /// Where a user allows the connection. `state` comes back with the code; `verifier` is PKCE's (43
    /// to 128 characters), which tracker A does not have.
    #[must_use]
    pub fn authorize_url(&self, state: &str, verifier: &str) -> String {
        match self {
            Self::AniList(tracker) => tracker.authorize_url(state),
            Self::MyAnimeList(tracker) => tracker.authorize_url(state, verifier),
        }
    }

    /// Redeems the code that came back.
    ///
    /// # Errors
    /// [`TrackerError`]. What is not [`TrackerError::Later`] needs a new code.
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

    /// New tokens for those that end. One call at a time for a user, and the answer is stored before
    /// it is used: tracker B takes the old refresh token no more.
    ///
    /// # Errors
    /// [`TrackerError::Reconnect`] when only the user can help, which is always so at tracker A.
    pub async fn refresh(&self, tokens: &Tokens, deadline: u64) -> Result<Tokens, TrackerError> {
        match self {
            Self::AniList(_) => Err(TrackerError::Reconnect(Detail::new(
                "tracker_a refresh",
                Cause::NoRefreshToken,
            ))),
            Self::MyAnimeList(tracker) => tracker.refresh(tokens, deadline).await,
        }
    }

    /// Whose tokens these are.
    ///
    /// # Errors
    /// [`TrackerError`].
    pub async fn viewer(&self, tokens: &Tokens, deadline: u64) -> Result<Viewer, TrackerError> {
        match self {
            Self::AniList(tracker) => tracker.viewer(tokens, deadline).await,
            Self::MyAnimeList(tracker) => tracker.viewer(tokens, deadline).await,
        }
    }

    /// The whole list of a viewer, by the anime's identifier.
    ///
    /// # Errors
    /// [`TrackerError`], when any part of the list could not be read.
    pub async fn list(
        &self,
        tokens: &Tokens,
        viewer: u64,
        deadline: u64,
    ) -> Result<Vec<Entry>, TrackerError> {
        match self {
            Self::AniList(tracker) => tracker.list(tokens, viewer, deadline).await,
            // It knows the viewer by the token.
            Self::MyAnimeList(tracker) => tracker.list(tokens, deadline).await,
        }
    }

    /// Writes an entry, whether there is one or not. The answer is what the tracker has now.
    ///
    /// # Errors
    /// [`TrackerError`]. After [`TrackerError::Later`] it may have been written or not.
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
