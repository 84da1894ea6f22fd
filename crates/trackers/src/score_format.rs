//! The scores that a tracker can hold.

use shared::models::UserScore;

/// The format in which a user enters scores at a tracker (docs/trackers.md, "Scores").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreFormat {
    /// Scores from 1 to 100, or from 0.1 to 10.0.
    #[default]
    Hundred,
    /// Scores from 1 to 10.
    Ten,
    /// 1 to 5 stars.
    Stars,
    /// One of three smileys.
    Smileys,
}

impl ScoreFormat {
    /// Returns the format with this name at tracker A. An unknown name counts as [`Self::Hundred`].
    pub fn of_name(name: &str) -> Self {
        match name {
            "POINT_10" => Self::Ten,
            "POINT_5" => Self::Stars,
            "POINT_3" => Self::Smileys,
            _ => Self::Hundred,
        }
    }

    /// Returns the nearest score that this format can hold.
    pub fn round(self, score: UserScore) -> UserScore {
        let nearest = |values: &[u16]| {
            let distance = |value: &u16| value.abs_diff(score.tenths());
            let nearest = values.iter().copied().min_by_key(distance);
            nearest.and_then(UserScore::from_tenths).unwrap_or(score)
        };
        match self {
            Self::Hundred => score.round_to(10),
            Self::Ten => score.round_to(100),
            Self::Stars => nearest(&[100, 300, 500, 700, 900]),
            Self::Smileys => nearest(&[350, 600, 850]),
        }
    }

    /// Returns the number to send for the nearest score of this format. It is out of 10 for [`Self::Ten`], and out
    /// of 100 for the other formats. 0 stands for no score.
    pub(super) fn to_number(self, score: Option<UserScore>) -> u16 {
        let tenths = score.map_or(0, |score| self.round(score).tenths());
        tenths / if self == Self::Ten { 100 } else { 10 }
    }
}

#[cfg(test)]
mod tests {
    use super::ScoreFormat;
    use super::ScoreFormat::{Hundred, Smileys, Stars, Ten};
    use shared::models::UserScore;

    fn rounded(format: ScoreFormat, tenths: u16) -> u16 {
        format
            .round(UserScore::from_tenths(tenths).unwrap())
            .tenths()
    }

    #[test]
    fn score_becomes_the_nearest_one_of_the_format() {
        for (tenths, hundred, ten, stars, smileys) in [
            (1, 10, 100, 100, 350),
            (14, 10, 100, 100, 350),
            (149, 150, 100, 100, 350),
            (150, 150, 200, 100, 350),
            (500, 500, 500, 500, 600),
            (604, 600, 600, 700, 600),
            (875, 880, 900, 900, 850),
            (1000, 1000, 1000, 900, 850),
        ] {
            let all = [Hundred, Ten, Stars, Smileys].map(|format| rounded(format, tenths));
            assert_eq!(all, [hundred, ten, stars, smileys], "{tenths}");
        }
    }

    #[test]
    fn format_holds_its_own_scores() {
        for format in [Hundred, Ten, Stars, Smileys] {
            for tenths in 1..=1000 {
                let once = rounded(format, tenths);
                assert_eq!(rounded(format, once), once, "{format:?} {tenths}");
            }
        }
    }

    #[test]
    fn formats_have_the_names_of_tracker_a() {
        let names = [
            "POINT_100",
            "POINT_10_DECIMAL",
            "POINT_10",
            "POINT_5",
            "POINT_3",
            "POINT_7",
        ];
        let formats = names.map(ScoreFormat::of_name);
        assert_eq!(formats, [Hundred, Hundred, Ten, Stars, Smileys, Hundred]);
    }
}
