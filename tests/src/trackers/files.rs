//! A server of files, such as the releases of the anime-offline-database. It supports conditional requests and requests
//! for the rest of a file.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::{Fake, PublishedFile};

pub(super) fn router(fake: Fake) -> Router {
    Router::new().fallback(file).with_state(fake)
}

async fn file(State(fake): State<Fake>, uri: Uri, headers: HeaderMap) -> Response {
    let state = fake.state();
    let Some(file) = state.files.get(uri.path()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let names = [header::ETAG, header::LAST_MODIFIED];
    let values = [&file.etag, &file.last_modified];
    let mut response = if is_known(file, &headers) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if let Some(start) = start_of_rest(file, &headers) {
        rest(file, start)
    } else {
        Body::from(file.body.clone()).into_response()
    };
    for (name, value) in names.into_iter().zip(values) {
        if let Some(value) = value {
            response.headers_mut().insert(name, value.parse().unwrap());
        }
    }
    response
}

fn is_known(file: &PublishedFile, headers: &HeaderMap) -> bool {
    let is = |name, value: &Option<String>| {
        let sent = headers.get(name);
        sent.is_some_and(|sent| value.as_ref().is_some_and(|value| sent == value.as_str()))
    };
    is(header::IF_NONE_MATCH, &file.etag) || is(header::IF_MODIFIED_SINCE, &file.last_modified)
}

/// Returns the position from which the rest of the file is requested, if the file is still the same.
fn start_of_rest(file: &PublishedFile, headers: &HeaderMap) -> Option<usize> {
    let range = headers.get(header::RANGE)?.to_str().ok()?;
    let start = range.strip_prefix("bytes=")?.strip_suffix('-')?;
    let condition = headers.get(header::IF_RANGE);
    let is_same =
        condition.is_none_or(|tag| Some(tag.as_bytes()) == file.etag.as_deref().map(str::as_bytes));
    start.parse().ok().filter(|_| is_same)
}

fn rest(file: &PublishedFile, start: usize) -> Response {
    let length = file.body.len();
    let Some(rest) = file.body.get(start..).filter(|rest| !rest.is_empty()) else {
        let range = [(header::CONTENT_RANGE, format!("bytes */{length}"))];
        return (StatusCode::RANGE_NOT_SATISFIABLE, range).into_response();
    };
    let range = format!("bytes {start}-{}/{length}", length - 1);
    let range = [(header::CONTENT_RANGE, range)];
    (
        StatusCode::PARTIAL_CONTENT,
        range,
        Body::from(rest.to_vec()),
    )
        .into_response()
}
