//! Refreshes anime from MyAnimeList.
//!
//! MyAnimeList has no list of changes. Its ranking has all anime with the time of their last change. So it shows which
//! anime have changed since the watermark: the time up to which all changes have been written. Each changed anime is
//! requested on its own, because lists do not contain relations. The anime with the oldest change comes first, so that
//! the watermark can follow and a run that ends early has made progress. Before it reads the ranking, the run writes
//! the anime of the previous, the current and the next season, whose scores and dates change most.
//!
//! A full refresh writes the whole ranking, and then requests each anime.

use std::collections::{BTreeSet, HashMap, HashSet};

use catalogue::genres::genre_of_tag;
use catalogue::import::{
    AnimeFacts, AnimeFields, AnimeIds, NO_TITLE, OTHER_FORMAT, Skip, TRACKER_ID_RANGE, non_blank,
};
use catalogue::rows::FactSource;
use shared::Result;
use shared::models::{
    AnimeFormat, AnimeId, AnimeStatus, Localized, MAX_TRACKER_ID, Score, Season, TrackerIds,
    TrackerName, Weekday, WireEnum,
};
use time::{Duration, OffsetDateTime, Time};
use trackers::my_anime_list::{
    AiringStatus, Broadcast, ListFields, MalAnime, MediaType, Nsfw, PageAddress, Relation,
};
use trackers::{Cause, MAX_PAGES, MyAnimeList, TrackerError};

use crate::context::{RefreshContext, RefreshScope};
use crate::relations::TrackerRelations;
use crate::report::{SourceFailure, SourceName};
use crate::source::{
    Complete, RefreshSource, SourceError, SourceRun, call_with_retries, https_url,
};
use crate::writer::AnimeWriter;

/// MyAnimeList counts as failing once it has not returned this number of anime in a row.
const MAX_FAILED_IN_A_ROW: u32 = 3;

/// The reason for skipping an anime that MyAnimeList cannot return.
const NOT_RETURNED: &str = "MyAnimeList did not return the anime's page";

/// The number of anime that are requested, each on its own, before they are written together.
const BATCH_SIZE: usize = 50;

/// A note at the end of many descriptions.
const REWRITE_NOTE: &str = "[Written by MAL Rewrite]";

/// Japan's time is this many hours ahead of UTC.
const JAPAN_OFFSET_HOURS: i64 = 9;

pub struct MyAnimeListSource<'s>(pub &'s MyAnimeList);

impl RefreshSource for MyAnimeListSource<'_> {
    const NAME: SourceName = SourceName::MyAnimeList;

    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, SourceError> {
        let (context, until) = (run.context, run.until);
        let since = context.since(run.state.watermark);
        let mut reader = AnimeReader {
            tracker: self.0,
            context,
            since,
            until,
            writer: run.writer(true),
            seen: HashSet::new(),
            changed: HashMap::new(),
        };
        let read = reader.read().await;
        if let Err(SourceError::Store(error)) = read {
            return Err(error.into());
        }
        // An anime may name a related anime that was read only after it. The missing relations are added at the end,
        // even if MyAnimeList has failed.
        reader.writer.write_missing_relations().await?;
        read?;
        Ok(Complete::Read)
    }
}

/// Reads `MyAnimeList`'s anime in one refresh.
struct AnimeReader<'r> {
    tracker: &'r MyAnimeList,
    context: &'r RefreshContext<'r>,
    /// The time since which changes are read, in seconds since the Unix epoch.
    since: u64,
    until: u64,
    writer: AnimeWriter<'r>,
    /// The anime in the lists that have been read so far. It is cleared before the ranking is read.
    seen: HashSet<u32>,
    /// The anime to request, with the time of their last change.
    changed: HashMap<u32, u64>,
}

