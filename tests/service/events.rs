//! Lambda events: what API Gateway sends, into each function's own router.

use accounts::Attempts;
use axum::Router;
use proptest::prelude::*;
use serde_json::{Value, json};
use shared::auth::CallerAddress;
use shared::clock::Clock;
use shared::http::layers::Edge;
use shared::models::{Anime, Song};
use shared::random::Random;
use store::ThrottleStore;
use tests::event::{event, invoke, request, with_body};
use tests::service::{PUBLIC_URL, Service};

fn service(router: shared::http::routing::ApiRouter) -> Router {
    let edge = Edge::new(PUBLIC_URL, Clock::manual(0), Random::seeded(1));
    shared::http::layers::service(router, edge)
}

async fn send(router: &Router, name: &str) -> (u16, Value) {
    let answer = invoke(router, &event(name)).await;
    // A response that is not JSON is a page.
    let page = || answer.text().into();
    let body = serde_json::from_slice(&answer.body).unwrap_or_else(|_| page());
    (answer.status.as_u16(), body)
}

#[tokio::test]
async fn the_anime_function_answers_its_events() {
    let sample = Service::with_sample().await;
    let router = service(anime::router(sample.catalogue::<Anime>()));
    let (status, list) = send(&router, "anime-list").await;
    assert_eq!(status, 200);
    assert!(!list["data"].as_array().unwrap().is_empty());
    let (status, found) = send(&router, "anime-find").await;
    assert_eq!(
        (status, found["data"]["titles"]["en"].as_str()),
        (200, Some("Cowboy Bebop"))
    );
    let (_, random) = send(&router, "anime-random").await;
    assert_eq!(random["data"].as_array().unwrap().len(), 10);
    let (_, random) = send(&router, "anime-random-count").await;
    assert_eq!(random["message"], "Anime picked");
    let (status, invalid) = send(&router, "anime-list-invalid").await;
    assert_eq!(status, 400);
    assert!(invalid["data"]["per_page"].is_string());
    let wrong_method = invoke(&router, &event("anime-wrong-method")).await;
    assert_eq!(
        (wrong_method.status.as_u16(), wrong_method.header("allow")),
        (405, "GET,HEAD")
    );
    assert_eq!(wrong_method.envelope()["message"], "Method not allowed");
}

#[tokio::test]
async fn the_song_function_answers_its_events() {
    let sample = Service::with_sample().await;
    let router = service(song::router(sample.catalogue::<Song>()));
    let (status, list) = send(&router, "song-list").await;
    assert_eq!(status, 200);
    assert!(!list["data"].as_array().unwrap().is_empty());
    let (status, found) = send(&router, "song-find").await;
    assert_eq!(
        (status, found["data"]["title"].as_str()),
        (200, Some("Tank!"))
    );
    let (_, random) = send(&router, "song-random-count").await;
    assert_eq!(random["message"], "Songs picked");
}

#[tokio::test]
async fn the_site_function_answers_its_events_and_unknown_paths() {
    let empty = Service::empty().await;
    let router = service(site::router(
        ::site::SiteState::new(&empty.environment).unwrap(),
    ));
    for (event, expected) in [
        ("site-start", 200),
        ("site-sign-in", 200),
        ("site-profile", 303),
    ] {
        let (status, page) = send(&router, event).await;
        assert_eq!(status, expected, "{event}");
        assert!(page.as_str().unwrap().starts_with("<!DOCTYPE html>"));
    }
    let (status, document) = send(&router, "site-openapi").await;
    assert_eq!((status, document["openapi"].as_str()), (200, Some("3.1.0")));
    let (status, unknown) = send(&router, "unknown-path").await;
    assert_eq!(
        (status, unknown["message"].as_str()),
        (404, Some("Not found"))
    );
}

