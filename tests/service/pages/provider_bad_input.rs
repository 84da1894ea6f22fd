//! Wrong responses of an identity provider, and attempts to misuse a sign-in with it. An error page refuses each, and
//! nothing is written.

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::provider::{Failing, FakeProvider, SUBJECT, Signing, settings};
use tests::service::Service;

use super::account;
use super::provider::{CONNECT, back_from_provider, create_account, sign_in};

/// The status of the page for a response that is refused.
const REFUSED: StatusCode = StatusCode::BAD_GATEWAY;

async fn service() -> (Service, FakeProvider) {
    Service::with_provider(|_| {}).await
}

async fn assert_no_user(service: &Service) {
    let found = service.users().list(None, None, 1).await.unwrap();
    assert!(found.users.is_empty());
}

#[tokio::test]
async fn wrong_claims_are_refused() {
    let (service, fake) = service().await;
    let now = service.clock.now_s();
    for claims in [
        json!({"iss": "https://evil.example"}),
        json!({"iss": format!("{}/", fake.issuer)}),
        json!({"iss": null}),
        json!({"aud": "another-client"}),
        json!({"aud": []}),
        json!({"aud": null}),
        json!({"aud": ["kiroku", "another-client"]}),
        json!({"azp": "another-client"}),
        json!({"nonce": "another"}),
        json!({"nonce": null}),
        json!({"exp": now - 60}),
        json!({"exp": null}),
        json!({"exp": "soon"}),
        json!({"iat": now + 61}),
        json!({"iat": now - 661}),
        json!({"iat": null}),
        json!({"nbf": now + 61}),
        json!({"nbf": "soon"}),
        json!({"sub": null}),
        json!({"sub": ""}),
        json!({"sub": "s".repeat(256)}),
        json!({"sub": "s".repeat(10 * 1024)}),
        json!({"sub": "瀧"}),
        json!({"sub": "a\nb"}),
        json!({"sub": 7}),
        json!({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}),
        json!({"at_hash": 7}),
    ] {
        fake.set_claims(claims.clone());
        let answer = sign_in(&service, &fake).await;
        assert_eq!(answer.status, REFUSED, "{claims}");
        answer.assert_has("cannot accept");
    }
    assert_no_user(&service).await;
    // The times are within the clock skew, and the other claims are unusual but valid.
    for claims in [
        json!({"exp": now - 59}),
        json!({"iat": now + 60}),
        json!({"nbf": now + 60}),
        json!({"aud": ["kiroku"], "azp": "kiroku"}),
        json!({"sub": "s".repeat(255)}),
    ] {
        fake.set_claims(claims.clone());
        let answer = sign_in(&service, &fake).await;
        assert_eq!(answer.status, StatusCode::OK, "{claims}");
    }
}

#[tokio::test]
async fn wrong_signatures_are_refused() {
    let (service, fake) = service().await;
    for signing in [
        Signing::None,
        Signing::PublicKeyAsSecret,
        Signing::ClientSecret,
        Signing::OtherKey,
        Signing::UnknownKey,
    ] {
        fake.state().signing = signing;
        let answer = sign_in(&service, &fake).await;
        assert_eq!(answer.status, REFUSED, "{signing:?}");
    }
    // The metadata do not announce the algorithm.
    fake.state().signing = Signing::Normal;
    let algorithms = json!({"id_token_signing_alg_values_supported": ["RS256"]});
    fake.state().metadata = object(algorithms);
    service.clock.advance(Duration::from_mins(61));
    assert_eq!(sign_in(&service, &fake).await.status, REFUSED);
    assert_no_user(&service).await;
}

#[tokio::test]
async fn made_up_keys_cause_no_endless_requests() {
    let (service, fake) = service().await;
    fake.state().signing = Signing::UnknownKey;
    service.clock.advance(Duration::from_mins(2));
    for _ in 0..5 {
        assert_eq!(sign_in(&service, &fake).await.status, REFUSED);
    }
    assert_eq!(fake.requests("/keys"), 1);
    service.clock.advance(Duration::from_secs(61));
    for _ in 0..5 {
        assert_eq!(sign_in(&service, &fake).await.status, REFUSED);
    }
    assert_eq!(fake.requests("/keys"), 2);
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else {
        panic!("{value} is no object");
    };
    map
}

