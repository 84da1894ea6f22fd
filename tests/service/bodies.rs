//! Invalid request bodies.

use axum::http::Method;
use serde_json::{Value, json};
use tests::assertions::AssertText;
use tests::log::Log;
use tests::people::{PASSWORD, Person, story_body};
use tests::service::{Answer, Service};
use tests::trackers::{TOKEN, VIEWER};

const JSON: &str = "application/json";

async fn send_as(
    service: &Service,
    person: &Person,
    (method, path): (&Method, &str),
    content_type: Option<&str>,
    body: &str,
) -> Answer {
    let bearer = format!("Bearer {}", person.token);
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend(content_type.map(|content_type| ("content-type", content_type)));
    service
        .send_body(method.clone(), path, &headers, body.to_owned())
        .await
}

#[tokio::test]
async fn invalid_bodies_are_rejected_by_every_endpoint() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    let two_megabytes = format!("{{\"username\": \"{}\"}}", "x".repeat(2 << 20));
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let (post, put) = (Method::POST, Method::PUT);
    for endpoint in [
        (&post, "/v1/auth/register"),
        (&post, "/v1/auth/login"),
        (&post, "/v1/auth/password_reset"),
        (&post, "/v1/auth/password_reset/confirm"),
        (&post, "/v1/auth/email_verification/confirm"),
        (&post, "/v1/user"),
        (&put, "/v1/user_story"),
        (&post, "/v1/user_story"),
    ] {
        for (content_type, body, status, message) in [
            (Some(JSON), "", 400, "Malformed body"),
            (Some(JSON), "not JSON", 400, "Malformed body"),
            (Some(JSON), "{\"id\": 1", 400, "Malformed body"),
            (Some(JSON), "[]", 400, "Malformed body"),
            (Some(JSON), "null", 400, "Malformed body"),
            (Some(JSON), "\"text\"", 400, "Malformed body"),
            (Some(JSON), &deep, 400, "Malformed body"),
            (Some(JSON), "\u{feff}{}", 400, "Malformed body"),
            (Some(JSON), "{}", 400, "Invalid parameters"),
            (
                Some("application/json; charset=utf-8"),
                "{}",
                400,
                "Invalid parameters",
            ),
            (Some("APPLICATION/JSON"), "{}", 400, "Invalid parameters"),
            (Some(JSON), &two_megabytes, 413, "Body too large"),
            (Some("text/plain"), &two_megabytes, 413, "Body too large"),
            (Some("text/plain"), "{}", 415, "Unsupported media type"),
            (
                Some("application/xml"),
                "<user/>",
                415,
                "Unsupported media type",
            ),
            (Some(""), "{}", 415, "Unsupported media type"),
            (None, "{}", 415, "Unsupported media type"),
        ] {
            let answer = send_as(&service, &person, endpoint, content_type, body).await;
            let case = format!(
                "{endpoint:?} {content_type:?} {}",
                &body[..body.len().min(20)]
            );
            assert_eq!(answer.status, status, "{case}");
            assert_eq!(answer.envelope()["message"], message, "{case}");
        }
    }
    // Only the pages and the OAuth endpoints accept forms.
    let form = Some("application/x-www-form-urlencoded");
    for path in ["/v1/auth/login", "/v1/user", "/v1/user_story"] {
        send_as(&service, &person, (&post, path), form, "id=1")
            .await
            .assert_status(415);
    }
    let bytes = [b"{\"username\": \"".as_slice(), &[0xff], b"\"}"].concat();
    let headers = [("content-type", JSON)];
    let answer = service
        .send_body(Method::POST, "/v1/auth/login", &headers, bytes)
        .await;
    assert_eq!(answer.status, 400);
}

/// JSON Schema does not distinguish `3.0` from `3`.
#[tokio::test]
async fn whole_numbers_may_have_a_fraction_of_zero() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let body = json!({
        "user_id": person.id, "anime_id": anime.id, "status": 0.0, "current_episode": 1.0,
        "current_episode_ticks": 281_474_976_710_655.0,
    });
    let answer = service.put_as(&person.token, "/v1/user_story", &body).await;
    answer.assert_status(200);
    let story = answer.data();
    assert_eq!(story["current_episode"], 1);
    assert_eq!(story["current_episode_ticks"], 281_474_976_710_655_u64);
}

