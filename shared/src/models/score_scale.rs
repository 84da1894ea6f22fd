//! The scales on which users think of scores. Scores are always stored from 0.1 to 100 ([`UserScore`]).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::UserScore;
use crate::value_names;

// The names are those in rows, cookies and forms.
value_names! {
    /// The scale on which pages show scores and read them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum ScoreScale {
        /// 1 to 10.
        Ten = "ten",
        /// 1 to 10 in steps of 0.5.
        Halves = "halves",
        /// 1 to 10 with a decimal.
        Decimals = "decimals",
        /// 1 to 100, with a decimal. It can hold every score.
        #[default]
        Hundred = "hundred",
        /// One to five stars.
        Stars = "stars",
    }
}

impl ScoreScale {
    /// Returns one point of the scale, in tenths of a [`UserScore`].
    fn point(self) -> u16 {
        match self {
            Self::Hundred => 10,
            Self::Ten | Self::Halves | Self::Decimals => 100,
            Self::Stars => 200,
        }
    }

    /// Returns the distance between two scores of the scale, in tenths of a [`UserScore`].
    fn increment(self) -> u16 {
        match self {
            Self::Hundred => 1,
            Self::Decimals => 10,
            Self::Halves => 50,
            Self::Ten => 100,
            Self::Stars => 200,
        }
    }

    /// Converts a number from 0 to 100 to points.
    pub fn points(self, of_hundred: f64) -> f64 {
        of_hundred * 10.0 / f64::from(self.point())
    }

    /// Returns the number of points of the nearest score on the scale.
    pub fn round(self, score: UserScore) -> f64 {
        self.points(score.round_to(self.increment()).into())
    }

    /// Returns all scores of the scale, the lowest first, if there are few enough for a page to list them.
    pub fn choices(self) -> Option<Vec<UserScore>> {
        let step = self.increment();
        let has_few = matches!(self, Self::Ten | Self::Stars);
        has_few.then(|| {
            let numbers = (1..=1000 / step).map(|number| number * step);
            numbers.filter_map(UserScore::from_tenths).collect()
        })
    }

