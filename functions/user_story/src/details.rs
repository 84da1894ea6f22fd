//! The details of a story in request bodies (docs/api.md, "Story details").

use std::fmt::Display;

use serde_json::{Map, Value};
use shared::input::Field;
use shared::models::{DetailsChange, MAX_REPEATS, Notes, PartialDate, UserScore};
use utoipa::ToSchema;

/// A change of a story's details. Details that are absent keep their values. `null` removes a score, a date or notes,
/// and sets `repeats` to 0 and `private` to false.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the field in the OpenAPI document")]
pub(crate) struct StoryDetailsChange {
    /// Score from 0 to 100, with at most one decimal. 0 means no score.
    #[schema(minimum = 0, maximum = 100, example = 87.5)]
    score: Option<f64>,
    /// Day on which watching began: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. Set automatically when the status becomes 0
    /// (CURRENT) after 1 (PLANNING) or in a new story.
    #[schema(
        pattern = "^(19|[2-9][0-9])[0-9]{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$",
        example = "2016-08-26"
    )]
    started_on: Option<String>,
    /// Day on which the anime was first completed. Set automatically when the status becomes 2 (COMPLETED).
    #[schema(
        pattern = "^(19|[2-9][0-9])[0-9]{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$",
        example = "2016-09"
    )]
    finished_on: Option<String>,
    /// Number of times that the anime was watched again. Increased automatically when the status becomes 2
    /// (COMPLETED) after 5 (REPEATING).
    #[schema(maximum = 9999, example = 1)]
    repeats: Option<u64>,
    /// Notes of at most 2,000 characters. Control characters other than tabs and line breaks are not allowed.
    #[schema(
        max_length = 2000,
        pattern = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$",
        example = "Watch it again in autumn"
    )]
    notes: Option<String>,
    /// True to hide the story from everyone but the user and moderators.
    #[schema(example = false)]
    private: Option<bool>,
}

/// The value of the field `details`.
#[derive(Clone, Default)]
pub(crate) struct DetailsField(pub DetailsChange);

impl Field for DetailsField {
    fn parse(value: &Value) -> Result<Self, String> {
        let object = value.as_object().ok_or("must be an object")?;
        let mut details = Details {
            object,
            reasons: Vec::new(),
        };
        let change = DetailsChange {
            score: details.read("score", score),
            started_on: details.read("started_on", |value| date(value).map(Some)),
            finished_on: details.read("finished_on", |value| date(value).map(Some)),
            repeats: details.read("repeats", repeats),
            notes: details.read("notes", |value| {
                Notes::new(&String::parse(value)?).map_err(str::to_owned)
            }),
            private: details.read("private", |value| {
                value.as_bool().ok_or("must be true or false")
            }),
        };
        if details.reasons.is_empty() {
            Ok(Self(change))
        } else {
            Err(details.reasons.join("; "))
        }
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

/// The members of the object, and the reasons why some of them are invalid.
struct Details<'v> {
    object: &'v Map<String, Value>,
    reasons: Vec<String>,
}

impl Details<'_> {
    /// Reads a member. Returns `None` if it is absent or invalid, and the default if it is null.
    fn read<T: Default, E: Display>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&Value) -> Result<T, E>,
    ) -> Option<T> {
        let parsed = match self.object.get(name)? {
            Value::Null => Ok(T::default()),
            value => parse(value),
        };
        let failed = |reason| self.reasons.push(format!("{name} {reason}"));
        parsed.map_err(failed).ok()
    }
}

fn score(value: &Value) -> Result<Option<UserScore>, &'static str> {
    // No number has the error of its range.
    UserScore::parse(value.as_f64().unwrap_or(f64::NAN))
}

fn date(value: &Value) -> Result<PartialDate, &'static str> {
    PartialDate::parse(value.as_str().unwrap_or_default())
}

fn repeats(value: &Value) -> Result<u16, String> {
    let number = u64::parse(value)
        .ok()
        .and_then(|number| u16::try_from(number).ok());
    let number = number.filter(|number| *number <= MAX_REPEATS);
    number.ok_or_else(|| format!("must be a whole number from 0 to {MAX_REPEATS}"))
}
