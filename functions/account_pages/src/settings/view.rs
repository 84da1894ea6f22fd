//! Rendering of the page `/settings`.

use maud::{Markup, html};
use pages::browser_settings::Theme;
use pages::form::{PostForm, translate_choices};
use pages::form_page::PageForms;
use pages::language::own_name;
use pages::layout::{Choice, Control, Field};
use pages::paths::SETTINGS;
use shared::models::{Language, ScoreScale, TimeZone, TitleLanguage};

/// The value that a visitor without an account chooses for the language that the browser prefers.
pub(super) const BROWSER_LANGUAGE: &str = "browser";

/// Everything that the page shows.
pub(super) struct DisplayView<'a> {
    /// The forms. Their language has the present settings.
    pub forms: &'a PageForms,
    /// The locale code of the account, or of the language that a visitor has chosen; else [`BROWSER_LANGUAGE`].
    pub language: &'a str,
    /// The theme of the browser.
    pub theme: Theme,
    /// The time zone of the account in which the settings are stored; `None` without an account.
    pub account_zone: Option<TimeZone>,
    /// The time zone of the browser, if it is known.
    pub browser_zone: Option<TimeZone>,
}

impl DisplayView<'_> {
    /// Renders the content of the page.
    pub(super) fn body(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let display = l10n.display();
        let titles = TitleLanguage::ALL.map(|(titles, name)| (name, titles_message(titles)));
        let scores = ScoreScale::ALL.map(|(scale, name)| (name, scale_message(scale)));
        let themes = Theme::ALL.map(|(theme, name)| (name, theme_message(theme)));
        let titles = Control::Radio(translate_choices(l10n, titles));
        let themes = Control::Radio(translate_choices(l10n, themes));
        let languages = Control::Select(self.languages());
        let scores = Control::Radio(translate_choices(l10n, scores));
        let time_zone = self.account_zone.map(|zone| {
            let zones = Control::Select(zone_choices(zone));
            Field::new(l10n, "time_zone", zones, "display-time-zone")
                .with_hint(self.zone_hint())
                .with_value(zone.name())
        });
        let fields = [
            Field::new(l10n, "language", languages, "settings-language").with_value(self.language),
            Field::new(l10n, "theme", themes, "display-theme")
                .with_hint(l10n.text("display-theme-hint"))
                .with_value(self.theme.name()),
            Field::new(l10n, "titles", titles, "anime-titles")
                .with_hint(l10n.text("display-titles-hint"))
                .with_value(display.titles.name()),
            Field::new(l10n, "scores", scores, "display-scores")
                .with_hint(l10n.text("display-scores-hint"))
                .with_value(display.scores.name()),
        ];
        let fields: Vec<Field<'_>> = fields.into_iter().chain(time_zone).collect();
        let kept = if self.account_zone.is_some() {
            "display-kept-account"
        } else {
            "display-kept-cookie"
        };
        html! {
            (self.forms.notice())
            (PostForm {
                fields: &fields,
                ..self.forms.post(SETTINGS, "form-save")
            })
            p.hint { (l10n.text(kept)) }
        }
    }

    /// Returns the languages of the pages, each in itself. They include that of the account, because an API client may
    /// have set another one.
    fn languages(&self) -> Vec<Choice<'_>> {
        let l10n = &self.forms.l10n;
        let of_pages = Language::ALL.map(|language| (language.code(), own_name(language)));
        let of_pages = of_pages.map(|(code, name)| (code.into(), name.to_owned()));
        let is_of_page = Language::ALL
            .iter()
            .any(|language| language.code() == self.language);
        let other = match self.account_zone {
            None => Some((BROWSER_LANGUAGE, l10n.text("display-language-browser"))),
            Some(_) if is_of_page => None,
            Some(_) => Some((self.language, l10n.title_language(self.language))),
        };
        let other = other.map(|(code, name)| (code.into(), name));
        other.into_iter().chain(of_pages).collect()
    }

    /// Returns the explanation of the time zone. It names the browser's time zone if it differs from the account's.
    fn zone_hint(&self) -> String {
        let l10n = &self.forms.l10n;
        let hint = l10n.text("display-time-zone-hint");
        let other = self
            .browser_zone
            .filter(|zone| Some(*zone) != self.account_zone);
        match other {
            Some(zone) => {
                let zone = [("zone", zone.name().into())];
                format!("{hint} {}", l10n.format("display-time-zone-browser", zone))
            }
            None => hint,
        }
    }
}

/// Returns the time zones to choose from. They include `present`, because an API client may have set a name that is not
/// among them.
fn zone_choices(present: TimeZone) -> Vec<Choice<'static>> {
    let mut zones: Vec<TimeZone> = TimeZone::places().collect();
    if !zones.contains(&present) {
        zones.push(present);
    }
    let choice = |zone: TimeZone| (zone.name().into(), zone.name().replace('_', " "));
    zones.into_iter().map(choice).collect()
}

fn theme_message(theme: Theme) -> &'static str {
    match theme {
        Theme::Device => "display-theme-device",
        Theme::Light => "display-theme-light",
        Theme::Dark => "display-theme-dark",
    }
}

fn titles_message(titles: TitleLanguage) -> &'static str {
    match titles {
        TitleLanguage::Page => "display-titles-page",
        TitleLanguage::Romaji => "display-titles-romaji",
        TitleLanguage::Japanese => "display-titles-japanese",
    }
}

fn scale_message(scale: ScoreScale) -> &'static str {
    match scale {
        ScoreScale::Hundred => "display-scores-hundred",
        ScoreScale::Ten => "display-scores-ten",
        ScoreScale::Halves => "display-scores-halves",
        ScoreScale::Decimals => "display-scores-decimals",
        ScoreScale::Stars => "display-scores-stars",
    }
}
