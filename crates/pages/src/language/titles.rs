//! Choice of the title and the description in the languages of a visitor.

use shared::models::{Localized, TitleLanguage};

use super::localizer::Localizer;

/// The localization code of romaji: Japanese titles in Latin letters.
const ROMAJI: &str = "rj";

/// A title or a description of the catalogue, in one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalizedText<'a> {
    /// The text.
    pub text: &'a str,
    code: &'a str,
}

impl<'a> LocalizedText<'a> {
    /// Returns a text with this localization code.
    pub fn new(code: &'a str, text: &'a str) -> Self {
        Self { text, code }
    }

    /// Returns the language tag (RFC 5646), for the attribute `lang`.
    pub fn lang(self) -> &'a str {
        match self.code {
            ROMAJI => "ja-Latn",
            "jp" => "ja",
            code => code,
        }
    }
}

impl Localizer {
    /// Returns the title that comes first in [`Self::title_order`], or else a title in any language; `None` without
    /// titles.
    pub fn title<'a>(&self, titles: &'a Localized) -> Option<LocalizedText<'a>> {
        find_first(titles, self.title_order())
    }

    /// Returns the original title if it differs from [`Self::title`]. It is the Japanese title, or else the title in
    /// romaji.
    pub fn original_title<'a>(&self, titles: &'a Localized) -> Option<LocalizedText<'a>> {
        let read = self.title(titles)?;
        let originals = ["jp", ROMAJI].into_iter();
        let mut originals = originals.filter_map(|code| find_text(titles, code));
        originals
            .next()
            .filter(|original| original.text != read.text)
    }

    /// Returns the description in the first of the visitor's languages that has one, or else in English or in any
    /// language; `None` without descriptions.
    pub fn description<'a>(&self, descriptions: &'a Localized) -> Option<LocalizedText<'a>> {
        find_first(descriptions, self.codes().chain(["en"]))
    }

    /// Returns the localization codes of titles in the order in which [`Self::title`] tries them: the chosen titles,
    /// the visitor's languages, English and romaji.
    pub fn title_order(&self) -> impl Iterator<Item = &str> {
        let chosen: &[&str] = match self.display().titles {
            TitleLanguage::Page => &[],
            TitleLanguage::Romaji => &[ROMAJI],
            TitleLanguage::Japanese => &["jp", ROMAJI],
        };
        let chosen = chosen.iter().copied();
        chosen.chain(self.codes()).chain(["en", ROMAJI])
    }
}

/// Returns the text with the first of these localization codes that has one, or else any text.
fn find_first<'a, 'c>(
    texts: &'a Localized,
    codes: impl Iterator<Item = &'c str>,
) -> Option<LocalizedText<'a>> {
    let mut found = codes.filter_map(|code| find_text(texts, code));
    let any = || {
        let (code, text) = texts.iter().next()?;
        Some(LocalizedText::new(code, text))
    };
    found.next().or_else(any)
}

fn find_text<'a>(texts: &'a Localized, code: &str) -> Option<LocalizedText<'a>> {
    let (code, text) = texts.get_key_value(code)?;
    Some(LocalizedText::new(code, text))
}

#[cfg(test)]
mod tests {
    use shared::models::{DisplaySettings, Localized, TitleLanguage};

    use super::super::Localizer;

    fn titles(pairs: &[(&str, &str)]) -> Localized {
        let pairs = pairs.iter();
        pairs
            .map(|(code, text)| ((*code).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn title_of_the_first_language_that_has_one() {
        let all = titles(&[
            ("rj", "Shingeki"),
            ("en", "Attack"),
            ("jp", "進撃"),
            ("pt", "Ataque"),
        ]);
        let read = |account, browser: &[&str]| {
            let browser: Vec<String> = browser.iter().map(|&tag| tag.to_owned()).collect();
            let l10n = Localizer::new(account, &browser);
            let (title, original) = (l10n.title(&all), l10n.original_title(&all));
            (title.unwrap().text, original.map(|title| title.text))
        };
        assert_eq!(read(None, &[]), ("Attack", Some("進撃")));
        assert_eq!(read(Some("de"), &[]), ("Attack", Some("進撃")));
        assert_eq!(read(Some("en"), &["pt-BR"]), ("Attack", Some("進撃")));
        assert_eq!(read(Some("de"), &["pt-BR"]), ("Ataque", Some("進撃")));
        assert_eq!(read(None, &["ja-JP"]), ("進撃", None));
        let only = titles(&[("ko", "진격")]);
        let l10n = Localizer::default();
        assert_eq!(l10n.title(&only).unwrap().lang(), "ko");
        assert_eq!(l10n.original_title(&only), None);
        assert_eq!(l10n.title(&Localized::new()), None);
    }

    #[test]
    fn chosen_titles_come_first() {
        let of = |chosen, pairs: &[(&str, &'static str)]| {
            let display = DisplaySettings {
                titles: chosen,
                ..DisplaySettings::default()
            };
            let l10n = Localizer::new(Some("it"), &[]).with_display(display);
            let titles = titles(pairs);
            l10n.title(&titles).unwrap().text.to_owned()
        };
        let all = [
            ("de", "German"),
            ("en", "English"),
            ("it", "Italian"),
            ("jp", "Japanese"),
            ("rj", "Romaji"),
        ];
        for (chosen, order) in [
            (TitleLanguage::Page, ["Italian", "English", "Romaji"]),
            (TitleLanguage::Romaji, ["Romaji", "Italian", "English"]),
            (TitleLanguage::Japanese, ["Japanese", "Romaji", "Italian"]),
        ] {
            let mut left = all.to_vec();
            for expected in order {
                assert_eq!(of(chosen, &left), expected, "{chosen:?}");
                left.retain(|(_, title)| *title != expected);
            }
            assert_eq!(of(chosen, &all[..1]), "German");
        }
    }
}
