//! A column of the index with folded texts, and a substring search in it.

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use shared::fold::fold;

/// The separator after each text. Folded patterns contain no control characters, so no match spans two texts.
const SEPARATOR: char = '\0';

/// The folded texts of all rows in one string.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextColumn {
    arena: String,
    /// For each row, the end of its texts in `arena`.
    ends: Vec<u32>,
}

impl TextColumn {
    /// Adds a row with these texts. Texts that are equal after folding are stored once.
    pub fn push<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        let start = self.arena.len();
        for text in texts {
            let folded = fold(text);
            let known = self.arena[start..]
                .split(SEPARATOR)
                .any(|text| text == folded);
            if !known {
                self.arena.push_str(&folded);
                self.arena.push(SEPARATOR);
            }
        }
        // After 4 GiB of texts, the ends stay at the maximum, and further rows match no pattern.
        self.ends
            .push(u32::try_from(self.arena.len()).unwrap_or(u32::MAX));
    }

    /// Returns the numbers of the rows with a text that contains the pattern, in ascending order. The pattern
    /// must be folded and not empty.
    pub fn rows_with<'a>(&'a self, pattern: &'a str) -> impl Iterator<Item = usize> + 'a {
        let finder = Finder::new(pattern);
        let arena = self.arena.as_bytes();
        let mut from = 0;
        let mut row = 0;
        std::iter::from_fn(move || {
            let hit = from + finder.find(arena.get(from..)?)?;
            while *self.ends.get(row)? as usize <= hit {
                row += 1;
            }
            // One match per row is enough, so the search continues after this row.
            from = *self.ends.get(row)? as usize;
            Some(row)
        })
    }

    /// Returns true if a text of this row contains the pattern, which must be folded.
    #[must_use]
    pub fn row_has(&self, row: usize, pattern: &str) -> bool {
        let start = row
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        let texts = self.arena.get(start..self.ends[row] as usize);
        texts.is_some_and(|texts| texts.contains(pattern))
    }
}
