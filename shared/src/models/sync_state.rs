//! The sync state: what a story remembers about each tracker (docs/trackers.md, "What a story remembers").

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{DetailsChange, PartialDate, WatchStatus, WireEnum};

/// The status and the progress in a story or in a tracker's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchProgress {
    /// Watch status.
    pub status: WatchStatus,
    /// Number of episodes watched.
    pub progress: u32,
}

/// The name of one of the details of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetailName {
    /// The user's score.
    Score,
    /// The day on which the user began to watch the anime.
    StartedOn,
    /// The day on which the user first completed the anime.
    FinishedOn,
    /// The number of repeats.
    Repeats,
    /// The notes.
    Notes,
    /// True if the story is private.
    Private,
}

/// A number for each detail of a story or an entry ([`DetailName::number`]). A sync state keeps these numbers, so
/// that a later sync can recognize a change of a detail. The number of a detail that is not set is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetailNumbers([u64; DetailName::ALL.len()]);

/// The details of a story and of a tracker's entry when both were last synced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaseDetails {
    /// The details of the story.
    pub local: DetailNumbers,
    /// The details of the tracker's entry.
    pub remote: DetailNumbers,
}

/// The story and the tracker's entry when they were last synced: the base of the three-way merge. Even then, story and
/// entry can differ, because a tracker may count fewer episodes than the catalogue, or have coarser scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncBase {
    /// The story at that time.
    pub local: WatchProgress,
    /// The tracker's entry at that time.
    pub remote: WatchProgress,
    /// Time of the entry's last change according to the tracker, in seconds since the Unix epoch.
    pub remote_at: u64,
    /// The details of story and entry at that time; `None` if the last sync was made by an earlier version of the
    /// service, which had no details.
    pub details: Option<BaseDetails>,
}

/// The result of the last sync of a story with a tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMark {
    /// The tracker has this version of the story in its list.
    Same,
    /// The entry was missing when the tracker's list was last read. It is sent again only if it is also missing the
    /// next time, because entries can move between pages while a list is read.
    Absent,
    /// The tracker has refused this version of the story for good. It is not sent again.
    Refused,
    /// The story is not sent to this tracker: the tracker does not have the anime, or would make a private
    /// entry public.
    Apart,
}

/// The sync state of a story for one tracker. It is stored as a short list of numbers, because larger rows make reading
/// a list of stories more expensive. The list has 3 numbers without a base, and 8 with a base that has
/// no details. With details it has 9 numbers, and more if details are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct SyncState {
    /// The identifier of the account at the tracker. If the user links another account, the sync state is ignored.
    pub account: u64,
    /// The version of the story to which `mark` applies.
    pub version: u64,
    /// The result of the last sync.
    pub mark: SyncMark,
    /// Story and entry when they were last synced; `None` if they never were.
    pub base: Option<SyncBase>,
}

impl SyncState {
    /// Returns true if this sync state applies to `version` of the story and the tracker has not refused that version
    /// (docs/trackers.md, "The synced flag").
    pub fn is_synced(&self, version: u64) -> bool {
        self.version == version && self.mark != SyncMark::Refused
    }
}

impl WatchProgress {
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

impl DetailName {
    /// All details, in the order of their numbers in a sync state.
    pub const ALL: [Self; 6] = [
        Self::Score,
        Self::StartedOn,
        Self::FinishedOn,
        Self::Repeats,
        Self::Notes,
        Self::Private,
    ];

    /// Returns a number that stands for the value of this detail, or 0 if it is not set. Earlier dates have smaller
    /// numbers. The number of notes is a part of their digest. Returns `None` if `details` leaves this detail out.
    pub fn number(self, details: &DetailsChange) -> Option<u64> {
        match self {
            Self::Score => {
                let tenths = |score: Option<_>| score.map_or(0, super::UserScore::tenths);
                details.score.map(tenths).map(u64::from)
            }
            Self::StartedOn => details.started_on.map(number_of_date),
            Self::FinishedOn => details.finished_on.map(number_of_date),
            Self::Repeats => details.repeats.map(u64::from),
            Self::Notes => details
                .notes
                .as_ref()
                .map(|notes| digest_of(notes.as_str())),
            Self::Private => details.private.map(u64::from),
        }
    }

