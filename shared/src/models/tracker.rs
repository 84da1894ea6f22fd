//! The two external trackers, and the identifiers of anime at them.

use std::fmt;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::Anime;

/// An external tracker at which a user can link an account.
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
    /// Both trackers.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// Returns the tracker with this letter, `a` or `b`.
    pub fn from_letter(letter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.letter() == letter)
    }

    /// Returns the tracker's letter in the paths of web pages.
    pub fn letter(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }

    /// Returns the tracker's name in rows and secrets. In capitals, it is the prefix of the tracker's
    /// environment variables.
    pub fn key(self) -> &'static str {
        match self {
            Self::A => "tracker_a",
            Self::B => "tracker_b",
        }
    }

    /// Returns the other tracker.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// Returns the name of the tracker's service.
    pub fn title(self) -> &'static str {
        match self {
            Self::A => "AniList",
            Self::B => "MyAnimeList",
        }
    }

    /// Returns the URL of an anime's page at the tracker. `media_id` is the anime's identifier there.
    pub fn anime_url(self, media_id: u32) -> String {
        let site = match self {
            Self::A => "anilist.co",
            Self::B => "myanimelist.net",
        };
        format!("https://{site}/anime/{media_id}")
    }

    /// Returns the path of this service to which the tracker redirects a user after authorization.
    pub fn callback_path(self) -> String {
        format!("/profile/trackers/{}/callback", self.letter())
    }
}

impl fmt::Display for TrackerName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.key())
    }
}

/// A value for each tracker, indexed by the tracker's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PerTracker<T> {
    /// The value for tracker A.
    #[serde(rename = "tracker_a")]
    pub a: T,
    /// The value for tracker B.
    #[serde(rename = "tracker_b")]
    pub b: T,
}

impl<T> PerTracker<T> {
    /// Calls `function` for tracker A, then for tracker B, and returns the results.
    pub fn from_fn(mut function: impl FnMut(TrackerName) -> T) -> Self {
        Self {
            a: function(TrackerName::A),
            b: function(TrackerName::B),
        }
    }

    /// Returns the results of `function` for both values.
    pub fn map<U>(self, mut function: impl FnMut(T) -> U) -> PerTracker<U> {
        PerTracker {
            a: function(self.a),
            b: function(self.b),
        }
    }

    /// Returns each tracker with its value.
    pub fn iter(&self) -> impl Iterator<Item = (TrackerName, &T)> {
        TrackerName::ALL.into_iter().zip([&self.a, &self.b])
    }
}

impl<T> Index<TrackerName> for PerTracker<T> {
    type Output = T;

    fn index(&self, tracker: TrackerName) -> &T {
        match tracker {
            TrackerName::A => &self.a,
            TrackerName::B => &self.b,
        }
    }
}

impl<T> IndexMut<TrackerName> for PerTracker<T> {
    fn index_mut(&mut self, tracker: TrackerName) -> &mut T {
        match tracker {
            TrackerName::A => &mut self.a,
            TrackerName::B => &mut self.b,
        }
    }
}

/// Identifiers of an anime at the trackers.
pub type TrackerIds = PerTracker<Option<u32>>;

impl TrackerIds {
    /// Returns the identifiers of an anime.
    pub fn of(anime: &Anime) -> Self {
        Self {
            a: anime.tracker_a_id,
            b: anime.tracker_b_id,
        }
    }

    /// Returns true if `self` and `other` have different identifiers for the same tracker. A missing identifier does
    /// not count as different.
    pub fn contradict(self, other: Self) -> bool {
        let differ =
            |one: Option<u32>, other: Option<u32>| one.is_some() && other.is_some() && one != other;
        differ(self.a, other.a) || differ(self.b, other.b)
    }
}
