//! The values that corrections give to fields, as texts of a form and as JSON.

use serde_json::{Value, json};
use shared::models::{AnimeId, WireEnum};
use shared::visible::is_visible;
use time::format_description::well_known::Iso8601;
use time::{Date, OffsetDateTime, Time};

use crate::genres::genre_of_tag;
use crate::import::{MAX_FIELD_BYTES, MAX_NAME_BYTES, MAX_STUDIOS};

/// The maximum length of a text of one line, in bytes.
pub const MAX_LINE_BYTES: usize = 1_000;

/// The maximum length of an address, in bytes.
pub const MAX_URL_BYTES: usize = 2_048;

/// The maximum number of genres, or of recommendations.
pub const MAX_LIST_VALUES: usize = 50;

/// The schemes of addresses that are not allowed: a browser would run their content as a script, or read files of the
/// visitor's computer.
const UNSAFE_SCHEMES: [&str; 5] = ["blob", "data", "file", "javascript", "vbscript"];

/// The kind of a field's values.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// A text of one line, at most [`MAX_LINE_BYTES`].
    Line,
    /// A text of several lines, at most [`MAX_FIELD_BYTES`].
    Lines,
    /// An address with `https`, at most [`MAX_URL_BYTES`].
    Url,
    /// An address that opens an application. Unsafe schemes, such as `javascript`, are not allowed.
    AppUrl,
    /// `#` and six hexadecimal digits.
    Color,
    /// A whole number in this range.
    Number(u32, u32),
    /// A day: `YYYY-MM-DD`.
    Day,
    /// A duration, written `m:ss` or `m:ss.fff`, at most 24 hours. The value is in milliseconds.
    Duration,
    /// One of these names. The position of a name is its value.
    Choice(fn() -> Vec<&'static str>),
    /// `yes` or `no`.
    YesNo,
    /// Names of genres, separated by commas, at most [`MAX_LIST_VALUES`].
    Genres,
    /// Names of studios, separated by commas, at most [`MAX_STUDIOS`], each of at most [`MAX_NAME_BYTES`].
    Studios,
    /// The identifier of an anime.
    Anime,
    /// Identifiers of anime, separated by commas, at most [`MAX_LIST_VALUES`].
    AnimeList,
}

/// The reason why a value is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The field cannot be empty.
    Required,
    /// The text is longer than this number of bytes.
    TooLong(usize),
    /// The text has control characters, or nothing that is visible.
    Unprintable,
    /// The text is not an address that begins with `https://`.
    NotUrl,
    /// The text is not an address that opens an application, or its scheme is unsafe.
    NotAppUrl,
    /// The text is not a color.
    NotColor,
    /// The text is not a number in this range.
    NotNumber(u32, u32),
    /// The text is not a day, or its year is before 1900.
    NotDay,
    /// The text is not a duration.
    NotDuration,
    /// The text is none of the choices.
    NotChoice,
    /// The list has more than this number of elements.
    TooMany(usize),
    /// The catalogue has no such genre.
    UnknownGenre(String),
    /// The catalogue has no such anime.
    UnknownAnime(String),
    /// An anime cannot refer to itself.
    Itself,
    /// The anime would have no title left.
    LastTitle,
}

/// Returns the names of an enumeration, for [`FieldKind::Choice`].
pub fn enum_names<E: WireEnum>() -> Vec<&'static str> {
    E::ALL.iter().map(|(_, name)| *name).collect()
}

