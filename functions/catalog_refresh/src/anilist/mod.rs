//! Refreshes anime from AniList.
//!
//! Anime are read by the time of their last change, latest first, back to the watermark: the time up to which all
//! changes have been written. The watermark moves only when all later changes are written. If a run ends early, its
//! writes stay, and the next run starts from the old watermark again. A full refresh reads all anime instead.

mod media;
mod plain_text;

use std::collections::HashMap;

use catalogue::import::Skip;
use shared::Result;
use shared::models::Anime;
use trackers::AniList;
use trackers::anilist::{Media, MediaPage};

use crate::context::{RefreshContext, RefreshScope};
use crate::report::{SourceFailure, SourceName};
use crate::source::{Complete, RefreshSource, SourceError, SourceRun, call_with_retries};
use crate::writer::AnimeWriter;

pub struct AniListSource<'s>(pub &'s AniList);

impl RefreshSource for AniListSource<'_> {
    const NAME: SourceName = SourceName::AniList;

    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, SourceError> {
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
        if let Err(SourceError::Store(error)) = read {
            return Err(error.into());
        }
        // An anime may name a related anime that was read only after it. The missing relations are added at the end,
        // even if AniList has failed.
        reader.writer.write_missing_relations().await?;
        let newest = read?;
        context.move_watermark(&progress, watermark, newest).await?;
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

/// The state of a refresh that is kept from page to page.
#[derive(Default)]
struct ReadState {
    /// The time of the latest change on the first page that has the time of a change.
    newest: Option<u64>,
    /// True once an anime was read whose last change is before [`MediaReader::since`].
    is_behind: bool,
}

impl MediaReader<'_> {
    /// Reads and writes the pages. Returns the time of the latest change when reading began, if AniList states it.
    async fn read_pages(&mut self) -> Result<Option<u64>, SourceError> {
        let length = self.length();
        self.show(length, 0);
        let mut state = ReadState::default();
        for number in 1.. {
            let page = call_with_retries(async || match self.context.scope {
                RefreshScope::Changed => self.tracker.updated_media(number, self.until).await,
                RefreshScope::All => self.tracker.all_media(number, self.until).await,
            });
            let page = page.await?;
            let was_behind = state.is_behind;
            state.record_page(&page, self.since);
            let position = self.position(&page);
            let has_next_page = page.has_next_page;
            self.write_page(page.media).await?;
            self.show(length, position);
            // One more page than necessary is read, because anime that change meanwhile move to the first page and
            // shift the other anime to later pages.
            if !has_next_page || (was_behind && self.context.scope == RefreshScope::Changed) {
                break;
            }
        }
        if self.seen.is_empty() {
            return Err(SourceFailure::Empty.into());
        }
        Ok(state.newest)
    }

    /// Returns the length of the stage. AniList does not state the number of pages. So progress is measured by the
    /// time of the changes, or in a full refresh by the identifiers.
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

    async fn write_page(&mut self, page: Vec<Media>) -> Result<()> {
        for media in page {
            if self.record_change(&media)
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

    /// Records that an anime was read. Returns true if it is read for the first time, or has changed since it was
    /// read. Pages can repeat anime, because anime move while pages are read.
    fn record_change(&mut self, media: &Media) -> bool {
        let changed = media.updated_at.unwrap_or_default();
        self.seen
            .insert(media.id, changed)
            .is_none_or(|seen| seen < changed)
    }

    fn add(&mut self, media: &Media) -> Result<(), &'static str> {
        let (id, trackers) = media::identify(media, self.writer.ids)?;
        let facts = media::build_facts(media, (id, trackers))?;
        let relations = media::build_relations(media, id);
        self.writer.add_related(facts, relations);
        Ok(())
    }
}

impl ReadState {
    fn record_page(&mut self, page: &MediaPage, since: u64) {
        let changed = |media: &Media| media.updated_at;
        if self.newest.is_none() {
            self.newest = page.media.iter().filter_map(changed).max();
        }
        let is_older = |media: &Media| media.updated_at.unwrap_or_default() < since;
        self.is_behind = self.is_behind || page.media.iter().any(is_older);
    }
}
