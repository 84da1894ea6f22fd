//! Watched items of media servers as entries of a list (docs/players.md, "What was watched before"), and the code that
//! they share with lists that have a row for each episode.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catalogue::Catalogue;
use catalogue::identify::NameSearches;
use catalogue::index::AnimeIndex;
use catalogue::seasons::AnimeEpisode;
use interchange::{ListEntry, ListFile, ListFileError, ReadOptions, SkippedEntry, visible_text};
use player_messages::Video;
use player_messages::watched::{self, WatchedFile, WatchedFormat};
use shared::Result;
use shared::models::{
    Anime, AnimeId, DetailsChange, MAX_REPEATS, PartialDate, TimeZone, WatchStatus,
};

use crate::lists::episodes::watch_episode;
use crate::players::player::SeriesChoice;
use crate::players::{MAX_TITLE_CHARACTERS, NamedVideo};

/// After this number of episodes of a season without an anime, its other episodes are not searched by name. Libraries
/// can have whole live-action series, and searching the title and the file name of each episode takes long.
pub(super) const MAX_MISSES: u32 = 5;

/// The number of items that are matched, without a search by name, before other requests may go on.
pub(super) const ITEMS_AT_ONCE: usize = 50;

pub(super) const NOT_FOUND: &str = "no anime was found";
pub(super) const NOT_CERTAIN: &str = "the anime is not certain";
const NOT_AN_ANIME: &str = "marked as no anime";
pub(super) const NO_EPISODE: &str = "the file names no episode";
pub(super) const NOT_SEARCHED: &str = "not searched, because the file has too many titles that are not in the \
    catalogue; import these items in a file of their own";

/// A file to import.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportFile {
    /// A list.
    List(ListFile),
    /// The watched items of a media server.
    Watched(WatchedFile),
}

impl ImportFile {
    /// Reads a file: plain, compressed with gzip, or an archive. Its content determines its format. Stops with an error
    /// once `is_cancelled` returns true.
    ///
    /// # Errors
    /// As [`interchange::read`] and [`watched::read`].
    pub fn read(
        file: &[u8],
        options: &ReadOptions,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, ListFileError> {
        let unpacked = interchange::unpack(file)?;
        let watched = match unpacked.text() {
            Some(text) => watched::read(text, options.account, is_cancelled),
            None => Ok(None),
        };
        match watched.map_err(|error| ListFileError::new(error.to_string()))? {
            Some(watched) => Ok(Self::Watched(watched)),
            None => interchange::read_unpacked(&unpacked, options, is_cancelled).map(Self::List),
        }
    }
}

/// The watched episodes of an anime.
#[derive(Debug)]
pub(super) struct WatchedProgress {
    /// The position of the first item.
    position: usize,
    /// The status after the last episode.
    status: WatchStatus,
    /// The last episode.
    last: u32,
    /// The time at which the last episode was watched for the first time, if it is known.
    last_at: Option<u64>,
    /// The time at which the first of the episodes was watched, if any is known.
    first_at: Option<u64>,
    /// The days on which each episode was watched, in lists with a row for each time.
    days: BTreeMap<u32, BTreeSet<PartialDate>>,
}

impl WatchedProgress {
    pub(super) fn new(position: usize) -> Self {
        Self {
            position,
            status: WatchStatus::Planning,
            last: 0,
            last_at: None,
            first_at: None,
            days: BTreeMap::new(),
        }
    }

    /// Adds a day on which an episode was watched, for the first time or again.
    pub(super) fn add_day(&mut self, episode: u32, day: Option<PartialDate>) {
        self.days.entry(episode).or_default().extend(day);
    }

    /// Returns how often all episodes were watched again. Two times on one day count as one, because programs report
    /// an episode twice.
    fn repeats(&self) -> Option<u16> {
        let times = self.days.values().map(BTreeSet::len).min()?;
        let is_completed = self.status == WatchStatus::Completed;
        let repeats = u16::try_from(times.saturating_sub(1)).ok()?;
        Some(repeats.min(MAX_REPEATS)).filter(|repeats| is_completed && *repeats > 0)
    }

