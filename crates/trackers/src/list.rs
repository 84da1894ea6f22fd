//! Puts the pages of a list together.

use std::collections::BTreeMap;

use super::Entry;

/// The most pages of a list that are read: more entries than there are anime.
pub const MAX_PAGES: usize = 100;

/// The pages of a list, as far as they are read.
#[derive(Debug, Default)]
pub struct Pages {
    entries: BTreeMap<u32, Entry>,
    read: usize,
}

impl Pages {
    /// Adds a page. Rows may move from page to page while a list is read, and at tracker A an entry
    /// is in each list that it belongs to: the newest of an anime's entries is kept.
    ///
    /// # Errors
    /// When this cannot be how a whole list is read, and why: a page that brings nothing new is one
    /// that was read before, so another is missing, or there will be no end.
    pub fn add(&mut self, page: Vec<Entry>, more: bool) -> Result<(), &'static str> {
        self.read += 1;
        let known = self.entries.len();
        let expects_entries = more || !page.is_empty();
        for entry in page {
            self.keep(entry);
        }
        if expects_entries && self.entries.len() == known {
            return Err("a page that brings nothing new");
        }
        if more && self.read >= MAX_PAGES {
            return Err("more pages than any list has");
        }
        Ok(())
    }

    fn keep(&mut self, entry: Entry) {
        match self.entries.get(&entry.media_id) {
            Some(known) if known.updated_at >= entry.updated_at => {}
            _ => drop(self.entries.insert(entry.media_id, entry)),
        }
    }

    /// The whole list, by the anime's identifier.
    #[must_use]
    pub fn whole(self) -> Vec<Entry> {
        self.entries.into_values().collect()
    }
}
