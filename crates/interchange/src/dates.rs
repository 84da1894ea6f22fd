//! Dates as files of services, spreadsheets and people write them.

use shared::models::PartialDate;

use super::field::normalize;

/// The order of day and month in dates such as `03/04/2020`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayOrder {
    DayMonth,
    MonthDay,
}

/// A date as a file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileDate {
    /// A date whose parts are clear. `None` is a field without a date.
    Clear(Option<PartialDate>),
    /// A day and a month, whose order only the whole file can show, and the year. 0 stands for unknown.
    Unordered([u8; 2], u16),
}

impl FileDate {
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if is_not_a_date(text) {
            return Some(Self::Clear(None));
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return match text.len() {
                8 => date_of(&text[..4], &text[4..6], &text[6..]),
                4 => date_of(text, "0", "0"),
                _ => None,
            };
        }
        if let Some(date) = parse_words(text) {
            return Some(date);
        }
        // A time of day follows a blank, or a T that follows a digit.
        let end = text.find([' ', 'T', '\u{a0}']);
        let (day, time) = text.split_at(end.unwrap_or(text.len()));
        if !time.is_empty() && !time.contains(|character: char| character.is_ascii_digit()) {
            return None;
        }
        let separator = day.chars().find(|character| !character.is_ascii_digit())?;
        let parts: Vec<&str> = match separator {
            '-' | '/' | '.' => day.trim_end_matches(separator).split(separator).collect(),
            _ => return None,
        };
        let is_short = |part: &&str| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !parts.iter().all(is_short) {
            return None;
        }
        match (parts.as_slice(), separator) {
            ([year, month, day], _) if year.len() == 4 => date_of(year, month, day),
            ([year, month], _) if year.len() == 4 => date_of(year, month, "0"),
            ([month, year], '/' | '.') if year.len() == 4 => date_of(year, month, "0"),
            ([day, month, year], '.') if day.len() <= 2 => date_of(&full_year(year)?, month, day),
            ([first, second, year], _) if first.len() <= 2 => unordered(first, second, year),
            _ => None,
        }
    }

    /// Returns the order of day and month that this date proves.
    pub fn order(self) -> Option<DayOrder> {
        match self {
            Self::Unordered([first, _], _) if first > 12 => Some(DayOrder::DayMonth),
            Self::Unordered([_, second], _) if second > 12 => Some(DayOrder::MonthDay),
            _ => None,
        }
    }

    /// Returns the date. If the order of day and month matters and is unknown, returns only the year.
    pub fn resolve(self, order: Option<DayOrder>) -> Option<PartialDate> {
        let (day, month, year) = match (self, self.order().or(order)) {
            (Self::Clear(date), _) => return date,
            (Self::Unordered([first, second], year), _) if first == second => (first, second, year),
            (Self::Unordered(_, year), None) => (0, 0, year),
            (Self::Unordered([day, month], year), Some(DayOrder::DayMonth))
            | (Self::Unordered([month, day], year), Some(DayOrder::MonthDay)) => (day, month, year),
        };
        partial_date(year, month, day).or_else(|| PartialDate::new(year, None, None))
    }

    /// Returns true if the day and the month are known only with an order that other dates prove.
    pub fn needs_order(self) -> bool {
        matches!(self, Self::Unordered([first, second], _) if first != second)
            && self.order().is_none()
    }
}

/// Returns true for a text that stands for no date, such as `-`, or for a time in the first minute of 1970.
fn is_not_a_date(text: &str) -> bool {
    let placeholders = ["0000", "0001-01-01", "1970-01-01T00:00", "1970-01-01 00:00"];
    // AniList has an object with three parts for each date, which can all be null.
    let has_only_zeros = text
        .bytes()
        .all(|byte| matches!(byte, b'0' | b'-' | b'/' | b'.'));
    has_only_zeros
        || placeholders.iter().any(|start| text.starts_with(start))
        || matches!(
            text.to_lowercase().as_str(),
            "–" | "—" | "?" | "null" | "none" | "n/a" | "unknown"
        )
}

