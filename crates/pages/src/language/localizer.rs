//! The texts of a page in its language.

use std::collections::BTreeMap;

use fluent_bundle::{FluentArgs, FluentValue};
use maud::{Markup, Render, html};
use shared::auth::RegistrationMode;
use shared::models::{DisplaySettings, Language, TimeZone, primary_subtag};
use time::{Date, OffsetDateTime};

use super::messages::{self, Messages};
use crate::browser_settings::Theme;

/// The language of a page, the titles and scores that its visitor wants to read, and what every page needs for its
/// links: the rule for registrations, the time, and whether the visitor has a public profile.
#[derive(Clone, Debug)]
pub struct Localizer {
    language: Language,
    /// The localization codes of the visitor's languages, the preferred one first.
    codes: Vec<String>,
    display: DisplaySettings,
    time_zone: TimeZone,
    registration: RegistrationMode,
    theme: Theme,
    has_unreadable_account: bool,
    /// The time of the request, in seconds since the Unix epoch.
    now: Option<u64>,
    has_public_profile: bool,
}

impl Default for Localizer {
    fn default() -> Self {
        Self::new(None, &[])
    }
}

impl Localizer {
    /// Creates the localizer of a visitor. Its language is the first supported one among the account's `localization`
    /// and the browser's languages ([`super::accepted_languages`]), in this order, or else English. Titles can also be
    /// in languages that the pages do not support.
    pub fn new(account: Option<&str>, browser: &[String]) -> Self {
        let codes = || {
            account
                .into_iter()
                .chain(browser.iter().map(String::as_str))
        };
        let language = codes().find_map(Language::of);
        Self {
            language: language.unwrap_or(Language::English),
            codes: preferred_codes(codes()),
            display: DisplaySettings::default(),
            time_zone: TimeZone::UTC,
            registration: RegistrationMode::Open,
            theme: Theme::default(),
            has_unreadable_account: false,
            now: None,
            has_public_profile: false,
        }
    }

    /// Returns the localizer of a page that is in English only.
    #[must_use]
    pub fn in_english(self) -> Self {
        Self {
            language: Language::English,
            ..self
        }
    }

    /// Sets the rule for registrations.
    #[must_use]
    pub fn with_registration(self, registration: RegistrationMode) -> Self {
        Self {
            registration,
            ..self
        }
    }

    /// Sets the theme of the browser.
    #[must_use]
    pub fn with_theme(self, theme: Theme) -> Self {
        Self { theme, ..self }
    }

