//! Behavior of all responses: entity tags, caching, compression, CORS, request ids and panics.

use std::io::Read;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request};
use axum::routing::get;
use shared::clock::Clock;
use shared::http::layers::{LayerSettings, cors};
use shared::random::Random;
use tests::log::Log;
use tests::made_up;
use tests::service::{Answer, PUBLIC_URL, Service, call};

#[tokio::test]
async fn public_responses_have_entity_tags_and_cache_headers() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &made_up::songs(3, 1)).await;
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
            assert_eq!(again.status, 304, "{path}");
            assert!(again.body.is_empty(), "{path}");
            assert_eq!(again.header("etag"), tag);
            again.assert_header("x-total-count", answer.header("x-total-count"));
        }
        let other = service
            .get_with(path, &[("if-none-match", "W/\"other\"")])
            .await;
        assert_eq!(other.status, 200);
    }
    let tag = service.get("/v1/anime/1").await.header("etag").to_owned();
    service.put(&made_up::anime(1, 99)).await;
    service.publish().await;
    service.let_index_age();
    let changed = service
        .get_with("/v1/anime/1", &[("if-none-match", &tag)])
        .await;
    assert_eq!(changed.status, 200);
}

#[tokio::test]
async fn responses_are_compressed_on_request() {
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

/// A 406 would come too late: by then the request has had its effect.
#[tokio::test]
async fn identity_is_served_if_no_encoding_is_acceptable() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let plain = service.get("/v1/anime").await;
    for (accepted, encoding) in [
        ("identity;q=0", ""),
        ("*;q=0", ""),
        ("identity;q=0, *;q=0", ""),
        ("IDENTITY; Q=0.000", ""),
        ("gzip;q=0, br;q=0, *;q=0", ""),
        ("identity;q=0, gzip", "gzip"),
        ("*;q=0, br;q=0.1", "br"),
        ("identity;q=0, *;q=0.5", "br"),
        ("identity;q=0.001", ""),
        ("identity, gzip;q=0.5", ""),
    ] {
        let answer = service
            .get_with("/v1/anime", &[("accept-encoding", accepted)])
            .await;
        assert_eq!(answer.status, 200, "{accepted}");
        assert_eq!(answer.header("content-encoding"), encoding, "{accepted}");
        if encoding.is_empty() {
            assert_eq!(answer.body, plain.body, "{accepted}");
        }
    }
    let bearer = format!("Bearer {}", person.token);
    let headers = [
        ("content-type", "application/json"),
        ("authorization", bearer.as_str()),
        ("accept-encoding", "identity;q=0"),
    ];
    let body = serde_json::json!({"user_id": person.id, "anime_id": anime.id, "status": 0});
    let created = service
        .send_body(Method::PUT, "/v1/user_story", &headers, body.to_string())
        .await;
    assert_eq!(created.status, 200);
    assert_eq!(created.envelope()["message"], "Story created");
}

#[tokio::test]
async fn not_modified_has_the_same_vary_header_as_ok() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &[]).await;
    let vary = |answer: &Answer| {
        let lines = answer.headers.get_all("vary").iter();
        let lines = lines.flat_map(|line| line.to_str().unwrap().split(','));
        let mut names: Vec<String> = lines.map(|name| name.trim().to_lowercase()).collect();
        names.sort_unstable();
        names
    };
    for path in ["/v1/anime", "/v1/anime/1", "/v1/openapi.json", "/icon.svg"] {
        for encoding in ["", "gzip", "identity;q=0"] {
            let accept = ("accept-encoding", encoding);
            let found = service.get_with(path, &[accept]).await;
            let tag = found.header("etag").to_owned();
            let again = service
                .get_with(path, &[accept, ("if-none-match", &tag)])
                .await;
            assert_eq!(again.status, 304, "{path}");
            assert_eq!(vary(&again), vary(&found), "{path} {encoding}");
            let names = vary(&found);
            let encodings = names.iter().filter(|name| *name == "accept-encoding");
            assert_eq!(encodings.count(), 1, "{path}: {names:?}");
        }
    }
}

#[tokio::test]
async fn if_none_match_compares_complete_tags_of_all_lines() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &[]).await;
    let tag = service.get("/v1/anime").await.header("etag").to_owned();
    let strong = tag.strip_prefix("W/").unwrap();
    let ask = async |lines: &[&str]| {
        let lines: Vec<_> = lines.iter().map(|line| ("if-none-match", *line)).collect();
        service.get_with("/v1/anime", &lines).await.status.as_u16()
    };
    for lines in [
        &["\"other\"", &tag][..],
        &[&tag, "\"other\""],
        &["\"other\"", "*"],
        &[&format!(" W/\"other\" , {strong} ")],
    ] {
        assert_eq!(ask(lines).await, 304, "{lines:?}");
    }
    for lines in [
        &[&*format!("W/{tag}")][..],
        &[&format!("w/{strong}")],
        &[strong.trim_matches('"')],
        &["\"*\""],
        &["*, \"other\""],
        &[""],
    ] {
        assert_eq!(ask(lines).await, 200, "{lines:?}");
    }
}

