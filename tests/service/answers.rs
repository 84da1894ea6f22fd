//! What goes with every answer: entity tags, caching, compression, CORS, the request's name; and
//! what a panic becomes.

use std::io::Read;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request};
use axum::routing::get;
use shared::clock::Clock;
use shared::http::{Edge, cors};
use shared::random::Random;
use tests::log::Log;
use tests::made_up;
use tests::service::{PUBLIC_URL, Service, call};

#[tokio::test]
async fn the_catalogue_is_tagged_and_cached_until_it_changes() {
    let service = Service::with(&made_up::anime(3, 1), &made_up::songs(3, 1)).await;
    for path in [
        "/v1/anime",
        "/v1/anime/1",
        "/v1/song",
        "/v1/song/1024",
        "/v1/openapi.json",
        "/style.css",
        "/.well-known/oauth-authorization-server",
    ] {
        let answer = service.get(path).await;
        assert_eq!(
            answer.header("cache-control"),
            "public, max-age=60",
            "{path}"
        );
        let tag = answer.header("etag").to_owned();
        for known in [
            tag.clone(),
            tag.replace("W/", ""),
            format!("\"other\", {tag}"),
            "*".into(),
        ] {
            let again = service.get_with(path, &[("if-none-match", &known)]).await;
            assert_eq!(
                (again.status.as_u16(), again.body.len()),
                (304, 0),
                "{path}"
            );
            assert_eq!(again.header("etag"), tag);
            assert_eq!(
                again.header("x-total-count"),
                answer.header("x-total-count")
            );
        }
        let other = service
            .get_with(path, &[("if-none-match", "W/\"other\"")])
            .await;
        assert_eq!(other.status, 200);
    }
    let tag = service.get("/v1/anime/1").await.header("etag").to_owned();
    service.put(&made_up::anime(1, 99)).await;
    let changed = service
        .get_with("/v1/anime/1", &[("if-none-match", &tag)])
        .await;
    assert_eq!(changed.status, 200);
}

#[tokio::test]
async fn answers_are_compressed_when_asked_for() {
    let service = Service::with_sample().await;
    let plain = service.get("/v1/anime").await;
    assert_eq!(plain.header("content-encoding"), "");
    for encoding in ["gzip", "br"] {
        let answer = service
            .get_with("/v1/anime", &[("accept-encoding", encoding)])
            .await;
        assert_eq!(answer.header("content-encoding"), encoding);
        assert!(answer.body.len() * 2 < plain.body.len());
        assert_eq!(answer.header("etag"), plain.header("etag"));
        assert!(answer.header("vary").contains("accept-encoding"));
        if encoding == "gzip" {
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(&answer.body[..])
                .read_to_end(&mut text)
                .unwrap();
            assert_eq!(text, plain.body);
        }
    }
}

#[tokio::test]
async fn browsers_may_read_from_any_origin() {
    let service = Service::with(&[], &[]).await;
    let origin = [("origin", "https://app.example")];
    let answer = service.get_with("/v1/anime", &origin).await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(
        answer.header("access-control-expose-headers"),
        cors::ANSWER_HEADERS.join(",")
    );
    let preflight = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "authorization"),
    ];
    let answer = service.send(Method::OPTIONS, "/v1/anime", &preflight).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("access-control-allow-methods"),
        cors::METHODS.join(",")
    );
    assert_eq!(
        answer.header("access-control-allow-headers"),
        cors::REQUEST_HEADERS.join(",")
    );
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let service = Service::with(&[], &[]).await;
    let (one, other) = (
        service.get("/v1/anime").await,
        service.get("/nothing").await,
    );
    assert_eq!(one.header("x-request-id").len(), 16);
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
}

async fn explode() {
    panic!("a fault in a handler");
}

#[tokio::test]
async fn a_panic_is_a_500_and_a_log_line_and_the_next_request_is_served() {
    let log = Log::begin();
    // The hook is the whole process's: other tests keep theirs.
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        shared::observability::log_panic(panic);
        others(panic);
    }));

    let routes = Router::new().route("/v1/explode/{id}", get(explode));
    let edge = Edge::new(PUBLIC_URL, Clock::manual(0), Random::seeded(1));
    let router = shared::http::layers(routes, edge);
    for _ in 0..2 {
        let request = Request::get("/v1/explode/7?token=secret").body(Body::empty());
        let answer = call(&router, request.unwrap()).await;
        assert_eq!(answer.status, 500);
        assert_eq!(answer.data(), "The fault is ours, and it has been logged.");
        assert_eq!(answer.header("x-request-id").len(), 16);
    }
    let log = log.text();
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let panic = lines
        .iter()
        .find(|line| line["message"] == "panic")
        .unwrap();
    assert!(panic["location"].as_str().unwrap().contains("answers.rs"));
    assert_eq!(panic["literal"], "a fault in a handler");
    assert!(panic["span"]["request_id"].is_string());
    let answered = lines
        .iter()
        .find(|line| line["message"] == "answered")
        .unwrap();
    assert_eq!(answered["route"], "/v1/explode/{id}");
    assert_eq!(answered["method"], "GET");
    assert_eq!(answered["status"], 500);
    assert!(answered["duration_ms"].is_u64());
    assert!(!log.contains("secret"), "no query string in a log");
}