impl AnimeReader<'_> {
    async fn read(&mut self) -> Result<(), SourceError> {
        let fields = match self.context.scope {
            RefreshScope::Changed => {
                for (year, season) in seasons_around(self.context.began_s) {
                    let list = self.tracker.season(year, season);
                    match self.read_list(list, true).await {
                        // The list of the next season may not exist yet.
                        Err(SourceError::Source(SourceFailure::Request(TrackerError::Final(
                            _,
                        )))) => {}
                        read => read?,
                    }
                }
                ListFields::Changes
            }
            RefreshScope::All => ListFields::All,
        };
        // The check below must find out if the ranking itself is empty.
        self.seen.clear();
        self.read_list(self.tracker.ranking(fields), fields == ListFields::All)
            .await?;
        if self.seen.is_empty() {
            return Err(SourceFailure::Empty.into());
        }
        self.read_changed().await
    }

    /// Reads the pages of a list and collects the changed anime. If `writes_anime` is true, also writes all anime
    /// of the list, which must then have all fields.
    async fn read_list(
        &mut self,
        first: PageAddress,
        writes_anime: bool,
    ) -> Result<(), SourceError> {
        let mut address = first;
        for _ in 0..MAX_PAGES {
            let page =
                call_with_retries(async || self.tracker.page(&address, self.until).await).await?;
            for anime in &page.anime {
                let changed_at = anime.updated_at.unwrap_or_default();
                if changed_at >= self.since || self.context.scope == RefreshScope::All {
                    self.changed.insert(anime.id, changed_at);
                }
                // A list repeats an anime that moves to the next page while the list is read.
                if self.seen.insert(anime.id) && writes_anime {
                    self.add(anime, false);
                }
            }
            self.writer.write().await?;
            self.writer.show("Reading lists of MyAnimeList.", 0, 0);
            match page.next {
                Some(next) => address = next,
                None => return Ok(()),
            }
        }
        Err(SourceFailure::Endless.into())
    }

    /// Requests and writes the anime that have changed. An anime that MyAnimeList cannot return is skipped, because it
    /// would stop all further runs at the same place. Further runs request it again until the watermark is after its
    /// last change. The watermark moves there once an anime with a later change has been read.
    async fn read_changed(&mut self) -> Result<(), SourceError> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        let mut changed: Vec<(u64, u32)> = changed.map(|(id, at)| (at, id)).collect();
        changed.sort_unstable();
        let length = changed.len() as u64;
        let mut failed_in_a_row = 0;
        for (batch, done) in changed.chunks(BATCH_SIZE).zip(0..) {
            let position = done * BATCH_SIZE as u64;
            self.writer.show("Reading MyAnimeList.", length, position);
            let mut ended = Ok(());
            let mut last = None;
            for (changed_at, id) in batch {
                match call_with_retries(async || self.tracker.anime(*id, self.until).await).await {
                    Ok(anime) => {
                        self.add(&anime, true);
                        last = Some(*changed_at);
                        failed_in_a_row = 0;
                    }
                    Err(error)
                        if concerns_one_anime(&error)
                            && failed_in_a_row + 1 < MAX_FAILED_IN_A_ROW =>
                    {
                        failed_in_a_row += 1;
                        let skip = Skip::new(NOT_RETURNED, format!("anime {id}"));
                        self.writer.skip((*id).into(), &skip);
                    }
                    Err(error) => {
                        ended = Err(error);
                        break;
                    }
                }
            }
            self.writer.write().await?;
            if let Some(changed_at) = last {
                self.move_watermark(changed_at).await?;
            }
            ended?;
        }
        if self.context.scope == RefreshScope::All {
            self.move_watermark(self.context.began_s).await?;
        }
        Ok(())
    }

    /// Moves the watermark forward, but not into the future, because a watermark in the future would hide all changes
    /// until its time.
    async fn move_watermark(&self, to: u64) -> Result<()> {
        let to = to.min(self.context.began_s);
        let store = self.context.source(SourceName::MyAnimeList);
        if to > self.since {
            store.move_watermark(to).await?;
        }
        Ok(())
    }

    fn add(&mut self, anime: &MalAnime, is_complete: bool) {
        match build_facts(anime, self.writer.ids) {
            Ok(facts) if is_complete => {
                let relations = build_relations(anime, facts.id);
                self.writer.add_related(facts, relations);
            }
            Ok(facts) => self.writer.add(facts),
            Err(reason) => {
                let skip = Skip::new(reason, anime.title.clone().unwrap_or_default());
                self.writer.skip(anime.id.into(), &skip);
            }
        }
    }
}

