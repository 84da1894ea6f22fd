//! Logout at the identity provider: the provider ends sessions of the service, and signing out of the service leads to
//! the provider.

use accounts::sessions::SessionStore;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::provider::{Failing, FakeProvider, Signing, send_logout};
use tests::service::{PUBLIC_URL, Service};

use super::provider::{back_from_provider, create_account, with_connected_user};
use super::{is_signed_in, sign_in_as};

/// Signs in at the provider. The session at the provider has this identifier.
async fn sign_in<'s>(service: &'s Service, fake: &FakeProvider, sid: Value) -> PageClient<'s> {
    fake.set_claims(json!({"sid": sid}));
    let (browser, answer) = back_from_provider(service, fake).await;
    answer.assert_status(303);
    browser
}

/// Sends a logout token of this type with these claims.
async fn log_out(service: &Service, fake: &FakeProvider, kind: &str, claims: Value) -> u16 {
    send(service, &fake.sign(kind, &fake.logout_claims(claims))).await
}

async fn send(service: &Service, token: &str) -> u16 {
    let answer = send_logout(service, token).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    answer.status.as_u16()
}

#[tokio::test]
async fn logout_at_the_provider_ends_the_sessions_once() {
    let (service, fake, person) = with_connected_user(|_| {}).await;
    let other = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut others = PageClient::signed_in(&service, &other).await;
    let now = service.clock.now_s();
    for (kind, claims) in [
        ("logout+jwt", json!({"nonce": "a"})),
        ("logout+jwt", json!({"events": null})),
        ("logout+jwt", json!({"events": {"other": {}}})),
        ("logout+jwt", json!({"jti": null})),
        ("logout+jwt", json!({"sub": null})),
        ("logout+jwt", json!({"sub": null, "sid": ""})),
        ("logout+jwt", json!({"sub": 7})),
        ("logout+jwt", json!({"sid": 7})),
        ("logout+jwt", json!({"aud": "other"})),
        ("logout+jwt", json!({"iss": "https://evil.example"})),
        ("logout+jwt", json!({"exp": now - 61})),
        ("logout+jwt", json!({"exp": "later"})),
        ("logout+jwt", json!({"nbf": now + 61})),
        ("logout+jwt", json!({"iat": null})),
        ("logout+jwt", json!({"iat": now - 661})),
        ("at+jwt", json!({})),
    ] {
        let status = log_out(&service, &fake, kind, claims.clone()).await;
        assert_eq!(status, 400, "{claims}");
    }
    let untyped = fake.sign_in_way(Signing::Normal, None, &fake.logout_claims(json!({})));
    assert_eq!(send(&service, &untyped).await, 400, "without typ");
    assert_eq!(send(&service, "a.b.c").await, 400);
    assert_eq!(send(&service, "").await, 400);
    assert!(is_signed_in(&mut browser).await);

    let token = fake.sign("logout+jwt", &fake.logout_claims(json!({})));
    assert_eq!(send(&service, &token).await, 200);
    assert!(!is_signed_in(&mut browser).await);
    assert!(is_signed_in(&mut others).await);
    // The same token does not sign the user out again.
    let mut again = PageClient::signed_in(&service, &person).await;
    assert_eq!(send(&service, &token).await, 400);
    assert!(is_signed_in(&mut again).await);
    let unknown = json!({"sub": "unknown", "jti": "logout-2"});
    assert_eq!(log_out(&service, &fake, "logout+jwt", unknown).await, 200);
}

/// Ory Hydra sends neither `sub` nor `exp`, and the type `JWT`.
#[tokio::test]
async fn logout_of_a_session_alone_ends_what_began_in_it() {
    let (service, fake, person) = with_connected_user(|_| {}).await;
    let mut one = sign_in(&service, &fake, json!("session-1")).await;
    let mut same = sign_in(&service, &fake, json!("session-1")).await;
    let mut two = sign_in(&service, &fake, json!("session-2")).await;
    let mut without = sign_in(&service, &fake, json!(null)).await;
    let mut with_password = PageClient::signed_in(&service, &person).await;
    service.assert_declared_attributes().await;
    let claims = json!({"sub": null, "exp": null, "sid": "session-1"});
    assert_eq!(log_out(&service, &fake, "JWT", claims).await, 200);
    assert!(!is_signed_in(&mut one).await && !is_signed_in(&mut same).await);
    for browser in [&mut two, &mut without, &mut with_password] {
        assert!(is_signed_in(browser).await);
    }
    // The provider no longer knows that session.
    let claims = json!({"sub": null, "sid": "session-9", "jti": "logout-9"});
    assert_eq!(log_out(&service, &fake, "JWT", claims).await, 200);
    assert!(is_signed_in(&mut two).await);
}

