//! Times in list files and in messages of players.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Returns an ISO 8601 time, such as `2026-11-23T07:20:00.5Z`; `None` after the year 9999.
pub fn format_ms(ms: u64) -> Option<String> {
    let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok()?;
    time.format(&Rfc3339).ok()
}

/// Converts a text to milliseconds since the Unix epoch. It can be an ISO 8601 time, a time in UTC such as
/// `2026-11-23 07:20:00`, or a number of seconds since the Unix epoch.
pub fn parse_ms(text: &str) -> Option<u64> {
    let nanoseconds = match text.parse::<i64>() {
        Ok(seconds) => OffsetDateTime::from_unix_timestamp(seconds).ok()?,
        Err(_) => OffsetDateTime::parse(text, &Rfc3339)
            .or_else(|_| OffsetDateTime::parse(&format!("{}Z", text.replace(' ', "T")), &Rfc3339))
            .ok()?,
    }
    .unix_timestamp_nanos();
    u64::try_from(nanoseconds / 1_000_000).ok()
}

#[cfg(test)]
mod tests {
    use super::{format_ms, parse_ms};

    #[test]
    fn milliseconds_survive() {
        for ms in [0, 1, 999, 1_700_000_000_123, 253_402_300_799_999] {
            assert_eq!(format_ms(ms).as_deref().and_then(parse_ms), Some(ms));
        }
        assert_eq!(format_ms(253_402_300_800_000), None);
        assert_eq!(format_ms(u64::MAX), None);
    }

    #[test]
    fn several_forms_are_read() {
        let expected = Some(1_700_000_000_000);
        for text in [
            "1700000000",
            "2023-11-14T22:13:20Z",
            "2023-11-14T23:13:20+01:00",
            "2023-11-14 22:13:20",
        ] {
            assert_eq!(parse_ms(text), expected, "{text}");
        }
        for text in ["", "yesterday", "-5", "99999999999999", "2023-11-14"] {
            assert_eq!(parse_ms(text), None, "{text}");
        }
    }
}
