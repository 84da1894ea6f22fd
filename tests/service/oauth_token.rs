//! Authorization codes, the token endpoint, revocation and metadata (docs/oauth.md, rules 17 to 26 and
//! 30), and the end of a grant's tokens (rule 29).

use std::time::Duration;

use accounts::applications::ClientKind::{Confidential, Public};
use axum::http::{HeaderMap, Method};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use serde_json::json;
use shared::auth::Action;
use shared::models::AnimeId;
use tests::assertions::{AssertFields, AssertText};
use tests::browser::{Application, PageClient, claims, client_details, query};
use tests::engine;
use tests::log::Log;
use tests::people::Person;
use tests::proxy::{Mode, Proxy};
use tests::service::{Answer, PUBLIC_URL, Service};

const TOKEN: &str = "/v1/oauth/token";
const REVOKE: &str = "/v1/oauth/revoke";

/// A PKCE verifier and its challenge (RFC 7636, appendix B).
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const PKCE: [(&str, &str); 2] = [
    ("code_challenge", CHALLENGE),
    ("code_challenge_method", "S256"),
];

async fn issue_code(service: &Service, user: &Person, application: &Application) -> String {
    let mut browser = PageClient::signed_in(service, user).await;
    browser.allow(application, &[]).await.code().to_owned()
}

fn token_of(answer: &Answer) -> String {
    answer.assert_status(200);
    answer.json()["access_token"].as_str().unwrap().to_owned()
}

/// Returns the status and the error code, with a space between them.
fn error_of(answer: &Answer) -> String {
    let body = answer.json();
    let error = body["error"].as_str().unwrap_or_default();
    format!("{} {error}", answer.status.as_u16())
}

/// Returns the status and the error code of the response to a form.
async fn error_at(service: &Service, path: &str, form: &[(&str, &str)]) -> String {
    error_of(&service.form(path, form).await)
}

/// Returns a form without the fields of these names.
fn without<'f>(form: &[(&'f str, &'f str)], names: &[&str]) -> Vec<(&'f str, &'f str)> {
    let left = form.iter().filter(|(name, _)| !names.contains(name));
    left.copied().collect()
}

/// Returns a form with another value of a field.
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
async fn rule_17_codes_are_random_hashed_and_expire_after_three_minutes() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.push(issue_code(&service, &user, &application).await);
    }
    for one in &codes {
        // 43 characters from an alphabet of 62 have 256 bits.
        assert_eq!(one.len(), 43);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(codes.iter().filter(|other| *other == one).count(), 1);
    }
    let rows = service.rows("AuthCode").await;
    assert_eq!(rows.len(), 3);
    for row in &rows {
        let expires_at: u64 = row["expires_at"].as_n().unwrap().parse().unwrap();
        // DynamoDB's time to live is in seconds.
        assert_eq!(expires_at, service.clock.now_s() + 180);
        let text = format!("{row:?}");
        assert!(codes.iter().all(|code| !text.contains(code)));
    }
    service.clock.advance(Duration::from_millis(179_999));
    let form = application.exchange(&codes[0]);
    assert_eq!(service.form(TOKEN, &form).await.status, 200);
    service.clock.advance(Duration::from_millis(1));
    let form = application.exchange(&codes[1]);
    // The code has expired although its row still exists.
    assert_eq!(error_at(&service, TOKEN, &form).await, "400 invalid_grant");
}

/// One code is exchanged 100 times at once. One exchange succeeds, and the others revoke its token.
#[tokio::test]
async fn rule_18_only_one_of_100_concurrent_exchanges_succeeds() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let code = issue_code(&service, &user, &application).await;
    let form = application.exchange(&code);
    let answers = join_all((0..100).map(|_| service.form(TOKEN, &form))).await;
    let (good, bad): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert_eq!((good.len(), bad.len()), (1, 99));
    for answer in bad {
        assert_eq!(error_of(answer), "400 invalid_grant");
    }
    // The token was revoked according to rule 19.
    assert_eq!(service.me_status(&token_of(good[0])).await, 401);
}

