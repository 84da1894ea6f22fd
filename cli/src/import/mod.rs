//! Imports of catalogues from files of public databases.
//!
//! A file is read as a stream ([`input`]). Each entry is mapped to facts about a document
//! ([`OfflineDatabase`], [`songs`]), which are merged into the table's row ([`Writer`]).
//! Only new and changed rows are written. So a repeated import changes nothing. An import that fails or is interrupted
//! keeps what it has written, and another run writes the rest.
//!
//! After an import, the caller must publish the index, even when no document changed: an earlier import may have been
//! interrupted before it published.
//!
//! Entries that the API cannot represent are skipped and counted in the [`MergeReport`].

mod input;
mod progress;
pub mod sample;
mod songs;

use std::fs::File;
use std::io::{self, BufReader};
use std::mem;
use std::path::Path;

use anyhow::Context;
use catalog_refresh::SourceName;
use catalogue::import::{
    AnimeFacts, AnimeIds, DocumentFacts, EntryReader, EntryUnit, IdMapping, OfflineDatabase,
    SeasonList, TitleDump, TitleFacts, Writer, stated_date,
};
pub use catalogue::import::{BROKEN, ENTRY_TOO_LONG, MergeReport, Skip};
use catalogue::refresh::SourceStore;
use catalogue::rows::{CatalogueDocument, CatalogueStore};
use catalogue::seasons::publish_seasons;
use catalogue::{derive_story_lines, keep_relations, publish_mapping};
use dynamo::Database;
use shared::grouped;
use shared::models::{Anime, Song};

use self::input::InputFile;
pub use self::progress::{Progress, RunningStage, StageLength};
pub(crate) use self::songs::SongImport;

/// Publishes the indexes of anime and songs. Returns the number of anime and of songs.
pub async fn publish(database: &Database) -> anyhow::Result<(usize, usize)> {
    Ok((
        catalogue::publish::<Anime>(database).await?,
        catalogue::publish::<Song>(database).await?,
    ))
}

/// Imports anime from a file in the anime-offline-database's formats: `.jsonl` or `.json`, optionally compressed as
/// `.zst`. Then derives sequels and prequels from their relations. `ids_file` is the file of a mapping in the
/// anime-lists format, from which the anime get ids at The Movie Database. It can be compressed with gzip or Zstandard.
/// All its ids are published, as [`publish_mapping_file`] does.
pub async fn import_anime(
    file: &Path,
    ids_file: Option<&Path>,
    database: &Database,
    progress: &Progress,
) -> anyhow::Result<MergeReport> {
    let input = InputFile::open(file, &[EntryUnit::Line, EntryUnit::Entry])?;
    let ids = match ids_file {
        Some(file) => read_and_publish_ids(file, database).await?,
        None => IdMapping::default(),
    };
    let store = CatalogueStore::new(database);
    progress.print_stage("Reading the existing anime.");
    let known = AnimeIds::read(&store).await;
    let mut import = OfflineDatabase::new(ids, known.context("cannot read the table Anime")?);
    let report = import_file(file, input, &mut import, store, progress).await?;
    record_stated_date(file, SourceName::OfflineDatabase, database).await?;
    progress.print_stage("Deriving sequels and prequels.");
    let kept = keep_relations(database, &import.into_relations()).await;
    kept.context("cannot publish the relations of the anime; run the import again")?;
    derive(database).await?;
    Ok(report)
}

/// Records the date that a file states about its data, unless it is in the future.
async fn record_stated_date(
    file: &Path,
    source: SourceName,
    database: &Database,
) -> anyhow::Result<()> {
    let stated = File::open(file).and_then(|mut file| stated_date(&mut file));
    let stated = stated.with_context(|| format!("cannot read {}", file.display()))?;
    if let Some(data_at) = stated.filter(|stated| *stated <= database.clock.now_s()) {
        let recorded = SourceStore::new(database, source.key())
            .record_data(data_at)
            .await;
        recorded.context("cannot record the date of the data")?;
    }
    Ok(())
}