    /// Adds an episode, and the status of a story after it.
    pub(super) fn add(&mut self, episode: u32, status: WatchStatus, at: Option<u64>) {
        if episode > self.last {
            (self.last, self.status, self.last_at) = (episode, status, at);
        } else if episode == self.last {
            self.last_at = self.last_at.into_iter().chain(at).min();
        }
        self.first_at = self.first_at.into_iter().chain(at).min();
    }

    /// Returns the entry. `zone` is the time zone of the owner's days.
    pub(super) fn into_entry(self, anime: AnimeId, zone: TimeZone) -> ListEntry {
        let day = |time: Option<u64>| time.map(|time| Some(zone.day_of(time)));
        let repeats = self.repeats();
        let is_completed = self.status == WatchStatus::Completed;
        ListEntry {
            anime_id: Some(anime),
            current_episode: Some(self.last),
            details: DetailsChange {
                started_on: day(self.first_at),
                finished_on: day(self.last_at.filter(|_| is_completed)),
                repeats,
                ..DetailsChange::default()
            },
            // Without a time, the status of a story changes only with more progress, as with a message of a player.
            changed_at_ms: None,
            ..ListEntry::new(self.position, self.status)
        }
    }
}

/// Items that led to no episode, by season.
#[derive(Debug, Default)]
pub(super) struct SkippedItems {
    /// The position of the first item and the number of items, by title, season and reason.
    seasons: HashMap<(Option<String>, String, &'static str), (usize, usize)>,
}

impl SkippedItems {
    /// Adds an item. `season` is the season in the name of a series, or empty.
    pub(super) fn add(
        &mut self,
        position: usize,
        title: Option<&str>,
        season: &str,
        reason: &'static str,
    ) {
        let title = title.map(|title| visible_text(title, MAX_TITLE_CHARACTERS));
        let title = title.filter(|title| !title.is_empty());
        let (first, count) = self
            .seasons
            .entry((title, season.to_owned(), reason))
            .or_insert((position, 0));
        *first = position.min(*first);
        *count += 1;
    }

    /// Returns an entry for each season, in the order of the file.
    pub(super) fn into_entries(self) -> Vec<SkippedEntry> {
        let seasons = self.seasons.into_iter();
        let entries = seasons.map(|((title, season, reason), (position, count))| {
            let is_number = season.parse::<u16>().is_ok();
            let reason = if is_number {
                format!("season {season}: {reason}; items: {count}")
            } else {
                format!("{reason}; items: {count}")
            };
            SkippedEntry {
                position,
                title,
                reason,
            }
        });
        let mut entries: Vec<SkippedEntry> = entries.collect();
        entries.sort_by(|one, other| {
            let key = |entry: &SkippedEntry| (entry.position, entry.reason.clone());
            key(one).cmp(&key(other))
        });
        entries
    }
}

/// Finds the episodes of watched items.
struct Matcher<'m> {
    catalogue: &'m Catalogue<Anime>,
    /// The choices of the owner by their keys.
    choices: HashMap<&'m str, &'m SeriesChoice>,
    /// The number of items of each season that led to no anime, by the keys of the seasons.
    misses: HashMap<String, u32>,
    searches: NameSearches,
}

impl Matcher<'_> {
    /// Returns the episode that a video certainly is, or the reason why no episode is certain.
    async fn find(
        &mut self,
        named: &NamedVideo<'_>,
        video: &Video,
        key: String,
    ) -> Result<Result<AnimeEpisode, &'static str>> {
        let choice = self.choices.get(key.as_str()).copied();
        if choice.is_some_and(|choice| choice.parts.is_empty()) {
            return Ok(Err(NOT_AN_ANIME));
        }
        let misses = self.misses.entry(key).or_default();
        // The futures are on the heap, because the searches are large.
        let found = if choice.is_none() && *misses >= MAX_MISSES {
            let unnamed = Video {
                title: None,
                file: None,
                ..video.clone()
            };
            let unnamed = NamedVideo::new(&unnamed);
            Box::pin(unnamed.find(self.catalogue, None, &mut self.searches)).await?
        } else {
            Box::pin(named.find(self.catalogue, choice, &mut self.searches)).await?
        };
        Ok(match found.matched {
            Some((episode, _)) => Ok(episode),
            None if found.is_unsearched => Err(NOT_SEARCHED),
            None if found.guesses.is_empty() => {
                *misses += 1;
                Err(NOT_FOUND)
            }
            None => Err(NOT_CERTAIN),
        })
    }
}

