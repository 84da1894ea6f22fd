//! The sync state: what a story remembers about each tracker (docs/trackers.md, "What a story remembers").

use serde::{Deserialize, Serialize};

use super::{WatchStatus, WireEnum};

/// The status and progress of a user with an anime, in a story or in a tracker's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Watch status.
    pub status: WatchStatus,
    /// Number of episodes watched.
    pub progress: u32,
}

/// The story and the tracker's entry when they were last synced: the base of the three-way merge. The two can
/// differ, because a tracker may count fewer episodes than the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// The story at that time.
    pub local: Watched,
    /// The tracker's entry at that time.
    pub remote: Watched,
    /// Time of the entry's last change according to the tracker, in seconds since the Unix epoch.
    pub remote_at: u64,
}

/// The result of the last sync of a story with a tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The tracker has this version of the story.
    Same,
    /// The tracker's list lacked the entry when it was last read. The entry is written again only if the next
    /// read lacks it too, because rows can move between pages while a list is read.
    Absent,
    /// The tracker has refused this version of the story for good. It is not sent again.
    Refused,
    /// The story is not sent to this tracker: the tracker does not have the anime, or would make a private
    /// entry public.
    Apart,
}

/// The sync state of a story for one tracker. It is stored as a list of 3 or 8 numbers: reading a list of
/// stories costs more the larger its rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct Known {
    /// The identifier of the account at the tracker. The sync state is ignored once another account is
    /// linked.
    pub account: u64,
    /// The version of the story to which `mark` applies.
    pub version: u64,
    /// The result of the last sync.
    pub mark: Mark,
    /// Story and entry when they were last synced, if ever.
    pub base: Option<Base>,
}

impl Known {
    /// Returns true if this sync state is about the given version of the story and the tracker has not
    /// refused it (docs/trackers.md, "The synced flag").
    #[must_use]
    pub fn is_synced(&self, version: u64) -> bool {
        self.version == version && self.mark != Mark::Refused
    }
}

impl Watched {
    fn numbers(self) -> [u64; 2] {
        [u64::from(u8::from(self.status)), self.progress.into()]
    }

    fn of(status: u64, progress: u64) -> Option<Self> {
        Some(Self {
            status: WatchStatus::from_wire(status)?,
            progress: progress.try_into().ok()?,
        })
    }
}

impl Mark {
    const ALL: [Self; 4] = [Self::Same, Self::Absent, Self::Refused, Self::Apart];

    fn number(self) -> u64 {
        let position = Self::ALL.iter().position(|mark| *mark == self);
        position.unwrap_or_default() as u64
    }

    fn of(number: u64) -> Option<Self> {
        let position = usize::try_from(number).ok()?;
        Self::ALL.get(position).copied()
    }
}

impl From<Known> for Vec<u64> {
    fn from(known: Known) -> Self {
        let mut numbers = vec![known.account, known.version, known.mark.number()];
        if let Some(base) = known.base {
            numbers.extend(base.local.numbers());
            numbers.extend(base.remote.numbers());
            numbers.push(base.remote_at);
        }
        numbers
    }
}

impl TryFrom<Vec<u64>> for Known {
    type Error = &'static str;

    fn try_from(numbers: Vec<u64>) -> Result<Self, Self::Error> {
        const INVALID: &str = "not a valid state of synchronization";
        let (head, base) = numbers.split_first_chunk::<3>().ok_or(INVALID)?;
        let [account, version, mark] = *head;
        let base = match *base {
            [] => None,
            [status, progress, remote_status, remote_progress, remote_at] => Some(Base {
                local: Watched::of(status, progress).ok_or(INVALID)?,
                remote: Watched::of(remote_status, remote_progress).ok_or(INVALID)?,
                remote_at,
            }),
            _ => return Err(INVALID),
        };
        Ok(Self {
            account,
            version,
            mark: Mark::of(mark).ok_or(INVALID)?,
            base,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Base, Known, Mark, Watched};
    use crate::models::WatchStatus;

    #[test]
    fn state_survives_the_conversion_to_numbers_and_back() {
        let base = Base {
            local: Watched {
                status: WatchStatus::Completed,
                progress: 13,
            },
            remote: Watched {
                status: WatchStatus::Repeating,
                progress: 12,
            },
            remote_at: 1_700_000_000,
        };
        for mark in Mark::ALL {
            for base in [None, Some(base)] {
                let known = Known {
                    account: u64::MAX,
                    version: 7,
                    mark,
                    base,
                };
                let numbers = Vec::from(known);
                assert_eq!(Known::try_from(numbers), Ok(known));
            }
        }
    }

    #[test]
    fn malformed_numbers_are_rejected() {
        for numbers in [
            &[][..],
            &[1, 2],
            &[1, 2, 4],
            &[1, 2, 0, 0],
            &[1, 2, 0, 6, 0, 0, 0, 0],
            &[1, 2, 0, 0, 1 << 40, 0, 0, 0],
            &[1, 2, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert!(Known::try_from(numbers.to_vec()).is_err(), "{numbers:?}");
        }
    }

    #[test]
    fn refused_and_outdated_versions_are_not_synced() {
        let known = |mark, version| Known {
            account: 1,
            version,
            mark,
            base: None,
        };
        let synced = Mark::ALL.map(|mark| known(mark, 3).is_synced(3));
        assert_eq!(synced, [true, true, false, true]);
        assert!(!known(Mark::Same, 2).is_synced(3));
    }
}
