//! Signing in with an identity provider.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use openid::RoleRule;
use serde_json::json;
use shared::auth::RegistrationMode;
use shared::models::{Identity, Role};
use store::Account;
use tests::browser::Browser;
use tests::people::{PASSWORD, Person};
use tests::provider::{FakeProvider, SUBJECT};
use tests::rounds;
use tests::service::{Answer, PUBLIC_URL, Service};

/// Connects the account at the provider to a user, directly in the store.
async fn connect(service: &Service, fake: &FakeProvider, person: &Person) {
    let account = account(service, person).await;
    let identity = Identity {
        issuer: fake.issuer.clone(),
        subject: SUBJECT.to_owned(),
        connected_at: service.clock.now_ms(),
    };
    let users = service.users();
    users.connect_identity(&account, identity).await.unwrap();
}

async fn account(service: &Service, person: &Person) -> Account {
    service.users().account(person.id).await.unwrap().unwrap()
}

fn closed(service: Service) -> Service {
    let mut environment = service.environment.clone();
    environment.registration = RegistrationMode::Closed;
    service.with_environment(environment)
}

fn without_passwords(service: Service) -> Service {
    let mut environment = service.environment.clone();
    environment.has_passwords = false;
    service.with_environment(environment)
}

#[track_caller]
fn assert_leads_to(answer: &Answer, path: &str) {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    assert_eq!(answer.header("location"), format!("{PUBLIC_URL}{path}"));
}

#[track_caller]
fn assert_says(answer: &Answer, status: u16, text: &str) {
    let page = answer.text();
    assert_eq!(answer.status.as_u16(), status, "{page}");
    assert!(page.contains(text), "{page}");
}

#[tokio::test]
async fn first_sign_in_makes_an_account_and_the_second_one_finds_it() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    fake.set_claims(json!({"preferred_username": "Taki.T", "email": "taki@example.com"}));
    let mut browser = Browser::new(&service);
    let page = browser.get("/sign-in?next=/calendar").await;
    assert_says(&page, 200, "href=\"/sign-in/provider?next=/calendar\"");
    assert_says(&page, 200, "Sign in with Example ID");
    let page = browser
        .go_to_provider(&fake, "/sign-in/provider?next=/calendar")
        .await;
    assert_says(&page, 200, "value=\"Taki-T\"");
    assert_says(&page, 200, "value=\"taki@example.com\"");
    assert!(page.body.len() < 30_000);
    let fields = [("username", "taki"), ("email", "taki@example.com")];
    let created = browser
        .submit(&page, "/sign-in/provider/new", &fields)
        .await;
    assert_leads_to(&created, "/calendar");
    assert_says(&browser.get("/profile").await, 200, "Hi taki");
    // The button was pressed twice.
    let again = browser
        .submit(&page, "/sign-in/provider/new", &fields)
        .await;
    assert_eq!(again.status, StatusCode::FORBIDDEN);

    let mut other = Browser::new(&service);
    let signed_in = other.go_to_provider(&fake, "/sign-in/provider").await;
    assert_leads_to(&signed_in, "/profile");
    assert_says(&other.get("/profile").await, 200, "Hi taki");
    // The address is not trusted, so it has to be verified here.
    assert!(service.mailed_token("taki@example.com").is_some());
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn name_that_is_taken_gets_a_number() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    service.person("taki").await;
    fake.set_claims(json!({"preferred_username": "TAKI", "email": "other@example.com"}));
    let mut browser = Browser::new(&service);
    let page = browser.go_to_provider(&fake, "/sign-in/provider").await;
    assert_says(&page, 200, "value=\"TAKI2\"");
    let fields = [("username", "taki"), ("email", "other@example.com")];
    let refused = browser
        .submit(&page, "/sign-in/provider/new", &fields)
        .await;
    assert_says(&refused, 409, "Name is already taken.");
    // The form still works after the error.
    let fields = [("username", "taki9"), ("email", "other@example.com")];
    let created = browser
        .submit(&refused, "/sign-in/provider/new", &fields)
        .await;
    assert_leads_to(&created, "/welcome");
}

