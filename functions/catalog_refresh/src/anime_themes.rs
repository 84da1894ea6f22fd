//! Refreshes songs from `AnimeThemes`.
//!
//! A run requests the songs of two groups of anime. The first has songs that have changed at AnimeThemes
//! since the watermark of the songs. The second was written by the refresh of the anime, and its songs may be
//! older than that watermark. Anime of the second group are recorded as pending before they are written, and
//! stay pending until their songs have been read.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use catalogue::import::{
    AnimeIds, MergePlan, MergeReport, Skip, SongFacts, check_lengths, non_blank,
};
use futures_util::future::try_join_all;
use shared::Error;
use shared::models::{AnimeId, Season, Song, SongId, SongType};
use store::{CatalogueRow, CatalogueStore, MAX_BATCH_READ, RefreshStore};
use trackers::anime_themes::{PER_PAGE, Theme, ThemedAnime};
use trackers::{AnimeThemes, TrackerError};

use crate::context::{RefreshContext, RefreshProgress, RefreshScope};
use crate::report::{Failure, SourceName};
use crate::source::{Complete, Ended, RefreshSource, SourceRun, ask};

/// The skip reason for a song without a title.
pub const NO_SONG_TITLE: &str = "it has a song without a title";
/// The skip reason for a song of an anime that already has the maximum number of songs.
pub const TOO_MANY: &str = "it already has 1,024 songs";

/// The number of anime whose songs are read from the store at once.
const AT_ONCE: usize = 10;

/// The source of songs.
pub struct Themes<'s>(pub &'s AnimeThemes);

impl RefreshSource for Themes<'_> {
    const NAME: SourceName = SourceName::AnimeThemes;

    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, Ended> {
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

/// One refresh of the songs.
struct SongRefresh<'r> {
    context: &'r RefreshContext<'r>,
    store: CatalogueStore<Song>,
    progress: RefreshStore,
    ids: &'r AnimeIds,
    counts: &'r mut MergeReport,
    anime_read: u64,
}