#[tokio::test]
async fn rule_19_second_use_of_a_code_revokes_its_token() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let other = service.web_application(&user).await;
    let others = service.application_token(&user, &other).await;
    let code = issue_code(&service, &user, &application).await;
    let form = application.exchange(&code);
    let token = token_of(&service.form(TOKEN, &form).await);
    assert_eq!(service.me_status(&token).await, 200);
    // The same happens after the code has expired.
    service.clock.advance(Duration::from_hours(24));
    assert_eq!(error_at(&service, TOKEN, &form).await, "400 invalid_grant");
    let answer = service.get_as(&token, "/v1/auth/me").await;
    assert_eq!(answer.status, 401);
    let challenge = answer.header("www-authenticate");
    assert_eq!(challenge, "Bearer error=\"invalid_token\"");
    // The token of another application and the first-party token of the user stay valid.
    assert_eq!(service.me_status(&others).await, 200);
    assert_eq!(service.me_status(&user.token).await, 200);
    let new = service.application_token(&user, &application).await;
    // The next authorization issues a valid token.
    assert_eq!(service.me_status(&new).await, 200);
}

#[tokio::test]
async fn rule_20_invalid_exchanges_neither_use_a_code_nor_revoke_its_token() {
    let (service, user) = Service::with_person("mitsuha").await;
    let confidential = service.web_application(&user).await;
    let uri = "https://app.example/callback";
    let public = service.application(&user, Public, uri, false).await;
    let stranger = service.web_application(&user).await;
    for (application, pkce) in [(&confidential, false), (&public, true)] {
        let mut browser = PageClient::signed_in(&service, &user).await;
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
        assert_eq!(service.me_status(&token).await, 200);
    }
}

#[tokio::test]
async fn rule_21_redirect_uri_must_match_the_authorization_request() {
    let (service, user) = Service::with_person("mitsuha").await;
    let uris = "http://127.0.0.1/cb\nhttps://app.example/cb";
    let application = service.application(&user, Confidential, uris, false).await;
    let application = Application {
        redirect_uri: "http://127.0.0.1:49152/cb".to_owned(),
        ..application
    };
    let code = issue_code(&service, &user, &application).await;
    let form = application.exchange(&code);
    for other in [
        "https://app.example/cb",
        "http://127.0.0.1/cb",
        "http://127.0.0.1:49153/cb",
        "http://127.0.0.1:49152/cb/",
    ] {
        let error = error_at(&service, TOKEN, &changed(&form, "redirect_uri", other)).await;
        assert_eq!(error, "400 invalid_grant", "{other}");
    }
    let error = error_at(&service, TOKEN, &without(&form, &["redirect_uri"])).await;
    assert_eq!(error, "400 invalid_request");
    token_of(&service.form(TOKEN, &form).await);
}

#[tokio::test]
async fn rule_22_pkce_is_required_and_verified() {
    let (service, user) = Service::with_person("mitsuha").await;
    let confidential = service.web_application(&user).await;
    let uri = "https://app.example/callback";
    let public = service.application(&user, Public, uri, false).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    // The authorization endpoint requires a valid challenge from a public client.
    let (short, method) = (&CHALLENGE[..42], "code_challenge_method");
    for (application, more) in [
        (&public, &[][..]),
        (&public, &[("code_challenge", CHALLENGE)]),
        (&confidential, &[("code_challenge", CHALLENGE)]),
        (&confidential, &changed(&PKCE, method, "plain")),
        (&confidential, &changed(&PKCE, method, "s256")),
        (&confidential, &changed(&PKCE, "code_challenge", short)),
        (&confidential, &[(method, "S256")]),
    ] {
        let answer = browser.get(&application.request(more)).await;
        let returned = tests::browser::Returned::from_redirect(&answer);
        assert_eq!(returned.get("error"), Some("invalid_request"), "{more:?}");
    }
    // At the token endpoint, a challenge requires its verifier, and a verifier requires a challenge.
    for application in [&public, &confidential] {
        let code = browser.allow(application, &PKCE).await.code().to_owned();
        let form = application.exchange(&code);
        let exchange = async |verifier: &str| {
            let form = changed(&form, "code_verifier", verifier);
            error_at(&service, TOKEN, &form).await
        };
        let none = error_at(&service, TOKEN, &form).await;
        assert_eq!(none, "400 invalid_grant");
        // The method plain is not supported.
        assert_eq!(exchange(CHALLENGE).await, "400 invalid_grant");
        assert_eq!(exchange(&VERIFIER[..42]).await, "400 invalid_request");
        assert_eq!(exchange(&"x".repeat(129)).await, "400 invalid_request");
        assert_eq!(exchange(&"é".repeat(43)).await, "400 invalid_request");
        assert_eq!(exchange(&"x".repeat(128)).await, "400 invalid_grant");
        assert_eq!(exchange(VERIFIER).await, "200 ");
    }
    let code = browser.allow(&confidential, &[]).await.code().to_owned();
    let form = confidential.exchange(&code);
    let with = changed(&form, "code_verifier", VERIFIER);
    assert_eq!(error_at(&service, TOKEN, &with).await, "400 invalid_grant");
    token_of(&service.form(TOKEN, &form).await);
}