#[tokio::test]
async fn claims_that_the_id_token_lacks_come_from_userinfo() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    fake.state().user_info =
        json!({"sub": SUBJECT, "preferred_username": "mitsuha", "email": "m@example.com"});
    let mut browser = Browser::new(&service);
    let page = browser.go_to_provider(&fake, "/sign-in/provider").await;
    assert_says(&page, 200, "value=\"mitsuha\"");
    assert_says(&page, 200, "value=\"m@example.com\"");

    fake.state().user_info = json!({"sub": "another", "email": "m@example.com"});
    let refused = Browser::new(&service)
        .go_to_provider(&fake, "/sign-in/provider")
        .await;
    assert_eq!(refused.status, StatusCode::BAD_GATEWAY);
}

#[tokio::test]
async fn address_connects_no_account_unless_the_operator_trusts_it_and_it_is_verified_on_both_sides()
 {
    let claims =
        |is_verified: bool| json!({"email": "taki@example.com", "email_verified": is_verified});
    for (trusts, at_provider, here, connects) in [
        (true, true, true, true),
        (false, true, true, false),
        (true, false, true, false),
        (true, true, false, false),
    ] {
        let (service, fake) =
            Service::with_provider(|settings| settings.trusts_email = trusts).await;
        let person = service.person("taki").await;
        if here {
            service.users().verify_email(person.id, 0).await.unwrap();
        }
        fake.set_claims(claims(at_provider));
        let mut browser = Browser::new(&service);
        let answer = browser.go_to_provider(&fake, "/sign-in/provider").await;
        let connected = account(&service, &person).await.factors.identity;
        assert_eq!(connected.is_some(), connects);
        if connects {
            assert_leads_to(&answer, "/profile");
            continue;
        }
        // The person cannot take the address either, and learns what to do.
        let fields = [("username", "taki2"), ("email", "taki@example.com")];
        let refused = browser
            .submit(&answer, "/sign-in/provider/new", &fields)
            .await;
        assert_says(&refused, 409, "E-mail address is already taken.");
        assert_says(&refused, 409, "Sign in the usual way");
    }
}

#[tokio::test]
async fn trusted_address_needs_no_link_unless_it_was_edited() {
    for (typed, is_verified) in [("taki@example.com", true), ("else@example.com", false)] {
        let (service, fake) = Service::with_provider(|settings| settings.trusts_email = true).await;
        fake.set_claims(json!({"email": "taki@example.com", "email_verified": true}));
        let mut browser = Browser::new(&service);
        let page = browser.go_to_provider(&fake, "/sign-in/provider").await;
        let fields = [("username", "taki"), ("email", typed)];
        let created = browser
            .submit(&page, "/sign-in/provider/new", &fields)
            .await;
        assert_leads_to(&created, "/welcome");
        let id = service
            .users()
            .find_by_username("taki")
            .await
            .unwrap()
            .unwrap();
        let account = service.users().account(id).await.unwrap().unwrap();
        assert_eq!(account.user.email_verified, Some(is_verified));
        assert_eq!(account.password_hash, None);
    }
}

#[tokio::test]
async fn closed_registration_makes_no_account_unless_the_operator_allows_it() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let service = closed(service);
    let mut browser = Browser::new(&service);
    let refused = browser.go_to_provider(&fake, "/sign-in/provider").await;
    assert_says(&refused, 403, "this server makes no new accounts");
    assert!(
        !browser
            .get("/sign-up")
            .await
            .text()
            .contains("/sign-in/provider")
    );

    let (service, fake) =
        Service::with_provider(|settings| settings.opens_registration = true).await;
    let service = closed(service);
    let mut browser = Browser::new(&service);
    assert_says(
        &browser.get("/sign-up").await,
        200,
        "href=\"/sign-in/provider\"",
    );
    let page = browser.go_to_provider(&fake, "/sign-in/provider").await;
    assert_says(&page, 200, "Create your account");
}

