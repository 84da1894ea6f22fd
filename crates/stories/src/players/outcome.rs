//! The results of messages, and the messages whose episode is known.

use catalogue::seasons::AnimeEpisode;
use player_messages::Video;
use serde::Serialize;
use shared::auth::Access;
use shared::models::{EpisodeOfAnime, Origin, UserId, UserScore};
use utoipa::ToSchema;

use super::matching::MatchedBy;
use super::player::PlayerSettings;
use super::series_name::SeriesName;

/// The reason why a message has changed a story, or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaybackReason {
    /// The progress of the story is the episode now.
    Watched,
    /// The episode was the last one, and the story is completed now.
    Completed,
    /// The anime was completed before, and is being watched again.
    StartedAgain,
    /// The position in the next episode is kept.
    PositionKept,
    /// The story already has this episode.
    AlreadyWatched,
    /// The video was not watched to its end, and its position changes nothing.
    NotFinished,
    /// The user has marked the episode as not watched, so it no longer counts as watched.
    TakenBack,
    /// The episode that was marked as not watched is not the last watched one.
    NotLastWatched,
    /// The score of the story is the user's rating now.
    Rated,
    /// The score of the story is already this rating.
    AlreadyRated,
    /// The anime has no such episode.
    NoSuchEpisode,
    /// A season was marked as a whole, and the number of its episodes is not known.
    EndUnknown,
    /// No anime was found.
    NoMatch,
    /// Several anime or episodes may be meant.
    NotCertain,
    /// The name is that of an anime, but the player also plays other things. The user is asked.
    WaitsForAnswer,
    /// Earlier episodes of the season were those of another anime, and no season map says that both are in one series.
    /// The user is asked.
    DiffersFromEarlier,
    /// The anime is not on the list, and the message counts only if it is.
    NotListed,
    /// The user has chosen that the series is not an anime.
    NotAnAnime,
    /// The item is not an episode or a movie: music, a trailer, live TV, an opening.
    NotAnEpisode,
    /// The event changes no list.
    OtherEvent,
    /// The title, the season or the episode is missing or wrong.
    Unusable,
    /// The message is about a library that is not one of those with anime.
    OtherLibrary,
    /// The message is about another user of the server.
    OtherUser,
    /// The owner of the player has not named the user of the server yet. The message is kept for a day.
    NoUserNamed,
    /// Searching the titles of earlier messages in the request took too long. Send the message again, in a request of
    /// its own or with others that have this reason.
    NotSearched,
}

impl PlaybackReason {
    /// Returns the name in responses and rows.
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).ok();
        let name = name.and_then(|name| name.as_str().map(str::to_owned));
        name.unwrap_or_default()
    }

    pub(super) fn is_change(self) -> bool {
        matches!(
            self,
            Self::Watched
                | Self::Completed
                | Self::StartedAgain
                | Self::PositionKept
                | Self::TakenBack
                | Self::Rated
        )
    }

    /// Returns true if the user is asked which anime is meant.
    pub(super) fn is_question(self) -> bool {
        matches!(
            self,
            Self::NoMatch | Self::NotCertain | Self::WaitsForAnswer | Self::DiffersFromEarlier
        )
    }
}

pub(super) fn of_anime(episode: AnimeEpisode) -> EpisodeOfAnime {
    EpisodeOfAnime {
        anime_id: episode.anime,
        episode: episode.episode,
    }
}

/// The episode that a message means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MatchedEpisode {
    /// The anime and its episode.
    #[serde(flatten)]
    pub episode: EpisodeOfAnime,
    /// The way in which they were found.
    pub by: MatchedBy,
}

/// The result of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlaybackResult {
    /// The episode that is certainly meant; null if none is.
    pub matched: Option<MatchedEpisode>,
    /// The episodes that may be meant, the most probable one first, at most three. Empty if one is certain.
    pub guesses: Vec<EpisodeOfAnime>,
    /// True if the message has changed a story, or would have without `dry_run`.
    #[schema(example = true)]
    pub applied: bool,
    /// The reason.
    pub reason: PlaybackReason,
}

impl PlaybackResult {
    pub(super) fn of(reason: PlaybackReason) -> Self {
        Self {
            matched: None,
            guesses: Vec::new(),
            applied: false,
            reason,
        }
    }
}

/// An effect of a message on the story of its anime.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// The episode was watched to its end.
    Finished,
    /// The position in the episode, in milliseconds.
    Position(u64),
    /// The user has taken back that the episode was watched.
    Unwatched,
    /// The user has rated the anime.
    Rated(UserScore),
}

/// A message whose episode is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct EpisodeMessage {
    pub episode: AnimeEpisode,
    pub effect: Effect,
    /// The time of the event in milliseconds since the Unix epoch, not in the future.
    pub at: u64,
}

/// A message whose episode is known, and the reasons for it.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// The season of the series, or the movie; `None` if the message names its anime.
    pub series: Option<SeriesName>,
    /// The number of the episode in the season.
    pub in_season: u32,
    pub watched: EpisodeMessage,
    pub by: MatchedBy,
    /// True if only a name leads to the anime, and the library is not known to have anime.
    pub is_by_name_alone: bool,
}

/// The owner of the stories that messages change, and the origin and settings of the changes.
pub(super) struct MessageTarget<'t> {
    /// `None` if an address of a player gives the access.
    pub access: Option<&'t Access>,
    pub owner: UserId,
    pub by: Origin,
    /// The settings of the sender.
    pub settings: &'t PlayerSettings,
    pub is_dry_run: bool,
}

impl Match {
    /// Returns the result of a message that was applied or changes nothing.
    pub fn result(&self, reason: PlaybackReason) -> PlaybackResult {
        PlaybackResult {
            matched: Some(MatchedEpisode {
                episode: of_anime(self.watched.episode),
                by: self.by,
            }),
            guesses: Vec::new(),
            applied: reason.is_change(),
            reason,
        }
    }
}

/// Returns true if the library of a video is one of those with anime; `None` if the video or the settings name none.
pub(super) fn has_library(settings: &PlayerSettings, video: &Video) -> Option<bool> {
    let library = video.library.as_ref();
    let library = library.filter(|_| !settings.libraries.is_empty())?;
    let mut libraries = settings.libraries.iter();
    Some(libraries.any(|named| is_same_name(named, library)))
}

/// Names of users are compared as the servers compare them: ignoring case and surrounding spaces.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}
