//! Players: media servers, programs and scripts that report what a user watches (docs/players.md).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::AnimeId;
use crate::value_names;

value_names! {
    /// A kind of players. It determines the instructions that the user sees. Messages are recognized without it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum PlayerKind {
        /// Jellyfin.
        Jellyfin = "jellyfin",
        /// Plex.
        Plex = "plex",
        /// Emby.
        Emby = "emby",
        /// Kodi.
        Kodi = "kodi",
        /// mpv.
        Mpv = "mpv",
        /// Any other program or script.
        Other = "other",
    }
}

value_names! {
    /// The videos that a player plays.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum PlayerContent {
        /// Only anime.
        Anime = "anime",
        /// Other things, too, such as live-action series. They can have the names of anime, so a series that is known
        /// by name alone waits for the user's answer. This is the default, because [`Self::Anime`] marks such a series
        /// without a question.
        #[default]
        Mixed = "mixed",
    }
}

/// An episode of an anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EpisodeOfAnime {
    /// Identifier of the anime.
    #[schema(value_type = u64, example = 2)]
    pub anime_id: AnimeId,
    /// Number of the episode within the anime, from 1.
    #[schema(example = 5)]
    pub episode: u32,
}
