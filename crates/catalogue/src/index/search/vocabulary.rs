//! The distinct words of all texts, sorted, with the lookups that a search needs.

use std::cmp::Ordering;
use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::words::{MAX_WORD_LENGTH, shorten};
use super::work;

/// The separator after each word. Words contain no control character.
const SEPARATOR: char = '\0';

// Costs of lookups, in units of work (`Budget` in work.rs).
/// The number of bytes that [`Vocabulary::containing`] scans in a unit.
const SCANNED_BYTES: usize = 64;
/// The work of [`Vocabulary::containing`] for each word that it finds.
pub const CONTAINED_WORK: usize = 16;
/// The work of [`Vocabulary::find`], which reads words far apart in memory.
pub const FIND_WORK: usize = 100;

/// Takes work from what is left of a budget. Returns false and takes none if too little is left.
pub fn take_work(left: &mut usize, work: usize) -> bool {
    let rest = left.checked_sub(work);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

/// The distinct words of all texts. A word is identified by its place in alphabetical order, from 0.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    words: String,
    /// For each word, its end in `words`, without the separator.
    #[serde(skip)]
    ends: Vec<u32>,
    /// The letters and the number of each word, ordered by the length of the word in characters. Comparing the
    /// letters first rules out most words, so that the edits are computed only for the rest.
    #[serde(skip)]
    shapes: Vec<(Letters, u32)>,
    /// For each length, the end of its words in `shapes`.
    #[serde(skip)]
    shape_ends: Vec<u32>,
}

impl Vocabulary {
    /// Collects sorted words. The lookups work after [`Self::build_derived`].
    pub fn new<'a>(sorted: impl IntoIterator<Item = &'a str>) -> Self {
        let mut words = String::new();
        for word in sorted {
            words.push_str(word);
            words.push(SEPARATOR);
        }
        Self {
            words,
            ..Self::default()
        }
    }

    /// Builds the parts that are not stored.
    pub fn build_derived(&mut self) {
        let ends = memchr_iter(SEPARATOR as u8, self.words.as_bytes());
        self.ends = ends.filter_map(|end| u32::try_from(end).ok()).collect();
        let mut by_length: Vec<Vec<(Letters, u32)>> = vec![Vec::new(); MAX_WORD_LENGTH + 1];
        for number in 0..self.len() {
            let word = self.word(number);
            let length = word.chars().count().min(MAX_WORD_LENGTH);
            by_length[length].push((Letters::of(word), number));
        }
        self.shapes = Vec::with_capacity(self.ends.len());
        self.shape_ends.clear();
        for shapes in by_length {
            self.shapes.extend(shapes);
            self.shape_ends.push(to_u32(self.shapes.len()));
        }
    }

    /// Returns the number of words. It works before [`Self::build_derived`], unlike [`Self::len`].
    pub fn stored_len(&self) -> usize {
        memchr_iter(SEPARATOR as u8, self.words.as_bytes()).count()
    }

    pub fn len(&self) -> u32 {
        to_u32(self.ends.len())
    }

    pub fn word(&self, number: u32) -> &str {
        // The span begins with the separator after the previous word.
        let Range { start, end } = span(&self.ends, number);
        self.words[start..end].trim_start_matches(SEPARATOR)
    }

    /// Returns the number of this word, or as an error the number of the first word after it.
    pub fn find(&self, word: &str) -> Result<u32, u32> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            work::add(1);
            let middle = low.midpoint(high);
            match self.word(middle).cmp(word) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// Returns the numbers of the words that start with these letters.
    pub fn starting_with(&self, letters: &str) -> Range<u32> {
        let first = self.find(letters).unwrap_or_else(|next| next);
        let (mut low, mut high) = (first, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.word(middle).starts_with(letters) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        first..low
    }

    /// Returns the work of [`Self::containing`] to scan all words. Each word that it finds takes [`CONTAINED_WORK`]
    /// more.
    pub fn containing_work(&self) -> usize {
        self.words.len() / SCANNED_BYTES
    }

    /// Returns the numbers of the words that contain these letters, in ascending order.
    pub fn containing(&self, letters: &str) -> impl Iterator<Item = u32> {
        work::add(self.words.len() / SCANNED_BYTES);
        let finder = Finder::new(letters).into_owned();
        let mut from = 0;
        std::iter::from_fn(move || {
            let hit = from + finder.find(self.words.as_bytes().get(from..)?)?;
            let found = self.ends.partition_point(|end| (*end as usize) < hit);
            from = *self.ends.get(found)? as usize;
            work::add(1);
            Some(to_u32(found))
        })
    }

    /// Returns the words that are at most this many letters shorter or longer than a word of this length.
    fn words_of_similar_length(&self, length: usize, max_edits: u8) -> &[(Letters, u32)] {
        let edits = usize::from(max_edits);
        let end_of = |length: usize| self.shape_ends.get(length).map_or(0, |end| *end as usize);
        let shortest = length.saturating_sub(edits).max(1);
        let range = end_of(shortest - 1)..end_of((length + edits).min(MAX_WORD_LENGTH));
        self.shapes.get(range).unwrap_or_default()
    }

    /// Returns the work of [`Self::similar_to`] for a word of this length.
    pub fn similar_work(&self, length: usize, max_edits: u8) -> usize {
        self.words_of_similar_length(length, max_edits).len()
    }

    /// Returns the numbers of the words that are at most this many edits from a word, and their edits. An edit
    /// is a missing, additional or wrong letter, or two swapped letters.
    pub fn similar_to(&self, word: &str, max_edits: u8) -> Vec<(u32, u8)> {
        let letters = Letters::of(word);
        let pattern = Pattern::new(word);
        let shapes = self.words_of_similar_length(pattern.length as usize, max_edits);
        work::add(shapes.len());
        let plausible = shapes
            .iter()
            .filter(|(other, _)| letters.may_become(*other, max_edits));
        let compared = plausible.filter_map(|(_, number)| {
            let edits = u8::try_from(pattern.edits_to(self.word(*number))).ok()?;
            (edits <= max_edits).then_some((*number, edits))
        });
        compared.collect()
    }

    /// `joined` is text without spaces, such as `onepiece`. Returns the words that `joined` has at the byte position
    /// `start`, each with the position after it. A word also matches if it is the text with long vowels shortened
    /// ([`shorten`]). Takes its work from `left`, and ends when too little is left.
    pub fn find_beginnings(
        &self,
        joined: &str,
        start: usize,
        left: &mut usize,
    ) -> Vec<(u32, usize)> {
        let mut found = Vec::new();
        let rest = joined.get(start..).unwrap_or_default();
        for (at, c) in rest.char_indices() {
            if !take_work(left, 2 * FIND_WORK) {
                break;
            }
            let end = at + c.len_utf8();
            let spellings = [rest[..end].to_owned(), shorten(&rest[..end])];
            let places = spellings.each_ref().map(|spelling| self.find(spelling));
            let known = places[0].or(places[1]);
            found.extend(known.ok().map(|number| (number, start + end)));
            let begins = |(place, spelling): (&Result<u32, u32>, &String)| match place {
                Ok(_) => true,
                Err(next) => *next < self.len() && self.word(*next).starts_with(spelling),
            };
            if !places.iter().zip(&spellings).any(begins) {
                break;
            }
        }
        found
    }
}

