//! Codes, the token endpoint, revocation and metadata: rules 17 to 26 and 30; and how a grant ends a
//! token: rule 29.

use std::time::Duration;

use axum::http::{HeaderMap, Method};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::auth::Action;
use shared::models::AnimeId;
use store::ClientKind;
use tests::browser::{Application, Browser, client_details, query};
use tests::engine;
use tests::log::Log;
use tests::people::Person;
use tests::proxy::{Mode, Proxy};
use tests::service::{Answer, PUBLIC_URL, Service};

const TOKEN: &str = "/v1/oauth/token";
const REVOKE: &str = "/v1/oauth/revoke";

/// A verifier of PKCE and its challenge (RFC 7636, appendix B).
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const PKCE: [(&str, &str); 2] = [
    ("code_challenge", CHALLENGE),
    ("code_challenge_method", "S256"),
];

async fn stage() -> (Service, Person, Application) {
    let service = Service::empty().await;
    let user = service.person("mitsuha").await;
    let application = service.web_application(&user).await;
    (service, user, application)
}

async fn code(service: &Service, user: &Person, application: &Application) -> String {
    let mut browser = Browser::of(service, user).await;
    browser.allow(application, &[]).await.code().to_owned()
}

async fn me(service: &Service, token: &str) -> u16 {
    let answer = service.with_token(Method::GET, "/v1/auth/me", token).await;
    answer.status.as_u16()
}

fn token_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["access_token"].as_str().unwrap().to_owned()
}

/// Status and error.
fn error(answer: &Answer) -> (u16, String) {
    let error = answer.json()["error"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (answer.status.as_u16(), error)
}

fn refused(status: u16, error: &str) -> (u16, String) {
    (status, error.to_owned())
}

/// A form without some of its fields.
fn without<'f>(form: &[(&'f str, &'f str)], names: &[&str]) -> Vec<(&'f str, &'f str)> {
    let left = form.iter().filter(|(name, _)| !names.contains(name));
    left.copied().collect()
}

/// A form with another value of a field.
fn changed<'f>(
    form: &[(&'f str, &'f str)],
    name: &'f str,
    value: &'f str,
) -> Vec<(&'f str, &'f str)> {
    let mut form = without(form, &[name]);
    form.push((name, value));
    form
}

#[tokio::test]
async fn rule_17_codes_are_random_hashed_and_live_three_minutes() {
    let (service, user, application) = stage().await;
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.push(code(&service, &user, &application).await);
    }
    for one in &codes {
        // 43 characters of 62: 256 bits.
        assert_eq!(one.len(), 43);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(codes.iter().filter(|other| *other == one).count(), 1);
    }
    let scan = service.client.scan();
    let rows = scan
        .table_name(service.tables.of("AuthCode"))
        .send()
        .await
        .unwrap();
    let rows = rows.items.unwrap();
    assert_eq!(rows.len(), 3);
    for row in &rows {
        let expires_at: u64 = row["expires_at"].as_n().unwrap().parse().unwrap();
        assert_eq!(expires_at, service.clock.now_s() + 180, "in seconds");
        let text = format!("{row:?}");
        assert!(codes.iter().all(|code| !text.contains(code)));
    }
    service.clock.advance(Duration::from_millis(179_999));
    let form = application.exchange(&codes[0]);
    assert_eq!(service.form(TOKEN, &form).await.status, 200);
    service.clock.advance(Duration::from_millis(1));
    let form = application.exchange(&codes[1]);
    let late = service.form(TOKEN, &form).await;
    assert_eq!(
        error(&late),
        refused(400, "invalid_grant"),
        "the row is still there"
    );
}

/// The figure of the issue: 100 exchanges of one code at once, one success. The others end its token.
#[tokio::test]
async fn rule_18_of_a_hundred_exchanges_at_once_one_succeeds() {
    let (service, user, application) = stage().await;
    let code = code(&service, &user, &application).await;
    let form = application.exchange(&code);
    let answers = join_all((0..100).map(|_| service.form(TOKEN, &form))).await;
    let (good, bad): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert_eq!((good.len(), bad.len()), (1, 99));
    assert!(
        bad.iter()
            .all(|answer| error(answer) == refused(400, "invalid_grant"))
    );
    assert_eq!(me(&service, &token_of(good[0])).await, 401, "rule 19");
}

