//! Entity tags of stories, and the header `If-Match` (docs/api.md, "If-Match").

use axum::http::{HeaderMap, header};
use shared::Error;
use shared::models::{UserStory, WatchStatus, WireEnum};
use store::Change;

/// Maximum number of tags in `If-Match`. Each tag becomes part of one condition expression, whose size
/// DynamoDB limits.
const MAX_TAGS: usize = 20;

/// Returns the state of a story, which is every field that can change.
pub(crate) fn state_of(story: &UserStory) -> Change {
    Change {
        status: story.status,
        current_episode: story.current_episode,
        current_episode_ticks: story.current_episode_ticks,
    }
}

/// Returns the entity tag of a story. The tag spells out every field that can change, so that `If-Match`
/// becomes a condition on the row itself and needs no stored version (RFC 9110, section 13.1.1).
pub(crate) fn entity_tag(state: Change) -> String {
    let status = u8::from(state.status);
    let (episode, ticks) = (state.current_episode, state.current_episode_ticks);
    format!("\"{status}-{episode}-{ticks}\"")
}

/// Reads the states that `If-Match` lists: `None` without the header, and an empty list for `*`.
///
/// A list without any tag that a story can have fails with [`Error::Changed`]: it matches no state.
pub(crate) fn read_if_match(headers: &HeaderMap) -> Result<Option<Vec<Change>>, Error> {
    let mut values = headers.get_all(header::IF_MATCH).iter().peekable();
    if values.peek().is_none() {
        return Ok(None);
    }
    let texts = values.filter_map(|value| value.to_str().ok());
    read_tags("If-Match", texts).map(Some)
}

/// Reads the states that entity tags list, from the header `If-Match` or a field of a body: an empty list for `*`.
/// `name` is the name of the header or field. Fails as [`read_if_match`].
pub(crate) fn read_tags<'t>(
    name: &'static str,
    texts: impl IntoIterator<Item = &'t str>,
) -> Result<Vec<Change>, Error> {
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
    // Tags in another form match no state of any story, so they can be dropped.
    let states: Vec<Change> = tags.into_iter().filter_map(read_tag).collect();
    if states.is_empty() {
        return Err(Error::Changed);
    }
    Ok(states)
}

/// Parses an entity tag. Returns `None` for a tag that [`entity_tag`] does not produce.
fn read_tag(tag: &str) -> Option<Change> {
    let mut parts = tag.strip_prefix('"')?.strip_suffix('"')?.split('-');
    let status = WatchStatus::from_wire(parts.next()?.parse().ok()?)?;
    let state = Change {
        status,
        current_episode: parts.next()?.parse().ok()?,
        current_episode_ticks: parts.next()?.parse().ok()?,
    };
    // Strong comparison: `"00-1-0"` parses to a state, but is not its tag.
    (entity_tag(state) == tag).then_some(state)
}
