//! The table `Player`: the players that users have added, the reports of their messages, the choices of anime for their
//! series, and the series whose anime is not known (docs/data-model.md, "Player"). `player_store.rs` and
//! `series_store.rs` write the table. `crate::deletion` deletes the rows of a deleted user.

use std::collections::{BTreeMap, BTreeSet};

use dynamo::{Item, Table, Type, number, text};
use serde::{Deserialize, Serialize};
use shared::models::{AnimeId, EpisodeOfAnime, Origin, PlayerContent, PlayerKind, UserId};

use super::series_name::SeriesName;

/// The table.
pub const TABLE: Table = Table {
    name: "Player",
    key: &["user_id", "entry"],
    indexes: &[],
    expires_at: Some("expires_at"),
    attributes: &[
        ("user_id", Type::N),
        // The kind of the row, and its identifier: see the functions at the end of this file.
        ("entry", Type::S),
        // In players. Written by PlayerStore::add and change.
        ("name", Type::S),
        ("kind", Type::S),
        ("secret", Type::S),
        ("server_user", Type::S),
        ("finished_percent", Type::N),
        ("makes_private", Type::Bool),
        ("starts_again", Type::Bool),
        ("plays", Type::S),
        ("libraries", Type::L),
        ("takes_back", Type::Bool),
        ("takes_ratings", Type::Bool),
        ("only_listed", Type::Bool),
        ("created_at", Type::N),
        // In players. Changed by PlayerStore::add_report.
        ("report_count", Type::N),
        ("seen_users", Type::Ss),
        // In reports, where each replaces the report 50 numbers before it, and in the row that changes with each new
        // choice.
        ("number", Type::N),
        ("at", Type::N),
        ("outcome", Type::S),
        ("user_name", Type::S),
        ("message", Type::S),
        // In choices and unmatched series, and in reports about a series.
        ("title", Type::S),
        ("season", Type::S),
        ("episode", Type::N),
        // In reports that found an anime.
        ("anime_id", Type::N),
        ("anime_episode", Type::N),
        // In choices.
        ("parts", Type::L),
        // In unmatched series.
        ("guesses", Type::L),
        ("player", Type::N),
        ("watched", Type::Ss),
        ("is_question", Type::Bool),
        // In matched series.
        ("matches", Type::L),
        ("rejected", Type::L),
        // In reports, unmatched series and matched series.
        ("expires_at", Type::N),
    ],
};

/// The maximum number of players of a user.
pub const MAX_PLAYERS: u8 = 20;

/// The maximum number of reports of a player. Later ones replace the oldest.
pub const MAX_REPORTS: u64 = 50;

/// The maximum number of unmatched series of a user. Later ones replace the oldest.
pub const MAX_UNMATCHED: usize = 200;

/// The maximum number of episodes that are kept for an unmatched series.
pub const MAX_KEPT_EPISODES: usize = 1_000;

/// The maximum number of anime that a matched series remembers.
pub const MAX_MATCHES: usize = 50;

/// The maximum number of names of libraries in the settings of a player.
pub const MAX_LIBRARIES: usize = 20;

/// The maximum number of choices of a user.
pub const MAX_CHOICES: usize = 1_000;

/// The part of a video after which it counts as watched, in percent, unless the owner of a player sets another
/// percentage.
const FINISHED_PERCENT: u8 = 85;

/// The maximum number of names of server users that a player keeps.
pub const MAX_SEEN_USERS: usize = 20;

/// A player of a user: a media server, a program or a script that sends messages to an address of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The owner.
    pub user_id: UserId,
    /// The key of the row.
    pub(crate) entry: String,
    /// The kind.
    pub kind: PlayerKind,
    /// The encrypted random part of the secret in the address.
    pub secret: String,
    /// The settings.
    #[serde(flatten)]
    pub settings: PlayerSettings,
    /// The time of its creation, in milliseconds since the Unix epoch.
    pub created_at: u64,
    /// The number of reports so far.
    #[serde(default)]
    pub report_count: u64,
    /// The names of the server's users in messages, at most [`MAX_SEEN_USERS`]. A new player has none, and only
    /// [`PlayerStore::add_report`](super::player_store::PlayerStore::add_report) adds some.
    #[serde(default, skip_serializing)]
    pub seen_users: BTreeSet<String>,
}

