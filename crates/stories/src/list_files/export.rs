//! The export of a list as a file in a response.

use std::io::Write;

use accounts::users::Account;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use catalogue::Catalogue;
use interchange::{ExportFormat, MAX_ENTRIES};
use shared::http::file::{Compression, File};
use shared::input::{Params, QueryString};
use shared::models::{Anime, PartialDate, WatchStatus};
use shared::user_slots::UserSlot;
use shared::{Error, Result};

use super::history::WatchHistory;
use crate::lists::story_store::StoryStore;

/// The header with the numbers of stories that a file in the format of `MyAnimeList` leaves out.
const X_LEFT_OUT: HeaderName = HeaderName::from_static("x-left-out");

/// The parameters of an export.
#[derive(Clone, Copy, Debug)]
pub struct ExportRequest {
    /// The format of the file.
    pub format: ExportFormat,
    /// The status of the stories in the file. `None` exports all stories.
    pub status: Option<WatchStatus>,
}

/// Reads the parameters `format` and `status`.
impl QueryString for ExportRequest {
    fn read(params: &mut Params) -> Self {
        let format: Option<ExportFormat> = params.read("format");
        Self {
            format: format.unwrap_or(ExportFormat::Json),
            status: params.read("status"),
        }
    }
}

/// Returns the response with the stories of this account as a file. `headers` are the headers of the request, and `now`
/// is the time in milliseconds since the Unix epoch. The caller's access must have been checked. The caller's `slot`
/// becomes free when the file is written, even if the request has ended before.
///
/// # Errors
/// [`Error::Invalid`] if the file would be too large.
pub async fn export(
    stories: &StoryStore,
    catalogue: &Catalogue<Anime>,
    account: Account,
    request: ExportRequest,
    headers: &HeaderMap,
    now: u64,
    slot: UserSlot,
) -> Result<Response> {
    let too_large = || {
        let reason = "must select fewer stories, because a file has at most 20,000 and 4.5 MB after compression; \
            export each status by itself, or read GET /v1/user_story?include=details page by page";
        Error::invalid("status", reason)
    };
    let ExportRequest { format, status } = request;
    let history = WatchHistory::read(stories, catalogue, &account, status, MAX_ENTRIES).await?;
    let history = history.ok_or_else(too_large)?;
    let compression = match format {
        ExportFormat::MalXml => Compression::OfFile,
        ExportFormat::Csv | ExportFormat::Json => Compression::for_request(headers),
    };
    let day = account.time_zone().day_of(now);
    let username = account.user.username;
    let name = file_name(&username, day, format);
    let write = move |output: &mut dyn Write| {
        let _slot = slot;
        history.write(format, &username, now, output)
    };
    let (file, left_out) = File::write(compression, too_large(), write).await?;
    let mut response = file.into_response(&name, format.media_type());
    if format == ExportFormat::MalXml {
        let (private, without_id) = (left_out.private, left_out.without_mal_id);
        let numbers = format!("private={private}, without_mal_id={without_id}");
        let numbers = HeaderValue::from_str(&numbers).map_err(Error::internal)?;
        response.headers_mut().insert(X_LEFT_OUT, numbers);
    }
    Ok(response)
}

/// Returns the name of an exported file, such as `kiroku-mitsuha-2016-08-26.json`. Usernames have only letters, digits,
/// `_` and `-`.
fn file_name(username: &str, day: PartialDate, format: ExportFormat) -> String {
    let extension = format.extension();
    format!("kiroku-{username}-{day}.{extension}")
}
