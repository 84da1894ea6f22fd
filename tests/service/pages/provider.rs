//! Signing in with an identity provider.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use openid::{RoleRule, Settings, TokenAuth};
use serde_json::json;
use shared::auth::RegistrationMode;
use shared::models::{Identity, Role};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::log::Log;
use tests::people::{PASSWORD, Person};
use tests::provider::{Failing, FakeProvider, SUBJECT, Signing, connect, send_logout};
use tests::service::{Answer, Service};

use super::account;

pub(super) const CONNECT: &str = "/profile/security/provider";
const DISCONNECT: &str = "/profile/security/provider/disconnect";
const PROVE: &str = "/sign-in/provider/prove";

/// Returns a service that signs users in with a fake provider, and a user who is connected to it.
pub(super) async fn with_connected_user(
    edit: impl FnOnce(&mut Settings),
) -> (Service, FakeProvider, Person) {
    let (service, fake) = Service::with_provider(edit).await;
    let person = service.person("taki").await;
    connect(&service, &fake, &person).await;
    (service, fake, person)
}

/// Signs in at the provider in a new browser. Returns the browser and the page that follows.
pub(super) async fn back_from_provider<'s>(
    service: &'s Service,
    fake: &FakeProvider,
) -> (PageClient<'s>, Answer) {
    let mut browser = PageClient::new(service);
    let answer = browser.go_to_provider(fake, "/sign-in/provider").await;
    (browser, answer)
}

/// Signs in at the provider in a new browser.
pub(super) async fn sign_in(service: &Service, fake: &FakeProvider) -> Answer {
    back_from_provider(service, fake).await.1
}

/// Submits the form of a new account, which follows the first sign-in at the provider.
pub(super) async fn create_account(
    browser: &mut PageClient<'_>,
    page: &Answer,
    name: &str,
    email: &str,
) -> Answer {
    let fields = [("username", name), ("email", email)];
    browser.submit(page, "/sign-in/provider/new", &fields).await
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
fn assert_says(answer: &Answer, status: u16, text: &str) {
    let page = answer.text();
    assert_eq!(answer.status.as_u16(), status, "{page}");
    page.assert_has(text);
}

/// Some providers send no preferred name, or one without a letter that usernames can have.
#[tokio::test]
async fn suggested_name_comes_from_the_first_usable_claim() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let email = "t.tachibana@example.com";
    for (claims, suggested) in [
        (
            json!({"preferred_username": "taki", "nickname": "Bowl"}),
            "taki",
        ),
        (json!({"nickname": "Bowl", "email": email}), "Bowl"),
        (
            json!({"preferred_username": "立花瀧", "nickname": "Bowl"}),
            "Bowl",
        ),
        (
            json!({"preferred_username": "立花瀧", "email": email}),
            "t-tachibana",
        ),
        (json!({"nickname": "瀧", "email": email}), "t-tachibana"),
        (json!({}), "user"),
    ] {
        fake.set_claims(claims);
        let page = sign_in(&service, &fake).await;
        assert_says(&page, 200, &format!("value=\"{suggested}\""));
    }
}

