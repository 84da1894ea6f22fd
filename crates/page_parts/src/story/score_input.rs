//! The control of the score in the form of an entry.

use std::borrow::Cow;

use maud::{Markup, html};
use pages::language::Localizer;
use shared::models::{ScoreScale, UserScore};

/// Renders the control of a score without its label: stars, a choice of whole numbers, or a text, depending on the
/// scale. Its name and its identifier are `score`.
pub fn score_input(l10n: &Localizer, score: Option<UserScore>) -> Markup {
    let value = score.map(|score| l10n.score(score));
    score_control(l10n, &value.unwrap_or_default(), None, false)
}

/// Renders [`score_input`] with any text as its value, and with a reference to its hint and its error.
pub(super) fn score_control(
    l10n: &Localizer,
    value: &str,
    described_by: Option<&str>,
    is_invalid: bool,
) -> Markup {
    let invalid = is_invalid.then_some("true");
    let choices = l10n.score_choices();
    html! {
        @match choices {
            Some(stars) if has_stars(l10n) => { (star_buttons(l10n, &stars, value, described_by)) },
            Some(choices) => {
                select #score name="score" aria-describedby=[described_by] aria-invalid=[invalid] {
                    @for (points, text) in choices {
                        option value=(points) selected[points == value] { (text) }
                    }
                }
            },
            None => {
                input #score name="score" value=(value) inputmode="decimal" autocomplete="off"
                    aria-describedby=[described_by] aria-invalid=[invalid];
            },
        }
    }
}

/// Renders the stars as radio buttons. The first one is for no score.
fn star_buttons(
    l10n: &Localizer,
    stars: &[(Cow<'_, str>, String)],
    value: &str,
    described_by: Option<&str>,
) -> Markup {
    html! {
        span #score .stars role="radiogroup" aria-label=(l10n.text("story-score")) aria-describedby=[described_by] {
            @for (number, (points, text)) in stars.iter().enumerate() {
                @let is_none = number == 0;
                @let name = if is_none { l10n.text("story-no-score") } else { text.clone() };
                label title=(name) {
                    input type="radio" name="score" value=(points)
                        checked[points == value] aria-label=(name);
                    span aria-hidden="true" { @if is_none { "–" } @else { "★" } }
                }
            }
        }
    }
}

pub(super) fn has_stars(l10n: &Localizer) -> bool {
    l10n.display().scores == ScoreScale::Stars
}