#[tokio::test]
async fn signed_in_user_connects_and_disconnects() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let person = service.person("taki").await;
    service.users().verify_email(person.id, 0).await.unwrap();
    let mut browser = Browser::signed_in(&service, &person).await;
    let mut elsewhere = Browser::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    assert_says(&page, 200, "Connect Example ID");
    let connected = browser
        .go_to_provider(&fake, "/profile/security/provider")
        .await;
    assert_leads_to(&connected, "/profile/security?done=provider-connected");
    let page = browser
        .get("/profile/security?done=provider-connected")
        .await;
    assert_says(&page, 200, "Disconnect Example ID");
    assert!(page.body.len() < 30_000);
    assert_eq!(service.mail_count(), 1);
    assert_leads_to(
        &Browser::new(&service)
            .go_to_provider(&fake, "/sign-in/provider")
            .await,
        "/profile",
    );
    // A second account at the provider cannot be connected.
    let second = browser
        .go_to_provider(&fake, "/profile/security/provider")
        .await;
    assert_says(&second, 409, "already connected");

    service.clock.advance(Duration::from_secs(1));
    let gone = browser
        .submit(&page, "/profile/security/provider/disconnect", &[])
        .await;
    assert_leads_to(&gone, "/profile/security?done=provider-disconnected");
    assert_eq!(account(&service, &person).await.factors.identity, None);
    assert_eq!(service.mail_count(), 2);
    assert_eq!(
        browser.get("/profile/security").await.status,
        StatusCode::OK
    );
    assert_eq!(
        elsewhere.get("/profile").await.status,
        StatusCode::SEE_OTHER
    );
    // The button was pressed twice.
    let twice = browser
        .submit(&page, "/profile/security/provider/disconnect", &[])
        .await;
    assert_leads_to(&twice, "/profile/security?done=provider-disconnected");
}

#[tokio::test]
async fn last_way_in_stays() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    fake.set_claims(json!({"email": "taki@example.com"}));
    let mut browser = Browser::new(&service);
    let page = browser.go_to_provider(&fake, "/sign-in/provider").await;
    let fields = [("username", "taki"), ("email", "taki@example.com")];
    browser
        .submit(&page, "/sign-in/provider/new", &fields)
        .await;
    let page = browser.get("/profile/security").await;
    let refused = browser
        .submit(&page, "/profile/security/provider/disconnect", &[])
        .await;
    assert_says(&refused, 409, "is the last way to sign in");
}

#[tokio::test]
async fn changes_need_a_fresh_proof_which_the_provider_can_give() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    let mut browser = Browser::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    service.clock.advance(Duration::from_mins(11));
    let prove = "/prove?next=/profile/security";
    let refused = browser
        .submit(&page, "/profile/security/provider/disconnect", &[])
        .await;
    assert_leads_to(&refused, prove);
    assert_leads_to(&browser.get("/profile/security/provider").await, prove);

    let redirect = browser
        .get("/sign-in/provider/prove?next=/profile/delete")
        .await;
    let address = redirect.header("location").to_owned();
    assert!(
        address.contains("prompt=login") && address.contains("max_age=0"),
        "{address}"
    );
    // An old session at the provider is no proof.
    fake.set_claims(json!({"auth_time": service.clock.now_s() - 120}));
    let callback = fake.authorize(&redirect);
    assert_says(
        &browser.get(&callback).await,
        403,
        "did not ask you to sign in again",
    );
    fake.set_claims(json!({"auth_time": null}));
    let refused = browser
        .go_to_provider(&fake, "/sign-in/provider/prove")
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    // Neither is another person.
    fake.set_claims(json!({"sub": "another"}));
    let refused = browser
        .go_to_provider(&fake, "/sign-in/provider/prove")
        .await;
    assert_says(&refused, 403, "other than the connected one");
    assert_leads_to(&browser.get("/profile/security/provider").await, prove);

    fake.set_claims(json!({}));
    let proved = browser
        .go_to_provider(&fake, "/sign-in/provider/prove?next=/profile/delete")
        .await;
    assert_leads_to(&proved, "/profile/delete");
    let gone = browser
        .submit(&page, "/profile/security/provider/disconnect", &[])
        .await;
    assert_leads_to(&gone, "/profile/security?done=provider-disconnected");
}

