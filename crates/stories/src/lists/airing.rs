//! The entries of a list that can be in the calendar, as far as the index of the catalogue shows.

use shared::models::{AnimeStatus, WatchStatus};

/// Returns true if the anime of a story with this status can be in the calendar: the user watches, rewatches or plans
/// it.
pub(crate) fn may_air(status: WatchStatus) -> bool {
    matches!(
        status,
        WatchStatus::Current | WatchStatus::Repeating | WatchStatus::Planning
    )
}

/// An entry whose anime airs or has not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AiringRank {
    /// 0 if the anime airs and the user watches it, 1 if it airs and the user plans it, 2 or 3 if it has not begun.
    pub(crate) number: u8,
    year: Option<u16>,
}

impl AiringRank {
    /// Returns the rank of an entry in the calendar, which takes the entries with the lowest ranks. Returns `None` if
    /// the anime neither airs nor will begin.
    pub(crate) fn of(story: WatchStatus, anime: AnimeStatus, year: Option<u16>) -> Option<Self> {
        let number = match anime {
            AnimeStatus::Releasing if story == WatchStatus::Planning => 1,
            AnimeStatus::Releasing => 0,
            AnimeStatus::NotYetReleased => 2 + u8::from(year.is_none()),
            AnimeStatus::Finished | AnimeStatus::Cancelled => return None,
        };
        let year = year.filter(|_| number == 2);
        Some(Self { number, year })
    }

    /// Returns true if the anime airs, and the user plans it.
    pub(crate) fn is_planned(self) -> bool {
        self.number == 1
    }

    /// Returns true if the anime may have begun by the end of this year. The index has only the year of the start,
    /// which may be unknown.
    pub(crate) fn may_begin_by(self, latest_year: i32) -> bool {
        self.year.is_none_or(|year| i32::from(year) <= latest_year)
    }
}

#[cfg(test)]
mod tests {
    use shared::models::AnimeStatus::{Cancelled, Finished, NotYetReleased, Releasing};
    use shared::models::WatchStatus::{Current, Planning};

    use super::AiringRank;

    #[test]
    fn airing_anime_come_before_those_that_begin() {
        let rank = |story, anime, year| {
            let rank = AiringRank::of(story, anime, year)?;
            rank.may_begin_by(2023).then_some(rank.number)
        };
        assert_eq!(rank(Current, Releasing, Some(2024)), Some(0));
        assert_eq!(rank(Planning, Releasing, None), Some(1));
        assert_eq!(rank(Current, NotYetReleased, Some(2023)), Some(2));
        assert_eq!(rank(Planning, NotYetReleased, None), Some(3));
        assert_eq!(rank(Planning, NotYetReleased, Some(2024)), None);
        assert_eq!(rank(Current, Finished, Some(2023)), None);
        assert_eq!(rank(Current, Cancelled, None), None);
    }
}
