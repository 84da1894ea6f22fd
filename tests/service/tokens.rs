//! Access tokens and signing keys (docs/oauth.md, rules 27 to 29).

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use shared::auth::{KEY_LEAD_S, KEYS_FRESH_MS, KeyRing, KeySource, TokenPurpose};
use shared::models::UserId;
use tests::people::{PASSWORD, credential};
use tests::service::{PUBLIC_URL, Service};

const SECRET: &str = "0123456789012345678901234567890123456789";

/// Returns a service with a known signing key, so that tests can forge tokens.
async fn service_with_known_key() -> Service {
    let service = Service::empty().await;
    let mut environment = service.environment.clone();
    let ring = KeyRing::parse(&format!("{{\"0\": \"{SECRET}\"}}")).unwrap();
    environment.overrides.signing = Some(KeySource::Fixed(Arc::new(ring)));
    service.with_environment(environment)
}

/// Signs a token with the service's key.
fn forge_token(header: &Value, claims: &Value) -> String {
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
async fn rule_27_every_header_and_claim_is_verified() {
    let service = service_with_known_key().await;
    service.person("taki").await;
    let (header, claims) = (good_header(), good_claims());
    assert_eq!(service.me_status(&forge_token(&header, &claims)).await, 200);
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
        let status = service.me_status(&forge_token(&header, &claims)).await;
        assert_eq!(status, 401, "{name}: {value}");
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
        let status = service.me_status(&forge_token(&header, &claims)).await;
        assert_eq!(status, 401, "{name}: {value}");
    }
}

#[tokio::test]
async fn rule_27_clock_skew_of_one_minute_is_accepted() {
    let service = service_with_known_key().await;
    service.person("taki").await;
    let now = 1_700_000_000_u64;
    for (name, value) in [("exp", now - 59), ("iat", now + 60)] {
        let mut claims = good_claims();
        claims[name] = value.into();
        let token = forge_token(&good_header(), &claims);
        assert_eq!(service.me_status(&token).await, 200, "{name}");
    }
}

#[tokio::test]
async fn rule_27_token_expires_after_thirty_days() {
    let (service, person) = Service::with_person("taki").await;
    let almost_30_days = Duration::from_hours(30 * 24) - Duration::from_secs(1);
    service.clock.advance(almost_30_days);
    assert_eq!(service.me_status(&person.token).await, 200);
    service.clock.advance(Duration::from_secs(61));
    assert_eq!(service.me_status(&person.token).await, 401);
}

#[tokio::test]
async fn rule_28_challenge_depends_on_the_token_sent() {
    let (service, person) = Service::with_person("taki").await;
    let token = &person.token;
    let me = "/v1/auth/me";
    let in_query = format!("{me}?access_token={token}");
    let bearer = format!("Bearer {token}");
    let long = format!("Bearer {}", "x".repeat(8192));
    let (right, none) = ((200, ""), (401, "Bearer"));
    let invalid = (401, "Bearer error=\"invalid_token\"");
    let misused = (400, "Bearer error=\"invalid_request\"");
    for (path, authorizations, expected) in [
        (me, &[&*bearer][..], right),
        (me, &[&*bearer.replace("Bearer", "bearer")], right),
        (me, &[&*bearer.replace("Bearer", "BEARER")], right),
        (me, &[], none),
        (me, &["Basic dGFraTpwYXNz"], none),
        (me, &[token.as_str()], none),
        (me, &["Bearer"], invalid),
        (me, &["Bearer "], invalid),
        (me, &["Bearer a b"], invalid),
        (me, &["Bearer \u{e9}"], invalid),
        (me, &[&*long], invalid),
        (me, &[&*bearer, &*bearer], misused),
        // API Gateway joins repeated headers like this.
        (me, &[&*format!("{bearer},{bearer}")], misused),
        (&*in_query, &[], misused),
        (&*in_query, &[&*bearer], misused),
    ] {
        let headers = authorizations.iter().map(|value| ("authorization", *value));
        let headers: Vec<(&str, &str)> = headers.collect();
        let answer = service.get_with(path, &headers).await;
        let challenge = answer.header("www-authenticate");
        assert_eq!(
            (answer.status.as_u16(), challenge),
            expected,
            "{path} {authorizations:?}"
        );
    }
}

#[tokio::test]
async fn rule_29_new_password_revokes_all_other_tokens() {
    let (service, person) = Service::with_person("taki").await;
    let application = service.web_application(&person).await;
    let tokens = [
        service.token(person.id).await,
        service.application_token(&person, &application).await,
    ];
    let change = async |token: &str, password: &str| {
        let body = json!({"id": person.id, "gender": 0, "password": password});
        let answer = service.post_as(token, "/v1/user", &body).await;
        answer.status.as_u16()
    };
    assert_eq!(change(&person.token, "new pass word").await, 200);
    for token in &tokens {
        assert_eq!(service.me_status(token).await, 401);
        // Writes are also rejected.
        assert_eq!(change(token, "another pass word").await, 401);
    }
    // The token of the change stays valid.
    assert_eq!(service.me_status(&person.token).await, 200);
    let old_password = service.login("taki", PASSWORD).await;
    old_password.assert_status(401);
    let login = service.login("taki", "new pass word").await;
    let newest = login.data()["access_token"].take();
    let newest = newest.as_str().unwrap();
    assert_eq!(change(newest, "newest pass word").await, 200);
    assert_eq!(service.me_status(newest).await, 200);
    // Only the token of the latest change stays valid.
    assert_eq!(service.me_status(&person.token).await, 401);
}