/// Returns true if MyAnimeList may be able to return other anime in spite of this error.
fn concerns_one_anime(error: &TrackerError) -> bool {
    match error {
        TrackerError::Final(_) => true,
        TrackerError::Later { detail, .. } => {
            matches!(detail.cause(), Cause::Status(500..) | Cause::Malformed(_))
        }
        TrackerError::Reconnect(_) => false,
    }
}

/// Returns the previous, the current and the next season. `now` is in seconds since the Unix epoch.
fn seasons_around(now: u64) -> Vec<(u16, Season)> {
    let days = (now / (24 * 60 * 60)).cast_signed();
    let date = (OffsetDateTime::UNIX_EPOCH + Duration::days(days)).date();
    let number = i64::from(date.year()) * 4 + i64::from(u8::from(date.month()) - 1) / 3;
    let season = |number: i64| {
        let season = Season::from_wire(number.rem_euclid(4).cast_unsigned());
        Some((u16::try_from(number.div_euclid(4)).ok()?, season?))
    };
    (number - 1..=number + 1).filter_map(season).collect()
}

/// Returns the facts about an anime, without its relations to other anime.
///
/// The anime's row is the row with the same id at MyAnimeList. If there is none, it is the only row without an id at
/// MyAnimeList that has the same title, format and year, because AniList may list an anime before MyAnimeList does.
/// Otherwise the anime gets a new row.
fn build_facts(anime: &MalAnime, ids: &AnimeIds) -> Result<AnimeFacts, &'static str> {
    let number = Some(anime.id).filter(|id| (1..=MAX_TRACKER_ID).contains(id));
    let number = number.ok_or(TRACKER_ID_RANGE)?;
    let format = anime
        .media_type
        .and_then(convert_format)
        .ok_or(OTHER_FORMAT)?;
    let titles = read_titles(anime);
    if titles.is_empty() {
        return Err(NO_TITLE);
    }
    let season = anime.start_season.filter(|season| season.year > 0);
    let year = season.map(|season| season.year);
    let known = ids.at(TrackerName::B, number);
    let known = known.or_else(|| ids.find_alike(TrackerName::B, &titles, format, year));
    let b = Some(number);
    let (id, trackers) = if let Some(id) = known {
        let a = ids.trackers_of(id).and_then(|trackers| trackers.a);
        (id, TrackerIds { a, b })
    } else {
        let trackers = TrackerIds { a: None, b };
        (ids.new_id(trackers)?, trackers)
    };
    let midnight = |date: time::Date| date.midnight().assume_utc();
    let mut facts = AnimeFacts::new(id, FactSource::MyAnimeList, trackers);
    facts.fields = AnimeFields {
        format: Some(format),
        status: anime.status.and_then(convert_status),
        titles,
        synonyms: anime.alternative_titles.synonyms.clone(),
        popularity: anime.num_list_users,
        description_en: read_description(anime),
        start_date: anime.start_date.map(midnight),
        end_date: anime.end_date.map(midnight),
        weekly_airing_day: next_airing_day(anime),
        season_period: season.and_then(|season| season.season),
        season_year: year,
        episodes_count: count_released_episodes(anime),
        episode_duration: read_minutes(anime),
        cover_image: read_cover(anime),
        genres: read_genres(&anime.genres),
        score: anime.mean.and_then(|mean| Score::new(mean * 10.0)),
        nsfw: anime.nsfw.and_then(convert_nsfw),
        ..AnimeFields::default()
    };
    facts.check_texts()?;
    Ok(facts)
}

fn build_relations(anime: &MalAnime, id: AnimeId) -> TrackerRelations {
    let related = |relation| {
        let others = anime.related_anime.iter();
        let others = others.filter(move |other| other.relation == relation);
        others.map(|other| other.node.id).collect()
    };
    let mut similar = anime.recommendations.clone();
    similar.sort_by_key(|other| std::cmp::Reverse(other.count));
    TrackerRelations {
        id,
        tracker: TrackerName::B,
        // MyAnimeList's prequel is the preceding anime. In the API, it is the sequel.
        preceding: related(Relation::Prequel),
        successive: related(Relation::Sequel),
        similar: similar.iter().map(|other| other.node.id).collect(),
    }
}

