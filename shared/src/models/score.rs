//! The score of an anime.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Global score from 0 to 100, in steps of 0.01.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "f64", into = "f64")]
#[schema(value_type = f64, minimum = 0, maximum = 100, example = 86.5)]
pub struct Score(u16);

impl Score {
    /// The highest score, in hundredths.
    pub const MAX_HUNDREDTHS: u16 = 100 * 100;

    /// Returns a score, rounded to hundredths; `None` if `score` is not from 0 to 100. The type holds hundredths as an
    /// integer, so that the order of anime by score is exact.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 10000 once the range is checked"
    )]
    pub fn new(score: f64) -> Option<Self> {
        (0.0..=100.0)
            .contains(&score)
            .then(|| Self((score * 100.0).round() as u16))
    }

    /// Returns the score in hundredths, 0 to 10000.
    pub fn hundredths(self) -> u16 {
        self.0
    }
}

impl From<Score> for f64 {
    fn from(score: Score) -> Self {
        Self::from(score.0) / 100.0
    }
}

impl TryFrom<f64> for Score {
    type Error = &'static str;

    fn try_from(score: f64) -> Result<Self, Self::Error> {
        Self::new(score).ok_or("a score must be between 0 and 100")
    }
}
