//! The version of a user's list of stories, as the user's row states it (docs/data-model.md, "List versions").

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::AnimeId;

/// The maximum number of changes that a row names. They take about 200 bytes.
pub const MAX_RECENT_CHANGES: usize = 24;

/// The number of bits of each byte that belong to the number ([`write_number`]).
const BITS: u32 = 7;

/// A change of a story, as the owner's row names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentChange {
    /// The number of the change.
    pub number: u64,
    /// The anime of the story.
    pub anime: AnimeId,
}

/// The version of a user's list, by which a process knows whether the list in its memory is current.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ListVersion {
    /// The number of the last change of the user's stories. The user's change feed ends with this change
    /// (docs/api.md, "Change feed").
    pub last_change_number: u64,
    /// The digest of the list after the change `digest_number`.
    story_digest: Option<i64>,
    digest_number: Option<u64>,
    /// The digest of the deletions with a number above `deletions_since`.
    deletion_digest: Option<i64>,
    deletions_since: u64,
    /// The latest changes, latest first. Some can be missing.
    #[serde(deserialize_with = "read_recent_changes")]
    pub recent_changes: Vec<RecentChange>,
    /// The number of runs of the synchronization that have ended. `None` before the first run, and if only earlier
    /// versions of the service have run, which do not count their runs.
    sync_runs: Option<u64>,
    /// Present during a run of the synchronization, and after a run that was interrupted.
    sync_lease: Option<String>,
}

impl ListVersion {
    /// Returns the digest of the list. `None` if it is not known: no process has computed it yet, or an earlier version
    /// of the service has changed a story without it.
    pub fn digest(&self) -> Option<i64> {
        self.story_digest
            .filter(|_| self.digest_number == Some(self.last_change_number))
    }

    /// Returns the digest of the deletions, and the number above which deletions count. The digest of the list does not
    /// cover deletions, because a story that was created and deleted leaves the list as it was before. `None` if the
    /// digest is not known ([`Self::digest`]).
    pub fn deletions(&self) -> Option<(i64, u64)> {
        let digest = self.deletion_digest.filter(|_| self.digest().is_some())?;
        Some((digest, self.deletions_since))
    }

    /// Returns the number of runs of the synchronization that have ended. `None` if it is not known, and while a run
    /// may be writing sync states.
    pub fn sync_runs(&self) -> Option<u64> {
        self.sync_runs.filter(|_| self.sync_lease.is_none())
    }
}

/// Returns the latest changes as the bytes of an attribute. `changes` begins with the latest change; only the first
/// [`MAX_RECENT_CHANGES`] are kept. Each change is the difference to the number of the change before it and the anime,
/// both as numbers of variable length.
pub fn write_recent_changes(changes: &[RecentChange]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut later = None;
    for change in changes.iter().take(MAX_RECENT_CHANGES) {
        let difference = later.map_or(change.number, |later: u64| {
            later.saturating_sub(change.number)
        });
        write_number(difference, &mut bytes);
        write_number(change.anime.get(), &mut bytes);
        later = Some(change.number);
    }
    bytes
}

/// Reads the bytes of [`write_recent_changes`]. Returns no changes if the bytes are invalid. The list is then only read
/// again.
fn parse_recent_changes(mut bytes: &[u8]) -> Vec<RecentChange> {
    let mut changes: Vec<RecentChange> = Vec::new();
    while !bytes.is_empty() {
        let Some(difference) = read_number(&mut bytes) else {
            return Vec::new();
        };
        let anime = read_number(&mut bytes).and_then(AnimeId::new);
        let number = match changes.last() {
            None => Some(difference),
            Some(later) => later.number.checked_sub(difference),
        };
        let (Some(number), Some(anime)) = (number, anime) else {
            return Vec::new();
        };
        changes.push(RecentChange { number, anime });
    }
    changes
}

/// Writes a number, its lowest 7 bits first. The highest bit of a byte is set if another byte follows (LEB128).
#[expect(
    clippy::cast_possible_truncation,
    reason = "the lowest bits are wanted"
)]
fn write_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >> BITS != 0 {
        bytes.push(number as u8 | 1 << BITS);
        number >>= BITS;
    }
    bytes.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(BITS as usize) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & !(1 << BITS)) << shift;
        if byte >> BITS == 0 {
            return Some(number);
        }
    }
    None
}

fn read_recent_changes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<RecentChange>, D::Error> {
    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<RecentChange>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("bytes")
        }

        fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            Ok(parse_recent_changes(bytes))
        }
    }

    deserializer.deserialize_bytes(Bytes)
}

#[cfg(test)]
mod tests {
    use super::{MAX_RECENT_CHANGES, RecentChange, parse_recent_changes, write_recent_changes};
    use crate::models::AnimeId;

    fn change(number: u64, anime: u64) -> RecentChange {
        RecentChange {
            number,
            anime: AnimeId::new(anime).unwrap(),
        }
    }

    #[test]
    fn changes_survive_the_conversion_to_bytes() {
        let now = 1_700_000_000_000_000;
        for changes in [
            vec![],
            vec![change(now, 1)],
            vec![
                change(now + 5, AnimeId::MAX),
                change(now, 21),
                change(1, 3),
                change(0, 4),
            ],
        ] {
            assert_eq!(
                parse_recent_changes(&write_recent_changes(&changes)),
                changes
            );
        }
    }

    #[test]
    fn only_the_latest_changes_are_kept() {
        let changes: Vec<_> = (0..100).map(|age| change(1000 - age, age + 1)).collect();
        let kept = parse_recent_changes(&write_recent_changes(&changes));
        assert_eq!(kept, &changes[..MAX_RECENT_CHANGES]);
    }

    #[test]
    fn invalid_bytes_are_not_changes() {
        let endless = [0xff; 20];
        let without_anime = [1];
        let anime_zero = [1, 0];
        let below_zero = [1, 1, 2, 1];
        for bytes in [&endless[..], &without_anime, &anime_zero, &below_zero] {
            assert_eq!(parse_recent_changes(bytes), []);
        }
    }
}