/// If a field is invalid, nothing is written and the error names the field.
#[tokio::test]
async fn invalid_story_fields_are_named() {
    let (service, [anime, other]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    let bad = json!({
        "id": ["1", -1, 1.5, 0, null, 9_007_199_254_740_992_u64, 1e30],
        "user_id": ["1", -1, 1.5, 0, true, 1_u64 << 53, [1]],
        "anime_id": ["1", -1, 1.5, 0, {}, 1_u64 << 53],
        "status": [6, -1, "CURRENT", "0", 0.5, null],
        "current_episode": [-1, 1.5, "1", 1_u64 << 53, 1_u64 << 32, 4_294_967_296.0],
        // `serde_json` may round the last number, so it is refused (`MAX_EXACT` in shared/src/input/fields.rs).
        "current_episode_ticks": [-1, 0.1, "1", 1_u64 << 53, true, 9_007_199_254_740_991.0],
    });
    for (field, values) in bad.as_object().unwrap() {
        for value in values.as_array().unwrap() {
            for method in [Method::PUT, Method::POST] {
                let mut body = match method {
                    Method::PUT => story_body(&person, &other, 0, 1),
                    _ => story_body(&person, &anime, 0, 2),
                };
                let ignored = method == Method::PUT && field == "id";
                let absent = method == Method::PUT && value.is_null() && field != "status";
                body[field] = value.clone();
                if ignored || absent {
                    continue;
                }
                let path = "/v1/user_story";
                let answer = service
                    .json(method.clone(), path, Some(&person.token), &body)
                    .await;
                assert_eq!(answer.status, 400, "{method} {field} {value}");
                let faults = answer.data();
                assert!(
                    faults[field].is_string(),
                    "{method} {field} {value}: {faults}"
                );
                assert_eq!(faults.as_object().unwrap().len(), 1);
            }
        }
    }
    for method in [Method::PUT, Method::POST] {
        let answer = service
            .json(
                method.clone(),
                "/v1/user_story",
                Some(&person.token),
                &json!({}),
            )
            .await;
        let expected = if method == Method::PUT { 3 } else { 6 };
        assert_eq!(
            answer.data().as_object().unwrap().len(),
            expected,
            "{method}"
        );
    }
    let stories = service.get_as(&person.token, "/v1/user_story").await.data();
    assert_eq!(stories.as_array().unwrap().len(), 1);
    assert_eq!(
        (
            &stories[0]["current_episode"],
            &stories[0]["current_episode_ticks"]
        ),
        (&json!(1), &json!(0))
    );
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let mut body = json!({"user_id": person.id, "anime_id": anime.id, "status": 0});
    body["unknown"] = json!({"deep": [1, 2, 3]});
    body["creation_order"] = json!(1);
    let answer = service.put_as(&person.token, "/v1/user_story", &body).await;
    assert_eq!(answer.status, 200);
}

/// A missing or invalid token is reported even if the body is invalid.
#[tokio::test]
async fn token_is_checked_before_the_body() {
    let service = Service::empty().await;
    for (method, path) in [
        (Method::POST, "/v1/user"),
        (Method::PUT, "/v1/user_story"),
        (Method::POST, "/v1/user_story"),
    ] {
        for headers in [vec![], vec![("authorization", "Bearer none")]] {
            let answer = service.send_body(method.clone(), path, &headers, "x").await;
            assert_eq!(answer.status, 401, "{path}");
        }
    }
}

/// Confidential values of a request appear in no response and no log.
#[tokio::test]
async fn confidential_values_are_neither_returned_nor_logged() {
    let log = Log::begin();
    let (service, _fakes) = Service::empty().await.with_trackers().await;
    let registered = service.register("taki").await;
    let token = registered.data()["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    let answers = std::cell::RefCell::new(String::new());
    let post = async |path: &str, body: Value, status: u16| {
        let answer = service.post_as(&token, path, &body).await;
        assert_eq!(answer.status, status, "{path}");
        answers
            .borrow_mut()
            .push_str(&String::from_utf8_lossy(&answer.body));
    };
    let secret = TOKEN;
    let wrong = json!({"email": "taki@example.com", "password": "wrong one"});
    post("/v1/auth/login", wrong, 401).await;
    service.clock.advance(std::time::Duration::from_secs(1));
    let reset = json!({"email": "taki@example.com"});
    post("/v1/auth/password_reset", reset, 200).await;
    let confirm = json!({"token": token, "password": PASSWORD});
    post("/v1/auth/password_reset/confirm", confirm, 400).await;
    let tracker = json!({
        "id": 1, "gender": 0, "tracker_a_id": VIEWER.0, "tracker_a_token": secret
    });
    post("/v1/user", tracker, 200).await;
    let weak = json!({"id": 1, "gender": 0, "password": "iloveyou1", "current_password": PASSWORD});
    post("/v1/user", weak, 400).await;
    let found = service
        .get_as(&token, "/v1/user?email=taki@example.com")
        .await;
    assert_eq!(found.ids().len(), 1);
    for confidential in [PASSWORD, "wrong one", "iloveyou1", secret, &token] {
        let answers = answers.borrow();
        assert!(!answers.contains(confidential), "{confidential}: {answers}");
    }
    let link = service.mailed_token("taki@example.com").unwrap();
    let path = format!("/v1/auth/email_verification/confirm?token={link}");
    service.get(&path).await;
    std::fs::remove_dir_all(service.mail.path()).unwrap();
    std::fs::write(service.mail.path(), "no folder any more").unwrap();
    let sent = service
        .with_token(Method::POST, "/v1/auth/email_verification", &token)
        .await;
    assert_eq!(sent.status, 503);
    std::fs::remove_file(service.mail.path()).unwrap();
    std::fs::create_dir(service.mail.path()).unwrap();
    let log = log.text();
    log.assert_has("\"route\":\"/v1/auth/login\"");
    log.assert_has("the mail folder");
    for confidential in [
        "taki",
        "example.com",
        PASSWORD,
        "wrong one",
        "iloveyou1",
        secret,
        &token,
        &link,
        "eyJ",
        "token=",
    ] {
        assert!(!log.contains(confidential), "{confidential}: {log}");
    }
}

#[tokio::test]
async fn compressed_body_is_refused() {
    let (service, person) = Service::with_person("taki").await;
    let bearer = format!("Bearer {}", person.token);
    let send = async |path: &str, coding: &str| {
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", JSON),
            ("content-encoding", coding),
        ];
        let body = json!({"title": "Harbor Lights", "episode": 1}).to_string();
        service.send_body(Method::POST, path, &headers, body).await
    };
    for path in "/v1/user_story /v1/user_story/batch /v1/auth/login /v1/playback".split(' ') {
        for coding in ["gzip", "GZIP", "br", "identity, gzip"] {
            let refused = send(path, coding).await;
            assert_eq!(refused.status, 415, "{path} {coding}");
            assert_eq!(refused.envelope()["message"], "Unsupported media type");
            assert_eq!(refused.header("accept-encoding"), "identity");
        }
        for coding in ["identity", ""] {
            assert_ne!(send(path, coding).await.status, 415, "{path} {coding}");
        }
    }
}
