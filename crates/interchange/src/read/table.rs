//! Tables: CSV with a header row (RFC 4180), with any of the usual delimiters.
//!
//! This module splits the rows without a library, for two reasons. A missing quotation mark must be an error, and not
//! silently swallow the rest of the file. And a row with millions of cells must not fill the memory: see [`MAX_CELLS`].

use std::borrow::Cow;
use std::collections::HashMap;

use crate::collector::{EntryCollector, MAX_ROWS, too_many_entries};
use crate::entry::{ListFileError, ReadResult};
use crate::field::{MAX_LIST_TEXT_BYTES, cut, normalize};
use crate::numbers::whole_number;
use crate::values::{quoted, watched_at};

const MAX_CELLS: usize = 1000;

/// A text with a header row.
pub struct TextTable<'f> {
    pub text: &'f str,
    /// The names of the columns, as they are in the file.
    pub header: Vec<Cow<'f, str>>,
    /// The indexes of the columns by their names in lower case and without separators. If several columns have the same
    /// name, the first counts.
    columns: HashMap<String, usize>,
    rows: Rows<'f>,
}

impl<'f> TextTable<'f> {
    /// Reads the header row: the first row that is not empty, after a line such as `sep=;`.
    pub fn read(text: &'f str) -> ReadResult<Self> {
        let (mut rest, mut line, mut stated) = (text, 1, None);
        loop {
            let end = rest.find(['\r', '\n']).unwrap_or(rest.len());
            let first = rest[..end].trim();
            let separator = first.trim_matches('"').to_ascii_lowercase();
            if let Some(separator) = separator.strip_prefix("sep=") {
                stated = separator.chars().next().or(Some('\t'));
            } else if !first.trim_matches([',', ';', '\t', '"', ' ']).is_empty() {
                break;
            }
            let Some(next) = strip_line_end(&rest[end..]) else {
                break;
            };
            (rest, line) = (next, line + 1);
        }
        let mut rows = Rows {
            rest,
            delimiter: stated.unwrap_or_else(|| guess_delimiter(rest)),
            line,
        };
        let header = rows.next()?.unwrap_or_default();
        let mut columns = HashMap::new();
        for (index, name) in header.iter().enumerate() {
            columns.entry(normalize(name)).or_insert(index);
        }
        Ok(Self {
            text,
            header,
            columns,
            rows,
        })
    }

    /// Returns true if the header has all these names. Case, spaces and punctuation do not matter.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.column(name).is_some())
    }

    /// Returns true if the header has one of these names.
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.column(name).is_some())
    }

    /// Returns the index of the first column with this name.
    fn column(&self, name: &str) -> Option<usize> {
        self.columns.get(&normalize(name)).copied()
    }

    /// Calls a function for each row that is not empty. Rows with more cells than the header are skipped.
    pub fn for_each(
        &self,
        collector: &mut EntryCollector,
        mut row_is: impl FnMut(&TableRow, &mut EntryCollector) -> ReadResult,
    ) -> ReadResult {
        let mut rows = self.rows;
        let mut count = 0;
        loop {
            let line = rows.line;
            let Some(mut cells) = rows.next()? else {
                return Ok(());
            };
            collector.check_cancelled()?;
            count += 1;
            // Spreadsheets append many empty rows.
            if count > MAX_ROWS {
                return Err(too_many_entries());
            }
            if cells.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            // Some programs end each row with a delimiter.
            while cells.len() > self.header.len()
                && cells.last().is_some_and(|cell| cell.is_empty())
            {
                cells.pop();
            }
            if cells.len() > self.header.len() {
                let (cells, columns) = (cells.len(), self.header.len());
                collector.skip(
                    None,
                    format!("line {line} has {cells} cells, but the header has {columns}"),
                )?;
                continue;
            }
            row_is(&TableRow { table: self, cells }, collector)?;
        }
    }

    /// Returns the names of some columns, for the error about an unknown format.
    pub fn some_names(&self) -> String {
        quoted(self.header.iter().take(8), 40)
    }
}

pub struct TableRow<'t, 'f> {
    table: &'t TextTable<'f>,
    /// The cells. The last cells can be missing.
    pub cells: Vec<Cow<'f, str>>,
}

impl TableRow<'_, '_> {
    /// Returns the text in the column with this name, without white space around it. `None` if there is no such column,
    /// or its cell is missing.
    pub fn cell(&self, name: &str) -> Option<&str> {
        let cell = self.cells.get(self.table.column(name)?)?;
        Some(cell.trim())
    }

