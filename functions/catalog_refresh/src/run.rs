//! A run of the refresh: all sources, one after the other.

use std::mem;

use catalogue::import::{AnimeIds, IdMapping, MergeReport};
use catalogue::refresh::{CompleteRead, FileRead, RefreshStore, RefreshSummaryStore, SourceStore};
use catalogue::rows::CatalogueStore;
use catalogue::snapshots::{ReadOutcome, RefreshSummary, SourceSummary};
use catalogue::{Catalogue, Resource, derive_story_lines, has_unpublished, publish};
use runtime::Environment;
use shared::Result;
use stories::list_files::{WaitingStore, add_waiting};
use stories::lists::{StoryStore, count_community, raise_episodes};
use trackers::RemoteFile;

use crate::clients::Sources;
use crate::context::{RefreshContext, RefreshProgress, RefreshScope};
use crate::report::{RefreshReport, SourceName, SourceOutcome, SourceReport};
use crate::source::{Complete, RefreshSource, SourceError, SourceRun};
use crate::{anilist, anime_themes, mapping, my_anime_list, offline_database, seasons, titles};

/// Time after the end of reading in which stories are added and changed, in milliseconds. Publishing takes part of this
/// time.
const UPDATE_MS: u64 = 30_000;

struct RefreshRun<'r> {
    context: &'r RefreshContext<'r>,
    ids: AnimeIds,
    mapping: Option<IdMapping>,
    /// True if sequels and prequels are still to be derived.
    must_derive: bool,
    remaining: Vec<SourceName>,
    until: u64,
    report: RefreshReport,
}

/// Refreshes the catalogue. Adds stories for the waiting entries of imports whose anime have appeared, and raises the
/// episode of stories whose progress was beyond the catalogue. Stops reading at `until` (milliseconds since the Unix
/// epoch), and stops writing stories 30 seconds later. Stores a summary for the page for administrators.
///
/// # Errors
/// The database fails. Completed writes stay, and the next refresh continues. A failure of a source is not an
/// error here: it is in the report.
pub async fn refresh(
    environment: &Environment,
    sources: Sources<'_>,
    scope: RefreshScope,
    until: u64,
    show: &(dyn Fn(RefreshProgress) + Sync),
) -> Result<RefreshReport> {
    if sources.names().is_empty() {
        return Ok(RefreshReport::default());
    }
    let database = &environment.database;
    let began_at = database.clock.now_s();
    // Boxed, because the future of a run is large.
    let result = Box::pin(read_all(environment, sources, scope, until, show)).await;
    let summary = RefreshSummary {
        began_at,
        ended_at: database.clock.now_s(),
        error: result.as_ref().err().map(ToString::to_string),
        sources: result.as_ref().map(summarize).unwrap_or_default(),
    };
    let stored = RefreshSummaryStore::new(database).put(&summary).await;
    let report = result?;
    stored.map(|()| report)
}

/// Returns the results at the sources, in the order in which they were read.
fn summarize(report: &RefreshReport) -> Vec<SourceSummary> {
    let of_source = |(name, source): (&SourceName, &SourceReport)| SourceSummary {
        name: name.to_string(),
        outcome: match source.outcome {
            SourceOutcome::Read => ReadOutcome::Read,
            SourceOutcome::Unchanged => ReadOutcome::Unchanged,
            SourceOutcome::NotDue => ReadOutcome::NotDue,
            SourceOutcome::Failed(_) => ReadOutcome::Failed,
        },
        failure: source.failure().map(ToString::to_string),
        current_at: source.current_at,
        added: source.counts.added,
        changed: source.counts.changed,
        skipped: source.counts.skipped_count(),
    };
    report.sources.iter().map(of_source).collect()
}

/// Reads all sources, publishes, and updates stories.
async fn read_all(
    environment: &Environment,
    sources: Sources<'_>,
    scope: RefreshScope,
    until: u64,
    show: &(dyn Fn(RefreshProgress) + Sync),
) -> Result<RefreshReport> {
    let remaining = sources.names();
    let mut context = RefreshContext {
        environment,
        scope,
        rereads_files: sources.rereads_files,
        reads_songs: sources.anime_themes.is_some(),
        began_s: environment.database.clock.now_s(),
        lapsed: Vec::new(),
        anime: CatalogueStore::new(&environment.database),
        songs: CatalogueStore::new(&environment.database),
        show,
    };
    context.find_lapsed(&remaining).await?;
    let mut run = RefreshRun {
        ids: AnimeIds::read(&context.anime).await?,
        context: &context,
        mapping: None,
        must_derive: false,
        remaining,
        until,
        report: RefreshReport::default(),
    };
    // The files come first, because they take little time. Each file comes after the files that it uses: the
    // anime-offline-database uses the mapping, and the titles use the mapping and the anime.
    // `RefreshRun::take_next_part` relies on this being the order of `SourceName::ALL`.
    run.read(sources.mapping.map(mapping::MappingSource))
        .await?;
    run.read(sources.seasons.map(seasons::SeasonSource)).await?;
    run.read(
        sources
            .offline_database
            .map(offline_database::OfflineDatabaseSource),
    )
    .await?;
    let titles = sources.titles.map(|dump| titles::TitleSource {
        dump,
        mapping: sources.mapping,
    });
    run.read(titles).await?;
    // An earlier run may have ended before it derived them.
    let derivation = RefreshStore::of_derivation(&environment.database)
        .state()
        .await?;
    run.must_derive = derivation.must_publish();
    run.read(sources.my_anime_list.map(my_anime_list::MyAnimeListSource))
        .await?;
    run.read(sources.anilist.map(anilist::AniListSource))
        .await?;
    run.derive_story_lines().await?;
    run.publish(&context.anime).await?;
    run.read(sources.anime_themes.map(anime_themes::AnimeThemesSource))
        .await?;
    run.publish(&context.songs).await?;
    // Boxed, because the future of a run is already large.
    Box::pin(update_stories(environment, until, &mut run.report)).await?;
    Ok(run.report)
}