#[tokio::test]
async fn rule_19_a_second_use_ends_the_tokens_of_the_first() {
    let (service, user, application) = stage().await;
    let other = service.web_application(&user).await;
    let others = service.application_token(&user, &other).await;
    let code = code(&service, &user, &application).await;
    let form = application.exchange(&code);
    let token = token_of(&service.form(TOKEN, &form).await);
    assert_eq!(me(&service, &token).await, 200);
    // Long after the code itself has expired.
    service.clock.advance(Duration::from_hours(24));
    let again = service.form(TOKEN, &form).await;
    assert_eq!(error(&again), refused(400, "invalid_grant"));
    let answer = service.with_token(Method::GET, "/v1/auth/me", &token).await;
    assert_eq!(answer.status, 401);
    assert_eq!(
        answer.header("www-authenticate"),
        "Bearer error=\"invalid_token\""
    );
    assert_eq!(me(&service, &others).await, 200, "of another application");
    assert_eq!(me(&service, &user.token).await, 200, "of the user's own");
    let new = service.application_token(&user, &application).await;
    assert_eq!(me(&service, &new).await, 200, "of the next login");
}

#[tokio::test]
async fn rule_20_nobody_else_can_burn_a_code_or_end_its_token() {
    let service = Service::empty().await;
    let user = service.person("mitsuha").await;
    let confidential = service.web_application(&user).await;
    let uri = "https://app.example/callback";
    let public = service
        .application(&user, ClientKind::Public, uri, false)
        .await;
    let stranger = service.web_application(&user).await;
    for (application, pkce) in [(&confidential, false), (&public, true)] {
        let mut browser = Browser::of(&service, &user).await;
        let more = if pkce { &PKCE[..] } else { &[] };
        let code = browser.allow(application, more).await.code().to_owned();
        let mut form = application.exchange(&code);
        if pkce {
            form.push(("code_verifier", VERIFIER));
        }
        let mut attacks = vec![
            changed(&form, "redirect_uri", "https://app.example/other"),
            changed(&stranger.exchange(&code), "code", &code),
        ];
        if pkce {
            let other = "another-verifier-that-is-long-enough-to-be-one-0";
            attacks.push(changed(&form, "code_verifier", other));
            attacks.push(without(&form, &["code_verifier"]));
        } else {
            attacks.push(changed(&form, "client_secret", "wrong"));
            attacks.push(without(&form, &["client_secret"]));
        }
        for attack in &attacks {
            let answer = service.form(TOKEN, attack).await;
            assert!([400, 401].contains(&answer.status.as_u16()), "{attack:?}");
        }
        let token = token_of(&service.form(TOKEN, &form).await);
        for attack in &attacks {
            let answer = service.form(TOKEN, attack).await;
            assert!([400, 401].contains(&answer.status.as_u16()));
        }
        assert_eq!(me(&service, &token).await, 200);
    }
}

#[tokio::test]
async fn rule_21_the_address_is_the_one_that_the_code_was_issued_for() {
    let service = Service::empty().await;
    let user = service.person("mitsuha").await;
    let uris = "http://127.0.0.1/cb\nhttps://app.example/cb";
    let application = service
        .application(&user, ClientKind::Confidential, uris, false)
        .await;
    let application = Application {
        redirect_uri: "http://127.0.0.1:49152/cb".to_owned(),
        ..application
    };
    let code = code(&service, &user, &application).await;
    let form = application.exchange(&code);
    for other in [
        "https://app.example/cb",
        "http://127.0.0.1/cb",
        "http://127.0.0.1:49153/cb",
        "http://127.0.0.1:49152/cb/",
    ] {
        let answer = service
            .form(TOKEN, &changed(&form, "redirect_uri", other))
            .await;
        assert_eq!(error(&answer), refused(400, "invalid_grant"), "{other}");
    }
    let none = service
        .form(TOKEN, &without(&form, &["redirect_uri"]))
        .await;
    assert_eq!(error(&none), refused(400, "invalid_request"));
    token_of(&service.form(TOKEN, &form).await);
}

