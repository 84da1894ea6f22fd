//! A ranked search that tolerates typos, over the texts of all rows (docs/api.md, "Search").
//!
//! A search compares words in a plain form ([`words`]). It rates in points how well the words of each text match
//! (`MatchForm` in `running`), and a row gets the points of its best text. A famous row gets more points, and a row
//! with a long main title gets fewer. The list order decides between rows with equal points.
//!
//! The words and texts are a section of their own in a snapshot
//! ([`crate::snapshots::snapshot_store::SnapshotSection::Texts`]), because a list without a search does not need them.
//! The first search loads them ([`TextSearch::load`]), which also builds the postings: the list of the texts that have
//! a word, for each word.

mod running;
mod separation;
mod texts;
mod vocabulary;
mod words;
mod work;

use std::collections::HashMap;
use std::sync::OnceLock;

use dynamo::{pack_value, unpack_value};
use shared::input::{Parameter, check_length};
use shared::{Error, Result};

pub use self::running::EXACT_POINTS;
use self::running::Rating;
pub use self::separation::SeparatedWords;
pub use self::texts::RankKey;
use self::texts::{SYNONYM_BIT, Texts};
use self::vocabulary::{Vocabulary, to_u32};
pub(crate) use self::words::{
    ORDINALS, numeral_value, parse_counter, parse_digits, split_into_words,
};

/// The maximum number of texts of a row. Further texts are ignored.
const MAX_TEXTS_OF_ROW: usize = 500;

/// The words of a query in their plain form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuery(Vec<String>);

impl SearchQuery {
    /// Reads a query. Returns `None` if the text has no letter and no digit. Only the first 500 bytes and 24
    /// words count.
    pub fn new(text: &str) -> Option<Self> {
        let words = words::split_into_words(text);
        (!words.is_empty()).then_some(Self(words))
    }
}

/// An empty text is not a filter.
impl Parameter for SearchQuery {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        check_length(value)?;
        let query = Self::new(value);
        if query.is_none() && !value.is_empty() {
            return Err("must have a letter or a digit".to_owned());
        }
        Ok(query)
    }
}

/// A page of search results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankedPage {
    /// The number of accepted results on all pages.
    pub total: usize,
    /// The keys of the page's rows, best first.
    pub keys: Vec<RankKey>,
    /// True if an accepted result comes after the page.
    pub has_more: bool,
}

/// A row that matches a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatedRow {
    /// The place among the results.
    pub key: RankKey,
    /// The points of the row's best text ([`EXACT_POINTS`]).
    pub points: u16,
}

/// Returns how well known a row is, from 0 to 400, estimated by the number of languages in which it has titles,
/// the number of all its texts and the number of its sources. The popularity, which is the number of users
/// who have the anime on their list at AniList or MyAnimeList, counts instead if it is a higher estimate.
pub fn estimate_fame(
    languages: usize,
    texts: usize,
    sources: usize,
    popularity: Option<u32>,
) -> u16 {
    let known = 10 * languages + 2 * texts + 5 * sources;
    // Fame rises by 25 for each doubling from 1,024 users on, so 1,000,000 users count about as much as titles in
    // 20 languages.
    let doublings = popularity.map_or(0, |users| users.max(1).ilog2().saturating_sub(10));
    let popular = 25 * u16::try_from(doublings).unwrap_or_default();
    u16::try_from(known)
        .unwrap_or(u16::MAX)
        .max(popular)
        .min(texts::MAX_FAME)
}

/// Collects the texts of rows in list order.
#[derive(Debug, Default)]
pub struct TextSearchBuilder {
    words: HashMap<String, u32>,
    texts: Texts,
}

impl TextSearchBuilder {
    /// Adds a row. The first title must be the main one: rows with a longer main title, such as sequels, come
    /// after others that match equally well. A synonym counts slightly less than a title.
    pub fn push<'a>(
        &mut self,
        titles: impl IntoIterator<Item = &'a str>,
        synonyms: impl IntoIterator<Item = &'a str>,
        fame: u16,
    ) {
        let titles = titles.into_iter().map(|text| (text, 0));
        let synonyms = synonyms.into_iter().map(|text| (text, SYNONYM_BIT));
        let mut row: Vec<Vec<u32>> = Vec::new();
        for (text, kind) in titles.chain(synonyms) {
            for text in [Some(text), without_remark(text)].into_iter().flatten() {
                let words = self.number_words(text);
                if !words.is_empty() && row.len() < MAX_TEXTS_OF_ROW && !row.contains(&words) {
                    self.texts.push_text(&words, kind);
                    row.push(words);
                }
            }
        }
        self.texts.end_row(row.len(), fame);
    }

    /// Returns the number of each word of a text. Words are numbered in the order in which they are first seen.
    fn number_words(&mut self, text: &str) -> Vec<u32> {
        let numbers = words::split_into_words(text).into_iter().map(|word| {
            let next = to_u32(self.words.len());
            *self.words.entry(word).or_insert(next)
        });
        numbers.collect()
    }

    /// Builds the search.
    pub fn build(mut self) -> TextSearch {
        let mut sorted: Vec<(String, u32)> = self.words.into_iter().collect();
        sorted.sort_unstable();
        let mut renumbered = vec![0; sorted.len()];
        for (place, (_, seen)) in sorted.iter().enumerate() {
            renumbered[*seen as usize] = to_u32(place);
        }
        let words = Vocabulary::new(sorted.iter().map(|(word, _)| word.as_str()));
        self.texts.set_words(words, &renumbered);
        TextSearch(OnceLock::from(self.texts.build_derived()))
    }
}