/// Checking a token costs one read of the user's row, and for a token of an application one read of the
/// grant. A write needs no extra call, because the check is part of its transaction.
#[tokio::test]
async fn rule_29_token_check_reads_only_the_user_and_the_grant() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    let application = service.web_application(&person).await;
    let of_application = service.application_token(&person, &application).await;
    let (client, meter) = tests::units::metered();
    let service = service.with_functions_client(client);
    let path = format!("/v1/user_story/{}", person.story(&anime));
    for (method, path, calls) in [
        (Method::GET, "/v1/auth/me", 1),
        (Method::GET, path.as_str(), 2),
        (Method::GET, "/v1/user_story", 2),
    ] {
        // For a token of an application, the grant is read in addition to the user's row.
        for (token, more) in [(&person.token, 0), (&of_application, 1)] {
            let answer = service.with_token(method.clone(), path, token).await;
            assert_eq!(answer.status, 200);
            assert_eq!(meter.take().calls, calls + more, "{method} {path}");
        }
    }
    for token in [&person.token, &of_application] {
        // A change in the same millisecond as the one before would need a second transaction.
        service.clock.advance(std::time::Duration::from_millis(1));
        let body = tests::people::story_body(&person, &anime, 0, 1);
        let answer = service.post_as(token, "/v1/user_story", &body).await;
        assert_eq!(answer.status, 200);
        assert_eq!(meter.take().calls, 2, "the story, then the transaction");
    }
}

#[tokio::test]
async fn new_key_keeps_existing_tokens_valid() {
    let service = Service::empty().await;
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("keys.json");
    let random = service.environment.database.random.clone();
    let first = KeyRing::new(&random);
    let write = |ring: &KeyRing| {
        let ring: Value = serde_json::from_str(&ring.to_json().unwrap()).unwrap();
        std::fs::write(&file, json!({"signing": ring}).to_string()).unwrap();
    };
    write(&first);
    let mut environment = service.environment.clone();
    environment.overrides.signing = Some(KeySource::File(file.clone(), "signing"));
    let service = service.with_environment(environment);
    let id = service.person("taki").await.id;
    // Each function reads the keys on its own, at its own time.
    let [one, other] = [(); 2].map(|()| service.environment.tokens().unwrap());
    let sign = async |tokens: &shared::auth::Tokens| {
        let credential = credential(tokens, id);
        tokens.sign_access_token(&credential).await.unwrap()
    };
    let old = sign(&one).await;
    assert_eq!(service.me_status(&old).await, 200);

    write(&first.with_new_key(&random, service.clock.now_s(), None));
    // One function reads the new key at once, the other only after the longest allowed delay. Neither function signs
    // with the new key yet.
    let eager = service.environment.tokens().unwrap();
    assert_eq!(kid(&sign(&eager).await), "0");
    assert_eq!(kid(&sign(&other).await), "0");
    let before = KEY_LEAD_S * 1000 - KEYS_FRESH_MS;
    service.clock.advance(Duration::from_millis(before));
    sign(&other).await;
    service.clock.advance(Duration::from_millis(KEYS_FRESH_MS));
    let new = sign(&eager).await;
    assert_eq!(kid(&new), (1_700_000_000 + KEY_LEAD_S).to_string());
    for token in [&old, &new] {
        assert_eq!(service.me_status(token).await, 200);
        let verified = other.verify(TokenPurpose::Access, token).await.unwrap();
        assert!(verified.is_some());
    }
    // After a month the first key can be deleted.
    let month = 31 * 24 * 60 * 60;
    let later = service.clock.now_s() + month;
    let ring = first.with_new_key(&random, service.clock.now_s(), None);
    let ids_at = |now| ring.with_new_key(&random, now, Some(month)).ids();
    // Tokens of the first key can still be valid.
    assert_eq!(ids_at(later).len(), 3);
    assert_eq!(ids_at(later + KEY_LEAD_S).len(), 2);
    assert_eq!(ids_at(service.clock.now_s())[0], 0);
}

fn kid(token: &str) -> String {
    let header = URL_SAFE_NO_PAD
        .decode(token.split('.').next().unwrap())
        .unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    header["kid"].as_str().unwrap().to_owned()
}

/// If the keys cannot be read again, the known keys stay in use.
#[tokio::test]
async fn unreadable_keys_do_not_replace_known_ones() {
    let service = Service::empty().await;
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("keys.json");
    let mut environment = service.environment.clone();
    environment.overrides.signing = Some(KeySource::File(file.clone(), "signing"));
    let tokens = environment.tokens().unwrap();
    let credential = credential(&tokens, UserId::new(1).unwrap());
    for (content, is_ok) in [
        (None, false),
        (Some("{}"), false),
        (Some("{\"signing\": {}}"), false),
        (Some("{\"signing\": {\"0\": \"short\"}}"), false),
        (
            Some(&*format!("{{\"signing\": {{\"x\": \"{SECRET}\"}}}}")),
            false,
        ),
        (
            Some(&*format!("{{\"signing\": {{\"0\": \"{SECRET}\"}}}}")),
            true,
        ),
        (Some("nothing"), true),
    ] {
        if let Some(content) = content {
            std::fs::write(&file, content).unwrap();
        }
        service.clock.advance(Duration::from_millis(KEYS_FRESH_MS));
        let signed = tokens.sign_access_token(&credential).await;
        assert_eq!(signed.is_ok(), is_ok, "{content:?}");
    }
}
