//! The names of fields, the values of fields, and the reasons why a correction is refused, in the language of a page.

use catalogue::corrections::{CorrectableField, Fault, FieldKind, Refusal};
use pages::language::Localizer;
use pages::layout::Choice;
use serde_json::Value;
use shared::models::{AnimeFormat, AnimeStatus, Season, SongType, Weekday, WireEnum};

/// The fields, and the identifiers of the messages with their labels.
const FIELDS: [(&str, &str); 32] = [
    ("titles", "form-title"),
    ("descriptions", "anime-description"),
    ("format", "browse-format"),
    ("status", "correct-status"),
    ("episodes_count", "correct-episodes-count"),
    ("episode_duration", "correct-episode-duration"),
    ("start_date", "correct-start-date"),
    ("end_date", "correct-end-date"),
    ("weekly_airing_day", "correct-weekly-airing-day"),
    ("season_period", "anime-season"),
    ("season_year", "correct-season-year"),
    ("genres", "browse-genres"),
    ("studios", "anime-studios"),
    ("nsfw", "correct-nsfw"),
    ("sequel", "correct-sequel"),
    ("prequel", "correct-prequel"),
    ("recommendations", "correct-recommendations"),
    ("cover_image", "correct-cover-image"),
    ("cover_color", "correct-cover-color"),
    ("banner_image", "correct-banner-image"),
    ("trailer_url", "anime-trailer"),
    ("database_id", "correct-database-id"),
    ("title", "form-title"),
    ("artist", "song-artist"),
    ("album", "song-album"),
    ("type", "correct-type"),
    ("year", "browse-year"),
    ("season", "anime-season"),
    ("duration", "correct-duration"),
    ("preview_url", "song-preview"),
    ("open_player_url", "correct-open-player-url"),
    ("local_player_url", "correct-local-player-url"),
];

/// Returns the name of a field, with its localization code if it is a text in a language.
pub(crate) fn field_name(l10n: &Localizer, name: &str) -> String {
    let (name, code) = match name.split_once('.') {
        Some((name, code)) => (name, Some(code)),
        None => (name, None),
    };
    let known = FIELDS.iter().find(|(field, _)| *field == name);
    let label = known.map_or_else(|| name.to_owned(), |(_, id)| l10n.text(id));
    match code {
        Some(code) => format!("{label} ({code})"),
        None => label,
    }
}

/// Returns the hint for a form field with a value of this kind; empty if the label says enough.
pub(crate) fn field_hint(l10n: &Localizer, kind: FieldKind) -> String {
    match kind {
        FieldKind::Url => l10n.text("correct-hint-url"),
        FieldKind::AppUrl => l10n.text("correct-hint-app-url"),
        FieldKind::Color => l10n.text("correct-hint-color"),
        FieldKind::Day => l10n.text("correct-hint-day"),
        FieldKind::Duration => l10n.text("correct-hint-duration"),
        FieldKind::Genres => l10n.text("correct-hint-genres"),
        FieldKind::Studios => l10n.text("correct-hint-studios"),
        FieldKind::Anime => l10n.text("correct-hint-anime"),
        FieldKind::AnimeList => l10n.text("correct-hint-anime-list"),
        FieldKind::Number(least, most) => range_text(l10n, "correct-hint-number", least, most),
        FieldKind::Line | FieldKind::Lines | FieldKind::Choice(_) | FieldKind::YesNo => {
            String::new()
        }
    }
}

/// Returns a value as pages show it; empty if it is unknown.
pub(crate) fn field_value(l10n: &Localizer, field: &CorrectableField, value: &Value) -> String {
    let text = field.format(value);
    match field.kind {
        FieldKind::Choice(_) | FieldKind::YesNo => choice_label(l10n, field.name, &text),
        _ => text,
    }
}

