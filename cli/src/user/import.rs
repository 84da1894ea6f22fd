//! Imports of lists, and the passes over the stories of all users.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use accounts::users::UserStore;
use anyhow::Context;
use catalogue::Catalogue;
use catalogue::identify::NameLimits;
use dynamo::Database;
use stories::list_files::{
    self, AddedWaiting, ImportFile, ImportMode, ImportReport, ImportRequest, ReadOptions,
    WaitingStore,
};
use stories::lists::{RaisedStories, StoryStore};
use stories::players::PlayerStore;

use crate::user::find::find_user;

/// Imports a list file into a user's stories. Nothing is written in a dry run.
pub async fn import(
    database: &Database,
    name: &str,
    file: &Path,
    mode: ImportMode,
    options: ReadOptions,
    is_dry_run: bool,
) -> anyhow::Result<ImportReport> {
    let users = UserStore::new(database);
    let owner = find_user(&users, name).await?;
    let contents = ImportFile::read(&read_file(file)?, &options, &|| false);
    let contents = contents.with_context(|| file.display().to_string())?;
    let id = (!is_dry_run).then(|| database.random.short_id());
    let request = ImportRequest {
        access: None,
        owner,
        mode,
        id: id.as_deref(),
        now: database.clock.now_ms(),
    };
    let (stories, waiting, players) = (
        StoryStore::new(database),
        WaitingStore::new(database),
        PlayerStore::new(database),
    );
    // The command does not delay other work, so every title is searched.
    let catalogue = Catalogue::new(database, 0).with_name_limits(NameLimits::NONE);
    // The future is on the heap, because it is large.
    let report = Box::pin(list_files::import(
        &stories, &waiting, &players, &catalogue, contents, request,
    ));
    Ok(report.await?)
}

/// Makes stories of the waiting entries whose anime are now in the published catalogue, and removes expired entries.
///
/// # Errors
/// When the entries or the catalogue cannot be read. Another call continues with the remaining entries.
pub async fn add_waiting(database: &Database) -> anyhow::Result<AddedWaiting> {
    let (stories, waiting) = (StoryStore::new(database), WaitingStore::new(database));
    let catalogue = Catalogue::new(database, 0);
    let clock = &database.clock;
    let added = list_files::add_waiting(&stories, &waiting, &catalogue, clock, u64::MAX).await;
    added.context("cannot add the waiting entries of imports")
}

/// Raises the episode of the stories with progress beyond it, up to the number of episodes in the published catalogue.
///
/// # Errors
/// When the stories or the catalogue cannot be read. Another call continues with the remaining stories.
pub async fn raise_episodes(database: &Database) -> anyhow::Result<RaisedStories> {
    let catalogue = Catalogue::new(database, 0);
    let (stories, clock) = (StoryStore::new(database), &database.clock);
    let raised = stories::lists::raise_episodes(&stories, &catalogue, clock, u64::MAX).await;
    raised.context("cannot raise the episodes of stories")
}

/// Counts the users of each anime and their scores for the pages, if the published counts are 20 hours old or older.
///
/// # Errors
/// When the stories cannot be read or the counts cannot be published. The earlier counts stay.
pub async fn count_community(database: &Database) -> anyhow::Result<()> {
    let counted = stories::lists::count_community(database, u64::MAX).await;
    counted.context("cannot count the users of each anime")?;
    Ok(())
}

/// Reads a file up to the import limit and one byte, so that a longer file is refused without being read whole.
fn read_file(file: &Path) -> anyhow::Result<Vec<u8>> {
    let context = || format!("cannot read {}", file.display());
    let mut bytes = Vec::new();
    let limit = interchange::MAX_UNPACKED as u64 + 1;
    let mut start = File::open(file).with_context(context)?.take(limit);
    start.read_to_end(&mut bytes).with_context(context)?;
    Ok(bytes)
}
