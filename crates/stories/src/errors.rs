//! The errors that callers get when a condition of a write of this crate failed.

use shared::models::StoryId;
use shared::{Error, Missing, grouped};

/// The error for an anime that does not exist.
pub const NO_ANIME: Error = Error::NotFound(Missing::Anime);
/// The error for a story that does not exist.
pub const NO_STORY: Error = Error::NotFound(Missing::Story);
/// The error for a player that does not exist.
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

/// Returns the error for a new choice of a user who already has `most` choices, the maximum.
pub fn too_many_choices(most: usize) -> Error {
    let most = grouped(most as u64);
    Error::conflict(
        "anime_id",
        format!("cannot be chosen: you have {most} choices already; take one back first"),
    )
}

/// Returns the error for a new player of a user who already has `most` players, the maximum.
pub fn too_many_players(most: u8) -> Error {
    Error::conflict(
        "name",
        format!("cannot be used: you have {most} players already; remove one first"),
    )
}
