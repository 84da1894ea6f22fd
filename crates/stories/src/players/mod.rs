//! Messages of players: the episode that they mean, and their effect on the stories of a user (docs/players.md).

mod addresses;
mod check;
mod effect;
mod keep;
mod matching;
mod memory;
mod outcome;
pub(crate) mod player;
pub(crate) mod player_store;
mod receive;
mod reject;
mod report;
mod series;
mod series_name;
mod series_store;
mod whole;

pub use self::player::{
    MAX_KEPT_EPISODES, MAX_LIBRARIES, MAX_PLAYERS, MatchedSeries, Player, PlayerReport,
    PlayerSettings, SeriesChoice, SeriesMatch, UnmatchedSeries,
};
pub use self::player_store::{PlayerChange, PlayerStore};

pub use addresses::PlayerAddresses;
pub use matching::MatchedBy;
pub(crate) use matching::NamedVideo;
pub use outcome::{MatchedEpisode, PlaybackReason, PlaybackResult};
pub use receive::PlaybackReceiver;
pub use reject::RejectedMatch;
pub use series::SeriesAnswer;
pub(crate) use series_name::MAX_TITLE_CHARACTERS;
pub use series_name::SeriesName;
