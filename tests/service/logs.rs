//! Texts from outside in the log: none that may be a secret, and no long or invisible ones (docs/operating.md, "Logs
//! and metrics").

use std::path::Path;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use shared::models::PlayerKind;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden, multipart, query};
use tests::log::Log;
use tests::players::Players;
use tests::provider::Signing;
use tests::service::Service;
use tests::trackers::Fault;

use crate::documents::collect_sources;

/// A secret that requests carry, and that no log line may have.
const SECRET: &str = "s3cr3tMark";

/// The maximum length of a line of the log, in bytes.
const MAX_LINE: usize = 2_000;

/// The names of parameters, fields and cookies that carry secrets.
const NAMES: &str = "access_token anime client_id client_secret code credential csrf current_password email file id \
    iss logout_token name next notes password redirect_uri refresh_token search state token \
    tracker_a_token username";

/// Asserts that the log has neither the secret nor long lines, and returns it.
fn assert_clean(log: &Log) -> String {
    let text = log.text();
    for line in text.lines() {
        line.to_lowercase().assert_lacks(&SECRET.to_lowercase());
        assert!(
            line.len() < MAX_LINE,
            "{} bytes: {}",
            line.len(),
            &line[..400]
        );
    }
    text
}

/// Returns the bodies of requests, each with its media type.
fn bodies(csrf: &str) -> Vec<(String, Vec<u8>)> {
    let fields = || {
        let names = NAMES.split(' ');
        names.map(|name| (name, if name == "csrf" { csrf } else { SECRET }))
    };
    let object: serde_json::Map<String, Value> = fields()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let form: Vec<(&str, &str)> = fields().collect();
    let list = json!({ "lists": [{ "entries": [{ "mediaId": SECRET, "notes": SECRET }] }], "stories": SECRET });
    vec![
        (
            "application/json".to_owned(),
            Value::Object(object).to_string().into(),
        ),
        (
            "application/json".to_owned(),
            format!("{{\"{SECRET}\": {SECRET}").into(),
        ),
        (
            "application/x-www-form-urlencoded".to_owned(),
            query(&form).into(),
        ),
        (
            "application/xml".to_owned(),
            format!("<myanimelist><anime>{SECRET}&{SECRET};").into(),
        ),
        multipart(&form, SECRET, list.to_string().as_bytes()),
        (SECRET.to_owned(), SECRET.into()),
    ]
}

#[tokio::test]
async fn no_request_leads_a_secret_into_the_log() {
    let (service, _fakes) = Service::with_sample().await.with_trackers().await;
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get("/settings").await, "csrf").unwrap();
    let sessions = browser.cookies.iter();
    let sessions: Vec<String> = sessions
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let cookies: Vec<String> = ["session", "form", "display", "browser", "time_zone"]
        .iter()
        .flat_map(|name| {
            [
                format!("{name}={SECRET}"),
                format!("__Host-{name}=1.{SECRET}"),
            ]
        })
        .collect();
    let log = Log::begin();
    let mut routes = cli::serve::router::router(&service.environment)
        .unwrap()
        .routes;
    let pairs: Vec<_> = NAMES.split(' ').map(|name| (name, SECRET)).collect();
    let query = query(&pairs);
    // Requests that end the session come last.
    routes.sort_by_key(|(_, path)| path.contains("out") || path.contains("delete"));
    for (method, path) in routes {
        let path = path.replace("{client_id}", SECRET).replace("{id}", "2");
        let parts = path
            .split('/')
            .map(|part| if part.starts_with('{') { SECRET } else { part });
        let path = parts.collect::<Vec<_>>().join("/");
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let bodies = if method == Method::GET {
            Vec::new()
        } else {
            bodies(&csrf)
        };
        let bodies = bodies.into_iter().chain([(SECRET.to_owned(), Vec::new())]);
        for (position, (media_type, body)) in bodies.enumerate() {
            let cookie = if position % 2 == 0 {
                &sessions
            } else {
                &cookies
            }
            .join("; ");
            let bearer = if position % 2 == 0 {
                format!("Bearer {}", person.token)
            } else {
                format!("Bearer {SECRET}.{SECRET}.{SECRET}")
            };
            let headers = [
                ("accept", "text/html"),
                ("accept-language", SECRET),
                ("authorization", bearer.as_str()),
                ("content-type", media_type.as_str()),
                ("cookie", cookie.as_str()),
                ("if-match", SECRET),
                ("if-none-match", SECRET),
                ("referer", SECRET),
                ("user-agent", SECRET),
                ("x-forwarded-for", SECRET),
                ("x-request-id", SECRET),
            ];
            let address = format!("{path}?{query}&{SECRET}={SECRET}");
            let answer = service
                .send_body(method.clone(), &address, &headers, body)
                .await;
            let status = answer.status;
            assert_ne!(status, StatusCode::INTERNAL_SERVER_ERROR, "{method} {path}");
        }
    }
    let method = Method::from_bytes(SECRET.repeat(6_000).as_bytes()).unwrap();
    service
        .send(method, &format!("/{SECRET}?{SECRET}"), &[])
        .await;
    let text = assert_clean(&log);
    text.assert_has("\"method\":\"other\"");
    text.assert_has("/v1/user_story/import");
}

