//! Adapters to the external trackers (docs/trackers.md, "Names"): tracker A is AniList, tracker B is
//! MyAnimeList. Songs come from AnimeThemes, which has no user accounts.
//!
//! An adapter speaks one tracker's protocol and does not know users or stories. It returns complete, typed values, or a
//! [`TrackerError`] that says what the caller can do. A list that could not be read whole is an error, never a shorter
//! list. The adapter itself keeps to the tracker's rate limits, so all parts of a process should share one adapter for
//! each tracker. Every call has a `deadline`, in milliseconds since the Unix epoch.

pub mod anilist;
pub mod anime_themes;
mod config;
mod download;
mod endpoint;
mod entry;
mod error;
mod lenient;
mod list;
pub mod my_anime_list;
mod pace;
mod score_format;
mod setup;
pub mod sync;
mod tokens;
mod tracker;
mod transport;

pub use anilist::AniList;
pub use anime_themes::AnimeThemes;
pub use config::{Config, Limits, Timeouts};
pub use download::{Download, DownloadEvent, FileInfo, FileVersion, MAX_DOWNLOAD, RemoteFile};
pub use entry::{EntryLimits, EntryWrite, TrackerEntry, UserList, Viewer};
pub use error::{Cause, Detail, TrackerError, TrackerResult};
pub use http_client::SetupError;
pub use list::{MAX_PAGES, Pages};
pub use my_anime_list::MyAnimeList;
pub use pace::{CallKind, TrackerPace, Waiter};
pub use score_format::ScoreFormat;
pub use setup::{ClientSecrets, SecretSource, SettingError, Trackers, read_config};
pub use tokens::{REFRESH_EARLY_S, TrackerTokens};
pub use tracker::Tracker;
pub use transport::MAX_RESPONSE;