/// The settings of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting")]
pub struct PlayerSettings {
    /// The name that the owner has given it.
    pub name: String,
    /// The name of the server's user whose messages count; `None` if the owner has not named one.
    pub server_user: Option<String>,
    /// The part of a video after which it counts as watched, in percent, 50 to 100.
    pub finished_percent: u8,
    /// True if the player makes private stories.
    #[serde(default)]
    pub makes_private: bool,
    /// True if the first episode of a completed anime starts it again.
    #[serde(default)]
    pub starts_again: bool,
    /// The videos that it plays.
    #[serde(default)]
    pub plays: PlayerContent,
    /// The names of the libraries with anime, at most [`MAX_LIBRARIES`]. If there are some, messages about other
    /// libraries do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
    /// True if an item that the user marks as not watched takes the episode back.
    #[serde(default)]
    pub takes_back: bool,
    /// True if ratings on the server become scores.
    #[serde(default)]
    pub takes_ratings: bool,
    /// True if only anime that are already on the list count.
    #[serde(default)]
    pub only_listed: bool,
}

impl PlayerSettings {
    /// Returns the settings of a new player.
    pub fn new(name: String, plays: PlayerContent) -> Self {
        Self {
            name,
            server_user: None,
            finished_percent: FINISHED_PERCENT,
            makes_private: false,
            starts_again: false,
            plays,
            libraries: Vec::new(),
            takes_back: false,
            takes_ratings: false,
            only_listed: false,
        }
    }
}

impl Player {
    /// Returns the identifier, from 0, which is unique among the players of the user.
    pub fn id(&self) -> u8 {
        let id = self.entry.strip_prefix(PLAYER_PREFIX);
        id.and_then(|id| id.parse().ok()).unwrap_or(u8::MAX)
    }

    /// Returns the origin of the changes that the player makes.
    pub fn origin(&self) -> Origin {
        Origin::Player {
            id: Some(self.id()),
            name: self.settings.name.clone(),
        }
    }

    /// Returns true if this name of a server's user was not seen before, and can be kept.
    pub fn can_keep_user(&self, name: &str) -> bool {
        self.seen_users.len() < MAX_SEEN_USERS && !self.seen_users.contains(name)
    }
}

/// A report about a message of a player and its effect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerReport {
    /// The time of the message, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The number of the report, from 1. [`PlayerStore::add_report`](super::player_store::PlayerStore::add_report) sets
    /// it.
    #[serde(default)]
    pub number: u64,
    /// The outcome, in the words of the API.
    pub outcome: String,
    /// The name of the server's user.
    pub user_name: Option<String>,
    /// The title of the series or movie.
    pub title: Option<String>,
    /// The season, as in [`SeriesName::season`].
    pub season: Option<String>,
    /// The episode.
    pub episode: Option<u32>,
    /// The anime.
    pub anime_id: Option<AnimeId>,
    /// The episode of the anime.
    pub anime_episode: Option<u32>,
    /// The message as JSON, if it is kept until the owner names the server's user.
    pub message: Option<String>,
    /// The time of expiry, in seconds since the Unix epoch.
    pub expires_at: u64,
}

/// The choice of a user for a season of a series, or for a movie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesChoice {
    /// The user.
    pub user_id: UserId,
    /// The key of the row.
    pub(crate) entry: String,
    /// The season of the series, or the movie.
    #[serde(flatten)]
    pub series: SeriesName,
    /// The anime of the season, in ascending order of their first episodes. Empty if the series is not an anime.
    pub parts: Vec<ChosenPart>,
}

/// An anime that is a part of a season, from an episode on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenPart {
    /// The number of its first episode in the season, from 1.
    pub first: u32,
    /// The number of an episode in the anime minus its number in the season.
    pub offset: i64,
    /// The anime.
    pub anime_id: AnimeId,
}

