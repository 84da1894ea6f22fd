//! The texts of all rows as words of the vocabulary, and the rating of texts that match a query.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::vocabulary::{CONTAINED_STEPS, FIND_STEPS, Vocabulary, span, take_steps, to_u32};
use super::words::{MAX_WORDS, is_unspaced, shorten};
use super::work;

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

// Points of a match. The form of the match gives up to 1,000 points. They are reduced if words are only similar, and if
// the text has other words. Fame adds up to 100 points.
/// The maximum number of points that a text loses for words that the query does not have. The loss is in proportion
/// to their weight.
const MAX_EXTRA_POINTS: u32 = 100;
/// The points that a synonym loses.
const SYNONYM_POINTS: u16 = 20;
/// The points that a row loses for each word of its main title, up to 12 words.
const LONG_TITLE_POINTS: u16 = 4;
/// The points of a synonym with exactly the words of the query. A title has [`SYNONYM_POINTS`] more.
pub const EXACT_POINTS: u16 = 1000 - SYNONYM_POINTS;
/// A text with fewer points does not match.
const MIN_POINTS: u16 = 500;
/// The maximum number of points by which a result may be worse than the best match.
const MAX_POINTS_BEHIND: u16 = 350;
/// If the best match has fewer points, the search is repeated with other spaces between words.
const WELL_SPACED_POINTS: u16 = 990;
/// If the best match has fewer points, the search is repeated with similar words.
const WELL_SPELLED_POINTS: u16 = 800;

// Similarity of words, in percent.
/// The similarity of a word to a longer word that starts with it. It applies to the last word of a query, which may be
/// incomplete.
const STARTS_PERCENT: u8 = 88;
/// The similarity of a word to one that contains it.
const CONTAINS_PERCENT: u8 = 85;
/// The similarity that a word loses if all its letters are wrong.
const MISSPELLED_PERCENT: u8 = 50;
/// The maximum number of words that count as similar to a word.
const MAX_SIMILAR_WORDS: usize = 100;

// The work of a search, in steps. A step of reading is about 25 ns in an optimized build, and a step of a lookup
// about 2.5 ns.
/// The limit on the steps of a search in a small index, for reading and for lookups each. A larger index has higher
/// limits ([`Texts::new_budget`]).
const MIN_STEPS: usize = 1 << 16;
/// The work of a step of reading, in steps of lookups.
const READING_WORK: usize = 10;
/// The work of beginning a search, in steps of lookups.
const SEARCH_WORK: usize = 1_000;
/// The work of comparing a text with a title, in steps of lookups. Most texts differ in their lengths.
const TITLE_WORK: usize = 2;
/// The steps of reading a text to compare it with a joined word.
const SEPARATED_STEPS: usize = 4;
/// The maximum number of times that a search is repeated with two words joined.
const MAX_JOINED_VARIANTS: usize = 4;

// Weights of words: about 4 for a word that every text has, and 4 more each time the frequency halves.
/// A word that no text has gets the weight of a word that one text has, divided by this number.
const UNKNOWN_DIVISOR: u32 = 3;
/// Words that people add to a title. A text need not match them, but gets more points if it does.
const REMARKS: [&str; 10] = [
    "anime", "film", "movie", "oav", "ona", "ova", "series", "special", "specials", "tv",
];
/// The part of a query's weight that a text must match, in percent. So a text can be found although it lacks a word of
/// the query.
const NEEDED_PERCENT: u32 = 60;

/// The words of queries that were looked up before, each with the words into which it separates, if there are any. A
/// caller with many queries passes the same value to all of them, because a separation can take as long as a search.
pub type SeparatedWords = HashMap<String, Option<Vec<String>>>;

/// The rows that match a query, and the work of the search.
#[derive(Debug, Default)]
pub struct Rating {
    /// Each row with the points of its best text, in no particular order.
    pub rows: Vec<(u32, u16)>,
    /// The work in steps of lookups, of about 2.5 ns in an optimized build.
    pub work: usize,
}