/// Derives sequels and prequels.
async fn derive(database: &Database) -> anyhow::Result<()> {
    let derived = derive_story_lines(database, u64::MAX).await;
    derived.context("cannot derive sequels and prequels; run the import again")?;
    Ok(())
}

/// Imports songs from a file of JSON Lines, optionally compressed as `.zst`. Each line names its anime by a tracker id.
pub async fn import_songs(
    file: &Path,
    database: &Database,
    progress: &Progress,
) -> anyhow::Result<MergeReport> {
    let input = InputFile::open(file, &[EntryUnit::Line])?;
    let store = CatalogueStore::new(database);
    let mut import = SongImport::default();
    progress.print_stage("Reading the existing anime and songs.");
    CatalogueStore::new(database)
        .scan(|anime| import.add_known_anime(&anime.document))
        .await
        .context("cannot read the table Anime")?;
    let mut songs = Vec::new();
    store
        .scan(|song| songs.push(song))
        .await
        .context("cannot read the table Song")?;
    for song in songs {
        import.add_known_song(&song)?;
    }
    import_file(file, input, &mut import, store, progress).await
}

/// Publishes the ids of a mapping in the anime-lists format, in place of the ids of an earlier file. Returns the number
/// of the mapping's entries that have a tracker id. Derives sequels and prequels again, as [`import_seasons`] does.
///
/// # Errors
/// When the file cannot be read completely, or the ids cannot be published. The earlier ids are kept.
pub async fn publish_mapping_file(file: &Path, database: &Database) -> anyhow::Result<usize> {
    let mapping = read_and_publish_ids(file, database).await?;
    derive(database).await?;
    Ok(mapping.entries().len())
}

/// Publishes the season map of a list of anime-lists (`anime-list-master.xml`), in place of an earlier one. The file
/// can be compressed with gzip or Zstandard. Returns a report. Derives sequels and prequels again, because they also
/// follow from the order of seasons.
///
/// # Errors
/// When the file cannot be read completely, or the map cannot be published. The earlier map is kept.
pub async fn import_seasons(file: &Path, database: &Database) -> anyhow::Result<String> {
    let file = file.to_owned();
    let read = move || open_and_read(&file, SeasonList::read);
    let list = tokio::task::spawn_blocking(read).await??;
    let published = publish_seasons(database, &list.map).await;
    published.context("cannot publish the seasons")?;
    derive(database).await?;
    let (anime, skipped) = (grouped(list.anime), grouped(list.skips.count()));
    Ok(format!(
        "Published the seasons of {anime} anime. Parts of the file that were skipped: {skipped}.{}",
        list.skips
    ))
}

/// Imports titles from a dump of `AniDB`: XML or `.dat`. `ids_file` is the file of a mapping in the anime-lists
/// format that maps anime at `AniDB` to tracker ids. All its ids are published, as [`publish_mapping_file`] does.
/// Each file can be compressed with gzip or Zstandard. Anime that are not in the catalogue are skipped.
///
/// # Errors
/// When a file cannot be read completely, or the mapping has no ids at `AniDB`. Nothing is written then.
pub async fn import_titles(
    file: &Path,
    ids_file: &Path,
    database: &Database,
    progress: &Progress,
) -> anyhow::Result<MergeReport> {
    progress.print_stage("Reading the files.");
    let paths = (file.to_owned(), ids_file.to_owned());
    let read_files = move || {
        let (file, ids_file) = paths;
        anyhow::Ok((
            open_and_read(&file, TitleDump::read)?,
            open_and_read(&ids_file, IdMapping::read)?,
        ))
    };
    let (dump, mapping) = tokio::task::spawn_blocking(read_files).await??;
    anyhow::ensure!(
        mapping.has_anidb_ids(),
        "{}: it has no ids at AniDB; use anime-list-full.json of Fribb/anime-lists",
        ids_file.display()
    );
    publish_ids(&mapping, database).await?;
    progress.print_stage("Reading the existing anime.");
    let store = CatalogueStore::new(database);
    let known = AnimeIds::read(&store).await;
    let known = known.context("cannot read the table Anime")?;
    let mut facts = TitleFacts::new(&mapping, &known);
    let mut report = MergeReport::new("AniDB");
    let mut writer = Writer::new(store);
    let running = progress.start(StageLength::Share(dump.anime.len() as u64));
    for (entries_read, (anidb_id, titles)) in (1..).zip(&dump.anime) {
        match facts.convert(*anidb_id, titles) {
            Ok(facts) => writer
                .write(facts)
                .await
                .with_context(describe_write_failure::<AnimeFacts>)?,
            Err(skip) => report.skip((*anidb_id).into(), &skip),
        }
        running.advance(entries_read, entries_read);
    }
    let (written, ended) = writer.finish().await;
    ended.with_context(describe_write_failure::<AnimeFacts>)?;
    report.add_written(written);
    record_stated_date(file, SourceName::AnidbTitles, database).await?;
    Ok(report)
}