/// Returns the titles by localization code. The main title is in Latin script, so its code is `rj`.
fn read_titles(anime: &MalAnime) -> Localized {
    let others = &anime.alternative_titles;
    let titles = [("rj", &anime.title), ("en", &others.en), ("jp", &others.ja)];
    let titles = titles.into_iter();
    let titles =
        titles.filter_map(|(code, title)| Some((code.to_owned(), non_blank(title.clone())?)));
    titles.collect()
}

fn convert_format(media_type: MediaType) -> Option<AnimeFormat> {
    match media_type {
        MediaType::Tv => Some(AnimeFormat::Tv),
        MediaType::Movie => Some(AnimeFormat::Movie),
        MediaType::Special | MediaType::TvSpecial => Some(AnimeFormat::Special),
        MediaType::Ova => Some(AnimeFormat::Ova),
        MediaType::Ona => Some(AnimeFormat::Ona),
        MediaType::Music => Some(AnimeFormat::Music),
        MediaType::Other => None,
    }
}

fn convert_status(status: AiringStatus) -> Option<AnimeStatus> {
    match status {
        AiringStatus::FinishedAiring => Some(AnimeStatus::Finished),
        AiringStatus::CurrentlyAiring => Some(AnimeStatus::Releasing),
        AiringStatus::NotYetAired => Some(AnimeStatus::NotYetReleased),
        AiringStatus::Other => None,
    }
}

/// Returns the number of released episodes, if it is known. MyAnimeList states the number of planned episodes, so the
/// number of released episodes is unknown while an anime airs.
fn count_released_episodes(anime: &MalAnime) -> Option<u32> {
    match anime.status? {
        AiringStatus::FinishedAiring => anime.num_episodes.filter(|count| *count > 0),
        AiringStatus::NotYetAired => Some(0),
        AiringStatus::CurrentlyAiring | AiringStatus::Other => None,
    }
}

/// Returns the duration of an episode, rounded to minutes, at least 1.
fn read_minutes(anime: &MalAnime) -> Option<u32> {
    let seconds = anime
        .average_episode_duration
        .filter(|seconds| *seconds > 0);
    seconds.map(|seconds| (seconds.saturating_add(30) / 60).max(1))
}

/// Returns the day of the week, in UTC, on which the next episodes air. MyAnimeList states the day and the time in
/// Japan. Without the time, the day in UTC is unknown. The stated day of an anime that has finished airing is ignored.
fn next_airing_day(anime: &MalAnime) -> Option<Weekday> {
    let is_over = anime.status == Some(AiringStatus::FinishedAiring);
    let Broadcast { day, time } = anime.broadcast;
    let (day, time) = (day.filter(|_| !is_over)?, time?);
    let is_previous_day = time < Time::MIDNIGHT + Duration::hours(JAPAN_OFFSET_HOURS);
    let back = if is_previous_day { 6 } else { 0 };
    Weekday::from_wire((u64::from(u8::from(day)) + back) % 7)
}

fn read_description(anime: &MalAnime) -> Option<String> {
    let text = anime.synopsis.as_deref()?.trim();
    let text = text.strip_suffix(REWRITE_NOTE).unwrap_or(text);
    non_blank(Some(text.to_owned()))
}

fn read_cover(anime: &MalAnime) -> Option<String> {
    let picture = &anime.main_picture;
    https_url(picture.large.as_ref().or(picture.medium.as_ref())?)
}

/// Returns each genre once, in alphabetical order. MyAnimeList also lists themes and demographics. Some of them are
/// genres in the catalogue, and the others are left out.
fn read_genres(names: &[String]) -> Option<Vec<String>> {
    let names = names.iter().map(|name| name.trim().to_lowercase());
    let genres: BTreeSet<&str> = names.filter_map(|name| genre_of_tag(&name)).collect();
    (!genres.is_empty()).then(|| genres.into_iter().map(str::to_owned).collect())
}

/// Converts the mark for adult content. MyAnimeList marks many harmless anime as gray, so gray counts as unknown.
fn convert_nsfw(nsfw: Nsfw) -> Option<bool> {
    match nsfw {
        Nsfw::White => Some(false),
        Nsfw::Black => Some(true),
        Nsfw::Gray | Nsfw::Other => None,
    }
}