#[tokio::test]
async fn rule_22_pkce() {
    let service = Service::empty().await;
    let user = service.person("mitsuha").await;
    let confidential = service.web_application(&user).await;
    let uri = "https://app.example/callback";
    let public = service
        .application(&user, ClientKind::Public, uri, false)
        .await;
    let mut browser = Browser::of(&service, &user).await;
    // At the authorization endpoint.
    let short = &CHALLENGE[..42];
    for (application, more) in [
        (&public, &[][..]),
        (&public, &[("code_challenge", CHALLENGE)]),
        (&confidential, &[("code_challenge", CHALLENGE)]),
        (
            &confidential,
            &[
                ("code_challenge", CHALLENGE),
                ("code_challenge_method", "plain"),
            ],
        ),
        (
            &confidential,
            &[
                ("code_challenge", CHALLENGE),
                ("code_challenge_method", "s256"),
            ],
        ),
        (
            &confidential,
            &[("code_challenge", short), ("code_challenge_method", "S256")],
        ),
        (&confidential, &[("code_challenge_method", "S256")]),
    ] {
        let answer = browser.get(&application.request(more)).await;
        let returned = tests::browser::Returned::of(&answer);
        assert_eq!(returned.get("error"), Some("invalid_request"), "{more:?}");
    }
    // At the token endpoint: a challenge needs its verifier, and a verifier its challenge.
    for application in [&public, &confidential] {
        let code = browser.allow(application, &PKCE).await.code().to_owned();
        let form = application.exchange(&code);
        let exchange = async |verifier: &str| {
            let form = changed(&form, "code_verifier", verifier);
            error(&service.form(TOKEN, &form).await)
        };
        let none = error(&service.form(TOKEN, &form).await);
        assert_eq!(none, refused(400, "invalid_grant"));
        assert_eq!(
            exchange(CHALLENGE).await,
            refused(400, "invalid_grant"),
            "not plain"
        );
        assert_eq!(
            exchange(&VERIFIER[..42]).await,
            refused(400, "invalid_request")
        );
        assert_eq!(
            exchange(&"x".repeat(129)).await,
            refused(400, "invalid_request")
        );
        assert_eq!(
            exchange(&"é".repeat(43)).await,
            refused(400, "invalid_request")
        );
        assert_eq!(
            exchange(&"x".repeat(128)).await,
            refused(400, "invalid_grant")
        );
        assert_eq!(exchange(VERIFIER).await, refused(200, ""));
    }
    let code = browser.allow(&confidential, &[]).await.code().to_owned();
    let form = confidential.exchange(&code);
    let with = changed(&form, "code_verifier", VERIFIER);
    assert_eq!(
        error(&service.form(TOKEN, &with).await),
        refused(400, "invalid_grant")
    );
    token_of(&service.form(TOKEN, &form).await);
}

/// Sends an exchange with its credentials in one place, or several.
async fn exchange_by(
    service: &Service,
    query_pairs: &[(&str, &str)],
    form: &[(&str, &str)],
    authorization: Option<&str>,
) -> Answer {
    let mut headers = vec![("content-type", "application/x-www-form-urlencoded")];
    headers.extend(authorization.map(|value| ("authorization", value)));
    let path = format!("{TOKEN}?{}", query(query_pairs));
    service
        .send_body(Method::POST, &path, &headers, query(form))
        .await
}

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

#[tokio::test]
async fn rule_23_credentials_come_in_one_of_three_ways() {
    let (service, user, application) = stage().await;
    let (id, secret) = (
        application.client_id.as_str(),
        application.secret.as_deref().unwrap(),
    );
    let header = basic(id, secret);
    let encoded = basic(&id.replace('a', "%61"), &secret.replace('b', "%62"));
    let next = async || code(&service, &user, &application).await;
    // The contract's own way: everything in the query string, with or without a body.
    let one = next().await;
    let all = application.exchange(&one);
    let documented = without(&all, &["grant_type"]);
    token_of(&exchange_by(&service, &documented, &[], None).await);
    for (content_type, body) in [
        ("application/json", ""),
        ("application/json", "{}"),
        ("text/plain", ""),
    ] {
        let one = next().await;
        let path = format!("{TOKEN}?{}", query(&application.exchange(&one)));
        let headers = [("content-type", content_type)];
        token_of(&service.send_body(Method::POST, &path, &headers, body).await);
    }
    let one = next().await;
    token_of(&exchange_by(&service, &[], &application.exchange(&one), None).await);
    for header in [&header, &encoded, &header.replace("Basic", "basic")] {
        let one = next().await;
        let form = without(&application.exchange(&one), &["client_id", "client_secret"]);
        token_of(&exchange_by(&service, &[], &form, Some(header)).await);
    }
    let one = next().await;
    let form = without(&application.exchange(&one), &["client_secret"]);
    token_of(&exchange_by(&service, &[], &form, Some(&header)).await);

    let one = next().await;
    let all = application.exchange(&one);
    let rest = without(&all, &["client_id", "client_secret"]);
    let credentials = [("client_id", id), ("client_secret", secret)];
    let only_secret = [("client_secret", secret)];
    let mut with_secret = rest.clone();
    with_secret.extend(only_secret);
    for (query_pairs, form, header) in [
        (&credentials[..], &all, None),
        (&credentials[..], &rest, Some(header.as_str())),
        (&[][..], &all, Some(header.as_str())),
        (&[][..], &with_secret, Some(header.as_str())),
        (&credentials[..1], &with_secret, None),
        (
            &[("client_id", "another")][..],
            &rest,
            Some(header.as_str()),
        ),
        (
            &[credentials[0], credentials[0], credentials[1]][..],
            &rest,
            None,
        ),
        (&[("code", one.as_str())][..], &all, None),
    ] {
        let answer = exchange_by(&service, query_pairs, form, header).await;
        assert_eq!(
            error(&answer),
            refused(400, "invalid_request"),
            "{query_pairs:?} {form:?}"
        );
    }
    token_of(&exchange_by(&service, &[], &all, None).await);
}

