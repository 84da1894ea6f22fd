//! The date that a file of the anime-offline-database, or a title dump of `AniDB`, states about itself.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use time::format_description::well_known::Iso8601;
use time::{Date, Month, Time};

use super::unpack::unpack;

/// The maximum number of bytes before the date. The metadata is at the beginning, in all layouts of the files.
const MAX_START_BYTES: u64 = 16 * 1024;

const KEY: &str = "\"lastUpdate\"";

/// The words before the date of a title dump: those of an XML file, and those of a `.dat` file.
const CREATED: [&str; 2] = ["<!-- Created:", "# created:"];

/// The abbreviations of the months in a title dump.
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Returns the date of the data in a file of the anime-offline-database (`lastUpdate` of its metadata) or in a title
/// dump of `AniDB` (the comment in its first lines), as the start of the day in seconds since the Unix epoch; `None` if
/// the file states none. The file can be compressed with gzip or Zstandard. Leaves it positioned at its start.
///
/// # Errors
/// The file cannot be read.
pub fn stated_date(file: &mut File) -> io::Result<Option<u64>> {
    file.seek(SeekFrom::Start(0))?;
    let mut start = Vec::new();
    unpack(BufReader::new(&*file))?
        .take(MAX_START_BYTES)
        .read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    let date = find_date(&String::from_utf8_lossy(&start));
    let start_of_day = date.map(|date| date.with_time(Time::MIDNIGHT).assume_utc());
    Ok(start_of_day.and_then(|time| u64::try_from(time.unix_timestamp()).ok()))
}

fn find_date(start: &str) -> Option<Date> {
    let start = start.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    if start.starts_with(['<', '#']) {
        find_date_of_dump(start)
    } else {
        find_date_of_database(start)
    }
}

fn find_date_of_database(start: &str) -> Option<Date> {
    let (_, rest) = start.split_once(KEY)?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let text = value.strip_prefix('"')?.get(..10)?;
    Date::parse(text, &Iso8601::DATE).ok()
}

/// Reads a time such as `Sun May  4 03:00:02 2025`.
fn find_date_of_dump(start: &str) -> Option<Date> {
    let mut after = CREATED.iter().filter_map(|words| start.split_once(words));
    let (_, rest) = after.next()?;
    let mut words = rest.split_ascii_whitespace().skip(1);
    let month = words.next()?;
    let month = (1..).zip(MONTHS).find(|(_, name)| *name == month)?.0;
    let day = words.next()?.parse().ok()?;
    let year = words.nth(1)?.parse().ok()?;
    Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()
}

#[cfg(test)]
mod tests {
    use time::{Date, Month};

    use super::find_date;

    #[test]
    fn date_is_found_in_the_metadata() {
        let date = |month, day| Some(Date::from_calendar_date(2026, month, day).unwrap());
        let august = date(Month::August, 22);
        let cases = [
            (r#"{"license":{},"lastUpdate":"2026-08-22"}"#, august),
            (
                "{\n  \"lastUpdate\" : \"2026-08-22\",\n  \"data\": []",
                august,
            ),
            (r#"{"lastUpdate":"2026-08-22T10:00:00Z"}"#, august),
            (r#"{"lastUpdate":"22 August"}"#, None),
            (r#"{"lastUpdate":20260822}"#, None),
            (r#"{"data":[]}"#, None),
            ("", None),
            (
                "<?xml version=\"1.0\"?>\n<!-- Created: Sat Aug 22 03:00:02 2026 (2 anime, 9 titles) -->\n",
                august,
            ),
            ("<!-- Created: Sat Aug 22 03:00:02 2026 -->", august),
            (
                "# created: Sun May  3 03:00:02 2026\n# <aid>|<type>|<language>|<title>\n",
                date(Month::May, 3),
            ),
            ("# created: Sun May 32 03:00:02 2026\n", None),
            ("# created: Sun Mai  3 03:00:02 2026\n", None),
            ("# created: Sun May  3\n", None),
            ("<animetitles>", None),
        ];
        for (start, expected) in cases {
            assert_eq!(find_date(start), expected, "{start}");
        }
    }
}