/// The texts of all rows, one row after the other.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    vocabulary: Vocabulary,
    /// The words of all texts, by their numbers in `vocabulary`.
    words: Vec<u32>,
    /// For each text, its number of words. A synonym also has the [`SYNONYM_BIT`].
    lengths: Vec<u8>,
    /// For each row, its number of texts.
    counts: Vec<u16>,
    /// For each row, its fame.
    fame: Vec<u16>,
    /// For each text, its end in `words`.
    #[serde(skip)]
    ends: Vec<u32>,
    /// For each text, its row.
    #[serde(skip)]
    rows: Vec<u32>,
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

    fn words_of(&self, text: u32) -> &[u32] {
        &self.words[span(&self.ends, text)]
    }

    fn texts_with(&self, word: u32) -> &[u32] {
        &self.postings[span(&self.posting_ends, word)]
    }

    fn weight(&self, word: u32) -> u32 {
        u32::from(self.weights[word as usize])
    }

    /// Returns the weight of a word that only one text has: the maximum.
    fn max_weight(&self) -> u32 {
        u32::from(log2_times_4(self.lengths.len())) + 4
    }

    /// Returns the keys of the rows that match these words, in no particular order.
    pub fn search(&self, words: &[String]) -> Vec<RankKey> {
        let rated = self.rate_rows(words).rows.into_iter();
        rated
            .map(|(row, points)| self.rank_key(row, points))
            .collect()
    }

    /// Returns the rows with a text of exactly these words, with other spaces between them or not. Reads few texts,
    /// unlike [`Self::rate_rows`].
    pub fn rate_titles(&self, words: &[String], separated: &mut SeparatedWords) -> Rating {
        let mut search = self.new_search();
        // Words are also looked up joined.
        let mut work = SEARCH_WORK + FIND_STEPS * words.len() + search.match_titles(words);
        if search.best < WELL_SPACED_POINTS {
            for respaced in search.respace(words, Some((separated, &mut work))) {
                work += search.match_titles(&respaced);
            }
        }
        Rating {
            work,
            rows: search.rated_rows(),
        }
    }

    /// Returns the rows that match these words.
    pub fn rate_rows(&self, words: &[String]) -> Rating {
        let mut search = self.new_search();
        search.match_words(words, false);
        if search.best < WELL_SPACED_POINTS {
            for respaced in search.respace(words, None) {
                search.match_words(&respaced, false);
            }
        }
        // A single word of up to three letters is similar to hundreds of words, so it must be spelled correctly.
        let is_short = words.len() == 1 && words[0].chars().count() < 4;
        if search.best < WELL_SPELLED_POINTS && !is_short {
            search.match_words(words, true);
        }
        Rating {
            work: SEARCH_WORK + self.new_budget().work_since(&search.budget),
            rows: search.rated_rows(),
        }
    }

    fn new_search(&self) -> Search<'_> {
        Search {
            texts: self,
            points: vec![0; self.counts.len()],
            rows: Vec::new(),
            best: 0,
            meanings: HashMap::new(),
            budget: self.new_budget(),
        }
    }

    /// Returns the work that a search may do.
    fn new_budget(&self) -> Budget {
        Budget {
            // Enough to read every text once for a query of one word.
            reading: self.lengths.len().max(MIN_STEPS),
            // Enough for three misspelled words of six letters, or for more words of other lengths.
            lookups: (3 * self.vocabulary.len() as usize).max(MIN_STEPS),
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

    /// Returns the words of the vocabulary that a word of a query stands for. If too few steps for lookups are left,
    /// these are only the word itself and, for the last word of a query, the words that start with it.
    fn find_meaning(
        &self,
        word: &str,
        is_last: bool,
        with_similar: bool,
        lookups: &mut usize,
    ) -> Meaning {
        let exact = self.vocabulary.find(word).ok();
        let starting = if is_last {
            self.vocabulary.starting_with(word)
        } else {
            0..0
        };
        let mut similar = Vec::new();
        let length = word.chars().count();
        let may_be_part =
            word.contains(is_unspaced) || (with_similar && exact.is_none() && length >= 4);
        if may_be_part && take_steps(lookups, self.vocabulary.containing_steps()) {
            // A single kana is in thousands of words, so the number of found words is limited by the steps.
            let found = self
                .vocabulary
                .containing(word)
                .take(*lookups / CONTAINED_STEPS);
            similar.extend(found.map(|word| (word, CONTAINS_PERCENT)));
            *lookups -= CONTAINED_STEPS * similar.len();
        }
        let max_edits = match length {
            0..=1 => 0,
            2 if exact.is_some() => 0,
            2..=5 => 1,
            _ => 2,
        };
        let is_misspelled = with_similar && max_edits > 0;
        let steps = self.vocabulary.similar_steps(length, max_edits);
        if is_misspelled && take_steps(lookups, steps) {
            let mut found = self.vocabulary.similar_to(word, max_edits);
            found.sort_unstable_by_key(|(word, edits)| (*edits, *word));
            found.truncate(MAX_SIMILAR_WORDS);
            let length = u8::try_from(length).unwrap_or(u8::MAX);
            similar.extend(found.into_iter().map(|(word, edits)| {
                (
                    word,
                    100 - MISSPELLED_PERCENT.saturating_mul(edits) / length,
                )
            }));
        }
        similar.retain(|(word, _)| Some(*word) != exact && !starting.contains(word));
        similar.sort_unstable_by_key(|(word, percent)| (*word, 100 - percent));
        similar.dedup_by_key(|(word, _)| *word);
        let mut meaning = Meaning {
            exact,
            starting,
            similar,
            weight: 0,
            texts: 0,
        };
        meaning.texts = meaning
            .words()
            .map(|word| self.texts_with(word).len())
            .sum();
        let lightest = || meaning.words().map(|word| self.weight(word)).min();
        meaning.weight = match exact {
            Some(exact) => self.weight(exact),
            None => lightest().unwrap_or(self.max_weight() / UNKNOWN_DIVISOR),
        };
        meaning
    }

    /// Returns the points of a text for its match of a query; 0 if the text does not match.
    fn rate(&self, words: &[u32], query: &Query) -> u16 {
        // The place in the text of the latest match.
        let mut last: Option<usize> = None;
        // The place of the first match.
        let mut first = None;
        // All matched places, as bits.
        let mut used = 0_u64;
        let mut matched = 0;
        let mut form = MatchForm::Phrase;
        let mut is_complete = true;
        for meaning in &query.meanings {
            // The words after the last match come first, so that a repeated word is matched in order.
            let next = last.map_or(0, |last| last + 1);
            let places = (next..words.len()).chain(0..next.min(words.len()));
            let mut best = (0, 0);
            for place in places.filter(|place| used >> place & 1 == 0) {
                let percent = meaning.similarity(words[place]);
                if percent > best.0 {
                    best = (percent, place);
                }
                if percent == 100 {
                    break;
                }
            }
            let (percent, place) = best;
            if percent == 0 {
                is_complete = false;
                continue;
            }
            used |= 1 << place;
            matched += meaning.weight * u32::from(percent);
            form = match last {
                Some(last) if place < last => MatchForm::AnyOrder,
                Some(last) if place > last + 1 => form.worse(MatchForm::InOrder),
                _ => form,
            };
            first = first.or(Some(place));
            last = Some(place);
        }
        if matched < query.needed * 100 {
            return 0;
        }
        let weights = |used: u64| {
            let places = (0..words.len()).filter(move |place| used >> place & 1 == 1);
            places.map(|place| self.weight(words[place])).sum::<u32>()
        };
        let (all, extra) = (weights(u64::MAX), weights(!used));
        form = match form {
            MatchForm::Phrase if is_complete && extra == 0 => MatchForm::Exact,
            MatchForm::Phrase if first == Some(0) => MatchForm::Prefix,
            _ => form,
        };
        let percent = matched / query.weight.max(1);
        let points = form as u32 * percent / 100;
        let points = points.saturating_sub(MAX_EXTRA_POINTS * extra / all.max(1));
        u16::try_from(points).unwrap_or_default()
    }

    /// Returns the words that the texts have for a joined word: `onepiece` is `one piece`. If texts separate
    /// them differently, the most frequent separation counts.
    fn separate(&self, joined: &str, budget: &mut Budget) -> Option<Vec<String>> {
        if joined.chars().count() < 4 {
            return None;
        }
        let beginnings = self.find_all_beginnings(joined, &mut budget.lookups);
        let mut found: BTreeMap<&[u32], u32> = BTreeMap::new();
        let mut firsts = beginnings.first()?.clone();
        firsts.dedup_by_key(|(word, _)| *word);
        for (first, _) in firsts {
            let texts = self.texts_with_both(first, &beginnings);
            if !take_steps(&mut budget.reading, SEPARATED_STEPS * texts.len()) {
                return None;
            }
            for text in texts {
                let words = self.words_of(text);
                for place in (0..words.len()).filter(|place| words[*place] == first) {
                    let count = count_spelling_words(0, &words[place..], &beginnings);
                    if let Some(count) = count.filter(|count| *count > 1) {
                        *found.entry(&words[place..place + count]).or_default() += 1;
                    }
                }
            }
        }
        let best = found.into_iter().rev().max_by_key(|(_, texts)| *texts)?.0;
        Some(
            best.iter()
                .map(|word| self.vocabulary.word(*word).to_owned())
                .collect(),
        )
    }

    /// Does the same as [`Self::separate`], unless `kept` has the result. Adds the work.
    fn separate_once(
        &self,
        joined: &str,
        kept: &mut SeparatedWords,
        work: &mut usize,
    ) -> Option<Vec<String>> {
        if let Some(known) = kept.get(joined) {
            return known.clone();
        }
        let mut budget = self.new_budget();
        let separated = self.separate(joined, &mut budget);
        *work += self.new_budget().work_since(&budget);
        kept.insert(joined.to_owned(), separated.clone());
        separated
    }

    /// Returns for each position in a joined word the results of [`Vocabulary::find_beginnings`], without those after
    /// which the rest of the joined word does not consist of words.
    fn find_all_beginnings(&self, joined: &str, lookups: &mut usize) -> Vec<Vec<(u32, usize)>> {
        let mut all = vec![Vec::new(); joined.len()];
        let mut is_begun = vec![false; joined.len() + 1];
        is_begun[0] = true;
        for start in 0..joined.len() {
            if is_begun[start] {
                all[start] = self.vocabulary.find_beginnings(joined, start, lookups);
                for (_, end) in &all[start] {
                    is_begun[*end] = true;
                }
            }
        }
        let mut leads_to_end = vec![false; joined.len() + 1];
        leads_to_end[joined.len()] = true;
        for (start, beginnings) in all.iter_mut().enumerate().rev() {
            beginnings.retain(|(_, end)| leads_to_end[*end]);
            leads_to_end[start] = !beginnings.is_empty();
        }
        all
    }

    /// Returns the texts in which the first word of a joined word may be followed by a second word. These are the texts
    /// with the first word or, if there are fewer, the texts with any of the possible second words.
    fn texts_with_both(&self, first: u32, beginnings: &[Vec<(u32, usize)>]) -> Vec<u32> {
        let ends = beginnings.first().into_iter().flatten();
        let ends = ends.filter(|(word, _)| *word == first);
        let seconds = ends.filter_map(|(_, end)| beginnings.get(*end)).flatten();
        let mut seconds: Vec<u32> = seconds.map(|(word, _)| *word).collect();
        seconds.sort_unstable();
        seconds.dedup();
        let of_first = self.texts_with(first);
        let count: usize = seconds
            .iter()
            .map(|word| self.texts_with(*word).len())
            .sum();
        if of_first.len() <= count {
            return of_first.to_vec();
        }
        let texts = seconds.iter().flat_map(|word| self.texts_with(*word));
        let mut texts: Vec<u32> = texts.copied().collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }
}

/// Returns the number of words at the start of `words` that spell a joined word from the position `start` on; `None`
/// if `words` ends earlier or does not spell it. `beginnings` has the words at each position
/// ([`Texts::find_all_beginnings`]).
fn count_spelling_words(
    start: usize,
    words: &[u32],
    beginnings: &[Vec<(u32, usize)>],
) -> Option<usize> {
    work::add(1);
    // At the end of the joined word, no more words are needed.
    let Some(known) = beginnings.get(start) else {
        return Some(0);
    };
    let (first, rest) = words.split_first()?;
    let mut ends = known.iter().filter(|(word, _)| word == first);
    ends.find_map(|(_, end)| Some(1 + count_spelling_words(*end, rest, beginnings)?))
}

/// Returns the logarithm to the base 2, times 4.
fn log2_times_4(count: usize) -> u8 {
    let count = count.max(1);
    let whole = count.ilog2();
    // The two bits after the first are the fraction, approximately.
    let fraction = (count << 2 >> whole) & 3;
    u8::try_from(4 * whole as usize + fraction).unwrap_or(u8::MAX)
}

/// The forms of a match and their points, the best first.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum MatchForm {
    /// The text has the words of the query and no others, in the same order.
    Exact = 1000,
    /// The text begins with the words.
    Prefix = 950,
    /// The text has the words side by side.
    Phrase = 890,
    /// The text has the words in the same order, with others between them.
    InOrder = 870,
    /// The text has the words in another order.
    AnyOrder = 840,
}