#[tokio::test]
async fn rule_23_nothing_of_it_is_logged() {
    let log = Log::begin();
    let (service, user, application) = stage().await;
    let one = code(&service, &user, &application).await;
    let form = application.exchange(&one);
    let path = format!("{TOKEN}?{}", query(&form));
    let token = token_of(&service.send(Method::POST, &path, &[]).await);
    service.send(Method::POST, &path, &[]).await;
    let text = log.text();
    assert!(text.contains("\"route\":\"/v1/oauth/token\""), "{text}");
    let secret = application.secret.as_deref().unwrap();
    for private in [one.as_str(), secret, &token, "code=", "mitsuha@"] {
        assert!(!text.contains(private), "{private}");
    }
}

#[tokio::test]
async fn rule_24_secrets() {
    let (service, user, application) = stage().await;
    let secret = application.secret.clone().unwrap();
    assert_eq!(secret.len(), 43, "256 bits");
    assert!(secret.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let scan = service.client.scan();
    let rows = scan
        .table_name(service.tables.of("OAuthClient"))
        .send()
        .await
        .unwrap();
    let row = format!("{:?}", rows.items.unwrap());
    assert!(row.contains("secret_hash") && !row.contains(&secret));

    let access = service.access(&user, Action::ManageClients).await;
    let applications = service.environment.applications();
    let new = applications
        .rotate_secret(&access, &application.client_id)
        .await
        .unwrap();
    let one = code(&service, &user, &application).await;
    let form = application.exchange(&one);
    assert_eq!(
        error(&service.form(TOKEN, &form).await),
        refused(401, "invalid_client")
    );
    let form = changed(&form, "client_secret", &new);
    token_of(&service.form(TOKEN, &form).await);
}

#[tokio::test]
async fn rule_25_a_confidential_client_without_its_secret_fails() {
    let service = Service::empty().await;
    let user = service.person("mitsuha").await;
    let confidential = service.web_application(&user).await;
    let uri = "https://app.example/callback";
    let public = service
        .application(&user, ClientKind::Public, uri, false)
        .await;
    let mut browser = Browser::of(&service, &user).await;
    let code = browser.allow(&confidential, &PKCE).await.code().to_owned();
    let mut form = confidential.exchange(&code);
    form.push(("code_verifier", VERIFIER));
    for form in [
        without(&form, &["client_secret"]),
        changed(&form, "client_secret", ""),
        changed(&form, "client_secret", "wrong"),
        without(&form, &["client_id", "client_secret"]),
        without(&form, &["client_id"]),
    ] {
        let answer = service.form(TOKEN, &form).await;
        assert_eq!(error(&answer), refused(401, "invalid_client"), "{form:?}");
    }
    token_of(&service.form(TOKEN, &form).await);
    // A public client has no secret, and so none is its own.
    let code = browser.allow(&public, &PKCE).await.code().to_owned();
    let mut form = public.exchange(&code);
    form.push(("code_verifier", VERIFIER));
    let invented = changed(&form, "client_secret", "invented");
    assert_eq!(
        error(&service.form(TOKEN, &invented).await),
        refused(401, "invalid_client")
    );
    token_of(
        &service
            .form(TOKEN, &changed(&form, "client_secret", ""))
            .await,
    );
}

/// What no answer of these endpoints may leave to a cache.
fn is_for_nobody_else(headers: &HeaderMap) {
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["pragma"], "no-cache");
    assert_eq!(headers["content-type"], "application/json");
}

