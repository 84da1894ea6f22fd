//! What a story remembers of a tracker.

use serde::{Deserialize, Serialize};

use super::{WatchStatus, WireEnum};

/// How far a user is with an anime, on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// How far.
    pub status: WatchStatus,
    /// Episodes watched.
    pub progress: u32,
}

/// Story and entry when they were last brought together. They need not be equal: a tracker may count
/// fewer episodes than the catalogue does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// The story, as it was then.
    pub local: Watched,
    /// The tracker's entry, as it was then.
    pub remote: Watched,
    /// When the tracker says that the entry changed last, in seconds since the Unix epoch.
    pub remote_at: u64,
}

/// What is remembered beside the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The tracker knows this version of the story.
    Same,
    /// The tracker's list lacked the entry when it was last read. Once is no reason to write it again:
    /// rows move while a list is read.
    Absent,
    /// The tracker will never take this version of the story.
    Refused,
    /// The story is none for this tracker: it has no such anime, or would show others what is private.
    Apart,
}

/// What a story remembers of a tracker. In its row this is a list of three or eight numbers, for each
/// list of stories pays for the length of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct Known {
    /// The account at the tracker. What is remembered of another account says nothing.
    pub account: u64,
    /// The story's version that this is about.
    pub version: u64,
    /// What there is to remember beside the two sides.
    pub mark: Mark,
    /// The two sides, if they were ever brought together.
    pub base: Option<Base>,
}

impl Known {
    /// Whether this tracker does not keep that version of the story from being synced.
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
        const NONE: &str = "not what a story remembers of a tracker";
        let (head, base) = numbers.split_first_chunk::<3>().ok_or(NONE)?;
        let [account, version, mark] = *head;
        let base = match *base {
            [] => None,
            [status, progress, remote_status, remote_progress, remote_at] => Some(Base {
                local: Watched::of(status, progress).ok_or(NONE)?,
                remote: Watched::of(remote_status, remote_progress).ok_or(NONE)?,
                remote_at,
            }),
            _ => return Err(NONE),
        };
        Ok(Self {
            account,
            version,
            mark: Mark::of(mark).ok_or(NONE)?,
            base,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Base, Known, Mark, Watched};
    use crate::models::WatchStatus;

    #[test]
    fn it_is_the_same_once_it_was_a_row() {
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
    fn what_is_none_is_refused() {
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
    fn only_what_the_tracker_has_refused_or_does_not_know_is_not_synced() {
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