/// A season of a series, or a movie, whose anime is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmatchedSeries {
    /// The user.
    pub user_id: UserId,
    /// The key of the row.
    pub(crate) entry: String,
    /// The season of the series, or the movie.
    #[serde(flatten)]
    pub series: SeriesName,
    /// An episode that was watched: the highest one that its writer knew.
    pub episode: u32,
    /// The time at which it was watched, in milliseconds since the Unix epoch.
    pub at: u64,
    /// All episodes that were watched and are kept, at most [`MAX_KEPT_EPISODES`], each with its time
    /// ([`Self::episodes`]). Rows of earlier versions have none.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    #[serde(with = "serde_dynamo::string_set")]
    pub watched: BTreeSet<String>,
    /// True if the user is asked. False if no anime was found and the player also plays other things.
    #[serde(default = "is_question")]
    pub is_question: bool,
    /// The episodes that may be meant, the most probable one first, at most three.
    #[serde(default)]
    pub guesses: Vec<EpisodeOfAnime>,
    /// The identifier of the player.
    pub player: u8,
    /// The time of expiry, in seconds since the Unix epoch.
    pub expires_at: u64,
}

fn is_question() -> bool {
    true
}

/// The anime with which the episodes of a season were matched, so that an episode of another anime waits for the user.
/// The anime of a movie is also remembered, so that its match can be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchedSeries {
    /// The user.
    pub user_id: UserId,
    /// The key of the row.
    pub(crate) entry: String,
    /// The season of the series, or the movie.
    #[serde(flatten)]
    pub series: SeriesName,
    /// The anime, at most [`MAX_MATCHES`].
    #[serde(default)]
    pub matches: Vec<SeriesMatch>,
    /// The anime that the user has rejected for this season.
    #[serde(default)]
    pub rejected: Vec<AnimeId>,
    /// The time of expiry, in seconds since the Unix epoch.
    pub expires_at: u64,
}

/// An anime with which episodes of a season were matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesMatch {
    /// The anime.
    pub anime_id: AnimeId,
    /// The number of an episode in the anime minus its number in the season.
    pub offset: i64,
    /// The time of the first change that a match has made, in seconds since the Unix epoch.
    pub since: u64,
}

impl MatchedSeries {
    /// Creates the row for this series, without anime.
    pub fn new(user_id: UserId, series: SeriesName) -> Self {
        Self {
            user_id,
            entry: match_entry(&series.key()),
            series,
            matches: Vec::new(),
            rejected: Vec::new(),
            expires_at: 0,
        }
    }

    /// Returns the key of the series.
    pub fn key(&self) -> &str {
        self.entry.strip_prefix(MATCH_PREFIX).unwrap_or_default()
    }
}

impl SeriesChoice {
    /// Creates the choice for this series.
    pub fn new(user_id: UserId, series: SeriesName, parts: Vec<ChosenPart>) -> Self {
        Self {
            user_id,
            entry: choice_entry(&series.key()),
            series,
            parts,
        }
    }

    /// Returns the key of the series.
    pub fn key(&self) -> &str {
        self.entry.strip_prefix(CHOICE_PREFIX).unwrap_or_default()
    }

    /// Returns the episode of an anime that corresponds to an episode of the season; `None` if it is before the first
    /// anime.
    pub fn find(&self, episode: u32) -> Option<EpisodeOfAnime> {
        let begun = self.parts.iter().filter(|part| part.first <= episode);
        let part = begun.max_by_key(|part| part.first)?;
        let episode = u32::try_from(i64::from(episode) + part.offset).ok()?;
        Some(EpisodeOfAnime {
            anime_id: part.anime_id,
            episode,
        })
    }
}

impl UnmatchedSeries {
    /// Creates the row for this series with its watched episodes, each with its time. The user is asked about the
    /// series.
    pub fn new(
        user_id: UserId,
        series: SeriesName,
        episodes: &BTreeMap<u32, u64>,
        guesses: Vec<EpisodeOfAnime>,
        player: u8,
        expires_at: u64,
    ) -> Self {
        let last = episodes.last_key_value();
        let (episode, at) = last.map_or((1, 0), |(episode, at)| (*episode, *at));
        Self {
            user_id,
            entry: unmatched_entry(&series.key()),
            series,
            episode,
            at,
            watched: kept_episodes(episodes),
            is_question: true,
            guesses,
            player,
            expires_at,
        }
    }

