//! Dates that may have only a year, or only a year and a month.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::{Date, Month, OffsetDateTime};

/// A date whose month or day may be unknown: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PartialDate {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

impl PartialDate {
    /// The reason why a text is not a date, for the caller.
    pub const INVALID: &'static str =
        "must be a date from 1900 on: YYYY, YYYY-MM or YYYY-MM-DD, such as 2016-08-26";

    /// Returns the date with these parts; `None` if the date does not exist, if the year is not from 1900 to 9999, or
    /// if there is a day without a month.
    pub fn new(year: u16, month: Option<u8>, day: Option<u8>) -> Option<Self> {
        let known_month = month.unwrap_or(1);
        let known_day = day.unwrap_or(1);
        let month_of_year = Month::try_from(known_month).ok()?;
        let exists = Date::from_calendar_date(year.into(), month_of_year, known_day).is_ok();
        let is_valid =
            exists && (1900..=9999).contains(&year) && (month.is_some() || day.is_none());
        is_valid.then_some(Self { year, month, day })
    }

    /// Parses `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let part = |part: &str, length: usize| -> Option<u16> {
            let is_number = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse().ok()).flatten()
        };
        let two_digits = |text: &str| u8::try_from(part(text, 2)?).ok();
        let parts: Vec<&str> = text.split('-').collect();
        let date = || {
            // A malformed month or day makes the whole date invalid: only an absent part counts as unknown.
            let (year, month, day) = match parts[..] {
                [year] => (year, None, None),
                [year, month] => (year, Some(two_digits(month)?), None),
                [year, month, day] => (year, Some(two_digits(month)?), Some(two_digits(day)?)),
                _ => return None,
            };
            Self::new(part(year, 4)?, month, day)
        };
        date().ok_or(Self::INVALID)
    }

    /// Returns the day, in UTC, of a time in milliseconds since the Unix epoch. For a time after the year 9999,
    /// returns the last day of that year.
    pub fn of_ms(time: u64) -> Self {
        let seconds = i64::try_from(time / 1000).unwrap_or(i64::MAX);
        let day = OffsetDateTime::from_unix_timestamp(seconds);
        Self::of_date(day.map_or(Date::MAX, OffsetDateTime::date))
    }

    /// Returns a known day. Its year must not be before 1900.
    pub(crate) fn of_date(day: Date) -> Self {
        Self {
            year: u16::try_from(day.year()).unwrap_or(9999),
            month: Some(day.month().into()),
            day: Some(day.day()),
        }
    }

    /// Returns the date as a number: 20160826 for a day, 20160800 for a month and 20160000 for a year.
    pub fn to_number(self) -> u32 {
        let [month, day] = [self.month, self.day].map(|part| u32::from(part.unwrap_or(0)));
        u32::from(self.year) * 10_000 + month * 100 + day
    }

    /// Returns the date of a number from [`Self::to_number`].
    pub fn from_number(number: u32) -> Option<Self> {
        let year = u16::try_from(number / 10_000).ok()?;
        let part = |part: u32| u8::try_from(part % 100).ok().filter(|part| *part > 0);
        Self::new(year, part(number / 100), part(number))
    }

    /// Returns the year.
    pub fn year(self) -> u16 {
        self.year
    }

    /// Returns the month, 1 to 12, if it is known.
    pub fn month(self) -> Option<u8> {
        self.month
    }

    /// Returns the day of the month, 1 to 31, if it is known.
    pub fn day(self) -> Option<u8> {
        self.day
    }
}

impl fmt::Display for PartialDate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}", self.year)?;
        for part in [self.month, self.day].into_iter().flatten() {
            write!(formatter, "-{part:02}")?;
        }
        Ok(())
    }
}

impl From<PartialDate> for String {
    fn from(date: PartialDate) -> Self {
        date.to_string()
    }
}

impl TryFrom<String> for PartialDate {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::PartialDate;

    #[test]
    fn dates_survive_the_conversion_to_text_and_back() {
        for text in "1900 2016 2016-08 2016-08-26 2024-02-29 9999-12-31".split(' ') {
            assert_eq!(PartialDate::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn impossible_and_malformed_dates_are_rejected() {
        // The first text is empty.
        let texts = " 0000 1899 20160826 2016-8-26 2016-00 2016-13 2016-08-00 2016-02-30 2023-02-29 2016-00-01 \
            2016-08-26-01 +016-08-26 2016-08-26T00:00:00Z ２０１６";
        for text in texts.split(' ') {
            let date = PartialDate::parse(text);
            assert_eq!(date, Err(PartialDate::INVALID), "{text}");
        }
    }

    #[test]
    fn time_becomes_its_day_in_utc() {
        let text = |time| PartialDate::of_ms(time).to_string();
        assert_eq!(text(0), "1970-01-01");
        assert_eq!(text(1_472_255_999_999), "2016-08-26");
        assert_eq!(text(1_472_256_000_000), "2016-08-27");
        assert_eq!(text(u64::MAX), "9999-12-31");
    }
}