/// Returns a text without the year or `TV` in parentheses at its end; `None` if it has no such end. The remark tells
/// apart rows with the same title, but a query seldom has it.
fn without_remark(text: &str) -> Option<&str> {
    let (plain, remark) = text.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let is_year = remark.len() == 4 && remark.bytes().all(|byte| byte.is_ascii_digit());
    (is_year || remark == "TV").then_some(plain)
}

/// The search over the texts of all rows, once they are loaded.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TextSearch(OnceLock<Texts>);

impl TextSearch {
    /// Returns true if a search can be made: this process has loaded or built the texts.
    pub fn is_loaded(&self) -> bool {
        self.0.get().is_some()
    }

    /// Serializes the texts.
    ///
    /// # Errors
    /// [`Error::Internal`] if they are not loaded or cannot be serialized.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let texts = self.0.get();
        pack_value(texts.ok_or_else(|| Error::internal("the texts are not loaded"))?)
    }

    /// Loads the texts of an index with this number of rows from the bytes of [`Self::to_bytes`]. Returns false if
    /// the bytes are damaged or from another index.
    pub fn load(&self, bytes: &[u8], rows: usize) -> bool {
        let texts = unpack_value::<Texts>(bytes).filter(|texts| texts.is_consistent(rows));
        texts.is_some_and(|texts| {
            self.0.get_or_init(|| texts.build_derived());
            true
        })
    }

    /// Returns the rows that match the query, best first, each with the points of its best text. Also returns the work
    /// of the search, in units of about 2.5 ns. Returns `None` if the texts are not loaded.
    pub fn rate(&self, query: &SearchQuery) -> Option<(Vec<RatedRow>, usize)> {
        let texts = self.0.get()?;
        Some(rated(texts, texts.rate_rows(&query.0)))
    }

    /// Returns the rows with a title that has exactly the words of the query, with other spaces between them or not.
    /// Otherwise as [`Self::rate`].
    pub fn rate_titles(
        &self,
        query: &SearchQuery,
        separated: &mut SeparatedWords,
    ) -> Option<(Vec<RatedRow>, usize)> {
        let texts = self.0.get()?;
        Some(rated(texts, texts.rate_titles(&query.0, separated)))
    }

    /// Returns a page of the rows that match the query and for which `accept` returns true. The page begins with the
    /// first result that is not before `from` and skips `skip` results. Returns `None` if the texts are not loaded.
    ///
    /// To continue after a result, pass as `from` its rank and the number of the next row in the list. A caller that
    /// knows only the list key of the result counts the rows up to this list key: the count is the number of the
    /// next row.
    pub fn search(
        &self,
        query: &SearchQuery,
        accept: impl Fn(usize) -> bool,
        from: Option<RankKey>,
        skip: usize,
        per_page: usize,
    ) -> Option<RankedPage> {
        let mut keys = self.0.get()?.search(&query.0);
        keys.retain(|key| accept(key.row as usize));
        let total = keys.len();
        keys.retain(|key| from.is_none_or(|from| *key >= from));
        let end = skip.saturating_add(per_page);
        let has_more = keys.len() > end;
        // Sorting only the results up to the end of the page is faster than sorting all of the thousands of results
        // of a short query.
        if has_more {
            keys.select_nth_unstable(end);
            keys.truncate(end);
        }
        keys.sort_unstable();
        keys.drain(..skip.min(keys.len()));
        Some(RankedPage {
            total,
            keys,
            has_more,
        })
    }
}

/// Returns the rows that were found, best first, and the work.
fn rated(texts: &Texts, found: Rating) -> (Vec<RatedRow>, usize) {
    let rows = found.rows.into_iter().map(|(row, points)| RatedRow {
        key: texts.rank_key(row, points),
        points,
    });
    let mut rows: Vec<RatedRow> = rows.collect();
    rows.sort_unstable_by_key(|row| row.key);
    (rows, found.work)
}

#[cfg(test)]
mod tests;
