//! `kiroku catalogue`: fills the catalogue with anime, identifiers, titles and seasons by one command, from downloaded
//! files or from files in a folder.
//!
//! The files are read as in a refresh ([`catalog_refresh`]), so the same rules apply: a file that cannot be used
//! changes nothing, the others are still read, and the index is published once at the end. There are three differences:
//! files have usual addresses, they are kept in a folder, and they are read even if they have not changed.

mod files;
pub mod terms;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use catalog_refresh::{RefreshScope, SourceName, Sources};
use clap::Args;
use clap::builder::BoolishValueParser;
use runtime::{Environment, max_download};
use trackers::{RemoteFile, Waiter};

use crate::data::target::{DatabaseOptions, Source};
use crate::import::Progress;
use crate::refresh::{environment, print_report, read_sources, report_lines};

/// The folder in the data folder that keeps the downloaded files, and the terms that were accepted.
const FOLDER: &str = "catalogue";

/// The folder for these files if the command has no data folder.
const FOLDER_WITHOUT_DATA: &str = "kiroku-catalogue";

/// The sources that are files, in the order in which they are read.
const FILES: [SourceName; 4] = [
    SourceName::Mapping,
    SourceName::Seasons,
    SourceName::OfflineDatabase,
    SourceName::AnidbTitles,
];

/// Options of `kiroku catalogue`.
#[derive(Args, Clone, Debug, Default)]
pub struct CatalogueArgs {
    /// Accept the terms of the projects that publish the files. The command shows them, and remembers that they are
    /// accepted.
    #[arg(long, env = "KIROKU_ACCEPT_TERMS", value_parser = BoolishValueParser::new())]
    pub accept_terms: bool,

    /// Folder with files that were downloaded before. Nothing is downloaded then.
    #[arg(long, value_name = "FOLDER")]
    pub from: Option<PathBuf>,

    /// Folder that keeps the downloaded files. Default: `catalogue` in the data folder, or `kiroku-catalogue` with
    /// --endpoint-url and on AWS.
    #[arg(long, env = "KIROKU_DOWNLOADS", value_name = "FOLDER")]
    pub downloads: Option<PathBuf>,

    /// DynamoDB to work on.
    #[command(flatten)]
    pub target: DatabaseOptions,
}

/// Returns the folder for files and accepted terms in a data folder.
pub fn folder_in(data: &Path) -> PathBuf {
    data.join(FOLDER)
}

/// The files of the catalogue.
type Files = BTreeMap<SourceName, RemoteFile>;

/// Fills or updates the catalogue, and publishes it.
///
/// # Errors
/// When the terms are not accepted, the database cannot be reached, or a file cannot be read completely. The other
/// files are still read, and the catalogue keeps what it has.
pub async fn run(args: &CatalogueArgs, progress: &Progress) -> anyhow::Result<()> {
    let environment = environment(args.target.connect().await?);
    let files = if let Some(folder) = &args.from {
        find_files(folder, &environment)?
    } else {
        let folder = args.downloads.clone();
        let folder = folder.unwrap_or_else(|| usual_folder(&args.target));
        terms::require(&folder, args.accept_terms)?;
        remote_files(&folder, &environment)?
    };
    let sources = Sources {
        mapping: files.get(&SourceName::Mapping),
        seasons: files.get(&SourceName::Seasons),
        offline_database: files.get(&SourceName::OfflineDatabase),
        titles: files.get(&SourceName::AnidbTitles),
        rereads_files: true,
        ..Sources::default()
    };
    let report = read_sources(&environment, sources, RefreshScope::Changed, progress).await?;
    let mut lines = report_lines(&report);
    for name in FILES {
        if !report.sources.contains_key(&name) {
            lines.push(match &args.from {
                Some(_) => format!("{name}: no file in the folder"),
                None => format!("{name}: off, {} is `off`", name.variable()),
            });
        }
    }
    print_report(&environment, &report, lines)
}

fn usual_folder(target: &DatabaseOptions) -> PathBuf {
    match target.source() {
        Source::Folder(data) => folder_in(data),
        Source::Url(_) | Source::Aws => PathBuf::from(FOLDER_WITHOUT_DATA),
    }
}

/// Returns the files at their addresses, which are kept in this folder.
fn remote_files(folder: &Path, environment: &Environment) -> anyhow::Result<Files> {
    let mut found = Files::new();
    for name in FILES {
        let (variable, usual) = (name.variable(), name.usual_addresses());
        let file = environment.remote_file(variable, name.key(), usual, true);
        if let Some(file) = file.map_err(anyhow::Error::from_boxed)? {
            found.insert(name, file.kept_in(folder.to_owned(), Waiter::Sleep));
        }
    }
    anyhow::ensure!(!found.is_empty(), "all sources are `off`");
    Ok(found)
}

/// Returns the files in a folder.
fn find_files(folder: &Path, environment: &Environment) -> anyhow::Result<Files> {
    let max_size = max_download().map_err(anyhow::Error::from_boxed)?;
    let clock = &environment.database.clock;
    let mut found = Files::new();
    let paths = files::find(folder);
    let paths = paths.with_context(|| format!("cannot read the folder {}", folder.display()))?;
    for (name, path) in paths {
        let file = RemoteFile::on_this_machine(name.key(), path, max_size, clock.clone())?;
        found.insert(name, file);
    }
    anyhow::ensure!(
        !found.is_empty(),
        "{}: no file of the catalogue is in this folder: expected are {}, each also with .gz or .zst at its end",
        folder.display(),
        files::all_names()
    );
    Ok(found)
}