#[tokio::test]
async fn first_sign_in_makes_an_account_and_the_second_one_finds_it() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    fake.set_claims(json!({"preferred_username": "Taki.T", "email": "taki@example.com"}));
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-in?next=/calendar").await;
    assert_says(&page, 200, "href=\"/sign-in/provider?next=/calendar\"");
    assert_says(&page, 200, "Sign in with Example ID");
    let page = browser
        .go_to_provider(&fake, "/sign-in/provider?next=/calendar")
        .await;
    assert_says(&page, 200, "value=\"Taki-T\"");
    assert_says(&page, 200, "value=\"taki@example.com\"");
    assert!(page.body.len() < 30_000);
    let created = create_account(&mut browser, &page, "taki", "taki@example.com").await;
    created.assert_leads_to("/calendar");
    assert_says(&browser.get("/profile").await, 200, "Signed in as taki");
    // The button was pressed twice.
    let again = create_account(&mut browser, &page, "taki", "taki@example.com").await;
    again.assert_status(403);

    let (mut other, signed_in) = back_from_provider(&service, &fake).await;
    signed_in.assert_leads_to("/profile");
    assert_says(&other.get("/profile").await, 200, "Signed in as taki");
    // The provider's address is not trusted, so the service has to verify it.
    assert!(service.mailed_token("taki@example.com").is_some());
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn name_that_is_taken_gets_a_number() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    service.person("taki").await;
    fake.set_claims(json!({"preferred_username": "TAKI", "email": "other@example.com"}));
    let (mut browser, page) = back_from_provider(&service, &fake).await;
    assert_says(&page, 200, "value=\"TAKI2\"");
    let refused = create_account(&mut browser, &page, "taki", "other@example.com").await;
    assert_says(&refused, 409, "Name is already taken.");
    // The form still works after the error.
    let created = create_account(&mut browser, &refused, "taki9", "other@example.com").await;
    created.assert_leads_to("/welcome");
}

#[tokio::test]
async fn claims_that_the_id_token_lacks_come_from_userinfo() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    fake.state().user_info =
        json!({"sub": SUBJECT, "preferred_username": "mitsuha", "email": "m@example.com"});
    let page = sign_in(&service, &fake).await;
    assert_says(&page, 200, "value=\"mitsuha\"");
    assert_says(&page, 200, "value=\"m@example.com\"");

    // Claims of another person are not used.
    fake.state().user_info = json!({"sub": "another", "email": "other@example.com"});
    let page = sign_in(&service, &fake).await;
    page.assert_status(200);
    page.assert_lacks("other@example.com");
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
        let (mut browser, answer) = back_from_provider(&service, &fake).await;
        let connected = account(&service, person.id).await.factors.identity;
        assert_eq!(connected.is_some(), connects);
        if connects {
            answer.assert_leads_to("/profile");
            continue;
        }
        // The person cannot take the address either, and the page says what to do.
        let refused = create_account(&mut browser, &answer, "taki2", "taki@example.com").await;
        assert_says(&refused, 409, "E-mail address is already taken.");
        assert_says(&refused, 409, "Sign in the usual way");
    }
}

#[tokio::test]
async fn trusted_address_needs_no_link_unless_it_was_edited() {
    for (typed, is_verified) in [("taki@example.com", true), ("else@example.com", false)] {
        let (service, fake) = Service::with_provider(|settings| settings.trusts_email = true).await;
        fake.set_claims(json!({"email": "taki@example.com", "email_verified": true}));
        let (mut browser, page) = back_from_provider(&service, &fake).await;
        let created = create_account(&mut browser, &page, "taki", typed).await;
        created.assert_leads_to("/welcome");
        let users = service.users();
        let id = users.find_by_username("taki").await.unwrap();
        let account = users.account(id.unwrap()).await.unwrap().unwrap();
        assert_eq!(account.email_verified, is_verified);
        assert_eq!(account.password_hash, None);
    }
}

#[tokio::test]
async fn closed_registration_makes_no_account_unless_the_operator_allows_it() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let service = closed(service);
    let (mut browser, refused) = back_from_provider(&service, &fake).await;
    assert_says(&refused, 403, "this server makes no new accounts");
    let page = browser.get("/sign-up").await;
    page.assert_lacks("/sign-in/provider");

    let (service, fake) =
        Service::with_provider(|settings| settings.opens_registration = true).await;
    let service = closed(service);
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-up").await;
    assert_says(&page, 200, "href=\"/sign-in/provider\"");
    let page = browser.go_to_provider(&fake, "/sign-in/provider").await;
    assert_says(&page, 200, "Create your account");
}

