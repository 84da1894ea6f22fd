//! The part of a page that shows who has corrected a field, when and why, and what the sources state.

use std::collections::HashMap;

use catalogue::corrections::{CorrectableField, Correction};
use maud::{Markup, html};
use pages::language::Localizer;
use shared::models::UserId;

use crate::labels::field_value;

/// The maximum length of a text on the page, in characters.
const MAX_TEXT_CHARACTERS: usize = 80;

/// The names of moderators. Deleted moderators are missing.
pub(crate) type ModeratorNames = HashMap<UserId, String>;

/// Renders a correction.
pub(crate) fn correction_details(
    l10n: &Localizer,
    names: &ModeratorNames,
    field: &CorrectableField,
    correction: &Correction,
) -> Markup {
    let name = names.get(&correction.by).cloned().unwrap_or_else(|| {
        let id = correction.by.get().to_string();
        l10n.format("correct-by-deleted", [("id", id.into())])
    });
    let at = l10n.unix_date_time(correction.at / 1000);
    let author = l10n.format("correct-by", [("name", name.into()), ("time", at.into())]);
    let stated = field_value(l10n, field, &correction.stated);
    html! {
        small { span.badge { (l10n.text("correct-corrected")) } " " (author) }
        small dir="auto" { (shorten(&correction.note)) }
        @if stated.is_empty() {
            small { (l10n.text("correct-stated-nothing")) }
        } @else {
            small { (l10n.text("correct-stated")) " " bdi { (shorten(&stated)) } }
        }
    }
}

/// Returns a text, or its beginning if it is longer than [`MAX_TEXT_CHARACTERS`].
pub(crate) fn shorten(text: &str) -> String {
    if text.chars().count() <= MAX_TEXT_CHARACTERS {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_TEXT_CHARACTERS - 1).collect();
    format!("{start}…")
}
