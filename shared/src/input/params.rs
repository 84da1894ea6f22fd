//! Parsing of query strings into typed values. All errors are collected by parameter, so that the caller can
//! correct them at once. Unknown parameters are ignored.

use std::ops::RangeInclusive;

use percent_encoding::percent_decode_str;

use crate::{Error, FieldErrors, Result};

/// The largest integer up to which JavaScript, the language of many clients, represents all integers exactly: 2^53 - 1.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The maximum length of a text pattern, in characters. Titles are usually shorter, and the pattern fits API Gateway's
/// limit on the length of a URL.
pub const MAX_PATTERN: usize = 500;

/// The maximum number of identifiers in a parameter. It equals the maximum number of documents on a page.
pub const MAX_IDS: usize = 100;

/// The parameters of a request, and the errors found in them so far.
#[derive(Debug, Default)]
pub struct Params {
    pairs: Vec<(String, Result<String, &'static str>)>,
    errors: FieldErrors,
    /// The names and values of the filters that have been read so far, as one text. Cursors are bound to this text.
    pub filters: String,
}

impl Params {
    /// Splits and decodes a query string. A value that cannot be decoded becomes an error only when its parameter is
    /// read, because unknown parameters are ignored. A parameter whose name cannot be decoded counts as unknown.
    ///
    /// Many clients write the name of a list with brackets, as `formats[]` or `formats[0]`. The brackets are dropped,
    /// because otherwise the parameter would be ignored as an unknown one.
    pub fn parse(query: &str) -> Self {
        let pairs = split_pairs(query);
        Self {
            pairs: pairs
                .map(|(name, value)| (without_brackets(name), value))
                .collect(),
            ..Self::default()
        }
    }

    /// Returns a query string without the parameters with these names; `None` if it has none of them.
    pub fn without(query: &str, names: &[&str]) -> Option<String> {
        let is_kept = |pair: &&str| {
            let name = pair.split_once('=').map_or(*pair, |(name, _)| name);
            let name = without_brackets(decode(name).unwrap_or_default());
            !names.contains(&name.as_str())
        };
        let all = query.split('&').count();
        let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
        (kept.len() < all).then(|| kept.join("&"))
    }

    /// Reads a whole number that is not a filter, such as `per_page`.
    pub fn setting(&mut self, name: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let value = self.read_single(name)?;
        self.accept(name, parse_number(&value, &range))
    }

    /// Reads a text that is not a filter, such as `cursor`.
    pub fn token(&mut self, name: &'static str) -> Option<String> {
        self.read_single(name)
    }

    /// Adds an error. Only the first error of each parameter is kept.
    pub fn fail(&mut self, name: &'static str, reason: impl Into<String>) {
        self.errors.entry(name).or_insert_with(|| reason.into());
    }

    /// Finishes parsing and returns the same text as [`Params::filters`].
    ///
    /// # Errors
    /// [`Error::Invalid`] with all errors that were found.
    pub fn finish(self) -> Result<String> {
        if self.errors.is_empty() {
            Ok(self.filters)
        } else {
            Err(Error::Invalid(self.errors))
        }
    }

    /// Returns the whole value of a parameter, commas included, and records it for [`Params::filters`] if it is a
    /// filter.
    pub(super) fn value(&mut self, name: &'static str, is_filter: bool) -> Option<String> {
        let value = self.read_single(name)?;
        if is_filter {
            self.record_filter(name, &value);
        }
        Some(value)
    }

    /// Returns the values of a parameter, and records them for [`Params::filters`] if they are a filter. Values can
    /// be separated by commas, and the parameter can be repeated.
    pub(super) fn values(&mut self, name: &'static str, is_filter: bool) -> Vec<String> {
        let mut values = Vec::new();
        for value in self.raw_values(name) {
            match value {
                Ok(value) => values.extend(value.split(',').map(str::to_owned)),
                Err(reason) => self.fail(name, reason),
            }
        }
        if is_filter && !values.is_empty() {
            self.record_filter(name, &values.join(","));
        }
        values
    }