#[tokio::test]
async fn signed_in_user_connects_and_disconnects() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let person = service.person("taki").await;
    service.users().verify_email(person.id, 0).await.unwrap();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut elsewhere = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    assert_says(&page, 200, "Connect Example ID");
    let connected = browser.go_to_provider(&fake, CONNECT).await;
    connected.assert_leads_to("/profile/security?done=provider-connected");
    let page = browser
        .get("/profile/security?done=provider-connected")
        .await;
    assert_says(&page, 200, "Disconnect Example ID");
    assert!(page.body.len() < 30_000);
    assert_eq!(service.mail_count(), 1);
    sign_in(&service, &fake).await.assert_leads_to("/profile");
    // A second account at the provider cannot be connected.
    let second = browser.go_to_provider(&fake, CONNECT).await;
    assert_says(&second, 409, "already connected");

    service.clock.advance(Duration::from_secs(1));
    let gone = browser.submit(&page, DISCONNECT, &[]).await;
    gone.assert_leads_to("/profile/security?done=provider-disconnected");
    assert_eq!(account(&service, person.id).await.factors.identity, None);
    assert_eq!(service.mail_count(), 2);
    browser.get("/profile/security").await.assert_status(200);
    elsewhere.get("/profile").await.assert_status(303);
    // The button was pressed twice.
    let twice = browser.submit(&page, DISCONNECT, &[]).await;
    twice.assert_leads_to("/profile/security?done=provider-disconnected");
}

#[tokio::test]
async fn last_way_in_stays() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    fake.set_claims(json!({"email": "taki@example.com"}));
    let (mut browser, page) = back_from_provider(&service, &fake).await;
    create_account(&mut browser, &page, "taki", "taki@example.com").await;
    let page = browser.get("/profile/security").await;
    let refused = browser.submit(&page, DISCONNECT, &[]).await;
    assert_says(&refused, 409, "is the last way to sign in");
}

#[tokio::test]
async fn changes_need_a_fresh_proof_which_the_provider_can_give() {
    let (service, fake, person) = with_connected_user(|_| {}).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    service.clock.advance(Duration::from_mins(11));
    let prove = "/prove?next=/profile/security";
    let refused = browser.submit(&page, DISCONNECT, &[]).await;
    refused.assert_leads_to(prove);
    browser.get(CONNECT).await.assert_leads_to(prove);

    let redirect = browser
        .get("/sign-in/provider/prove?next=/profile/delete")
        .await;
    let address = redirect.header("location").to_owned();
    // `max_age=0` would make some providers ask again and again.
    address.assert_has("prompt=login");
    address.assert_lacks("max_age");
    // An old session at the provider is not a proof.
    fake.set_claims(json!({"auth_time": service.clock.now_s() - 120}));
    let callback = fake.authorize(&redirect);
    let refused = browser.get(&callback).await;
    assert_says(&refused, 403, "did not ask you to sign in again");
    // Without the time, the browser could have left out the parameter that asks for a new sign-in.
    fake.set_claims(json!({"auth_time": null}));
    let refused = browser.go_to_provider(&fake, PROVE).await;
    assert_says(&refused, 403, "does not say when you signed in");
    // A sign-in of another person is not a proof either.
    fake.set_claims(json!({"sub": "another"}));
    let refused = browser.go_to_provider(&fake, PROVE).await;
    assert_says(&refused, 403, "other than the connected one");
    browser.get(CONNECT).await.assert_leads_to(prove);

    fake.set_claims(json!({}));
    let proved = browser
        .go_to_provider(&fake, "/sign-in/provider/prove?next=/profile/delete")
        .await;
    proved.assert_leads_to("/profile/delete");
    let gone = browser.submit(&page, DISCONNECT, &[]).await;
    gone.assert_leads_to("/profile/security?done=provider-disconnected");
}

