//! Bringing a catalogue up to what a source says: what the importer of files and the refresh share.
//!
//! A source speaks of some fields of a document and is silent about the others ([`AnimeFacts`],
//! [`SongFacts`]). What it says is merged into the row that is there, or becomes a new one ([`Plan`]),
//! and silence wipes nothing. An identifier stays with the anime that it was once given for
//! ([`AnimeIds`]), because people's stories refer to it. What cannot be represented is skipped and
//! counted, never guessed ([`Report`]).

mod anime;
mod digests;
mod ids;
mod report;
mod songs;
mod write;

pub use anime::{AnimeFacts, FIELDS as ANIME_FIELDS};
pub use digests::{Digests, digest, says_the_same};
pub use ids::AnimeIds;
pub use report::{Report, Skip, grouped};
pub use songs::{FIELDS as SONG_FIELDS, SongFacts, given};
pub use write::{Facts, Plan, Writer};

/// The longest text that becomes a field, in bytes: a document with all of them is far below the
/// 400 KB that an item of DynamoDB can have.
pub const MAX_TEXT: usize = 10_000;

/// The reason for an entry with a text beyond [`MAX_TEXT`].
pub const TEXT_TOO_LONG: &str = "it has a text longer than 10,000 bytes";

/// Whether all these texts can become fields.
///
/// # Errors
/// [`TEXT_TOO_LONG`] when one cannot.
pub fn check_lengths<'t>(mut texts: impl Iterator<Item = &'t String>) -> Result<(), &'static str> {
    if texts.any(|text| text.len() > MAX_TEXT) {
        return Err(TEXT_TOO_LONG);
    }
    Ok(())
}
