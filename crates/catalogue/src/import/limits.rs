//! Length limits for the texts of an entry, and the reasons that several sources use for skipping an entry.

/// The maximum length of a text in a field, in bytes. Together with [`MAX_SYNONYM_BYTES`] and the limits of a title
/// dump, it keeps a row below 400 KB, the limit of DynamoDB.
pub const MAX_FIELD_BYTES: usize = 10_000;

/// The maximum length of the titles and synonyms from one source that a row keeps for the search, in bytes. Further
/// texts are left out.
pub const MAX_SYNONYM_BYTES: usize = 20_000;

/// The reason for skipping an anime without any title.
pub const NO_TITLE: &str = "it has no title";

/// The reason for skipping an anime whose format the API does not have (docs/api.md, "Enumerations").
pub const OTHER_FORMAT: &str = "its format has no counterpart in the API";

/// The reason for skipping an anime or a song whose type the API does not have.
pub const OTHER_TYPE: &str = "its type has no counterpart in the API";

/// The reason for skipping an anime whose identifier at a tracker is outside the range from which identifiers in the
/// catalogue are made.
pub const TRACKER_ID_RANGE: &str = "a tracker id is not between 1 and 16,777,215";

/// The reason for skipping a new anime whose identifier in the catalogue is already in use.
pub const ID_TAKEN: &str = "the id it would get belongs to another anime";

/// The reason for skipping an anime whose identifiers at the trackers belong to two anime of the catalogue.
pub const TWO_ANIME: &str = "its tracker ids belong to two anime";

/// The reason for skipping an entry about the same anime as an earlier entry.
pub const DUPLICATE: &str = "an earlier entry is for the same anime";

/// The reason for skipping an entry with a text longer than [`MAX_FIELD_BYTES`].
pub const TEXT_TOO_LONG: &str = "it has a text longer than 10,000 bytes";

/// The reason for skipping an entry that is longer than [`MAX_ENTRY_BYTES`](super::entries::MAX_ENTRY_BYTES).
pub const ENTRY_TOO_LONG: &str = "it is longer than 1 MB";

/// Checks that no text is too long.
///
/// # Errors
/// [`TEXT_TOO_LONG`] if a text is longer than [`MAX_FIELD_BYTES`].
pub fn check_lengths<'t>(mut texts: impl Iterator<Item = &'t String>) -> Result<(), &'static str> {
    if texts.any(|text| text.len() > MAX_FIELD_BYTES) {
        return Err(TEXT_TOO_LONG);
    }
    Ok(())
}
