//! The languages of the titles in a column of texts.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// The titles of a row. For each title, the position of its language in `codes`, and the position of its text among the
/// texts of the row.
type RowTitles = Vec<(u16, u16)>;

/// For each row, the languages of its texts. Many rows have titles in the same languages, so they share an entry.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TitleLanguages {
    codes: Vec<String>,
    entries: Vec<RowTitles>,
    /// For each row, its position in `entries`.
    rows: Vec<u32>,
}

/// Collects the languages of rows in order.
#[derive(Debug, Default)]
pub struct TitleLanguagesBuilder {
    codes: HashMap<String, u16>,
    entries: HashMap<RowTitles, u32>,
    rows: Vec<u32>,
}

impl TitleLanguagesBuilder {
    /// Adds a row with the codes of its titles, each with the position of the text.
    pub fn push<'a>(&mut self, titles: impl IntoIterator<Item = (&'a str, u16)>) {
        let titles = titles.into_iter().filter_map(|(code, text)| {
            let next = u16::try_from(self.codes.len()).ok()?;
            let known = self.codes.get(code).copied();
            let code = known.unwrap_or_else(|| *self.codes.entry(code.to_owned()).or_insert(next));
            Some((code, text))
        });
        let titles: RowTitles = titles.collect();
        let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.rows.push(*self.entries.entry(titles).or_insert(next));
    }

    /// Returns the languages of all rows.
    pub fn build(self) -> TitleLanguages {
        TitleLanguages {
            codes: in_order(self.codes),
            entries: in_order(self.entries),
            rows: self.rows,
        }
    }
}

/// Returns numbered values in the order of their numbers.
fn in_order<T, N: Ord>(numbered: HashMap<T, N>) -> Vec<T> {
    let mut values: Vec<(T, N)> = numbered.into_iter().collect();
    values.sort_unstable_by(|(_, one), (_, other)| one.cmp(other));
    values.into_iter().map(|(value, _)| value).collect()
}

impl TitleLanguages {
    /// Returns the position of a row's title in the first of these languages in which the row has one; `None` if
    /// there is none.
    pub fn find<'c>(&self, row: usize, codes: impl IntoIterator<Item = &'c str>) -> Option<usize> {
        let titles = self.entries.get(*self.rows.get(row)? as usize)?;
        let has_code = |wanted: &str, position: u16| {
            let code = self.codes.get(usize::from(position));
            code.is_some_and(|code| code == wanted)
        };
        let text_in = |wanted: &str| {
            let mut titles = titles.iter();
            titles.find(|(position, _)| has_code(wanted, *position))
        };
        let (_, text) = codes.into_iter().find_map(text_in)?;
        Some(usize::from(*text))
    }

    /// Returns true if there are this many rows. If not, the bytes were damaged.
    pub fn is_consistent(&self, rows: usize) -> bool {
        self.rows.len() == rows
    }
}
