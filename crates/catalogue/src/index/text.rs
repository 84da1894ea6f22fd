//! A column of folded texts that can be searched for a substring.

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use shared::fold::fold;

/// Between two texts. Folding leaves no control character, so no pattern can reach across one.
const SEPARATOR: char = '\0';

/// The texts of all rows, folded, in one piece.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextColumn {
    arena: String,
    /// Where each row's texts end in the arena.
    ends: Vec<u32>,
}

impl TextColumn {
    /// Adds a row with these texts. Texts that are the same once folded are kept once.
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
        // Beyond 4 GB of titles the positions would stand still, and those rows match nothing.
        self.ends
            .push(u32::try_from(self.arena.len()).unwrap_or(u32::MAX));
    }

    /// The rows that hold the pattern, which must be folded and not empty, in ascending order.
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
            from = *self.ends.get(row)? as usize;
            Some(row)
        })
    }
}
