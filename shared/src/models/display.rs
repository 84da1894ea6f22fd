//! The settings with which pages show titles and scores to a visitor.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ScoreScale;
use crate::value_names;

// The names are those in rows, cookies and forms.
value_names! {
    /// The titles that a visitor wants to read.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum TitleLanguage {
        /// In the language of the page.
        #[default]
        Page = "page",
        /// In romaji: Japanese in Latin letters.
        Romaji = "romaji",
        /// In Japanese.
        Japanese = "japanese",
    }
}

/// The titles and the scale of scores that a visitor has chosen. The serialized names are the names of attributes in
/// the row of a user. A setting that the user has never changed has no attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DisplaySettings {
    /// The titles.
    #[serde(default, rename = "title_language", skip_serializing_if = "is_default")]
    pub titles: TitleLanguage,
    /// The scale of scores.
    #[serde(default, rename = "score_scale", skip_serializing_if = "is_default")]
    pub scores: ScoreScale,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl DisplaySettings {
    /// Reads the first two parts of the value of a cookie. Unknown names count as absent.
    pub fn of_cookie(text: &str) -> Self {
        let mut parts = text.split('.');
        let mut next = || parts.next().unwrap_or_default();
        Self {
            titles: TitleLanguage::from_name(next()).unwrap_or_default(),
            scores: ScoreScale::from_name(next()).unwrap_or_default(),
        }
    }

    /// Returns these parts of the value of a cookie.
    pub fn to_cookie(self) -> String {
        format!("{}.{}", self.titles.name(), self.scores.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{DisplaySettings, TitleLanguage};
    use crate::models::ScoreScale;

    #[test]
    fn cookies_are_read_again_and_garbage_is_ignored() {
        for (titles, name) in TitleLanguage::ALL {
            assert_eq!(
                serde_json::to_string(&titles).unwrap(),
                format!("\"{name}\"")
            );
            for (scores, _) in ScoreScale::ALL {
                let settings = DisplaySettings { titles, scores };
                assert_eq!(DisplaySettings::of_cookie(&settings.to_cookie()), settings);
            }
        }
        for garbage in [
            "",
            ".",
            "..",
            "Romaji.TEN",
            "romaji ",
            "ten.romaji",
            "\u{0}",
        ] {
            let read = DisplaySettings::of_cookie(garbage);
            assert_eq!(read, DisplaySettings::default(), "{garbage:?}");
        }
        let read = DisplaySettings::of_cookie("romaji.smileys");
        assert_eq!(
            (read.titles, read.scores),
            (TitleLanguage::Romaji, ScoreScale::Hundred)
        );
    }
}
