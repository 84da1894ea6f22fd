//! Readers of the messages in which media servers and players report what was watched (docs/players.md), of their
//! responses about what was watched before, and of the names of video files.
//!
//! [`read`] recognizes the sender by the message. This crate has no code for HTTP, DynamoDB or the catalogue. Its
//! caller finds the anime of a [`Video`], and checks the episode and the time.

mod events;
pub mod file_name;
mod kiroku;
mod kodi;
mod message;
mod multipart;
mod read;
mod servers;
mod tags;
mod values;
pub mod watched;

pub use kiroku::{KirokuMessage, MAX_EPISODE, MAX_SEASON};
pub use message::{
    Event, Message, MessageError, OtherKind, Sender, SourceId, Subject, Video, WholeItem,
};
pub use read::{MAX_BYTES, MAX_MESSAGES, read};
pub use values::MAX_CHARACTERS;

/// The template that users paste into Jellyfin's official plugin Webhook. It works without helpers of Handlebars.
pub const JELLYFIN_TEMPLATE: &str = include_str!("../templates/jellyfin.handlebars");

/// The JSON that users paste into a webhook of Tautulli, for every trigger.
pub const TAUTULLI_TEMPLATE: &str = include_str!("../templates/tautulli.json");
