//! The words of titles and queries, in a form in which different spellings of a title are equal.

use shared::fold::fold;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The number of bytes of a text that are read. The rest is ignored, so that the work is bounded.
const MAX_SEARCH_TEXT_BYTES: usize = 500;

/// The maximum number of words of a text. Further words are ignored.
pub const MAX_WORDS: usize = 24;

/// The maximum length of a word, in characters. The rest is ignored.
pub const MAX_WORD_LENGTH: usize = 40;

/// The word "season" in the languages of most titles, folded and with katakana.
const SEASON_WORDS: [&str; 10] = [
    "season",
    "saison",
    "staffel",
    "temporada",
    "stagione",
    "сезон",
    "シーズン",
    "期",
    "季",
    "시즌",
];

const CARDINALS: [&str; 10] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// English ordinal numbers from 1.
pub const ORDINALS: [&str; 10] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];

/// Roman numerals in order. Those of one letter are empty texts in this list, because a single letter rarely is a
/// number.
const ROMAN: [&str; 12] = [
    "", "ii", "iii", "iv", "", "vi", "vii", "viii", "ix", "", "xi", "xii",
];

const IDEOGRAPHS: [&str; 10] = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];

/// Returns the words of a text. They are folded, and then:
/// - an apostrophe before one or two letters is dropped (`kiki's` is `kikis`) and otherwise separates words,
/// - symbols separate words, and hiragana becomes katakana,
/// - ideographs and kana are separated from Latin letters and digits,
/// - `2nd season`, `season two`, `s2`, `II` and `第二期` become `2`, and `season 1` disappears,
/// - long vowels of romanized Japanese become short: `shoujo` is `shojo`.
pub fn split_into_words(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(MAX_SEARCH_TEXT_BYTES)];
    let folded = without_counters(&fold(&without_apostrophes(text)));
    let mut plain = String::with_capacity(folded.len());
    for c in folded.chars() {
        push_plain(&mut plain, c);
    }
    let mut rest: Vec<&str> = plain
        .split(' ')
        .filter(|word| word.contains(char::is_alphanumeric))
        .collect();
    let is_alone = rest.len() == 1;
    let mut words = Vec::with_capacity(rest.len().min(MAX_WORDS));
    while words.len() < MAX_WORDS
        && let Some(word) = rest.first()
    {
        let (number, used) = match parse_season(&rest) {
            Some((number, used)) => (Some(number), used),
            // A word alone is not the number of a season: `II` stays `ii`.
            None if is_alone => (None, 1),
            None => (parse_season_number(word), 1),
        };
        // The titles of a first season seldom have its number, so the number is dropped unless it is the whole text.
        let is_first_season = number == Some(1) && (rest.len() > used || !words.is_empty());
        if !is_first_season {
            words.push(number.map_or_else(|| with_short_vowels(word), |number| number.to_string()));
        }
        rest.drain(..used);
    }
    words
}

fn without_apostrophes(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut parts = text.split(['\'', '’', '‘', '`', '´', 'ʼ', '＇']);
    joined.extend(parts.next());
    for part in parts {
        let letters = part.chars().take_while(|c| c.is_alphabetic());
        if !matches!(letters.take(3).count(), 1 | 2) {
            joined.push(' ');
        }
        joined.push_str(part);
    }
    joined
}

/// Replaces a counter of seasons such as `第二期` or `第2季` by its number, because no space separates it from the title.
fn without_counters(text: &str) -> String {
    let mut parts = text.split('第');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let counted = part.split_once(['期', '季']);
        let counted = counted.and_then(|(counter, rest)| Some((parse_counter(counter)?, rest)));
        match counted {
            Some((number, rest)) => plain.extend([" ", &number.to_string(), " ", rest]),
            None => plain.extend(["第", part]),
        }
    }
    plain
}