impl MatchForm {
    /// Returns the worse of two forms.
    fn worse(self, other: Self) -> Self {
        if (other as u32) < self as u32 {
            other
        } else {
            self
        }
    }
}

/// The words of the vocabulary that a word of a query stands for.
#[derive(Debug)]
struct Meaning {
    exact: Option<u32>,
    /// The words that start with the word.
    starting: Range<u32>,
    /// Similar words, in ascending order, each with its similarity in percent.
    similar: Vec<(u32, u8)>,
    /// The weight of the word. A rare word has a higher weight.
    weight: u32,
    /// The number of texts with these words.
    texts: usize,
}

impl Meaning {
    fn words(&self) -> impl Iterator<Item = u32> {
        let similar = self.similar.iter().map(|(word, _)| *word);
        let starting = self
            .starting
            .clone()
            .filter(|word| Some(*word) != self.exact);
        self.exact.into_iter().chain(starting).chain(similar)
    }

    /// Returns the similarity of a word to the word of the query, in percent; 0 if the word of the query does not match
    /// it.
    fn similarity(&self, word: u32) -> u8 {
        work::add(1);
        if self.exact == Some(word) {
            return 100;
        }
        if self.starting.contains(&word) {
            return STARTS_PERCENT;
        }
        let found = self
            .similar
            .binary_search_by_key(&word, |(similar, _)| *similar);
        found.map_or(0, |place| self.similar[place].1)
    }
}

