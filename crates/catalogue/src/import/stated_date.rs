//! The date that a file of the anime-offline-database states about itself.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use time::format_description::well_known::Iso8601;
use time::{Date, Time};

use super::unpack::unpack;

/// The maximum number of bytes before the date. The metadata is at the beginning, in both layouts of the file.
const MAX_START_BYTES: u64 = 16 * 1024;

const KEY: &str = "\"lastUpdate\"";

/// Returns the date of the data in a file of the anime-offline-database (`lastUpdate` of its metadata), as the start of
/// the day in seconds since the Unix epoch; `None` if the file states none. The file can be compressed with gzip or
/// Zstandard. Leaves it positioned at its start.
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
    Ok(find_date(&String::from_utf8_lossy(&start)))
}

fn find_date(start: &str) -> Option<u64> {
    let (_, rest) = start.split_once(KEY)?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let text = value.strip_prefix('"')?.get(..10)?;
    let date = Date::parse(text, &Iso8601::DATE).ok()?;
    u64::try_from(date.with_time(Time::MIDNIGHT).assume_utc().unix_timestamp()).ok()
}

#[cfg(test)]
mod tests {
    use super::find_date;

    #[test]
    fn date_is_found_in_the_metadata() {
        let august = Some(1_787_356_800);
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
        ];
        for (start, expected) in cases {
            assert_eq!(find_date(start), expected, "{start}");
        }
    }
}
