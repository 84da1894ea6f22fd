//! The texts of all rows as words of the vocabulary, as they are stored in a snapshot.

use serde::{Deserialize, Serialize};

use super::vocabulary::{Vocabulary, span, to_u32};
use super::words::MAX_WORDS;
use super::work::{Budget, MIN_WORK};

/// The place of a row among the results of a query. Results are in ascending order of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankKey {
    /// A number for the relevance and the fame of the row. The best rank is the lowest.
    pub rank: u16,
    /// The number of the row, from 0.
    pub row: u32,
}

/// The bit that marks a synonym, in the byte that has the length of a text.
pub const SYNONYM_BIT: u8 = 0x80;

/// The maximum fame. More fame does not improve the rank.
pub const MAX_FAME: u16 = 400;

/// The points that a row loses for each word of its main title, up to 12 words.
const LONG_TITLE_POINTS: u16 = 4;

/// The texts of all rows, one row after the other.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    pub(super) vocabulary: Vocabulary,
    /// The words of all texts, by their numbers in `vocabulary`.
    words: Vec<u32>,
    /// For each text, its number of words. A synonym also has the [`SYNONYM_BIT`].
    pub(super) lengths: Vec<u8>,
    /// For each row, its number of texts.
    pub(super) counts: Vec<u16>,
    /// For each row, its fame.
    fame: Vec<u16>,
    /// For each text, its end in `words`.
    #[serde(skip)]
    ends: Vec<u32>,
    /// For each text, its row.
    #[serde(skip)]
    pub(super) rows: Vec<u32>,
    /// For each row, the number of words of its first text.
    #[serde(skip)]
    first_lengths: Vec<u8>,
    /// For each word, the numbers of the texts that have it. The words follow one after the other.
    #[serde(skip)]
    postings: Vec<u32>,
    /// For each word, the end of its texts in `postings`.
    #[serde(skip)]
    posting_ends: Vec<u32>,
    /// For each word, its weight. A rare word has a higher weight.
    #[serde(skip)]
    weights: Vec<u8>,
}

impl Texts {
    /// Adds a text to the row that the next call of [`Self::end_row`] ends. `kind` is [`SYNONYM_BIT`] for a synonym,
    /// else 0.
    pub fn push_text(&mut self, words: &[u32], kind: u8) {
        self.words.extend_from_slice(words);
        let length = u8::try_from(words.len()).unwrap_or_default();
        self.lengths.push(length | kind);
    }

    /// Ends a row, to which the last `texts` texts belong.
    pub fn end_row(&mut self, texts: usize, fame: u16) {
        self.counts.push(u16::try_from(texts).unwrap_or(u16::MAX));
        self.fame.push(fame.min(MAX_FAME));
    }

    /// Sets the vocabulary. `renumbered` has the number in the vocabulary for each word of the texts.
    pub fn set_words(&mut self, vocabulary: Vocabulary, renumbered: &[u32]) {
        self.vocabulary = vocabulary;
        for word in &mut self.words {
            *word = renumbered[*word as usize];
        }
    }

    /// Returns true if the parts fit together and fit an index with this number of rows. If not, they are damaged or
    /// belong to another index.
    pub fn is_consistent(&self, rows: usize) -> bool {
        let is_long = |length: &u8| usize::from(length & !SYNONYM_BIT) > MAX_WORDS;
        let words: usize = self
            .lengths
            .iter()
            .map(|length| usize::from(length & !SYNONYM_BIT))
            .sum();
        let texts: usize = self.counts.iter().map(|count| usize::from(*count)).sum();
        let most = self.words.iter().max().map_or(0, |word| *word as usize + 1);
        words == self.words.len()
            && !self.lengths.iter().any(is_long)
            && texts == self.lengths.len()
            && self.counts.len() == rows
            && self.fame.len() == rows
            && most <= self.vocabulary.stored_len()
    }

    /// Builds the parts that are not stored.
    pub fn build_derived(mut self) -> Self {
        self.vocabulary.build_derived();
        let mut end = 0;
        for length in &self.lengths {
            end += u32::from(length & !SYNONYM_BIT);
            self.ends.push(end);
        }
        for (row, count) in (0..).zip(&self.counts) {
            let first = self.lengths.get(self.rows.len()).filter(|_| *count > 0);
            self.first_lengths
                .push(first.map_or(0, |length| length & !SYNONYM_BIT));
            self.rows
                .extend(std::iter::repeat_n(row, usize::from(*count)));
        }
        self.build_postings();
        self
    }

    /// Builds the postings by counting: first how many texts have each word, then where they go.
    fn build_postings(&mut self) {
        let mut ends = vec![0; self.vocabulary.len() as usize];
        self.for_each_word(|_, word| ends[word] += 1);
        let weight = |count: &u32| {
            log2_times_4(self.lengths.len()).saturating_sub(log2_times_4(*count as usize)) + 4
        };
        let weights = ends.iter().map(weight).collect();
        // Each count becomes the start of its word's texts. Filling the postings moves the start to the end.
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut postings = vec![0; start as usize];
        self.for_each_word(|text, word| {
            postings[ends[word] as usize] = text;
            ends[word] += 1;
        });
        self.weights = weights;
        self.postings = postings;
        self.posting_ends = ends;
    }

    /// Calls a function with each text and each distinct word of the text.
    fn for_each_word(&self, mut call: impl FnMut(u32, usize)) {
        for text in 0..to_u32(self.lengths.len()) {
            let words = self.words_of(text);
            for (at, word) in words.iter().enumerate() {
                if !words[..at].contains(word) {
                    call(text, *word as usize);
                }
            }
        }
    }

    pub(super) fn words_of(&self, text: u32) -> &[u32] {
        &self.words[span(&self.ends, text)]
    }

    pub(super) fn texts_with(&self, word: u32) -> &[u32] {
        &self.postings[span(&self.posting_ends, word)]
    }

    pub(super) fn weight(&self, word: u32) -> u32 {
        u32::from(self.weights[word as usize])
    }

    /// Returns the weight of a word that only one text has: the maximum.
    pub(super) fn max_weight(&self) -> u32 {
        u32::from(log2_times_4(self.lengths.len())) + 4
    }

    /// Returns the work that a search may do.
    pub(super) fn new_budget(&self) -> Budget {
        Budget {
            // Enough to read every text once for a query of one word.
            reading: self.lengths.len().max(MIN_WORK),
            // Enough for three misspelled words of six letters, or for more words of other lengths.
            lookups: (3 * self.vocabulary.len() as usize).max(MIN_WORK),
        }
    }

    pub fn rank_key(&self, row: u32, points: u16) -> RankKey {
        let fame = self.fame[row as usize].min(MAX_FAME);
        let long = LONG_TITLE_POINTS * u16::from(self.first_lengths[row as usize].min(12));
        // A point is worth a fame of 4. The best row has the lowest rank, so the sum is subtracted from the maximum.
        let good = (4 * points + fame).saturating_sub(4 * long);
        RankKey {
            rank: u16::MAX - good,
            row,
        }
    }
}

/// Returns the logarithm to the base 2, times 4.
fn log2_times_4(count: usize) -> u8 {
    let count = count.max(1);
    let whole = count.ilog2();
    // The two bits after the first are the fraction, approximately.
    let fraction = (count << 2 >> whole) & 3;
    u8::try_from(4 * whole as usize + fraction).unwrap_or(u8::MAX)
}
