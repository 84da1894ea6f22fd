//! Detection of invisible characters in texts from callers and trackers that web pages show.

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The braille pattern without dots. Unicode classifies it as a symbol, but it shows as a space.
const BLANK_BRAILLE: char = '\u{2800}';

/// Returns true if a character is invisible, has no defined appearance, or reverses the text beside it. Such
/// characters are control, format, private-use and unassigned characters, default-ignorable characters such as
/// U+3164 and U+FE0F (Unicode Standard Annex 44), and the blank braille pattern. Spaces are not hidden.
pub fn is_hidden(character: char) -> bool {
    character == BLANK_BRAILLE
        || character.general_category_group() == GeneralCategoryGroup::Other
        || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(character)
}

/// Returns true if a text has at least one character that is visible on its own. Spaces and combining marks are not
/// visible on their own.
pub fn is_visible(text: &str) -> bool {
    let is_visible_alone = |character: char| {
        !is_hidden(character)
            && !matches!(
                character.general_category_group(),
                GeneralCategoryGroup::Mark | GeneralCategoryGroup::Separator
            )
    };
    text.chars().any(is_visible_alone)
}

#[cfg(test)]
mod tests {
    use super::{is_hidden, is_visible};

    #[test]
    fn characters_without_an_appearance_are_hidden() {
        let all = "\u{3164}\u{115f}\u{1160}\u{ffa0}\u{2800}\u{34f}\u{fe0f}\u{ad}\u{200b}\u{200d}\u{202e}\u{2066}\
            \u{feff}\u{e0041}\0";
        for hidden in all.chars() {
            assert!(is_hidden(hidden), "{hidden:?}");
        }
        for shown in ['a', 'é', '記', 'ガ', '!', '€', '😀', '⠁', ' ', '\u{301}'] {
            assert!(!is_hidden(shown), "{shown:?}");
        }
    }

    #[test]
    fn spaces_and_marks_alone_are_not_visible() {
        for text in [
            "",
            " ",
            "\u{3000}",
            "\u{301}",
            "\u{3164}\u{2800}",
            " \u{fe0f}",
        ] {
            assert!(!is_visible(text), "{text:?}");
        }
        for text in ["a", "é", "記録", "!", "e\u{301}"] {
            assert!(is_visible(text), "{text:?}");
        }
    }
}
