//! Tokens: rules 27 to 29.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use shared::auth::{KEYS_FRESH_MS, KeyRing, KeySource, LEAD_S, Purpose};
use shared::models::UserId;
use tests::people::{PASSWORD, credential};
use tests::service::{PUBLIC_URL, Service};

const SECRET: &str = "0123456789012345678901234567890123456789";

async fn status(service: &Service, token: &str) -> u16 {
    let answer = service.with_token(Method::GET, "/v1/auth/me", token).await;
    answer.status.as_u16()
}

/// A service whose first key is known, so that tokens can be made up.
async fn with_known_key() -> Service {
    let service = Service::empty().await;
    let mut environment = service.environment.clone();
    let ring = KeyRing::parse(&format!("{{\"0\": \"{SECRET}\"}}")).unwrap();
    environment.overrides.signing = Some(KeySource::Fixed(Arc::new(ring)));
    service.made_of(environment)
}

/// A token that the service could have signed, but for what is changed in it.
fn made_up(header: &Value, claims: &Value) -> String {
    let part = |json: &Value| URL_SAFE_NO_PAD.encode(json.to_string());
    let signed = format!("{}.{}", part(header), part(claims));
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, SECRET.as_bytes());
    let tag = aws_lc_rs::hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag.as_ref()))
}

fn good_header() -> Value {
    json!({"typ": "at+jwt", "alg": "HS256", "kid": "0"})
}

fn good_claims() -> Value {
    let now = 1_700_000_000;
    json!({
        "iss": PUBLIC_URL, "aud": format!("{PUBLIC_URL}/v1"), "sub": "1", "iat": now,
        "exp": now + 2_592_000, "jti": "made-up", "ver": 0
    })
}

#[tokio::test]
async fn rule_27_each_part_of_a_token_is_verified() {
    let service = with_known_key().await;
    service.person("taki").await;
    let (header, claims) = (good_header(), good_claims());
    assert_eq!(status(&service, &made_up(&header, &claims)).await, 200);
    for (name, value) in [
        ("typ", json!("JWT")),
        ("typ", json!(null)),
        ("typ", json!("email-verification+jwt")),
        ("alg", json!("none")),
        ("alg", json!("HS512")),
        ("alg", json!("RS256")),
        ("kid", json!("1")),
        ("kid", json!(null)),
        ("crit", json!(["exp"])),
    ] {
        let mut header = header.clone();
        header[name] = value.clone();
        assert_eq!(
            status(&service, &made_up(&header, &claims)).await,
            401,
            "{name}: {value}"
        );
    }
    let now = 1_700_000_000_u64;
    for (name, value) in [
        ("iss", json!("https://elsewhere.example")),
        ("iss", json!(null)),
        ("aud", json!("https://elsewhere.example/v1")),
        ("aud", json!(PUBLIC_URL)),
        ("aud", json!(null)),
        ("exp", json!(now - 60)),
        ("exp", json!(null)),
        ("iat", json!(now + 61)),
        ("sub", json!("2")),
        ("sub", json!("")),
        ("sub", json!("99999999999999999999")),
        ("ver", json!(1)),
        ("jti", json!(null)),
    ] {
        let mut claims = claims.clone();
        claims[name] = value.clone();
        assert_eq!(
            status(&service, &made_up(&header, &claims)).await,
            401,
            "{name}: {value}"
        );
    }
}

#[tokio::test]
async fn rule_27_clocks_may_differ_by_a_minute() {
    let service = with_known_key().await;
    service.person("taki").await;
    let now = 1_700_000_000_u64;
    for (name, value) in [("exp", now - 59), ("iat", now + 60)] {
        let mut claims = good_claims();
        claims[name] = value.into();
        assert_eq!(
            status(&service, &made_up(&good_header(), &claims)).await,
            200,
            "{name}"
        );
    }
}

#[tokio::test]
async fn rule_27_a_token_lives_thirty_days() {
    let service = Service::empty().await;
    let person = service.person("taki").await;
    service
        .clock
        .advance(Duration::from_hours(30 * 24) - Duration::from_secs(1));
    assert_eq!(status(&service, &person.token).await, 200);
    service.clock.advance(Duration::from_secs(61));
    assert_eq!(status(&service, &person.token).await, 401);
}

