//! The facets of an anime as the bits of one number, so that a filter accepts or rejects a row without a branch.
//! Many filters accept rows and reject rows in no regular order, and a processor predicts such branches badly.

use serde::{Deserialize, Serialize};
use shared::models::{AnimeFormat, AnimeStatus, Season, WireEnum};

use crate::rows::anime::AnimeListItem;

/// The bits of the formats, one for each.
const FORMATS: u64 = 0xff;
/// The position of the first status.
const STATUS_SHIFT: u8 = 8;
/// The bits of the statuses, one for each.
const STATUSES: u64 = 0xff << STATUS_SHIFT;
/// The position of the first season.
const SEASON_SHIFT: u8 = 16;
/// The bits of the seasons, one for each.
const SEASONS: u64 = 0xff << SEASON_SHIFT;
/// The bit that is set unless the anime is for adults only.
const SAFE: u64 = 1 << 24;
/// The bit that is set if an episode has been released.
const WITH_EPISODES: u64 = 1 << 25;
/// The position of the year.
const YEAR_SHIFT: u8 = 32;
/// The bits of the year. They are the year plus 1, or 0 if the year is unknown.
const YEARS: u64 = 0xffff_ffff << YEAR_SHIFT;

/// The format, status, season, year and flags of an anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facets(u64);

impl From<&AnimeListItem> for Facets {
    fn from(item: &AnimeListItem) -> Self {
        let set = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        Self(
            format_bit(item.format)
                | status_bit(item.status)
                | season_bit(item.season_period)
                | item.season_year.map_or(0, year_bits)
                | set(!item.nsfw, SAFE)
                | set(item.episodes_count > 0, WITH_EPISODES),
        )
    }
}

impl Facets {
    /// Returns the format; `None` if the bits are damaged.
    pub fn format(self) -> Option<AnimeFormat> {
        AnimeFormat::from_wire((self.0 & FORMATS).trailing_zeros().into())
    }

    /// Returns the status; `None` if the bits are damaged.
    pub fn status(self) -> Option<AnimeStatus> {
        let statuses = (self.0 & STATUSES) >> STATUS_SHIFT;
        AnimeStatus::from_wire(statuses.trailing_zeros().into())
    }

    /// Returns the season; `None` if the bits are damaged.
    pub fn season(self) -> Option<Season> {
        let seasons = (self.0 & SEASONS) >> SEASON_SHIFT;
        Season::from_wire(seasons.trailing_zeros().into())
    }

    /// Returns true unless the anime is for adults only.
    pub fn is_safe(self) -> bool {
        self.0 & SAFE != 0
    }

    /// Returns the season as a number that grows in the course of a year, from 1; 0 if the season is unknown.
    pub fn season_order(self) -> u8 {
        match self.season() {
            Some(Season::Unknown) | None => 0,
            Some(season) => u8::from(season) + 1,
        }
    }

    /// Returns the year, if it is known.
    pub fn year(self) -> Option<u16> {
        let year = (self.0 >> YEAR_SHIFT).checked_sub(1)?;
        u16::try_from(year).ok()
    }
}

/// The facets that a filter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedFacets {
    /// The bits that the filter compares.
    mask: u64,
    /// The values of these bits.
    value: u64,
    /// The bits of the formats, one of which a row must have.
    formats: u64,
}

impl WantedFacets {
    /// All facets.
    pub const ALL: Self = Self {
        mask: 0,
        value: 0,
        formats: FORMATS,
    };

    /// Accepts only these formats, or all if there are none.
    pub fn with_formats(mut self, formats: &[AnimeFormat]) -> Self {
        if !formats.is_empty() {
            let formats = formats.iter().copied().map(format_bit);
            self.formats = formats.fold(0, |all, format| all | format);
        }
        self
    }

    /// Accepts only this status, if there is one.
    pub fn with_status(self, status: Option<AnimeStatus>) -> Self {
        self.require(STATUSES, status.map(status_bit))
    }

    /// Accepts only this season, if there is one.
    pub fn with_season(self, season: Option<Season>) -> Self {
        self.require(SEASONS, season.map(season_bit))
    }

    /// Accepts only this year, if there is one.
    pub fn with_year(self, year: Option<u16>) -> Self {
        self.require(YEARS, year.map(year_bits))
    }

    /// Rejects anime for adults only, if the flag is true.
    pub fn exclude_nsfw(self, flag: bool) -> Self {
        self.require(SAFE, flag.then_some(SAFE))
    }

    /// Accepts only anime with a released episode, if the flag is true.
    pub fn with_episodes(self, flag: bool) -> Self {
        self.require(WITH_EPISODES, flag.then_some(WITH_EPISODES))
    }

    fn require(mut self, mask: u64, value: Option<u64>) -> Self {
        if let Some(value) = value {
            self.mask |= mask;
            self.value |= value;
        }
        self
    }

    /// Returns true if the filter accepts these facets.
    #[expect(clippy::needless_bitwise_bool, reason = "`&&` would be a branch")]
    pub fn accept(self, facets: Facets) -> bool {
        (facets.0 & self.mask == self.value) & (facets.0 & self.formats != 0)
    }
}

fn format_bit(format: AnimeFormat) -> u64 {
    1 << u8::from(format)
}

fn status_bit(status: AnimeStatus) -> u64 {
    1 << (STATUS_SHIFT + u8::from(status))
}

fn season_bit(season: Season) -> u64 {
    1 << (SEASON_SHIFT + u8::from(season))
}

fn year_bits(year: u16) -> u64 {
    (u64::from(year) + 1) << YEAR_SHIFT
}