impl FieldKind {
    /// Reads a text that is not empty.
    ///
    /// # Errors
    /// The reason why the value is not accepted.
    pub fn parse(self, text: &str) -> Result<Value, Fault> {
        match self {
            Self::Line => check_text(text, MAX_LINE_BYTES, false),
            Self::Lines => check_text(&text.replace("\r\n", "\n"), MAX_FIELD_BYTES, true),
            Self::Url => parse_url(text),
            Self::AppUrl => parse_app_url(text),
            Self::Color => parse_color(text).ok_or(Fault::NotColor),
            Self::Number(least, most) => {
                let number = text.parse().ok();
                let number = number.filter(|number: &u32| (least..=most).contains(number));
                number.map(Value::from).ok_or(Fault::NotNumber(least, most))
            }
            Self::Day => parse_day(text).ok_or(Fault::NotDay),
            Self::Duration => parse_duration(text)
                .map(Value::from)
                .ok_or(Fault::NotDuration),
            Self::Choice(names) => {
                let position = names().iter().position(|name| *name == text);
                position.map(Value::from).ok_or(Fault::NotChoice)
            }
            Self::YesNo => match text {
                "yes" => Ok(Value::Bool(true)),
                "no" => Ok(Value::Bool(false)),
                _ => Err(Fault::NotChoice),
            },
            Self::Genres => parse_genres(text),
            Self::Studios => parse_studios(text),
            Self::Anime => parse_anime(text).map(Value::from),
            Self::AnimeList => {
                let mut ids = Vec::new();
                for element in split_elements(text, MAX_LIST_VALUES)? {
                    let id = parse_anime(element)?;
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
                Ok(json!(ids))
            }
        }
    }

    /// Returns the text of a value, from which [`FieldKind::parse`] reads the same value. The text of `null`, which
    /// stands for an unknown value, is empty.
    pub fn format(self, value: &Value) -> String {
        match (self, value) {
            (Self::Choice(names), Value::Number(number)) => {
                let position = number
                    .as_u64()
                    .and_then(|number| usize::try_from(number).ok());
                let names = names();
                let name = position.and_then(|position| names.get(position));
                name.copied().unwrap_or_default().to_owned()
            }
            (Self::Duration, Value::Number(number)) => {
                format_duration(number.as_u64().unwrap_or_default())
            }
            // The value is a timestamp. The first 10 characters are its date.
            (Self::Day, Value::String(text)) => text.chars().take(10).collect(),
            (_, Value::Bool(is_yes)) => (if *is_yes { "yes" } else { "no" }).to_owned(),
            (_, Value::Number(number)) => number.to_string(),
            (_, Value::String(text)) => text.clone(),
            (_, Value::Array(elements)) => {
                let elements: Vec<String> = elements
                    .iter()
                    .map(|element| match element {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    })
                    .collect();
                elements.join(", ")
            }
            _ => String::new(),
        }
    }

    /// Returns the anime that a value of this kind refers to.
    pub fn anime_in(self, value: &Value) -> Vec<u64> {
        match (self, value) {
            (Self::Anime, value) => value.as_u64().into_iter().collect(),
            (Self::AnimeList, Value::Array(ids)) => ids.iter().filter_map(Value::as_u64).collect(),
            _ => Vec::new(),
        }
    }
}

/// Checks that a text has at most `max_bytes` bytes, a visible character and no control character. Line breaks are
/// allowed if `may_have_line_breaks` is true.
pub fn check_text(
    text: &str,
    max_bytes: usize,
    may_have_line_breaks: bool,
) -> Result<Value, Fault> {
    let is_allowed = |c: char| !c.is_control() || (may_have_line_breaks && c == '\n');
    if text.len() > max_bytes {
        Err(Fault::TooLong(max_bytes))
    } else if text.chars().all(is_allowed) && is_visible(text) {
        Ok(text.into())
    } else {
        Err(Fault::Unprintable)
    }
}

fn parse_url(text: &str) -> Result<Value, Fault> {
    let host = text.strip_prefix("https://").unwrap_or_default();
    let has_host = host.starts_with(|c: char| c.is_alphanumeric());
    let is_plain = !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\');
    if text.len() > MAX_URL_BYTES {
        Err(Fault::TooLong(MAX_URL_BYTES))
    } else if has_host && is_plain {
        Ok(text.into())
    } else {
        Err(Fault::NotUrl)
    }
}

fn parse_app_url(text: &str) -> Result<Value, Fault> {
    if text.len() > MAX_URL_BYTES {
        return Err(Fault::TooLong(MAX_URL_BYTES));
    }
    let (scheme, rest) = text.split_once(':').ok_or(Fault::NotAppUrl)?;
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let is_safe = is_scheme && !UNSAFE_SCHEMES.contains(&&*scheme);
    let is_plain =
        !rest.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control());
    (is_safe && is_plain)
        .then(|| text.into())
        .ok_or(Fault::NotAppUrl)
}

