//! Scores on the scale that a visitor has chosen.

use std::borrow::Cow;

use shared::models::{Score, ScoreScale, UserScore};

use super::Localizer;

impl Localizer {
    /// Returns a score of a user, rounded to the scale. Forms read it again with [`ScoreScale::read`].
    pub fn score(&self, score: UserScore) -> String {
        self.number(self.display().scores.round(score))
    }

    /// Returns the score of an anime, an average. It keeps a decimal on every scale.
    pub fn average_score(&self, score: Score) -> String {
        let (scale, score) = (self.display().scores, f64::from(score));
        match scale {
            ScoreScale::Hundred => self.number(score),
            scale => self.number((scale.points(score) * 10.0).round() / 10.0),
        }
    }

    /// Returns the mean of a user's scores, from 0 to 100, on the scale with two decimals.
    pub fn mean_score(&self, mean: f64) -> String {
        let points = self.display().scores.points(mean);
        self.number((points * 100.0).round() / 100.0)
    }

    /// Returns the hint for a field in which the user types a score. It is empty if the user chooses the score from
    /// [`Self::score_choices`].
    pub fn score_hint(&self) -> String {
        match self.display().scores {
            ScoreScale::Hundred => self.text("story-score-hint"),
            ScoreScale::Halves => self.text("score-hint-halves"),
            ScoreScale::Decimals => self.text("score-hint-decimals"),
            ScoreScale::Ten | ScoreScale::Stars => String::new(),
        }
    }

    /// Returns the values and labels of a list from which the user chooses a score, beginning with no score; `None` if
    /// the scale has too many scores for a list.
    pub fn score_choices(&self) -> Option<Vec<(Cow<'static, str>, String)>> {
        let scale = self.display().scores;
        let choice = |score| {
            let points = self.score(score);
            let label = match scale {
                ScoreScale::Stars => format!("{points} ★"),
                _ => points.clone(),
            };
            (points.into(), label)
        };
        let none = ("".into(), "–".to_owned());
        let scores = scale.choices()?.into_iter().map(choice);
        Some(std::iter::once(none).chain(scores).collect())
    }
}

#[cfg(test)]
mod tests {
    use shared::models::{DisplaySettings, Score, ScoreScale, UserScore};

    use super::super::Localizer;

    fn localizer(scores: ScoreScale) -> Localizer {
        Localizer::new(Some("fr"), &[]).with_display(DisplaySettings {
            scores,
            ..DisplaySettings::default()
        })
    }

    #[test]
    fn scores_follow_the_scale_and_the_language() {
        let (own, average) = (
            UserScore::from_tenths(873).unwrap(),
            Score::new(86.51).unwrap(),
        );
        for (scale, expected) in [
            (ScoreScale::Hundred, ["87,3", "86,51", "87,3"]),
            (ScoreScale::Ten, ["9", "8,7", "8,73"]),
            (ScoreScale::Halves, ["8,5", "8,7", "8,73"]),
            (ScoreScale::Decimals, ["8,7", "8,7", "8,73"]),
            (ScoreScale::Stars, ["4", "4,3", "4,37"]),
        ] {
            let l10n = localizer(scale);
            let found = [
                l10n.score(own),
                l10n.average_score(average),
                l10n.mean_score(87.3),
            ];
            assert_eq!(found, expected, "{scale:?}");
        }
    }

    #[test]
    fn short_scales_have_choices() {
        let count = |scale| {
            localizer(scale)
                .score_choices()
                .map(|choices| choices.len())
        };
        assert_eq!(count(ScoreScale::Ten), Some(11));
        assert_eq!(count(ScoreScale::Stars), Some(6));
        assert_eq!(count(ScoreScale::Halves), None);
    }
}
