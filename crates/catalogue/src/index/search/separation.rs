//! The separation of joined words: `onepiece` is `one piece`.

use std::collections::{BTreeMap, HashMap};

use super::texts::Texts;
use super::vocabulary::take_work;
use super::work::{self, Budget};

/// The number of reads that comparing a text with a joined word counts as.
const SEPARATED_WORK: usize = 4;

/// The words of queries that were looked up before, each with the words into which it separates, if there are any. A
/// caller with many queries passes the same value to all of them, because a separation can take as long as a search.
pub type SeparatedWords = HashMap<String, Option<Vec<String>>>;

impl Texts {
    /// Returns the words that the texts have for a joined word: `onepiece` is `one piece`. If texts separate
    /// them differently, the most frequent separation counts.
    pub(super) fn separate(&self, joined: &str, budget: &mut Budget) -> Option<Vec<String>> {
        if joined.chars().count() < 4 {
            return None;
        }
        let beginnings = self.find_all_beginnings(joined, &mut budget.lookups);
        let mut found: BTreeMap<&[u32], u32> = BTreeMap::new();
        let mut firsts = beginnings.first()?.clone();
        firsts.dedup_by_key(|(word, _)| *word);
        for (first, _) in firsts {
            let texts = self.texts_with_both(first, &beginnings);
            if !take_work(&mut budget.reading, SEPARATED_WORK * texts.len()) {
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
    pub(super) fn separate_once(
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

    /// Returns for each position in a joined word the results of `Vocabulary::find_beginnings`, without those after
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
