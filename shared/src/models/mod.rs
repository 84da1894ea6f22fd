//! The resources of the API in their JSON form (docs/api.md, "Resources"), and the types of their fields. The text that
//! a constructor returns as an error is the reason, for the caller.

mod anime;
mod display;
mod enums;
mod factors;
mod id_source;
mod ids;
mod language;
mod list_version;
mod partial_date;
mod player;
mod redirect_uri;
mod score;
mod score_scale;
mod song;
mod story_details;
mod story_history;
mod sync_state;
mod time_zone;
mod tracker;
mod user;
mod user_story;

pub use anime::{Anime, Localized, Saga};
pub use display::{DisplaySettings, TitleLanguage};
pub use enums::{
    AnimeFormat, AnimeStatus, Gender, Role, Season, SongType, WatchStatus, Weekday, WireEnum,
    find_named, name_in,
};
pub use factors::{Factors, Identity, MAX_PASSKEYS, Passkey, SecondFactor};
pub use id_source::{IdKind, IdSource, StatedId, format_imdb, parse_imdb};
pub use ids::{ANIME_ID_BITS, AnimeId, MAX_TRACKER_ID, SONG_ID_BITS, SongId, StoryId, UserId};
pub use language::{Language, primary_subtag};
pub use list_version::{ListVersion, MAX_RECENT_CHANGES, RecentChange, write_recent_changes};
pub use partial_date::PartialDate;
pub use player::{EpisodeOfAnime, PlayerContent, PlayerKind};
pub use redirect_uri::RedirectUri;
pub use score::Score;
pub use score_scale::ScoreScale;
pub use song::Song;
pub use story_details::{
    Details, DetailsChange, MAX_PROGRESS, MAX_REPEATS, Notes, StoryChange, StoryState, UserScore,
};
pub use story_history::{MAX_REVISIONS, Origin, ReplacedValues, Revision, add_revision};
pub use sync_state::{
    BaseDetails, DetailName, DetailNumbers, SyncBase, SyncMark, SyncState, WatchProgress,
};
pub use time_zone::{TimeZone, deserialize_known};
pub use tracker::{PerTracker, TrackerIds, TrackerName};
pub use user::{EmailAddress, LocaleCode, OwnUser, TrackerToken, User, Username, fold_username};
pub use user_story::{LinkedAccounts, UserStory};
