//! Comparison of facts with documents by digests, so that an import does not have to keep all documents in
//! memory.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use serde::Serialize;
use serde_json::Value;

/// Digests of the fields of facts, in the order of their names. 0 stands for a field without a value. Digests
/// must not be stored: the hash can differ in another build.
#[derive(Clone, Debug)]
pub struct Digests(Box<[u64]>);

impl Digests {
    /// Returns the digests of the serialized fields of `facts`.
    pub fn of<F: Serialize>(facts: &F) -> Self {
        let Ok(Value::Object(fields)) = serde_json::to_value(facts) else {
            // Without digests, facts always count as different, and the rows themselves are compared.
            return Self(Box::default());
        };
        let digest_of = |value: &Value| if value.is_null() { 0 } else { digest(value) };
        Self(fields.values().map(digest_of).collect())
    }

    /// Returns true if every field that has a value here has the same value in `row`. `row` holds the digests
    /// of the facts that a document of the catalogue has.
    #[must_use]
    pub fn agree_with(&self, row: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&row.0);
        !self.0.is_empty()
            && self.0.len() == row.0.len()
            && pairs.all(|(here, there)| *here == 0 || here == there)
    }
}

/// Returns the digest of a value, which is never 0.
pub fn digest<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish().max(1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Digests;

    #[test]
    fn only_fields_with_values_are_compared() {
        let row = Digests::of(&json!({"title": "a", "score": 7.5}));
        let agree = |facts| Digests::of(&facts).agree_with(&row);
        assert!(agree(json!({"title": "a", "score": null})));
        assert!(agree(json!({"title": null, "score": null})));
        assert!(!agree(json!({"title": "b", "score": null})));
        assert!(!agree(json!({"title": "a", "score": 7.25})));
        let empty = Digests::of(&json!({"title": null, "score": null}));
        assert!(!Digests::of(&json!({"title": "a", "score": null})).agree_with(&empty));
    }

    #[test]
    fn facts_that_cannot_be_compared_count_as_different() {
        let row = Digests::of(&json!({"title": "a"}));
        assert!(!Digests::of(&1).agree_with(&row));
        assert!(!Digests::of(&json!({"title": "a"})).agree_with(&Digests::of(&1)));
    }
}
