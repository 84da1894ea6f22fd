//! Messages of players: the episode that they mean, and what they do to the stories of a user (docs/players.md).

mod addresses;
mod matching;
mod receive;
mod series;

pub use addresses::PlayerAddresses;
pub(crate) use matching::NamedVideo;
pub use matching::{MatchedBy, SeriesName};
pub use receive::{
    EpisodeOfAnime, MatchedEpisode, PlaybackReason, PlaybackReceiver, PlaybackResult,
};
pub use series::SeriesAnswer;
