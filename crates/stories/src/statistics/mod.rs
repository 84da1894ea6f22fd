//! Statistics about the stories of a user.

pub(crate) mod count;
pub(crate) mod current;
pub(crate) mod review;
pub(crate) mod user_statistics;

pub use self::count::{CountedStory, Statistics, Tally};
pub use self::current::{
    CurrentStatistics, KeptStatistics, PublicStories, RatedStory, StatisticsOwner, StatisticsReader,
};
pub use self::review::{FinishedStory, YearReview};