/// Appends a folded character in its plain form, after a space if it begins another script than the text before it.
fn push_plain(text: &mut String, c: char) {
    let is_border = |last: char| {
        (last.is_ascii_alphanumeric() && is_unspaced(c))
            || (c.is_ascii_alphanumeric() && is_unspaced(last))
    };
    if text.chars().next_back().is_some_and(is_border) {
        text.push(' ');
    }
    match c {
        'ぁ'..='ゖ' => text.extend(char::from_u32(u32::from(c) + 0x60)),
        'ß' => text.push_str("ss"),
        'æ' => text.push_str("ae"),
        'œ' => text.push_str("oe"),
        'þ' => text.push_str("th"),
        'ø' => text.push('o'),
        'ł' => text.push('l'),
        'đ' | 'ð' => text.push('d'),
        'ı' => text.push('i'),
        '×' => text.push_str(" x "),
        _ if c.is_ascii() => text.push(c),
        _ => match c.general_category_group() {
            GeneralCategoryGroup::Symbol => text.push(' '),
            GeneralCategoryGroup::Other => {}
            _ => text.push(c),
        },
    }
}

/// Returns true for ideographs and kana, which are written without spaces.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns the number of the season that these words begin with, and the number of words that name it.
fn parse_season(words: &[&str]) -> Option<(u16, usize)> {
    let (first, rest) = words.split_first()?;
    let second = rest.first()?;
    if SEASON_WORDS.contains(first) {
        let number = numeral_value(&CARDINALS, second).or_else(|| parse_season_number(second));
        return Some((number.or_else(|| parse_digits(second))?, 2));
    }
    if SEASON_WORDS.contains(second) {
        // `2e saison` and `2a temporada`: the letters of an ordinal number depend on the language.
        let plain = first.trim_end_matches(char::is_alphabetic);
        let number = numeral_value(&ORDINALS, first).or_else(|| parse_season_number(first));
        return Some((number.or_else(|| parse_digits(plain))?, 2));
    }
    None
}

/// Reads a word that is the number of a season or part anywhere in a text: `2nd`, `s2`, `ii` and `2기`.
fn parse_season_number(word: &str) -> Option<u16> {
    let ordinal = ["st", "nd", "rd", "th", "기"];
    let ordinal = ordinal.iter().find_map(|end| word.strip_suffix(end));
    let plain = ordinal.or_else(|| word.strip_prefix('s'));
    plain
        .and_then(parse_digits)
        .or_else(|| numeral_value(&ROMAN, word))
}

/// Reads the number in a counter of seasons, such as `二` in `第二期`.
pub fn parse_counter(counter: &str) -> Option<u16> {
    numeral_value(&IDEOGRAPHS, counter).or_else(|| parse_digits(counter))
}

/// Reads a number from 1 to 99.
pub fn parse_digits(word: &str) -> Option<u16> {
    let number = word.parse().ok()?;
    ((1..100).contains(&number) && !word.starts_with('+')).then_some(number)
}

/// Returns the place of a numeral in a list of numerals, from 1.
pub fn numeral_value(numerals: &[&str], word: &str) -> Option<u16> {
    let place = numerals.iter().position(|numeral| *numeral == word)?;
    u16::try_from(place + 1).ok().filter(|_| !word.is_empty())
}

fn with_short_vowels(word: &str) -> String {
    match word {
        "wo" => "o".to_owned(),
        _ if is_romanized(word) => shorten(word),
        _ => word.chars().take(MAX_WORD_LENGTH).collect(),
    }
}

/// Shortens every `ou`, `oo` and `uu` of a word.
pub fn shorten(word: &str) -> String {
    let mut short = String::with_capacity(word.len());
    for c in word.chars().take(MAX_WORD_LENGTH) {
        let is_long =
            (c == 'u' && short.ends_with(['o', 'u'])) || (c == 'o' && short.ends_with('o'));
        if !is_long {
            short.push(c);
        }
    }
    short
}

