//! A column of the index with folded texts, and a substring search in it.

use std::ops::Range;

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use shared::fold::fold;

use super::derived::LazyPart;

/// The separator after each text. Folded patterns contain no control characters, so no match spans two texts.
const SEPARATOR: char = '\0';

/// The minimum length of the texts of a block, in bytes. Only the last block can be shorter.
const MIN_BLOCK_BYTES: usize = 2048;

/// The number of bits in the set of a block's trigrams. About a third of them are set. A pattern of 6
/// letters has 4 trigrams, so about 1 in 80 of the blocks without the pattern is searched in vain.
const TRIGRAM_BITS: usize = 4096;

/// The folded texts of all rows in one string.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextColumn {
    arena: String,
    /// For each row, the end of its texts in `arena`.
    ends: Vec<u32>,
    #[serde(skip)]
    blocks: LazyPart<Vec<Block>>,
}

/// Successive rows, with a set of the trigrams in their texts. The set is a Bloom filter: most blocks without a
/// pattern lack one of the pattern's trigrams, and are not searched.
#[derive(Debug)]
struct Block {
    rows: Range<usize>,
    trigrams: [u64; TRIGRAM_BITS / 64],
}

impl Block {
    /// Returns true if the texts of the block may contain all these trigrams. A wrong `true` is possible, but no
    /// wrong `false`.
    fn may_have(&self, trigrams: &[usize]) -> bool {
        let has = |trigram: &usize| self.trigrams[trigram / 64] >> (trigram % 64) & 1 == 1;
        trigrams.iter().all(has)
    }
}

/// Returns the bit of each trigram of a text. A trigram is three successive bytes.
fn trigram_bits(text: &[u8]) -> impl Iterator<Item = usize> {
    text.windows(3).map(|bytes| {
        let number = bytes
            .iter()
            .fold(0, |all, byte| all << 8 | u32::from(*byte));
        // Multiplicative hashing: the upper bits depend on all bits of the number.
        let hash = number.wrapping_mul(0x9e37_79b1) >> (u32::BITS - TRIGRAM_BITS.ilog2());
        hash as usize
    })
}

impl TextColumn {
    /// Adds a row with these texts, and returns the position of each in the row. Texts that are equal after folding
    /// are stored once.
    pub fn push<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
        let (start, mut stored, mut positions) = (self.arena.len(), 0, Vec::new());
        for text in texts {
            let folded = fold(text);
            let mut known = self.arena[start..].split_terminator(SEPARATOR);
            let position = known.position(|text| text == folded);
            positions.push(position.unwrap_or(stored));
            if position.is_none() {
                self.arena.push_str(&folded);
                self.arena.push(SEPARATOR);
                stored += 1;
            }
        }
        // After 4 GiB of texts, the ends stay at the maximum, and further rows match no pattern.
        self.ends
            .push(u32::try_from(self.arena.len()).unwrap_or(u32::MAX));
        positions
    }

    /// Returns the folded text at a position of a row.
    pub fn text(&self, row: usize, position: usize) -> Option<&str> {
        let texts = self.arena.get(self.range(row..row + 1))?;
        texts.split_terminator(SEPARATOR).nth(position)
    }

    /// Returns true if the column has this number of rows and their ends are in order. If not, its bytes were damaged.
    pub fn is_consistent(&self, rows: usize) -> bool {
        self.ends.len() == rows && self.ends.is_sorted()
    }

    /// Returns the numbers of the rows with a text that contains the pattern, in ascending order. The pattern
    /// must be folded and not empty.
    pub fn rows_with<'a>(&'a self, pattern: &'a str) -> impl Iterator<Item = usize> + 'a {
        let finder = Finder::new(pattern);
        let trigrams: Vec<usize> = trigram_bits(pattern.as_bytes()).collect();
        let blocks = self
            .blocks
            .0
            .get_or_init(|| self.divide_into_blocks())
            .iter();
        let mut blocks = blocks.filter(move |block| block.may_have(&trigrams));
        let mut rows = 0..0;
        std::iter::from_fn(move || {
            loop {
                if let Some(row) = self.first_with(&finder, rows.clone()) {
                    // One match per row is enough, so the search continues after this row.
                    rows.start = row + 1;
                    return Some(row);
                }
                rows = blocks.next()?.rows.clone();
            }
        })
    }

    /// Returns true if a text of this row contains the pattern, which must be folded.
    pub fn row_has(&self, row: usize, pattern: &str) -> bool {
        let texts = self.arena.get(self.range(row..row + 1));
        texts.is_some_and(|texts| texts.contains(pattern))
    }

    /// Returns the first of these rows that contains the pattern.
    fn first_with(&self, pattern: &Finder<'_>, rows: Range<usize>) -> Option<usize> {
        let range = self.range(rows.clone());
        let texts = self.arena.as_bytes().get(range.clone())?;
        let hit = range.start + pattern.find(texts)?;
        let mut ends = self.ends[rows.clone()].iter();
        Some(rows.start + ends.position(|end| *end as usize > hit)?)
    }

    /// Returns the range of the texts of these rows in `arena`.
    fn range(&self, rows: Range<usize>) -> Range<usize> {
        let end_before = |row: usize| row.checked_sub(1).map_or(0, |row| self.ends[row] as usize);
        end_before(rows.start)..end_before(rows.end)
    }

    fn divide_into_blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut rows = 0..0;
        while rows.end < self.ends.len() {
            rows.end += 1;
            let range = self.range(rows.clone());
            if range.len() < MIN_BLOCK_BYTES && rows.end < self.ends.len() {
                continue;
            }
            let mut block = Block {
                rows: rows.clone(),
                trigrams: [0; TRIGRAM_BITS / 64],
            };
            for trigram in trigram_bits(self.arena.as_bytes().get(range).unwrap_or_default()) {
                block.trigrams[trigram / 64] |= 1 << (trigram % 64);
            }
            blocks.push(block);
            rows.start = rows.end;
        }
        blocks
    }
}
