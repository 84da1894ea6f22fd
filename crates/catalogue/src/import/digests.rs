//! Comparing what a source says with what is known, without holding documents.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// The digests of a document's fields, or of those that a source speaks of. 0 stands for a field
/// of which nothing is said. They live as long as the process: the hash may differ in the next.
pub type Digests<const FIELDS: usize> = [u64; FIELDS];

/// The digest of a field.
#[must_use]
pub fn digest<T: Hash>(field: Option<T>) -> u64 {
    field.map_or(0, |value| {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        hasher.finish().max(1)
    })
}

/// Whether every field that a source speaks of is known to be so.
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