#[tokio::test]
async fn answers_of_a_provider_lead_no_claim_into_the_log() {
    let (service, fake) = Service::with_provider(|settings| settings.trusts_email = true).await;
    let log = Log::begin();
    let quoted = format!("`\"{SECRET}`");
    let claims = [
        json!({"sub": SECRET, "email": SECRET, "preferred_username": SECRET}),
        json!({"sub": quoted}),
        json!({"sub": SECRET.repeat(5_000)}),
        json!({"sub": [SECRET]}),
        json!({"sub": null, "email": SECRET}),
        json!({"iss": quoted}),
        json!({"aud": ["kiroku", quoted]}),
        json!({"aud": SECRET}),
        json!({"azp": SECRET}),
        json!({"nonce": SECRET}),
        json!({"exp": SECRET}),
        json!({"iat": quoted}),
        json!({"auth_time": SECRET}),
        json!({"acr": [SECRET]}),
        json!({"at_hash": SECRET}),
        json!({"email": [SECRET]}),
        json!({"email_verified": SECRET}),
        json!({"address": SECRET, "gender": [SECRET], "updated_at": SECRET}),
    ];
    for one in claims {
        fake.set_claims(one);
        PageClient::new(&service)
            .go_to_provider(&fake, "/sign-in/provider")
            .await;
    }
    fake.set_claims(json!({}));
    for user_info in [
        json!({"sub": SECRET}),
        json!({"sub": quoted}),
        json!({"sub": tests::provider::SUBJECT, "email": [quoted]}),
        json!({"sub": tests::provider::SUBJECT, "preferred_username": {"a": SECRET}}),
        json!(SECRET),
    ] {
        fake.state().user_info = user_info;
        PageClient::new(&service)
            .go_to_provider(&fake, "/sign-in/provider")
            .await;
    }
    for signing in [Signing::None, Signing::OtherKey, Signing::UnknownKey] {
        fake.state().signing = signing;
        PageClient::new(&service)
            .go_to_provider(&fake, "/sign-in/provider")
            .await;
    }
    fake.state().signing = Signing::Normal;
    for claims in [
        json!({"sub": SECRET}),
        json!({"sub": SECRET.repeat(100), "sid": SECRET}),
        json!({"aud": quoted}),
        json!({"iss": SECRET, "jti": SECRET}),
        json!({"events": SECRET}),
        json!({"nonce": SECRET}),
        json!({"exp": SECRET}),
    ] {
        let token = fake.sign("logout+jwt", &fake.logout_claims(claims));
        service
            .form("/sign-in/provider/logout", &[("logout_token", &token)])
            .await;
    }
    for token in [
        SECRET.to_owned(),
        format!("{SECRET}.{SECRET}.{SECRET}"),
        fake.sign(SECRET, &json!({})),
    ] {
        service
            .form("/sign-in/provider/logout", &[("logout_token", &token)])
            .await;
    }
    let mut browser = PageClient::new(&service);
    let callback = fake.authorize(&browser.get("/sign-in/provider").await);
    for (from, to) in [("code=", "code=s3cr3tMark"), ("iss=", "iss=s3cr3tMark")] {
        browser.get(&callback.replacen(from, to, 1)).await;
    }
    let text = assert_clean(&log);
    text.assert_has("a sign-in with the identity provider was refused");
    text.assert_has("a logout token was refused");
}

#[tokio::test]
async fn error_code_of_a_provider_is_cut_and_visible_in_the_log() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let log = Log::begin();
    for error in [
        "x".repeat(50_000),
        "a\u{1b}[2J\u{202e}\nb".to_owned(),
        "invalid_scope".to_owned(),
    ] {
        let mut browser = PageClient::new(&service);
        let callback = fake.authorize(&browser.get("/sign-in/provider").await);
        let error = query(&[("error", &error)]);
        let answer = browser.get(&format!("{callback}&{error}")).await;
        assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
    }
    let text = assert_clean(&log);
    text.assert_has(&format!("{}…\"", "x".repeat(300)));
    text.assert_has("\"a\u{fffd}[2J\u{fffd}\u{fffd}b\"");
    text.assert_has("\"invalid_scope\"");
}

