//! Identifiers of resources (docs/api.md, "Identifiers"). The identifiers of anime, songs and stories are
//! computed, so they need no counter, and importing the same source again leads to the same identifiers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The largest identifier at a tracker from which an [`AnimeId`] can be computed.
pub const MAX_TRACKER_ID: u32 = (1 << 24) - 1;

/// Number of bits of an [`AnimeId`].
pub const ANIME_ID_BITS: u32 = 25;

/// Number of bits of a [`UserId`]. Together with the bits of an [`AnimeId`] they are the 53 bits of a [`StoryId`].
const USER_ID_BITS: u32 = 28;

/// Number of bits that distinguish the songs of one anime.
const SONG_SLOT_BITS: u32 = 10;

/// Number of bits of a [`SongId`].
pub const SONG_ID_BITS: u32 = ANIME_ID_BITS + SONG_SLOT_BITS;

/// Converts an identifier to its number and back. `invalid` is the reason for refusing a number.
macro_rules! convert_to_number {
    ($id:ident, $invalid:literal) => {
        impl From<$id> for u64 {
            fn from(id: $id) -> Self {
                id.get()
            }
        }

        impl TryFrom<u64> for $id {
            type Error = &'static str;

            fn try_from(number: u64) -> Result<Self, Self::Error> {
                Self::new(number).ok_or($invalid)
            }
        }
    };
}

convert_to_number!(AnimeId, "an anime's id must be between 1 and 33554431");
convert_to_number!(SongId, "a song's id must be between 1024 and 34359738367");
convert_to_number!(UserId, "a user's id must be between 1 and 268435455");

/// Identifier of an anime, from 1 to 2^25 - 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "u64", into = "u64")]
#[schema(value_type = u64, minimum = 1, maximum = 33_554_431, example = 2)]
pub struct AnimeId(u32);

impl AnimeId {
    /// The largest identifier, as a number.
    pub const MAX: u64 = (1 << ANIME_ID_BITS) - 1;

    /// Returns the identifier with this number if the number is valid.
    pub fn new(number: u64) -> Option<Self> {
        let is_valid = (1..=Self::MAX).contains(&number);
        u32::try_from(number).ok().filter(|_| is_valid).map(Self)
    }

    /// Returns the identifier for an anime that is new to the catalogue: twice its identifier at tracker A. If it
    /// has no identifier there, returns twice its identifier at tracker B, plus 1. Imports that run at the same time
    /// on different machines therefore assign the same identifier without coordination.
    ///
    /// Returns `None` if neither tracker has an identifier for the anime, or if the tracker's identifier that is
    /// used is 0 or above [`MAX_TRACKER_ID`].
    pub fn from_tracker_ids(at_tracker_a: Option<u32>, at_tracker_b: Option<u32>) -> Option<Self> {
        let (tracker_id, lowest_bit) = match (at_tracker_a, at_tracker_b) {
            (Some(id), _) => (id, 0),
            (None, Some(id)) => (id, 1),
            (None, None) => return None,
        };
        let fits = (1..=MAX_TRACKER_ID).contains(&tracker_id);
        fits.then_some(Self(tracker_id * 2 + lowest_bit))
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        u64::from(self.0)
    }
}

/// Identifier of a song, from 2^10 to 2^35 - 1. It is composed of the anime's identifier and the song's slot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "u64", into = "u64")]
#[schema(value_type = u64, minimum = 1024, maximum = 34_359_738_367_u64, example = 2048)]
pub struct SongId(u64);

impl SongId {
    /// The maximum number of songs of an anime.
    pub const PER_ANIME: u16 = 1 << SONG_SLOT_BITS;

    /// Returns the identifier with this number if the number is valid.
    pub fn new(number: u64) -> Option<Self> {
        let fits = number < 1 << SONG_ID_BITS;
        (fits && AnimeId::new(number >> SONG_SLOT_BITS).is_some()).then_some(Self(number))
    }

    /// Returns the identifier of the song in a slot of an anime. Slots count from 0; returns `None` from slot
    /// [`Self::PER_ANIME`] on.
    pub fn of_anime(anime: AnimeId, slot: u16) -> Option<Self> {
        (slot < Self::PER_ANIME).then(|| Self(anime.get() << SONG_SLOT_BITS | u64::from(slot)))
    }

    /// Returns the anime that the song belongs to; `None` only for an identifier that is not valid.
    pub fn anime(self) -> Option<AnimeId> {
        AnimeId::new(self.0 >> SONG_SLOT_BITS)
    }

    /// Returns the slot of the song among its anime's songs, from 0.
    #[expect(clippy::cast_possible_truncation, reason = "ten bits are left")]
    pub fn slot(self) -> u16 {
        (self.0 & u64::from(Self::PER_ANIME - 1)) as u16
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }
}

/// Identifier of a user, from 1 to 2^28 - 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "u64", into = "u64")]
#[schema(value_type = u64, minimum = 1, maximum = 268_435_455, example = 1)]
pub struct UserId(u32);

impl UserId {
    /// The largest identifier, as a number.
    pub const MAX: u64 = (1 << USER_ID_BITS) - 1;

    /// The largest identifier. It is not expected to belong to a user. Code that must read a row even for an unknown
    /// user reads the row of this identifier.
    pub const LAST: Self = Self((1 << USER_ID_BITS) - 1);

    /// Returns the identifier with this number if the number is valid.
    pub fn new(number: u64) -> Option<Self> {
        let fits = (1..=Self::MAX).contains(&number);
        u32::try_from(number).ok().filter(|_| fits).map(Self)
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        u64::from(self.0)
    }
}

/// Identifier of a story: the user's and the anime's identifiers in one number of at most 53 bits, which
/// JavaScript represents exactly.
///
/// ```
/// use shared::models::{AnimeId, StoryId, UserId};
/// let (user, anime) = (UserId::new(3).unwrap(), AnimeId::new(2).unwrap());
/// let id = StoryId::of(user, anime);
/// assert_eq!(id.get(), 3 * (1 << 25) + 2);
/// assert_eq!((id.user(), id.anime()), (user, anime));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(into = "u64")]
#[schema(
    description = "Identifier of a story: `user_id` times 2^25, plus `anime_id`.",
    value_type = u64,
    minimum = 33_554_433,
    maximum = 9_007_199_254_740_991_u64,
    example = 33_554_434
)]
pub struct StoryId(u64);

impl StoryId {
    /// Returns the identifier of the story of a user and an anime.
    pub fn of(user: UserId, anime: AnimeId) -> Self {
        Self((user.get() << ANIME_ID_BITS) | anime.get())
    }

    /// Returns the identifier with this number if the number is valid.
    pub fn new(number: u64) -> Option<Self> {
        UserId::new(number >> ANIME_ID_BITS)?;
        AnimeId::new(number & AnimeId::MAX)?;
        Some(Self(number))
    }

    /// Returns the story's user.
    #[expect(clippy::cast_possible_truncation, reason = "28 bits are left")]
    pub fn user(self) -> UserId {
        UserId((self.0 >> ANIME_ID_BITS) as u32)
    }

    /// Returns the story's anime.
    pub fn anime(self) -> AnimeId {
        AnimeId((self.0 & AnimeId::MAX) as u32)
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl From<StoryId> for u64 {
    fn from(id: StoryId) -> Self {
        id.get()
    }
}