#[tokio::test]
async fn rule_28_the_challenge_says_whether_a_token_was_sent() {
    let service = Service::empty().await;
    let person = service.person("taki").await;
    let token = &person.token;
    let ask = async |path: &str, headers: &[(&str, &str)]| {
        let answer = service.get_with(path, headers).await;
        let challenge = answer.header("www-authenticate").to_owned();
        (answer.status.as_u16(), challenge)
    };
    let me = "/v1/auth/me";
    let (none, invalid, misused) = (
        (401, "Bearer".to_owned()),
        (401, "Bearer error=\"invalid_token\"".to_owned()),
        (400, "Bearer error=\"invalid_request\"".to_owned()),
    );
    let bearer = |scheme: &str| format!("{scheme} {token}");
    for scheme in ["Bearer", "bearer", "BEARER"] {
        assert_eq!(
            ask(me, &[("authorization", &bearer(scheme))]).await,
            (200, String::new())
        );
    }
    assert_eq!(ask(me, &[]).await, none);
    assert_eq!(
        ask(me, &[("authorization", "Basic dGFraTpwYXNz")]).await,
        none
    );
    assert_eq!(ask(me, &[("authorization", token)]).await, none);
    assert_eq!(ask(me, &[("authorization", "Bearer")]).await, invalid);
    assert_eq!(ask(me, &[("authorization", "Bearer ")]).await, invalid);
    assert_eq!(ask(me, &[("authorization", "Bearer a b")]).await, invalid);
    assert_eq!(
        ask(me, &[("authorization", "Bearer \u{e9}")]).await,
        invalid
    );
    let long = format!("Bearer {}", "x".repeat(8192));
    assert_eq!(ask(me, &[("authorization", &long)]).await, invalid);
    let twice = [
        ("authorization", bearer("Bearer")),
        ("authorization", bearer("Bearer")),
    ];
    let twice: Vec<(&str, &str)> = twice
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    assert_eq!(ask(me, &twice).await, misused);
    let joined = format!("Bearer {token},Bearer {token}");
    assert_eq!(
        ask(me, &[("authorization", &joined)]).await,
        misused,
        "as API Gateway joins them"
    );
    let in_query = format!("{me}?access_token={token}");
    assert_eq!(ask(&in_query, &[]).await, misused);
    assert_eq!(
        ask(&in_query, &[("authorization", &bearer("Bearer"))]).await,
        misused
    );
}

#[tokio::test]
async fn rule_29_a_new_password_ends_every_other_token() {
    let service = Service::empty().await;
    let person = service.person("taki").await;
    let application = service.web_application(&person).await;
    let tokens = [
        service.token(person.id).await,
        service.application_token(&person, &application).await,
    ];
    let change = async |token: &str, password: &str| {
        let body = json!({"id": person.id, "gender": 0, "password": password});
        service
            .json(Method::POST, "/v1/user", Some(token), &body)
            .await
            .status
            .as_u16()
    };
    assert_eq!(change(&person.token, "new pass word").await, 200);
    for token in &tokens {
        assert_eq!(status(&service, token).await, 401);
        assert_eq!(
            change(token, "another pass word").await,
            401,
            "on writes, too"
        );
    }
    assert_eq!(
        status(&service, &person.token).await,
        200,
        "but the one that did it"
    );
    let login = async |password: &str| {
        let body = json!({"username": "taki", "password": password});
        service
            .json(Method::POST, "/v1/auth/login", None, &body)
            .await
    };
    assert_eq!(login(PASSWORD).await.status, 401);
    let newest = login("new pass word").await.data()["access_token"].take();
    let newest = newest.as_str().unwrap();
    assert_eq!(change(newest, "newest pass word").await, 200);
    assert_eq!(status(&service, newest).await, 200);
    assert_eq!(
        status(&service, &person.token).await,
        401,
        "only the last one is kept"
    );
}

/// The caller's row is one more read beside the data, and on a write none: it is in the transaction.
#[tokio::test]
async fn rule_29_the_calls_it_takes() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    let application = service.web_application(&person).await;
    let of_application = service.application_token(&person, &application).await;
    let (client, meter) = tests::units::metered();
    let mut environment = service.environment.clone();
    environment.client = client;
    let service = service.made_of(environment);
    let path = format!("/v1/user_story/{}", person.story(&anime));
    for (method, path, calls) in [
        (Method::GET, "/v1/auth/me", 1),
        (Method::GET, path.as_str(), 2),
        (Method::GET, "/v1/user_story", 2),
    ] {
        // Of an application's token the grant is read, too: beside the user's row.
        for (token, more) in [(&person.token, 0), (&of_application, 1)] {
            let answer = service.with_token(method.clone(), path, token).await;
            assert_eq!(answer.status, 200);
            assert_eq!(meter.take().calls, calls + more, "{method} {path}");
        }
    }
    for token in [&person.token, &of_application] {
        let body = tests::people::story_body(&person, &anime, 0, 1);
        let answer = service
            .json(Method::POST, "/v1/user_story", Some(token), &body)
            .await;
        assert_eq!(answer.status, 200);
        assert_eq!(meter.take().calls, 1, "POST /v1/user_story");
    }
}

