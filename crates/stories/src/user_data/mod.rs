//! The file with everything that is stored about a user (docs/api.md, "Data about a user"). The API, the pages and the
//! command `kiroku user data` write it.

mod document;
mod rows;
mod story_documents;

pub use self::rows::{StoryPart, UserDataStore};

use std::io::{self, Write};

use accounts::users::Account;
use axum::http::HeaderMap;
use axum::response::Response;
use catalogue::Catalogue;
use futures_util::join;
use serde::Deserialize;
use serde_json::Value;
use shared::http::file::{Compression, File};
use shared::models::Anime;
use shared::user_slots::UserSlot;
use shared::{Error, Result};
use tokio::sync::mpsc::{self, Sender};

use self::rows::{StoryReader, UserData};
use self::story_documents::StoriesOnce;
use crate::list_files;

pub use document::UserDataFile;

/// Writes the file. Each part of the stories is written before the next one is taken. `now_ms` is the current time in
/// milliseconds since the Unix epoch.
pub fn write(
    data: &UserData,
    mut stories: impl Iterator<Item = StoryPart>,
    now_ms: u64,
    mut output: impl Write,
) -> io::Result<()> {
    let waiting = waiting_entries(data, now_ms)?;
    let stories = StoriesOnce::new(data, &mut stories);
    let file = UserDataFile::new(data, &stories, waiting, now_ms);
    serde_json::to_writer(&mut output, &file)?;
    output.write_all(b"\n")
}

/// Returns the waiting entries of the user's imports, in the form that they have in list files.
fn waiting_entries(data: &UserData, now_ms: u64) -> io::Result<Vec<Value>> {
    #[derive(Deserialize)]
    struct WaitingFile {
        stories: Vec<Value>,
    }
    let entries = list_files::kept_entries(data.waiting.as_ref(), now_ms);
    let entries = entries.map_err(io::Error::other)?;
    let mut list = Vec::new();
    interchange::write_entries("", now_ms, &entries, &mut list)?;
    Ok(serde_json::from_slice::<WaitingFile>(&list)?.stories)
}

/// Reads the data about the user with this account, and builds the response with the file. `headers` are the headers of
/// the request, and `now_ms` is the current time in milliseconds since the Unix epoch. The caller's access must have
/// been checked.
///
/// The stories are written while they are read, so that a long history takes no more memory than the file, and reading
/// ends as soon as the file is too large. The caller's `slot` becomes free when the file is written, even if the
/// request has ended before.
///
/// # Errors
/// [`Error::Invalid`] if the file is too large for a response.
pub async fn build_response(
    store: &UserDataStore,
    catalogue: &Catalogue<Anime>,
    account: Account,
    with_stories: bool,
    headers: &HeaderMap,
    now_ms: u64,
    slot: UserSlot,
) -> Result<Response> {
    let data = store.read(account).await?;
    let day = data.account.time_zone().day_of(now_ms);
    let name = format!("kiroku-{}-data-{day}.json", data.account.user.username);
    let too_large = "must be false, because the file would have more than 4.5 MB after compression; get the stories \
        with GET /v1/user_story/export and GET /v1/user_story/{id}/history, or ask the operator of this service for \
        the file";
    let too_large = Error::invalid("stories", too_large);
    let (sender, mut parts) = mpsc::channel(1);
    let reader = with_stories.then(|| store.stories(&data));
    let read = send_stories(reader, catalogue, sender);
    let write = move |output: &mut dyn Write| {
        let _slot = slot;
        let parts = std::iter::from_fn(|| parts.blocking_recv());
        write(&data, parts, now_ms, output)
    };
    let write = File::write(Compression::for_request(headers), too_large, write);
    let (read, written) = join!(read, write);
    // After an error of the reader, the file lacks stories.
    read?;
    let (file, ()) = written?;
    Ok(file.into_response(&name, "application/json"))
}

/// Reads the stories, and sends them to the thread that writes the file.
async fn send_stories(
    reader: Option<StoryReader>,
    catalogue: &Catalogue<Anime>,
    sender: Sender<StoryPart>,
) -> Result<()> {
    let Some(mut reader) = reader else {
        return Ok(());
    };
    while let Some(part) = reader.next(catalogue).await? {
        if sender.send(part).await.is_err() {
            // The thread has ended, and returns its error itself.
            break;
        }
    }
    Ok(())
}
