//! The seasons of anime.

use shared::models::Season;
use time::{Month, OffsetDateTime};

use crate::paths::ANIME;

/// Returns the season and the year of a time in seconds since the Unix epoch.
pub fn season_at(seconds: u64) -> (Season, u16) {
    let time = i64::try_from(seconds).ok();
    let time = time.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    let date = time.unwrap_or(OffsetDateTime::UNIX_EPOCH).date();
    let season = match date.month() {
        Month::January | Month::February | Month::March => Season::Winter,
        Month::April | Month::May | Month::June => Season::Spring,
        Month::July | Month::August | Month::September => Season::Summer,
        Month::October | Month::November | Month::December => Season::Fall,
    };
    (season, u16::try_from(date.year()).unwrap_or_default())
}

/// Returns the address of the anime of a season.
pub fn season_path(season: Season, year: u16) -> String {
    format!("{ANIME}?season={}&year={year}", u8::from(season))
}

#[cfg(test)]
mod tests {
    use shared::models::Season;

    use super::season_at;

    #[test]
    fn seasons_follow_the_calendar() {
        assert_eq!(season_at(0), (Season::Winter, 1970));
        assert_eq!(season_at(1_700_000_000), (Season::Fall, 2023));
        assert_eq!(season_at(u64::MAX), (Season::Winter, 1970));
    }
}
