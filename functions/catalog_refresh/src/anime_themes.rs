//! Refreshes songs from `AnimeThemes`.
//!
//! A full run requests the songs of all anime that have an identifier at AniList. Every other run requests the songs of
//! two groups of anime:
//!
//! - pending anime, which the refresh of AniList or MyAnimeList has written. Their songs may have changed before the
//!   watermark of the songs, when the anime was not in the catalogue yet. An anime is recorded as pending before it is
//!   written. It stays pending until a run has requested its songs, or has found that it has no identifier at AniList;
//! - anime with songs that have changed at AnimeThemes since the watermark of the songs.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use catalogue::import::{
    AnimeIds, MergePlan, MergeReport, Skip, SongFacts, check_lengths, non_blank,
};
use catalogue::refresh::RefreshStore;
use catalogue::rows::{CatalogueRow, CatalogueStore};
use dynamo::MAX_BATCH_READ;
use futures_util::future::try_join_all;
use shared::Result;
use shared::models::{AnimeId, Season, Song, SongId, SongType, TrackerName};
use trackers::anime_themes::{PER_PAGE, Theme, ThemedAnime};
use trackers::{AnimeThemes, TrackerError};

use crate::context::{RefreshContext, RefreshProgress, RefreshScope, StageUnit};
use crate::report::{SourceFailure, SourceName};
use crate::source::{Complete, RefreshSource, SourceError, SourceRun, call_with_retries};

/// The reason for skipping a song without a title.
pub const NO_SONG_TITLE: &str = "it has a song without a title";
/// The reason for skipping a song of an anime for which the last of its 1,024 song numbers is taken. The anime can have
/// fewer songs, because the numbers of deleted songs are not used again.
pub const TOO_MANY_SONGS: &str = "it already has 1,024 songs";

/// The maximum number of anime whose songs are read from the table at the same time.
const ANIME_AT_ONCE: usize = 10;

pub struct AnimeThemesSource<'s>(pub &'s AnimeThemes);

impl RefreshSource for AnimeThemesSource<'_> {
    const NAME: SourceName = SourceName::AnimeThemes;

    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, SourceError> {
        let scope = run.context.scope;
        let mut songs = SongRefresh {
            context: run.context,
            store: run.context.songs.clone(),
            progress: run.context.progress::<Song>(),
            ids: run.ids,
            counts: &mut run.counts,
            anime_read: 0,
        };
        match scope {
            RefreshScope::Changed => songs.read_changed(self.0, run.until).await?,
            RefreshScope::All => songs.read_all(self.0, run.until).await?,
        }
        Ok(Complete::Read)
    }
}

struct SongRefresh<'r> {
    context: &'r RefreshContext<'r>,
    store: CatalogueStore<Song>,
    progress: RefreshStore,
    ids: &'r AnimeIds,
    counts: &'r mut MergeReport,
    anime_read: u64,
}

