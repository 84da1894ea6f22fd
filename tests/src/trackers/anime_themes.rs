//! The fake `AnimeThemes`: the parts of its JSON API that a refresh uses. The fake stores each anime in the form of the
//! API's response that includes everything, and `updated_at` for each theme.

use std::collections::BTreeMap;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::Fake;

type Params = BTreeMap<String, String>;

pub(super) fn router(fake: Fake) -> Router {
    Router::new()
        .route("/anime", get(anime))
        .route("/animetheme", get(themes))
        .with_state(fake)
}

async fn anime(State(fake): State<Fake>, Query(query): Query<Params>) -> Response {
    let list = |name: &str| -> Option<Vec<u64>> {
        let numbers = query.get(name)?.split(',');
        Some(numbers.map(|number| number.parse().unwrap()).collect())
    };
    let (at_tracker_a, ids) = (list("filter[external_id]"), list("filter[anime][id]"));
    let asks_tracker_a = query
        .get("filter[has]")
        .is_some_and(|has| has == "resources")
        && query
            .get("filter[site]")
            .is_some_and(|site| site == "AniList");
    let has_all = query
        .get("include")
        .is_some_and(|include| include == "resources,animethemes.song.artists");
    if asks_tracker_a != at_tracker_a.is_some() || !has_all {
        return refused(422);
    }
    let is_asked = |anime: &Value| {
        let is_at = |numbers: &Vec<u64>| {
            let resources = anime["resources"].as_array().unwrap().iter();
            let mut here = resources.filter(|resource| resource["site"] == "AniList");
            here.any(|resource| numbers.contains(&resource["external_id"].as_u64().unwrap()))
        };
        at_tracker_a.as_ref().is_none_or(is_at)
            && ids
                .as_ref()
                .is_none_or(|ids| ids.contains(&anime["id"].as_u64().unwrap()))
    };
    let all = fake.state().themes.clone();
    let rows = all.into_iter().filter(is_asked).map(|mut anime| {
        for theme in anime["animethemes"].as_array_mut().unwrap() {
            // The real API returns `updated_at` only when the request asks for it.
            theme.as_object_mut().unwrap().remove("updated_at");
        }
        anime
    });
    page(&fake, &query, "anime", rows.collect())
}

async fn themes(State(fake): State<Fake>, Query(query): Query<Params>) -> Response {
    let wanted = [
        ("fields[animetheme]", "id,updated_at"),
        ("include", "anime"),
        ("sort", "-updated_at"),
    ];
    if wanted
        .iter()
        .any(|(name, value)| query.get(*name).is_none_or(|sent| sent != value))
    {
        return refused(422);
    }
    let mut rows = Vec::new();
    for anime in &fake.state().themes {
        for theme in anime["animethemes"].as_array().unwrap() {
            let owner = json!({"id": anime["id"]});
            let (id, at) = (&theme["id"], &theme["updated_at"]);
            rows.push(json!({"id": id, "updated_at": at, "anime": owner}));
        }
    }
    // All times have the same format, so they sort as text.
    let changed = |row: &Value| row["updated_at"].as_str().unwrap().to_owned();
    rows.sort_by_key(|row| std::cmp::Reverse(changed(row)));
    page(&fake, &query, "animethemes", rows)
}

fn page(fake: &Fake, query: &Params, name: &str, rows: Vec<Value>) -> Response {
    let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok());
    let (Some(size), Some(number)) = (number("page[size]"), number("page[number]")) else {
        return refused(422);
    };
    let Some(remaining) = fake.remaining() else {
        let wait = [("retry-after", "60")];
        return (StatusCode::TOO_MANY_REQUESTS, wait, "Too Many Attempts.").into_response();
    };
    let state = fake.state();
    let (size, limit) = (size.min(state.per_page).min(100), state.limit);
    let start = size * (number - 1);
    let next = (rows.len() > start + size)
        .then(|| format!("{}/{name}?page%5Bnumber%5D={}", fake.origin, number + 1));
    let rows: Vec<Value> = rows.into_iter().skip(start).take(size).collect();
    let limits = [
        ("x-ratelimit-limit", limit.to_string()),
        ("x-ratelimit-remaining", remaining.to_string()),
    ];
    let links = json!({"first": null, "last": null, "prev": null, "next": next});
    let meta = json!({"current_page": number, "per_page": size});
    let body = json!({name: rows, "links": links, "meta": meta});
    (limits, Json(body)).into_response()
}

fn refused(status: u16) -> Response {
    let code = StatusCode::from_u16(status).unwrap();
    (
        code,
        Json(json!({"message": "The given data was invalid."})),
    )
        .into_response()
}