/// Returns the status of a new story after an episode, or the reason why the episode is not certain.
pub(super) fn status_after(
    episode: AnimeEpisode,
    index: &AnimeIndex,
) -> Result<WatchStatus, &'static str> {
    let anime = index.indexed_anime(episode.anime).ok_or(NOT_FOUND)?;
    let change = watch_episode(None, episode.episode, anime.episodes_count, anime.status);
    change.map(|change| change.status).ok_or(NOT_CERTAIN)
}

/// Finds the episodes of watched items in the same way as those of messages, and returns an entry for each anime. Items
/// without a certain episode are skipped, with one entry for each season. `choices` and `zone`, the time zone of days,
/// are those of the stories' owner. `now` is in milliseconds since the Unix epoch.
pub(super) async fn find_watched(
    catalogue: &Catalogue<Anime>,
    choices: &[SeriesChoice],
    file: &WatchedFile,
    zone: TimeZone,
    now: u64,
) -> Result<(Vec<ListEntry>, Vec<SkippedEntry>)> {
    let index = catalogue.index().await?;
    let choices = choices.iter().map(|choice| (choice.key(), choice));
    let mut matcher = Matcher {
        catalogue,
        choices: choices.collect(),
        misses: HashMap::new(),
        searches: catalogue.name_searches(),
    };
    let mut skipped = SkippedItems::default();
    for item in &file.skipped {
        skipped.add(item.position, item.title.as_deref(), "", item.reason);
    }
    let mut by_anime: BTreeMap<AnimeId, WatchedProgress> = BTreeMap::new();
    for (number, item) in file.items.iter().enumerate() {
        if number % ITEMS_AT_ONCE == 0 {
            tokio::task::yield_now().await;
        }
        let (position, video) = (item.position, &item.video);
        let named = NamedVideo::new(video);
        let Some(series) = named.series().filter(|_| !named.names_nothing()) else {
            let title = video.title.as_deref().or(video.file.as_deref());
            skipped.add(position, title, "", NO_EPISODE);
            continue;
        };
        let episode = matcher.find(&named, video, series.key()).await?;
        match episode.and_then(|episode| Ok((episode, status_after(episode, &index)?))) {
            Ok((episode, status)) => {
                let time = item.watched_at_ms.filter(|time| *time <= now);
                let anime = by_anime
                    .entry(episode.anime)
                    .or_insert_with(|| WatchedProgress::new(position));
                anime.add(episode.episode, status, time);
            }
            Err(reason) => skipped.add(position, Some(&series.title), &series.season, reason),
        }
    }
    let entries = by_anime
        .into_iter()
        .map(|(anime, watched)| watched.into_entry(anime, zone));
    let mut entries: Vec<ListEntry> = entries.collect();
    entries.sort_by_key(|entry| entry.position);
    Ok((entries, skipped.into_entries()))
}

/// Returns the name of a file's format for reports.
pub(super) fn format_name(file: &WatchedFile) -> &'static str {
    match file.format {
        WatchedFormat::Jellyfin => "Jellyfin or Emby JSON",
        WatchedFormat::Plex => "Plex JSON",
    }
}

/// Returns the remark with the number of watched items or rows in a file.
pub(super) fn count_remark(count: usize) -> String {
    format!("Watched episodes and movies in the file: {count}.")
}

/// Returns the remarks about the items of a file, because the numbers of the report count anime and seasons.
pub(super) fn remarks(file: &WatchedFile) -> Vec<String> {
    let watched = file.items.len() + file.skipped.len();
    let mut remarks = vec![count_remark(watched)];
    if file.left_out > 0 {
        remarks.push(format!(
            "Items that were left out, because they were not watched or are neither episodes nor movies: {}.",
            file.left_out
        ));
    }
    remarks
}
