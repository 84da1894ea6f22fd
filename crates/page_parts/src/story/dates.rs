//! The control of a date of a story.

use maud::{Markup, html};
use pages::language::Localizer;
use shared::models::PartialDate;

/// Renders the control of a date without its label: a text, because a date may lack its day and its month. With the
/// script, a picker and a button for today fill it. `name` is the name of the field and its identifier.
pub fn date_input(l10n: &Localizer, name: &str, value: &str) -> Markup {
    date_control(l10n, name, value, None, false)
}

/// Renders [`date_input`] with a reference to its hint and its error.
pub(super) fn date_control(
    l10n: &Localizer,
    name: &str,
    value: &str,
    described_by: Option<&str>,
    is_invalid: bool,
) -> Markup {
    // The picker knows only whole days.
    let day = Some(value).filter(|text| text.len() == 10 && PartialDate::parse(text).is_ok());
    html! {
        span.date {
            input id=(name) name=(name) value=(value) autocomplete="off" autocapitalize="none" spellcheck="false"
                size="10" aria-describedby=[described_by] aria-invalid=[is_invalid.then_some("true")];
            input.scripted type="date" min="1900-01-01" max="9999-12-31" value=[day] data-fills=(name)
                aria-label=(l10n.text("story-date-pick"));
            button.button.secondary.scripted type="button" data-fills=(name) { (l10n.text("story-date-today")) }
        }
    }
}