/// The words of a query with their meanings.
struct Query {
    meanings: Vec<Rc<Meaning>>,
    /// The weight of all words together.
    weight: u32,
    /// The weight that a text must match.
    needed: u32,
}

/// The steps that a search may still take. They limit the time of a long query: a search without steps left returns
/// what it has found.
struct Budget {
    /// The steps for reading texts. The more words a query has, the more steps it takes for each text.
    reading: usize,
    /// The steps for looking words up in the vocabulary.
    lookups: usize,
}

impl Budget {
    /// Returns the work between this budget and a later one, in steps of lookups.
    fn work_since(&self, later: &Self) -> usize {
        let reading = self.reading.saturating_sub(later.reading);
        READING_WORK * reading + self.lookups.saturating_sub(later.lookups)
    }
}

/// A search that is running.
struct Search<'a> {
    texts: &'a Texts,
    /// For each row, the points of its best text; 0 if none matches.
    points: Vec<u16>,
    /// The rows with points.
    rows: Vec<u32>,
    /// The points of the best text.
    best: u16,
    /// The meanings of words. The key is the word, whether it is the last one, and whether it matches similar words.
    /// Meanings are kept, because the variants of a query with other spaces have most words in common.
    meanings: HashMap<(String, bool, bool), Rc<Meaning>>,
    budget: Budget,
}

