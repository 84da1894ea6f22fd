//! The fake `AniList`: its GraphQL API and its token endpoint.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use shared::models::{PartialDate, WatchStatus};

use super::{CLIENT_ID, CLIENT_SECRET, Fake, NO_ANIME, Row, VIEWER};

/// docs/trackers.md, "Status mapping".
const STATUSES: [(WatchStatus, &str); 6] = [
    (WatchStatus::Current, "CURRENT"),
    (WatchStatus::Planning, "PLANNING"),
    (WatchStatus::Completed, "COMPLETED"),
    (WatchStatus::Dropped, "DROPPED"),
    (WatchStatus::Paused, "PAUSED"),
    (WatchStatus::Repeating, "REPEATING"),
];

pub(super) fn router(fake: Fake) -> Router {
    Router::new()
        .route("/", post(graphql))
        .route("/api/v2/oauth/token", post(token))
        .with_state(fake)
}

async fn graphql(
    State(fake): State<Fake>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let Some(remaining) = fake.remaining() else {
        let wait = [("retry-after", "60")];
        return (
            StatusCode::TOO_MANY_REQUESTS,
            wait,
            error("Too Many Requests.", 429),
        )
            .into_response();
    };
    let limit = fake.state().limit;
    let limits = [
        ("x-ratelimit-limit", limit.to_string()),
        ("x-ratelimit-remaining", remaining.to_string()),
    ];
    let query = body["query"].as_str().unwrap();
    let account = fake.state().account(&headers);
    let answer = match account {
        _ if query.contains("Page(") => page(&fake, &body["variables"]),
        Some(account) => operation(&fake, account, query, &body["variables"]),
        None => Err((400, "Invalid token")),
    };
    match answer {
        Ok(data) => (limits, Json(json!({"data": data}))).into_response(),
        Err((status, message)) => {
            let code = StatusCode::from_u16(status).unwrap();
            (code, limits, error(message, status)).into_response()
        }
    }
}

type Outcome = Result<Value, (u16, &'static str)>;

fn operation(fake: &Fake, account: u64, query: &str, variables: &Value) -> Outcome {
    if query.contains("Viewer{") {
        let state = fake.state();
        let avatar = json!({"large": state.avatar});
        Ok(json!({"Viewer": {"id": account, "name": VIEWER.1, "avatar": avatar}}))
    } else if query.contains("MediaListCollection(") {
        let formats = ["score(format:POINT_100)", "scoreFormat"];
        if formats.iter().any(|asked| !query.contains(asked)) {
            return Err((400, "validation"));
        }
        list(fake, account, variables)
    } else if query.contains("SaveMediaListEntry(") {
        // GraphQL ignores a variable that the operation does not declare.
        let is_declared = |name: &String| query.contains(&format!("${name}:"));
        assert!(
            variables.as_object().unwrap().keys().all(is_declared),
            "{query}"
        );
        save(fake, account, variables)
    } else {
        Err((400, "Syntax Error"))
    }
}

fn list(fake: &Fake, account: u64, variables: &Value) -> Outcome {
    let number = |name: &str| variables[name].as_u64().ok_or((400, "validation"));
    if number("userId")? != account {
        return Err((404, "User not found"));
    }
    let (chunk, per_chunk) = (number("chunk")?, number("perChunk")?);
    if chunk == 0 || per_chunk > 500 {
        return Err((400, "validation"));
    }
    let mut state = fake.state();
    let size = state.per_page.min(usize::try_from(per_chunk).unwrap());
    let start = size * usize::try_from(chunk - 1).unwrap();
    let rows = state.list(account);
    let chunk: Vec<_> = rows.iter().skip(start).take(size).collect();
    let mut lists: Vec<Value> = STATUSES
        .iter()
        .map(|(status, name)| {
            let is_here = |row: &Row| row.status == *status && !row.hidden;
            let entries = chunk.iter().filter(|(_, row)| is_here(row));
            let entries: Vec<_> = entries.map(|(id, row)| entry(**id, row)).collect();
            json!({"name": name, "isCustomList": false, "status": name, "entries": entries})
        })
        .collect();
    // The custom list has the hidden entries, and every third of the others: the real API repeats an entry in each of
    // its lists.
    let custom = chunk
        .iter()
        .filter(|(id, row)| row.hidden || id.is_multiple_of(3));
    let entries: Vec<_> = custom.map(|(id, row)| entry(**id, row)).collect();
    lists.push(json!({"name": "Mine", "isCustomList": true, "status": null, "entries": entries}));
    let more = rows.len() > start + size;
    let user = json!({"mediaListOptions": {"scoreFormat": state.score_format}});
    Ok(json!({"MediaListCollection": {"user": user, "hasNextChunk": more, "lists": lists}}))
}

fn entry(media_id: u32, row: &Row) -> Value {
    json!({
        "id": media_id + 5_000_000,
        "mediaId": media_id,
        "status": name_of(row.status),
        "progress": row.progress,
        "score": row.score,
        "repeat": row.repeats,
        "private": row.private,
        "notes": (!row.notes.is_empty()).then_some(&row.notes),
        "startedAt": fuzzy(row.started_on),
        "completedAt": fuzzy(row.finished_on),
        "updatedAt": row.updated_at,
        "media": {"episodes": row.episodes},
    })
}

/// The real API returns an object of nulls for an unknown day.
fn fuzzy(date: Option<PartialDate>) -> Value {
    json!({
        "year": date.map(PartialDate::year),
        "month": date.and_then(PartialDate::month),
        "day": date.and_then(PartialDate::day),
    })
}

fn date_of(date: &Value) -> Result<Option<PartialDate>, (u16, &'static str)> {
    let Some(year) = date["year"].as_u64() else {
        return Ok(None);
    };
    let part = |name: &str| date[name].as_u64().map(|part| part.try_into().unwrap());
    let date = PartialDate::new(year.try_into().unwrap(), part("month"), part("day"));
    date.map(Some).ok_or((400, "validation"))
}

fn name_of(status: WatchStatus) -> &'static str {
    STATUSES
        .iter()
        .find(|(known, _)| *known == status)
        .unwrap()
        .1
}

