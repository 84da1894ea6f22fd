//! The contract's resources, as they are on the wire and in DynamoDB.

mod anime;
mod enums;
mod ids;
mod score;
mod song;
mod user;
mod user_story;

pub use anime::{Anime, Localized, Saga};
pub use enums::{
    AnimeFormat, AnimeStatus, Gender, Role, Season, SongType, WatchStatus, Weekday, WireEnum,
};
pub(crate) use ids::{ANIME_ID_BITS, SONG_ID_BITS};
pub use ids::{AnimeId, MAX_TRACKER_ID, SongId, StoryId, UserId};
pub use score::Score;
pub use song::Song;
pub use user::{Account, EmailAddress, User, Username, fold_username, localization, tracker_token};
pub use user_story::{LinkedAccounts, Story, UserStory};
