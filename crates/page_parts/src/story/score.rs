//! The control that sets the score of an entry without the form of the entry.

use maud::{Markup, Render, html};
use pages::language::Localizer;
use pages::paths::LIST_SCORE;
use shared::input::Form;
use shared::models::UserScore;

use super::back::ReturnPage;
use super::form::hidden_fields;
use super::key::StoryKey;
use super::score_input::has_stars;

/// The identifier of the form to which the controls of all entries of a page belong. One form for all makes the page
/// smaller than one form for each.
pub const SCORE_FORM: &str = "rate";

/// Renders the form to which the [`ScoreControl`]s of a page belong. If a page has several, it also needs a button of
/// this form. Otherwise the Enter key would not send it.
pub fn score_form(csrf: &str, back: &ReturnPage) -> Markup {
    html! { form #(SCORE_FORM) method="post" action=(LIST_SCORE) { (hidden_fields(csrf, None, back)) } }
}

/// The control with the score of an entry. Its name is the [`StoryKey`], a colon, and the score as the page shows it.
/// So the form shows which of its scores have changed, even if it is sent with the Enter key.
pub struct ScoreControl<'a> {
    /// The language, with the scale.
    pub l10n: &'a Localizer,
    /// The story as the page shows it.
    pub key: &'a StoryKey,
    /// The present score.
    pub score: Option<UserScore>,
    /// The identifier of the element with the title of the anime.
    pub title_id: &'a str,
}

impl Render for ScoreControl<'_> {
    fn render(&self) -> Markup {
        let (l10n, title_id) = (self.l10n, self.title_id);
        let label = l10n.text("story-score");
        let value = self.score.map(|score| l10n.score(score));
        let value = value.unwrap_or_default();
        let name = format!("{}:{value}", self.key.text());
        // A list of 11 scores for each of 50 entries would be too large, but five stars are not.
        let stars = l10n.score_choices().filter(|_| has_stars(l10n));
        html! {
            span.sc {
                @if let Some(stars) = stars {
                    select form=(SCORE_FORM) name=(name) aria-label=(label) aria-describedby=(title_id) {
                        // The text of an option without a value is its value. The style sheet adds the star.
                        @for (points, _) in stars {
                            option value=[points.is_empty().then_some("")] selected[points == value] {
                                @if points.is_empty() { "–" } @else { (points) }
                            }
                        }
                    }
                } @else {
                    input form=(SCORE_FORM) name=(name) value=(value) placeholder=[value.is_empty().then_some("–")]
                        inputmode="decimal" aria-label=(label) aria-describedby=(title_id);
                }
            }
        }
    }
}

/// A score that was changed on a page.
#[derive(Debug, PartialEq, Eq)]
pub struct ChangedScore<'f> {
    /// The story as the page showed it.
    pub key: StoryKey,
    /// The text that was entered.
    pub text: &'f str,
}

/// Returns the scores of a form that differ from those that its page showed.
pub fn changed_scores(form: &Form) -> Vec<ChangedScore<'_>> {
    let changed = form.iter().filter_map(|(name, text)| {
        let (key, shown) = name.rsplit_once(':')?;
        let (key, text) = (StoryKey::read(key)?, text.trim());
        (text != shown).then_some(ChangedScore { key, text })
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    use shared::input::Form;

    use super::changed_scores;

    #[test]
    fn unchanged_scores_and_other_fields_are_left_out() {
        let body = b"csrf=a&back=%2Flist&21%3A0-3-0%3A8=8&22%3A0-3-0%3A=+&23%3A0-3-0%3A8%2C5=9&24%3A0-3-0%3A7=\
                     &x%3A%3A=1&25%3A0-3-0=5";
        let form = Form::parse(body).unwrap();
        let found = changed_scores(&form);
        let found: Vec<_> = found.iter().map(|one| (one.key.text(), one.text)).collect();
        let expected = [("23:0-3-0".to_owned(), "9"), ("24:0-3-0".to_owned(), "")];
        assert_eq!(found, expected);
    }
}
