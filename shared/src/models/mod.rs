//! The contract's resources, as they are on the wire and in DynamoDB.

mod anime;
mod enums;
mod ids;
mod score;
mod song;

pub use anime::{Anime, Localized, Saga};
pub use enums::{AnimeFormat, AnimeStatus, Season, SongType, Weekday, WireEnum};
pub(crate) use ids::{ANIME_ID_BITS, SONG_ID_BITS};
pub use ids::{AnimeId, MAX_TRACKER_ID, SongId};
pub use score::Score;
pub use song::Song;