/// Returns the choices of a field, each with its value in the form.
pub(crate) fn choices(l10n: &Localizer, field: &CorrectableField) -> Vec<Choice<'static>> {
    let names = match field.kind {
        FieldKind::Choice(names) => names(),
        FieldKind::YesNo => vec!["yes", "no"],
        _ => Vec::new(),
    };
    let names = names.into_iter();
    names
        .map(|name| (name.into(), choice_label(l10n, field.name, name)))
        .collect()
}

fn choice_label(l10n: &Localizer, field: &str, name: &str) -> String {
    let known = match field {
        "format" => AnimeFormat::from_name(name).map(|format| l10n.anime_format(format)),
        "status" => AnimeStatus::from_name(name).map(|status| l10n.anime_status(status)),
        "weekly_airing_day" => Weekday::from_name(name).map(|day| l10n.weekday(day)),
        "type" => SongType::from_name(name).map(|kind| l10n.song_type(kind)),
        "season" | "season_period" => {
            let season = Season::from_name(name).and_then(|season| l10n.season(season));
            Some(season.unwrap_or_else(|| l10n.text("correct-unknown")))
        }
        _ => None,
    };
    known.unwrap_or_else(|| match name {
        "yes" => l10n.text("correct-yes"),
        "no" => l10n.text("correct-no"),
        _ => String::new(),
    })
}

/// Returns the sentence that says why a value or a note is rejected.
fn fault_sentence(l10n: &Localizer, fault: &Fault) -> String {
    match fault {
        Fault::Required => l10n.text("correct-fault-required"),
        Fault::TooLong(most) => {
            let most = u64::try_from(*most).unwrap_or_default();
            l10n.format("correct-fault-too-long", [("count", most.into())])
        }
        Fault::Unprintable => l10n.text("correct-fault-unprintable"),
        Fault::NotUrl => l10n.text("correct-fault-url"),
        Fault::NotAppUrl => l10n.text("correct-fault-app-url"),
        Fault::NotColor => l10n.text("correct-fault-color"),
        Fault::NotNumber(least, most) => range_text(l10n, "correct-fault-number", *least, *most),
        Fault::NotDay => l10n.text("correct-fault-day"),
        Fault::NotDuration => l10n.text("correct-fault-duration"),
        Fault::NotChoice => l10n.text("correct-fault-choice"),
        Fault::TooMany(most) => {
            let most = u64::try_from(*most).unwrap_or_default();
            l10n.format("correct-fault-too-many", [("count", most.into())])
        }
        Fault::UnknownGenre(name) => {
            l10n.format("correct-fault-genre", [("name", name.as_str().into())])
        }
        Fault::UnknownAnime(id) => l10n.format("correct-fault-anime", [("id", id.as_str().into())]),
        Fault::Itself => l10n.text("correct-fault-itself"),
        Fault::LastTitle => l10n.text("correct-fault-last-title"),
    }
}

/// Returns the name of the form field with the error, if there is one, and the sentence that says why the correction
/// is refused.
pub(crate) fn refusal_sentence(
    l10n: &Localizer,
    refusal: &Refusal,
) -> (Option<&'static str>, String) {
    match refusal {
        Refusal::Value(fault) => (Some("value"), fault_sentence(l10n, fault)),
        Refusal::Note(fault) => (Some("note"), fault_sentence(l10n, fault)),
        Refusal::Changed => (None, l10n.text("correct-refused-changed")),
        Refusal::TooMany => (None, l10n.text("correct-refused-too-many")),
        Refusal::Unpublished => (None, l10n.text("correct-refused-unpublished")),
    }
}

fn range_text(l10n: &Localizer, id: &str, least: u32, most: u32) -> String {
    // The numbers are passed as texts, because the digits of a year must not be grouped.
    let (least, most) = (least.to_string(), most.to_string());
    l10n.format(id, [("least", least.into()), ("most", most.into())])
}

#[cfg(test)]
mod tests {
    use pages::language::Localizer;

    use super::FIELDS;

    /// A message that does not exist is shown as its identifier.
    #[test]
    fn labels_have_messages() {
        let l10n = Localizer::default();
        for (field, id) in FIELDS {
            assert_ne!(l10n.text(id), id, "{field}");
        }
    }
}
