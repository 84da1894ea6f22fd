//! The fake `MyAnimeList`: its REST API and its token endpoint.

use std::collections::BTreeMap;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use axum::{Form, Json, Router};
use serde_json::{Value, json};
use shared::models::WatchStatus;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{CLIENT_ID, CLIENT_SECRET, Fake, NO_ANIME, Row, VIEWER};

type Params = BTreeMap<String, String>;

pub(super) fn router(fake: Fake) -> Router {
    Router::new()
        .route("/v2/users/@me", get(me))
        .route("/v2/users/@me/animelist", get(list))
        .route("/v2/anime/{id}/my_list_status", patch(save))
        .route("/v1/oauth2/token", post(token))
        .with_state(fake)
}

fn refused(status: u16, error: &str) -> Response {
    let code = StatusCode::from_u16(status).unwrap();
    (code, Json(json!({"error": error, "message": ""}))).into_response()
}

/// Returns the account of the request's token, or the response to a request that exceeds the rate limit
/// or has no valid token.
fn gate(fake: &Fake, headers: &HeaderMap) -> Result<u64, Box<Response>> {
    if fake.remaining().is_none() {
        return Err(Box::new(refused(429, "too_many_requests")));
    }
    let account = fake.state().account(headers);
    account.ok_or_else(|| Box::new(refused(401, "invalid_token")))
}

async fn me(State(fake): State<Fake>, headers: HeaderMap) -> Response {
    let account = match gate(&fake, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let state = fake.state();
    let mut person = json!({"id": account, "name": VIEWER.1});
    // The real API leaves out null fields.
    if let Some(picture) = &state.avatar {
        person["picture"] = json!(picture);
    }
    Json(person).into_response()
}

async fn list(
    State(fake): State<Fake>,
    headers: HeaderMap,
    Query(query): Query<Params>,
) -> Response {
    let account = match gate(&fake, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok());
    let (limit, offset) = (
        number("limit").unwrap_or(100),
        number("offset").unwrap_or(0),
    );
    if limit > 1_000 {
        return refused(400, "bad_request");
    }
    // Without `nsfw=true` the real API leaves out adult titles. In the fake, these are the ones with an
    // odd id.
    let shows_all = query.get("nsfw").is_some_and(|value| value == "true");
    let fields = query.get("fields").map(String::as_str).unwrap_or_default();
    let mut state = fake.state();
    let size = state.per_page.min(limit);
    let rows = state
        .list(account)
        .iter()
        .filter(|(id, _)| shows_all || id.is_multiple_of(2));
    let rows: Vec<_> = rows.collect();
    let page = rows.iter().skip(offset).take(size);
    let data: Vec<Value> = page.map(|(id, row)| listed(**id, row, fields)).collect();
    let mut paging = json!({});
    if rows.len() > offset + size {
        let mut query = query.clone();
        query.insert("offset".to_owned(), (offset + size).to_string());
        let query: Vec<_> = query
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let query = query.join("&").replace('{', "%7B").replace('}', "%7D");
        let path = "/v2/users/@me/animelist";
        paging["next"] = json!(format!("{}{path}?{query}", fake.origin));
    }
    Json(json!({"data": data, "paging": paging})).into_response()
}

fn listed(id: u32, row: &Row, fields: &str) -> Value {
    let mut node =
        json!({"id": id, "title": "A title", "main_picture": {"medium": "https://i.test/1"}});
    if fields.ends_with(",num_episodes") {
        node["num_episodes"] = json!(row.episodes.unwrap_or(0));
    }
    let mut list_status = status_of(row);
    if fields.contains("start_date") && id.is_multiple_of(2) {
        list_status["start_date"] = json!(["2017", "2017-10", "2017-10-23"][id as usize / 2 % 3]);
    }
    json!({"node": node, "list_status": list_status})
}

/// docs/trackers.md, "Status mapping". Rewatched entries have the status "watching", too.
fn status_of(row: &Row) -> Value {
    let (name, rewatching) = match row.status {
        WatchStatus::Current => ("watching", false),
        WatchStatus::Planning => ("plan_to_watch", false),
        WatchStatus::Completed => ("completed", false),
        WatchStatus::Dropped => ("dropped", false),
        WatchStatus::Paused => ("on_hold", false),
        WatchStatus::Repeating => ("watching", true),
    };
    json!({
        "status": name,
        "score": 0,
        "num_episodes_watched": row.progress,
        "is_rewatching": rewatching,
        "updated_at": iso(row.updated_at),
    })
}

/// Formats a time like `2023-11-14T22:13:20+00:00`.
fn iso(seconds: u64) -> String {
    let time = OffsetDateTime::from_unix_timestamp(seconds.try_into().unwrap()).unwrap();
    time.format(&Rfc3339).unwrap().replace('Z', "+00:00")
}

async fn save(
    State(fake): State<Fake>,
    headers: HeaderMap,
    Path(id): Path<u32>,
    Form(form): Form<Params>,
) -> Response {
    let account = match gate(&fake, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    if id >= NO_ANIME {
        return refused(404, "not_found");
    }
    let now = fake.clock.now_s();
    let mut state = fake.state();
    let row = state.list(account).entry(id).or_insert(Row {
        status: WatchStatus::Current,
        progress: 0,
        episodes: Some(12),
        private: false,
        hidden: false,
        updated_at: 0,
    });
    let rewatching = form.get("is_rewatching").map(String::as_str) == Some("true");
    row.status = match form.get("status").map(String::as_str) {
        _ if rewatching => WatchStatus::Repeating,
        Some("watching") => WatchStatus::Current,
        Some("plan_to_watch") => WatchStatus::Planning,
        Some("completed") => WatchStatus::Completed,
        Some("dropped") => WatchStatus::Dropped,
        Some("on_hold") => WatchStatus::Paused,
        _ => return refused(400, "invalid_content"),
    };
    // The real API calls this field `num_watched_episodes` in a request and `num_episodes_watched` in a
    // response, and ignores unknown fields.
    if let Some(progress) = form.get("num_watched_episodes") {
        row.progress = progress.parse().unwrap();
    }
    row.updated_at = now;
    Json(status_of(row)).into_response()
}

async fn token(State(fake): State<Fake>, Form(form): Form<Params>) -> Response {
    let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    if (field("client_id"), field("client_secret")) != (CLIENT_ID, CLIENT_SECRET) {
        return refused(401, "invalid_client");
    }
    let mut state = fake.state();
    let renews = match field("grant_type") {
        "authorization_code" => {
            let sent = (field("code"), Some(field("code_verifier")));
            if field("redirect_uri") != state.redirect_uri || !state.redeem(sent) {
                return refused(400, "invalid_grant");
            }
            true
        }
        "refresh_token" if field("refresh_token") == state.refresh() => state.rotates,
        "refresh_token" => return refused(401, "invalid_request"),
        _ => return refused(400, "unsupported_grant_type"),
    };
    state.grants += 1;
    state.rotations += u32::from(renews);
    let mut answer = json!({
        "token_type": "Bearer",
        "expires_in": 3_600,
        "access_token": state.access(),
    });
    if renews {
        answer["refresh_token"] = json!(state.refresh());
    }
    Json(answer).into_response()
}
