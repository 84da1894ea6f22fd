//! The details of a story in request bodies (docs/api.md, "Story details").

use serde_json::Value;
use shared::body;
use shared::input::{BodyField, Replacement};
use shared::models::{DetailsChange, MAX_REPEATS, Notes, PartialDate, UserScore};

body! {
    /// A change of a story's details. Details that are absent keep their values. `null` removes a score, a date or
    /// notes, and sets `repeats` to 0 and `private` to false.
    #[derive(Clone)]
    pub(crate) struct StoryDetailsChange {
        /// Score from 0 to 100, with at most one decimal. 0 means no score.
        #[schema(value_type = Option<f64>, minimum = 0, maximum = 100, example = 87.5)]
        score: Replacement<NewScore>,
        /// Day on which watching began: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. Set automatically when the status becomes 0
        /// (CURRENT) after 1 (PLANNING) or in a new story.
        #[schema(
            value_type = Option<String>,
            pattern = "^(19|[2-9][0-9])[0-9]{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$",
            example = "2016-08-26"
        )]
        started_on: Replacement<Option<PartialDate>>,
        /// Day on which the anime was first completed. Set automatically when the status becomes 2 (COMPLETED).
        #[schema(
            value_type = Option<String>,
            pattern = "^(19|[2-9][0-9])[0-9]{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$",
            example = "2016-09"
        )]
        finished_on: Replacement<Option<PartialDate>>,
        /// Number of times that the anime was watched again. Increased automatically when the status becomes 2
        /// (COMPLETED) after 5 (REPEATING).
        #[schema(value_type = Option<u64>, maximum = 9999, example = 1)]
        repeats: Replacement<NewRepeats>,
        /// Notes of at most 2,000 characters. Control characters other than tabs and line breaks are not allowed.
        #[schema(
            value_type = Option<String>,
            max_length = 2000,
            pattern = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$",
            example = "Watch it again in autumn"
        )]
        notes: Replacement<Notes>,
        /// True to hide the story from everyone but the user, the user's applications, moderators and administrators.
        #[schema(value_type = Option<bool>, example = false)]
        private: Replacement<bool>,
    }
}

impl From<StoryDetailsChange> for DetailsChange {
    fn from(change: StoryDetailsChange) -> Self {
        Self {
            score: change.score.0.map(|NewScore(score)| score),
            started_on: change.started_on.0,
            finished_on: change.finished_on.0,
            repeats: change.repeats.0.map(|NewRepeats(repeats)| repeats),
            notes: change.notes.0,
            private: change.private.0,
        }
    }
}

/// A score in a body. 0 stands for no score.
#[derive(Clone, Default)]
struct NewScore(Option<UserScore>);

impl BodyField for NewScore {
    fn parse(value: &Value) -> Result<Self, String> {
        // A value that is not a number gets the same error as a number out of range.
        let score = UserScore::parse(value.as_f64().unwrap_or(f64::NAN));
        score.map(Self).map_err(str::to_owned)
    }
}

/// A number of repeats in a body.
#[derive(Clone, Default)]
struct NewRepeats(u16);

impl BodyField for NewRepeats {
    fn parse(value: &Value) -> Result<Self, String> {
        let number = u64::parse(value).ok();
        let number = number.and_then(|number| u16::try_from(number).ok());
        let number = number.filter(|number| *number <= MAX_REPEATS);
        let invalid = || format!("must be a whole number from 0 to {MAX_REPEATS}");
        number.map(Self).ok_or_else(invalid)
    }
}