fn parse_color(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('#')?;
    let is_color = digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_color.then(|| text.to_ascii_lowercase().into())
}

/// The first year that a day can have. Earlier years are typing errors: the oldest anime is from 1907.
const FIRST_YEAR: i32 = 1900;

fn parse_day(text: &str) -> Option<Value> {
    // ISO 8601 has other ways to write a day, of other lengths: `19980403`, `1998-W14-5`, `1998-093`.
    let is_short = text.len() == 10;
    let day = Date::parse(text, &Iso8601::DATE).ok();
    let day = day.filter(|day| is_short && day.year() >= FIRST_YEAR)?;
    let midnight = OffsetDateTime::new_utc(day, Time::MIDNIGHT);
    let midnight = midnight.format(&time::format_description::well_known::Rfc3339);
    midnight.ok().map(Value::from)
}

/// Returns the milliseconds of a duration written `m:ss` or `m:ss.fff`.
fn parse_duration(text: &str) -> Option<u64> {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    let (minutes, seconds) = text.split_once(':')?;
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if ![minutes, seconds, fraction].into_iter().all(is_number)
        || minutes.len() > 4
        || seconds.len() != 2
        || fraction.len() > 3
    {
        return None;
    }
    let number = |text: &str| text.parse::<u64>().ok();
    let seconds = number(seconds).filter(|seconds| *seconds < 60)?;
    let fraction = number(&format!("{fraction:0<3}"))?;
    let total = (number(minutes)? * 60 + seconds) * 1000 + fraction;
    (1..=DAY_MS).contains(&total).then_some(total)
}

/// Writes a duration as [`parse_duration`] reads it. 0 stands for an unknown duration.
fn format_duration(milliseconds: u64) -> String {
    if milliseconds == 0 {
        return String::new();
    }
    let (seconds, fraction) = (milliseconds / 1000, milliseconds % 1000);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    match fraction {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{minutes}:{seconds:02}.{fraction:03}"),
    }
}

/// Returns the elements of a comma-separated text, each once and at most this number of them.
fn split_elements(text: &str, maximum: usize) -> Result<Vec<&str>, Fault> {
    let mut elements = Vec::new();
    for element in text.split(',').map(str::trim) {
        if !element.is_empty() && !elements.contains(&element) {
            elements.push(element);
        }
    }
    if elements.len() > maximum {
        return Err(Fault::TooMany(maximum));
    }
    Ok(elements)
}

fn parse_genres(text: &str) -> Result<Value, Fault> {
    let mut genres = Vec::new();
    for name in split_elements(text, MAX_LIST_VALUES)? {
        let genre = genre_of_tag(name);
        let genre = genre.ok_or_else(|| Fault::UnknownGenre(name.to_owned()))?;
        if !genres.contains(&genre) {
            genres.push(genre);
        }
    }
    genres.sort_unstable();
    Ok(json!(genres))
}

fn parse_studios(text: &str) -> Result<Value, Fault> {
    let names = split_elements(text, MAX_STUDIOS)?.into_iter();
    let names: Result<Vec<Value>, Fault> = names
        .map(|name| check_text(name, MAX_NAME_BYTES, false))
        .collect();
    Ok(names?.into())
}

