//! The two trackers, and the identifiers of anime there.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Anime;

/// One of the two trackers that an account can be linked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TrackerName {
    /// The first external tracker, `AniList`.
    #[serde(rename = "tracker_a")]
    A,
    /// The second external tracker, `MyAnimeList`.
    #[serde(rename = "tracker_b")]
    B,
}

impl TrackerName {
    /// Both.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// The one with this letter.
    #[must_use]
    pub fn from_letter(letter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.letter() == letter)
    }

    /// Its letter in paths.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }

    /// Its name in rows, secrets and, in capitals, the environment.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::A => "tracker_a",
            Self::B => "tracker_b",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::A => "AniList",
            Self::B => "MyAnimeList",
        }
    }

    /// Where people see an anime there, by its identifier there.
    #[must_use]
    pub fn page_of(self, media_id: u32) -> String {
        let site = match self {
            Self::A => "anilist.co",
            Self::B => "myanimelist.net",
        };
        format!("https://{site}/anime/{media_id}")
    }

    /// The path where it sends a user back to.
    #[must_use]
    pub fn callback(self) -> String {
        format!("/profile/trackers/{}/callback", self.letter())
    }
}

impl fmt::Display for TrackerName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.key())
    }
}

/// An anime's identifiers at the trackers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackerIds {
    /// At tracker A.
    pub a: Option<u32>,
    /// At tracker B.
    pub b: Option<u32>,
}

impl TrackerIds {
    /// Those of a row.
    #[must_use]
    pub fn of(anime: &Anime) -> Self {
        Self {
            a: anime.tracker_a_id,
            b: anime.tracker_b_id,
        }
    }

    /// Whether both name a number at one tracker, and not the same.
    #[must_use]
    pub fn contradict(self, other: Self) -> bool {
        let differ =
            |one: Option<u32>, other: Option<u32>| one.is_some() && other.is_some() && one != other;
        differ(self.a, other.a) || differ(self.b, other.b)
    }
}