/// Exchanges a code with credentials in the query string, the form and the header.
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

fn basic_header(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

#[tokio::test]
async fn rule_23_credentials_come_in_exactly_one_place() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let id = application.client_id.as_str();
    let secret = application.secret.as_deref().unwrap();
    let header = basic_header(id, secret);
    let encoded = basic_header(&id.replace('a', "%61"), &secret.replace('b', "%62"));
    let next = async || issue_code(&service, &user, &application).await;
    // All parameters can be in the query string, with or without a body (docs/api.md, "Endpoints").
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
        (&[("client_id", "another")], &rest, Some(header.as_str())),
        (
            &[credentials[0], credentials[0], credentials[1]],
            &rest,
            None,
        ),
        (&[("code", one.as_str())], &all, None),
    ] {
        let answer = exchange_by(&service, query_pairs, form, header).await;
        let error = error_of(&answer);
        assert_eq!(error, "400 invalid_request", "{query_pairs:?} {form:?}");
    }
    token_of(&exchange_by(&service, &[], &all, None).await);
}

#[tokio::test]
async fn rule_23_credentials_are_not_logged() {
    let log = Log::begin();
    let (service, user, application) = Service::with_application("mitsuha").await;
    let one = issue_code(&service, &user, &application).await;
    let form = application.exchange(&one);
    let path = format!("{TOKEN}?{}", query(&form));
    let token = token_of(&service.send(Method::POST, &path, &[]).await);
    service.send(Method::POST, &path, &[]).await;
    let text = log.text();
    text.assert_has("\"route\":\"/v1/oauth/token\"");
    let secret = application.secret.as_deref().unwrap();
    for private in [one.as_str(), secret, &token, "code=", "mitsuha@"] {
        assert!(!text.contains(private), "{private}");
    }
}

#[tokio::test]
async fn rule_24_secrets_are_random_hashed_and_rotated() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let secret = application.secret.clone().unwrap();
    assert_eq!(secret.len(), 43, "256 bits");
    assert!(secret.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let row = format!("{:?}", service.rows("OAuthClient").await);
    assert!(row.contains("secret_hash") && !row.contains(&secret));

    let access = service.access(&user, Action::ManageClients).await;
    let applications = service.environment.applications();
    let new = applications.rotate_secret(&access, &application.client_id);
    let new = new.await.unwrap();
    let one = issue_code(&service, &user, &application).await;
    let form = application.exchange(&one);
    assert_eq!(error_at(&service, TOKEN, &form).await, "401 invalid_client");
    let form = changed(&form, "client_secret", &new);
    token_of(&service.form(TOKEN, &form).await);
}

#[tokio::test]
async fn rule_25_confidential_client_needs_its_secret() {
    let (service, user) = Service::with_person("mitsuha").await;
    let confidential = service.web_application(&user).await;
    let uri = "https://app.example/callback";
    let public = service.application(&user, Public, uri, false).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
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
        let error = error_at(&service, TOKEN, &form).await;
        assert_eq!(error, "401 invalid_client", "{form:?}");
    }
    token_of(&service.form(TOKEN, &form).await);
    // A public client has no secret, so any secret is wrong.
    let code = browser.allow(&public, &PKCE).await.code().to_owned();
    let mut form = public.exchange(&code);
    form.push(("code_verifier", VERIFIER));
    let invented = changed(&form, "client_secret", "invented");
    let error = error_at(&service, TOKEN, &invented).await;
    assert_eq!(error, "401 invalid_client");
    let empty = changed(&form, "client_secret", "");
    token_of(&service.form(TOKEN, &empty).await);
}