fn parse_anime(text: &str) -> Result<u64, Fault> {
    let id = text.parse().ok().and_then(AnimeId::new);
    id.map(AnimeId::get)
        .ok_or_else(|| Fault::UnknownAnime(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::models::{Season, Weekday};

    use super::FieldKind::{
        self, AnimeList, AppUrl, Choice, Color, Day, Duration, Genres, Line, Lines, Number,
        Studios, Url, YesNo,
    };
    use super::{Fault, enum_names};

    #[test]
    fn accepted_values_are_read_and_shown() {
        for (kind, text, value) in [
            (Line, "星 の街", json!("星 の街")),
            (Lines, "a\r\nb", json!("a\nb")),
            (
                Url,
                "https://a.example/b?c=d",
                json!("https://a.example/b?c=d"),
            ),
            (AppUrl, "player:track:1", json!("player:track:1")),
            (Color, "#F1785D", json!("#f1785d")),
            (Number(0, 12), "0", json!(0)),
            (Number(0, 12), "12", json!(12)),
            (Day, "2024-02-29", json!("2024-02-29T00:00:00Z")),
            (Duration, "3:30", json!(210_000)),
            (Duration, "0:00.05", json!(50)),
            (Duration, "89:09.001", json!(5_349_001)),
            (Choice(enum_names::<Season>), "FALL", json!(3)),
            (Choice(enum_names::<Weekday>), "Sunday", json!(0)),
            (YesNo, "yes", json!(true)),
            (YesNo, "no", json!(false)),
            (Genres, "sf, Action,,action", json!(["Action", "Sci-Fi"])),
            (Studios, "feel., MAPPA, ,feel.", json!(["feel.", "MAPPA"])),
            (FieldKind::Anime, "7", json!(7)),
            (AnimeList, "7, 9,7, 09", json!([7, 9])),
        ] {
            let read = kind.parse(text);
            assert_eq!(kind.parse(&kind.format(&value)), read, "{kind:?} {text:?}");
            assert_eq!(read, Ok(value), "{kind:?} {text:?}");
        }
    }

    #[test]
    fn other_values_are_rejected() {
        let long = "a".repeat(10_001);
        let long_url = format!("https://{long}");
        let numbers = |last: u32| {
            let numbers: Vec<String> = (1..=last).map(|number| number.to_string()).collect();
            numbers.join(",")
        };
        // The texts of a case are separated by a bar.
        for (kind, texts, fault) in [
            (
                Url,
                "http://a.example|https://|https:///a|//a.example|https:\\\\a",
                Fault::NotUrl,
            ),
            (
                Url,
                "javascript:alert(1)|https://a b|https://a\n",
                Fault::NotUrl,
            ),
            (
                AppUrl,
                "a|:a|JavaScript:alert(1)|data:text/html,a|1a:b",
                Fault::NotAppUrl,
            ),
            (AppUrl, "a b:c|a: b|a:", Fault::NotAppUrl),
            (Color, "red|#12345|#12345g|#1234567", Fault::NotColor),
            (
                Number(0, 12),
                "-1|13|1.5|x|99999999999",
                Fault::NotNumber(0, 12),
            ),
            (
                Day,
                "2024-02-30|2024-2-1|20240201|0001-01-01|2024-02-01T00",
                Fault::NotDay,
            ),
            (
                Duration,
                "3|3:60|3:5|0:00|-1:00|1441:00|3:30.0001|1:1:1",
                Fault::NotDuration,
            ),
            (Choice(enum_names::<Season>), "fall|3", Fault::NotChoice),
            (YesNo, "true", Fault::NotChoice),
            (
                Genres,
                "Action, Nonsense",
                Fault::UnknownGenre("Nonsense".to_owned()),
            ),
            (FieldKind::Anime, "0", Fault::UnknownAnime("0".to_owned())),
            (Line, "a\nb|a\0|\u{200b}", Fault::Unprintable),
            (Lines, "a\u{1b}", Fault::Unprintable),
            (Line, &*long, Fault::TooLong(1_000)),
            (Lines, &*long, Fault::TooLong(10_000)),
            (Url, &*long_url, Fault::TooLong(2_048)),
            (Studios, &*"a".repeat(101), Fault::TooLong(100)),
            (Studios, "a\u{1b}", Fault::Unprintable),
            (Studios, &*numbers(31), Fault::TooMany(30)),
            (AnimeList, &*numbers(51), Fault::TooMany(50)),
        ] {
            for text in texts.split('|') {
                assert_eq!(kind.parse(text).as_ref(), Err(&fault), "{kind:?} {text:?}");
            }
        }
    }
}