impl RefreshRun<'_> {
    /// Reads a source, if it is on, and records the result.
    async fn read<S: RefreshSource>(&mut self, source: Option<S>) -> Result<()> {
        let Some(source) = source else {
            return Ok(());
        };
        let until = self.take_next_part();
        let began_s = self.context.began_s;
        let store = self.context.source(S::NAME);
        let file = source.file();
        // A file on this machine has no server that limits requests. An interrupted download continues at any time, and
        // the interval then begins again. A complete file in the folder of downloads is read even without a claim.
        let is_local = file.is_some_and(RemoteFile::is_on_this_machine);
        let interval_s = match file {
            Some(file) if file.is_interrupted() => 0,
            _ => S::NAME.interval_s(),
        };
        let may_ask = is_local || store.claim_run(began_s, interval_s).await?;
        let may_read = may_ask
            || (self.context.rereads_files && file.is_some_and(|file| file.kept_file().is_some()));
        let mut run = SourceRun {
            context: self.context,
            ids: &mut self.ids,
            mapping: &mut self.mapping,
            state: store.state().await?,
            until,
            may_ask,
            counts: MergeReport::new("anime"),
        };
        let stale_since = run.state.stale_since().unwrap_or(began_s);
        let (mut data_at, mut entries) = (run.state.data_at, None);
        let outcome = if may_read {
            match source.read(&mut run).await {
                Ok(complete) => {
                    let (outcome, file) = record_complete_read(&run, &store, complete).await?;
                    entries = file.as_ref().map(|file| file.entries);
                    data_at = file.map(|file| file.data_at).or(data_at);
                    outcome
                }
                Err(SourceError::Source(failure)) => SourceOutcome::Failed(failure),
                Err(SourceError::Store(error)) => return Err(error),
            }
        } else {
            SourceOutcome::NotDue
        };
        let is_current = matches!(outcome, SourceOutcome::Read | SourceOutcome::Unchanged);
        let report = SourceReport {
            counts: run.counts,
            outcome,
            current_at: if is_current { began_s } else { stale_since },
            data_at,
            entries,
        };
        self.report.sources.insert(S::NAME, report);
        Ok(())
    }

    /// Takes the next source off the list of remaining sources, and returns the end of the source's part of the time,
    /// in milliseconds since the Unix epoch. The sources after it keep their shares, however much has changed at this
    /// source. A derivation of sequels and prequels also has a share.
    fn take_next_part(&mut self) -> u64 {
        let now = self.context.environment.database.clock.now_ms();
        let weights = self.remaining.iter().map(|name| name.weight());
        let total_weight = weights.sum::<u64>() + u64::from(self.must_derive);
        let weight = self.remaining.remove(0).weight();
        now.saturating_add(self.until.saturating_sub(now) / total_weight * weight)
    }

    /// Derives sequels and prequels if anything from which they follow has changed. The derivation comes after the
    /// trackers, because an anime whose sequel a tracker states gets no derived sequel.
    async fn derive_story_lines(&mut self) -> Result<()> {
        let database = &self.context.environment.database;
        if mem::take(&mut self.must_derive) && !derive_story_lines(database, self.until).await? {
            tracing::warn!(
                "no time was left to derive all sequels and prequels; the next run derives them"
            );
        }
        Ok(())
    }

    /// Publishes a snapshot if the last snapshot may lack corrections, or rows that a refresh has written.
    async fn publish<R: Resource>(&mut self, store: &CatalogueStore<R>) -> Result<()> {
        let progress = self.context.progress::<R>();
        let state = progress.state().await?;
        let database = &self.context.environment.database;
        if !state.must_publish() && !has_unpublished::<R>(database).await? {
            return Ok(());
        }
        store.wait_for_list_index().await?;
        let rows = publish::<R>(database).await?;
        self.report.published.insert(R::KIND, rows);
        progress.set_published(state.announced).await
    }
}

/// Adds stories for waiting entries of imports whose anime are in the published catalogue, and raises the episode of
/// stories with progress beyond the catalogue. Earlier runs may have left some of both. Then counts the users of each
/// anime, once a day.
async fn update_stories(
    environment: &Environment,
    until: u64,
    report: &mut RefreshReport,
) -> Result<()> {
    let (database, clock) = (&environment.database, &environment.database.clock);
    let (stories, waiting) = (StoryStore::new(database), WaitingStore::new(database));
    // Only the index is used, so no document is cached.
    let catalogue = Catalogue::new(database, 0);
    let until = until.saturating_add(UPDATE_MS);
    report.waiting = add_waiting(&stories, &waiting, &catalogue, clock, until).await?;
    report.raised = raise_episodes(&stories, &catalogue, clock, until).await?;
    count_community(database, until).await?;
    Ok(())
}

/// Records that a source was read completely. Until then, the new version of a file does not count as read. Returns the
/// outcome, and the record of the file.
async fn record_complete_read(
    run: &SourceRun<'_>,
    store: &SourceStore,
    complete: Complete,
) -> Result<(SourceOutcome, Option<FileRead>)> {
    let at = run.context.began_s;
    let (file, outcome) = match complete {
        Complete::Read => (None, SourceOutcome::Read),
        Complete::Unchanged => (None, SourceOutcome::Unchanged),
        Complete::File(file) => (Some(file.record(&run.state, at)?), SourceOutcome::Read),
    };
    let read = CompleteRead { at, file };
    store.record_read(&read).await?;
    Ok((outcome, read.file))
}
