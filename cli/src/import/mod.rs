//! Loading a catalogue out of files of public databases.
//!
//! A file is read as a stream ([`input`]). Each entry is mapped to what it says of a document, and
//! compared with what is known of the table ([`anime`](mod@anime), [`songs`](mod@songs)); only what
//! is new or says something else is written ([`Writer`]). An import so changes nothing when it is
//! run again, and one that was stopped is finished by running it again.
//!
//! What cannot be represented is skipped and counted, never guessed ([`Report`]).

mod anime;
mod ids;
mod input;
mod progress;
mod songs;

use std::mem;
use std::path::Path;

use anyhow::Context;
use aws_sdk_dynamodb::Client;
use catalogue::import::{Facts, Writer, grouped};
pub use catalogue::import::{Report, Skip};
use serde::de::DeserializeOwned;
use store::Document;
use store::{CatalogueStore, TableNames};

use self::anime::AnimeImport;
use self::ids::DatabaseIds;
use self::input::{Entry, Input, Layouts, Unit};
pub use self::progress::{Length, Progress, Running};
use self::songs::SongImport;

/// The reason for an entry whose text is not what is expected there.
pub const BROKEN: &str = "it is broken";

/// The reason for an entry whose text is too long to be one.
pub const TOO_LONG: &str = "it is longer than 1 MB";

/// Imports anime out of a file in the anime-offline-database's formats: `.jsonl` or `.json`, each
/// also `.zst`. `ids` is a mapping in the anime-lists format, for identifiers at the movie database.
///
/// Only documents are written: the caller publishes the index, even when nothing was new, because
/// an import before it may have been stopped before it came to that.
///
/// # Errors
/// When a file cannot be read to its end, or DynamoDB does not answer. What was written until then
/// stays, and running the import again finishes it.
pub async fn anime(
    file: &Path,
    ids: Option<&Path>,
    client: &Client,
    tables: &TableNames,
    progress: &Progress,
) -> anyhow::Result<Report> {
    let input = Input::open(file, Layouts::LinesOrObject)?;
    let ids = ids.map(DatabaseIds::read).transpose()?.unwrap_or_default();
    let store = CatalogueStore::new(client.clone(), tables);
    let mut import = AnimeImport::new(ids);
    progress.phase("Reading the anime that are there.");
    store
        .scan(|anime| import.know(&anime))
        .await
        .context("the table Anime cannot be read")?;
    run(file, input, import, store, progress).await
}

/// Imports songs out of a file of JSON Lines, also `.zst`. Each line names its anime by its number
/// at a tracker.
///
/// Only documents are written: the caller publishes the index, even when nothing was new, because
/// an import before it may have been stopped before it came to that.
///
/// # Errors
/// When the file cannot be read to its end, or DynamoDB does not answer. What was written until
/// then stays, and running the import again finishes it.
pub async fn songs(
    file: &Path,
    client: &Client,
    tables: &TableNames,
    progress: &Progress,
) -> anyhow::Result<Report> {
    let input = Input::open(file, Layouts::Lines)?;
    let store = CatalogueStore::new(client.clone(), tables);
    let mut import = SongImport::default();
    progress.phase("Reading the anime and songs that are there.");
    CatalogueStore::new(client.clone(), tables)
        .scan(|anime| import.know_anime(&anime))
        .await
        .context("the table Anime cannot be read")?;
    store
        .scan(|song| import.know(&song))
        .await
        .context("the table Song cannot be read")?;
    run(file, input, import, store, progress).await
}

/// What becomes of an entry that is not skipped.
#[derive(Debug, PartialEq)]
enum Decision<F> {
    /// There is no such document yet.
    Add(F),
    /// The document says something else.
    Change(F),
    /// The document says the same.
    Keep,
}

/// How entries become documents.
trait Import {
    /// What an entry says.
    type Facts: Facts;

    /// Whether the first line of a file is its heading.
    fn is_heading(_text: &[u8]) -> bool {
        false
    }

    /// What is to be done with an entry. Later ones are compared with it.
    fn decide(&mut self, text: &[u8]) -> Result<Decision<Self::Facts>, Skip>;
}

async fn run<I: Import>(
    file: &Path,
    input: Input,
    import: I,
    store: CatalogueStore<<I::Facts as Facts>::Document>,
    progress: &Progress,
) -> anyhow::Result<Report> {
    let mut report = Report::of(input.unit().name());
    let mut writer = Writer::new(store);
    let read = feed(input, import, &mut writer, &mut report, progress).await;
    let written = writer.finish().await.with_context(unwritable::<I::Facts>);
    read.and(written).with_context(|| {
        format!(
            "{} was not imported to its end, only {} of its entries were read; what is written \
             stays, and a second run writes the rest",
            file.display(),
            grouped(report.read()),
        )
    })?;
    Ok(report)
}

async fn feed<I: Import>(
    input: Input,
    mut import: I,
    writer: &mut Writer<I::Facts>,
    report: &mut Report,
    progress: &Progress,
) -> anyhow::Result<()> {
    let running = progress.start(Length::Bytes(input.size()));
    let mut may_be_heading = input.unit() == Unit::Line;
    let mut entries = input.stream();
    while let Some(entry) = entries.recv().await {
        let entry = entry?;
        if mem::take(&mut may_be_heading) && entry.text.as_deref().is_some_and(I::is_heading) {
            continue;
        }
        match decide(&mut import, &entry) {
            Ok(decision) => write(decision, writer, report).await?,
            Err(skip) => report.skip(entry.number, &skip),
        }
        running.advance(report.read(), entry.bytes_read);
    }
    Ok(())
}

fn decide<I: Import>(import: &mut I, entry: &Entry) -> Result<Decision<I::Facts>, Skip> {
    let text = entry.text.as_deref();
    import.decide(text.ok_or_else(|| Skip::new(TOO_LONG, "not shown"))?)
}

async fn write<F: Facts>(
    decision: Decision<F>,
    writer: &mut Writer<F>,
    report: &mut Report,
) -> anyhow::Result<()> {
    let facts = match decision {
        Decision::Add(facts) => {
            report.added += 1;
            facts
        }
        Decision::Change(facts) => {
            report.changed += 1;
            facts
        }
        Decision::Keep => {
            report.unchanged += 1;
            return Ok(());
        }
    };
    let written = writer.write(facts).await;
    written.with_context(unwritable::<F>)
}

fn unwritable<F: Facts>() -> String {
    let table = <F::Document as Document>::TABLE.name;
    format!("the table {table} cannot be written")
}

/// An entry out of its JSON.
fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, Skip> {
    serde_json::from_slice(text).map_err(|error| {
        let message = error.to_string();
        // The line that serde_json counts is the entry's, not the file's.
        let what = message.split(" at line ").next().unwrap_or_default();
        Skip::new(BROKEN, what)
    })
}
