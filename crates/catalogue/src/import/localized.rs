//! The titles of an anime by localization code, from `AniDB`'s titles by kind and language.

use std::cmp::Reverse;
use std::collections::HashSet;

use shared::fold::fold;
use shared::models::Localized;

use super::title_dump::{DumpTitle, TitleKind};

/// The titles of an anime by localization code, and all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalizedTitles {
    /// The titles that are official in their languages, and the transcribed title as `rj`.
    pub titles: Localized,
    /// Other titles in languages without an official one. They are often literal translations, so a title of
    /// another source is better.
    pub fallback_titles: Localized,
    /// All texts that are not in `titles`, for the search. They include the fallback titles, because titles of
    /// other sources may replace the fallback titles. Texts that fold to the same text are included once.
    pub synonyms: Vec<String>,
}

/// The rank of a title for its localization code. The lowest rank is the best. The number ranks titles of the same
/// strength, mostly by the variant of the language: `pt` comes before `pt-BR`.
type TitleRank = (Strength, u8);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    Official,
    Fallback,
}

impl LocalizedTitles {
    /// Chooses the title for each localization code. If a language has several titles, official titles come first, then
    /// those in the best variant of the language, then the longest text: short texts often lack the season or the
    /// subtitle.
    pub fn new(titles: &[DumpTitle]) -> Self {
        let mut candidates: Vec<(TitleRank, &str, &str)> = titles
            .iter()
            .filter_map(|title| rank_title(title).map(|(rank, code)| (rank, code, &*title.text)))
            .collect();
        candidates.sort_unstable_by_key(|(rank, _, text)| (*rank, Reverse(text.len()), *text));
        let mut localized = Self::default();
        // The candidates are in order of rank, so the first title for a code is the best.
        for ((strength, _), code, text) in candidates {
            if localized.titles.contains_key(code) {
                continue;
            }
            let chosen = match strength {
                Strength::Official => &mut localized.titles,
                Strength::Fallback => &mut localized.fallback_titles,
            };
            chosen
                .entry(code.to_owned())
                .or_insert_with(|| text.to_owned());
        }
        let mut known: HashSet<String> = localized.titles.values().map(|text| fold(text)).collect();
        let others = titles
            .iter()
            .filter(|title| known.insert(fold(&title.text)));
        localized.synonyms = others.map(|title| title.text.clone()).collect();
        localized
    }
}

/// Returns the localization code under which a title can be stored, and the title's rank for this code.
fn rank_title(title: &DumpTitle) -> Option<(TitleRank, &str)> {
    use Strength::{Fallback, Official};

    let language = title.language.as_str();
    match title.kind {
        TitleKind::Main if is_transcription(language) => Some(((Official, 0), "rj")),
        // AniDB writes every main title in Latin letters, so a main title in a language other than English is
        // transcribed.
        TitleKind::Main if language == "en" => Some(((Fallback, 0), "en")),
        TitleKind::Main => Some(((Fallback, 0), "rj")),
        TitleKind::Official if language == "x-jat" => Some(((Official, 1), "rj")),
        TitleKind::Official if is_transcription(language) => Some(((Official, 2), "rj")),
        TitleKind::Official => {
            localization_code(language).map(|(code, variant)| ((Official, variant), code))
        }
        TitleKind::Synonym => {
            localization_code(language).map(|(code, variant)| ((Fallback, variant + 1), code))
        }
        TitleKind::Short | TitleKind::Kana | TitleKind::Card => None,
    }
}

/// Returns true for transcribed Japanese, Chinese, Korean and Thai.
fn is_transcription(language: &str) -> bool {
    matches!(language, "x-jat" | "x-zht" | "x-kot" | "x-tht")
}

/// Returns the localization code for one of `AniDB`'s languages, and the rank of the variant. Some of `AniDB`'s
/// codes are its own: `al` is Albanian and `my` is Malay, for example. Unknown languages have no code.
fn localization_code(language: &str) -> Option<(&str, u8)> {
    let (primary, _) = language.split_once('-').unwrap_or((language, ""));
    let code = match language {
        "es-CA" => "ca",
        "es-GA" => "gl",
        "es-PV" => "eu",
        _ => match primary {
            "al" => "sq",
            "bd" => "bn",
            "bur" => "my",
            "ja" => "jp",
            "my" => "ms",
            "af" | "ar" | "bg" | "bs" | "cs" | "da" | "de" | "el" | "en" | "eo" | "es" | "et"
            | "fa" | "fi" | "fr" | "he" | "hi" | "hr" | "ht" | "hu" | "id" | "is" | "it" | "ka"
            | "ko" | "la" | "lt" | "lv" | "mn" | "ne" | "nl" | "no" | "pl" | "pt" | "ro" | "ru"
            | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "te" | "th" | "tl" | "tr" | "tt" | "uk"
            | "ur" | "vi" | "zh" => primary,
            _ => return None,
        },
    };
    let variant = match language {
        "zh-Hans" => 0,
        _ if language == primary => 1,
        "zh-Hant" => 2,
        _ => 3,
    };
    Some((code, variant))
}