/// Returns the date of a year, a month and a day; month and day can be 0. Without a month, the day is ignored, but a
/// month above 12 or a day above 31 is always invalid.
fn date_of(year: &str, month: &str, day: &str) -> Option<FileDate> {
    let year: u16 = year.parse().ok()?;
    let [month, day]: [u8; 2] = [month.parse().ok()?, day.parse().ok()?];
    if month > 12 || day > 31 {
        return None;
    }
    if year == 0 {
        return Some(FileDate::Clear(None));
    }
    partial_date(year, month, day).map(|date| FileDate::Clear(Some(date)))
}

/// Returns a date whose month and day are unknown if they are 0. Without a month, the day is ignored.
fn partial_date(year: u16, month: u8, day: u8) -> Option<PartialDate> {
    let month = Some(month).filter(|month| *month > 0);
    let day = Some(day).filter(|day| *day > 0 && month.is_some());
    PartialDate::new(year, month, day)
}

/// Returns the date of two parts of unknown order, and a year.
fn unordered(first: &str, second: &str, year: &str) -> Option<FileDate> {
    let parts: [u8; 2] = [first.parse().ok()?, second.parse().ok()?];
    let year: u16 = full_year(year)?.parse().ok()?;
    let [first, second] = parts;
    // 30/02 is a date in neither order.
    let is_date = |day, month| partial_date(year, month, day).is_some();
    let is_possible = is_date(first, second) || is_date(second, first);
    let is_valid = is_possible && parts.iter().all(|part| *part <= 31);
    is_valid.then_some(FileDate::Unordered(parts, year))
}

/// Returns the year with four digits, given a year that may have only two. No date of watching is before 1970.
fn full_year(year: &str) -> Option<String> {
    match (year.len(), year.parse::<u8>()) {
        (4, _) => Some(year.to_owned()),
        (2, Ok(short @ 70..)) => Some(format!("19{short}")),
        (2, Ok(short)) => Some(format!("20{short:02}")),
        _ => None,
    }
}

