//! Collection of the pages of a user's list.

use std::collections::BTreeMap;

use super::entry::TrackerEntry;

/// The maximum number of pages that are read for one list. A longer list is impossible: 100 pages have room
/// for more entries than there are anime.
pub const MAX_PAGES: usize = 100;

/// The pages of a list that have been read so far.
#[derive(Debug, Default)]
pub struct Pages {
    entries: BTreeMap<u32, TrackerEntry>,
    page_count: usize,
}

impl Pages {
    /// Adds a page. `has_next_page` is true if another page follows. Several entries can be for the same anime,
    /// because entries move between pages while a list is read, and because tracker A repeats an entry in each
    /// of the user's custom lists. Only the newest of them is kept.
    ///
    /// # Errors
    /// The reason why the pages cannot form a whole list. If a page has no new entries, another page must be
    /// missing, or the pages never end.
    pub fn add(
        &mut self,
        page: Vec<TrackerEntry>,
        has_next_page: bool,
    ) -> Result<(), &'static str> {
        self.page_count += 1;
        let count_before = self.entries.len();
        let expects_entries = has_next_page || !page.is_empty();
        for entry in page {
            self.add_entry(entry);
        }
        if expects_entries && self.entries.len() == count_before {
            return Err("a page without new entries");
        }
        if has_next_page && self.page_count >= MAX_PAGES {
            return Err("more pages than any list can have");
        }
        Ok(())
    }

    fn add_entry(&mut self, entry: TrackerEntry) {
        match self.entries.get(&entry.media_id) {
            Some(other) if other.updated_at >= entry.updated_at => {}
            _ => drop(self.entries.insert(entry.media_id, entry)),
        }
    }

    /// Returns the whole list, ordered by the anime's identifier.
    pub fn into_entries(self) -> Vec<TrackerEntry> {
        self.entries.into_values().collect()
    }
}