/// Returns the range that belongs to a row in a flat list: the values of all rows follow one another, and `ends` has
/// the end of each row.
pub fn span(ends: &[u32], row: u32) -> Range<usize> {
    let row = row as usize;
    let end_of = |row: usize| ends.get(row).map_or(0, |end| *end as usize);
    row.checked_sub(1).map_or(0, end_of)..end_of(row)
}

/// Returns a count of words or texts as `u32`. No index in memory has as many as 4 billion.
pub fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The letters of a word, as a set of 32 bits. Several letters can share a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Letters(u32);

impl Letters {
    fn of(word: &str) -> Self {
        Self(
            word.chars()
                .fold(0, |bits, c| bits | 1 << (u32::from(c) & 31)),
        )
    }

    /// Returns true if one word may become the other by this many edits. Each edit adds at most one letter and
    /// removes at most one.
    fn may_become(self, other: Self, edits: u8) -> bool {
        let has_few = |mut bits: u32| {
            for _ in 0..edits {
                bits &= bits.wrapping_sub(1);
            }
            bits == 0
        };
        has_few(self.0 & !other.0) && has_few(other.0 & !self.0)
    }
}

/// A word that is compared with many others.
struct Pattern {
    /// For each ASCII character, its places in the word as bits.
    ascii: [u64; 128],
    /// The same for other characters.
    others: Vec<(char, u64)>,
    /// The length in characters: at most 64.
    length: u32,
}

impl Pattern {
    fn new(word: &str) -> Self {
        let mut pattern = Self {
            ascii: [0; 128],
            others: Vec::new(),
            length: 0,
        };
        for c in word.chars().take(64) {
            let place = 1 << pattern.length;
            pattern.length += 1;
            match pattern.ascii.get_mut(c as usize) {
                Some(places) => *places |= place,
                None => pattern.others.push((c, place)),
            }
        }
        pattern
    }

