//! The main titles of all rows as they are written, for exports. The other titles of the index are folded.
//!
//! They are a section of their own in a snapshot ([`crate::snapshots::snapshot_store::SnapshotSection::Titles`]),
//! because most processes never write an export. The first export loads them ([`MainTitles::load`]).

use std::sync::OnceLock;

use dynamo::{pack_value, unpack_value};
use serde::{Deserialize, Serialize};
use shared::{Error, Result};

/// The main titles, once they are loaded.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MainTitles(OnceLock<TitleColumn>);

/// The titles of all rows in one string, in list order.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TitleColumn {
    arena: String,
    /// For each row, the end of its title in `arena`.
    ends: Vec<u32>,
}

impl TitleColumn {
    /// Adds a row with this title, which is empty if there is none.
    pub(super) fn push(&mut self, title: &str) {
        self.arena.push_str(title);
        // After 4 GiB of titles, the ends stay at the maximum, and further rows have no title.
        let end = u32::try_from(self.arena.len());
        self.ends.push(end.unwrap_or(u32::MAX));
    }

    fn get(&self, row: usize) -> Option<&str> {
        let end_of = |row: usize| self.ends.get(row).map(|end| *end as usize);
        let start = row.checked_sub(1).map_or(Some(0), end_of)?;
        self.arena.get(start..end_of(row)?)
    }
}

impl From<TitleColumn> for MainTitles {
    fn from(titles: TitleColumn) -> Self {
        Self(OnceLock::from(titles))
    }
}

impl MainTitles {
    /// Returns true if this process has loaded or built the titles.
    pub fn is_loaded(&self) -> bool {
        self.0.get().is_some()
    }

    /// Serializes the titles.
    ///
    /// # Errors
    /// [`Error::Internal`] if they are not loaded or cannot be serialized.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let titles = self.0.get();
        pack_value(titles.ok_or_else(|| Error::internal("the main titles are not loaded"))?)
    }

    /// Loads the titles of an index with this number of rows from the bytes of [`Self::to_bytes`]. Returns false if the
    /// bytes are damaged or from another index.
    pub fn load(&self, bytes: &[u8], rows: usize) -> bool {
        let titles = unpack_value::<TitleColumn>(bytes);
        let titles = titles.filter(|titles| titles.ends.len() == rows && titles.ends.is_sorted());
        titles.is_some_and(|titles| {
            self.0.get_or_init(|| titles);
            true
        })
    }

    /// Returns the title of a row; an empty text if the row has none, and `None` if the titles are not loaded.
    pub(super) fn get(&self, row: usize) -> Option<&str> {
        let titles = self.0.get()?;
        Some(titles.get(row).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use dynamo::pack_value;

    use super::{MainTitles, TitleColumn};

    fn titles(titles: &[&str]) -> MainTitles {
        let mut column = TitleColumn::default();
        for title in titles {
            column.push(title);
        }
        column.into()
    }

    #[test]
    fn titles_are_the_same_after_loading() {
        let written = ["Cowboy Bebop", "", "カウボーイビバップ", "Cowboy Bebop!"];
        let loaded = MainTitles::default();
        assert_eq!(loaded.get(0), None);
        assert!(loaded.to_bytes().is_err());
        let bytes = titles(&written).to_bytes().unwrap();
        assert!(!loaded.load(&bytes, 3), "another index");
        assert!(!loaded.is_loaded());
        assert!(loaded.load(&bytes, 4));
        for (row, title) in written.into_iter().enumerate() {
            assert_eq!(loaded.get(row), Some(title));
        }
        assert_eq!(loaded, titles(&written));
    }

    #[test]
    fn damaged_titles_are_refused_or_empty() {
        for (arena, ends, is_loaded) in [
            ("ab", [2, 1], false),
            ("ab", [1, 99], true),
            ("é", [1, 2], true),
        ] {
            let loaded = MainTitles::default();
            let bytes = pack_value(&(arena, ends.to_vec())).unwrap();
            assert_eq!(loaded.load(&bytes, 2), is_loaded, "{arena} {ends:?}");
            if is_loaded {
                assert_eq!(loaded.get(1), Some(""));
            }
        }
        assert!(!MainTitles::default().load(b"", 0));
    }
}
