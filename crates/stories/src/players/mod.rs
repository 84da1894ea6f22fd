//! Messages of players: the episode that they mean, and what they do to the stories of a user (docs/players.md).

mod addresses;
mod check;
mod matching;
mod memory;
mod outcome;
mod receive;
mod reject;
mod series;
mod whole;

pub use addresses::PlayerAddresses;
pub(crate) use matching::{MAX_TITLE_CHARACTERS, NamedVideo};
pub use matching::{MatchedBy, SeriesName};
pub use outcome::{MatchedEpisode, PlaybackReason, PlaybackResult};
pub use receive::PlaybackReceiver;
pub use reject::RejectedMatch;
pub use series::SeriesAnswer;
