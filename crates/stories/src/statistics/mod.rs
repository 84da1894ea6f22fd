//! Statistics about the stories of a user.

pub(crate) mod count;
pub(crate) mod current;
mod reader;
pub(crate) mod review;
pub(crate) mod user_statistics;

pub use self::count::{Statistics, Tally};
pub use self::current::{CurrentStatistics, PublicStories, RatedStory, RecentStory};
pub use self::reader::StatisticsReader;
pub use self::review::{FinishedStory, YearReview};
