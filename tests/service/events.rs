//! Sends API Gateway events to each function's router. Also tests docs/oauth.md, rule 5.

use accounts::throttling::{AttemptStore, Attempts};
use axum::Router;
use proptest::prelude::*;
use serde_json::{Value, json};
use shared::auth::CallerAddress;
use shared::clock::Clock;
use shared::http::layers::{self, LayerSettings};
use shared::http::routing::ApiRouter;
use shared::random::Random;
use tests::assertions::AssertText;
use tests::event::{event, invoke, request, with_body};
use tests::log::Log;
use tests::service::{PUBLIC_URL, Service};

async fn invoke_sample(router: &Router, name: &str) -> (u16, Value) {
    let answer = invoke(router, &event(name)).await;
    // The body of a page is not JSON.
    let page = || answer.text().into();
    let body = serde_json::from_slice(&answer.body).unwrap_or_else(|_| page());
    (answer.status.as_u16(), body)
}

#[tokio::test]
async fn anime_function_handles_its_sample_events() {
    let sample = Service::with_sample().await;
    let router = sample.router_of("anime");
    let (status, list) = invoke_sample(&router, "anime-list").await;
    assert_eq!(status, 200);
    assert!(!list["data"].as_array().unwrap().is_empty());
    let (status, found) = invoke_sample(&router, "anime-find").await;
    assert_eq!(status, 200);
    assert_eq!(found["data"]["titles"]["en"], "Cowboy Bebop");
    let (_, random) = invoke_sample(&router, "anime-random").await;
    assert_eq!(random["data"].as_array().unwrap().len(), 10);
    let (_, random) = invoke_sample(&router, "anime-random-count").await;
    assert_eq!(random["message"], "Anime picked");
    let (status, mapped) = invoke_sample(&router, "anime-mapping").await;
    assert_eq!(status, 200);
    assert_eq!(mapped["data"][0]["anime"][0]["anime_id"], 2);
    assert_eq!(mapped["data"][1], json!({"id": "999999", "anime": []}));
    let (status, invalid) = invoke_sample(&router, "anime-list-invalid").await;
    assert_eq!(status, 400);
    assert!(invalid["data"]["per_page"].is_string());
    let wrong_method = invoke(&router, &event("anime-wrong-method")).await;
    wrong_method.assert_status(405);
    wrong_method.assert_header("allow", "GET,HEAD");
    assert_eq!(wrong_method.envelope()["message"], "Method not allowed");
}

#[tokio::test]
async fn song_function_handles_its_sample_events() {
    let sample = Service::with_sample().await;
    let router = sample.router_of("song");
    let (status, list) = invoke_sample(&router, "song-list").await;
    assert_eq!(status, 200);
    assert!(!list["data"].as_array().unwrap().is_empty());
    let (status, found) = invoke_sample(&router, "song-find").await;
    assert_eq!(status, 200);
    assert_eq!(found["data"]["title"], "Tank!");
    let (_, random) = invoke_sample(&router, "song-random-count").await;
    assert_eq!(random["message"], "Songs picked");
}

#[tokio::test]
async fn functions_of_pages_handle_their_sample_events_and_unknown_paths() {
    let empty = Service::empty().await;
    for (function, event, expected) in [
        ("catalogue_pages", "catalogue_pages-anime", 200),
        ("list_pages", "list_pages-start", 200),
        ("account_pages", "account_pages-sign-in", 200),
        ("account_pages", "account_pages-profile", 303),
        ("correction_pages", "correction_pages-song", 303),
    ] {
        let router = empty.router_of(function);
        let (status, page) = invoke_sample(&router, event).await;
        assert_eq!(status, expected, "{event}");
        assert!(page.as_str().unwrap().starts_with("<!DOCTYPE html>"));
    }
    let router = empty.router_of("catalogue_pages");
    let (status, document) = invoke_sample(&router, "catalogue_pages-openapi").await;
    assert_eq!(status, 200);
    assert_eq!(document["openapi"], "3.1.0");
    let (status, unknown) = invoke_sample(&router, "unknown-path").await;
    assert_eq!(status, 404);
    assert_eq!(unknown["message"], "Not found");
}

/// API Gateway passes every method and path of a page to a function, and its access log names the route that they share
/// with other pages. So the function refuses wrong methods, and logs the pattern of the path.
#[tokio::test]
async fn pages_have_their_own_routes_behind_the_shared_routes() {
    let empty = Service::empty().await;
    let log = Log::begin();
    for (function, method, path, status) in [
        ("list_pages", "GET", "/calendar/a-secret.ics", 404),
        (
            "account_pages",
            "DELETE",
            "/moderation/user/4711/delete",
            405,
        ),
        ("catalogue_pages", "GET", "/4711", 404),
    ] {
        let router = empty.router_of(function);
        let answer = invoke(&router, &request(method, path, "token=a-secret")).await;
        assert_eq!(answer.status, status, "{path}");
    }
    let log = log.text();
    let lines = log.lines().map(serde_json::from_str::<Value>);
    let lines: Vec<Value> = lines.map(Result::unwrap).collect();
    let routes: Vec<&Value> = lines.iter().map(|line| &line["route"]).collect();
    let expected = [
        "/calendar/{file}",
        "/moderation/user/{id}/delete",
        "unmatched",
    ];
    assert_eq!(routes, expected);
    log.assert_lacks("a-secret");
    log.assert_lacks("4711");
}

