//! The anime with which the seasons of a user's series were matched, and the matches that have to wait for the user.

use std::collections::{BTreeSet, HashMap};

use shared::models::{AnimeId, EpisodeOfAnime, UserId};

use super::matching::MatchedBy;
use super::outcome::{Match, PlaybackReason, PlaybackResult, of_anime};
use super::player::{MAX_MATCHES, MatchedSeries, SeriesMatch};

/// The time for which the anime of a season are remembered after the last new one, in seconds: 400 days. Most seasons
/// are watched within a year.
const REMEMBERED_S: u64 = 400 * 24 * 60 * 60;

/// The time for which a wrong anime is remembered, in seconds: 10 years.
pub(super) const REJECTED_S: u64 = 10 * 365 * 24 * 60 * 60;

/// The remembered anime of the seasons in a request.
#[derive(Debug)]
pub(super) struct MatchMemory {
    owner: UserId,
    rows: HashMap<String, MatchedSeries>,
    /// The keys of the rows that were read, including rows that do not exist.
    read: BTreeSet<String>,
    /// The keys of the rows that differ from the stored ones.
    changed: BTreeSet<String>,
}

impl MatchMemory {
    /// Creates the memory of a user. Nothing has been read yet.
    pub fn new(owner: UserId) -> Self {
        Self {
            owner,
            rows: HashMap::new(),
            read: BTreeSet::new(),
            changed: BTreeSet::new(),
        }
    }

    /// Adds a row that was read.
    pub fn add(&mut self, row: Option<MatchedSeries>) {
        self.rows.extend(row.map(|row| (row.key().to_owned(), row)));
    }

    /// Remembers the anime of a message that has changed its progress. `now` is in milliseconds since the Unix epoch.
    pub fn confirm(&mut self, matched: &Match, reason: PlaybackReason, now: u64) {
        let is_progress = matches!(
            reason,
            PlaybackReason::Watched | PlaybackReason::Completed | PlaybackReason::StartedAgain
        );
        let Some(series) = matched.series.as_ref().filter(|_| is_progress) else {
            return;
        };
        let (key, anime_id) = (series.key(), matched.watched.episode.anime);
        let owner = self.owner;
        let row = self.rows.entry(key.clone());
        let row = row.or_insert_with(|| MatchedSeries::new(owner, series.clone()));
        let is_known = row.matches.iter().any(|other| other.anime_id == anime_id);
        if is_known || row.matches.len() >= MAX_MATCHES {
            return;
        }
        row.matches.push(SeriesMatch {
            anime_id,
            offset: i64::from(matched.watched.episode.episode) - i64::from(matched.in_season),
            since: now / 1000,
        });
        self.changed.insert(key);
    }

    /// Returns the result for a match that has to wait because of what is remembered about its season. `siblings` are
    /// the anime of its series by the season map.
    pub fn objection(&self, matched: &Match, siblings: &[AnimeId]) -> Option<PlaybackResult> {
        let series = matched.series.as_ref()?;
        let row = self.rows.get(&series.key())?;
        // The user's choice takes precedence over what was found before.
        if matched.by == MatchedBy::Choice {
            return None;
        }
        let anime = matched.watched.episode.anime;
        if row.rejected.contains(&anime) {
            return Some(PlaybackResult::of(PlaybackReason::NotCertain));
        }
        let differs =
            |other: &&SeriesMatch| other.anime_id != anime && !siblings.contains(&other.anime_id);
        let other = row.matches.iter().find(differs)?;
        let episode = i64::from(matched.in_season) + other.offset;
        let earlier = u32::try_from(episode).ok().filter(|episode| *episode > 0);
        let earlier = earlier.map(|episode| EpisodeOfAnime {
            anime_id: other.anime_id,
            episode,
        });
        let own = of_anime(matched.watched.episode);
        let guesses = earlier.into_iter().chain([own]);
        // Different movies can have the same title.
        (series.season != "movie").then(|| PlaybackResult {
            guesses: guesses.collect(),
            ..PlaybackResult::of(PlaybackReason::DiffersFromEarlier)
        })
    }

    /// Returns true if the row of this season has to be read first. It counts as read from then on.
    pub fn begin_read(&mut self, key: &str) -> bool {
        self.read.insert(key.to_owned()) && !self.rows.contains_key(key)
    }

    /// Returns the rows that differ from the stored ones. `now` is in milliseconds since the Unix epoch.
    pub fn into_changed(self, now: u64) -> impl Iterator<Item = MatchedSeries> {
        let Self { rows, changed, .. } = self;
        let rows = rows.into_iter();
        let rows = rows.filter(move |(key, _)| changed.contains(key));
        rows.map(move |(_, mut row)| {
            row.expires_at = row.expires_at.max(now / 1000 + REMEMBERED_S);
            row
        })
    }
}