async fn read_and_publish_ids(file: &Path, database: &Database) -> anyhow::Result<IdMapping> {
    let file = file.to_owned();
    let read = move || open_and_read(&file, IdMapping::read);
    let mapping = tokio::task::spawn_blocking(read).await??;
    publish_ids(&mapping, database).await?;
    Ok(mapping)
}

async fn publish_ids(mapping: &IdMapping, database: &Database) -> anyhow::Result<()> {
    let published = publish_mapping(database, mapping).await;
    published.context("cannot publish the ids of the mapping")
}

fn open_and_read<T>(
    file: &Path,
    read: impl FnOnce(BufReader<File>) -> io::Result<T>,
) -> anyhow::Result<T> {
    let value = File::open(file).and_then(|text| read(BufReader::new(text)));
    value.with_context(|| format!("cannot read {}", file.display()))
}

async fn import_file<I: EntryReader>(
    file: &Path,
    input: InputFile,
    import: &mut I,
    store: CatalogueStore<<I::Facts as DocumentFacts>::Document>,
    progress: &Progress,
) -> anyhow::Result<MergeReport> {
    let mut report = MergeReport::new(input.unit.name());
    let mut writer = Writer::new(store);
    let read = import_entries(input, import, &mut writer, &mut report, progress).await;
    // Documents that wait for a batch are written even if reading has failed.
    let (written, ended) = writer.finish().await;
    report.add_written(written);
    let ended = ended.with_context(describe_write_failure::<I::Facts>);
    read.and(ended).with_context(|| {
        format!(
            "{} was not imported completely: only {} of its entries were read; changes made so far \
             are kept, run the import again to write the rest",
            file.display(),
            grouped(report.read_count()),
        )
    })?;
    Ok(report)
}

async fn import_entries<I: EntryReader>(
    input: InputFile,
    import: &mut I,
    writer: &mut Writer<I::Facts>,
    report: &mut MergeReport,
    progress: &Progress,
) -> anyhow::Result<()> {
    let running = progress.start(StageLength::Bytes(input.size));
    let mut may_be_metadata_line = input.unit == EntryUnit::Line;
    let mut entries = input.stream();
    let mut entries_read = 0;
    while let Some(entry) = entries.recv().await {
        let entry = entry?;
        if mem::take(&mut may_be_metadata_line)
            && entry.text.as_deref().is_some_and(I::is_metadata_line)
        {
            continue;
        }
        let text = entry.text.as_deref();
        let text = text.ok_or_else(|| Skip::new(ENTRY_TOO_LONG, "not shown"));
        match text.and_then(|text| import.read_entry(text)) {
            Ok(facts) => writer
                .write(facts)
                .await
                .with_context(describe_write_failure::<I::Facts>)?,
            Err(skip) => report.skip(entry.number, &skip),
        }
        entries_read += 1;
        running.advance(entries_read, entry.bytes_read);
    }
    Ok(())
}

fn describe_write_failure<F: DocumentFacts>() -> String {
    let table = <F::Document as CatalogueDocument>::TABLE.name;
    format!("cannot write to the table {table}")
}