#[tokio::test]
async fn hsts_header_is_sent_if_the_public_url_is_https() {
    let service = Service::with_catalogue(&[], &[]).await;
    let preflight = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "GET"),
    ];
    for answer in [
        service.get("/").await,
        service.get("/v1/anime").await,
        service.get("/nothing").await,
        service.get("/v1/anime?per_page=0").await,
        service.send(Method::OPTIONS, "/v1/anime", &preflight).await,
    ] {
        let header = answer.header("strict-transport-security");
        assert_eq!(header, "max-age=31536000");
    }
    let mut environment = service.environment.clone();
    environment.public_url = "http://127.0.0.1:9000".to_owned();
    let service = service.with_environment(environment);
    let answer = service.get("/v1/anime").await;
    assert_eq!(answer.header("strict-transport-security"), "");
}

/// HEAD is supported wherever GET is.
#[tokio::test]
async fn head_returns_the_headers_of_get() {
    let service = Service::with_sample().await;
    service.person("taki").await;
    for (path, status) in [
        ("/", 200),
        ("/v1/anime", 200),
        ("/v1/anime/2", 200),
        ("/v1/song", 200),
        ("/v1/user/1", 200),
        ("/v1/user/2", 404),
        ("/v1/oauth", 400),
        ("/v1/openapi.json", 200),
        ("/.well-known/oauth-authorization-server", 200),
    ] {
        let get = service.get(path).await;
        let head = service.send(Method::HEAD, path, &[]).await;
        assert_eq!(head.status, status, "{path}");
        assert!(head.body.is_empty(), "{path}");
        for name in "content-type content-length etag vary x-total-count".split(' ') {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

#[tokio::test]
async fn cors_allows_any_origin() {
    let service = Service::with_catalogue(&[], &[]).await;
    let origin = [("origin", "https://app.example")];
    let answer = service.get_with("/v1/anime", &origin).await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let exposed = cors::RESPONSE_HEADERS.join(",");
    answer.assert_header("access-control-expose-headers", &exposed);
    let preflight = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "authorization"),
    ];
    let answer = service.send(Method::OPTIONS, "/v1/anime", &preflight).await;
    assert_eq!(answer.status, 200);
    answer.assert_header("access-control-allow-methods", &cors::METHODS.join(","));
    let allowed = cors::REQUEST_HEADERS.join(",");
    answer.assert_header("access-control-allow-headers", &allowed);
}

#[tokio::test]
async fn every_response_has_a_request_id() {
    let service = Service::with_catalogue(&[], &[]).await;
    let (one, other) = (
        service.get("/v1/anime").await,
        service.get("/nothing").await,
    );
    assert_eq!(one.header("x-request-id").len(), 16);
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
}

/// Responds after 10 seconds.
async fn respond_late() {
    tokio::time::sleep(Duration::from_secs(10)).await;
}

#[tokio::test(start_paused = true)]
async fn route_can_have_a_longer_time_limit() {
    let routes = Router::new()
        .route("/v1/long/{id}", get(respond_late))
        .route("/v1/other/{id}", get(respond_late));
    let edge = LayerSettings::new(PUBLIC_URL, Clock::manual(0), Random::seeded(1));
    let edge = edge.with_deadline(&["/v1/long/{id}"], Duration::from_secs(20));
    let router = shared::http::layers::layers(routes, None, edge);
    for (path, status) in [("/v1/long/7", 200), ("/v1/other/7", 503)] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        assert_eq!(call(&router, request).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn routes_with_a_longer_time_limit_exist() {
    let service = Service::empty().await;
    for route in cli::serve::LONG_ROUTES {
        let answer = service.get(&route.replace("{id}", "7")).await;
        assert_ne!(answer.status, 404, "{route}");
    }
}

async fn explode() {
    panic!("a fault in a handler");
}

#[tokio::test]
async fn panic_returns_500_is_logged_and_does_not_stop_the_service() {
    let log = Log::begin();
    // The hook applies to the whole process, so it also calls the previous one for other tests.
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        runtime::observability::log_panic(panic);
        others(panic);
    }));

    let routes = Router::new().route("/v1/explode/{id}", get(explode));
    let edge = LayerSettings::new(PUBLIC_URL, Clock::manual(0), Random::seeded(1));
    let router = shared::http::layers::layers(routes, None, edge);
    for _ in 0..2 {
        let request = Request::get("/v1/explode/7?token=secret").body(Body::empty());
        let answer = call(&router, request.unwrap()).await;
        assert_eq!(answer.status, 500);
        assert_eq!(
            answer.data(),
            "Something went wrong on our side. The error has been logged."
        );
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
    let request_id = panic["span"]["request_id"].as_str().unwrap();
    let request_line = lines
        .iter()
        .find(|line| line["message"] == "answered")
        .unwrap();
    assert_eq!(request_line["route"], "/v1/explode/{id}");
    assert_eq!(request_line["request_id"], request_id);
    assert_eq!(request_line["method"], "GET");
    assert_eq!(request_line["status"], 500);
    assert!(request_line["duration_ms"].is_u64());
    assert!(!log.contains("secret"), "query strings must not be logged");
}
