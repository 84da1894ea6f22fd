//! Refreshes the anime from tracker A.

use std::collections::HashMap;

use catalogue::import::{AnimeFacts, AnimeIds, Plan, Report as Counts, Skip};
use shared::Error;
use shared::models::{Anime, AnimeId, Song};
use store::{CatalogueStore, MAX_BATCH_READ, RefreshStore};
use trackers::anilist::{Media, MediaPage};
use trackers::{AniList, TrackerError};

use crate::media::{self, FoundRelations, Relations};
use crate::{Context, Progress, Scope, ask};

/// One refresh of the anime.
pub struct Run<'r> {
    context: &'r Context<'r>,
    store: CatalogueStore<Anime>,
    progress: RefreshStore,
    /// Records the written anime, so that the refresh of the songs requests their songs. `None` if the run
    /// refreshes no songs, or the songs of all anime.
    song_progress: Option<RefreshStore>,
    ids: &'r mut AnimeIds,
    /// The time of the last change of each anime that was read, by its identifier at tracker A.
    seen: HashMap<u32, u64>,
    /// For each anime, all related anime that tracker A names, and the related anime that have been written
    /// to its row.
    relations: HashMap<AnimeId, (Relations, FoundRelations)>,
    counts: Counts,
}

/// The state of reading, across pages.
#[derive(Default)]
struct Reading {
    /// The time of the latest change on the first page that has any.
    newest: Option<u64>,
    /// True once an anime was read whose last change is before the watermark.
    is_behind: bool,
}

impl<'r> Run<'r> {
    /// Creates a run that knows these anime.
    pub fn new(context: &'r Context<'r>, ids: &'r mut AnimeIds, fills_songs: bool) -> Self {
        // A full refresh requests the songs of all anime anyway.
        let notes_songs = fills_songs && context.scope == Scope::Changed;
        Self {
            context,
            store: context.store(),
            progress: context.progress::<Anime>(),
            song_progress: notes_songs.then(|| context.progress::<Song>()),
            ids,
            seen: HashMap::new(),
            relations: HashMap::new(),
            counts: Counts::numbered_by("anime"),
        }
    }

    /// Returns the counts of the anime.
    pub fn into_counts(self) -> Counts {
        self.counts
    }

    /// Reads and writes the anime. Returns the error that ended reading early, if any.
    pub async fn read(
        &mut self,
        tracker: &AniList,
        until: u64,
    ) -> Result<Option<TrackerError>, Error> {
        let watermark = self.progress.state().await?.watermark;
        let since = self.context.since(watermark);
        let read = self.read_pages(tracker, since, until).await?;
        // An anime may name a related one that was read after it.
        self.link().await?;
        match read {
            Err(error) => Ok(Some(error)),
            Ok(newest) => {
                let to = self.context.next_watermark(newest);
                if let Some(to) = to.filter(|to| watermark.is_none_or(|now| now < *to)) {
                    self.progress.move_watermark(to).await?;
                }
                Ok(None)
            }
        }
    }

    async fn read_pages(
        &mut self,
        tracker: &AniList,
        since: u64,
        until: u64,
    ) -> Result<Result<Option<u64>, TrackerError>, Error> {
        let length = self.length(since);
        self.show(length, 0);
        let mut reading = Reading::default();
        for number in 1.. {
            let page = ask(async || match self.context.scope {
                Scope::Changed => tracker.updated_media(number, until).await,
                Scope::All => tracker.all_media(number, until).await,
            });
            let page = match page.await {
                Ok(page) => page,
                Err(error) => return Ok(Err(error)),
            };
            let was_behind = reading.is_behind;
            reading.note(&page, since);
            let position = self.position(&page, since);
            let more = page.more;
            self.take(page.media).await?;
            self.show(length, position);
            // One page more than necessary is read: anime that change meanwhile move to the first page, and
            // the others move back.
            if !more || (was_behind && self.context.scope == Scope::Changed) {
                break;
            }
        }
        Ok(Ok(reading.newest))
    }

