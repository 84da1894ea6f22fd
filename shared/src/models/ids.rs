//! Identifiers. They are arithmetic, so that no counter has to be asked and an identifier never
//! changes for the same source.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The largest identifier of a tracker that an [`AnimeId`] can be made of.
pub const MAX_TRACKER_ID: u32 = (1 << 24) - 1;

/// Bits of an [`AnimeId`]: design.md, "Data", keeps anime below 2^25.
pub const ANIME_ID_BITS: u32 = 25;

/// Bits of a [`UserId`]: with an anime's, 53 of them make a [`StoryId`].
const USER_ID_BITS: u32 = 28;

/// Bits that tell the songs of one anime apart.
const SONG_SLOT_BITS: u32 = 10;

/// Bits of a [`SongId`].
pub const SONG_ID_BITS: u32 = ANIME_ID_BITS + SONG_SLOT_BITS;

/// Identifier of an anime, from 1 to 2^25 - 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "u64", into = "u64")]
#[schema(value_type = u64, minimum = 1, example = 2)]
pub struct AnimeId(u32);

impl AnimeId {
    /// The largest number of one.
    pub const MAX: u64 = (1 << ANIME_ID_BITS) - 1;

    /// An identifier, if the number can be one.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        let fits = (1..=Self::MAX).contains(&number);
        u32::try_from(number).ok().filter(|_| fits).map(Self)
    }

    /// The identifier that an anime gets when it is first seen: twice its number at tracker A, or,
    /// where that one does not know it, twice its number at tracker B and one. Any number of
    /// importers on any number of machines so agree without asking each other.
    ///
    /// `None` without a tracker, or with a number beyond [`MAX_TRACKER_ID`].
    #[must_use]
    pub fn first_seen(at_tracker_a: Option<u32>, at_tracker_b: Option<u32>) -> Option<Self> {
        let (tracker_id, odd) = match (at_tracker_a, at_tracker_b) {
            (Some(id), _) => (id, 0),
            (None, Some(id)) => (id, 1),
            (None, None) => return None,
        };
        let fits = (1..=MAX_TRACKER_ID).contains(&tracker_id);
        fits.then_some(Self(tracker_id * 2 + odd))
    }

    /// The number itself.
    #[must_use]
    pub fn get(self) -> u64 {
        u64::from(self.0)
    }
}

impl From<AnimeId> for u64 {
    fn from(id: AnimeId) -> Self {
        id.get()
    }
}

impl TryFrom<u64> for AnimeId {
    type Error = &'static str;

    fn try_from(number: u64) -> Result<Self, Self::Error> {
        Self::new(number).ok_or("an anime's id is from 1 to 33554431")
    }
}

/// Identifier of a song: its anime's, and its place among the anime's songs. Below 2^35.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "u64", into = "u64")]
#[schema(value_type = u64, minimum = 1, example = 2048)]
pub struct SongId(u64);

impl SongId {
    /// How many songs an anime can have.
    pub const PER_ANIME: u16 = 1 << SONG_SLOT_BITS;

    /// An identifier, if the number can be one.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        let fits = number < 1 << SONG_ID_BITS;
        (fits && AnimeId::new(number >> SONG_SLOT_BITS).is_some()).then_some(Self(number))
    }

    /// The song at `slot` among an anime's songs. `None` from [`Self::PER_ANIME`] on.
    #[must_use]
    pub fn of_anime(anime: AnimeId, slot: u16) -> Option<Self> {
        (slot < Self::PER_ANIME).then(|| Self(anime.get() << SONG_SLOT_BITS | u64::from(slot)))
    }

    /// The place among the anime's songs.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "ten bits are left")]
    pub fn slot(self) -> u16 {
        (self.0 & u64::from(Self::PER_ANIME - 1)) as u16
    }

    /// The number itself.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl From<SongId> for u64 {
    fn from(id: SongId) -> Self {
        id.get()
    }
}

impl TryFrom<u64> for SongId {
    type Error = &'static str;

    fn try_from(number: u64) -> Result<Self, Self::Error> {
        Self::new(number).ok_or("a song's id is from 1024 to 34359738367")
    }
}

/// Identifier of a user, from 1 to 2^28 - 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "u64", into = "u64")]
#[schema(value_type = u64, minimum = 1, example = 1)]
pub struct UserId(u32);

impl UserId {
    /// The largest number of one.
    pub const MAX: u64 = (1 << USER_ID_BITS) - 1;

    /// The one that is given out last of all.
    pub const LAST: Self = Self((1 << USER_ID_BITS) - 1);

    /// An identifier, if the number can be one.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        let fits = (1..=Self::MAX).contains(&number);
        u32::try_from(number).ok().filter(|_| fits).map(Self)
    }

    /// The number itself.
    #[must_use]
    pub fn get(self) -> u64 {
        u64::from(self.0)
    }
}

impl From<UserId> for u64 {
    fn from(id: UserId) -> Self {
        id.get()
    }
}

impl TryFrom<u64> for UserId {
    type Error = &'static str;

    fn try_from(number: u64) -> Result<Self, Self::Error> {
        Self::new(number).ok_or("a user's id is from 1 to 268435455")
    }
}

/// Identifier of a story: its user's and its anime's in one number of at most 53 bits, which is
/// exact in JavaScript (design.md, "Data").
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
#[schema(value_type = u64, minimum = 33_554_433, example = 33_554_434)]
pub struct StoryId(u64);

impl StoryId {
    /// The story of a user and an anime.
    #[must_use]
    pub fn of(user: UserId, anime: AnimeId) -> Self {
        Self((user.get() << ANIME_ID_BITS) | anime.get())
    }

    /// An identifier, if the number can be one.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        UserId::new(number >> ANIME_ID_BITS)?;
        AnimeId::new(number & AnimeId::MAX)?;
        Some(Self(number))
    }

    /// Whose story it is.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "28 bits are left")]
    pub fn user(self) -> UserId {
        UserId((self.0 >> ANIME_ID_BITS) as u32)
    }

    /// The anime that it is about.
    #[must_use]
    pub fn anime(self) -> AnimeId {
        AnimeId((self.0 & AnimeId::MAX) as u32)
    }

    /// The number itself.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl From<StoryId> for u64 {
    fn from(id: StoryId) -> Self {
        id.get()
    }
}