#[tokio::test]
async fn rule_26_what_refusals_look_like() {
    let (service, user, application) = stage().await;
    let one = code(&service, &user, &application).await;
    let form = application.exchange(&one);
    let wrong = basic(&application.client_id, "wrong");
    let rest = without(&form, &["client_id", "client_secret"]);
    for (answer, expected, challenge) in [
        (
            exchange_by(&service, &[], &rest, Some(&wrong)).await,
            refused(401, "invalid_client"),
            "Basic realm=\"Kiroku\"",
        ),
        (
            exchange_by(&service, &[], &rest, Some("Basic %%%")).await,
            refused(401, "invalid_client"),
            "Basic realm=\"Kiroku\"",
        ),
        (
            exchange_by(&service, &[], &rest, None).await,
            refused(401, "invalid_client"),
            "",
        ),
        (
            service
                .form(TOKEN, &changed(&form, "client_secret", "wrong"))
                .await,
            refused(401, "invalid_client"),
            "",
        ),
        (
            service
                .form(TOKEN, &changed(&form, "client_id", "unknown"))
                .await,
            refused(401, "invalid_client"),
            "",
        ),
        (
            service
                .form(TOKEN, &changed(&form, "grant_type", "password"))
                .await,
            refused(400, "unsupported_grant_type"),
            "",
        ),
        (
            service
                .form(TOKEN, &changed(&form, "code", "unknown"))
                .await,
            refused(400, "invalid_grant"),
            "",
        ),
        (
            service.form(TOKEN, &without(&form, &["code"])).await,
            refused(400, "invalid_request"),
            "",
        ),
        (
            service
                .json(Method::POST, TOKEN, None, &json!({"code": one}))
                .await,
            refused(400, "invalid_request"),
            "",
        ),
        (
            service
                .form(REVOKE, &changed(&form, "client_secret", "wrong"))
                .await,
            refused(401, "invalid_client"),
            "",
        ),
    ] {
        assert_eq!(error(&answer), expected);
        assert_eq!(answer.header("www-authenticate"), challenge);
        is_for_nobody_else(&answer.headers);
        let body = answer.json();
        assert_eq!(body["status"], answer.status.as_u16());
        assert_eq!(body["status_code"], answer.status.as_u16());
        assert_eq!(body["version"], "1");
        assert!(body["message"].is_string() && body["data"].is_string());
        assert!(body["error_description"].is_string());
        assert!(
            body.as_object()
                .unwrap()
                .values()
                .all(|value| !value.is_null())
        );
    }
}

#[tokio::test]
async fn rule_26_what_a_token_comes_in() {
    let (service, user, application) = stage().await;
    let one = code(&service, &user, &application).await;
    let answer = service.form(TOKEN, &application.exchange(&one)).await;
    assert_eq!(answer.status, 200);
    is_for_nobody_else(&answer.headers);
    let body = answer.json();
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "access_token",
            "data",
            "expires_in",
            "message",
            "status",
            "token_type",
            "version"
        ]
    );
    assert_eq!(
        (&body["status"], &body["version"]),
        (&json!(200), &json!("1"))
    );
    assert_eq!(body["data"], body["access_token"]);
    assert_eq!(body["token_type"], "Bearer");
    assert_eq!(body["expires_in"], json!(2_592_000));
    let claims = body["data"].as_str().unwrap().split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    assert_eq!(claims["client_id"], application.client_id);
    assert_eq!(claims["exp"], service.clock.now_s() + 2_592_000);
}