/// Checks the headers that keep caches from storing the response.
fn assert_not_cacheable(headers: &HeaderMap) {
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["pragma"], "no-cache");
    assert_eq!(headers["content-type"], "application/json");
}

#[tokio::test]
async fn rule_26_error_responses() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let one = issue_code(&service, &user, &application).await;
    let form = application.exchange(&one);
    let refused = |answer: Answer, expected: &str, challenge: &str| {
        assert_eq!(error_of(&answer), expected);
        assert_eq!(answer.header("www-authenticate"), challenge);
        assert_not_cacheable(&answer.headers);
        let body = answer.json();
        assert_eq!(body["status"], answer.status.as_u16());
        assert_eq!(body["status_code"], answer.status.as_u16());
        assert_eq!(body["version"], "1");
        assert!(body["message"].is_string() && body["data"].is_string());
        assert!(body["error_description"].is_string());
        let mut values = body.as_object().unwrap().values();
        assert!(values.all(|value| !value.is_null()));
    };
    let wrong = basic_header(&application.client_id, "wrong");
    let rest = without(&form, &["client_id", "client_secret"]);
    for header in [wrong.as_str(), "Basic %%%"] {
        let answer = exchange_by(&service, &[], &rest, Some(header)).await;
        refused(answer, "401 invalid_client", "Basic realm=\"Kiroku\"");
    }
    for (expected, path, form) in [
        ("401 invalid_client", TOKEN, rest.clone()),
        (
            "401 invalid_client",
            TOKEN,
            changed(&form, "client_secret", "wrong"),
        ),
        (
            "401 invalid_client",
            TOKEN,
            changed(&form, "client_id", "unknown"),
        ),
        (
            "401 invalid_client",
            REVOKE,
            changed(&form, "client_secret", "wrong"),
        ),
        (
            "400 unsupported_grant_type",
            TOKEN,
            changed(&form, "grant_type", "password"),
        ),
        (
            "400 invalid_grant",
            TOKEN,
            changed(&form, "code", "unknown"),
        ),
        ("400 invalid_request", TOKEN, without(&form, &["code"])),
    ] {
        refused(service.form(path, &form).await, expected, "");
    }
    let not_a_form = service.post(TOKEN, &json!({"code": one})).await;
    refused(not_a_form, "400 invalid_request", "");
}

#[tokio::test]
async fn rule_26_token_response() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let one = issue_code(&service, &user, &application).await;
    let answer = service.form(TOKEN, &application.exchange(&one)).await;
    assert_eq!(answer.status, 200);
    assert_not_cacheable(&answer.headers);
    let body = answer.json();
    let token = body["access_token"].as_str().unwrap();
    let message = body["message"].as_str().unwrap();
    let expected = json!({
        "status": 200, "version": "1", "message": message, "data": token, "access_token": token,
        "token_type": "Bearer", "expires_in": 2_592_000
    });
    assert_eq!(body, expected);
    let claims = claims(token);
    assert_eq!(claims["client_id"], application.client_id);
    assert_eq!(claims["exp"], service.clock.now_s() + 2_592_000);
}

/// Calls every secured endpoint that an application can use, for reads and writes.
#[tokio::test]
async fn rule_29_tokens_of_a_disconnected_application_are_invalid() {
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
    let applications = service.environment.applications();
    let connected = applications.list_connected(user.id).await.unwrap();
    assert_eq!(connected.len(), 1);
    assert_eq!(connected[0].name, "Radio Itomori");
    service.disconnect(&user, &application).await;
    let connected = applications.list_connected(user.id).await.unwrap();
    assert!(connected.is_empty());
    for token in [&token, &before] {
        assert_eq!(calls(token).await, [401; 8]);
    }
    // A token of the next connection is valid, one of the previous connection is not.
    let next = service.application_token(&user, &application).await;
    assert_eq!(service.me_status(&next).await, 200);
    assert_eq!(service.me_status(&token).await, 401);
    assert_eq!(service.me_status(&user.token).await, 200);
}

