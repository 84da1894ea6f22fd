//! The season and the year at the end of a title, and typing errors in titles.

use crate::index::search::{ORDINALS, numeral_value, parse_counter, parse_digits};

/// Returns a title without the year in parentheses at its end, and the year; `None` if it has none. Titles such as
/// `2012` are not only a year.
pub(super) fn year_apart(title: &str) -> Option<(&str, u16)> {
    let (plain, year) = title.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let year = year.parse().ok()?;
    let plain = plain.trim_end();
    ((1900..2100).contains(&year) && !plain.is_empty()).then_some((plain, year))
}

/// Returns a title without the season at its end, and the season; `None` if it has none: `Season 2`, `2nd Season`,
/// `Second Season`, `S2` or `第二季`. A number alone is a part of the title, because seasons are rarely spelled so.
pub(super) fn season_apart(title: &str) -> Option<(&str, u16)> {
    let title = title.trim_end();
    let (rest, last) = title.rsplit_once([' ', '_', '.'])?;
    let lower = last.to_lowercase();
    let alone = lower.strip_prefix('s').and_then(parse_digits);
    let alone = alone.or_else(|| counter(&lower));
    let (plain, season) = if let Some(season) = alone {
        (rest, season)
    } else {
        let (start, before) = rest.rsplit_once([' ', '_', '.'])?;
        let before = before.to_lowercase();
        let season = match (before.as_str(), lower.as_str()) {
            ("season", last) => parse_digits(last)?,
            (before, "season") => ordinal(before)?,
            _ => return None,
        };
        (start, season)
    };
    let plain = plain.trim_end_matches([' ', '_', '.', '-', ':', ',']);
    (!plain.is_empty()).then_some((plain, season))
}

/// A shorter title is that of another work if a letter differs.
const MIN_MISSPELLED: usize = 8;

/// Returns true if a folded title equals another title except for a single typing error: a letter too many, missing,
/// wrong, or in the place of its neighbor. A different number is not a typing error, because seasons and movies differ
/// in their numbers.
pub(super) fn is_misspelled(typed: &str, title: &str) -> bool {
    let (typed, title): (Vec<char>, Vec<char>) = (typed.chars().collect(), title.chars().collect());
    if typed.len().min(title.len()) < MIN_MISSPELLED || typed.len().abs_diff(title.len()) > 1 {
        return false;
    }
    let pairs = || typed.iter().zip(&title);
    let start = pairs().take_while(|(one, other)| one == other).count();
    let (typed, title) = (&typed[start..], &title[start..]);
    let from_end = typed.iter().rev().zip(title.iter().rev());
    let end = from_end.take_while(|(one, other)| one == other).count();
    let typed = &typed[..typed.len() - end];
    let title = &title[..title.len() - end];
    let is_letter = |letters: &[char]| letters.iter().all(|letter| !letter.is_numeric());
    let is_single = match (typed, title) {
        ([one, other], [first, second]) => one == second && other == first,
        (typed, title) => typed.len() < 2 && title.len() < 2 && typed != title,
    };
    is_single && is_letter(typed) && is_letter(title)
}

fn ordinal(word: &str) -> Option<u16> {
    let mut ends = ["st", "nd", "rd", "th"].iter();
    let digits = ends.find_map(|end| word.strip_suffix(end));
    digits
        .and_then(parse_digits)
        .or_else(|| numeral_value(&ORDINALS, word))
}

/// Reads a counter of seasons such as `第二季` and `第2期`.
fn counter(word: &str) -> Option<u16> {
    parse_counter(word.strip_prefix('第')?.strip_suffix(['季', '期'])?)
}

#[cfg(test)]
mod tests {
    use super::{is_misspelled, season_apart, year_apart};

    #[test]
    fn one_letter_is_a_typing_error() {
        for typed in "harbor lgihts, harbour lights, harbor ights, zarbor lights".split(", ") {
            assert!(is_misspelled(typed, "harbor lights"), "{typed}");
        }
        for (typed, title) in [
            ("harbor lights", "harbor lights"),
            ("harbor nights 2", "harbor lights"),
            ("harbor lights 2", "harbor lights 3"),
            ("stranger things", "stranger"),
            ("harbor", "arbor"),
            ("paper moons", "paper noon"),
            ("", ""),
        ] {
            assert!(!is_misspelled(typed, title), "{typed}");
        }
    }

    #[test]
    fn season_at_the_end_is_read() {
        for title in [
            "Harbor Lights Season 2",
            "Harbor Lights: Season 02",
            "Harbor Lights 2nd Season",
            "Harbor Lights - Second Season",
            "Harbor Lights S2",
            "Harbor_Lights_S02",
            "Harbor Lights 第二季",
            "Harbor Lights 第2期",
        ] {
            let (plain, season) = season_apart(title).unwrap_or_default();
            assert_eq!(plain.replace('_', " "), "Harbor Lights", "{title}");
            assert_eq!(season, 2, "{title}");
        }
        for title in [
            "Harbor Lights",
            "Harbor Lights 2",
            "Harbor Lights II",
            "Season 2",
            "S2",
            "Harbor Lights Final Season",
            "Harbor Lights Season 0",
            "",
        ] {
            assert_eq!(season_apart(title), None, "{title}");
        }
    }

    #[test]
    fn year_at_the_end_is_read() {
        let apart = year_apart("Harbor Lights (2019)");
        assert_eq!(apart, Some(("Harbor Lights", 2019)));
        for title in "Harbor Lights, (2019), Harbor Lights (2), Harbor Lights 2019".split(", ") {
            assert_eq!(year_apart(title), None, "{title}");
        }
    }
}