    /// Returns the theme that the visitor has chosen, for the attribute `data-theme`; `None` for the theme that the
    /// device prefers.
    pub fn theme(&self) -> Option<&'static str> {
        (self.theme != Theme::Device).then(|| self.theme.name())
    }

    /// Sets whether the account of the visitor could not be read.
    #[must_use]
    pub fn with_unreadable_account(self, has_unreadable_account: bool) -> Self {
        Self {
            has_unreadable_account,
            ..self
        }
    }

    /// Returns true if the visitor has a session that could not be read, so that the page does not know whether the
    /// visitor is signed in.
    pub fn has_unreadable_account(&self) -> bool {
        self.has_unreadable_account
    }

    /// Sets the titles and the scale of scores that the visitor wants to read.
    #[must_use]
    pub fn with_display(self, display: DisplaySettings) -> Self {
        Self { display, ..self }
    }

    /// Returns the titles and the scale of scores that the visitor wants to read.
    pub fn display(&self) -> DisplaySettings {
        self.display
    }

    /// Sets the time zone of days and times of day.
    #[must_use]
    pub fn with_time_zone(self, time_zone: TimeZone) -> Self {
        Self { time_zone, ..self }
    }

    /// Sets the time of the request, in seconds since the Unix epoch.
    #[must_use]
    pub fn at(self, now: Option<u64>) -> Self {
        Self { now, ..self }
    }

    /// Returns the time of the request, in seconds since the Unix epoch; `None` on pages that do not know it.
    pub fn now(&self) -> Option<u64> {
        self.now
    }

    /// Returns the present year in the time zone of the user; `None` on pages that do not know the time.
    pub fn this_year(&self) -> Option<i32> {
        let time = self.time_zone.local_time(self.now?)?;
        Some(time.year())
    }

    /// Sets whether the visitor has a public profile.
    #[must_use]
    pub fn with_public_profile(self, has_public_profile: bool) -> Self {
        Self {
            has_public_profile,
            ..self
        }
    }

    /// Returns true if the visitor has a public profile.
    pub fn has_public_profile(&self) -> bool {
        self.has_public_profile
    }

    /// Returns true if pages link to the sign-up page. Without open registration, the page is useless except with the
    /// link of an invitation.
    pub fn has_sign_up(&self) -> bool {
        self.registration == RegistrationMode::Open
    }

    /// Returns the localization codes of the visitor's languages, the preferred one first.
    pub(super) fn codes(&self) -> impl Iterator<Item = &str> {
        self.codes.iter().map(String::as_str)
    }

    /// Returns the language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns a message without variables.
    pub fn text(&self, id: &str) -> String {
        self.format(id, [])
    }

    /// Returns a message with these variables. Numbers are formatted as usual in the language, and choose plural forms.
    pub fn format<const N: usize>(
        &self,
        id: &str,
        variables: [(&'static str, FluentValue<'_>); N],
    ) -> String {
        self.message(id, &variables.into_iter().collect())
    }

    /// Returns a message with markup in place of its variables, such as a link in a sentence.
    pub fn markup<const N: usize>(
        &self,
        id: &str,
        variables: [(&'static str, Markup); N],
    ) -> Markup {
        // The value of each variable is a private-use character. The text is then split at these characters,
        // and the markup takes their place.
        let (mut arguments, mut marks) = (FluentArgs::new(), BTreeMap::new());
        for (mark, (name, markup)) in ('\u{e000}'..='\u{e0ff}').zip(variables) {
            arguments.set(name, mark.to_string());
            marks.insert(mark, markup);
        }
        let text = self.message(id, &arguments);
        let parts = text.split_inclusive(|letter| marks.contains_key(&letter));
        let parts = parts.map(|part| {
            let mut letters = part.chars();
            let markup = letters.next_back().and_then(|last| marks.get(&last));
            match markup {
                Some(markup) => html! { (letters.as_str()) (markup) },
                None => part.render(),
            }
        });
        html! { @for part in parts { (part) } }
    }

    fn message(&self, id: &str, variables: &FluentArgs<'_>) -> String {
        let found = Messages::of(self.language).format(id, variables);
        // The tests require every message in every language, so these fallbacks are not needed unless a test is
        // missing.
        let found = found.or_else(|| Messages::of(Language::English).format(id, variables));
        found.unwrap_or_else(|| id.to_owned())
    }

    /// Returns the translation of a text of the API, such as the reason of an error, or the text itself if there is
    /// no translation. The identifier of the message is `api-` and the words of the text. If there is no such
    /// message, the numbers, a quoted text and the name of a tracker become variables of a more general message. A text
    /// of several sentences can also have a message for each of them.
    pub fn translate(&self, text: &str) -> String {
        let whole = self.translate_whole(text);
        let found = whole.or_else(|| self.translate_sentences(text));
        found.unwrap_or_else(|| text.to_owned())
    }

    /// Returns the translation of a text that has a message of its own.
    fn translate_whole(&self, text: &str) -> Option<String> {
        let (id, mut variables) = messages::find_api_message(text)?;
        messages::localize_quotes(self.language, &mut variables);
        Messages::of(self.language).format(id, &variables)
    }

    /// Returns the translation of a text in which each sentence has a message. A quoted text can contain periods, so
    /// each period is tried as the end of the first sentence.
    fn translate_sentences(&self, text: &str) -> Option<String> {
        let mut ends = text.match_indices(". ").map(|(at, _)| at + 1);
        ends.find_map(|end| {
            let (first, rest) = text.split_at(end);
            let first = self.translate_whole(first)?;
            let rest = rest.trim_start();
            let whole = self.translate_whole(rest);
            let rest = whole.or_else(|| self.translate_sentences(rest))?;
            Some(match self.language {
                Language::Japanese => first + &rest,
                _ => format!("{first} {rest}"),
            })
        })
    }

    /// Returns a number with the separators of the language.
    pub fn number(&self, number: impl Into<f64>) -> String {
        messages::format_number(self.language, number.into())
    }

    /// Returns a date such as "21 December 2026".
    pub fn date(&self, date: Date) -> String {
        self.partial_date(date.year(), Some(date.month().into()), Some(date.day()))
    }

    /// Returns a date. The day may be unknown, or both the day and the month.
    pub fn partial_date(&self, year: i32, month: Option<u8>, day: Option<u8>) -> String {
        // The year is passed as a text, because its digits must not be grouped.
        let year = ("year", FluentValue::from(year.to_string()));
        let number = |name, number| (name, FluentValue::from(u64::from(number)));
        match (month, day) {
            (Some(month), Some(day)) => self.format(
                "date-day",
                [year, number("month", month), number("day", day)],
            ),
            (Some(month), None) => self.format("date-month", [year, number("month", month)]),
            _ => self.format("date-year", [year]),
        }
    }

    /// Returns the date of a Unix time in seconds, in the time zone of the user; an empty text for a time after the
    /// year 9999.
    pub fn unix_date(&self, seconds: u64) -> String {
        let time = self.time_zone.local_time(seconds);
        time.map_or_else(String::new, |time| self.date(time.date()))
    }

    /// Returns a Unix time in seconds as a date and a time with the time zone of the user, such as "21 December 2026,
    /// 09:05 UTC"; an empty text for a time after the year 9999.
    pub fn unix_date_time(&self, seconds: u64) -> String {
        self.moment(seconds, |local| {
            format!("{:02}:{:02}", local.hour(), local.minute())
        })
    }

    /// Returns a Unix time in seconds like [`Self::unix_date_time`], but with the second.
    pub fn unix_date_second(&self, seconds: u64) -> String {
        self.moment(seconds, |local| {
            let (hour, minute, second) = local.to_hms();
            format!("{hour:02}:{minute:02}:{second:02}")
        })
    }

    fn moment(&self, seconds: u64, time_of_day: impl Fn(OffsetDateTime) -> String) -> String {
        let Some(local) = self.time_zone.local_time(seconds) else {
            return String::new();
        };
        let time = time_of_day(local);
        let variables = [
            ("date", self.date(local.date()).into()),
            ("time", time.into()),
            ("zone", self.time_zone.name().into()),
        ];
        self.format("date-moment", variables)
    }

    /// Returns a waiting time such as "1 minute", "15 minutes" or "24 hours". Rounds up.
    pub fn waiting_time(&self, seconds: u64) -> String {
        match seconds.div_ceil(60).max(1) {
            minutes @ ..=120 => self.format("wait-minutes", [("count", minutes.into())]),
            minutes => self.format("wait-hours", [("count", minutes.div_ceil(60).into())]),
        }
    }
}

/// Returns the localization codes of titles in these languages, in the same order.
fn preferred_codes<'a>(languages: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    for language in languages {
        // A variant such as `pt-BR` may have a title of its own, so it is tried before its language `pt`.
        let general =
            Language::of(language).map_or(primary_subtag(language), |language| language.code());
        for code in [language, general] {
            let code = code.to_owned();
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use time::{Date, Month};

    use super::super::accepted_languages;
    use super::{Language, Localizer};

    fn localizer(account: Option<&str>, header: &str) -> Localizer {
        Localizer::new(account, &accepted_languages(header))
    }

    #[test]
    fn account_comes_before_browser() {
        let of = |account, header| localizer(account, header).language();
        assert_eq!(of(None, ""), Language::English);
        assert_eq!(of(None, "de, pt-BR"), Language::English);
        assert_eq!(of(None, "de, it;q=0.5, fr;q=0.7"), Language::French);
        assert_eq!(of(Some("jp"), "fr"), Language::Japanese);
        assert_eq!(of(Some("ja-JP"), "fr"), Language::Japanese);
        assert_eq!(of(Some("de"), "fr-CA, en"), Language::French);
    }

    #[test]
    fn numbers_and_dates_follow_the_language() {
        // The number, the day, the month and the year.
        let texts = [
            ("en", "12,938.5|21 December 2026|December 2026|2026"),
            ("fr", "12\u{202f}938,5|21 décembre 2026|décembre 2026|2026"),
            ("it", "12.938,5|21 dicembre 2026|dicembre 2026|2026"),
            ("jp", "12,938.5|2026年12月21日|2026年12月|2026年"),
        ];
        for (code, texts) in texts {
            let texts: Vec<&str> = texts.split('|').collect();
            let l10n = localizer(Some(code), "");
            let date = Date::from_calendar_date(2026, Month::December, 21);
            let formatted = [
                l10n.number(12_938.5),
                l10n.date(date.unwrap()),
                l10n.partial_date(2026, Some(12), None),
                l10n.partial_date(2026, None, None),
            ];
            assert_eq!(texts, formatted);
        }
    }

    #[test]
    fn times_are_formatted_and_waits_rounded_up() {
        let l10n = Localizer::default();
        assert_eq!(l10n.unix_date_time(0), "1 January 1970, 00:00 UTC");
        assert_eq!(l10n.unix_date_second(61), "1 January 1970, 00:01:01 UTC");
        let before_midnight = l10n.unix_date_time(1_700_006_399);
        assert_eq!(before_midnight, "14 November 2023, 23:59 UTC");
        assert_eq!(l10n.unix_date(u64::MAX), "");
        let waits = [
            (0, "1 minute"),
            (61, "2 minutes"),
            (7200, "120 minutes"),
            (7201, "3 hours"),
        ];
        for (seconds, text) in waits {
            assert_eq!(l10n.waiting_time(seconds), text);
        }
    }
}
