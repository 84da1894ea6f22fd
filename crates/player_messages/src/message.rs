//! Messages of all senders, in one form.

use serde::{Deserialize, Serialize};
use shared::FieldErrors;
use shared::models::{AnimeId, IdSource, UserScore};

/// A message: something happened to a video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The program that sent the message.
    pub sender: Sender,
    /// The name of the media server's user. This service's own JSON has none.
    pub user: Option<String>,
    /// The event.
    pub event: Event,
    /// The video.
    pub subject: Subject,
    /// The position in the video in milliseconds, at most `duration_ms`.
    pub position_ms: Option<u64>,
    /// The length of the video in milliseconds, above 0.
    pub duration_ms: Option<u64>,
    /// The time of the event in milliseconds since the Unix epoch. It can be in the future.
    pub at_ms: Option<u64>,
}

/// A program that sends messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// Jellyfin, with its official plugin Webhook or with the plugin of shemanaev.
    Jellyfin,
    /// Plex.
    Plex,
    /// Emby.
    Emby,
    /// Tautulli, with [`TAUTULLI_TEMPLATE`](crate::TAUTULLI_TEMPLATE).
    Tautulli,
    /// Kodi: its notifications, or JSON with the names of its fields.
    Kodi,
    /// A script that sends this service's own JSON.
    Kiroku,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The video plays, pauses or goes on.
    Playing,
    /// The video was stopped. The sender does not say that it was watched to its end.
    Stopped,
    /// The sender says that the video was watched to its end, or that it was marked as played.
    Finished,
    /// The user has taken back that the video was watched.
    Unwatched,
    /// The user has rated the item.
    Rated(UserScore),
    /// An event that changes no list, such as a new file.
    Other,
}

/// The item that a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An episode or a movie.
    Video(Video),
    /// A season or a series as a whole, which the user has marked as watched, or has rated.
    Whole(WholeItem),
    /// An item of another kind, or no item at all.
    NotAnEpisode(OtherKind),
    /// An episode or a movie that cannot be found, because a field is missing or wrong: `title`, `season` or `episode`.
    Unusable(&'static str),
}

/// A season or a series as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeItem {
    /// The name and the identifiers of the series, and the season if the item is a season. It has no episode and no
    /// file.
    pub video: Video,
    /// True for a series with all its seasons.
    pub is_series: bool,
}

/// A kind of items that are neither episodes nor movies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherKind {
    /// Tracks, albums and music videos.
    Music,
    /// Trailers and other extras.
    Trailer,
    /// Live TV.
    LiveTv,
    /// Photos.
    Photo,
    /// Everything else, such as collections and messages about the server.
    Other,
}

/// An episode or a movie. It has a title, an identifier or a file. Its JSON is stored for at most a day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Video {
    /// True for a movie. A movie has no season and no episode.
    pub is_movie: bool,
    /// The title of the series or the movie, 1 to 1,000 characters.
    pub title: Option<String>,
    /// The year in which the series or the movie started.
    pub year: Option<u16>,
    /// The season, at most [`MAX_SEASON`](crate::MAX_SEASON). 0 stands for specials. `None` if the sender names no
    /// season, or counts the episodes from the beginning of the series.
    pub season: Option<u16>,
    /// The episode, the last one if the file has several, at most [`MAX_EPISODE`](crate::MAX_EPISODE). If it is `None`
    /// for an episode, the file has to name it.
    pub episode: Option<u32>,
    /// The name of the file with its innermost two folders, 1 to 1,000 characters.
    pub file: Option<String>,
    /// The name of the library that has the video, 1 to 1,000 characters.
    pub library: Option<String>,
    /// The identifier of the anime in this service.
    pub anime_id: Option<AnimeId>,
    /// The identifiers of the episode or the movie itself. Identifiers of an episode say nothing about its series.
    pub ids: Vec<SourceId>,
    /// The identifiers of the series, or of the anime if the source has one identifier for each season.
    pub series_ids: Vec<SourceId>,
}

/// An identifier at another service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceId {
    /// The service that has the identifier.
    pub source: IdSource,
    /// The identifier there.
    pub id: u32,
}

/// The reason why a request cannot be read. It contains no value of the request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// The body is longer than [`MAX_BYTES`](crate::MAX_BYTES).
    #[error("A message must have at most 1 MB.")]
    TooLong,
    /// The body as a whole cannot be read. Holds a sentence for the caller.
    #[error("{0}")]
    Malformed(&'static str),
    /// Fields of a message in this service's own JSON are invalid.
    #[error("{}", describe(*position, errors))]
    Invalid {
        /// The position of the message in a list, from 1; `None` if the request has no list.
        position: Option<usize>,
        /// The reason for each invalid field.
        errors: FieldErrors,
    },
}

fn describe(position: Option<usize>, errors: &FieldErrors) -> String {
    let reasons = errors
        .iter()
        .map(|(name, reason)| format!("{name} {reason}"));
    let reasons = reasons.collect::<Vec<_>>().join("; ");
    match position {
        Some(position) => format!("Message {position}: {reasons}."),
        None => format!("{reasons}."),
    }
}
