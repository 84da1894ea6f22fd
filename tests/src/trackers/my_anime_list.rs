//! The fake `MyAnimeList`: its REST API and its token endpoint. The fake stores each anime of the catalogue in
//! the form that the API returns with all fields.

use std::collections::BTreeMap;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use axum::{Form, Json, Router};
use serde_json::{Value, json};
use shared::models::{PartialDate, WatchStatus};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{CLIENT_ID, CLIENT_SECRET, Fake, NO_ANIME, Row, VIEWER};

type Params = BTreeMap<String, String>;

pub(super) fn router(fake: Fake) -> Router {
    Router::new()
        .route("/v2/users/@me", get(me))
        .route("/v2/users/@me/animelist", get(list))
        .route("/v2/anime/{id}/my_list_status", patch(save))
        .route("/v2/anime/season/{year}/{season}", get(season))
        .route("/v2/anime/ranking", get(ranking))
        .route("/v2/anime/{id}", get(anime))
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
    let (limit, offset) = (number(&query, "limit", 100), number(&query, "offset", 0));
    if limit > 1_000 {
        return refused(400, "bad_request");
    }
    // Without `nsfw=true` the real API leaves out adult titles. In the fake, the titles with an odd id are adult.
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
    let has_next = rows.len() > offset + size;
    let next = has_next.then(|| next_page(&fake, "users/@me/animelist", &query, offset + size));
    Json(json!({"data": data, "paging": paging(next)})).into_response()
}

fn number(query: &Params, name: &str, otherwise: usize) -> usize {
    let number = query.get(name).and_then(|text| text.parse().ok());
    number.unwrap_or(otherwise)
}

/// Returns the URL of the page at this offset.
fn next_page(fake: &Fake, path: &str, query: &Params, offset: usize) -> String {
    let mut query = query.clone();
    query.insert("offset".to_owned(), offset.to_string());
    let query: Vec<_> = query
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let query = query.join("&").replace('{', "%7B").replace('}', "%7D");
    format!("{}/v2/{path}?{query}", fake.origin)
}

/// The real API leaves out the URL of the next page if there is none.
fn paging(next: Option<String>) -> Value {
    next.map_or_else(|| json!({}), |next| json!({ "next": next }))
}

/// Returns the response to a request for public data that exceeds the rate limit or has no valid client id.
fn public_gate(fake: &Fake, headers: &HeaderMap) -> Option<Response> {
    if fake.remaining().is_none() {
        return Some(refused(429, "too_many_requests"));
    }
    let sent = headers.get("x-mal-client-id");
    (sent.is_none_or(|sent| sent != CLIENT_ID)).then(|| refused(401, "invalid_client"))
}

async fn season(
    State(fake): State<Fake>,
    headers: HeaderMap,
    Path((year, season)): Path<(u16, String)>,
    Query(query): Query<Params>,
) -> Response {
    let wanted = json!({"year": year, "season": season});
    let path = format!("anime/season/{year}/{season}");
    let is_wanted = |anime: &Value| anime["start_season"] == wanted;
    catalogue(&fake, &headers, &query, &path, is_wanted)
}

async fn ranking(
    State(fake): State<Fake>,
    headers: HeaderMap,
    Query(query): Query<Params>,
) -> Response {
    if query.get("ranking_type").map(String::as_str) != Some("bypopularity") {
        return refused(400, "bad_request");
    }
    catalogue(&fake, &headers, &query, "anime/ranking", |_| true)
}

fn catalogue(
    fake: &Fake,
    headers: &HeaderMap,
    query: &Params,
    path: &str,
    is_wanted: impl Fn(&Value) -> bool,
) -> Response {
    if let Some(refused) = public_gate(fake, headers) {
        return refused;
    }
    let (limit, offset) = (number(query, "limit", 100), number(query, "offset", 0));
    if limit > 500 {
        return refused(400, "bad_request");
    }
    // Without `nsfw=true` the real API leaves out all anime that are not white.
    let shows_all = query.get("nsfw").is_some_and(|value| value == "true");
    let is_shown = |anime: &&Value| {
        is_wanted(anime) && (shows_all || anime.get("nsfw").is_none_or(|nsfw| nsfw == "white"))
    };
    let state = fake.state();
    let mut found: Vec<&Value> = state.media.iter().filter(is_shown).collect();
    found.sort_by_key(|anime| std::cmp::Reverse(anime["num_list_users"].as_u64()));
    let size = state.per_page.min(limit);
    let rows = found.iter().skip(offset).take(size);
    let rows = rows.map(|anime| json!({"node": with_fields(anime, query, true)}));
    let data: Vec<Value> = rows.collect();
    let has_next = found.len() > offset + size;
    let next = has_next.then(|| next_page(fake, path, query, offset + size));
    Json(json!({"data": data, "paging": paging(next)})).into_response()
}

