//! Collects the pages of a list.

use std::collections::BTreeMap;

use super::Entry;

/// The most pages of a list that are read. They hold more entries than there are anime.
pub const MAX_PAGES: usize = 100;

/// The pages of a list that were read so far.
#[derive(Debug, Default)]
pub struct Pages {
    entries: BTreeMap<u32, Entry>,
    read: usize,
}

impl Pages {
    /// Adds a page. Rows may move from page to page while a list is read, and at tracker A an entry appears
    /// in each list that it belongs to. Of several entries for one anime the newest is kept.
    ///
    /// # Errors
    /// The reason why the pages cannot form a whole list. A page without new entries was read before, so
    /// another page is missing or the pages never end.
    pub fn add(&mut self, page: Vec<Entry>, more: bool) -> Result<(), &'static str> {
        self.read += 1;
        let known = self.entries.len();
        let expects_entries = more || !page.is_empty();
        for entry in page {
            self.keep(entry);
        }
        if expects_entries && self.entries.len() == known {
            return Err("a page without new entries");
        }
        if more && self.read >= MAX_PAGES {
            return Err("more pages than any list can have");
        }
        Ok(())
    }

    fn keep(&mut self, entry: Entry) {
        match self.entries.get(&entry.media_id) {
            Some(known) if known.updated_at >= entry.updated_at => {}
            _ => drop(self.entries.insert(entry.media_id, entry)),
        }
    }

    /// Returns the whole list, ordered by the anime's identifier.
    #[must_use]
    pub fn whole(self) -> Vec<Entry> {
        self.entries.into_values().collect()
    }
}