#[tokio::test]
async fn account_at_the_provider_belongs_to_one_user() {
    let (service, fake, _) = with_connected_user(|_| {}).await;
    let mitsuha = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &mitsuha).await;
    let refused = browser.go_to_provider(&fake, CONNECT).await;
    assert_says(&refused, 409, "connected to another account");
    assert_eq!(account(&service, mitsuha.id).await.factors.identity, None);
}

#[tokio::test]
async fn claim_gives_and_takes_roles_at_each_sign_in() {
    let rule = RoleRule {
        claim: "groups".to_owned(),
        admin_value: Some("kiroku-admins".to_owned()),
        moderator_value: Some("kiroku-moderators".to_owned()),
        ..RoleRule::default()
    };
    let (service, fake, person) = with_connected_user(|settings| settings.roles = Some(rule)).await;
    service
        .person_with_role("mitsuha", Role::Administrator)
        .await;
    for (groups, role) in [
        (json!(["family", "kiroku-admins"]), Role::Administrator),
        (json!("kiroku-moderators"), Role::Moderator),
        (json!(["family"]), Role::Basic),
        (json!(["kiroku-admins"]), Role::Administrator),
        (json!([]), Role::Basic),
    ] {
        fake.set_claims(json!({"groups": groups}));
        let signed_in = sign_in(&service, &fake).await;
        signed_in.assert_leads_to("/profile");
        assert_eq!(
            account(&service, person.id).await.user.role,
            role,
            "{groups}"
        );
    }
    // A new account has the role from the beginning.
    fake.set_claims(json!({"sub": "new", "groups": ["kiroku-moderators"]}));
    let (mut browser, page) = back_from_provider(&service, &fake).await;
    create_account(&mut browser, &page, "tessie", "tessie@example.com")
        .await
        .assert_leads_to("/welcome");
    assert_eq!(browser.get("/moderation").await.status, StatusCode::OK);
}

#[tokio::test]
async fn server_without_passwords_refuses_them_everywhere() {
    let (service, fake, _) = with_connected_user(|_| {}).await;
    let service = without_passwords(service);
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-in").await;
    assert_says(&page, 200, "/sign-in/provider");
    let main = page.after("<main");
    for part in ["type=\"password\"", "/forgot-password", "/sign-up\""] {
        main.assert_lacks(part);
    }
    let page = browser.get("/sign-up").await;
    assert_says(&page, 200, "This server takes no passwords.");
    page.assert_lacks("type=\"password\"");
    let reason = "This server takes no passwords. Sign in with its identity provider.";
    for path in ["/forgot-password", "/reset-password?token=a"] {
        assert_says(&browser.get(path).await, 403, reason);
    }
    let page = browser.get("/settings").await;
    for (path, fields) in [
        ("/sign-in", "who=taki&password=PASSWORD"),
        (
            "/sign-up",
            "username=tessie&email=t@example.com&password=PASSWORD",
        ),
        ("/sign-up/passkey", "username=tessie&email=t@example.com"),
        ("/forgot-password", "email=taki@example.com"),
        ("/reset-password", "token=a&password=PASSWORD"),
    ] {
        let fields = fields.replace("PASSWORD", PASSWORD);
        let refused = browser.submit_encoded(&page, path, &fields).await;
        assert_says(&refused, 403, reason);
    }
    let bodies = json!({
        "/v1/auth/login": {"username": "taki", "password": PASSWORD},
        "/v1/auth/register": {"username": "tessie", "email": "t@example.com", "password": PASSWORD},
        "/v1/auth/password_reset": {"email": "taki@example.com"},
        "/v1/auth/password_reset/confirm": {"token": "a", "password": PASSWORD},
    });
    for (path, body) in bodies.as_object().unwrap() {
        let refused = service.json(Method::POST, path, None, body).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(refused.data(), reason, "{path}");
    }
    browser
        .go_to_provider(&fake, "/sign-in/provider")
        .await
        .assert_leads_to("/profile");
}

