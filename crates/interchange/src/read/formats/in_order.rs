//! Values by their keys, in the order of the file.

use std::collections::BTreeMap;

/// A map whose values are in the order in which their keys occurred first.
pub struct InOrder<K, V> {
    list: Vec<(K, V)>,
    places: BTreeMap<K, usize>,
}

impl<K, V> Default for InOrder<K, V> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            places: BTreeMap::new(),
        }
    }
}

impl<K: Clone + Ord, V> InOrder<K, V> {
    /// Returns the value of a key, which is made if there is none yet.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let next = self.list.len();
        let place = *self.places.entry(key.clone()).or_insert(next);
        if place == next {
            self.list.push((key, make()));
        }
        &mut self.list[place].1
    }

    /// Returns true if there is a value of a key.
    pub fn has(&self, key: &K) -> bool {
        self.places.contains_key(key)
    }
}

impl<K, V> IntoIterator for InOrder<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
