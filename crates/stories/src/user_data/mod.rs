//! The file with everything that is stored about a user (docs/api.md, "Data about a user"). The API, the pages and the
//! command `kiroku user data` write it.

mod document;

use std::io::{self, Write};

use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;
use shared::Error;
use shared::http::file::{Compression, File};
use store::UserData;

use crate::list_files;

pub use document::UserDataFile;

/// Writes the file. `now_ms` is the present time in milliseconds since the Unix epoch.
///
/// # Errors
/// If writing to `output` fails.
pub fn write(data: &UserData, now_ms: u64, mut output: impl Write) -> io::Result<()> {
    let waiting = waiting_entries(data, now_ms)?;
    serde_json::to_writer(&mut output, &UserDataFile::new(data, waiting, now_ms))?;
    output.write_all(b"\n")
}

/// Returns the waiting entries of the user's imports, in the form that they have in list files.
fn waiting_entries(data: &UserData, now_ms: u64) -> io::Result<Vec<Value>> {
    #[derive(Deserialize)]
    struct StoryList {
        stories: Vec<Value>,
    }
    let entries = list_files::kept_entries(data.waiting.as_ref(), now_ms);
    let entries = entries.map_err(io::Error::other)?;
    let mut list = Vec::new();
    interchange::write_entries("", now_ms, &entries, &mut list)?;
    Ok(serde_json::from_slice::<StoryList>(&list)?.stories)
}

/// Builds the response with the file. `headers` are the headers of the request, and `now_ms` is the present time in
/// milliseconds since the Unix epoch.
///
/// # Errors
/// [`Error::Invalid`] if the file is too large for a response.
pub async fn build_response(
    data: UserData,
    headers: &HeaderMap,
    now_ms: u64,
) -> Result<Response, Error> {
    let day = data.account.time_zone().day_of(now_ms);
    let name = format!("kiroku-{}-data-{day}.json", data.account.user.username);
    let too_large = "must be false, because the file would have more than 4.5 MB after compression; get the stories \
        with GET /v1/user_story/export and GET /v1/user_story/{id}/history, or ask the operator of this service for \
        the file";
    let too_large = Error::invalid("stories", too_large);
    let write = move |output: &mut dyn Write| write(&data, now_ms, output);
    let (file, ()) = File::write(Compression::for_request(headers), too_large, write).await?;
    Ok(file.into_response(&name, "application/json"))
}
