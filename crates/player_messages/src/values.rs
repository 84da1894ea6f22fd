//! Values of fields, read in the same way for all senders.

use serde_json::Value;
use shared::input::{BodyField, MAX_SAFE_INTEGER};
use shared::models::{IdSource, parse_imdb};

/// The maximum length of a title, a file name and a user name, in characters.
pub const MAX_CHARACTERS: usize = 1000;

/// Returns a text without spaces at both ends; `None` if nothing is left, if it has more than [`MAX_CHARACTERS`], or if
/// it has a NUL.
pub fn check_text(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_valid = !text.is_empty() && !text.contains('\0');
    (is_valid && text.chars().nth(MAX_CHARACTERS).is_none()).then_some(text)
}

/// The number of folders in front of the name of a file that are kept: that of the season and that of the series.
const FOLDERS: usize = 2;

/// Returns the name of a file with its innermost two folders from its path or address, under the conditions of
/// [`check_text`]. Returns the name alone if it is too long with the folders.
pub fn check_file(path: &str) -> Option<&str> {
    // The address of a stream can have a password before its host, and a token in its query string.
    let path = match path.split_once("://") {
        Some((_, address)) => {
            let (address, _) = address.split_once('?').unwrap_or((address, ""));
            address.split_once('/').map_or(address, |(_, path)| path)
        }
        None => path,
    };
    let separators = ['/', '\\'];
    let name = check_text(path.rsplit(separators).next()?)?;
    let folder = path.rmatch_indices(separators).nth(FOLDERS);
    let start = folder.map_or(0, |(at, _)| at + 1);
    let with_folders = path[start..].trim_start_matches(separators);
    check_text(with_folders).or(Some(name))
}

/// Returns a text that satisfies [`check_text`]; `None` for any other value.
pub fn text_of(value: &Value) -> Option<String> {
    value.as_str().and_then(check_text).map(ToOwned::to_owned)
}

/// Returns a whole number from 0 to 2^53 - 1, also from a string of digits; `None` for any other value.
pub fn whole_number(value: &Value) -> Option<u64> {
    match value.as_str().map(str::trim) {
        Some(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text
            .parse()
            .ok()
            .filter(|number| *number <= MAX_SAFE_INTEGER),
        Some(_) => None,
        None => u64::parse(value).ok(),
    }
}

/// Returns a whole number from 0 to `max`, or `None` if the field is absent or empty.
///
/// # Errors
/// If it has any other value.
pub fn optional_number<T: TryFrom<u64>>(value: &Value, max: u64) -> Result<Option<T>, ()> {
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    let number = whole_number(value).filter(|number| *number <= max);
    let number = number.and_then(|number| T::try_from(number).ok());
    number.map(Some).ok_or(())
}

/// Returns true for `true`, 1 and their texts. Templates of Jellyfin write `True`.
pub fn is_true(value: &Value) -> bool {
    let is_true_text = |text: &str| text.eq_ignore_ascii_case("true") || text == "1";
    *value == true || *value == 1 || value.as_str().is_some_and(is_true_text)
}

/// Returns the source that senders call by this name. Case does not matter.
pub fn source_of(name: &str) -> Option<IdSource> {
    match name.to_ascii_lowercase().as_str() {
        "anidb" => Some(IdSource::Anidb),
        "anilist" => Some(IdSource::TrackerA),
        "mal" | "myanimelist" => Some(IdSource::TrackerB),
        "themoviedb" | "tmdb" => Some(IdSource::Database),
        "imdb" => Some(IdSource::Imdb),
        "kitsu" => Some(IdSource::Kitsu),
        "thetvdb" | "tvdb" => Some(IdSource::Tvdb),
        _ => None,
    }
}

/// Returns an identifier at a source: `tt` and digits at `IMDb`, a number above 0 at all others.
pub fn parse_id(source: IdSource, value: &Value) -> Option<u32> {
    let id = match source {
        IdSource::Imdb => value.as_str().and_then(parse_imdb),
        _ => whole_number(value).and_then(|id| u32::try_from(id).ok()),
    };
    id.filter(|id| *id > 0)
}