    /// Returns the length of the stage. Tracker A does not state the number of pages, so progress is measured
    /// in time of change, or for a full refresh in identifiers.
    fn length(&self, since: u64) -> u64 {
        match self.context.scope {
            Scope::Changed => self.context.began_s.saturating_sub(since),
            Scope::All => {
                let last = self.ids.all_at_tracker_a().last().copied();
                last.unwrap_or_default().into()
            }
        }
    }

    fn show(&self, length: u64, position: u64) {
        (self.context.show)(Progress {
            stage: "Reading anime.",
            length,
            position,
            entries: self.counts.read(),
        });
    }

    fn position(&self, page: &MediaPage, since: u64) -> u64 {
        let last = page.media.last();
        match self.context.scope {
            Scope::Changed => {
                let changed = last.and_then(|media| media.updated_at).unwrap_or(since);
                self.context.began_s.saturating_sub(changed.max(since))
            }
            Scope::All => last.map_or(0, |media| media.id.into()),
        }
    }

    /// Merges and writes the anime of a page.
    async fn take(&mut self, page: Vec<Media>) -> Result<(), Error> {
        let mut facts: Vec<AnimeFacts> = Vec::with_capacity(page.len());
        for media in page {
            if self.is_news(&media) {
                match self.facts(&media) {
                    Ok(said) => facts.push(said),
                    Err(reason) => {
                        let titles = media.title;
                        let title = titles.romaji.or(titles.english).or(titles.native);
                        let skip = Skip::new(reason, title.unwrap_or_default());
                        self.counts.skip(media.id.into(), &skip);
                    }
                }
            }
        }
        // Only now, because an anime may name a related one of the same page.
        let facts = facts.into_iter().map(|facts| {
            let found = self.relations.get_mut(&facts.id).map(|(relations, found)| {
                *found = relations.find(self.ids);
                found.clone()
            });
            found.unwrap_or_default().within(facts)
        });
        let plan = Plan::make(&self.store, facts.collect()).await?;
        self.counts.added += plan.added();
        self.counts.changed += plan.changed();
        self.counts.unchanged += plan.unchanged();
        self.carry_out(plan).await
    }

    /// Returns true for an anime that was not read yet or has changed since it was read. Pages can repeat
    /// anime, because anime move while pages are read.
    fn is_news(&mut self, media: &Media) -> bool {
        let changed = media.updated_at.unwrap_or_default();
        self.seen
            .insert(media.id, changed)
            .is_none_or(|seen| seen < changed)
    }

    fn facts(&mut self, media: &Media) -> Result<AnimeFacts, &'static str> {
        let (id, trackers) = media::identify(media, self.ids)?;
        let facts = media::facts(media, (id, trackers))?;
        self.ids.insert(id, trackers);
        let relations = Relations::of(media, id);
        self.relations
            .insert(id, (relations, FoundRelations::default()));
        Ok(facts)
    }

    /// Adds the relations that could not be written with their anime, because the related anime was read
    /// later.
    async fn link(&mut self) -> Result<(), Error> {
        let mut facts = Vec::new();
        for (relations, written) in self.relations.values() {
            let found = relations.find(self.ids);
            if found != *written {
                facts.push(relations.facts(found, self.ids));
            }
        }
        for facts in facts.chunks(MAX_BATCH_READ) {
            let plan = Plan::make(&self.store, facts.to_vec()).await?;
            self.carry_out(plan).await?;
        }
        Ok(())
    }

    async fn carry_out(&self, plan: Plan<AnimeFacts>) -> Result<(), Error> {
        if plan.is_empty() {
            return Ok(());
        }
        // Recorded before the writes: if the run ends between the two, the next one requests the songs and
        // publishes.
        if let Some(songs) = &self.song_progress {
            let anime: Vec<AnimeId> = plan.ids().filter_map(AnimeId::new).collect();
            songs.add_pending(&anime).await?;
        }
        self.progress.announce().await?;
        plan.carry_out(&self.store).await
    }
}

impl Reading {
    fn note(&mut self, page: &MediaPage, since: u64) {
        let changed = |media: &Media| media.updated_at;
        if self.newest.is_none() {
            self.newest = page.media.iter().filter_map(changed).max();
        }
        let is_older = |media: &Media| media.updated_at.unwrap_or_default() < since;
        self.is_behind = self.is_behind || page.media.iter().any(is_older);
    }
}
