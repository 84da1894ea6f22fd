//! Exports of lists, and the file with everything about a user.

use std::fmt::Write;
use std::io::{self, BufWriter, IntoInnerError, Write as _};
use std::path::Path;

use accounts::users::UserStore;
use anyhow::Context;
use catalogue::Catalogue;
use dynamo::Database;
use flate2::Compression;
use flate2::write::GzEncoder;
use interchange::ExportFormat;
use shared::clock::Clock;
use shared::grouped;
use stories::list_files::WatchHistory;
use stories::lists::StoryStore;
use stories::user_data::{self, UserDataStore};

use crate::private_file;
use crate::user::find::find_account;

/// Writes a user's stories to a file, in gzip if its name ends with `.gz`. The file is not written if the stories
/// cannot be read. Returns a summary for the operator.
pub async fn export(
    database: &Database,
    name: &str,
    file: &Path,
    format: ExportFormat,
) -> anyhow::Result<String> {
    let account = find_account(&UserStore::new(database), name).await?;
    let (stories, catalogue) = (StoryStore::new(database), Catalogue::new(database, 0));
    let history = WatchHistory::read(&stories, &catalogue, &account, None, usize::MAX).await?;
    let history = history.context("the history is too long")?;
    let now = Clock::system().now_ms();
    let left_out = write_file(file, |output| {
        history.write(format, &account.user.username, now, output)
    })?;
    let total_left_out = left_out.private + left_out.without_mal_id;
    let count = |number: usize| grouped(number as u64);
    let mut report = format!(
        "Stories exported: {}.",
        count(history.story_count() - total_left_out)
    );
    if total_left_out > 0 {
        let (private, without) = (count(left_out.private), count(left_out.without_mal_id));
        let _ = write!(
            report,
            " Left out: {private} private, {without} of anime without an identifier at MyAnimeList."
        );
    }
    Ok(report)
}

/// Writes everything that is stored about a user to a file, in gzip if its name ends with `.gz`. The file is not
/// written if the data cannot be read.
pub async fn export_data(database: &Database, name: &str, file: &Path) -> anyhow::Result<()> {
    let account = find_account(&UserStore::new(database), name).await?;
    let (store, catalogue) = (UserDataStore::new(database), Catalogue::new(database, 0));
    let data = store.read(account).await?;
    let (mut reader, mut stories) = (store.stories(&data), Vec::new());
    while let Some(part) = reader.next(&catalogue).await? {
        stories.push(part);
    }
    let now = Clock::system().now_ms();
    write_file(file, |output| {
        user_data::write(&data, stories.into_iter(), now, output)
    })
}

/// Writes a file, in gzip if its name ends with `.gz`. Only the operator can read a new file.
fn write_file<T>(
    file: &Path,
    content: impl FnOnce(&mut dyn io::Write) -> io::Result<T>,
) -> anyhow::Result<T> {
    let write = || {
        let mut output = BufWriter::new(private_file::create(file)?);
        let is_gzip = file.extension().is_some_and(|extension| extension == "gz");
        let result = if is_gzip {
            let encoder = GzEncoder::new(&mut output, Compression::default());
            // Each write to the encoder takes long, even a short one.
            let mut encoder = BufWriter::new(encoder);
            let result = content(&mut encoder)?;
            let encoder = encoder.into_inner().map_err(IntoInnerError::into_error)?;
            encoder.finish()?;
            result
        } else {
            content(&mut output)?
        };
        output.flush().map(|()| result)
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}