impl SongRefresh<'_> {
    async fn read_all(&mut self, themes: &AnimeThemes, until: u64) -> Result<(), Ended> {
        let state = self.progress.state().await?;
        let numbers = self.ids.all_at_tracker_a();
        self.read_songs_of(themes, &numbers, until).await?;
        // The songs of all anime have been read, including those of the pending anime.
        let pending: Vec<AnimeId> = state.pending.into_iter().collect();
        self.progress.remove_pending(&pending).await?;
        self.move_watermark(state.watermark, None).await
    }

    async fn read_changed(&mut self, themes: &AnimeThemes, until: u64) -> Result<(), Ended> {
        let state = self.progress.state().await?;
        let pending: Vec<AnimeId> = state.pending.into_iter().collect();
        for pending in pending.chunks(PER_PAGE) {
            // AnimeThemes finds anime by their identifier at tracker A. Anime without one have no songs
            // there.
            let trackers = pending.iter().filter_map(|id| self.ids.trackers_of(*id));
            let numbers: Vec<u32> = trackers.filter_map(|trackers| trackers.a).collect();
            self.read_songs_of(themes, &numbers, until).await?;
            self.progress.remove_pending(pending).await?;
        }
        let since = self.context.since(state.watermark);
        let (anime, newest) = changed_since(themes, since, until).await?;
        if newest.is_none() {
            return Err(Failure::Empty.into());
        }
        let anime: Vec<u64> = anime.into_iter().collect();
        let stage = "Reading changed songs.";
        self.show(stage, anime.len(), 0);
        for (ids, done) in anime.chunks(PER_PAGE).zip(1..) {
            let found = ask(async || themes.by_ids(ids, until).await).await?;
            self.merge_and_write(&found).await?;
            self.anime_read += ids.len() as u64;
            self.show(stage, anime.len(), done);
        }
        self.move_watermark(state.watermark, newest).await
    }

    async fn move_watermark(&self, from: Option<u64>, newest: Option<u64>) -> Result<(), Ended> {
        let to = self.context.next_watermark(newest);
        if let Some(to) = to.filter(|to| from.is_none_or(|from| from < *to)) {
            self.progress.move_watermark(to).await?;
        }
        Ok(())
    }

    /// Requests and writes the songs of the anime with these identifiers at tracker A.
    async fn read_songs_of(
        &mut self,
        themes: &AnimeThemes,
        numbers: &[u32],
        until: u64,
    ) -> Result<(), Ended> {
        let stage = "Reading songs.";
        self.show(stage, numbers.len(), 0);
        for (page, done) in numbers.chunks(PER_PAGE).zip(1..) {
            let found = ask(async || themes.by_tracker_a(page, until).await).await?;
            self.merge_and_write(&found).await?;
            self.anime_read += page.len() as u64;
            self.show(stage, numbers.len(), done);
        }
        Ok(())
    }

    /// Shows the progress of a stage after `done` requests. `anime` is the number of anime whose songs the
    /// stage reads, at most [`PER_PAGE`] in each request.
    fn show(&self, stage: &'static str, anime: usize, done: u64) {
        (self.context.show)(RefreshProgress {
            stage,
            length: anime.div_ceil(PER_PAGE) as u64,
            position: done,
            entries: self.anime_read,
        });
    }

    /// Merges and writes the songs of these anime.
    async fn merge_and_write(&mut self, found: &[ThemedAnime]) -> Result<(), Error> {
        // One anime of the catalogue may be several at AnimeThemes, and the reverse.
        let mut by_anime: BTreeMap<AnimeId, Vec<&ThemedAnime>> = BTreeMap::new();
        for themed in found {
            let numbers = themed.tracker_a_ids.iter();
            let anime = numbers.filter_map(|number| self.ids.at_tracker_a(*number));
            for id in anime.collect::<BTreeSet<_>>() {
                by_anime.entry(id).or_default().push(themed);
            }
        }
        let all: Vec<_> = by_anime.into_iter().collect();
        for some in all.chunks(AT_ONCE) {
            let known = some.iter().map(|(id, _)| self.store.of_anime(*id));
            let known = try_join_all(known).await?;
            let mut facts = Vec::new();
            for ((id, themed), known) in some.iter().zip(known) {
                let mut songs = Songs::of(*id, known)?;
                for themed in themed {
                    self.songs(&mut songs, themed, &mut facts);
                }
            }
            for facts in facts.chunks(MAX_BATCH_READ) {
                self.write(facts.to_vec()).await?;
            }
        }
        Ok(())
    }

    /// Collects the facts about an anime's songs.
    fn songs(&mut self, songs: &mut Songs, themed: &ThemedAnime, facts: &mut Vec<SongFacts>) {
        for theme in &themed.themes {
            match songs.facts(themed, theme) {
                Ok(Some(said)) => facts.push(said),
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

    async fn write(&mut self, facts: Vec<SongFacts>) -> Result<(), Error> {
        let plan = MergePlan::make(&self.store, facts).await?;
        self.counts.added += plan.added();
        self.counts.changed += plan.changed();
        self.counts.unchanged += plan.unchanged();
        if plan.is_empty() {
            return Ok(());
        }
        self.progress.announce().await?;
        plan.carry_out(&self.store).await
    }
}

/// Returns the anime with a song that has changed since `since`, by their identifiers at AnimeThemes, and the
/// time of the latest change.
async fn changed_since(
    themes: &AnimeThemes,
    since: u64,
    until: u64,
) -> Result<(BTreeSet<u64>, Option<u64>), TrackerError> {
    let (mut anime, mut newest) = (BTreeSet::new(), None);
    let mut is_behind = false;
    for number in 1.. {
        let page = ask(async || themes.changed(number, until).await).await?;
        newest = newest.or_else(|| page.changes.iter().map(|(at, _)| *at).max());
        let new = page.changes.iter().filter(|(at, _)| *at >= since);
        anime.extend(new.filter_map(|(_, anime)| *anime));
        // One page more than necessary is read, because songs that change meanwhile move to the first page and shift
        // the other songs to later pages.
        if is_behind || !page.has_next_page {
            break;
        }
        is_behind = page.changes.iter().any(|(at, _)| *at < since);
    }
    Ok((anime, newest))
}

/// The songs of an anime.
struct Songs {
    anime: AnimeId,
    /// The songs, each as the sources state it, and with its corrections.
    known: Vec<(Song, Song)>,
    next_slot: u16,
    /// The songs that were handled already, by type and title.
    seen: HashSet<(SongType, String)>,
    /// The known songs that were handled already.
    seen_ids: HashSet<SongId>,
}

impl Songs {
    fn of(anime: AnimeId, known: Vec<CatalogueRow<Song>>) -> Result<Self, Error> {
        // A free slot before the last song is not filled, because the identifier may have belonged to a
        // deleted song.
        let slots = known.iter().map(|song| song.document.id.slot() + 1);
        let next_slot = slots.max().unwrap_or_default();
        let both = |song: CatalogueRow<Song>| Ok((song.stated()?.document, song.document));
        let known: Result<_, Error> = known.into_iter().map(both).collect();
        Ok(Self {
            anime,
            next_slot,
            known: known?,
            seen: HashSet::new(),
            seen_ids: HashSet::new(),
        })
    }

    /// Returns the facts about a song, or `None` for one that was handled already. Values that the row has
    /// are kept, because the operator may have imported them.
    fn facts(
        &mut self,
        themed: &ThemedAnime,
        theme: &Theme,
    ) -> Result<Option<SongFacts>, &'static str> {
        let title = non_blank(theme.title.clone()).ok_or(NO_SONG_TITLE)?;
        if !self.seen.insert((theme.song_type, title.clone())) {
            return Ok(None);
        }
        let is_it = |song: &Song| (song.song_type, &song.title) == (theme.song_type, &title);
        let find =
            |is_it: &dyn Fn(&(Song, Song)) -> bool| self.known.iter().find(|known| is_it(known));
        // AnimeThemes can know a song under the title that the sources state, or under the corrected one.
        let known = find(&|(stated, _)| is_it(stated)).or_else(|| find(&|(_, song)| is_it(song)));
        let known = known.map(|(stated, _)| stated);
        let id = match known {
            Some(song) if !self.seen_ids.insert(song.id) => return Ok(None),
            Some(song) => song.id,
            None => SongId::of_anime(self.anime, self.next_slot).ok_or(TOO_MANY)?,
        };
        let mut said = SongFacts {
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
        check_lengths(said.texts())?;
        match known {
            Some(song) => {
                said.artist = said.artist.filter(|_| song.artist.is_empty());
                // The season belongs to the year, so it is not taken from another year.
                let is_same_year = song.year == 0 || said.year == Some(song.year);
                let needs_season = is_same_year && song.season == Season::Unknown;
                said.season = said.season.filter(|_| needs_season);
                said.year = said.year.filter(|_| song.year == 0);
            }
            None => self.next_slot += 1,
        }
        Ok(Some(said))
    }
}
