//! Conditions on rows of the table [`super::user_story`].

use dynamo::{Condition, number};

/// Returns the condition that a story does not exist.
pub fn story_is_absent() -> Condition {
    Condition::new("attribute_not_exists(user_id) OR attribute_exists(deleted_at)")
}

/// Returns the condition that a story exists.
pub fn story_is_present() -> Condition {
    Condition::new("attribute_exists(user_id) AND attribute_not_exists(deleted_at)")
}

/// Returns the condition that a story exists and has this version and change number. A story that was deleted and
/// created again can have the same version as before, but never the same number.
pub fn is_unchanged(version: u64, change_number: u64) -> Condition {
    let attributes = [
        ("version", "seen", version),
        ("change_number", "seen_number", change_number),
    ];
    let same = attributes.map(|(name, placeholder, value)| {
        // Rows of earlier versions of the service do not have these attributes.
        let is_absent = match value {
            0 => format!("attribute_not_exists(#{name}) OR "),
            _ => String::new(),
        };
        let same = Condition::new(&format!("{is_absent}#{name} = :{placeholder}"));
        same.name(name).value(placeholder, number(value))
    });
    same.into_iter().fold(story_is_present(), Condition::and)
}
