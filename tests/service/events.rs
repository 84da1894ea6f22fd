//! Lambda events: what API Gateway sends, through `lambda_http`, into each function's own router.

use std::io::Read;

use axum::Router;
use flate2::read::GzDecoder;
use http_body_util::BodyExt;
use lambda_http::request::from_str;
use serde_json::Value;
use shared::auth::{Attempts, CallerAddress};
use shared::clock::Clock;
use shared::models::{Anime, Song};
use shared::random::Random;
use shared::store::ThrottleStore;
use tests::service::{PUBLIC_URL, Service};
use tower::ServiceExt;

/// Sends the event of a file in events/ into a router. Answers status, `Allow` and body.
async fn invoke(router: &Router, event: &str) -> (u16, String, Value) {
    let path = format!("{}/../events/{event}.json", env!("CARGO_MANIFEST_DIR"));
    let request = from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let answer = router
        .clone()
        .oneshot(request.map(axum_body))
        .await
        .unwrap();
    let status = answer.status().as_u16();
    let allow = answer.headers().get("allow");
    let allow = allow
        .map(|allow| allow.to_str().unwrap().to_owned())
        .unwrap_or_default();
    let is_gzip = answer.headers().get("content-encoding").is_some();
    let mut body = answer
        .into_body()
        .collect()
        .await
        .unwrap()
        .to_bytes()
        .to_vec();
    if is_gzip {
        let packed = std::mem::take(&mut body);
        GzDecoder::new(&packed[..]).read_to_end(&mut body).unwrap();
    }
    // What is no JSON is a page.
    let page = |_| String::from_utf8(body.clone()).unwrap().into();
    let body = serde_json::from_slice(&body).unwrap_or_else(page);
    (status, allow, body)
}

fn axum_body(body: lambda_http::Body) -> axum::body::Body {
    axum::body::Body::new(body)
}

fn service(router: shared::routing::ApiRouter) -> Router {
    shared::http::service(router, Clock::manual(0), Random::seeded(1))
}

#[tokio::test]
async fn the_anime_function_answers_its_events() {
    let sample = Service::with_sample().await;
    let router = service(anime::router(sample.catalogue::<Anime>()));
    let (status, _, list) = invoke(&router, "anime-list").await;
    assert_eq!(status, 200);
    assert!(!list["data"].as_array().unwrap().is_empty());
    let (status, _, found) = invoke(&router, "anime-find").await;
    assert_eq!(
        (status, found["data"]["titles"]["en"].as_str()),
        (200, Some("Cowboy Bebop"))
    );
    let (_, _, random) = invoke(&router, "anime-random").await;
    assert_eq!(random["data"].as_array().unwrap().len(), 10);
    let (_, _, random) = invoke(&router, "anime-random-count").await;
    assert_eq!(random["message"], "Anime picked");
    let (status, _, invalid) = invoke(&router, "anime-list-invalid").await;
    assert_eq!(status, 400);
    assert!(invalid["data"]["per_page"].is_string());
}

#[tokio::test]
async fn the_song_function_answers_its_events() {
    let sample = Service::with_sample().await;
    let router = service(song::router(sample.catalogue::<Song>()));
    let (status, _, list) = invoke(&router, "song-list").await;
    assert_eq!(status, 200);
    assert!(!list["data"].as_array().unwrap().is_empty());
    let (status, _, found) = invoke(&router, "song-find").await;
    assert_eq!(
        (status, found["data"]["title"].as_str()),
        (200, Some("Tank!"))
    );
    let (_, _, random) = invoke(&router, "song-random-count").await;
    assert_eq!(random["message"], "Songs picked");
}

#[tokio::test]
async fn the_site_function_answers_what_no_other_one_takes() {
    let empty = Service::empty().await;
    let router = site::unrouted(empty.parts.site(), Clock::manual(0), Random::seeded(1));
    for (event, expected) in [
        ("site-start", 200),
        ("site-sign-in", 200),
        ("site-profile", 303),
    ] {
        let (status, _, page) = invoke(&router, event).await;
        assert_eq!(status, expected, "{event}");
        assert!(page.as_str().unwrap().starts_with("<!DOCTYPE html>"));
    }
    let (status, _, document) = invoke(&router, "site-openapi").await;
    assert_eq!((status, document["openapi"].as_str()), (200, Some("3.1.0")));
    let (status, allow, wrong_method) = invoke(&router, "unrouted").await;
    assert_eq!((status, allow.as_str()), (405, "GET"));
    assert_eq!(wrong_method["message"], "Method not allowed");
    let (status, _, unknown) = invoke(&router, "unknown-path").await;
    assert_eq!(
        (status, unknown["message"].as_str()),
        (404, Some("Not found"))
    );
}