#[tokio::test]
async fn sign_in_page_can_lead_straight_to_the_provider_without_a_loop() {
    let (service, fake, _) = with_connected_user(|settings| settings.redirects = true).await;
    let mut browser = PageClient::new(&service);
    let redirect = browser.get("/sign-in?next=/calendar").await;
    redirect.assert_leads_to("/sign-in/provider?next=/calendar");
    for path in ["/sign-in?local", "/sign-in?local=1"] {
        assert_says(&browser.get(path).await, 200, "type=\"password\"");
    }
    // A forged link shows no notice, so the page leads on to the provider.
    let forged = browser.get("/sign-in?done=everywhere").await;
    forged.assert_leads_to("/sign-in/provider");
    let signed_in = browser
        .go_to_provider(&fake, "/sign-in/provider?next=/calendar")
        .await;
    signed_in.assert_leads_to("/calendar");
    let page = browser.get("/profile").await;
    let signed_out = browser
        .submit(&page, "/sign-out", &[("next", "/profile")])
        .await;
    signed_out.assert_leads_to("/sign-in?next=/profile&local=1");
    browser.go_to_provider(&fake, "/sign-in/provider").await;
    let page = browser.get("/profile/security").await;
    let everywhere = "/profile/security/sign-out-everywhere";
    let signed_out = browser.submit(&page, everywhere, &[]).await;
    signed_out.assert_leads_to("/sign-in?done=everywhere");
    let page = browser.get("/sign-in?done=everywhere").await;
    assert_says(&page, 200, "type=\"password\"");

    // After a failure, the browser stays on a page and is not sent to the provider again.
    let redirect = browser.get("/sign-in/provider").await;
    let callback = fake.authorize(&redirect);
    let denied = callback.replace("code=", "error=access_denied&x=");
    let page = browser.get(&denied).await;
    assert_says(&page, 403, "You have not signed in at Example ID");
    assert_says(&page, 403, "href=\"/sign-in?local=1\"");
}

