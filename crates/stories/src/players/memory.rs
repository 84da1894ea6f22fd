//! The anime with which the seasons of a user's series were matched, and the matches that have to wait for the user.

use std::collections::{BTreeSet, HashMap};

use catalogue::identify::NameSearches;
use shared::Error;
use shared::models::{AnimeId, EpisodeOfAnime, PlayerContent, UserId};
use store::{MAX_MATCHES, MatchedSeries, SeriesMatch, Story};

use super::matching::MatchedBy;
use super::receive::{Match, PlaybackReason, PlaybackReceiver, PlaybackResult, Target, of_anime};

/// The time for which the anime of a season are remembered after the last new one, in seconds: 400 days. Most seasons
/// are watched within a year.
const REMEMBERED_S: u64 = 400 * 24 * 60 * 60;

/// The time for which a wrong anime is remembered, in seconds: 10 years.
pub(super) const REJECTED_S: u64 = 10 * 365 * 24 * 60 * 60;

/// The maximum number of anime of a series that are looked for on the list.
const MAX_SIBLINGS: usize = 50;

/// The remembered anime of the seasons in a request.
#[derive(Debug)]
pub(super) struct MatchMemory {
    owner: UserId,
    rows: HashMap<String, MatchedSeries>,
    /// The keys of the rows that were read, whether they exist or not.
    read: BTreeSet<String>,
    /// The keys of the rows that differ from the stored ones.
    changed: BTreeSet<String>,
}

impl MatchMemory {
    /// Creates the memory of a user, of which nothing has been read.
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
    pub fn confirm(&mut self, found: &Match, reason: PlaybackReason, now: u64) {
        let is_progress = matches!(
            reason,
            PlaybackReason::Watched | PlaybackReason::Completed | PlaybackReason::StartedAgain
        );
        let Some(series) = found.series.as_ref().filter(|_| is_progress) else {
            return;
        };
        let (key, anime_id) = (series.key(), found.watched.episode.anime);
        let owner = self.owner;
        let row = self.rows.entry(key.clone()).or_insert_with(|| {
            let (title, season) = (series.title.clone(), series.season.clone());
            MatchedSeries::new(owner, &key, title, season)
        });
        let is_known = row.matches.iter().any(|known| known.anime_id == anime_id);
        if is_known || row.matches.len() >= MAX_MATCHES {
            return;
        }
        row.matches.push(SeriesMatch {
            anime_id,
            offset: i64::from(found.watched.episode.episode) - i64::from(found.in_season),
            since: now / 1000,
        });
        self.changed.insert(key);
    }

    /// Returns the result of a match that has to wait, because of what is remembered about its season. `siblings` are
    /// the anime of its series by the season map.
    fn objection(&self, found: &Match, siblings: &[AnimeId]) -> Option<PlaybackResult> {
        let series = found.series.as_ref()?;
        let row = self.rows.get(&series.key())?;
        // The user knows better than what was found before.
        if found.by == MatchedBy::Choice {
            return None;
        }
        let anime = found.watched.episode.anime;
        if row.rejected.contains(&anime) {
            return Some(PlaybackResult::of(PlaybackReason::NotCertain));
        }
        let differs =
            |known: &&SeriesMatch| known.anime_id != anime && !siblings.contains(&known.anime_id);
        let other = row.matches.iter().find(differs)?;
        let episode = i64::from(found.in_season) + other.offset;
        let earlier = u32::try_from(episode).ok().filter(|episode| *episode > 0);
        let earlier = earlier.map(|episode| EpisodeOfAnime {
            anime_id: other.anime_id,
            episode,
        });
        let guesses = earlier.into_iter().chain([of_anime(found.watched.episode)]);
        // Different movies can have the same title.
        (series.season != "movie").then(|| PlaybackResult {
            guesses: guesses.collect(),
            ..PlaybackResult::of(PlaybackReason::DiffersFromEarlier)
        })
    }
}

impl PlaybackReceiver {
    /// Returns a result for each of the messages about an anime that has to wait, or does not count, and `None` for the
    /// others, whose anime is remembered. `present` is the story of the anime. Reads nothing for messages that would
    /// change nothing.
    pub(super) async fn check_matches(
        &self,
        target: &Target<'_>,
        present: Option<&Story>,
        matches: &[&Match],
        memory: &mut MatchMemory,
        searches: &mut NameSearches,
    ) -> Result<Vec<Option<PlaybackResult>>, Error> {
        let foreseen = self.foresee(target, present, matches).await?;
        let mut results = vec![None; matches.len()];
        let Some(anime) = matches.first().map(|found| found.watched.episode.anime) else {
            return Ok(results);
        };
        let seasons = self.catalogue.seasons().await?;
        let siblings = seasons.anime_in_series_of(anime, searches);
        let (rules, now) = (target.rules, self.clock.now_ms());
        let mut is_listed = present.is_some().then_some(true);
        for ((found, reason), result) in matches.iter().zip(foreseen).zip(&mut results) {
            if !reason.is_change() {
                continue;
            }
            if rules.only_listed && present.is_none() {
                *result = Some(found.result(PlaybackReason::NotListed));
                continue;
            }
            if rules.plays == PlayerContent::Mixed && found.is_by_name_alone {
                let is_supported = match is_listed {
                    Some(is_listed) => is_listed,
                    None => self.is_any_listed(target.owner, &siblings).await?,
                };
                is_listed = Some(is_supported);
                if !is_supported {
                    *result = Some(PlaybackResult {
                        guesses: vec![of_anime(found.watched.episode)],
                        ..PlaybackResult::of(PlaybackReason::WaitsForAnswer)
                    });
                    continue;
                }
            }
            let Some(series) = &found.series else {
                continue;
            };
            let key = series.key();
            if memory.read.insert(key.clone()) && !memory.rows.contains_key(&key) {
                memory.add(self.players.find_match(target.owner, &key).await?);
            }
            *result = memory.objection(found, &siblings);
            if result.is_none() {
                memory.confirm(found, reason, now);
            }
        }
        Ok(results)
    }

    /// Returns true if any of these anime is on the list of a user.
    async fn is_any_listed(&self, owner: UserId, anime: &[AnimeId]) -> Result<bool, Error> {
        let anime: BTreeSet<AnimeId> = anime.iter().copied().collect();
        let anime: Vec<AnimeId> = anime.into_iter().take(MAX_SIBLINGS).collect();
        if anime.is_empty() {
            return Ok(false);
        }
        let found = self.stories.find_many(owner, &anime).await?;
        Ok(found.iter().any(|(_, story)| story.is_some()))
    }

    /// Stores what has changed in the memory.
    pub(super) async fn save_memory(&self, memory: MatchMemory, now: u64) -> Result<(), Error> {
        for key in &memory.changed {
            let Some(row) = memory.rows.get(key) else {
                continue;
            };
            let mut row = row.clone();
            row.expires_at = row.expires_at.max(now / 1000 + REMEMBERED_S);
            self.players.keep_match(&row).await?;
        }
        Ok(())
    }
}
