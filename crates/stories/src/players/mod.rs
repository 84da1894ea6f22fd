//! Messages of players: the episode that they mean, and what they do to the stories of a user (docs/players.md).

mod addresses;
mod matching;
mod memory;
mod receive;
mod reject;
mod series;
mod whole;

pub use addresses::PlayerAddresses;
pub(crate) use matching::{MAX_TITLE_CHARACTERS, NamedVideo};
pub use matching::{MatchedBy, SeriesName};
pub use receive::{MatchedEpisode, PlaybackReason, PlaybackReceiver, PlaybackResult};
pub use reject::RejectedMatch;
pub use series::SeriesAnswer;