#[cfg(test)]
mod tests {
    use shared::models::Localized;

    use super::LocalizedTitles;
    use crate::import::title_dump::DumpTitle;
    use crate::import::title_dump::TitleKind::{self, Card, Kana, Main, Official, Short, Synonym};

    fn localized(titles: &[(TitleKind, &str, &str)]) -> LocalizedTitles {
        let titles: Vec<DumpTitle> = titles
            .iter()
            .map(|&(kind, language, text)| DumpTitle {
                kind,
                language: language.to_owned(),
                text: text.to_owned(),
            })
            .collect();
        LocalizedTitles::new(&titles)
    }

    fn by_code(titles: &[(&str, &str)]) -> Localized {
        let owned = |&(code, text): &(&str, &str)| (code.to_owned(), text.to_owned());
        titles.iter().map(owned).collect()
    }

    #[test]
    fn official_titles_are_keyed_by_localization_code() {
        let found = localized(&[
            (Main, "x-jat", "Hoshi no Machi"),
            (Official, "ja", "星の街"),
            (Official, "en", "Town of Stars"),
            (Official, "zh-Hant", "星之鎮"),
            (Official, "my", "Bandar Bintang"),
            (Official, "es-CA", "La ciutat"),
        ]);
        let expected = by_code(&[
            ("rj", "Hoshi no Machi"),
            ("jp", "星の街"),
            ("en", "Town of Stars"),
            ("zh", "星之鎮"),
            ("ms", "Bandar Bintang"),
            ("ca", "La ciutat"),
        ]);
        assert_eq!(found.titles, expected);
        assert_eq!((found.fallback_titles.len(), found.synonyms.len()), (0, 0));
    }

    #[test]
    fn variants_of_a_language_are_ranked() {
        let variants = [
            ("es", ["es", "es-419", "es-MX"]),
            ("pt", ["pt", "pt-BR", "pt-AO"]),
            ("zh", ["zh-Hans", "zh", "zh-Hant"]),
            ("zh", ["zh", "zh-Hant", "zh-nan"]),
        ];
        for (code, [first, second, third]) in variants {
            let found = localized(&[
                (Official, third, "third long"),
                (Official, second, "second"),
                (Official, first, "a"),
            ]);
            assert_eq!(found.titles, by_code(&[(code, "a")]));
            assert_eq!(found.synonyms, ["third long", "second"]);
            let found = localized(&[(Official, third, "c"), (Synonym, first, "a")]);
            assert_eq!(found.titles, by_code(&[(code, "c")]));
        }
    }

    #[test]
    fn synonym_fills_a_language_without_an_official_title() {
        let found = localized(&[
            (Official, "fr", "La ville"),
            (Synonym, "fr", "Une ville"),
            (Synonym, "en", "Star"),
            (Synonym, "en", "Star Town"),
        ]);
        assert_eq!(found.titles, by_code(&[("fr", "La ville")]));
        assert_eq!(found.fallback_titles, by_code(&[("en", "Star Town")]));
        assert_eq!(found.synonyms, ["Une ville", "Star", "Star Town"]);
    }

    #[test]
    fn other_kinds_and_unknown_languages_are_synonyms() {
        let titles = [
            (Short, "en", "HM"),
            (Kana, "ja", "ほし"),
            (Card, "en", "H"),
            (Official, "x-unk", "X"),
            (Official, "tlh", "Hov"),
            (Synonym, "", "E"),
            (Synonym, "x-jat", "Hoshi"),
        ];
        let found = localized(&titles);
        assert_eq!((found.titles.len(), found.fallback_titles.len()), (0, 0));
        assert_eq!(found.synonyms, titles.map(|(_, _, text)| text));
    }

    #[test]
    fn romaji_is_the_transcribed_main_title() {
        let romaji = |titles: &[_]| {
            let mut found = localized(titles);
            (
                found.titles.remove("rj"),
                found.fallback_titles.remove("rj"),
            )
        };
        let official = (Official, "x-jat", "O");
        assert_eq!(romaji(&[official, (Main, "x-zht", "M")]).0.unwrap(), "M");
        assert_eq!(romaji(&[official, (Main, "en", "M")]).0.unwrap(), "O");
        assert_eq!(romaji(&[(Main, "zh", "M")]), (None, Some("M".into())));
        assert_eq!(romaji(&[(Main, "en", "M")]), (None, None));
    }

    #[test]
    fn texts_that_fold_alike_are_one_synonym() {
        let found = localized(&[
            (Main, "x-jat", "K-On!"),
            (Short, "en", "k-on"),
            (Synonym, "en", "Keion"),
            (Synonym, "x-jat", "KEION"),
        ]);
        assert_eq!(found.synonyms, ["k-on", "Keion"]);
    }
}
