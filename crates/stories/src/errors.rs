//! The errors that callers get when a condition of a write of this crate failed.

use shared::models::StoryId;
use shared::{Error, Missing};

pub const NO_ANIME: Error = Error::NotFound(Missing::Anime);

pub const NO_STORY: Error = Error::NotFound(Missing::Story);

pub const NO_PLAYER: Error = Error::NotFound(Missing::Player);

/// Returns the error for a `current_episode` that is greater than `count`, the number of the anime's episodes.
pub fn episode_too_high(count: u32) -> Error {
    Error::invalid(
        "current_episode",
        format!("must be at most {count}, the number of the anime's episodes"),
    )
}

/// Returns the error for a second story of a user about the same anime.
pub fn story_exists(id: StoryId) -> Error {
    let reason = format!("has the story {} already; update that story", id.get());
    Error::conflict("anime_id", reason)
}

/// Returns the error for a new choice of a user who has 1,000 of them, the maximum.
pub fn too_many_choices() -> Error {
    Error::conflict(
        "anime_id",
        "cannot be chosen: you have 1,000 choices already; take one back first",
    )
}

/// Returns the error for a new player of a user who already has `most` players, the maximum.
pub fn too_many_players(most: u8) -> Error {
    Error::conflict(
        "name",
        format!("cannot be used: you have {most} players already; remove one first"),
    )
}