#[tokio::test]
async fn server_without_a_provider_shows_nothing_of_it() {
    let (service, person) = Service::with_person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for path in ["/sign-in", "/sign-up"] {
        let page = service.get(path).await.text();
        page.assert_lacks("provider");
    }
    browser
        .get("/profile/security")
        .await
        .assert_lacks("provider");
    let start = service.get("/sign-in/provider").await;
    assert_eq!(start.status, StatusCode::NOT_FOUND);
    for path in ["/sign-in/provider/callback", PROVE, CONNECT] {
        browser.get(path).await.assert_status(404);
    }
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let logout = service
        .send(Method::POST, "/sign-in/provider/logout", &form)
        .await;
    assert_eq!(logout.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn keys_are_read_again_after_a_rotation_and_metadata_after_an_hour() {
    let (service, fake, _) = with_connected_user(|_| {}).await;
    let status = async || sign_in(&service, &fake).await.status;
    assert_eq!(status().await, StatusCode::SEE_OTHER);
    assert_eq!(status().await, StatusCode::SEE_OTHER);
    assert_eq!(fake.requests("/keys"), 1);
    service.clock.advance(Duration::from_mins(2));
    fake.rotate_key("key-2");
    assert_eq!(status().await, StatusCode::SEE_OTHER);
    assert_eq!(fake.requests("/keys"), 2);
    service.clock.advance(Duration::from_mins(61));
    assert_eq!(status().await, StatusCode::SEE_OTHER);
    assert_eq!(fake.requests("/.well-known/openid-configuration"), 3);
}

#[tokio::test]
async fn pages_of_the_provider_read_little() {
    let (service, fake, _) = with_connected_user(|_| {}).await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::new(&service);
    let _ = rounds.take();
    let redirect = browser.get("/sign-in/provider").await;
    assert_eq!(rounds.take(), 0, "the way to the provider");
    // The sign-in uses up the state, and then reads or writes the identity, the account, the session and the known
    // network.
    let signed_in = browser.get(&fake.authorize(&redirect)).await;
    signed_in.assert_leads_to("/profile");
    let read = rounds.take();
    assert!(read <= 7, "{read}");
}

/// If an old session were a proof, an unlocked computer would be enough to change how the user signs in.
#[tokio::test]
async fn old_session_at_the_provider_is_not_a_proof() {
    let (service, fake, _) = with_connected_user(|_| {}).await;
    fake.set_claims(json!({"auth_time": service.clock.now_s() - 3600}));
    let (mut browser, _) = back_from_provider(&service, &fake).await;
    let prove = "/prove?next=/profile/security";
    browser.get(CONNECT).await.assert_leads_to(prove);
    // A provider that does not state when the user signed in may have skipped the sign-in.
    fake.set_claims(json!({"auth_time": null}));
    let (mut browser, signed_in) = back_from_provider(&service, &fake).await;
    signed_in.assert_leads_to("/profile");
    browser.get(CONNECT).await.assert_leads_to(prove);
    // A sign-in of this moment is a proof if the provider states the time.
    fake.set_claims(json!({}));
    let (mut browser, _) = back_from_provider(&service, &fake).await;
    let redirect = browser.get(CONNECT).await;
    assert!(redirect.header("location").starts_with(&fake.issuer));
}

#[tokio::test]
async fn request_for_a_proof_asks_for_the_time_where_the_provider_understands_that() {
    for understands in [true, false] {
        let (service, fake, person) = with_connected_user(|_| {}).await;
        fake.set_metadata(json!({"claims_parameter_supported": understands}));
        let mut browser = PageClient::signed_in(&service, &person).await;
        let redirect = browser.get(PROVE).await;
        let address = redirect.header("location");
        assert_eq!(address.contains("auth_time"), understands, "{address}");
    }
}

#[tokio::test]
async fn issuer_without_its_slash_is_named_on_the_page_and_in_the_log() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let named = format!("{}/", fake.issuer);
    fake.set_metadata(json!({"issuer": named}));
    let log = Log::begin();
    // The second page does not ask the provider again.
    for language in ["en", "fr", "it", "ja"] {
        let mut browser = PageClient::new(&service);
        browser.languages = language;
        let page = browser.get("/sign-in/provider").await;
        assert_says(&page, 503, &named);
        // The page also has the issuer of the settings.
        assert_eq!(page.text().matches(&fake.issuer).count(), 2);
    }
    assert_eq!(fake.requests("/.well-known/openid-configuration"), 1);
    let provider = service.environment.overrides.provider.clone().unwrap();
    service.clock.advance(Duration::from_secs(15));
    // When the service starts, the provider may also be starting.
    fake.state().failing = Some(Failing::Fails);
    let check = cli::serve::tasks::check_provider(provider, Duration::from_millis(1));
    let start = async {
        while fake.requests("/.well-known/openid-configuration") == 1 {
            tokio::task::yield_now().await;
        }
        fake.state().failing = None;
        service.clock.advance(Duration::from_secs(15));
    };
    tokio::join!(check, start);
    let log = log.text();
    let named_both = format!(
        "the setting KIROKU_OIDC_ISSUER is {}, but the provider names itself {named}",
        fake.issuer
    );
    log.assert_has(&named_both);
    log.assert_has("names itself otherwise than the setting");
}

#[tokio::test]
async fn secret_is_sent_in_the_way_that_the_metadata_or_the_settings_name() {
    let form = Some(TokenAuth::Post);
    let basic = Some(TokenAuth::Basic);
    for (methods, setting, in_form) in [
        (json!(null), None, false),
        (json!(null), form, true),
        (json!(["client_secret_post"]), None, true),
        (json!(["client_secret_post"]), basic, false),
        (
            json!(["client_secret_post", "client_secret_basic"]),
            None,
            false,
        ),
        (json!(["client_secret_basic"]), form, true),
        (json!([]), None, false),
    ] {
        let (service, fake) =
            Service::with_provider(|settings| settings.token_auth = setting).await;
        fake.set_metadata(json!({"token_endpoint_auth_methods_supported": methods}));
        fake.state().takes_secret_in_form = in_form;
        let page = sign_in(&service, &fake).await;
        assert_eq!(page.status, StatusCode::OK, "{methods} {setting:?}");
    }
}

/// A forged token makes the service request the provider's keys again. Other users must not wait for the response.
#[tokio::test]
async fn made_up_logout_token_holds_up_no_sign_in() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let mut browser = PageClient::new(&service);
    let read = "/.well-known/openid-configuration";
    browser.get("/sign-in/provider").await;
    assert_eq!(fake.requests(read), 1);
    service.clock.advance(Duration::from_mins(2));
    fake.state().signing = Signing::UnknownKey;
    let token = fake.sign("logout+jwt", &fake.logout_claims(json!({})));
    fake.state().failing = Some(Failing::Hangs);
    let logout = send_logout(&service, &token);
    let sign_in = async {
        while fake.requests(read) == 1 {
            tokio::task::yield_now().await;
        }
        browser.get("/sign-in/provider").await
    };
    tokio::select! {
        biased;
        answer = sign_in => assert_eq!(answer.status, StatusCode::SEE_OTHER),
        _ = logout => panic!("the sign-in has waited for the provider"),
    }
}

