//! Entity tags of stories, and the header `If-Match` (docs/api.md, "If-Match").

use axum::http::{HeaderMap, header};
use shared::models::StoryState;
use shared::{Error, Result};

const MAX_TAGS: usize = 20;

/// Returns the entity tag of a story (RFC 9110, section 8.8.3). It depends only on the state of the story, so it stays
/// the same if a synchronization with a tracker changes nothing.
pub(crate) fn entity_tag(state: &StoryState) -> String {
    format!("\"{}\"", state.tag())
}

/// Reads the tags of states that `If-Match` lists: `None` without the header, and an empty list for `*`.
///
/// Fails with [`Error::Changed`] if no tag of the list can be the tag of a story. Such a list matches no state.
pub(crate) fn read_if_match(headers: &HeaderMap) -> Result<Option<Vec<String>>> {
    let mut values = headers.get_all(header::IF_MATCH).iter().peekable();
    if values.peek().is_none() {
        return Ok(None);
    }
    let texts = values.filter_map(|value| value.to_str().ok());
    read_tags("If-Match", texts).map(Some)
}

/// Reads the tags of states from a list of entity tags, which is the header `If-Match` or a field of a body.
/// Returns an empty list for `*`. `name` is the name of the header or field. Fails as [`read_if_match`] does.
pub(crate) fn read_tags<'t>(
    name: &'static str,
    texts: impl IntoIterator<Item = &'t str>,
) -> Result<Vec<String>> {
    let tags: Vec<&str> = texts
        .into_iter()
        .flat_map(|text| text.split(','))
        .map(str::trim)
        .collect();
    if tags.contains(&"*") {
        return Ok(Vec::new());
    }
    if tags.len() > MAX_TAGS {
        let reason = format!("must list at most {MAX_TAGS} tags");
        return Err(Error::invalid(name, reason));
    }
    // Tags in another form match no story, so they can be dropped.
    let tags: Vec<String> = tags.into_iter().filter_map(read_tag).collect();
    if tags.is_empty() {
        return Err(Error::Changed);
    }
    Ok(tags)
}

/// Returns the tag of a state in an entity tag. Returns `None` for a text that is not in quotation marks, or that does
/// not begin with three numbers, each followed by a hyphen, as the tags of [`entity_tag`] do.
fn read_tag(tag: &str) -> Option<String> {
    let tag = tag.strip_prefix('"')?.strip_suffix('"')?;
    let mut parts = tag.splitn(4, '-');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let has_numbers = parts
        .by_ref()
        .take(3)
        .filter(|part| is_number(part))
        .count()
        == 3;
    has_numbers.then(|| tag.to_owned())
}