#[tokio::test]
async fn rule_29_code_is_invalid_after_disconnecting_or_signing_out() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let one = issue_code(&service, &user, &application).await;
    service.disconnect(&user, &application).await;
    let error = error_at(&service, TOKEN, &application.exchange(&one)).await;
    assert_eq!(error, "400 invalid_grant");

    let one = issue_code(&service, &user, &application).await;
    let everywhere = service.access(&user, Action::SignOutEverywhere).await;
    let users = service.users();
    users.sign_out_everywhere(&everywhere).await.unwrap();
    let error = error_at(&service, TOKEN, &application.exchange(&one)).await;
    assert_eq!(error, "400 invalid_grant");
}

#[tokio::test]
async fn rule_29_tokens_of_a_deleted_client_are_invalid() {
    let (service, developer) = Service::with_person("developer").await;
    let user = service.person("mitsuha").await;
    let application = service.web_application(&developer).await;
    let other = service.web_application(&developer).await;
    let token = service.application_token(&user, &application).await;
    let others = service.application_token(&user, &other).await;
    let waiting = issue_code(&service, &user, &application).await;
    let access = service.access(&developer, Action::ManageClients).await;
    let applications = service.environment.applications();
    let deleted = applications.delete(&access, &application.client_id);
    deleted.await.unwrap();
    assert_eq!(service.me_status(&token).await, 401);
    assert_eq!(service.me_status(&others).await, 200);
    let error = error_at(&service, TOKEN, &application.exchange(&waiting)).await;
    assert_eq!(error, "401 invalid_client");
    let connected = applications.list_connected(user.id).await.unwrap();
    assert_eq!(connected.len(), 1);
    // The sweep removes the tombstone once the indexes have caught up.
    for (minutes, finished) in [(0, 0), (2, 1), (0, 0)] {
        service.clock.advance(Duration::from_mins(minutes));
        let report = service.sweep().await;
        assert_eq!((report.finished, report.unfinished), (finished, 0));
    }
    // The deletion of a developer also deletes their clients, however many other rows they have.
    let stories = (1..=600).filter_map(AnimeId::new);
    tests::crowd::stories(&service, &developer, stories).await;
    let path = format!("/v1/user/{}", developer.id.get());
    service.delete_as(&developer.token, &path).await;
    // The token is revoked before the sweep runs.
    assert_eq!(service.me_status(&others).await, 401);
    let mut browser = PageClient::signed_in(&service, &user).await;
    assert_eq!(browser.get(&other.request(&[])).await.status, 400);
}

/// The request that deletes a developer also revokes the tokens of all their clients.
#[tokio::test]
async fn rule_29_tokens_of_a_deleted_developers_clients_are_invalid() {
    let (service, developer) = Service::with_person("developer").await;
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
    let deleted = service.delete_as(&developer.token, &path);
    assert_eq!(deleted.await.status, 200);
    for token in &tokens {
        assert_eq!(service.me_status(token).await, 401);
    }
    for user in &users {
        assert_eq!(service.me_status(&user.token).await, 200);
    }
}

#[tokio::test]
async fn rule_21_code_is_invalid_after_its_redirect_uri_was_removed() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let waiting = issue_code(&service, &user, &application).await;
    let used = issue_code(&service, &user, &application).await;
    let exchange = async |code: &str| service.form(TOKEN, &application.exchange(code)).await;
    let token = token_of(&exchange(&used).await);
    let access = service.access(&user, Action::ManageClients).await;
    let applications = service.environment.applications();
    let change = async |uris: &str| {
        let details = client_details("Radio Itomori", uris, false);
        let changed = applications
            .clients
            .update(&access, &application.client_id, &details);
        changed.await.unwrap();
    };
    change("https://elsewhere.example/callback").await;
    assert_eq!(error_of(&exchange(&waiting).await), "400 invalid_grant");
    assert_eq!(service.me_status(&token).await, 200);
    // A second use of the code still revokes its token.
    assert_eq!(error_of(&exchange(&used).await), "400 invalid_grant");
    assert_eq!(service.me_status(&token).await, 401);
    // The redirect URI is registered again, but the second use above has revoked the grant.
    change(&application.redirect_uri).await;
    let answer = exchange(&waiting).await;
    assert_eq!(
        error_of(&answer),
        "400 invalid_grant",
        "the grant was revoked with its token"
    );
}

