//! Adapters to the external trackers (docs/trackers.md, "Names"): tracker A is AniList, tracker B is
//! MyAnimeList. Songs come from AnimeThemes, which has no user accounts.
//!
//! An adapter speaks one tracker's protocol and does not know users or stories. It returns complete, typed
//! values, or a [`TrackerError`] that says what the caller can do. A list that could not be read whole is an
//! error, never a shorter list. The adapter keeps the tracker's rate limits itself, so all parts of a process
//! should share one adapter for each tracker. Every call has a `deadline`, in milliseconds since the Unix
//! epoch.

pub mod anilist;
pub mod anime_themes;
mod config;
mod download;
mod error;
mod lenient;
mod list;
pub mod my_anime_list;
mod pace;
mod score_format;
mod setup;
pub mod sync;
mod tokens;
mod transport;
mod wire;

pub use anilist::AniList;
pub use anime_themes::AnimeThemes;
pub use config::{Config, Limits, SetupError, Timeouts};
pub use download::{Download, MAX_FILE, RemoteFile, Version};
pub use error::{Cause, Detail, TrackerError};
pub use list::{MAX_PAGES, Pages};
pub use my_anime_list::MyAnimeList;
pub use pace::{Kind, Pace, Waiter};
pub use score_format::ScoreFormat;
pub use setup::{ClientSecrets, SecretSource, SettingError, Trackers, read_config};
pub use tokens::{EARLY_S, Tokens};
pub use transport::MAX_BODY;

use shared::clock::Clock;
use shared::models::{DetailsChange, MAX_REPEATS, WatchStatus, Watched};

/// A user's entry for one anime at a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The anime's identifier at the tracker.
    pub media_id: u32,
    /// The watch status.
    pub status: WatchStatus,
    /// The number of episodes watched.
    pub progress: u32,
    /// The details, without those that the tracker does not have, and without values that a story cannot hold.
    /// Tracker B has no private entries.
    pub details: DetailsChange,
    /// Time of the last change, in seconds since the Unix epoch; 0 if the tracker does not state it.
    pub updated_at: u64,
    /// The tracker's number of episodes, if known. The tracker does not store progress beyond it.
    pub episodes: Option<u32>,
}

/// A user's list of anime at a tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserList {
    /// The entries, ordered by the anime's identifier.
    pub entries: Vec<Entry>,
    /// The details that the entries can hold.
    pub limits: EntryLimits,
}

/// The details that a user's entries at a tracker can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntryLimits {
    /// The format of the user's scores.
    pub scores: ScoreFormat,
    /// True if only complete dates can be written. Others can be read.
    pub complete_dates: bool,
}

/// The values to write to a user's entry for one anime. All others stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The anime's identifier at the tracker.
    pub media_id: u32,
    /// The watch status and the number of episodes watched.
    pub watched: Option<Watched>,
    /// The tracker's number of episodes, if known: see [`Entry::episodes`].
    pub episodes: Option<u32>,
    /// The details. Tracker B has no private entries and ignores the privacy.
    pub details: DetailsChange,
}

impl Write {
    /// Returns the status, and the progress that the tracker can store: all episodes if completed, otherwise at most
    /// the tracker's number of episodes (docs/trackers.md, "Known traps").
    #[must_use]
    pub fn watched_to_send(&self) -> Option<Watched> {
        self.watched.map(|Watched { status, progress }| Watched {
            status,
            progress: match self.episodes {
                Some(all) if status == WatchStatus::Completed => all,
                Some(all) => progress.min(all),
                None => progress,
            },
        })
    }
}

/// Returns the number of repeats, or `None` for one that a story cannot hold.
fn repeats_of(number: i64) -> Option<u16> {
    let repeats = u16::try_from(number).ok();
    repeats.filter(|repeats| *repeats <= MAX_REPEATS)
}

/// The account at a tracker that a token belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// The account's identifier at the tracker.
    pub id: u64,
    /// The account's name at the tracker.
    pub name: String,
    /// URL of the account's image. Only an HTTPS URL is kept, because web pages show the image.
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
    /// Builds the adapter to tracker A. Returns `None` if no client is configured: the tracker is off.
    ///
    /// # Errors
    /// [`SetupError`] if the configuration is invalid.
    pub fn a(config: Config, clock: Clock, waiter: Waiter) -> Result<Option<Self>, SetupError> {
        Ok(AniList::new(config, clock, waiter)?.map(Self::AniList))
    }

    /// Builds the adapter to tracker B. Returns `None` if no client is configured: the tracker is off.
    ///
    /// # Errors
    /// [`SetupError`] if the configuration is invalid.
    pub fn b(config: Config, clock: Clock, waiter: Waiter) -> Result<Option<Self>, SetupError> {
        Ok(MyAnimeList::new(config, clock, waiter)?.map(Self::MyAnimeList))
    }

    /// Returns the URL of the tracker's page on which a user allows the connection. The tracker returns
    /// `state` unchanged with the authorization code. `verifier` is the PKCE verifier (43 to 128 characters);
    /// tracker A does not support PKCE and ignores it.
    #[must_use]
    pub fn authorize_url(&self, state: &str, verifier: &str) -> String {
        match self {
            Self::AniList(tracker) => tracker.authorize_url(state),
            Self::MyAnimeList(tracker) => tracker.authorize_url(state, verifier),
        }
    }

    /// Exchanges an authorization code for tokens.
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

    /// Exchanges the refresh token for new tokens. The caller must make only one such call at a time for each
    /// user, and must store the new tokens before using them, because tracker B no longer accepts the old
    /// refresh token.
    ///
    /// # Errors
    /// [`TrackerError::Reconnect`] if the user must link the account again. Tracker A has no refresh tokens,
    /// so it always returns this error.
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

    /// Returns the whole list of an account. `viewer` is the account's identifier.
    ///
    /// # Errors
    /// [`TrackerError`] if any part of the list could not be read.
    pub async fn list(
        &self,
        tokens: &Tokens,
        viewer: u64,
        deadline: u64,
    ) -> Result<UserList, TrackerError> {
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
