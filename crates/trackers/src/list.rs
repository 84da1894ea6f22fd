//! Collection of the pages of a user's list.

use std::collections::BTreeMap;

use super::entry::Entry;

/// The maximum number of pages of a list that are read. A longer list is impossible: 100 pages have room for
/// more entries than there are anime.
pub const MAX_PAGES: usize = 100;

/// The pages of a list that were read so far.
#[derive(Debug, Default)]
pub struct Pages {
    entries: BTreeMap<u32, Entry>,
    read: usize,
}

impl Pages {
    /// Adds a page; `more` is true if another one follows. Entries may move from page to page while a list is
    /// read, and tracker A repeats an entry in each of the user's custom lists. Of several entries for one
    /// anime the newest is kept.
    ///
    /// # Errors
    /// The reason why the pages cannot form a whole list. If a page has no new entries, another page must be
    /// missing, or the pages never end.
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