    fn places(&self, c: char) -> u64 {
        let others = || self.others.iter().filter(|(other, _)| *other == c);
        let ascii = self.ascii.get(c as usize);
        ascii.map_or_else(
            || others().fold(0, |sum, (_, place)| sum | place),
            |places| *places,
        )
    }

    /// Returns the number of edits to another word (optimal string alignment distance), by the bit-parallel algorithm
    /// of Hyyrö (2003). Each bit is a row of the usual table of distances: `up` and `down` show where the distance
    /// grows and shrinks from row to row.
    fn edits_to(&self, other: &str) -> u32 {
        let mut edits = self.length;
        let last = 1 << self.length.saturating_sub(1);
        let (mut up, mut down) = (u64::MAX, 0);
        let (mut diagonal, mut places_before) = (0_u64, 0);
        for c in other.chars() {
            let places = self.places(c);
            let swapped = ((!diagonal & places) << 1) & places_before;
            diagonal = ((places & up).wrapping_add(up) ^ up) | places | down | swapped;
            let right_up = down | !(diagonal | up);
            let right_down = diagonal & up;
            edits += u32::from(right_up & last != 0);
            edits -= u32::from(right_down & last != 0);
            let right_up = right_up << 1 | 1;
            up = right_down << 1 | !(diagonal | right_up);
            down = right_up & diagonal;
            places_before = places;
        }
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Vocabulary};

    fn vocabulary(words: &[&str]) -> Vocabulary {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        let mut vocabulary = Vocabulary::new(sorted);
        vocabulary.build_derived();
        vocabulary
    }

    /// Returns the optimal string alignment distance, computed with its usual table.
    fn edits(left: &str, right: &str) -> u32 {
        let (left, right): (Vec<char>, Vec<char>) =
            (left.chars().collect(), right.chars().collect());
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                table[i][j] = match (i, j) {
                    (0, other) | (other, 0) => u32::try_from(other).unwrap(),
                    _ => {
                        let wrong = u32::from(left[i - 1] != right[j - 1]);
                        let mut least = (table[i - 1][j - 1] + wrong)
                            .min(table[i - 1][j] + 1)
                            .min(table[i][j - 1] + 1);
                        if i > 1
                            && j > 1
                            && left[i - 1] == right[j - 2]
                            && left[i - 2] == right[j - 1]
                        {
                            least = least.min(table[i - 2][j - 2] + 1);
                        }
                        least
                    }
                };
            }
        }
        table[left.len()][right.len()]
    }

    #[test]
    fn edits_are_those_of_the_usual_table() {
        let words = "a ab ba abc acb cab abcabc бав 猫の恩返し 猫恩の返";
        for left in words.split(' ') {
            for right in words.split(' ') {
                let found = Pattern::new(left).edits_to(right);
                assert_eq!(found, edits(left, right), "{left} {right}");
            }
        }
    }

    #[test]
    fn similar_words_have_few_edits() {
        let vocabulary = vocabulary(&["beserk", "berserk", "naruto", "boruto", "narutos", "x"]);
        let similar = |word, edits| {
            let found = vocabulary.similar_to(word, edits);
            let words = found.iter().map(|(word, _)| vocabulary.word(*word));
            let mut words: Vec<&str> = words.collect();
            words.sort_unstable();
            words
        };
        assert_eq!(similar("nartuo", 1), ["naruto"]);
        assert_eq!(similar("naruto", 1), ["naruto", "narutos"]);
        assert_eq!(similar("naruto", 2), ["boruto", "naruto", "narutos"]);
        assert_eq!(similar("bersek", 1), ["berserk"]);
        assert_eq!(similar("zzzzz", 2), [""; 0]);
    }

    #[test]
    fn words_are_found_whole_by_start_and_by_part() {
        let vocabulary = vocabulary(&["gin", "gintama", "gintoki", "hagin", "zoo"]);
        let name = |number| vocabulary.word(number);
        assert_eq!(vocabulary.find("gintama").map(name), Ok("gintama"));
        assert_eq!(vocabulary.find("h").map(name).map_err(name), Err("hagin"));
        let starting: Vec<&str> = vocabulary.starting_with("gint").map(name).collect();
        assert_eq!(starting, ["gintama", "gintoki"]);
        let containing: Vec<&str> = vocabulary.containing("gin").map(name).collect();
        assert_eq!(containing, ["gin", "gintama", "gintoki", "hagin"]);
        assert!(vocabulary.starting_with("x").is_empty());
    }
}