impl SongRefresh<'_> {
    async fn read_all(
        &mut self,
        themes: &AnimeThemes,
        deadline_ms: u64,
    ) -> Result<(), SourceError> {
        let state = self.progress.state().await?;
        let anilist_ids = self.ids.all_at_tracker_a();
        self.read_songs_of(themes, &anilist_ids, deadline_ms)
            .await?;
        // The songs of every pending anime with an identifier at AniList have been requested above. The songs of the
        // other pending anime cannot be requested.
        let pending: Vec<AnimeId> = state.pending.into_iter().collect();
        self.progress.remove_pending(&pending).await?;
        let (context, progress) = (self.context, &self.progress);
        let move_watermark = context.move_watermark(progress, state.watermark, None);
        Ok(move_watermark.await?)
    }

    async fn read_changed(
        &mut self,
        themes: &AnimeThemes,
        deadline_ms: u64,
    ) -> Result<(), SourceError> {
        let state = self.progress.state().await?;
        let pending: Vec<AnimeId> = state.pending.into_iter().collect();
        for chunk in pending.chunks(PER_PAGE) {
            // Anime are found at AnimeThemes by their identifiers at AniList. The songs of an anime without such an
            // identifier cannot be requested.
            let trackers = chunk.iter().filter_map(|id| self.ids.trackers_of(*id));
            let anilist_ids: Vec<u32> = trackers.filter_map(|trackers| trackers.a).collect();
            self.read_songs_of(themes, &anilist_ids, deadline_ms)
                .await?;
            self.progress.remove_pending(chunk).await?;
        }
        let since = self.context.since(state.watermark);
        let (anime, newest) = find_changed(themes, since, deadline_ms).await?;
        if newest.is_none() {
            return Err(SourceFailure::Empty.into());
        }
        let anime: Vec<u64> = anime.into_iter().collect();
        let stage = "Reading changed songs.";
        self.show(stage, anime.len(), 0);
        for (ids, chunks_done) in anime.chunks(PER_PAGE).zip(1..) {
            let found =
                call_with_retries(async || themes.find_by_ids(ids, deadline_ms).await).await?;
            self.merge_and_write(&found).await?;
            self.anime_read += ids.len() as u64;
            self.show(stage, anime.len(), chunks_done);
        }
        let (context, progress) = (self.context, &self.progress);
        let move_watermark = context.move_watermark(progress, state.watermark, newest);
        Ok(move_watermark.await?)
    }

    /// Requests and writes the songs of the anime with these identifiers at AniList.
    async fn read_songs_of(
        &mut self,
        themes: &AnimeThemes,
        anilist_ids: &[u32],
        deadline_ms: u64,
    ) -> Result<(), SourceError> {
        let stage = "Reading songs.";
        self.show(stage, anilist_ids.len(), 0);
        for (chunk, chunks_done) in anilist_ids.chunks(PER_PAGE).zip(1..) {
            let found =
                call_with_retries(async || themes.find_by_tracker_a(chunk, deadline_ms).await)
                    .await?;
            self.merge_and_write(&found).await?;
            self.anime_read += chunk.len() as u64;
            self.show(stage, anilist_ids.len(), chunks_done);
        }
        Ok(())
    }

    /// Shows the progress of a stage that reads the songs of `anime_count` anime in chunks of [`PER_PAGE`] anime, after
    /// `chunks_done` chunks.
    fn show(&self, stage: &'static str, anime_count: usize, chunks_done: u64) {
        (self.context.show)(RefreshProgress {
            stage,
            unit: StageUnit::Share,
            length: anime_count.div_ceil(PER_PAGE) as u64,
            position: chunks_done,
            entries: self.anime_read,
        });
    }

    async fn merge_and_write(&mut self, found: &[ThemedAnime]) -> Result<()> {
        // One anime of the catalogue may be several anime at AnimeThemes, and the reverse.
        let mut by_anime: BTreeMap<AnimeId, Vec<&ThemedAnime>> = BTreeMap::new();
        for themed in found {
            let anilist_ids = themed.tracker_a_ids.iter();
            let anime = anilist_ids.filter_map(|number| self.ids.at(TrackerName::A, *number));
            for id in anime.collect::<BTreeSet<_>>() {
                by_anime.entry(id).or_default().push(themed);
            }
        }
        let all: Vec<_> = by_anime.into_iter().collect();
        for chunk in all.chunks(ANIME_AT_ONCE) {
            let rows = chunk.iter().map(|(id, _)| self.store.songs_of_anime(*id));
            let rows = try_join_all(rows).await?;
            let mut facts = Vec::new();
            for ((id, themed), rows) in chunk.iter().zip(rows) {
                let mut known = KnownSongs::new(*id, rows)?;
                for themed in themed {
                    self.collect_facts(&mut known, themed, &mut facts);
                }
            }
            for facts in facts.chunks(MAX_BATCH_READ) {
                self.write(facts.to_vec()).await?;
            }
        }
        Ok(())
    }

    /// Adds the facts that AnimeThemes states about an anime's songs to `facts`.
    fn collect_facts(
        &mut self,
        known: &mut KnownSongs,
        themed: &ThemedAnime,
        facts: &mut Vec<SongFacts>,
    ) {
        for theme in &themed.themes {
            match known.facts(themed, theme) {
                Ok(Some(song_facts)) => facts.push(song_facts),
                Ok(None) => {}
                Err(reason) => {
                    let number = themed.tracker_a_ids.first().copied();
                    let about = theme.title.clone().unwrap_or_default();
                    let skip = Skip::new(reason, about);
                    self.counts.skip(number.unwrap_or_default().into(), &skip);
                }
            }
        }
    }

    async fn write(&mut self, facts: Vec<SongFacts>) -> Result<()> {
        let plan = MergePlan::make(&self.store, facts).await?;
        self.counts.add_written(plan.counts());
        if plan.is_empty() {
            return Ok(());
        }
        self.progress.announce().await?;
        plan.carry_out(&self.store).await
    }
}