    /// Copies this detail from `from` to `to`. If `from` leaves it out, `to` keeps its value.
    pub fn copy(self, from: &DetailsChange, to: &mut DetailsChange) {
        match self {
            Self::Score => to.score = from.score.or(to.score),
            Self::StartedOn => to.started_on = from.started_on.or(to.started_on),
            Self::FinishedOn => to.finished_on = from.finished_on.or(to.finished_on),
            Self::Repeats => to.repeats = from.repeats.or(to.repeats),
            Self::Notes => to.notes = from.notes.clone().or(to.notes.take()),
            Self::Private => to.private = from.private.or(to.private),
        }
    }
}

/// Returns a number that is smaller for an earlier date, or 0 without a date. Unknown parts count as 99, so a full
/// date comes before the same month without a day, and a month comes before the same year without a month.
fn number_of_date(date: Option<PartialDate>) -> u64 {
    date.map_or(0, |date| {
        let part = |part: Option<u8>| u64::from(part.unwrap_or(99));
        u64::from(date.year()) * 10_000 + part(date.month()) * 100 + part(date.day())
    })
}

/// Returns 32 bits of a digest of a text, or 0 for an empty text. No other text has 0.
fn digest_of(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    let number = digest
        .iter()
        .take(4)
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    if text.is_empty() { 0 } else { number.max(1) }
}

impl DetailNumbers {
    /// Returns the number of a detail.
    pub fn get(&self, name: DetailName) -> u64 {
        self.0[name as usize]
    }

    /// Sets the number of a detail.
    pub fn set(&mut self, name: DetailName, number: u64) {
        self.0[name as usize] = number;
    }
}

impl BaseDetails {
    /// The number of details on both sides together.
    const COUNT: usize = 2 * DetailName::ALL.len();

    /// Returns the details as a short list of numbers. Most details are not set, or are equal on both sides, and are
    /// left out. The list has the story's details that are not 0, and then the entry's details that differ from the
    /// story's. The bits of its first number show which details follow.
    fn numbers(self) -> Vec<u64> {
        let values = self.local.0.into_iter().chain(self.remote.0);
        let left_out = DetailNumbers::default().0.into_iter().chain(self.local.0);
        let mut numbers = vec![0];
        for (position, (value, left_out)) in values.zip(left_out).enumerate() {
            if value != left_out {
                numbers[0] |= 1 << position;
                numbers.push(value);
            }
        }
        numbers
    }

    /// Returns the details from the numbers that [`Self::numbers`] returned. `present_bits` is the first number, and
    /// `numbers` has the others. Returns `None` if they are malformed.
    fn of(present_bits: u64, numbers: &[u64]) -> Option<Self> {
        let mut numbers = numbers.iter().copied();
        let mut read_side = |first: usize, mut side: DetailNumbers| {
            for (position, number) in (first..).zip(&mut side.0) {
                if present_bits >> position & 1 == 1 {
                    *number = numbers.next()?;
                }
            }
            Some(side)
        };
        let local = read_side(0, DetailNumbers::default())?;
        let remote = read_side(DetailName::ALL.len(), local)?;
        let is_whole = numbers.next().is_none() && present_bits >> Self::COUNT == 0;
        is_whole.then_some(Self { local, remote })
    }
}

impl SyncMark {
    // A row stores the position of its mark, here and in the type, so the order must not change.
    const ALL: [Self; 4] = [Self::Same, Self::Absent, Self::Refused, Self::Apart];

    fn of(number: u64) -> Option<Self> {
        let position = usize::try_from(number).ok()?;
        Self::ALL.get(position).copied()
    }
}

impl From<SyncState> for Vec<u64> {
    fn from(state: SyncState) -> Self {
        let mut numbers = vec![state.account, state.version, state.mark as u64];
        if let Some(base) = state.base {
            numbers.extend(base.local.numbers());
            numbers.extend(base.remote.numbers());
            numbers.push(base.remote_at);
            numbers.extend(base.details.map(BaseDetails::numbers).unwrap_or_default());
        }
        numbers
    }
}

impl TryFrom<Vec<u64>> for SyncState {
    type Error = &'static str;