/// Requests that a client cancels before the provider responds do not make the provider seem unavailable, and new keys
/// are still read.
#[tokio::test]
async fn requests_that_are_given_up_hold_up_no_sign_in() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let read = "/.well-known/openid-configuration";
    fake.state().failing = Some(Failing::Hangs);
    let given_up = service.send(Method::GET, "/sign-in/provider", &[]);
    let has_begun = async {
        while fake.requests(read) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = has_begun => {}
        _ = given_up => panic!("the provider does not answer"),
    }
    fake.state().failing = None;
    let answer = PageClient::new(&service).get("/sign-in/provider").await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    // Old metadata are used while the provider does not respond.
    service.clock.advance(Duration::from_hours(2));
    fake.state().failing = Some(Failing::Fails);
    for _ in 0..2 {
        let answer = PageClient::new(&service).get("/sign-in/provider").await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
    }
    assert_eq!(fake.requests(read), 3);
}

#[tokio::test]
async fn keys_that_changed_under_the_same_name_are_read_again_once_a_minute() {
    let (service, fake, _) = with_connected_user(|_| {}).await;
    let status = async || sign_in(&service, &fake).await.status;
    assert_eq!(status().await, StatusCode::SEE_OTHER);
    fake.rotate_key("key-1");
    assert_eq!(status().await, StatusCode::BAD_GATEWAY);
    assert_eq!(fake.requests("/keys"), 1);
    service.clock.advance(Duration::from_mins(1));
    assert_eq!(status().await, StatusCode::SEE_OTHER);
    assert_eq!(status().await, StatusCode::SEE_OTHER);
    assert_eq!(fake.requests("/keys"), 2);
}

#[tokio::test]
async fn users_connect_again_after_a_change_of_the_issuer() {
    let (service, fake, person) = with_connected_user(|_| {}).await;
    let users = service.users();
    let account = users.account(person.id).await.unwrap().unwrap();
    let connected = account.factors.identity.clone().unwrap();
    let mut factors = account.factors.clone();
    factors.identity = Some(Identity {
        issuer: "https://old.example".to_owned(),
        ..connected.clone()
    });
    users.replace_factors(&account, factors).await.unwrap();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let back = browser.go_to_provider(&fake, CONNECT).await;
    back.assert_leads_to("/profile/security?done=provider-connected");
    let account = users.account(person.id).await.unwrap().unwrap();
    let identity = account.factors.identity.unwrap();
    assert_eq!(identity.issuer, connected.issuer);
}
