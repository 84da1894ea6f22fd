//! Refreshes anime from tracker A.
//!
//! Anime are read by time of change, latest first, back to a watermark: the time up to which all changes have
//! been written. The watermark moves only when everything after it is written. A run that ends early keeps what
//! it wrote, and the next one starts again from the old watermark.

mod media;
mod plain_text;

use std::collections::HashMap;

use catalogue::import::Skip;
use shared::Error;
use shared::models::Anime;
use trackers::AniList;
use trackers::anilist::{Media, MediaPage};

use crate::context::{RefreshContext, RefreshScope};
use crate::report::{Failure, SourceName};
use crate::source::{Complete, Ended, RefreshSource, SourceRun, ask};
use crate::writer::AnimeWriter;

/// Tracker A.
pub struct TrackerA<'s>(pub &'s AniList);

impl RefreshSource for TrackerA<'_> {
    const NAME: SourceName = SourceName::AniList;

    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, Ended> {
        let progress = run.context.progress::<Anime>();
        let watermark = progress.state().await?.watermark;
        let context = run.context;
        let until = run.until;
        let mut reader = MediaReader {
            tracker: self.0,
            context,
            since: context.since(watermark),
            until,
            writer: run.writer(true),
            seen: HashMap::new(),
        };
        let read = reader.read_pages().await;
        if let Err(Ended::Store(error)) = read {
            return Err(error.into());
        }
        // An anime may name a related anime that was read only after it. The missing relations are added here, even
        // if the tracker has failed.
        reader.writer.link().await?;
        let to = context.next_watermark(read?);
        if let Some(to) = to.filter(|to| watermark.is_none_or(|now| now < *to)) {
            progress.move_watermark(to).await?;
        }
        Ok(Complete::Read)
    }
}

/// Reads `AniList`'s anime in one refresh.
struct MediaReader<'r> {
    tracker: &'r AniList,
    context: &'r RefreshContext<'r>,
    /// The time since which changes are read, in seconds since the Unix epoch.
    since: u64,
    until: u64,
    writer: AnimeWriter<'r>,
    /// The time of the last change of each anime that was read, by its identifier at tracker A.
    seen: HashMap<u32, u64>,
}

/// The state of reading, across pages.
#[derive(Default)]
struct Reading {
    /// The time of the latest change on the first page that has any.
    newest: Option<u64>,
    /// True once an anime was read whose last change is before the watermark.
    is_behind: bool,
}

impl MediaReader<'_> {
    /// Reads and writes the pages. Returns the time of the latest change.
    async fn read_pages(&mut self) -> Result<Option<u64>, Ended> {
        let length = self.length();
        self.show(length, 0);
        let mut reading = Reading::default();
        for number in 1.. {
            let page = ask(async || match self.context.scope {
                RefreshScope::Changed => self.tracker.updated_media(number, self.until).await,
                RefreshScope::All => self.tracker.all_media(number, self.until).await,
            });
            let page = page.await?;
            let was_behind = reading.is_behind;
            reading.record(&page, self.since);
            let position = self.position(&page);
            let has_next_page = page.has_next_page;
            self.take(page.media).await?;
            self.show(length, position);
            // One page more than necessary is read, because anime that change meanwhile move to the first page and
            // shift the other anime to later pages.
            if !has_next_page || (was_behind && self.context.scope == RefreshScope::Changed) {
                break;
            }
        }
        if self.seen.is_empty() {
            return Err(Failure::Empty.into());
        }
        Ok(reading.newest)
    }

    /// Returns the length of the stage. Tracker A does not state the number of pages, so progress is measured by
    /// the time of the changes, or in a full refresh by the identifiers.
    fn length(&self) -> u64 {
        match self.context.scope {
            RefreshScope::Changed => self.context.began_s.saturating_sub(self.since),
            RefreshScope::All => {
                let last = self.writer.ids.all_at_tracker_a().last().copied();
                last.unwrap_or_default().into()
            }
        }
    }

    fn show(&self, length: u64, position: u64) {
        self.writer.show("Reading AniList.", length, position);
    }

    fn position(&self, page: &MediaPage) -> u64 {
        let (last, since) = (page.media.last(), self.since);
        match self.context.scope {
            RefreshScope::Changed => {
                let changed = last.and_then(|media| media.updated_at).unwrap_or(since);
                self.context.began_s.saturating_sub(changed.max(since))
            }
            RefreshScope::All => last.map_or(0, |media| media.id.into()),
        }
    }

    /// Merges and writes the anime of a page.
    async fn take(&mut self, page: Vec<Media>) -> Result<(), Error> {
        for media in page {
            if self.is_news(&media)
                && let Err(reason) = self.add(&media)
            {
                let titles = media.title;
                let title = titles.romaji.or(titles.english).or(titles.native);
                let skip = Skip::new(reason, title.unwrap_or_default());
                self.writer.skip(media.id.into(), &skip);
            }
        }
        self.writer.write().await
    }

    /// Returns true for an anime that was not read yet or has changed since it was read. Pages can repeat
    /// anime, because anime move while pages are read.
    fn is_news(&mut self, media: &Media) -> bool {
        let changed = media.updated_at.unwrap_or_default();
        self.seen
            .insert(media.id, changed)
            .is_none_or(|seen| seen < changed)
    }

    fn add(&mut self, media: &Media) -> Result<(), &'static str> {
        let (id, trackers) = media::identify(media, self.writer.ids)?;
        let facts = media::facts(media, (id, trackers))?;
        let relations = media::relations(media, id);
        self.writer.add_related(facts, relations);
        Ok(())
    }
}

impl Reading {
    fn record(&mut self, page: &MediaPage, since: u64) {
        let changed = |media: &Media| media.updated_at;
        if self.newest.is_none() {
            self.newest = page.media.iter().filter_map(changed).max();
        }
        let is_older = |media: &Media| media.updated_at.unwrap_or_default() < since;
        self.is_behind = self.is_behind || page.media.iter().any(is_older);
    }
}
