//! The place of a title in a series of titles, such as `2nd Season` or `Part 2`.

use crate::index::search::split_into_words;

/// The numbers at the end of a title that are read as the number of a season. Higher numbers, such as `86`, are a part
/// of the title.
const SEASONS: std::ops::RangeInclusive<u16> = 2..=20;

const PART_WORDS: [&str; 2] = ["part", "cour"];
const FINAL_WORDS: [&str; 2] = ["final", "last"];

/// A title, split into the title of the series and the numbers of the season and the part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Installment {
    /// The words before the numbers. The words after the numbers are the title of this season alone.
    base: Vec<String>,
    season: Option<u16>,
    part: Option<u16>,
    /// True for a season that has a word for "final" instead of a number.
    pub is_final: bool,
}

impl Installment {
    /// Splits a title. Returns `None` if it has no words.
    pub fn parse(title: &str) -> Option<Self> {
        let mut base = split_into_words(title);
        let part = take_part(&mut base);
        let is_final = take_final(&mut base);
        let season = if is_final {
            None
        } else {
            take_season(&mut base)
        };
        (!base.is_empty()).then_some(Self {
            base,
            season,
            part,
            is_final,
        })
    }

    /// Returns true if both are of the same series.
    pub fn has_base_of(&self, other: &Self) -> bool {
        self.base == other.base
    }

    /// Returns true if the numbers of `next` are those that follow this title's. A title without numbers is the first
    /// season. A final season follows every other season, because its number is unknown.
    pub fn is_followed_by(&self, next: &Self) -> bool {
        if !self.has_base_of(next) {
            return false;
        }
        let is_next_part = next
            .part
            .is_some_and(|part| part == self.part.unwrap_or(1) + 1);
        let season = self.season.unwrap_or(1);
        match (self.is_final, next.is_final) {
            (true, true) => is_next_part,
            (false, true) => true,
            (true, false) => false,
            (false, false) => {
                let is_first_part = next.part.is_none_or(|part| part == 1);
                let next_season = next.season.unwrap_or(1);
                (next_season == season && is_next_part)
                    || (next_season == season + 1 && is_first_part)
            }
        }
    }
}

/// Takes `part 2`, `2nd part` or `cour 2` out of the words after the first. `2 part 1` is part 1 of season 2.
fn take_part(words: &mut Vec<String>) -> Option<u16> {
    let is_part = |at: usize| PART_WORDS.contains(&&*words[at]);
    let number = |at: usize| parse_number(words.get(at)?);
    let part_at = (1..words.len()).find(|at| is_part(*at) && number(at + 1).is_some());
    let (start, part) = if let Some(at) = part_at {
        (at, number(at + 1)?)
    } else {
        let at = (2..words.len()).find(|at| is_part(*at) && number(at - 1).is_some())?;
        (at - 1, number(at - 1)?)
    };
    words.drain(start..start + 2);
    Some(part)
}

/// Cuts `final season` and what follows. Returns true if the words have it.
fn take_final(words: &mut Vec<String>) -> bool {
    let is_final = |pair: &[String]| FINAL_WORDS.contains(&&*pair[0]) && pair[1] == "season";
    let Some(at) = words.windows(2).position(is_final).filter(|at| *at > 0) else {
        return false;
    };
    words.truncate(at);
    if words.len() > 1 && words.last().is_some_and(|word| word == "the") {
        words.pop();
    }
    true
}

/// Cuts the words before the number of the season: the last word, or the only number among the others.
fn take_season(words: &mut Vec<String>) -> Option<u16> {
    let season_at = |at: usize| parse_number(&words[at]).filter(|number| SEASONS.contains(number));
    let last = words.len().checked_sub(1).filter(|at| *at > 0)?;
    let mut others = (1..last).filter_map(|at| Some((at, season_at(at)?)));
    let only_other = others.next().filter(|_| others.next().is_none());
    let (at, season) = season_at(last)
        .map(|season| (last, season))
        .or(only_other)?;
    words.truncate(at);
    Some(season)
}

/// Returns a number of one or two digits that does not begin with 0.
fn parse_number(word: &str) -> Option<u16> {
    let is_number = word.len() <= 2 && !word.starts_with('0');
    word.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::Installment;

    fn follows(first: &str, next: &str) -> bool {
        let [first, next] = [first, next].map(|title| Installment::parse(title).unwrap());
        first.is_followed_by(&next)
    }

    #[test]
    fn next_seasons_and_parts_follow() {
        for (first, next) in [
            ("Harbor Lights", "Harbor Lights 2nd Season"),
            ("Harbor Lights", "Harbor Lights II"),
            ("Harbor Lights", "Harbor Lights 2: Winter"),
            ("Harbor Lights", "Harbor Lights Season 2 Part 1"),
            ("Harbor Lights", "Harbor Lights Part 2"),
            ("Harbor Lights", "Harbor Lights: The Final Season"),
            ("Harbor Lights 2", "Harbor Lights Season 3"),
            ("Harbor Lights S2: Winter", "Harbor Lights 3: Spring"),
            ("Harbor Lights 2nd Season", "Harbor Lights Season 2 Part 2"),
            ("Harbor Lights Season 2 Part 2", "Harbor Lights 3"),
            ("Harbor Lights 3", "Harbor Lights Last Season"),
            (
                "Harbor Lights: The Final Season",
                "Harbor Lights: Final Season Part 2",
            ),
            ("ハーバーライツ", "ハーバーライツ 第2期"),
        ] {
            assert!(follows(first, next), "{first} - {next}");
            assert!(!follows(next, first), "{next} - {first}");
        }
    }

    #[test]
    fn other_titles_do_not_follow() {
        for (first, next) in [
            ("Harbor Lights", "Harbor Lights"),
            ("Harbor Lights", "Harbor Lights 3"),
            ("Harbor Lights", "Harbor Lights Season 2 Part 2"),
            ("Harbor Lights", "Harbor Lights: Winter"),
            ("Harbor Lights", "Harbor 2"),
            ("Harbor Lights 2", "Harbor Lights 2: Winter"),
            ("Harbor Lights Final Season", "Harbor Lights 2"),
            // Numbers that are not seasons.
            ("Harbor", "Harbor 86"),
            ("Harbor", "Harbor 02"),
            ("Harbor", "Harbor 1979"),
            ("2", "3"),
        ] {
            assert!(!follows(first, next), "{first} - {next}");
        }
    }
}
