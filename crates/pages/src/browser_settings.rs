//! The settings that a visitor chooses for a browser, in a cookie.

use shared::models::{DisplaySettings, Language};
use shared::value_names;

// The names are those in cookies and forms.
value_names! {
    /// The colors of the pages.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Theme {
        /// Those that the device prefers.
        #[default]
        Device = "device",
        /// Light colors.
        Light = "light",
        /// Dark colors.
        Dark = "dark",
    }
}

/// The settings of a browser. The language, the titles and the scale of scores count only while the visitor is not
/// signed in, because an account has its own. The theme belongs to the browser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrowserSettings {
    /// The titles and the scale of scores.
    pub display: DisplaySettings,
    /// The theme.
    pub theme: Theme,
    /// The language; `None` for the language that the browser prefers.
    pub language: Option<Language>,
}

impl BrowserSettings {
    /// Reads the value of a cookie. Unknown names count as absent.
    pub fn of_cookie(text: &str) -> Self {
        let mut parts = text.split('.').skip(2);
        let mut next = || parts.next().unwrap_or_default();
        Self {
            theme: Theme::from_name(next()).unwrap_or_default(),
            language: language_named(next()),
            display: DisplaySettings::of_cookie(text),
        }
    }

    /// Returns the value of a cookie.
    pub fn to_cookie(self) -> String {
        let display = self.display.to_cookie();
        let theme = self.theme.name();
        match self.language {
            Some(language) => format!("{display}.{theme}.{}", language.tag()),
            None if self.theme == Theme::Device => display,
            None => format!("{display}.{theme}"),
        }
    }
}

/// Returns the language with this tag.
fn language_named(tag: &str) -> Option<Language> {
    let mut languages = Language::ALL.into_iter();
    languages.find(|language| language.tag() == tag)
}

#[cfg(test)]
mod tests {
    use shared::models::{DisplaySettings, Language, ScoreScale, TitleLanguage};

    use super::{BrowserSettings, Theme};

    #[test]
    fn cookies_are_read_again_and_garbage_is_ignored() {
        let display = DisplaySettings {
            titles: TitleLanguage::Romaji,
            scores: ScoreScale::Ten,
        };
        let languages = Language::ALL.map(Some).into_iter().chain([None]);
        for language in languages {
            for (theme, _) in Theme::ALL {
                let settings = BrowserSettings {
                    display,
                    theme,
                    language,
                };
                let cookie = settings.to_cookie();
                assert_eq!(BrowserSettings::of_cookie(&cookie), settings, "{cookie}");
            }
        }
        // Earlier versions of the service have written cookies with two parts.
        for earlier in [
            "romaji.ten",
            "romaji.ten.",
            "romaji.ten.black.de",
            "romaji.ten..xx",
        ] {
            let read = BrowserSettings::of_cookie(earlier);
            let expected = BrowserSettings {
                display,
                ..BrowserSettings::default()
            };
            assert_eq!(read, expected, "{earlier}");
        }
        let garbage = BrowserSettings::of_cookie("dark.ja");
        assert_eq!(garbage, BrowserSettings::default());
    }
}