#[tokio::test]
async fn logout_of_a_person_and_a_session_leaves_their_other_sessions_at_the_provider() {
    let (service, fake, person) = with_connected_user(|_| {}).await;
    let mut one = sign_in(&service, &fake, json!("session-1")).await;
    let mut two = sign_in(&service, &fake, json!("session-2")).await;
    // The provider does not know this session, so a logout of the person ends it.
    let mut with_password = PageClient::signed_in(&service, &person).await;
    let claims = json!({"sid": "session-1"});
    assert_eq!(log_out(&service, &fake, "logout+jwt", claims).await, 200);
    assert!(!is_signed_in(&mut one).await && !is_signed_in(&mut with_password).await);
    assert!(is_signed_in(&mut two).await);
    let all = json!({"jti": "all"});
    assert_eq!(log_out(&service, &fake, "logout+jwt", all).await, 200);
    assert!(!is_signed_in(&mut two).await);
}

#[tokio::test]
async fn session_of_a_new_account_belongs_to_the_session_at_the_provider() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    fake.set_claims(json!({"sid": "session-1"}));
    let (mut browser, page) = back_from_provider(&service, &fake).await;
    create_account(&mut browser, &page, "taki", "taki@example.com").await;
    assert!(is_signed_in(&mut browser).await);
    let claims = json!({"sub": null, "sid": "session-1"});
    assert_eq!(log_out(&service, &fake, "logout+jwt", claims).await, 200);
    assert!(!is_signed_in(&mut browser).await);
}

#[tokio::test]
async fn signing_out_leads_to_the_provider_if_the_operator_wants_it() {
    let (service, fake, person) = with_connected_user(|settings| settings.signs_out = true).await;
    let end = format!("{}/end", fake.issuer);
    fake.set_metadata(json!({"end_session_endpoint": end}));
    let mut browser = sign_in(&service, &fake, json!("session-1")).await;
    let page = browser.get("/profile").await;
    let left = browser.submit(&page, "/sign-out", &[]).await;
    assert_eq!(left.status, StatusCode::OK);
    let refresh = left.header("refresh").to_owned();
    let address = refresh.strip_prefix("0; url=").unwrap();
    let address = url::Url::parse(address).unwrap();
    assert!(address.as_str().starts_with(&end), "{address}");
    let find = |name: &str| {
        let mut pairs = address.query_pairs();
        pairs.find(|(key, _)| key == name).unwrap().1.into_owned()
    };
    assert_eq!(find("client_id"), "kiroku");
    assert_eq!(find("post_logout_redirect_uri"), format!("{PUBLIC_URL}/"));
    assert_eq!(find("id_token_hint").split('.').count(), 3);
    left.assert_has("Sign out of Example ID");
    assert!(!is_signed_in(&mut browser).await);
    service.assert_declared_attributes().await;
    // The session keeps the token, and the file with everything about a user does not have it.
    sign_in(&service, &fake, json!("session-2")).await;
    let sessions = SessionStore::new(&service.database());
    let sessions = sessions.list(person.id).await.unwrap();
    let token = sessions.last().unwrap().id_token.clone().unwrap();
    let data = service.get_as(&person.token, "/v1/auth/me/data").await;
    data.assert_status(200);
    data.assert_lacks(&token);

    // A session that began with a password has nothing to do with the provider.
    let mut browser = PageClient::new(&service);
    sign_in_as(&mut browser, "/sign-in", "taki").await;
    let page = browser.get("/profile").await;
    let left = browser.submit(&page, "/sign-out", &[]).await;
    assert_eq!(left.status, StatusCode::SEE_OTHER);

    // Without the endpoint, and while the provider is down, the user signs out of the service alone.
    for failing in [None, Some(Failing::Fails)] {
        let mut browser = sign_in(&service, &fake, json!("session-3")).await;
        service.clock.advance(std::time::Duration::from_mins(61));
        fake.set_metadata(json!({"end_session_endpoint": null}));
        fake.state().failing = failing;
        let page = browser.get("/profile").await;
        let left = browser.submit(&page, "/sign-out", &[]).await;
        assert_eq!(left.status, StatusCode::SEE_OTHER, "{failing:?}");
        assert!(!is_signed_in(&mut browser).await);
    }
}

#[tokio::test]
async fn token_of_the_provider_is_not_kept_without_the_option() {
    let (service, fake, person) = with_connected_user(|_| {}).await;
    let end = format!("{}/end", fake.issuer);
    fake.set_metadata(json!({"end_session_endpoint": end}));
    let mut browser = sign_in(&service, &fake, json!("session-1")).await;
    let sessions = SessionStore::new(&service.database());
    let sessions = sessions.list(person.id).await.unwrap();
    let session = sessions.last().unwrap();
    assert_eq!(session.id_token, None);
    // The identifier is kept as a digest.
    assert_ne!(session.provider_session.as_deref(), Some("session-1"));
    assert!(session.provider_session.is_some());
    let page = browser.get("/profile").await;
    let left = browser.submit(&page, "/sign-out", &[]).await;
    assert_eq!(left.status, StatusCode::SEE_OTHER);
}