    /// Returns a parsed value, or adds the reason why it is invalid.
    pub(super) fn accept<T>(&mut self, name: &'static str, parsed: Result<T, String>) -> Option<T> {
        parsed.map_err(|reason| self.fail(name, reason)).ok()
    }

    /// Records a filter for [`Params::filters`]. A value with `=` and line breaks can lead to the same text as other
    /// filters. That is harmless, because even a forged cursor returns only rows that the caller may read.
    fn record_filter(&mut self, name: &str, value: &str) {
        self.filters.push_str(name);
        self.filters.push('=');
        self.filters.push_str(value);
        self.filters.push('\n');
    }

    fn read_single(&mut self, name: &'static str) -> Option<String> {
        let mut values = self.raw_values(name);
        if values.len() > 1 {
            self.fail(name, "must be given only once");
        }
        match values.pop()? {
            Ok(value) => Some(value),
            Err(reason) => {
                self.fail(name, reason);
                None
            }
        }
    }

    fn raw_values(&self, name: &str) -> Vec<Result<String, &'static str>> {
        self.pairs
            .iter()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
            .collect()
    }
}

/// Splits and decodes a query string or a form.
fn split_pairs(text: &str) -> impl Iterator<Item = (String, Result<String, &'static str>)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name).unwrap_or_default(), decode(value))
    })
}

/// Returns the names and values of a form, in order. Values that cannot be decoded are left out.
pub(super) fn parse_form(form: &str) -> Vec<(String, String)> {
    let decoded = |(name, value): (String, Result<String, _>)| Some((name, value.ok()?));
    split_pairs(form).filter_map(decoded).collect()
}

/// Returns the name of a parameter without `[]` or a number in brackets at its end.
fn without_brackets(mut name: String) -> String {
    let parts = name
        .strip_suffix(']')
        .and_then(|start| start.rsplit_once('['));
    if let Some((plain, position)) = parts
        && position.bytes().all(|byte| byte.is_ascii_digit())
    {
        name.truncate(plain.len());
    }
    name
}

/// Returns the reason why a value is invalid that is not a whole number in this range.
pub(super) fn out_of_range(range: &RangeInclusive<u64>) -> String {
    let (from, to) = (range.start(), range.end());
    format!("must be a whole number from {from} to {to}")
}

/// Parses a number in a path and checks its range.
///
/// # Errors
/// [`Error::Invalid`], which names the parameter and the range.
pub fn path_number(name: &'static str, value: &str, range: RangeInclusive<u64>) -> Result<u64> {
    parse_number(value, &range).map_err(|reason| Error::invalid(name, reason))
}

/// Parses a number and checks its range.
pub(super) fn parse_number(value: &str, range: &RangeInclusive<u64>) -> Result<u64, String> {
    parse_digits(value)
        .filter(|number| range.contains(number))
        .ok_or_else(|| out_of_range(range))
}

/// Parses a number that consists of digits only. `str::parse` would also accept a sign.
pub(super) fn parse_digits(value: &str) -> Option<u64> {
    let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits { value.parse().ok() } else { None }
}

/// Decodes one name or value, with `+` as a space (WHATWG URL, "application/x-www-form-urlencoded"). Invalid
/// input is an error, because a replacement character in its place would search for another text.
fn decode(value: &str) -> Result<String, &'static str> {
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('%') {
        let escape = after.as_bytes().get(..2).unwrap_or_default();
        if escape.len() < 2 || !escape.iter().all(u8::is_ascii_hexdigit) {
            return Err("must have two hexadecimal digits after each %");
        }
        rest = after;
    }
    let spaced = value.replace('+', " ");
    percent_decode_str(&spaced)
        .decode_utf8()
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| "must be valid UTF-8 after percent-decoding")
}
