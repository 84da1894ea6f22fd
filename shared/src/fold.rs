//! Folding: the normal form in which titles, artists and patterns are compared (docs/api.md, "Text patterns").
//!
//! A folded text is in NFKC and lower case. Latin accents (U+0300 to U+036F) are removed; the marks of kana are kept.
//! Each run of punctuation or spaces becomes one space.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Folds a text. Folding is idempotent. The result contains no control character. The index in memory relies
/// on that, because it separates its texts with a control character.
///
/// ```
/// assert_eq!(shared::fold::fold("Fullmetal  Alchemist: Brotherhood"), "fullmetal alchemist brotherhood");
/// assert_eq!(shared::fold::fold("Les Misérables"), "les miserables");
/// assert_eq!(shared::fold::fold("ガンダム"), "ガンダム");
/// ```
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    // Accents can be removed only from a decomposed text. The final NFKC composes kana and their marks again.
    let plain = text
        .nfkd()
        .flat_map(char::to_lowercase)
        .nfkd()
        .filter(|c| !is_latin_accent(*c))
        .nfkc();
    for c in plain {
        if !is_gap(c) {
            folded.push(c);
        } else if !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded
}

fn is_latin_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// Returns true if a character folds to a space: punctuation, spaces and control characters. ASCII symbols such as `~`,
/// `+` and `|` also count as punctuation: Unicode classifies them as symbols, but titles use them as punctuation.
fn is_gap(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_alphanumeric();
    }
    c.is_whitespace()
        || c.is_control()
        || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn punctuation_and_space_become_one_space() {
        assert_eq!(fold("Steins;Gate"), "steins gate");
        assert_eq!(fold("K-ON!!"), "k on ");
        assert_eq!(fold("a\u{3000}・\u{0}b"), "a b");
        assert_eq!(fold("Re:ZERO ~Starting Life~"), "re zero starting life ");
    }

    #[test]
    fn wide_forms_case_and_accents_fold_but_kana_marks_stay() {
        assert_eq!(fold("ＡＢＣ"), "abc");
        assert_eq!(fold("Pokémon"), "pokemon");
        assert_eq!(fold("ÉCLAIR"), "eclair");
        assert_eq!(fold("ｶﾞ"), "ガ");
        assert_ne!(fold("ガ"), fold("カ"));
        assert_eq!(fold("İ"), "i");
    }
}