#[tokio::test]
async fn state_belongs_to_one_browser_works_once_and_expires() {
    let (service, fake) = service().await;
    let mut browser = PageClient::new(&service);
    let redirect = browser.get("/sign-in/provider").await;
    let callback = fake.authorize(&redirect);
    // The redirect arrives in another browser, with and without a cookie.
    let mut other = PageClient::new(&service);
    assert_eq!(other.get(&callback).await.status, StatusCode::BAD_REQUEST);
    other.get("/sign-in").await;
    let page = other.get(&callback).await;
    assert_eq!(page.status, StatusCode::BAD_REQUEST);
    page.assert_has("began in another browser");
    for state in ["state=x&a=", "state=%00&a=", "x="] {
        let changed = callback.replace("state=", state);
        let answer = browser.get(&changed).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{state}");
    }
    assert_eq!(browser.get(&callback).await.status, StatusCode::OK);
    assert_eq!(browser.get(&callback).await.status, StatusCode::BAD_REQUEST);

    let redirect = browser.get("/sign-in/provider").await;
    let callback = fake.authorize(&redirect);
    service.clock.advance(Duration::from_mins(10));
    assert_eq!(browser.get(&callback).await.status, StatusCode::BAD_REQUEST);
    assert_no_user(&service).await;
}

#[tokio::test]
async fn state_of_a_visitor_is_of_no_use_to_a_signed_in_user_and_the_other_way_round() {
    let (service, fake) = service().await;
    let person = service.person("taki").await;
    let mut visitor = PageClient::new(&service);
    let redirect = visitor.get("/sign-in/provider").await;
    let mut user = PageClient::signed_in(&service, &person).await;
    let answer = user.get(&fake.authorize(&redirect)).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let redirect = user.get(CONNECT).await;
    let answer = visitor.get(&fake.authorize(&redirect)).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(account(&service, person.id).await.factors.identity, None);
}

#[tokio::test]
async fn form_of_a_new_account_belongs_to_one_browser_and_expires() {
    let (service, fake) = service().await;
    let (mut browser, page) = back_from_provider(&service, &fake).await;
    let (mut other, own) = back_from_provider(&service, &fake).await;
    let path = "/sign-in/provider/new";
    let state = tests::browser::hidden(&page, "state").unwrap();
    let stolen = [
        ("username", "taki"),
        ("email", "taki@example.com"),
        ("state", &*state),
    ];
    let refused = other.submit(&own, path, &stolen).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    // The form is sent without its token.
    let refused = browser.post(path, &stolen).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    for (name, email) in [("", ""), ("a b", "taki@example.com"), ("taki", "taki")] {
        let refused = create_account(&mut browser, &page, name, email).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{name} {email}");
    }
    service.clock.advance(Duration::from_mins(10));
    let refused = create_account(&mut browser, &page, "taki", "taki@example.com").await;
    refused.assert_status(400);
    assert_no_user(&service).await;
}

#[tokio::test]
async fn errors_and_responses_of_another_issuer_are_refused() {
    let (service, fake) = service().await;
    let mut browser = PageClient::new(&service);
    for (change, status) in [
        ("error=access_denied&x=", StatusCode::FORBIDDEN),
        ("error=login_required&x=", StatusCode::FORBIDDEN),
        (
            "error=temporarily_unavailable&x=",
            StatusCode::SERVICE_UNAVAILABLE,
        ),
        ("error=%3Cscript%3E&x=", REFUSED),
        ("iss=https://evil.example&x=", REFUSED),
        ("x=", REFUSED),
        ("code=made-up&x=", REFUSED),
    ] {
        let redirect = browser.get("/sign-in/provider").await;
        let mut callback = fake.authorize(&redirect);
        if change.starts_with("iss") {
            callback = format!("{callback}&{change}");
        } else {
            callback = callback.replace("code=", change);
        }
        let page = browser.get(&callback).await;
        assert_eq!(page.status, status, "{change}");
        page.assert_lacks("<script>");
    }
    assert_no_user(&service).await;
}

#[tokio::test]
async fn visitor_returns_only_to_pages_of_this_site() {
    let (service, fake) = service().await;
    for next in [
        "https://evil.example",
        "//evil.example",
        "/%5Cevil.example",
        "/sign-in/provider",
    ] {
        let mut browser = PageClient::new(&service);
        fake.set_claims(json!({"sub": next}));
        let start = format!("/sign-in/provider?next={next}");
        let page = browser.go_to_provider(&fake, &start).await;
        let name = format!("user-{}", next.len());
        let email = format!("{name}@example.com");
        let created = create_account(&mut browser, &page, &name, &email).await;
        created.assert_leads_to("/welcome");
    }
}