#[tokio::test]
async fn answers_of_a_tracker_lead_no_text_into_the_log() {
    let (service, fakes) = Service::empty().await.with_trackers().await;
    let person = service.person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let log = Log::begin();
    let json = json!({ "error": SECRET, "message": SECRET, "access_token": [SECRET] }).to_string();
    for (letter, fake) in [("a", &fakes.a), ("b", &fakes.b)] {
        for status in [200, 400, 401, 403, 404, 500] {
            for body in [SECRET, json.as_str(), "<html>s3cr3tMark"] {
                fake.clear_faults();
                service.clock.advance(Duration::from_hours(25));
                let mut fresh = PageClient::signed_in(&service, &person).await;
                let address = fresh
                    .get(&format!("/profile/trackers/{letter}/connect"))
                    .await;
                let back = fake.allow(address.header("location"));
                fake.fail(Fault::answer(status, body));
                fresh.get(&back).await;
            }
        }
        let refused = format!("/profile/trackers/{letter}/callback?error={SECRET}&state={SECRET}");
        browser.get(&refused).await;
    }
    let text = assert_clean(&log);
    text.assert_has("an account at a tracker was not linked");
}

#[tokio::test]
async fn messages_of_players_and_files_lead_no_text_into_the_log() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, SECRET).await;
    let log = Log::begin();
    let messages = [
        json!({"NotificationType": "PlaybackStop", "Name": SECRET, "SeriesName": SECRET, "NotificationUsername": SECRET}),
        json!({"event": "media.scrobble", "Metadata": {"title": SECRET, "guid": SECRET}, "Account": {"title": SECRET}}),
        json!({"title": SECRET, "file": SECRET, "event": SECRET, "user": SECRET}),
        json!({"title": SECRET, "season": 1, "episode": 1, "event": "finished", "tmdb": SECRET}),
        json!(SECRET),
    ];
    for message in &messages {
        players.post(&path, message).await;
    }
    let token = players.person.token.as_str();
    let service = &players.service;
    service
        .post_as(token, "/v1/playback", &json!(messages))
        .await;
    service.get(&format!("/v1/playback/{SECRET}")).await;
    let bearer = format!("Bearer {token}");
    let files = [
        format!(
            "<?xml version=\"1.0\"?><myanimelist><anime><series_title>{SECRET}</series_title></anime></myanimelist>"
        ),
        format!("<myanimelist>{SECRET}</{SECRET}>"),
        format!("title,status\n{SECRET},{SECRET}\n"),
        json!({"stories": [{"anime_id": 1, "status": 0, "notes": [SECRET]}]}).to_string(),
        json!({"Items": [{"Name": SECRET, "UserData": {"Played": SECRET}}]}).to_string(),
        SECRET.to_owned(),
    ];
    for file in files {
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/octet-stream"),
        ];
        let path = "/v1/user_story/import";
        service
            .send_body(Method::POST, path, &headers, Body::from(file))
            .await;
    }
    let text = assert_clean(&log);
    text.assert_has("/v1/playback/{secret}");
}

#[tokio::test]
async fn unreadable_passkeys_are_not_quoted_in_the_log() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut device = PageClient::signed_in(&service, &person)
        .await
        .add_passkey("Phone")
        .await;
    let log = Log::begin();
    let garbage = URL_SAFE_NO_PAD.encode(SECRET.repeat(500));
    for field in "authenticatorData clientDataJSON signature userHandle".split(' ') {
        let mut browser = PageClient::new(&service);
        let page = browser.get("/sign-in").await;
        let credential = device.use_passkey(&page, "/sign-in/passkey").await;
        let mut credential: Value = serde_json::from_str(&credential).unwrap();
        credential["response"][field] = garbage.clone().into();
        let answer = browser.sign_in_with(&page, &credential.to_string()).await;
        assert_ne!(answer.status, StatusCode::SEE_OTHER, "{field}");
    }
    assert_clean(&log);
}

/// `Debug` shows everything in a value, such as the fields of an error. Values in the log have a `Display` for it.
#[test]
fn log_calls_use_no_debug_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    for folder in ["cli/src", "crates", "functions", "shared"] {
        collect_sources(&root.join(folder), &mut sources);
    }
    let mut calls = 0;
    for path in sources {
        let text = std::fs::read_to_string(&path).unwrap();
        for call in text.split("tracing::").skip(1) {
            let is_event = ["error!", "warn!", "info!", "debug!", "trace!"];
            if is_event.iter().any(|name| call.starts_with(name)) {
                let call = call.split(';').next().unwrap_or_default();
                assert!(
                    !call.contains("(?") && !call.contains(" ?"),
                    "{}: {call}",
                    path.display()
                );
                calls += 1;
            }
        }
    }
    assert!(calls > 40, "{calls}");
}