/// The beginnings of the names of months, in English, German, French, Spanish, Italian and Portuguese.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene", "gen"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "maer", "mrz"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mag"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "aoû", "aou", "ago"],
    &["sep", "set"],
    &["oct", "okt", "ott", "out"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

/// Words between the parts of a date: `5 de marzo de 2026`, `the 5th of March 2026`.
const FILLERS: [&str; 6] = ["de", "del", "of", "the", "le", "el"];

/// Returns the number of a day without the letters of `1st`, `2nd`, `3rd`, `4th` and `1er`.
fn without_suffix(day: &str) -> &str {
    let suffixes = ["st", "nd", "rd", "th", "er"];
    let number = suffixes.iter().find_map(|suffix| day.strip_suffix(suffix));
    number.unwrap_or(day)
}

/// Parses a date with the name of the month (`March 1, 2025`, `1. März 2025`, `Mar 2025`), or with the signs of Chinese
/// and Japanese (`2025年3月1日`).
fn parse_words(text: &str) -> Option<FileDate> {
    if text.contains('年') {
        let end = text.find('日').unwrap_or(text.len());
        let numbers = text[..end].split(['年', '月']).map(str::trim);
        let numbers: Vec<&str> = numbers.filter(|number| !number.is_empty()).collect();
        return match numbers.as_slice() {
            [year, month, day] => date_of(year, month, day),
            [year, month] => date_of(year, month, "0"),
            [year] => date_of(year, "0", "0"),
            _ => None,
        };
    }
    let words = text.split([' ', ',', '.', '-', '/']).map(str::trim);
    let words = words.filter(|word| !word.is_empty() && !FILLERS.contains(word));
    let words: Vec<&str> = words.take(4).collect();
    let month = |word: &str| {
        let word = normalize(word);
        let begins = |names: &&[&str]| names.iter().any(|name| word.starts_with(name));
        let number = MONTHS.iter().position(begins)?;
        (word.chars().all(char::is_alphabetic)).then(|| (number + 1).to_string())
    };
    match words.as_slice() {
        [name, year] => date_of(year, &month(name)?, "0"),
        [first, second, year, ..] => match (month(first), month(second)) {
            (Some(month), _) => date_of(&full_year(year)?, &month, without_suffix(second)),
            (None, Some(month)) => date_of(&full_year(year)?, &month, without_suffix(first)),
            (None, None) => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use shared::models::PartialDate;

    use super::{DayOrder, FileDate};

    fn clear(text: &str) -> Option<String> {
        match FileDate::parse(text) {
            Some(FileDate::Clear(date)) => {
                Some(date.map_or("none".to_owned(), |date| date.to_string()))
            }
            _ => None,
        }
    }

    #[test]
    fn dates_are_read_in_the_forms_that_files_have() {
        for (date, texts) in [
            ("2016-08-26", "2016-08-26|2016-8-26|20160826|26.08.2016"),
            ("2016-08", "20160800|2016-08|2016-08-00|08/2016"),
            ("2016", "2016-00-26|2016"),
            ("2020-05-03", "2020-05-03T00:00:00Z|2020/05/03"),
            ("2020-05-03", "2020-05-03 07:20:00+00:00"),
            ("2016-04-03", "3.4.16|03.04.2016 12:00"),
            ("2025-03-01", "March 1, 2025|1 Mar 2025|1. März 2025"),
            ("2025-03-01", "1-Mar-25|1-Mar-25 10:30|2025年3月1日"),
            ("1999-12-31", "Dec 31, 99"),
            ("2025-05", "May 2025"),
            ("2026-03-05", "March 5th, 2026|5 de marzo de 2026"),
            ("2026-03-01", "1er mars 2026"),
            ("2026-07-14", "14 juillet 2026"),
            ("none", "0000-00-00|0000-05-06|0001-01-01 00:00:00"),
            ("none", "1970-01-01T00:00:01Z|-||0|0-0-0"),
        ] {
            for text in texts.split('|') {
                assert_eq!(clear(text).as_deref(), Some(date), "{text}");
            }
        }
        let wrong = "2020-13-45|2020-02-30|1899|yesterday|26.13.2016|8/26|99/99/2016|30/02/2020|Smarch 1, 2025|\
            Mar-25|1-Mar-125|12345|2016-08-26-01|2016-08-26 abc";
        for text in wrong.split('|') {
            assert_eq!(FileDate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn order_of_day_and_month_is_that_of_the_file() {
        let date = |text| FileDate::parse(text).unwrap_or(FileDate::Clear(None));
        let day = |text| PartialDate::parse(text).ok();
        assert_eq!(date("12/8/2016").order(), None, "12 can be a month");
        assert_eq!(date("8/26/2016").order(), Some(DayOrder::MonthDay));
        assert_eq!(date("26-08-16").order(), Some(DayOrder::DayMonth));
        let unclear = date("03-04-20");
        assert_eq!(unclear.order(), None);
        assert_eq!(unclear.resolve(Some(DayOrder::DayMonth)), day("2020-04-03"));
        assert_eq!(unclear.resolve(Some(DayOrder::MonthDay)), day("2020-03-04"));
        assert_eq!(unclear.resolve(None), day("2020"));
        assert_eq!(date("05-05-98").resolve(None), day("1998-05-05"));
        assert_eq!(date("00-00-19").resolve(None), day("2019"));
        let unclear = date("05-00-19");
        assert_eq!(unclear.resolve(Some(DayOrder::MonthDay)), day("2019-05"));
        assert_eq!(unclear.resolve(Some(DayOrder::DayMonth)), day("2019"));
    }
}