    fn try_from(numbers: Vec<u64>) -> Result<Self, Self::Error> {
        const INVALID: &str = "not a valid state of synchronization";
        let (head, base) = numbers.split_first_chunk::<3>().ok_or(INVALID)?;
        let [account, version, mark] = *head;
        let base = match *base {
            [] => None,
            [
                status,
                progress,
                remote_status,
                remote_progress,
                remote_at,
                ref details @ ..,
            ] => {
                let details = match details.split_first() {
                    Some((present_bits, details)) => {
                        Some(BaseDetails::of(*present_bits, details).ok_or(INVALID)?)
                    }
                    None => None,
                };
                Some(SyncBase {
                    local: WatchProgress::of(status, progress).ok_or(INVALID)?,
                    remote: WatchProgress::of(remote_status, remote_progress).ok_or(INVALID)?,
                    remote_at,
                    details,
                })
            }
            _ => return Err(INVALID),
        };
        Ok(Self {
            account,
            version,
            mark: SyncMark::of(mark).ok_or(INVALID)?,
            base,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        BaseDetails, DetailName, DetailNumbers, SyncBase, SyncMark, SyncState, WatchProgress,
    };
    use crate::models::{DetailsChange, Notes, PartialDate, UserScore, WatchStatus};

    fn sync_state(version: u64, mark: SyncMark, base: Option<SyncBase>) -> SyncState {
        SyncState {
            account: u64::MAX,
            version,
            mark,
            base,
        }
    }

    fn base(details: Option<([u64; 6], [u64; 6])>) -> SyncBase {
        let watched = |status, progress| WatchProgress { status, progress };
        SyncBase {
            local: watched(WatchStatus::Completed, 13),
            remote: watched(WatchStatus::Repeating, 12),
            remote_at: 1_700_000_000,
            details: details.map(|(local, remote)| BaseDetails {
                local: DetailNumbers(local),
                remote: DetailNumbers(remote),
            }),
        }
    }

    #[test]
    fn state_survives_the_conversion_to_numbers_and_back() {
        let with = |local, remote| base(Some((local, remote)));
        let bases = [
            base(None),
            with([0; 6], [0; 6]),
            with([875, 20_160_826, 0, 1, u64::MAX, 1], [0; 6]),
            with([0; 6], [900, 2016, 1, 2, 3, 1]),
            with([875, 0, 0, 0, 7, 0], [900, 0, 0, 0, 7, 0]),
        ];
        for mark in SyncMark::ALL {
            for base in bases.map(Some).into_iter().chain([None]) {
                let state = sync_state(7, mark, base);
                let numbers = Vec::from(state);
                assert_eq!(SyncState::try_from(numbers), Ok(state));
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
            &[1, 2, 0, 0, 0, 0, 0, 0, 1],
            &[1, 2, 0, 0, 0, 0, 0, 0, 1, 5, 6],
            &[1, 2, 0, 0, 0, 0, 0, 0, 1 << 12, 5],
        ] {
            assert!(
                SyncState::try_from(numbers.to_vec()).is_err(),
                "{numbers:?}"
            );
        }
    }

    #[test]
    fn state_has_numbers_only_for_details_that_are_set() {
        let length = |local, remote| {
            let base = base(Some((local, remote)));
            Vec::from(sync_state(1, SyncMark::Same, Some(base))).len()
        };
        assert_eq!(length([0; 6], [0; 6]), 9);
        let scored = [875, 0, 20_160_826, 0, 0, 0];
        assert_eq!(length(scored, scored), 8 + 3);
        assert_eq!(length(scored, [900, 0, 20_160_826, 0, 0, 0]), 8 + 4);
    }

    #[test]
    fn every_value_of_a_detail_has_its_own_number() {
        let date = |text| Some(PartialDate::parse(text).ok());
        let notes = |text| Notes::new(text).ok();
        let values = [
            DetailsChange {
                score: Some(None),
                started_on: Some(None),
                finished_on: Some(None),
                repeats: Some(0),
                notes: notes(""),
                private: Some(false),
            },
            DetailsChange {
                score: Some(UserScore::from_tenths(875)),
                started_on: date("2016"),
                finished_on: date("2016-08"),
                repeats: Some(1),
                notes: notes("a"),
                private: Some(true),
            },
            DetailsChange {
                score: Some(UserScore::from_tenths(876)),
                started_on: date("2016-08"),
                finished_on: date("2016-08-26"),
                repeats: Some(2),
                notes: notes("b"),
                private: None,
            },
        ];
        for name in DetailName::ALL {
            let numbers = values.each_ref().map(|details| name.number(details));
            assert_eq!(numbers[0], Some(0), "{name:?}");
            assert_ne!(numbers[1], numbers[0], "{name:?}");
            assert_ne!(numbers[2], numbers[1], "{name:?}");
            let mut copied = values[0].clone();
            name.copy(&values[1], &mut copied);
            for other in DetailName::ALL {
                let source = &values[usize::from(other == name)];
                assert_eq!(other.number(&copied), other.number(source), "{name:?}");
            }
        }
    }

    #[test]
    fn refused_and_outdated_versions_are_not_synced() {
        let synced = SyncMark::ALL.map(|mark| sync_state(3, mark, None).is_synced(3));
        assert_eq!(synced, [true, true, false, true]);
        assert!(!sync_state(2, SyncMark::Same, None).is_synced(3));
    }
}