/// Every secured endpoint, on reads and on writes, whatever the token of an application may do there.
#[tokio::test]
async fn rule_29_a_disconnected_application_is_shut_out_everywhere() {
    let (service, [anime, other]) = Service::with_two_anime().await;
    let user = service.person("mitsuha").await;
    service.create_story(&user, &anime, 1).await;
    let application = service.web_application(&user).await;
    let token = service.application_token(&user, &application).await;
    let story = tests::people::story_body(&user, &anime, 0, 2);
    let new = json!({"user_id": user.id, "anime_id": other.id, "status": 1});
    let update = json!({"id": user.id, "gender": 1});
    let one = format!("/v1/user_story/{}", user.story(&anime));
    let calls = async |token: &str| {
        let mut statuses = Vec::new();
        for (method, path, body) in [
            (Method::GET, "/v1/auth/me", None),
            (Method::GET, "/v1/user?email=mitsuha@example.com", None),
            (Method::POST, "/v1/user", Some(&update)),
            (Method::GET, "/v1/user_story", None),
            (Method::GET, one.as_str(), None),
            (Method::POST, "/v1/user_story", Some(&story)),
            (Method::PUT, "/v1/user_story", Some(&new)),
            (Method::DELETE, one.as_str(), None),
        ] {
            let answer = match body {
                Some(body) => service.json(method, path, Some(token), body).await,
                None => service.with_token(method, path, token).await,
            };
            statuses.push(answer.status.as_u16());
        }
        statuses
    };
    let before = service.application_token(&user, &application).await;
    assert_eq!(calls(&token).await, [200; 8]);
    service.create_story(&user, &anime, 1).await;
    let access = service.access(&user, Action::Connect).await;
    let applications = service.environment.applications();
    let connected = applications.connected(user.id).await.unwrap();
    assert_eq!(connected.len(), 1);
    assert_eq!(connected[0].name, "Radio Itomori");
    applications
        .disconnect(&access, &application.client_id)
        .await
        .unwrap();
    assert!(applications.connected(user.id).await.unwrap().is_empty());
    for token in [&token, &before] {
        assert_eq!(calls(token).await, [401; 8]);
    }
    // A token of the next connection is good, one of the last is not taken again.
    let next = service.application_token(&user, &application).await;
    assert_eq!(me(&service, &next).await, 200);
    assert_eq!(me(&service, &token).await, 401);
    assert_eq!(me(&service, &user.token).await, 200);
}

#[tokio::test]
async fn rule_29_what_happens_between_consent_and_exchange() {
    let (service, user, application) = stage().await;
    let access = service.access(&user, Action::Connect).await;
    let applications = service.environment.applications();
    let one = code(&service, &user, &application).await;
    applications
        .disconnect(&access, &application.client_id)
        .await
        .unwrap();
    let answer = service.form(TOKEN, &application.exchange(&one)).await;
    assert_eq!(
        error(&answer),
        refused(400, "invalid_grant"),
        "disconnected"
    );

    let one = code(&service, &user, &application).await;
    let everywhere = service.access(&user, Action::SignOutEverywhere).await;
    service
        .users()
        .sign_out_everywhere(&everywhere)
        .await
        .unwrap();
    let answer = service.form(TOKEN, &application.exchange(&one)).await;
    assert_eq!(
        error(&answer),
        refused(400, "invalid_grant"),
        "signed out everywhere"
    );
}

#[tokio::test]
async fn rule_29_a_deleted_client_has_no_tokens() {
    let service = Service::empty().await;
    let developer = service.person("developer").await;
    let user = service.person("mitsuha").await;
    let application = service.web_application(&developer).await;
    let other = service.web_application(&developer).await;
    let token = service.application_token(&user, &application).await;
    let others = service.application_token(&user, &other).await;
    let waiting = code(&service, &user, &application).await;
    let access = service.access(&developer, Action::ManageClients).await;
    let applications = service.environment.applications();
    applications
        .delete(&access, &application.client_id)
        .await
        .unwrap();
    assert_eq!(me(&service, &token).await, 401);
    assert_eq!(me(&service, &others).await, 200);
    let answer = service.form(TOKEN, &application.exchange(&waiting)).await;
    assert_eq!(error(&answer), refused(401, "invalid_client"));
    let connected = applications.connected(user.id).await.unwrap();
    assert_eq!(connected.len(), 1);
    // The tombstone goes once the indexes have caught up.
    let deletion = service.environment.deletion();
    for (minutes, finished) in [(0, 0), (2, 1), (0, 0)] {
        service.clock.advance(Duration::from_mins(minutes));
        let report = account_sweep::sweep(&deletion, &service.clock, u64::MAX)
            .await
            .unwrap();
        assert_eq!((report.finished, report.unfinished), (finished, 0));
    }
    // So do the clients of a developer who leaves, however much else they leave.
    let stories = (1..=600).filter_map(AnimeId::new);
    tests::crowd::stories(&service, &developer, stories).await;
    let path = format!("/v1/user/{}", developer.id.get());
    service
        .with_token(Method::DELETE, &path, &developer.token)
        .await;
    assert_eq!(me(&service, &others).await, 401, "before any sweep");
    let mut browser = Browser::of(&service, &user).await;
    assert_eq!(browser.get(&other.request(&[])).await.status, 400);
}