impl Search<'_> {
    /// Returns the rows that were found, each with its points. Leaves out those that match much worse than the best.
    fn rated_rows(self) -> Vec<(u32, u16)> {
        let least = self.best.saturating_sub(MAX_POINTS_BEHIND);
        let rows = self.rows.into_iter();
        let rows = rows.map(|row| (row, self.points[row as usize]));
        rows.filter(|(_, points)| *points >= least).collect()
    }

    /// Finds the texts that consist of exactly these words. Returns the work, in steps of lookups. Only the texts of
    /// the rarest word can be such texts.
    fn match_titles(&mut self, words: &[String]) -> usize {
        let texts = self.texts;
        let lookups = FIND_STEPS * words.len();
        let numbers = words.iter().map(|word| texts.vocabulary.find(word).ok());
        let Some(numbers) = numbers.collect::<Option<Vec<u32>>>() else {
            return lookups;
        };
        let of_words = numbers.iter().map(|word| texts.texts_with(*word));
        let rarest = of_words.min_by_key(|found| found.len()).unwrap_or_default();
        for text in rarest {
            work::add(1);
            if texts.words_of(*text) == numbers {
                self.add_points(*text, MatchForm::Exact as u16);
            }
        }
        lookups + TITLE_WORK * rarest.len()
    }

    /// Rates the texts that match these words. With `with_similar`, words also match words that are spelled similarly.
    /// In a query of more than 6 words, only unknown words do.
    fn match_words(&mut self, words: &[String], with_similar: bool) {
        let texts = self.texts;
        let meanings = self.look_up_meanings(words, with_similar);
        let weight = meanings.iter().map(|meaning| meaning.weight).sum();
        let remarks = words
            .iter()
            .zip(&meanings)
            .filter(|(word, _)| REMARKS.contains(&word.as_str()));
        let remarks: u32 = remarks.map(|(_, meaning)| meaning.weight).sum();
        // A query of nothing but remarks must match them.
        let others = if remarks < weight {
            weight - remarks
        } else {
            weight
        };
        let query = Query {
            meanings,
            weight,
            needed: (others * NEEDED_PERCENT / 100).max(1),
        };
        // Texts are read from the rarest word on. When the weight of the remaining words is too low for a
        // match, no text remains that could match.
        let mut by_texts: Vec<&Meaning> = query.meanings.iter().map(Rc::as_ref).collect();
        by_texts.sort_by_key(|meaning| meaning.texts);
        let steps_per_text = 2 * words.len() - 1;
        let mut rest = weight;
        for (nth, meaning) in by_texts.iter().enumerate() {
            if rest < query.needed {
                return;
            }
            rest -= meaning.weight;
            for word in meaning.words() {
                let found = texts.texts_with(word);
                if !take_steps(&mut self.budget.reading, found.len() * steps_per_text) {
                    return;
                }
                for text in found {
                    let text_words = texts.words_of(*text);
                    // A text that contains a word of an earlier query word was rated there.
                    let is_new = |word: &u32| {
                        by_texts[..nth]
                            .iter()
                            .all(|other| other.similarity(*word) == 0)
                    };
                    if text_words.iter().all(is_new) {
                        self.add_points(*text, texts.rate(text_words, &query));
                    }
                }
            }
        }
    }

    /// Returns the meanings of the words of a query.
    fn look_up_meanings(&mut self, words: &[String], with_similar: bool) -> Vec<Rc<Meaning>> {
        let vocabulary = &self.texts.vocabulary;
        let is_known = |word: &str| vocabulary.find(word).is_ok();
        let is_last = |at: usize| at + 1 == words.len();
        let all = || words.iter().enumerate();
        // Unknown words come first: if there are too few steps for lookups, known words still match themselves.
        for (at, word) in all().filter(|(_, word)| with_similar && !is_known(word)) {
            self.look_up_meaning(word, is_last(at), with_similar);
        }
        let meanings = all().map(|(at, word)| {
            let is_exact = words.len() > 6 && is_known(word);
            self.look_up_meaning(word, is_last(at), with_similar && !is_exact)
        });
        meanings.collect()
    }

    /// Returns the meaning of a word. Looks it up only once per search.
    fn look_up_meaning(&mut self, word: &str, is_last: bool, with_similar: bool) -> Rc<Meaning> {
        let lookups = &mut self.budget.lookups;
        let found = self
            .meanings
            .entry((word.to_owned(), is_last, with_similar));
        let found = found.or_insert_with(|| {
            Rc::new(
                self.texts
                    .find_meaning(word, is_last, with_similar, lookups),
            )
        });
        Rc::clone(found)
    }

    fn add_points(&mut self, text: u32, points: u16) {
        let is_synonym = self.texts.lengths[text as usize] & SYNONYM_BIT != 0;
        let points = points.saturating_sub(if is_synonym { SYNONYM_POINTS } else { 0 });
        if points < MIN_POINTS {
            return;
        }
        let row = self.texts.rows[text as usize];
        let best = &mut self.points[row as usize];
        if *best == 0 {
            self.rows.push(row);
        }
        *best = points.max(*best);
        self.best = points.max(self.best);
    }

    /// Returns the words of a query with other spaces: two words joined, all joined words separated, and the last word
    /// with short vowels. An incomplete word such as `kyoushit` does not read as romanized Japanese, so its vowels are
    /// still long. With `kept`, each word is separated only once for all searches, and may take as many steps as a
    /// whole search. The work is added to the second part of `kept`.
    fn respace(
        &mut self,
        words: &[String],
        mut kept: Option<(&mut SeparatedWords, &mut usize)>,
    ) -> Vec<Vec<String>> {
        let mut variants = Vec::new();
        for at in 1..words.len() {
            let joined = words[at - 1..=at].concat();
            if variants.len() < MAX_JOINED_VARIANTS && self.texts.vocabulary.find(&joined).is_ok() {
                let mut variant = words.to_vec();
                variant.splice(at - 1..=at, [joined]);
                variants.push(variant);
            }
        }
        let separated = words.iter().flat_map(|word| {
            let separated = match &mut kept {
                Some((kept, work)) => self.texts.separate_once(word, kept, work),
                None => self.texts.separate(word, &mut self.budget),
            };
            separated.unwrap_or_else(|| vec![word.clone()])
        });
        let separated: Vec<String> = separated.collect();
        if separated.len() > words.len() {
            variants.push(separated);
        }
        if let Some((last, others)) = words.split_last() {
            let short = shorten(last);
            if short != *last {
                variants.push([others, &[short]].concat());
            }
        }
        variants
    }
}
