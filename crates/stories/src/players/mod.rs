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

pub use self::addresses::PlayerAddresses;
pub use self::matching::MatchedBy;
pub(crate) use self::matching::NamedVideo;
pub use self::outcome::{MatchedEpisode, PlaybackReason, PlaybackResult};
pub use self::player::{
    MAX_KEPT_EPISODES, MAX_LIBRARIES, MAX_PLAYERS, MatchedSeries, Player, PlayerReport,
    PlayerSettings, SeriesChoice, SeriesMatch, UnmatchedSeries,
};
pub use self::player_store::{PlayerChange, PlayerStore};
pub use self::receive::PlaybackReceiver;
pub use self::reject::RejectedMatch;
pub use self::series::SeriesAnswer;
pub(crate) use self::series_name::MAX_TITLE_CHARACTERS;
pub use self::series_name::SeriesName;