#[tokio::test]
async fn account_at_the_provider_belongs_to_one_user() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let (taki, mitsuha) = (
        service.person("taki").await,
        service.person("mitsuha").await,
    );
    connect(&service, &fake, &taki).await;
    let mut browser = Browser::signed_in(&service, &mitsuha).await;
    let refused = browser
        .go_to_provider(&fake, "/profile/security/provider")
        .await;
    assert_says(&refused, 409, "connected to another account");
    assert_eq!(account(&service, &mitsuha).await.factors.identity, None);
}

#[tokio::test]
async fn claim_gives_and_takes_roles_at_each_sign_in() {
    let rule = RoleRule {
        claim: "groups".to_owned(),
        admin_value: Some("kiroku-admins".to_owned()),
        moderator_value: Some("kiroku-moderators".to_owned()),
    };
    let (service, fake) = Service::with_provider(|settings| settings.roles = Some(rule)).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    for (groups, role) in [
        (json!(["family", "kiroku-admins"]), Role::Administrator),
        (json!("kiroku-moderators"), Role::Moderator),
        (json!(["family"]), Role::Basic),
        (json!(["kiroku-admins"]), Role::Administrator),
        (json!({"kiroku-admins": true}), Role::Basic),
    ] {
        fake.set_claims(json!({"groups": groups}));
        let signed_in = Browser::new(&service)
            .go_to_provider(&fake, "/sign-in/provider")
            .await;
        assert_leads_to(&signed_in, "/profile");
        assert_eq!(account(&service, &person).await.user.role, role, "{groups}");
    }
    // A new account has the role from the beginning.
    fake.set_claims(json!({"sub": "new", "groups": ["kiroku-moderators"]}));
    let mut browser = Browser::new(&service);
    let page = browser.go_to_provider(&fake, "/sign-in/provider").await;
    let fields = [("username", "mitsuha"), ("email", "mitsuha@example.com")];
    assert_leads_to(
        &browser
            .submit(&page, "/sign-in/provider/new", &fields)
            .await,
        "/welcome",
    );
    assert_eq!(browser.get("/moderation").await.status, StatusCode::OK);
}

#[tokio::test]
async fn server_without_passwords_refuses_them_everywhere() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    let service = without_passwords(service);
    let mut browser = Browser::new(&service);
    let page = browser.get("/sign-in").await;
    assert_says(&page, 200, "/sign-in/provider");
    for text in ["type=\"password\"", "/forgot-password", "/sign-up\""] {
        let main = page.text();
        let main = main.split_once("<main").unwrap().1;
        assert!(!main.contains(text), "{text}: {main}");
    }
    let page = browser.get("/sign-up").await;
    assert_says(&page, 200, "This server takes no passwords.");
    assert!(!page.text().contains("type=\"password\""));
    let reason = "This server takes no passwords. Sign in with its identity provider.";
    for path in ["/forgot-password", "/reset-password?token=a"] {
        assert_says(&browser.get(path).await, 403, reason);
    }
    let page = browser.get("/settings").await;
    for (path, fields) in [
        ("/sign-in", vec![("who", "taki"), ("password", PASSWORD)]),
        (
            "/sign-up",
            vec![
                ("username", "tessie"),
                ("email", "t@example.com"),
                ("password", PASSWORD),
            ],
        ),
        (
            "/sign-up/passkey",
            vec![("username", "tessie"), ("email", "t@example.com")],
        ),
        ("/forgot-password", vec![("email", "taki@example.com")]),
        (
            "/reset-password",
            vec![("token", "a"), ("password", PASSWORD)],
        ),
    ] {
        let refused = browser.submit(&page, path, &fields).await;
        assert_says(&refused, 403, reason);
    }
    for (path, body) in [
        (
            "/v1/auth/login",
            json!({"username": "taki", "password": PASSWORD}),
        ),
        (
            "/v1/auth/register",
            json!({"username": "tessie", "email": "t@example.com", "password": PASSWORD}),
        ),
        (
            "/v1/auth/password_reset",
            json!({"email": "taki@example.com"}),
        ),
        (
            "/v1/auth/password_reset/confirm",
            json!({"token": "a", "password": PASSWORD}),
        ),
    ] {
        let refused = service.json(Method::POST, path, None, &body).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(refused.data(), reason, "{path}");
    }
    assert_leads_to(
        &browser.go_to_provider(&fake, "/sign-in/provider").await,
        "/profile",
    );
}