#[tokio::test]
async fn the_functions_of_accounts_answer_their_events() {
    let empty = Service::empty().await;
    let auth = service(auth::router(
        ::auth::AuthState::new(&empty.environment).unwrap(),
    ));
    let oauth = service(oauth::router(
        ::oauth::OAuthState::new(&empty.environment).unwrap(),
    ));
    let user = service(user::router(
        ::user::UserState::new(&empty.environment).unwrap(),
    ));
    let user_story = service(user_story::router(
        ::user_story::StoryState::new(&empty.environment).unwrap(),
    ));
    let (status, metadata) = send(&oauth, "oauth-metadata").await;
    assert_eq!(
        (status, metadata["issuer"].as_str()),
        (200, Some(PUBLIC_URL))
    );
    let (status, page) = send(&oauth, "oauth-authorize").await;
    assert_eq!(status, 400);
    assert!(page.as_str().unwrap().contains("client_id"));
    let (status, registered) = send(&auth, "auth-register").await;
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
        (&user, "user-find", 200),
        (&user, "user-list", 200),
        (&user, "user-update", 401),
        (&user, "user-delete", 401),
        (&user_story, "user_story-list", 401),
        (&user_story, "user_story-create", 401),
    ] {
        let (status, envelope) = send(router, event).await;
        assert_eq!(status, expected, "{event}");
        assert_eq!(envelope["status_code"], expected, "{event}");
    }
}

/// API Gateway joins parameters that are given twice with a comma, but for the raw query string.
#[tokio::test]
async fn rule_05_a_parameter_twice_in_an_event() {
    let empty = Service::empty().await;
    let router = service(oauth::router(
        ::oauth::OAuthState::new(&empty.environment).unwrap(),
    ));
    let mut event = event("oauth-authorize");
    event["rawQueryString"] = "client_id=a&client_id=b".into();
    event["queryStringParameters"] = json!({"client_id": "a,b"});
    let answer = invoke(&router, &event).await;
    assert_eq!(answer.status, 400);
    let page = answer.text();
    assert!(
        page.contains("client_id: must be given only once."),
        "{page}"
    );
}

/// Attempts are counted by the address that API Gateway saw, whatever a header says.
#[tokio::test]
async fn the_address_of_a_caller_is_what_api_gateway_says() {
    let empty = Service::empty().await;
    let router = service(auth::router(
        ::auth::AuthState::new(&empty.environment).unwrap(),
    ));
    let login = event("auth-login");
    let address = login["requestContext"]["http"]["sourceIp"]
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
    assert_eq!(invoke(&router, &login).await.status, 429);
    let mut elsewhere = login.clone();
    elsewhere["requestContext"]["http"]["sourceIp"] = "203.0.113.99".into();
    assert_eq!(invoke(&router, &elsewhere).await.status, 401);
    // The same address, written as IPv6.
    let mut mapped = login.clone();
    mapped["requestContext"]["http"]["sourceIp"] = "::ffff:192.0.2.1".into();
    assert_eq!(invoke(&router, &mapped).await.status, 429);
    let mut mapped_elsewhere = login.clone();
    mapped_elsewhere["requestContext"]["http"]["sourceIp"] = "::ffff:203.0.113.97".into();
    assert_eq!(invoke(&router, &mapped_elsewhere).await.status, 401);
    let mut lying = login;
    lying["headers"]["x-forwarded-for"] = "203.0.113.98".into();
    assert_eq!(invoke(&router, &lying).await.status, 429);
}

/// `Host` and `X-Forwarded-Proto` are a caller's to choose, and the response may be cached.
#[tokio::test]
async fn the_link_to_the_next_page_has_the_public_address() {
    let sample = Service::with_sample().await;
    let router = service(anime::router(sample.catalogue::<Anime>()));
    let mut event = request("GET", "/v1/anime", "per_page=1");
    event["headers"]["host"] = "evil.example".into();
    event["headers"]["x-forwarded-proto"] = "http".into();
    let answer = invoke(&router, &event).await;
    let link = answer.header("link");
    let expected = format!("<{PUBLIC_URL}/v1/anime?per_page=1&cursor=");
    assert!(link.starts_with(&expected), "{link}");
    assert_eq!(
        answer.header("strict-transport-security"),
        "max-age=31536000"
    );
}