#[tokio::test]
async fn the_functions_of_accounts_answer_their_events() {
    let empty = Service::empty().await;
    let auth = service(auth::router(empty.parts.auth()));
    let oauth = service(oauth::router(empty.parts.oauth()));
    let (status, _, metadata) = invoke(&oauth, "oauth-metadata").await;
    assert_eq!(
        (status, metadata["issuer"].as_str()),
        (200, Some(PUBLIC_URL))
    );
    let (status, _, page) = invoke(&oauth, "oauth-authorize").await;
    assert_eq!(status, 400);
    assert!(page.as_str().unwrap().contains("client_id"));
    let (status, _, registered) = invoke(&auth, "auth-register").await;
    assert_eq!(
        (status, registered["data"]["user"]["id"].as_u64()),
        (200, Some(1))
    );
    for (router, event, expected) in [
        (&auth, "auth-register", 409),
        (&auth, "auth-login", 401),
        (&auth, "auth-me", 401),
        (&oauth, "oauth-token", 401),
        (&oauth, "oauth-revoke", 401),
        (&service(user::router(empty.parts.user())), "user-find", 200),
        (&service(user::router(empty.parts.user())), "user-list", 200),
        (
            &service(user::router(empty.parts.user())),
            "user-update",
            401,
        ),
        (
            &service(user::router(empty.parts.user())),
            "user-delete",
            401,
        ),
        (
            &service(user_story::router(empty.parts.user_story())),
            "user_story-list",
            401,
        ),
        (
            &service(user_story::router(empty.parts.user_story())),
            "user_story-create",
            401,
        ),
    ] {
        let (status, _, envelope) = invoke(router, event).await;
        assert_eq!(status, expected, "{event}");
        assert_eq!(envelope["status_code"], expected, "{event}");
    }
}

/// API Gateway joins parameters that are given twice with a comma, but for the raw query string.
#[tokio::test]
async fn rule_05_a_parameter_twice_in_an_event() {
    let empty = Service::empty().await;
    let router = service(oauth::router(empty.parts.oauth()));
    let event = include_str!("../../events/oauth-authorize.json");
    let mut event: Value = serde_json::from_str(event).unwrap();
    event["rawQueryString"] = "client_id=a&client_id=b".into();
    event["queryStringParameters"] = serde_json::json!({"client_id": "a,b"});
    let request = from_str(&event.to_string()).unwrap().map(axum_body);
    let answer = router.oneshot(request).await.unwrap();
    assert_eq!(answer.status(), 400);
    let page = answer.into_body().collect().await.unwrap().to_bytes();
    let page = String::from_utf8_lossy(&page);
    assert!(
        page.contains("client_id: must be given only once."),
        "{page}"
    );
}

/// Attempts are counted by the address that API Gateway saw, whatever a header says.
#[tokio::test]
async fn the_address_of_a_caller_is_what_api_gateway_says() {
    let empty = Service::empty().await;
    let router = service(auth::router(empty.parts.auth()));
    let event = include_str!("../../events/auth-login.json");
    let event: Value = serde_json::from_str(event).unwrap();
    let address = event["requestContext"]["http"]["sourceIp"]
        .as_str()
        .unwrap();
    let throttle = ThrottleStore::new(empty.client.clone(), &empty.tables);
    let attempts = Attempts::new(throttle, empty.clock.clone());
    let address = CallerAddress(address.parse().ok());
    for number in 0..100 {
        attempts
            .begin(None, &format!("name{number}"), address)
            .await
            .unwrap();
    }
    let (status, ..) = invoke(&router, "auth-login").await;
    assert_eq!(status, 429);
    let mut elsewhere = event.clone();
    elsewhere["requestContext"]["http"]["sourceIp"] = "203.0.113.99".into();
    let request = from_str(&elsewhere.to_string()).unwrap().map(axum_body);
    assert_eq!(router.clone().oneshot(request).await.unwrap().status(), 401);
    let mut lying = event;
    lying["headers"]["x-forwarded-for"] = "203.0.113.98".into();
    let request = from_str(&lying.to_string()).unwrap().map(axum_body);
    assert_eq!(router.oneshot(request).await.unwrap().status(), 429);
}

/// On Lambda a request's address is absolute, and so is the link to the next page.
#[tokio::test]
async fn the_next_page_is_on_the_host_that_was_asked() {
    let sample = Service::with_sample().await;
    let router = service(anime::router(sample.catalogue::<Anime>()));
    let event = include_str!("../../events/anime-list.json");
    let mut event: Value = serde_json::from_str(event).unwrap();
    event["rawQueryString"] = "per_page=1".into();
    let request = from_str(&event.to_string()).unwrap();
    let host = event["requestContext"]["domainName"]
        .as_str()
        .unwrap()
        .to_owned();
    let answer = router.oneshot(request.map(axum_body)).await.unwrap();
    let link = answer.headers()["link"].to_str().unwrap();
    assert!(
        link.starts_with(&format!("<https://{host}/v1/anime?per_page=1&cursor=")),
        "{link}"
    );
}