#[tokio::test]
async fn sign_in_page_can_lead_straight_to_the_provider_without_a_loop() {
    let (service, fake) = Service::with_provider(|settings| settings.redirects = true).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    let mut browser = Browser::new(&service);
    let redirect = browser.get("/sign-in?next=/calendar").await;
    assert_leads_to(&redirect, "/sign-in/provider?next=/calendar");
    for path in [
        "/sign-in?local",
        "/sign-in?local=1",
        "/sign-in?done=everywhere",
    ] {
        assert_says(&browser.get(path).await, 200, "type=\"password\"");
    }
    let signed_in = browser
        .go_to_provider(&fake, "/sign-in/provider?next=/calendar")
        .await;
    assert_leads_to(&signed_in, "/calendar");
    let page = browser.get("/profile").await;
    let signed_out = browser
        .submit(&page, "/sign-out", &[("next", "/profile")])
        .await;
    assert_leads_to(&signed_out, "/sign-in?next=/profile&local=1");

    // A failure is a page, whose links do not lead to the provider by themselves.
    let redirect = browser.get("/sign-in/provider").await;
    let callback = fake.authorize(&redirect);
    let denied = callback.replace("code=", "error=access_denied&x=");
    let page = browser.get(&denied).await;
    assert_says(&page, 403, "You have not signed in at Example ID");
    assert_says(&page, 403, "href=\"/sign-in?local=1\"");
}