fn save(fake: &Fake, account: u64, variables: &Value) -> Outcome {
    let media_id = variables["mediaId"].as_u64().ok_or((400, "validation"))?;
    let media_id = u32::try_from(media_id).unwrap();
    if media_id >= NO_ANIME {
        return Err((404, "Not Found."));
    }
    let sent = |name: &str| variables.get(name).filter(|value| !value.is_null());
    let status = match sent("status") {
        None => None,
        Some(sent) => {
            let named = STATUSES.iter().find(|(_, name)| sent == name);
            Some(named.ok_or((400, "validation"))?.0)
        }
    };
    let number = |name: &str| match sent(name) {
        None => Ok(None),
        Some(number) => number.as_u64().map(Some).ok_or((400, "validation")),
    };
    let (progress, score) = (number("progress")?, number("scoreRaw")?);
    let repeats = number("repeat")?;
    if score.is_some_and(|score| score > 100) {
        return Err((400, "validation"));
    }
    let day = |name: &str| sent(name).map(date_of).transpose();
    let (started_on, finished_on) = (day("startedAt")?, day("completedAt")?);
    let now = fake.clock.now_s();
    let mut state = fake.state();
    let row = state
        .list(account)
        .entry(media_id)
        .or_insert_with(|| Row::new(WatchStatus::Planning, 0, 0));
    row.status = status.unwrap_or(row.status);
    if let Some(progress) = progress {
        row.progress = u32::try_from(progress).unwrap();
    }
    row.score = score.unwrap_or(row.score);
    row.repeats = repeats.unwrap_or(row.repeats);
    row.started_on = started_on.unwrap_or(row.started_on);
    row.finished_on = finished_on.unwrap_or(row.finished_on);
    if let Some(notes) = sent("notes") {
        notes.as_str().unwrap().clone_into(&mut row.notes);
    }
    if let Some(private) = sent("private") {
        row.private = private.as_bool().unwrap();
    }
    row.updated_at = now;
    Ok(json!({"SaveMediaListEntry": entry(media_id, row)}))
}

fn page(fake: &Fake, variables: &Value) -> Outcome {
    let number = |name: &str| variables[name].as_u64().ok_or((400, "validation"));
    let (page, per_page) = (number("page")?, number("perPage")?);
    if per_page > 50
        || !["UPDATED_AT_DESC", "ID"]
            .iter()
            .any(|sort| variables["sort"][0] == *sort)
    {
        return Err((400, "validation"));
    }
    let state = fake.state();
    let mut media: Vec<&Value> = state.media.iter().collect();
    if variables["sort"][0] == "ID" {
        media.sort_by_key(|media| media["id"].as_u64());
    } else {
        let changed = |media: &&Value| media["updatedAt"].as_u64();
        media.sort_by_key(|media| std::cmp::Reverse(changed(media)));
    }
    let size = state.per_page.min(usize::try_from(per_page).unwrap());
    let start = size * usize::try_from(page - 1).unwrap();
    let more = media.len() > start + size;
    let media: Vec<_> = media.into_iter().skip(start).take(size).collect();
    let info = json!({"currentPage": page, "hasNextPage": more, "perPage": size});
    Ok(json!({"Page": {"pageInfo": info, "media": media}}))
}

fn error(message: &str, status: u16) -> Json<Value> {
    Json(json!({"data": null, "errors": [{"message": message, "status": status}]}))
}

async fn token(State(fake): State<Fake>, Json(body): Json<Value>) -> Response {
    let client = body["client_id"] == CLIENT_ID && body["client_secret"] == CLIENT_SECRET;
    if !client {
        let refused = json!({"error": "invalid_client", "message": "Client authentication failed"});
        return (StatusCode::UNAUTHORIZED, Json(refused)).into_response();
    }
    let mut state = fake.state();
    let good = json!([body["grant_type"], body["redirect_uri"]])
        == json!(["authorization_code", state.redirect_uri]);
    let code = body["code"].as_str().unwrap_or_default();
    if !good || !state.redeem((code, None)) {
        let refused = json!({"error": "invalid_request", "hint": "Cannot decrypt the code"});
        return (StatusCode::BAD_REQUEST, Json(refused)).into_response();
    }
    state.grants += 1;
    Json(json!({
        "token_type": "Bearer",
        "expires_in": 31_536_000,
        "access_token": state.access(),
        "refresh_token": null,
    }))
    .into_response()
}