    /// Reads a number of points with a point or a comma before the decimals. An empty text and 0 mean that there is no
    /// score.
    pub fn read(self, text: &str) -> Result<Option<UserScore>, &'static str> {
        if text.is_empty() {
            return Ok(None);
        }
        let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
        let number = text.replace(',', ".").parse::<f64>().ok();
        // A text that is not a number gets the same error as a number out of range.
        let number = number
            .filter(|_| text.bytes().all(is_digit))
            .unwrap_or(f64::NAN);
        let score = UserScore::parse(number * f64::from(self.point()) / 10.0);
        let score = score.map_err(|_| self.fault())?;
        let is_on_scale = score.is_none_or(|score| score.round_to(self.increment()) == score);
        is_on_scale.then_some(score).ok_or(self.fault())
    }

    /// Returns the reason why a text is not a score of the scale.
    fn fault(self) -> &'static str {
        match self {
            Self::Hundred => "must be a number from 0 to 100 with at most one decimal",
            Self::Ten => "must be a whole number from 0 to 10",
            Self::Halves => "must be a number from 0 to 10 in steps of 0.5",
            Self::Decimals => "must be a number from 0 to 10 with at most one decimal",
            Self::Stars => "must be a whole number from 0 to 5",
        }
    }

    /// Returns the ranges of the scale into which statistics divide scores, each with its first and its last number of
    /// points. Each range covers 10 points of 100, or 20 for stars.
    pub fn ranges(self) -> Vec<(f64, f64)> {
        let width = self.increment().max(100);
        // The smallest difference between two numbers that people write down. For 1 to 100, it is a whole number.
        let step = self.increment().max(10);
        let range = |number: u16| {
            let last = number * width;
            let first = last - width + step;
            // Imported scores can be below the lowest one.
            let first = if number == 1 && first < last {
                0
            } else {
                first
            };
            let points = |tenths: u16| self.points(f64::from(tenths) / 10.0);
            (points(first), points(last))
        };
        (1..=1000 / width).map(range).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::ScoreScale::{self, Decimals, Halves, Hundred, Stars, Ten};
    use crate::models::UserScore;

    fn score(tenths: u16) -> UserScore {
        UserScore::from_tenths(tenths).unwrap()
    }

    #[test]
    fn names_are_those_of_rows() {
        for (scale, name) in ScoreScale::ALL {
            let json = format!("\"{name}\"");
            assert_eq!(serde_json::to_string(&scale).unwrap(), json);
            assert_eq!(serde_json::from_str::<ScoreScale>(&json).unwrap(), scale);
            assert_eq!(
                (scale.name(), ScoreScale::from_name(name)),
                (name, Some(scale))
            );
        }
        assert_eq!(ScoreScale::from_name("smileys"), None);
    }

    #[test]
    fn scores_are_rounded_to_the_scale() {
        for (tenths, points) in [
            (870, [87.0, 9.0, 8.5, 8.7, 4.0]),
            (875, [87.5, 9.0, 9.0, 8.8, 4.0]),
            (900, [90.0, 9.0, 9.0, 9.0, 5.0]),
            (1, [0.1, 1.0, 0.5, 0.1, 1.0]),
            (1000, [100.0, 10.0, 10.0, 10.0, 5.0]),
        ] {
            let all = [Hundred, Ten, Halves, Decimals, Stars];
            // Numbers with at most one decimal are equal if their texts are.
            let rounded = all.map(|scale| scale.round(score(tenths)).to_string());
            assert_eq!(rounded, points.map(|points| points.to_string()), "{tenths}");
        }
    }

    #[test]
    fn rounded_scores_are_read_again() {
        for (scale, _) in ScoreScale::ALL {
            for tenths in 1..=1000 {
                let points = scale.round(score(tenths));
                let read = scale.read(&points.to_string()).unwrap().unwrap();
                assert_eq!(
                    scale.round(read).to_string(),
                    points.to_string(),
                    "{tenths}"
                );
            }
            let all = scale.choices().unwrap_or_default();
            assert!(
                all.iter()
                    .all(|one| scale.read(&scale.round(*one).to_string()) == Ok(Some(*one)))
            );
            assert_eq!(scale.read(""), Ok(None));
            assert_eq!(scale.read("0"), Ok(None));
            for invalid in ["a", "-1", "+1", "1e1", "NaN", "1.2.3", "101", "1,234"] {
                assert!(scale.read(invalid).is_err(), "{scale:?} {invalid}");
            }
        }
    }

    #[test]
    fn scores_between_two_steps_are_refused() {
        assert_eq!(Halves.read("7,5"), Ok(Some(score(750))));
        assert_eq!(Stars.read("5"), Ok(Some(score(1000))));
        for (scale, text) in [
            (Ten, "11"),
            (Ten, "7.5"),
            (Halves, "7.25"),
            (Halves, "10.5"),
            (Decimals, "7.25"),
            (Hundred, "87.55"),
            (Stars, "6"),
            (Stars, "2.5"),
        ] {
            assert_eq!(scale.read(text), Err(scale.fault()), "{scale:?} {text}");
        }
    }

    #[test]
    fn ranges_cover_the_scale() {
        let ends = |scale: ScoreScale| {
            let ranges = scale.ranges();
            (ranges.len(), ranges[0], ranges[1], ranges[ranges.len() - 1])
        };
        assert_eq!(
            ends(Hundred),
            (10, (0.0, 10.0), (11.0, 20.0), (91.0, 100.0))
        );
        assert_eq!(ends(Ten), (10, (1.0, 1.0), (2.0, 2.0), (10.0, 10.0)));
        assert_eq!(ends(Halves), (10, (0.0, 1.0), (1.5, 2.0), (9.5, 10.0)));
        assert_eq!(ends(Decimals), (10, (0.0, 1.0), (1.1, 2.0), (9.1, 10.0)));
        assert_eq!(ends(Stars), (5, (1.0, 1.0), (2.0, 2.0), (5.0, 5.0)));
    }
}