    /// Returns the text in the first of these columns that has a text. An empty text counts as none.
    pub fn value(&self, names: &[&str]) -> Option<&str> {
        let cells = names.iter().filter_map(|name| self.cell(name));
        cells.into_iter().find(|text| !text.is_empty())
    }

    /// Returns the whole number in the first of these columns that has a text.
    pub fn number<T: TryFrom<u64>>(&self, names: &[&str]) -> Option<T> {
        self.value(names).and_then(whole_number)
    }

    /// Returns the time of watching in the first of these columns that has a text.
    pub fn time(&self, names: &[&str]) -> Option<u64> {
        self.value(names).and_then(watched_at)
    }

    /// Returns true if the column with this name has a word for true.
    pub fn is_true(&self, name: &str) -> bool {
        let cell = self.cell(name).map(str::to_ascii_lowercase);
        matches!(
            cell.as_deref(),
            // Spreadsheets translate the word.
            Some("true" | "1" | "yes" | "wahr" | "vrai" | "verdadero")
        )
    }
}

/// Returns the delimiter: the comma, semicolon or tab, whichever is most frequent in the first line outside of
/// quotation marks.
fn guess_delimiter(text: &str) -> char {
    let line = text.split(['\r', '\n']).next().unwrap_or_default();
    let count = |delimiter: char| {
        // Every other part is outside of quotation marks.
        let unquoted = line.split('"').step_by(2);
        unquoted.map(|part| part.matches(delimiter).count()).sum()
    };
    // With equal counts, the last delimiter wins, so the comma is the default.
    let by_count = ['\t', ';', ','].map(|delimiter| (count(delimiter), delimiter));
    let most_frequent: Option<(usize, char)> = by_count.into_iter().max_by_key(|(count, _)| *count);
    most_frequent.map_or(',', |(_, delimiter)| delimiter)
}

/// Returns the text after the line end with which it begins: `\r\n`, `\n` or `\r`.
fn strip_line_end(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n")
        .or_else(|| text.strip_prefix(['\r', '\n']))
}

/// Returns the number of line ends: `\r\n`, `\n` or `\r`.
fn count_line_ends(text: &str) -> usize {
    text.matches(['\r', '\n']).count() - text.matches("\r\n").count()
}

/// The rows of a text that have not been read yet.
#[derive(Clone, Copy)]
struct Rows<'f> {
    rest: &'f str,
    delimiter: char,
    /// The number of the line at which the next row begins, from 1.
    line: usize,
}

impl<'f> Rows<'f> {
    fn next(&mut self) -> ReadResult<Option<Vec<Cow<'f, str>>>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let start = self.rest;
        let mut cells = Vec::new();
        loop {
            cells.push(self.next_cell()?);
            if cells.len() > MAX_CELLS {
                let line = self.line;
                return Err(ListFileError::new(format!(
                    "Line {line} of the CSV has more than 1,000 cells."
                )));
            }
            match self.rest.strip_prefix(self.delimiter) {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        self.rest = strip_line_end(self.rest).unwrap_or(self.rest);
        let row = &start[..start.len() - self.rest.len()];
        self.line += count_line_ends(row);
        Ok(Some(cells))
    }

    /// Returns the next cell. A delimiter or the end of the row must follow it.
    fn next_cell(&mut self) -> ReadResult<Cow<'f, str>> {
        let Some(mut rest) = self.rest.strip_prefix('"') else {
            return Ok(Cow::Borrowed(cut(self.take_unquoted())));
        };
        let mut cell = String::new();
        let mut push = |part: &str| {
            if cell.len() < MAX_LIST_TEXT_BYTES {
                cell.push_str(cut(part));
            }
        };
        loop {
            let Some((part, after)) = rest.split_once('"') else {
                let line = self.line;
                return Err(ListFileError::new(format!(
                    "The CSV has a cell without a closing quotation mark in the row that begins at line {line}."
                )));
            };
            push(part);
            rest = after;
            // Two quotation marks stand for one.
            match rest.strip_prefix('"') {
                Some(after) => rest = after,
                None => break,
            }
            push("\"");
        }
        self.rest = rest;
        push(self.take_unquoted());
        Ok(Cow::Owned(cell))
    }

    fn take_unquoted(&mut self) -> &'f str {
        let end = self.rest.find([self.delimiter, '\r', '\n']);
        let (part, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        part
    }
}
