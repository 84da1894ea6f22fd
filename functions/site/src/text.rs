//! Formatting of dates and durations.

use time::OffsetDateTime;

/// Formats a Unix time in seconds as "21 December 2026" (UTC).
pub(crate) fn day(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).ok();
    let time = seconds.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    time.map_or_else(String::new, |time| {
        format!("{} {} {}", time.day(), time.month(), time.year())
    })
}

/// Formats a Unix time in seconds as "21 December 2026, 09:05 UTC".
pub(crate) fn moment(seconds: u64) -> String {
    let minutes = seconds / 60;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    format!("{}, {hour:02}:{minute:02} UTC", day(seconds))
}

/// Formats a waiting time as "1 minute", "15 minutes" or "24 hours". Rounds up.
pub(crate) fn wait(seconds: u64) -> String {
    match seconds.div_ceil(60) {
        0 | 1 => "1 minute".to_owned(),
        minutes @ 2..=120 => format!("{minutes} minutes"),
        minutes => format!("{} hours", minutes.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::{day, moment, wait};

    #[test]
    fn days() {
        assert_eq!(day(0), "1 January 1970");
        assert_eq!(day(1_797_811_200), "21 December 2026");
        assert_eq!(day(u64::MAX), "");
    }

    #[test]
    fn moments() {
        assert_eq!(moment(0), "1 January 1970, 00:00 UTC");
        assert_eq!(moment(1_700_000_000), "14 November 2023, 22:13 UTC");
        assert_eq!(moment(1_700_006_399), "14 November 2023, 23:59 UTC");
    }

    #[test]
    fn waits() {
        assert_eq!(wait(0), "1 minute");
        assert_eq!(wait(60), "1 minute");
        assert_eq!(wait(61), "2 minutes");
        assert_eq!(wait(7200), "120 minutes");
        assert_eq!(wait(7201), "3 hours");
        assert_eq!(wait(86_397), "24 hours");
    }
}
