//! Numbers of the fields of an entry: identifiers, years and counts.

use shared::models::{IdKind, IdSource, StatedId, parse_imdb};

/// Returns a whole number. Decimals that are 0, as spreadsheets write them, are allowed: `24.0` and `24,0`.
pub fn whole_number<T: TryFrom<u64>>(text: &str) -> Option<T> {
    let text = text.trim();
    let whole = text
        .split_once(['.', ','])
        .map_or(text, |(whole, decimals)| {
            let is_zero = !decimals.is_empty() && decimals.bytes().all(|byte| byte == b'0');
            if is_zero { whole } else { text }
        });
    T::try_from(whole.parse::<u64>().ok()?).ok()
}

/// Returns an identifier at another service from its text, which for `IMDb` is `tt` and digits. `None` if it is not a
/// number, or is 0, which stands for no identifier in many files.
pub fn stated_id(source: IdSource, kind: IdKind, text: &str) -> Option<StatedId> {
    let text = text.trim();
    let id = match source {
        IdSource::Imdb => parse_imdb(text)?,
        _ => whole_number(text)?,
    };
    (id > 0).then_some(StatedId { source, kind, id })
}

/// The years in which an anime can have been released.
pub const YEARS: std::ops::Range<u16> = 1900..2200;

/// Returns a year from 1900 to 2199 at the beginning of a text such as `2016` or `2016-08-26`.
pub fn parse_year(text: &str) -> Option<u16> {
    let text = text.trim();
    let end = text.find(|character: char| !character.is_ascii_digit());
    let (year, rest) = text.split_at(end.unwrap_or(text.len()));
    let is_whole = rest.is_empty() || rest.starts_with(['-', '/', '.', ' ', 'T']);
    let year = year.parse().ok().filter(|_| is_whole && year.len() == 4)?;
    YEARS.contains(&year).then_some(year)
}