async fn anime(
    State(fake): State<Fake>,
    headers: HeaderMap,
    Path(id): Path<u32>,
    Query(query): Query<Params>,
) -> Response {
    if let Some(refused) = public_gate(&fake, &headers) {
        return refused;
    }
    let state = fake.state();
    match state.media.iter().find(|anime| anime["id"] == id) {
        Some(anime) => Json(with_fields(anime, &query, false)).into_response(),
        None => refused(404, "not_found"),
    }
}

/// Returns an anime with only the fields that the request asks for. Lists have neither related nor recommended anime,
/// even if a request asks for them.
fn with_fields(anime: &Value, query: &Params, is_listed: bool) -> Value {
    let asked = query.get("fields").map(String::as_str).unwrap_or_default();
    let is_always = |name: &str| matches!(name, "id" | "title" | "main_picture");
    let is_never = |name: &str| is_listed && matches!(name, "related_anime" | "recommendations");
    let mut anime = anime.clone();
    anime.as_object_mut().unwrap().retain(|name, _| {
        (is_always(name) || asked.split(',').any(|asked| asked == name)) && !is_never(name)
    });
    anime
}

fn listed(id: u32, row: &Row, fields: &str) -> Value {
    let mut node =
        json!({"id": id, "title": "A title", "main_picture": {"medium": "https://i.test/1"}});
    if fields.ends_with(",num_episodes") {
        node["num_episodes"] = json!(row.episodes.unwrap_or(0));
    }
    let asked = fields.split(['{', '}', ',']).collect::<Vec<_>>();
    let mut list_status = status_of(row);
    list_status.as_object_mut().unwrap().retain(|name, _| {
        let is_always = matches!(
            name.as_str(),
            "status" | "score" | "num_episodes_watched" | "is_rewatching" | "updated_at"
        );
        is_always || asked.contains(&name.as_str())
    });
    json!({"node": node, "list_status": list_status})
}

/// docs/trackers.md, "Status mapping". Rewatched entries also have the status "watching".
fn status_of(row: &Row) -> Value {
    let (name, rewatching) = match row.status {
        WatchStatus::Current => ("watching", false),
        WatchStatus::Planning => ("plan_to_watch", false),
        WatchStatus::Completed => ("completed", false),
        WatchStatus::Dropped => ("dropped", false),
        WatchStatus::Paused => ("on_hold", false),
        WatchStatus::Repeating => ("watching", true),
    };
    let mut status = json!({
        "status": name,
        "score": row.score,
        "num_episodes_watched": row.progress,
        "is_rewatching": rewatching,
        "num_times_rewatched": row.repeats,
        "tags": [],
        "comments": row.notes,
        "updated_at": iso(row.updated_at),
    });
    // The real API leaves out null fields.
    for (name, date) in [
        ("start_date", row.started_on),
        ("finish_date", row.finished_on),
    ] {
        if let Some(date) = date {
            status[name] = json!(date);
        }
    }
    status
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
    let row = state
        .list(account)
        .entry(id)
        .or_insert_with(|| Row::new(WatchStatus::Current, 0, 0));
    let rewatching = form.get("is_rewatching").map(String::as_str) == Some("true");
    row.status = match form.get("status").map(String::as_str) {
        _ if rewatching => WatchStatus::Repeating,
        None => row.status,
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
    if let Some(score) = form.get("score") {
        let Some(score) = score.parse().ok().filter(|score| *score <= 10) else {
            return refused(400, "invalid_content");
        };
        row.score = score;
    }
    if let Some(repeats) = form.get("num_times_rewatched") {
        row.repeats = repeats.parse().unwrap();
    }
    if let Some(comments) = form.get("comments") {
        row.notes.clone_from(comments);
    }
    for (name, date) in [
        ("start_date", &mut row.started_on),
        ("finish_date", &mut row.finished_on),
    ] {
        match form.get(name).map(String::as_str) {
            None => {}
            Some("") => *date = None,
            // The API's documentation does not say if an incomplete date is accepted.
            Some(text) => match PartialDate::parse(text) {
                Ok(day) if day.day().is_some() => *date = Some(day),
                _ => return refused(400, "invalid_content"),
            },
        }
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