#[tokio::test]
async fn large_and_odd_claims_do_no_harm() {
    let (service, fake) = service().await;
    fake.set_claims(json!({"groups": vec!["g".repeat(1024); 1024]}));
    let answer = sign_in(&service, &fake).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    // This response is below the limit.
    fake.set_claims(json!({
        "groups": vec!["g".repeat(1024); 100],
        "preferred_username": "\u{0}\u{202e}<script>\r\n",
        "email": "\u{7}\r\nBcc: everybody@example.com",
        "email_verified": "true",
    }));
    let page = sign_in(&service, &fake).await;
    assert_eq!(page.status, StatusCode::OK);
    let page = page.text();
    page.assert_has("value=\"script\"");
    page.assert_lacks("Bcc");
    fake.set_claims(json!({"preferred_username": "n".repeat(50_000)}));
    let page = sign_in(&service, &fake).await.text();
    assert!(page.len() < 30_000, "{}", page.len());
}

#[tokio::test]
async fn provider_that_is_down_gets_a_page_and_passwords_still_work() {
    for failing in [Failing::Hangs, Failing::Redirects, Failing::Fails] {
        let (service, fake) = service().await;
        let deadline = Duration::from_millis(50);
        let service = service.using_provider(settings(&fake.issuer, |_| {}), deadline);
        fake.state().failing = Some(failing);
        let mut browser = PageClient::new(&service);
        for language in ["en", "fr", "it", "ja"] {
            browser.languages = language;
            let page = browser.get("/sign-in/provider?next=/calendar").await;
            assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE, "{failing:?}");
            page.assert_has("Example ID");
            page.assert_has("href=\"/sign-in?next=/calendar&amp;local=1\"");
        }
        let requests = fake.requests("/.well-known/openid-configuration");
        assert_eq!(requests, 1, "{failing:?}");
        let page = browser.get("/sign-in?local").await;
        page.assert_has("type=\"password\"");

        // The sign-in works again when the provider does.
        fake.state().failing = None;
        service.clock.advance(Duration::from_secs(15));
        let redirect = browser.get("/sign-in/provider").await;
        let callback = fake.authorize(&redirect);
        // The provider fails between the two steps.
        fake.state().failing = Some(failing);
        let page = browser.get(&callback).await;
        let status = match failing {
            Failing::Hangs => StatusCode::SERVICE_UNAVAILABLE,
            Failing::Redirects | Failing::Fails => REFUSED,
        };
        assert_eq!(page.status, status, "{failing:?}");
    }
}

#[tokio::test]
async fn metadata_that_are_unsafe_or_of_another_issuer_are_refused() {
    let (service, fake) = service().await;
    for metadata in [
        json!({"issuer": "https://evil.example"}),
        json!({"jwks_uri": "http://keys.example/"}),
        json!({"authorization_endpoint": "http://evil.example/authorize"}),
        json!({"authorization_endpoint": "javascript:alert(1)"}),
        json!({"jwks_uri": null}),
    ] {
        service.clock.advance(Duration::from_mins(61));
        fake.state().metadata = object(metadata.clone());
        let page = PageClient::new(&service).get("/sign-in/provider").await;
        assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE, "{metadata}");
    }
    for (metadata, status) in [
        (
            json!({"token_endpoint": "http://evil.example/token"}),
            StatusCode::SERVICE_UNAVAILABLE,
        ),
        (
            json!({"token_endpoint": null}),
            StatusCode::SERVICE_UNAVAILABLE,
        ),
        // The service sends nothing to this endpoint, and the sign-in continues without it.
        (
            json!({"userinfo_endpoint": "http://evil.example/userinfo"}),
            StatusCode::OK,
        ),
    ] {
        service.clock.advance(Duration::from_mins(61));
        fake.state().metadata = object(metadata.clone());
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, status, "{metadata}");
    }
    assert_no_user(&service).await;
}

#[tokio::test]
async fn of_two_users_at_the_same_time_one_gets_the_account_at_the_provider() {
    let (service, fake) = service().await;
    let (first, second) = (
        service.person("taki").await,
        service.person("mitsuha").await,
    );
    let mut one = PageClient::signed_in(&service, &first).await;
    let mut two = PageClient::signed_in(&service, &second).await;
    let (a, b) = tokio::join!(
        one.go_to_provider(&fake, CONNECT),
        two.go_to_provider(&fake, CONNECT)
    );
    let mut statuses = [a.status.as_u16(), b.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 409]);
    let mut connected = 0;
    for person in [&first, &second] {
        let identity = account(&service, person.id).await.factors.identity;
        connected += usize::from(identity.is_some_and(|identity| identity.subject == SUBJECT));
    }
    assert_eq!(connected, 1);
}