/// API Gateway sends HEAD to the function, for the routes take every method.
#[tokio::test]
async fn head_is_answered_like_get_without_a_body() {
    let sample = Service::with_sample().await;
    sample.person("taki").await;
    let anime = service(anime::router(sample.catalogue::<Anime>()));
    let user = service(user::router(
        ::user::UserState::new(&sample.environment).unwrap(),
    ));
    let oauth = service(oauth::router(
        ::oauth::OAuthState::new(&sample.environment).unwrap(),
    ));
    for (router, path, status) in [
        (&anime, "/v1/anime", 200),
        (&anime, "/v1/anime/2", 200),
        (&user, "/v1/user/1", 200),
        (&oauth, "/v1/oauth", 400),
    ] {
        let get = invoke(router, &request("GET", path, "")).await;
        let head = invoke(router, &request("HEAD", path, "")).await;
        assert_eq!(head.status, status, "{path}");
        assert_eq!(head.body.len(), 0, "{path}");
        for name in ["content-type", "etag", "x-total-count", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

/// Characters that no URI can hold are percent-encoded, and find what they stand for.
#[tokio::test]
async fn a_query_string_that_is_no_uri_is_read() {
    let sample = Service::with_sample().await;
    let router = service(anime::router(sample.catalogue::<Anime>()));
    for query in [
        "title=cowboy bebop",
        "title=cowboy<bebop",
        "title=cowboy>bebop",
        "title=cowboy\"bebop",
        "title=cowboy\u{7f}bebop",
        "title=cowboy\u{1}bebop",
        "title=cowboy\nbebop",
        "title=cowboy#bebop",
        "title=cowboy\u{3000}bebop",
    ] {
        let answer = invoke(&router, &request("GET", "/v1/anime", query)).await;
        assert_eq!(answer.status, 200, "{query:?}");
        assert_eq!(answer.ids()[0], 2, "{query:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_decoded_is_a_400_in_the_envelope() {
    let empty = Service::empty().await;
    let auth = service(auth::router(
        ::auth::AuthState::new(&empty.environment).unwrap(),
    ));
    let mut body = with_body(
        request("POST", "/v1/auth/login", ""),
        "application/json",
        "{\"username\": ",
    );
    body["isBase64Encoded"] = true.into();
    let long = request("GET", "/v1/auth/me", &format!("a={}", "x".repeat(100_000)));
    for event in [body, long] {
        let answer = invoke(&auth, &event).await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.envelope()["message"], "Malformed request");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert!(!answer.header("strict-transport-security").is_empty());
    }
    // A body that can be decoded is taken as it is.
    let mut body = event("auth-login");
    body["isBase64Encoded"] = true.into();
    body["body"] = "eyJ1c2VybmFtZSI6ImEifQ==".into();
    let answer = invoke(&auth, &body).await;
    assert_eq!(answer.data(), json!({"password": "is required"}));
}

#[tokio::test]
async fn an_invalid_host_or_header_does_not_matter() {
    let empty = Service::empty().await;
    let auth = service(auth::router(
        ::auth::AuthState::new(&empty.environment).unwrap(),
    ));
    for (name, value) in [
        ("host", "not a host"),
        ("host", "["),
        ("host", ""),
        ("x-forwarded-proto", "no scheme:"),
        ("user-agent", "Pokémon"),
        ("user-agent", "a\u{1}b"),
        ("not a name", "a"),
    ] {
        let mut login = event("auth-login");
        login["headers"][name] = value.into();
        let answer = invoke(&auth, &login).await;
        assert_eq!(answer.status, 401, "{name}: {value:?}");
        assert_eq!(answer.envelope()["message"], "Sign-in failed");
    }
    let mut without = event("auth-login");
    without["headers"] = json!({"content-type": "application/json"});
    without["requestContext"]["domainName"] = "not a host".into();
    assert_eq!(invoke(&auth, &without).await.status, 401);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever is in an event, the function answers in the envelope.
    #[test]
    fn every_event_is_answered(
        path in any::<String>(),
        query in any::<String>(),
        host in any::<String>(),
        scheme in any::<String>(),
        body in proptest::option::of(any::<String>()),
        is_base64 in any::<bool>(),
        cookie in any::<String>(),
    ) {
        let mut event = request("GET", &path, &query);
        event["headers"]["host"] = host.into();
        event["headers"]["x-forwarded-proto"] = scheme.into();
        event["body"] = body.into();
        event["isBase64Encoded"] = is_base64.into();
        event["cookies"] = json!([cookie]);
        let routes = shared::http::routing::ApiRouter::new();
        let router = service(routes.get("/v1/anything", async || "found").with_state(()));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let answer = runtime.block_on(invoke(&router, &event));
        prop_assert!(matches!(answer.status.as_u16(), 200 | 400 | 404), "{}", answer.status);
        let envelope = answer.envelope();
        prop_assert_eq!(envelope["status_code"].as_u64(), Some(answer.status.as_u16().into()));
    }
}