/// The tokens of all clients of a developer end within the request that deletes the account.
#[tokio::test]
async fn rule_29_the_clients_of_a_deleted_developer_have_no_tokens() {
    let service = Service::empty().await;
    let developer = service.person("developer").await;
    let users = [
        service.person("mitsuha").await,
        service.person("taki").await,
    ];
    let mut tokens = Vec::new();
    for _ in 0..25 {
        let application = service.web_application(&developer).await;
        for user in &users {
            tokens.push(service.application_token(user, &application).await);
        }
    }
    let path = format!("/v1/user/{}", developer.id.get());
    let deleted = service.with_token(Method::DELETE, &path, &developer.token);
    assert_eq!(deleted.await.status, 200);
    for token in &tokens {
        assert_eq!(me(&service, token).await, 401);
    }
    for user in &users {
        assert_eq!(me(&service, &user.token).await, 200);
    }
}

#[tokio::test]
async fn rule_21_a_code_dies_with_its_redirect_uri() {
    let (service, user, application) = stage().await;
    let waiting = code(&service, &user, &application).await;
    let used = code(&service, &user, &application).await;
    let exchange = async |code: &str| service.form(TOKEN, &application.exchange(code)).await;
    let token = token_of(&exchange(&used).await);
    let access = service.access(&user, Action::ManageClients).await;
    let applications = service.environment.applications();
    let change = async |uris: &str| {
        let details = client_details("Radio Itomori", uris, false);
        let changed = applications.update(&access, &application.client_id, &details);
        changed.await.unwrap();
    };
    change("https://elsewhere.example/callback").await;
    assert_eq!(
        error(&exchange(&waiting).await),
        refused(400, "invalid_grant")
    );
    assert_eq!(me(&service, &token).await, 200);
    // A second use of a code still ends what it gave.
    assert_eq!(error(&exchange(&used).await), refused(400, "invalid_grant"));
    assert_eq!(me(&service, &token).await, 401);
    // The refusal has not consumed the code.
    change(&application.redirect_uri).await;
    let answer = exchange(&waiting).await;
    assert_eq!(
        error(&answer),
        refused(400, "invalid_grant"),
        "the grant ended with its token"
    );
}

#[tokio::test]
async fn rule_30_revocation() {
    let (service, user, application) = stage().await;
    let other = service.web_application(&user).await;
    let tokens = [
        service.application_token(&user, &application).await,
        service.application_token(&user, &application).await,
    ];
    let credentials = |application: &Application| {
        let id = application.client_id.clone();
        (id, application.secret.clone().unwrap())
    };
    let revoke = async |application: &Application, token: &str| {
        let (id, secret) = credentials(application);
        let form = [
            ("client_id", id.as_str()),
            ("client_secret", &secret),
            ("token", token),
            ("token_type_hint", "access_token"),
        ];
        service.form(REVOKE, &form).await
    };
    // Of others nothing: neither another client's nor the user's own.
    for token in [&tokens[0], &user.token] {
        let answer = revoke(&other, token).await;
        assert_eq!(error(&answer), refused(400, "invalid_grant"));
        assert_eq!(me(&service, token).await, 200);
    }
    let without_secret = [
        ("client_id", application.client_id.as_str()),
        ("token", &tokens[0]),
    ];
    assert_eq!(
        error(&service.form(REVOKE, &without_secret).await),
        refused(401, "invalid_client")
    );
    let (id, secret) = credentials(&application);
    let no_token = [("client_id", id.as_str()), ("client_secret", &secret)];
    assert_eq!(
        error(&service.form(REVOKE, &no_token).await),
        refused(400, "invalid_request")
    );
    for token in [&tokens[0], &tokens[0], "unknown"] {
        let answer = revoke(&application, token).await;
        assert_eq!(answer.status, 200);
        is_for_nobody_else(&answer.headers);
        assert_eq!(answer.envelope()["message"], "Token revoked");
    }
    assert_eq!(me(&service, &tokens[0]).await, 401);
    assert_eq!(me(&service, &tokens[1]).await, 200, "that one alone");
    // A row does not grow without end: beyond so many all of the grant's tokens go.
    for _ in 0..32 {
        let token = service.application_token(&user, &application).await;
        assert_eq!(me(&service, &token).await, 200);
        assert_eq!(revoke(&application, &token).await.status, 200);
        assert_eq!(me(&service, &token).await, 401);
    }
    assert_eq!(me(&service, &tokens[1]).await, 401);
    assert_eq!(me(&service, &tokens[0]).await, 401);
    let new = service.application_token(&user, &application).await;
    assert_eq!(me(&service, &new).await, 200);
}

