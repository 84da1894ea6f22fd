//! Digests of lists. The digest of a list is the sum of the fingerprints of its stories, so a write of a story changes
//! it by a difference that does not depend on the rest of the list. The probability that two different lists have the
//! same digest is 1 in 2^38; for two different sets of deletions, it is 1 in 2^30.

use shared::models::AnimeId;

/// The number of bits of a fingerprint. The sum of 2^25 of them, one for each possible anime, is below 2^63.
const FINGERPRINT_BITS: u32 = 38;

/// The number of bits of the fingerprint of a deletion. A user can delete any number of stories, but not 8 billion: the
/// sum of 2^33 fingerprints is below 2^63.
const DELETION_BITS: u32 = 30;

/// Returns the fingerprint of a story whose last change has this number.
pub fn fingerprint(anime: AnimeId, change_number: u64) -> i64 {
    mixed_bits(FINGERPRINT_BITS, anime, change_number)
}

/// Returns the fingerprint of the deletion of a story with this number.
pub fn deletion_fingerprint(anime: AnimeId, change_number: u64) -> i64 {
    mixed_bits(DELETION_BITS, anime, change_number)
}

/// Returns a number of `bits` bits, fewer than 64, that depends on the anime and the change number.
fn mixed_bits(bits: u32, anime: AnimeId, change_number: u64) -> i64 {
    let mixed = mix(mix(change_number) ^ anime.get());
    i64::try_from(mixed >> (u64::BITS - bits)).unwrap_or_default()
}

/// Mixes the bits of a number, so that similar numbers have unrelated results (the finalizer of `SplitMix64`).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shared::models::AnimeId;

    use super::{DELETION_BITS, FINGERPRINT_BITS, deletion_fingerprint, fingerprint};

    #[test]
    fn fingerprints_of_similar_stories_differ() {
        let mut seen = HashSet::new();
        for anime in 1..=300 {
            for number in [0, 1, 1_700_000_000_000_000, 1_700_000_000_000_001] {
                let found = fingerprint(AnimeId::new(anime).unwrap(), number);
                assert!((0..1 << FINGERPRINT_BITS).contains(&found));
                assert!(seen.insert(found), "{anime} {number}");
                let deletion = deletion_fingerprint(AnimeId::new(anime).unwrap(), number);
                assert!((0..1 << DELETION_BITS).contains(&deletion));
            }
        }
    }

    /// Processes of several versions of the service compare their digests.
    #[test]
    fn fingerprint_stays_the_same() {
        let anime = AnimeId::new(21).unwrap();
        assert_eq!(fingerprint(anime, 1_700_000_000_000_000), 145_236_260_858);
        let deletion = deletion_fingerprint(anime, 1_700_000_000_000_000);
        assert_eq!(deletion, 145_236_260_858 >> 8);
    }
}