#[tokio::test]
async fn server_without_a_provider_shows_nothing_of_it() {
    let service = Service::empty().await;
    let person = service.person("taki").await;
    let mut browser = Browser::signed_in(&service, &person).await;
    for path in ["/sign-in", "/sign-up"] {
        let page = service.get(path).await.text();
        assert!(!page.contains("provider"), "{page}");
    }
    assert!(
        !browser
            .get("/profile/security")
            .await
            .text()
            .contains("provider")
    );
    let start = service.get("/sign-in/provider").await;
    assert_eq!(start.status, StatusCode::NOT_FOUND);
    for path in [
        "/sign-in/provider/callback",
        "/sign-in/provider/prove",
        "/profile/security/provider",
    ] {
        assert_eq!(
            browser.get(path).await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let logout = service
        .send(Method::POST, "/sign-in/provider/logout", &form)
        .await;
    assert_eq!(logout.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn keys_are_read_again_after_a_rotation_and_metadata_after_an_hour() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    let sign_in = async || {
        let answer = Browser::new(&service)
            .go_to_provider(&fake, "/sign-in/provider")
            .await;
        answer.status
    };
    assert_eq!(sign_in().await, StatusCode::SEE_OTHER);
    assert_eq!(sign_in().await, StatusCode::SEE_OTHER);
    assert_eq!(fake.requests("/keys"), 1);
    service.clock.advance(Duration::from_mins(2));
    fake.rotate_key("key-2");
    assert_eq!(sign_in().await, StatusCode::SEE_OTHER);
    assert_eq!(fake.requests("/keys"), 2);
    service.clock.advance(Duration::from_mins(61));
    assert_eq!(sign_in().await, StatusCode::SEE_OTHER);
    assert_eq!(fake.requests("/.well-known/openid-configuration"), 3);
}

#[tokio::test]
async fn logout_at_the_provider_ends_the_sessions_once() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let (person, other) = (
        service.person("taki").await,
        service.person("mitsuha").await,
    );
    connect(&service, &fake, &person).await;
    let mut browser = Browser::signed_in(&service, &person).await;
    let mut others = Browser::signed_in(&service, &other).await;
    let send = async |token: &str| {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let body = format!("logout_token={token}");
        let answer = service
            .send_body(Method::POST, "/sign-in/provider/logout", &form, body)
            .await;
        assert_eq!(answer.header("cache-control"), "no-store");
        answer.status.as_u16()
    };
    let valid = |other| fake.sign("logout+jwt", &fake.logout_claims(other));
    for (kind, claims) in [
        ("logout+jwt", json!({"nonce": "a"})),
        ("logout+jwt", json!({"events": null})),
        ("logout+jwt", json!({"events": {"other": {}}})),
        ("logout+jwt", json!({"jti": null})),
        ("logout+jwt", json!({"sub": null})),
        ("logout+jwt", json!({"aud": "other"})),
        ("logout+jwt", json!({"iss": "https://evil.example"})),
        ("logout+jwt", json!({"exp": service.clock.now_s() - 61})),
        ("at+jwt", json!({})),
    ] {
        let token = fake.sign(kind, &fake.logout_claims(claims.clone()));
        assert_eq!(send(&token).await, 400, "{claims}");
    }
    assert_eq!(send("a.b.c").await, 400);
    assert_eq!(send("").await, 400);
    assert_eq!(browser.get("/profile").await.status, StatusCode::OK);

    let token = valid(json!({}));
    assert_eq!(send(&token).await, 200);
    assert_eq!(browser.get("/profile").await.status, StatusCode::SEE_OTHER);
    assert_eq!(others.get("/profile").await.status, StatusCode::OK);
    // The same token does not sign the user out again.
    let mut again = Browser::signed_in(&service, &person).await;
    assert_eq!(send(&token).await, 400);
    assert_eq!(again.get("/profile").await.status, StatusCode::OK);
    let unknown = json!({"sub": "unknown", "jti": "logout-2"});
    assert_eq!(send(&valid(unknown)).await, 200);
}

#[tokio::test]
async fn pages_of_the_provider_read_little() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    let (client, rounds) = rounds::counted();
    let service = service.with_functions_client(client);
    let mut browser = Browser::new(&service);
    let _ = rounds.take();
    let redirect = browser.get("/sign-in/provider").await;
    assert_eq!(rounds.take(), 0, "the way to the provider");
    // The state is used up; the identity, the account, the session and the known network follow.
    let signed_in = browser.get(&fake.authorize(&redirect)).await;
    assert_leads_to(&signed_in, "/profile");
    let read = rounds.take();
    assert!(read <= 7, "{read}");
}

/// Otherwise, an unlocked computer would be enough to change how the user signs in.
#[tokio::test]
async fn old_session_at_the_provider_is_no_proof() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    fake.set_claims(json!({"auth_time": service.clock.now_s() - 3600}));
    let mut browser = Browser::new(&service);
    browser.go_to_provider(&fake, "/sign-in/provider").await;
    let prove = "/prove?next=/profile/security";
    assert_leads_to(&browser.get("/profile/security/provider").await, prove);
}

#[tokio::test]
async fn users_connect_again_after_a_change_of_the_issuer() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    let users = service.users();
    let account = users.account(person.id).await.unwrap().unwrap();
    let connected = account.factors.identity.clone().unwrap();
    let mut factors = account.factors.clone();
    factors.identity = Some(Identity {
        issuer: "https://old.example".to_owned(),
        ..connected.clone()
    });
    users.replace_factors(&account, factors).await.unwrap();
    let mut browser = Browser::signed_in(&service, &person).await;
    let back = browser
        .go_to_provider(&fake, "/profile/security/provider")
        .await;
    assert_leads_to(&back, "/profile/security?done=provider-connected");
    let account = users.account(person.id).await.unwrap().unwrap();
    let identity = account.factors.identity.unwrap();
    assert_eq!(identity.issuer, connected.issuer);
}