/// Those that have expired make room.
#[tokio::test]
async fn rule_30_revoked_tokens_are_forgotten_once_they_have_expired() {
    let (service, user, application) = stage().await;
    let revoke = async |token: &str| {
        let mut form = application.exchange("");
        form.push(("token", token));
        assert_eq!(service.form(REVOKE, &form).await.status, 200);
    };
    for _ in 0..32 {
        let token = service.application_token(&user, &application).await;
        revoke(&token).await;
    }
    service.clock.advance(Duration::from_hours(24 * 31));
    let kept = service.application_token(&user, &application).await;
    let token = service.application_token(&user, &application).await;
    revoke(&token).await;
    assert_eq!(me(&service, &token).await, 401);
    assert_eq!(me(&service, &kept).await, 200);
}

#[tokio::test]
async fn rule_30_a_store_that_fails_is_told() {
    let (service, user, application) = stage().await;
    let token = service.application_token(&user, &application).await;
    let one = code(&service, &user, &application).await;
    let proxy = Proxy::start(engine::endpoint()).await;
    let mut environment = service.environment.clone();
    environment.client = engine::hasty_client(&proxy.endpoint);
    let service = service.made_of(environment);
    proxy.set(Mode::Closed);
    let id = application.client_id.as_str();
    let secret = application.secret.as_deref().unwrap();
    let form = [
        ("client_id", id),
        ("client_secret", secret),
        ("token", token.as_str()),
    ];
    for answer in [
        service.form(REVOKE, &form).await,
        service.form(TOKEN, &application.exchange(&one)).await,
    ] {
        assert_eq!(error(&answer), refused(503, "temporarily_unavailable"));
        assert_eq!(answer.header("retry-after"), "1");
    }
    proxy.set(Mode::Up);
    token_of(&service.form(TOKEN, &application.exchange(&one)).await);
}

/// An answer that is lost after the write: the SDK asks again, and finds its own token in the row.
#[tokio::test]
async fn an_exchange_whose_answer_is_lost_still_gives_its_token() {
    let (service, user, application) = stage().await;
    let one = code(&service, &user, &application).await;
    let proxy = Proxy::start(engine::endpoint()).await;
    let mut environment = service.environment.clone();
    environment.client = engine::hasty_client(&proxy.endpoint);
    let service = service.made_of(environment);
    // Behind the reads of client, code, user and grant.
    proxy.once_after(4, Mode::Lost);
    let answer = service.form(TOKEN, &application.exchange(&one)).await;
    let token = token_of(&answer);
    assert_eq!(me(&service, &token).await, 200);
}

#[tokio::test]
async fn rule_30_the_metadata_is_true() {
    let (service, ..) = stage().await;
    let answer = service.get("/.well-known/oauth-authorization-server").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    let metadata = answer.json();
    for (name, path) in [
        ("authorization_endpoint", "/v1/oauth"),
        ("token_endpoint", TOKEN),
        ("revocation_endpoint", REVOKE),
        ("service_documentation", "/reference"),
    ] {
        assert_eq!(metadata[name], format!("{PUBLIC_URL}{path}"));
        let options = service.get(path).await.status;
        assert!(options != 404, "{path} is there");
    }
    for (name, values) in [
        ("response_types_supported", json!(["code", "token"])),
        ("response_modes_supported", json!(["query", "fragment"])),
        (
            "grant_types_supported",
            json!(["authorization_code", "implicit"]),
        ),
        ("code_challenge_methods_supported", json!(["S256"])),
        (
            "token_endpoint_auth_methods_supported",
            json!(["client_secret_basic", "client_secret_post", "none"]),
        ),
        (
            "revocation_endpoint_auth_methods_supported",
            json!(["client_secret_basic", "client_secret_post", "none"]),
        ),
        (
            "authorization_response_iss_parameter_supported",
            json!(true),
        ),
    ] {
        assert_eq!(metadata[name], values, "{name}");
    }
    assert!(
        metadata.get("registration_endpoint").is_none()
            && metadata.get("scopes_supported").is_none()
    );
}
