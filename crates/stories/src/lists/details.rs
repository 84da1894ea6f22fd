//! The details of a story in responses and files.

use serde::Serialize;
use shared::models::{LinkedAccounts, PartialDate, UserScore};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::story_list::ListedStory;
use crate::document::document;

document! {
    /// The details of a story.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct StoryDetails(story: &ListedStory, owners_accounts: LinkedAccounts) {
        /// Score from 0.1 to 100; null without a score.
        #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 100, example = 87.5)]
        score: Option<UserScore> = story.state.details.score,
        /// Day on which watching began: `YYYY-MM-DD`, or `YYYY-MM` or `YYYY` if the rest is unknown.
        #[schema(required = true, value_type = Option<String>, example = "2016-08-26")]
        started_on: Option<PartialDate> = story.state.details.started_on,
        /// Day on which the anime was first completed.
        #[schema(required = true, value_type = Option<String>, example = "2016-09")]
        finished_on: Option<PartialDate> = story.state.details.finished_on,
        /// Number of times that the anime was watched again.
        #[schema(maximum = 9999, example = 1)]
        repeats: u16 = story.state.details.repeats,
        /// Notes of the user; empty without notes.
        #[schema(max_length = 2000, example = "Watch it again in autumn")]
        notes: String = story.state.details.notes.as_str().to_owned(),
        /// True if the story is private. Public pages and statistics, calendar feeds and exports as `mal_xml` leave it
        /// out.
        private: bool = story.state.details.private,
        /// Progress, also beyond the catalogue.
        #[schema(value_type = u64, example = 3)]
        watched_episodes: u32 = story.state.progress(),
        /// Time of the creation.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        created_at: WireTime = seconds(story.created_at),
        /// Time of the last change. For a change from a tracker, the time that the tracker states.
        #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
        updated_at: WireTime = seconds(story.changed_at),
        /// True if the story is synced with all linked trackers; false without one.
        synced: bool = story.is_synced(owners_accounts),
    }
}

/// A time in a response or a file, such as `2016-08-26T12:00:00Z`.
#[derive(Debug, Serialize)]
pub struct WireTime(#[serde(with = "time::serde::rfc3339")] OffsetDateTime);

/// Converts a time in milliseconds since the Unix epoch, and drops the fraction of its second.
pub fn seconds(time: u64) -> WireTime {
    let seconds = i64::try_from(time / 1000).unwrap_or(i64::MAX);
    let time = OffsetDateTime::from_unix_timestamp(seconds);
    WireTime(time.unwrap_or(OffsetDateTime::UNIX_EPOCH))
}