#[tokio::test]
async fn a_new_key_signs_nobody_out() {
    let service = Service::empty().await;
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("keys.json");
    let random = service.environment.random.clone();
    let first = KeyRing::new(&random);
    let write = |ring: &KeyRing| {
        let ring: Value = serde_json::from_str(&ring.to_json().unwrap()).unwrap();
        std::fs::write(&file, json!({"signing": ring}).to_string()).unwrap();
    };
    write(&first);
    let mut environment = service.environment.clone();
    environment.overrides.signing = Some(KeySource::File(file.clone(), "signing"));
    let service = service.made_of(environment);
    let id = service.person("taki").await.id;
    // What each function has read by itself, at its own time.
    let (one, other) = (
        service.environment.tokens().unwrap(),
        service.environment.tokens().unwrap(),
    );
    let sign = async |tokens: &shared::auth::Tokens| {
        tokens.sign_access(&credential(tokens, id)).await.unwrap()
    };
    let old = sign(&one).await;
    assert_eq!(status(&service, &old).await, 200);

    write(&first.rotated(&random, service.clock.now_s(), None));
    // One function reads the new key at once, another not before it must. Neither uses it yet.
    let eager = service.environment.tokens().unwrap();
    assert_eq!(kid(&sign(&eager).await), "0");
    assert_eq!(kid(&sign(&other).await), "0");
    let before = LEAD_S * 1000 - KEYS_FRESH_MS;
    service.clock.advance(Duration::from_millis(before));
    sign(&other).await;
    service.clock.advance(Duration::from_millis(KEYS_FRESH_MS));
    let new = sign(&eager).await;
    assert_eq!(kid(&new), (1_700_000_000 + LEAD_S).to_string());
    for token in [&old, &new] {
        assert_eq!(status(&service, token).await, 200);
        assert!(
            other
                .verify(Purpose::Access, token)
                .await
                .unwrap()
                .is_some()
        );
    }
    // A month later the first key can go.
    let month = 31 * 24 * 60 * 60;
    let later = service.clock.now_s() + month;
    let ring = first.rotated(&random, service.clock.now_s(), None);
    assert_eq!(
        ring.rotated(&random, later, Some(month)).ids().len(),
        3,
        "not yet"
    );
    assert_eq!(
        ring.rotated(&random, later + LEAD_S, Some(month))
            .ids()
            .len(),
        2
    );
    assert_eq!(
        ring.rotated(&random, service.clock.now_s(), Some(month))
            .ids()[0],
        0
    );
}

fn kid(token: &str) -> String {
    let header = URL_SAFE_NO_PAD
        .decode(token.split('.').next().unwrap())
        .unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    header["kid"].as_str().unwrap().to_owned()
}

/// While the keys cannot be read again, those from before are used.
#[tokio::test]
async fn keys_that_cannot_be_read() {
    let service = Service::empty().await;
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("keys.json");
    let mut environment = service.environment.clone();
    environment.overrides.signing = Some(KeySource::File(file.clone(), "signing"));
    let tokens = environment.tokens().unwrap();
    let sign = async || {
        tokens
            .sign_access(&credential(&tokens, UserId::new(1).unwrap()))
            .await
    };
    for (content, sound) in [
        (None, false),
        (Some("{}"), false),
        (Some("{\"signing\": {}}"), false),
        (Some("{\"signing\": {\"0\": \"short\"}}"), false),
        (
            Some("{\"signing\": {\"x\": \"0123456789012345678901234567890123456789\"}}"),
            false,
        ),
        (
            Some("{\"signing\": {\"0\": \"0123456789012345678901234567890123456789\"}}"),
            true,
        ),
        (Some("nothing"), true),
    ] {
        if let Some(content) = content {
            std::fs::write(&file, content).unwrap();
        }
        service.clock.advance(Duration::from_millis(KEYS_FRESH_MS));
        assert_eq!(sign().await.is_ok(), sound, "{content:?}");
    }
}