/// Returns the identifiers at AnimeThemes of the anime with a song that has changed since `since`, and the time of the
/// latest change on the first page; `None` if AnimeThemes has no songs. Times are in seconds since the Unix epoch.
async fn find_changed(
    themes: &AnimeThemes,
    since: u64,
    deadline_ms: u64,
) -> Result<(BTreeSet<u64>, Option<u64>), TrackerError> {
    let (mut anime, mut newest) = (BTreeSet::new(), None);
    let mut is_last_page = false;
    for number in 1.. {
        let page =
            call_with_retries(async || themes.list_changes(number, deadline_ms).await).await?;
        newest = newest.or_else(|| page.changes.iter().map(|(at, _)| *at).max());
        let new = page.changes.iter().filter(|(at, _)| *at >= since);
        anime.extend(new.filter_map(|(_, anime)| *anime));
        // The pages are sorted by the time of the change, so no page after one with a change before `since` needs to be
        // read. One more page is still read as a margin, because songs move between the pages while they are read. A
        // song that changes meanwhile is found by the next run, whose `since` is at most `newest`.
        if is_last_page || !page.has_next_page {
            break;
        }
        is_last_page = page.changes.iter().any(|(at, _)| *at < since);
    }
    Ok((anime, newest))
}

/// The songs of an anime in the catalogue.
struct KnownSongs {
    anime: AnimeId,
    /// Each song in two versions: as the sources state it, and with its corrections.
    songs: Vec<(Song, Song)>,
    next_slot: u16,
    /// The songs of AnimeThemes that have already been handled, by type and title.
    handled_themes: HashSet<(SongType, String)>,
    /// The songs of the catalogue that have matched a song of AnimeThemes.
    matched_songs: HashSet<SongId>,
}

impl KnownSongs {
    fn new(anime: AnimeId, rows: Vec<CatalogueRow<Song>>) -> Result<Self> {
        // A free slot before the last song is not filled, because the identifier may have belonged to a deleted song.
        let slots = rows.iter().map(|song| song.document.id.slot() + 1);
        let next_slot = slots.max().unwrap_or_default();
        let both =
            |song: CatalogueRow<Song>| Ok((song.without_corrections()?.document, song.document));
        let songs: Result<_> = rows.into_iter().map(both).collect();
        Ok(Self {
            anime,
            next_slot,
            songs: songs?,
            handled_themes: HashSet::new(),
            matched_songs: HashSet::new(),
        })
    }

    /// Returns the facts about a song, or `None` for a song that has already been handled. The facts leave out an
    /// artist, a year and a season that the row already has, because the operator may have imported them.
    fn facts(
        &mut self,
        themed: &ThemedAnime,
        theme: &Theme,
    ) -> Result<Option<SongFacts>, &'static str> {
        let title = non_blank(theme.title.clone()).ok_or(NO_SONG_TITLE)?;
        if !self.handled_themes.insert((theme.song_type, title.clone())) {
            return Ok(None);
        }
        let matches = |song: &Song| (song.song_type, &song.title) == (theme.song_type, &title);
        // AnimeThemes can know a song under the title that the sources state, or under the corrected title.
        let by_stated_title = self.songs.iter().find(|(stated, _)| matches(stated));
        let known = by_stated_title.or_else(|| {
            let mut songs = self.songs.iter();
            songs.find(|(_, corrected)| matches(corrected))
        });
        let known = known.map(|(stated, _)| stated);
        let id = match known {
            Some(song) if !self.matched_songs.insert(song.id) => return Ok(None),
            Some(song) => song.id,
            None => SongId::of_anime(self.anime, self.next_slot).ok_or(TOO_MANY_SONGS)?,
        };
        let mut facts = SongFacts {
            id,
            anime_id: self.anime,
            song_type: theme.song_type,
            title,
            artist: non_blank(Some(theme.artist.clone())),
            album: None,
            year: themed.year.filter(|year| *year > 0),
            season: themed.season,
            duration: None,
            preview_url: None,
            open_player_url: None,
            local_player_url: None,
        };
        check_lengths(facts.texts())?;
        match known {
            Some(song) => {
                facts.artist = facts.artist.filter(|_| song.artist.is_empty());
                // The season belongs to the year, so it is taken only if the song has no year or the same year.
                let is_same_year = song.year == 0 || facts.year == Some(song.year);
                let needs_season = is_same_year && song.season == Season::Unknown;
                facts.season = facts.season.filter(|_| needs_season);
                facts.year = facts.year.filter(|_| song.year == 0);
            }
            None => self.next_slot += 1,
        }
        Ok(Some(facts))
    }
}