/// Returns true if a word reads as romanized Japanese. Other words keep their vowels: `soul`, `blood`.
fn is_romanized(word: &str) -> bool {
    let followers = word.bytes().skip(1).chain([0]);
    word.bytes().zip(followers).all(|(c, next)| {
        let is_vowel = matches!(next, b'a' | b'e' | b'i' | b'o' | b'u');
        match c {
            b'a' | b'e' | b'i' | b'o' | b'u' | b'n' => true,
            b'k' | b'g' | b'r' | b'h' | b'b' | b'p' => is_vowel || next == b'y' || next == c,
            b'm' => is_vowel || matches!(next, b'y' | b'm' | b'b' | b'p'),
            b's' => is_vowel || matches!(next, b'h' | b's'),
            b't' => is_vowel || matches!(next, b's' | b't' | b'c'),
            b'c' => matches!(next, b'h' | b'c'),
            b'd' | b'f' | b'j' | b'w' | b'y' | b'z' => is_vowel || next == c,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{MAX_WORD_LENGTH, MAX_WORDS, split_into_words};

    /// Asserts that these texts, which bars separate, have the same words.
    #[track_caller]
    fn same(texts: &str) {
        let mut words = texts.split(" | ").map(split_into_words);
        let first = words.next();
        assert!(words.all(|words| Some(&words) == first.as_ref()), "{texts}");
    }

    #[test]
    fn long_vowels_are_short_in_romanized_words_only() {
        same("shoujo | shojo | shōjo | SHOOJO");
        same("Yuu☆Yuu☆Hakusho | yu yu hakusho | yū yū hakusho");
        assert_eq!(
            split_into_words("Blood School Soul"),
            ["blood", "school", "soul"]
        );
    }

    #[test]
    fn apostrophes_join_short_endings_and_separate_other_words() {
        same("Kiki's | kikis | Kiki’s | Kiki`s");
        assert_eq!(
            split_into_words("L'attacco dei giganti"),
            ["l", "attacco", "dei", "giganti"]
        );
    }

    #[test]
    fn seasons_are_numbers() {
        same("Titan 2 | Titan 2nd Season | titan second season | Titan: Season 2");
        same("Titan 2 | titan season two | titan s2 | titan s02 | Titan II | Titan Ⅱ");
        same("Titan 2 | titan saison 2 | Titan 2. Staffel | titan 2ª temporada | Titan 2 сезон");
        same("Titan 2 | titan 2기");
        same("巨人 2 | 巨人 第2期 | 巨人第二期 | 巨人第二季 | 巨人2 | 巨人Ⅱ");
        same("Titan | Titan Season 1 | titan 1st season");
        for other in ["titan part 2", "titan movie 2"] {
            assert_ne!(split_into_words(other), split_into_words("titan 2"));
        }
        assert_eq!(split_into_words("Second Stage"), ["second", "stage"]);
        assert_eq!(split_into_words("season 1"), ["1"]);
        assert_eq!(split_into_words("II"), ["ii"]);
    }

    #[test]
    fn symbols_scripts_and_letters_have_one_form() {
        same("Madoka★Magica | madoka magica");
        same("Hunter×Hunter | HUNTER x HUNTER | ＨＵＮＴＥＲ ｘ ＨＵＮＴＥＲ");
        same("けいおん | ケイオン | ｹｲｵﾝ");
        same("Fußball Æon | fussball aeon");
    }

    #[test]
    fn texts_without_words_and_long_texts_are_bounded() {
        for text in ["", " ", "!?.,;", "🎉🎉 ❤️", "\0\0", "\u{200d}"] {
            assert!(split_into_words(text).is_empty(), "{text:?}");
        }
        let many = split_into_words(&"a ".repeat(10_000));
        assert_eq!(many.len(), MAX_WORDS);
        for letter in ["a", "x", "猫", "é", "\u{1F600}a"] {
            let mut long = split_into_words(&letter.repeat(10_000)).into_iter();
            assert!(long.all(|word| word.chars().count() <= MAX_WORD_LENGTH));
        }
    }
}
