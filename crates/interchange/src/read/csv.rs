//! CSV with a header row (RFC 4180), with any of the usual delimiters.
//!
//! Rows are split here, without a library, for two reasons. A missing quotation mark must be an error, and not
//! silently swallow the rest of the file. And a row with millions of cells must not fill the memory: see
//! [`MAX_CELLS`].

use std::borrow::Cow;

use crate::collector::{EntryCollector, MAX_ENTRIES, ScoreScale, too_many_entries};
use crate::entry::{ListFile, ListFormat, ReadError};
use crate::field::{EntryField, FieldName, FieldTexts, MAX_LIST_TEXT_BYTES, cut};
use crate::formula::restore;

/// The maximum number of rows, empty ones included. It is ten times [`MAX_ENTRIES`], because spreadsheets append
/// many empty rows.
const MAX_ROWS: usize = 10 * MAX_ENTRIES;

/// The maximum number of cells of a row.
const MAX_CELLS: usize = 1000;

const HEADER_ERROR: &str = "The file is no XML, JSON or CSV that can be imported. The first line of CSV must name the \
    columns: status, and anime_id, anilist_id, mal_id or title.";

/// Reads a list.
pub fn read(text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<ListFile, ReadError> {
    let mut rows = Rows {
        rest: text,
        delimiter: guess_delimiter(text),
        line: 1,
    };
    let header = rows.next()?.unwrap_or_default();
    let mut columns: Vec<FieldName> = header.iter().map(|name| FieldName::of(name)).collect();
    let has = |field| columns.contains(&FieldName::Known(field));
    let identities = [
        EntryField::AnimeId,
        EntryField::AniListId,
        EntryField::MalId,
        EntryField::Title,
    ];
    if !has(EntryField::Status) || !identities.into_iter().any(has) {
        return Err(ReadError::new(HEADER_ERROR));
    }
    // Only this service's own export has a column anime_id. Its scores are from 0 to 100.
    let scale = if has(EntryField::AnimeId) {
        ScoreScale::OfFormat(100.0)
    } else {
        ScoreScale::Guessed
    };
    // Services number the statuses differently, so a status must be a word here, not a number.
    let mut collector = EntryCollector::new(&[], is_cancelled);
    let mut count = 0;
    loop {
        let line = rows.line;
        let Some(row) = rows.next()? else {
            break;
        };
        collector.check_cancelled()?;
        count += 1;
        if count > MAX_ROWS {
            return Err(too_many_entries());
        }
        if row.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if row.len() > columns.len() {
            let (cells, columns) = (row.len(), columns.len());
            collector.skip(format!(
                "line {line} has {cells} cells, but the header has {columns}"
            ))?;
            continue;
        }
        let mut texts = FieldTexts::default();
        for ((cell, column), name) in row.iter().zip(&mut columns).zip(&header) {
            match column {
                FieldName::Known(field) => texts.set(*field, restore(cell)),
                FieldName::Unknown if !cell.trim().is_empty() => {
                    collector.add_unknown_field(name);
                    // The name is added only once, not for each of the column's cells.
                    *column = FieldName::Ignored;
                }
                _ => {}
            }
        }
        collector.add(&texts)?;
    }
    collector.finish(ListFormat::Csv, scale)
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
    // The last of equal counts wins, so the comma is the default.
    let by_count = ['\t', ';', ','].map(|delimiter| (count(delimiter), delimiter));
    let most_frequent: Option<(usize, char)> = by_count.into_iter().max_by_key(|(count, _)| *count);
    most_frequent.map_or(',', |(_, delimiter)| delimiter)
}

/// Returns the number of line ends: `\r\n`, `\n` or `\r`.
fn count_line_ends(text: &str) -> usize {
    text.matches(['\r', '\n']).count() - text.matches("\r\n").count()
}

/// The rows of a text that have not been read yet.
struct Rows<'f> {
    rest: &'f str,
    delimiter: char,
    /// The number of the line at which the next row begins, from 1.
    line: usize,
}

impl<'f> Rows<'f> {
    /// Returns the cells of the next row.
    fn next(&mut self) -> Result<Option<Vec<Cow<'f, str>>>, ReadError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let start = self.rest;
        let mut cells = Vec::new();
        loop {
            cells.push(self.next_cell()?);
            if cells.len() > MAX_CELLS {
                let line = self.line;
                return Err(ReadError::new(format!(
                    "Line {line} of the CSV has more than 1,000 cells."
                )));
            }
            match self.rest.strip_prefix(self.delimiter) {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        let line_ends = ["\r\n", "\n", "\r"];
        let mut rest = line_ends
            .iter()
            .filter_map(|end| self.rest.strip_prefix(end));
        self.rest = rest.next().unwrap_or(self.rest);
        let row = &start[..start.len() - self.rest.len()];
        self.line += count_line_ends(row);
        Ok(Some(cells))
    }

    /// Returns the next cell, after which a delimiter or the end of the row follows.
    fn next_cell(&mut self) -> Result<Cow<'f, str>, ReadError> {
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
                return Err(ReadError::new(format!(
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