#[tokio::test]
async fn account_functions_handle_their_sample_events() {
    let empty = Service::empty().await;
    let auth = empty.router_of("auth");
    let oauth = empty.router_of("oauth");
    let user = empty.router_of("user");
    let user_story = empty.router_of("user_story");
    let playback = empty.router_of("playback");
    let (status, metadata) = invoke_sample(&oauth, "oauth-metadata").await;
    assert_eq!(status, 200);
    assert_eq!(metadata["issuer"], PUBLIC_URL);
    let (status, page) = invoke_sample(&oauth, "oauth-authorize").await;
    assert_eq!(status, 400);
    assert!(page.as_str().unwrap().contains("client_id"));
    let (status, registered) = invoke_sample(&auth, "auth-register").await;
    assert_eq!(status, 200);
    assert_eq!(registered["data"]["user"]["id"], 1);
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
        (&playback, "playback-messages", 401),
        (&playback, "playback-at-address", 404),
    ] {
        let (status, envelope) = invoke_sample(router, event).await;
        assert_eq!(status, expected, "{event}");
        assert_eq!(envelope["status_code"], expected, "{event}");
    }
}

/// API Gateway joins repeated parameters with a comma, except in the raw query string.
#[tokio::test]
async fn rule_05_repeated_parameter_in_an_event_is_rejected() {
    let empty = Service::empty().await;
    let router = empty.router_of("oauth");
    let mut event = event("oauth-authorize");
    event["rawQueryString"] = "client_id=a&client_id=b".into();
    event["queryStringParameters"] = json!({"client_id": "a,b"});
    let answer = invoke(&router, &event).await;
    assert_eq!(answer.status, 400);
    let page = answer.text();
    page.assert_has("client_id: must be sent only once.");
}

/// Attempts are counted by the address that API Gateway reports. Headers of the caller have no effect.
#[tokio::test]
async fn caller_address_comes_from_the_event_context() {
    let empty = Service::empty().await;
    let router = empty.router_of("auth");
    let login = event("auth-login");
    let address = login["requestContext"]["http"]["sourceIp"]
        .as_str()
        .unwrap();
    let throttle = AttemptStore::new(&empty.database());
    let attempts = Attempts::new(throttle, empty.clock.clone());
    let address = CallerAddress(address.parse().ok());
    for number in 0..100 {
        attempts
            .begin_sign_in(None, &format!("name{number}"), address)
            .await
            .unwrap();
    }
    assert_eq!(invoke(&router, &login).await.status, 429);
    let mut elsewhere = login.clone();
    elsewhere["requestContext"]["http"]["sourceIp"] = "203.0.113.99".into();
    assert_eq!(invoke(&router, &elsewhere).await.status, 401);
    // The caller has the same address, as an IPv4-mapped IPv6 address.
    let mut mapped = login.clone();
    mapped["requestContext"]["http"]["sourceIp"] = "::ffff:192.0.2.1".into();
    assert_eq!(invoke(&router, &mapped).await.status, 429);
    let mut mapped_elsewhere = login.clone();
    mapped_elsewhere["requestContext"]["http"]["sourceIp"] = "::ffff:203.0.113.97".into();
    assert_eq!(invoke(&router, &mapped_elsewhere).await.status, 401);
    let mut forged = login;
    forged["headers"]["x-forwarded-for"] = "203.0.113.98".into();
    assert_eq!(invoke(&router, &forged).await.status, 429);
}

/// A caller controls `Host` and `X-Forwarded-Proto`, and the response can be cached for other callers.
#[tokio::test]
async fn next_link_uses_the_public_url() {
    let sample = Service::with_sample().await;
    let router = sample.router_of("anime");
    let mut event = request("GET", "/v1/anime", "per_page=1");
    event["headers"]["host"] = "evil.example".into();
    event["headers"]["x-forwarded-proto"] = "http".into();
    let answer = invoke(&router, &event).await;
    let link = answer.header("link");
    let expected = format!("<{PUBLIC_URL}/v1/anime?per_page=1&cursor=");
    assert!(link.starts_with(&expected), "{link}");
    answer.assert_header("strict-transport-security", "max-age=31536000");
}

/// API Gateway passes HEAD to the function, because its routes accept any method.
#[tokio::test]
async fn head_event_returns_the_headers_of_get() {
    let sample = Service::with_sample().await;
    sample.person("taki").await;
    let anime = sample.router_of("anime");
    let user = sample.router_of("user");
    let oauth = sample.router_of("oauth");
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

/// The function percent-encodes characters that are not allowed in a URI.
#[tokio::test]
async fn invalid_uri_characters_in_a_query_string_are_accepted() {
    let sample = Service::with_sample().await;
    let router = sample.router_of("anime");
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
async fn undecodable_event_returns_400_in_the_envelope() {
    let empty = Service::empty().await;
    let auth = empty.router_of("auth");
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
    // Valid base64 is decoded.
    let mut body = event("auth-login");
    body["isBase64Encoded"] = true.into();
    body["body"] = "eyJ1c2VybmFtZSI6ImEifQ==".into();
    let answer = invoke(&auth, &body).await;
    assert_eq!(answer.data(), json!({"password": "is required"}));
}

#[tokio::test]
async fn invalid_headers_are_ignored() {
    let empty = Service::empty().await;
    let auth = empty.router_of("auth");
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

    #[test]
    fn any_event_gets_an_envelope(
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
        let routes = ApiRouter::new().get("/v1/anything", async || "found");
        let edge = LayerSettings::new(PUBLIC_URL, Clock::manual(0), Random::seeded(1));
        let router = layers::service(routes.with_state(()), edge);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let answer = runtime.block_on(invoke(&router, &event));
        prop_assert!(matches!(answer.status.as_u16(), 200 | 308 | 400 | 404), "{}", answer.status);
        let envelope = answer.envelope();
        prop_assert_eq!(envelope["status_code"].as_u64(), Some(answer.status.as_u16().into()));
    }
}
