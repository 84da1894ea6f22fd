//! Comparison of facts with documents by digests, so that documents need not be kept in memory.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// The digests of the fields of a document, or of facts. 0 stands for a field without a value. Digests must
/// not be stored: the hash can differ in another build.
pub type Digests<const FIELDS: usize> = [u64; FIELDS];

/// Returns the digest of a field.
#[must_use]
pub fn digest<T: Hash>(field: Option<T>) -> u64 {
    field.map_or(0, |value| {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        hasher.finish().max(1)
    })
}

/// Returns true if every field that has a value in `said` has the same value in `known`.
#[must_use]
pub fn says_the_same<const FIELDS: usize>(said: &Digests<FIELDS>, known: &Digests<FIELDS>) -> bool {
    let mut pairs = said.iter().zip(known);
    pairs.all(|(said, known)| *said == 0 || said == known)
}

#[cfg(test)]
mod tests {
    use super::{digest, says_the_same};

    #[test]
    fn a_field_of_which_nothing_is_said_is_never_a_change() {
        let known = [digest(Some("a")), digest(Some("b"))];
        assert!(says_the_same(&[digest(Some("a")), 0], &known));
        assert!(says_the_same(&[digest::<&str>(None), 0], &known));
        assert!(!says_the_same(&[digest(Some("b")), 0], &known));
        assert!(!says_the_same(&[digest(Some("a")), 0], &[0, 0]));
    }
}
