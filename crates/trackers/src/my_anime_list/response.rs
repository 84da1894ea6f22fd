//! The parts of responses that the user's list and the catalogue have in common.

use serde::Deserialize;
use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, OffsetDateTime};

/// The link to the next page of a list.
#[derive(Deserialize)]
pub(super) struct Paging {
    /// The URL of the next page; `None` for the last page.
    pub next: Option<String>,
}

/// Converts a text to seconds since the Unix epoch. The text can be a time, or a day, month or year, which stands for
/// its beginning in UTC. Returns `None` for an invalid text.
pub fn seconds_of(text: &str) -> Option<u64> {
    let seconds = match OffsetDateTime::parse(text, &Rfc3339) {
        Ok(time) => time.unix_timestamp(),
        Err(_) => day_of(text)?.midnight().assume_utc().unix_timestamp(),
    };
    // A time before 1970 cannot be right and becomes 0.
    Some(u64::try_from(seconds).unwrap_or_default())
}

/// Returns the first day of `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
fn day_of(text: &str) -> Option<Date> {
    let rest = match text.len() {
        4 => "-01-01",
        7 => "-01",
        _ => "",
    };
    Date::parse(&format!("{text}{rest}"), &Iso8601::DATE).ok()
}
