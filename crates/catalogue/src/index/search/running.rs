//! A running search: the rating of the texts that match a query.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::separation::SeparatedWords;
use super::texts::{RankKey, SYNONYM_BIT, Texts};
use super::vocabulary::{CONTAINED_WORK, FIND_WORK, take_work};
use super::words::{is_unspaced, shorten};
use super::work::{self, Budget};

// Points of a match. The form of the match gives up to 1,000 points. They are reduced if words are only similar, and if
// the text has other words. Fame adds up to 100 points.
/// The maximum number of points that a text loses for words that the query does not have. The loss is in proportion
/// to their weight.
const MAX_EXTRA_POINTS: u32 = 100;
/// The points that a synonym loses.
const SYNONYM_POINTS: u16 = 20;
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

/// The work of beginning a search.
const SEARCH_WORK: usize = 1_000;
/// The work of comparing a text with a title. Most texts differ in their lengths.
const TITLE_WORK: usize = 2;
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

/// The rows that match a query, and the work of the search.
#[derive(Debug, Default)]
pub struct Rating {
    /// Each row with the points of its best text, in no particular order.
    pub rows: Vec<(u32, u16)>,
    /// The units of work, of about 2.5 ns in an optimized build.
    pub work: usize,
}

impl Texts {
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
        let mut work = SEARCH_WORK + FIND_WORK * words.len() + search.match_titles(words);
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

    /// Returns the words of the vocabulary that a word of a query stands for. If too little work for lookups is left,
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
        if may_be_part && take_work(lookups, self.vocabulary.containing_work()) {
            // A single kana is in thousands of words, so the number of found words is limited by the work that is left.
            let found = self
                .vocabulary
                .containing(word)
                .take(*lookups / CONTAINED_WORK);
            similar.extend(found.map(|word| (word, CONTAINS_PERCENT)));
            *lookups -= CONTAINED_WORK * similar.len();
        }
        let max_edits = match length {
            0..=1 => 0,
            2 if exact.is_some() => 0,
            2..=5 => 1,
            _ => 2,
        };
        let is_misspelled = with_similar && max_edits > 0;
        let work = self.vocabulary.similar_work(length, max_edits);
        if is_misspelled && take_work(lookups, work) {
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

    /// Finds the texts that consist of exactly these words. Returns the work. Only the texts of the rarest word can be
    /// such texts.
    fn match_titles(&mut self, words: &[String]) -> usize {
        let texts = self.texts;
        let lookups = FIND_WORK * words.len();
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
        let work_per_text = 2 * words.len() - 1;
        let mut rest = weight;
        for (nth, meaning) in by_texts.iter().enumerate() {
            if rest < query.needed {
                return;
            }
            rest -= meaning.weight;
            for word in meaning.words() {
                let found = texts.texts_with(word);
                if !take_work(&mut self.budget.reading, found.len() * work_per_text) {
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
        // Unknown words come first: if too little work for lookups is left, known words still match themselves.
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
    /// still long. With `kept`, each word is separated only once for all searches, and may take as much work as a
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