#[tokio::test]
async fn rule_30_client_can_revoke_its_own_tokens_only() {
    let (service, user, application) = Service::with_application("mitsuha").await;
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
    // Tokens of another client and the user's own tokens cannot be revoked.
    for token in [&tokens[0], &user.token] {
        let answer = revoke(&other, token).await;
        assert_eq!(error_of(&answer), "400 invalid_grant");
        assert_eq!(service.me_status(token).await, 200);
    }
    let without_secret = [
        ("client_id", application.client_id.as_str()),
        ("token", &tokens[0]),
    ];
    let error = error_at(&service, REVOKE, &without_secret).await;
    assert_eq!(error, "401 invalid_client");
    let (id, secret) = credentials(&application);
    let no_token = [("client_id", id.as_str()), ("client_secret", &secret)];
    let error = error_at(&service, REVOKE, &no_token).await;
    assert_eq!(error, "400 invalid_request");
    for token in [&tokens[0], &tokens[0], "unknown"] {
        let answer = revoke(&application, token).await;
        assert_eq!(answer.status, 200);
        assert_not_cacheable(&answer.headers);
        assert_eq!(answer.envelope()["message"], "Token revoked");
    }
    assert_eq!(service.me_status(&tokens[0]).await, 401);
    // Only one token was revoked.
    assert_eq!(service.me_status(&tokens[1]).await, 200);
    // The row keeps a limited number of revoked tokens. Beyond it, all tokens of the grant are revoked.
    for _ in 0..32 {
        let token = service.application_token(&user, &application).await;
        assert_eq!(service.me_status(&token).await, 200);
        assert_eq!(revoke(&application, &token).await.status, 200);
        assert_eq!(service.me_status(&token).await, 401);
    }
    assert_eq!(service.me_status(&tokens[1]).await, 401);
    assert_eq!(service.me_status(&tokens[0]).await, 401);
    let new = service.application_token(&user, &application).await;
    assert_eq!(service.me_status(&new).await, 200);
}

#[tokio::test]
async fn rule_30_expired_tokens_do_not_count_towards_the_limit_of_revoked_tokens() {
    let (service, user, application) = Service::with_application("mitsuha").await;
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
    assert_eq!(service.me_status(&token).await, 401);
    assert_eq!(service.me_status(&kept).await, 200);
}

#[tokio::test]
async fn rule_30_outage_returns_503() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let token = service.application_token(&user, &application).await;
    let one = issue_code(&service, &user, &application).await;
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = service.with_functions_client(engine::short_timeout_client(&proxy.endpoint));
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
        assert_eq!(error_of(&answer), "503 temporarily_unavailable");
        assert_eq!(answer.header("retry-after"), "1");
    }
    proxy.set(Mode::Up);
    token_of(&service.form(TOKEN, &application.exchange(&one)).await);
}

/// If the response to the write is lost, the SDK repeats the write and finds its own token in the row.
#[tokio::test]
async fn exchange_succeeds_if_the_response_to_its_write_is_lost() {
    let (service, user, application) = Service::with_application("mitsuha").await;
    let one = issue_code(&service, &user, &application).await;
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = service.with_functions_client(engine::short_timeout_client(&proxy.endpoint));
    // The fault follows the reads of the client, the code, the user and the grant.
    proxy.once_after(4, Mode::Lost);
    let answer = service.form(TOKEN, &application.exchange(&one)).await;
    let token = token_of(&answer);
    assert_eq!(service.me_status(&token).await, 200);
}

#[tokio::test]
async fn rule_30_metadata_matches_the_endpoints() {
    let (service, ..) = Service::with_application("mitsuha").await;
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
        assert!(options != 404, "{path} must exist");
    }
    let methods = ["client_secret_basic", "client_secret_post", "none"];
    metadata.assert_fields(json!({
        "scopes_supported": ["playback", "read", "write"],
        "response_types_supported": ["code", "token"],
        "response_modes_supported": ["query", "fragment"],
        "grant_types_supported": ["authorization_code", "implicit"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "authorization_response_iss_parameter_supported": true,
    }));
    assert!(metadata.get("registration_endpoint").is_none());
}