    /// Returns the episodes that were watched, with the times at which they were first watched, in milliseconds since
    /// the Unix epoch.
    pub fn episodes(&self) -> BTreeMap<u32, u64> {
        let mut episodes = BTreeMap::from([(self.episode, self.at)]);
        let watched = self.watched.iter().filter_map(|text| {
            let (episode, at) = text.split_once('@')?;
            Some((episode.parse().ok()?, at.parse().ok()?))
        });
        for (episode, at) in watched {
            let first = episodes.entry(episode).or_insert(at);
            *first = at.min(*first);
        }
        episodes
    }

    /// Returns the row with only the episodes for which `is_kept` returns true; `None` if there are none.
    #[must_use]
    pub fn with_episodes(&self, is_kept: impl Fn(u32) -> bool) -> Option<Self> {
        let mut episodes = self.episodes();
        episodes.retain(|episode, _| is_kept(*episode));
        let (episode, at) = episodes.last_key_value()?;
        Some(Self {
            episode: *episode,
            at: *at,
            watched: kept_episodes(&episodes),
            ..self.clone()
        })
    }

    /// Returns the highest episode that was watched, and the time.
    pub fn last(&self) -> (u32, u64) {
        let last = self.episodes().into_iter().next_back();
        last.unwrap_or((self.episode, self.at))
    }

    /// Returns the key of the series.
    pub fn key(&self) -> &str {
        self.entry
            .strip_prefix(UNMATCHED_PREFIX)
            .unwrap_or_default()
    }
}

// The prefixes of sort keys, for each kind of rows.
pub(crate) const PLAYER_PREFIX: &str = "player#";
const REPORT_PREFIX: &str = "report#";
pub(crate) const CHOICE_PREFIX: &str = "choice#";
pub(crate) const MATCH_PREFIX: &str = "match#";
pub(crate) const UNMATCHED_PREFIX: &str = "unmatched#";

/// The sort key of the row that changes with each new choice. It has no other attribute than `number`.
pub(crate) const COUNTED_CHOICES: &str = "choices";

/// Returns the sort key of a player.
pub(crate) fn player_entry(player: u8) -> String {
    format!("{PLAYER_PREFIX}{player:02}")
}

/// Returns the prefix of the sort keys of a player's reports.
pub(crate) fn report_prefix(player: u8) -> String {
    format!("{REPORT_PREFIX}{player:02}#")
}

/// Returns the sort key of the report with this number. The report that it replaces has the same key.
pub(crate) fn report_entry(player: u8, number: u64) -> String {
    format!("{}{:02}", report_prefix(player), number % MAX_REPORTS)
}

/// Returns the identifier of the player from the sort key of a report.
pub(crate) fn player_of_report(entry: &str) -> Option<u8> {
    let mut parts = entry.strip_prefix(REPORT_PREFIX)?.split('#');
    parts.next()?.parse().ok()
}

/// Returns the sort key of the choice for a series.
pub(crate) fn choice_entry(key: &str) -> String {
    format!("{CHOICE_PREFIX}{key}")
}

/// Returns the sort key of an unmatched series.
pub(crate) fn unmatched_entry(key: &str) -> String {
    format!("{UNMATCHED_PREFIX}{key}")
}

/// Returns the sort key of a matched series.
pub(crate) fn match_entry(key: &str) -> String {
    format!("{MATCH_PREFIX}{key}")
}

/// Returns the texts that keep episodes, each with the time at which it was watched.
fn kept_episodes(episodes: &BTreeMap<u32, u64>) -> BTreeSet<String> {
    let episodes = episodes.iter();
    episodes
        .map(|(episode, at)| format!("{episode}@{at}"))
        .collect()
}

/// Returns the key of a row.
pub(crate) fn key(user: UserId, entry: &str) -> Item {
    Item::from([
        ("user_id".to_owned(), number(user.get())),
        ("entry".to_owned(), text(entry)),
    ])
}
