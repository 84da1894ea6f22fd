//! The pages for second factors: set-up, recovery codes, removal, and the code after the password.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use futures_util::join;
use serde_json::json;
use shared::auth::{KeyRing, KeySource};
use shared::models::Role;
use shared::random::Random;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden, textarea};
use tests::people::{PASSWORD, Person};
use tests::second_factor::{Authenticator, SET_UP};
use tests::service::{Answer, PUBLIC_URL, Service};

use super::{account, assert_rounds, is_signed_in, set_language, sign_in_as};

const SECURITY: &str = "/profile/security";
const CODES: &str = "/profile/security/second-factor/codes";
const REMOVE: &str = "/profile/security/second-factor/remove";
const CODE: &str = "/sign-in/code";
const ENDED: &str = "Too much time has passed. Sign in again.";

/// Sends the password. Returns the page that asks for the code.
async fn send_password(browser: &mut PageClient<'_>, path: &str) -> Answer {
    let asked = sign_in_as(browser, path, "taki").await;
    assert_eq!(asked.status, StatusCode::OK);
    asked.assert_has("action=\"/sign-in/code\"");
    asked
}

async fn has_second_factor(service: &Service, person: &Person) -> bool {
    let account = account(service, person.id).await;
    account.factors.second_factor.is_some()
}

async fn guarded() -> (Service, Person, Authenticator, Vec<String>) {
    let (service, person) = Service::with_person("taki").await;
    let (app, codes) = service.set_up_second_factor(&person).await;
    (service, person, app, codes)
}

#[tokio::test]
async fn set_up_shows_a_key_and_then_recovery_codes() {
    let (service, person) = Service::with_person("taki").await;
    assert!(service.users().verify_email(person.id, 0).await.unwrap());
    let mut browser = PageClient::signed_in(&service, &person).await;
    let security = browser.get(SECURITY).await.text();
    security.assert_has(&format!("href=\"{SET_UP}\""));
    let page = browser.get(SET_UP).await;
    let text = page.text();
    assert_eq!(page.status, StatusCode::OK);
    assert!(text.len() < 30_000, "{}", text.len());
    let app = Authenticator::scan(&page);
    let url = format!(
        "otpauth://totp/Kiroku%20%28kiroku.test%29:taki?secret={}&amp;issuer=Kiroku%20%28kiroku.test%29",
        app.key()
    );
    text.assert_has(&format!("href=\"{url}\""));
    text.assert_has("<svg class=\"qr\" role=\"img\" aria-label=\"QR code with the key\"");
    text.assert_has("autocomplete=\"one-time-code\" inputmode=\"numeric\"");
    // Only the page has the key, so another visit gets another key.
    let other = Authenticator::scan(&browser.get(SET_UP).await);
    assert_ne!(app.key(), other.key());

    for code in ["", "000000", &other.code(&service), &"1".repeat(10 * 1024)] {
        let refused = browser.submit(&page, SET_UP, &[("code", code)]).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{code}");
        assert_eq!(Authenticator::scan(&refused).key(), app.key());
        assert!(!has_second_factor(&service, &person).await);
    }
    let code = app.code(&service);
    let mails = service.mail_count();
    let done = browser.submit(&page, SET_UP, &[("code", &code)]).await;
    done.assert_status(200);
    assert_eq!(textarea(&done).lines().count(), 10);
    assert_eq!(service.mail_count(), mails + 1);
    service.assert_declared_attributes().await;
    // The codes are shown once, and the form works once.
    let security = browser.get(SECURITY).await.text();
    security.assert_has("You have 10 recovery codes left.");
    security.assert_has("is set up since 14 November 2023");
    security.assert_lacks(&textarea(&done)[..23]);
    browser
        .submit(&page, SET_UP, &[("code", &code)])
        .await
        .assert_leads_to(SECURITY);
    browser.get(SET_UP).await.assert_leads_to(SECURITY);
}

#[tokio::test]
async fn set_up_belongs_to_its_session_and_ends() {
    let (service, person) = Service::with_person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get(SET_UP).await;
    let app = Authenticator::scan(&page);
    let state = hidden(&page, "state").unwrap();
    let mut other = PageClient::signed_in(&service, &person).await;
    let other_page = other.get(SET_UP).await;
    let csrf = hidden(&other_page, "csrf").unwrap();
    let code = app.code(&service);
    for state in [&state, "", "0.AAAA"] {
        let fields = [("csrf", &*csrf), ("state", state), ("code", &code)];
        let refused = other.post(SET_UP, &fields).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        refused.assert_has("Add this new key");
        assert_ne!(Authenticator::scan(&refused).key(), app.key());
    }
    assert!(!has_second_factor(&service, &person).await);
}

#[tokio::test]
async fn changes_need_a_fresh_proof() {
    let (service, person, ..) = guarded().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get(SECURITY).await;
    page.assert_has(&format!("action=\"{REMOVE}\""));
    service.clock.advance(Duration::from_mins(10));
    for path in [CODES, REMOVE, SET_UP] {
        let answer = browser.submit(&page, path, &[]).await;
        answer.assert_leads_to(&format!("/prove?next={SECURITY}"));
    }
    let answer = browser.get(SET_UP).await;
    answer.assert_leads_to(&format!("/prove?next={SECURITY}"));
    let text = browser.get(SECURITY).await.text();
    text.assert_has("You have 10 recovery codes left.");
    text.assert_lacks(REMOVE);
    assert!(has_second_factor(&service, &person).await);
    let visitor = PageClient::new(&service).get(SET_UP).await;
    visitor.assert_leads_to(&format!("/sign-in?next={SECURITY}"));
}

#[tokio::test]
async fn new_recovery_codes_replace_the_old_ones() {
    let (service, person, _, old) = guarded().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get(SECURITY).await;
    let renewed = browser.submit(&page, CODES, &[]).await;
    assert_eq!(renewed.status, StatusCode::OK);
    let new = textarea(&renewed);
    let new: Vec<&str> = new.lines().collect();
    for (code, status) in [(&*old[0], 401), (new[0], 200)] {
        let body = json!({"username": "taki", "password": PASSWORD, "code": code});
        let login = service.json(Method::POST, "/v1/auth/login", None, &body);
        assert_eq!(login.await.status, status);
    }
    // The user's other sessions stay valid.
    assert!(is_signed_in(&mut browser).await);
}

#[tokio::test]
async fn removal_ends_all_other_sessions_and_tokens() {
    let (service, person, ..) = guarded().await;
    assert!(service.users().verify_email(person.id, 0).await.unwrap());
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut other = PageClient::signed_in(&service, &person).await;
    let page = browser.get(SECURITY).await;
    let mails = service.mail_count();
    let removed = browser.submit(&page, REMOVE, &[]).await;
    removed.assert_leads_to(&format!("{SECURITY}?done=factor-removed"));
    assert_eq!(service.mail_count(), mails + 1);
    assert!(!has_second_factor(&service, &person).await);
    let text = browser.get(removed.header("location")).await.text();
    text.assert_has("The second factor is removed.");
    assert!(!is_signed_in(&mut other).await);
    let me = service.get_as(&person.token, "/v1/auth/me");
    assert_eq!(me.await.status, 401);
    // The button is pressed again in another tab.
    let again = browser.submit(&page, REMOVE, &[]).await;
    again.assert_leads_to(&format!("{SECURITY}?done=factor-removed"));
    assert_eq!(service.mail_count(), mails + 1);
}

#[tokio::test]
async fn removal_in_parallel_happens_once() {
    let (service, person, ..) = guarded().await;
    let mut one = PageClient::signed_in(&service, &person).await;
    let mut other = PageClient::signed_in(&service, &person).await;
    let (page, other_page) = join!(one.get(SECURITY), other.get(SECURITY));
    let (first, second) = join!(
        one.submit(&page, REMOVE, &[]),
        other.submit(&other_page, REMOVE, &[])
    );
    let done = format!("{PUBLIC_URL}{SECURITY}?done=factor-removed");
    let is_done = |answer: &Answer| answer.header("location") == done;
    assert_ne!(is_done(&first), is_done(&second), "{first:?} {second:?}");
    assert!(!has_second_factor(&service, &person).await);
    let signed_in = [is_signed_in(&mut one).await, is_signed_in(&mut other).await];
    assert_eq!(signed_in, [is_done(&first), is_done(&second)]);
}

#[tokio::test]
async fn sign_in_continues_with_a_code() {
    let (service, person, app, recovery) = guarded().await;
    for code in [app.code(&service), recovery[0].clone()] {
        let mut browser = PageClient::new(&service);
        let asked = send_password(&mut browser, "/sign-in?next=%2Fprofile%2Fdata").await;
        asked.assert_has("autocomplete=\"one-time-code\" inputmode=\"numeric\"");
        asked.assert_lacks("type=\"password\"");
        assert!(!is_signed_in(&mut browser).await);
        let wrong = browser.submit(&asked, CODE, &[("code", "000000")]).await;
        assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
        wrong.assert_has("Code is wrong or has already been used.");
        let empty = browser.submit(&wrong, CODE, &[("code", "")]).await;
        assert_eq!(empty.status, StatusCode::BAD_REQUEST);
        let done = browser.submit(&empty, CODE, &[("code", &code)]).await;
        done.assert_leads_to("/profile/data");
        assert!(is_signed_in(&mut browser).await);
        // The page of the code is left open in another tab. Its state belongs to the browser before the sign-in.
        let again = browser.submit(&empty, CODE, &[("code", &code)]).await;
        assert_eq!(again.status, StatusCode::FORBIDDEN);
    }
    let account = account(&service, person.id).await;
    let left = account.factors.second_factor.unwrap().recovery_codes.len();
    assert_eq!(left, 9);
}

/// If the keys of the service are lost, the page that asks for a code says that only a recovery code helps.
#[tokio::test]
async fn unreadable_secret_leads_to_a_recovery_code() {
    let (service, person, app, recovery) = guarded().await;
    let mut environment = service.environment.clone();
    let keys = KeyRing::new(&Random::seeded(77));
    environment.overrides.encryption = Some(KeySource::Fixed(Arc::new(keys)));
    environment.encryption_keys = OnceLock::new();
    let service = service.with_environment(environment);

    let mut browser = PageClient::new(&service);
    let asked = send_password(&mut browser, "/sign-in").await;
    let code = app.code(&service);
    let refused = browser.submit(&asked, CODE, &[("code", &code)]).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let sentence = "Code cannot be checked on this server any more; enter a recovery code.";
    refused.assert_has(sentence);
    let body = json!({"username": "taki", "password": PASSWORD, "code": code});
    let login = service.json(Method::POST, "/v1/auth/login", None, &body);
    let answer = login.await;
    answer.assert_status(401);
    let factors = json!({"second_factor": ["recovery"]});
    assert_eq!(answer.json()["data"], factors);

    let fields = [("code", recovery[0].as_str())];
    browser.submit(&refused, CODE, &fields).await;
    assert!(is_signed_in(&mut browser).await);
    assert!(has_second_factor(&service, &person).await);
}

/// A state that is invalid for any reason leads back to the sign-in page.
#[tokio::test]
async fn state_of_a_sign_in_is_bound_to_browser_time_and_password() {
    let (service, person, app, _) = guarded().await;
    let mut browser = PageClient::new(&service);
    let asked = send_password(&mut browser, "/sign-in").await;
    let state = hidden(&asked, "state").unwrap();
    // Another browser has the state and the code, but not the cookie.
    let mut thief = PageClient::new(&service);
    let page = thief.get("/sign-in").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let code = app.code(&service);
    for state in [&*state, "", "x", &"1".repeat(10 * 1024)] {
        let fields = [("csrf", &*csrf), ("state", state), ("code", &code)];
        let refused = thief.post(CODE, &fields).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        refused.assert_has(ENDED);
        refused.assert_has("action=\"/sign-in\"");
    }
    service.clock.advance(Duration::from_mins(10));
    let code = app.code(&service);
    let late = browser.submit(&asked, CODE, &[("code", &code)]).await;
    assert_eq!(late.status, StatusCode::BAD_REQUEST);
    late.assert_has(ENDED);
    // The user signs out everywhere while the page is open.
    let asked = send_password(&mut browser, "/sign-in").await;
    let everywhere = "/v1/auth/logout_everywhere";
    let out = service.with_token(Method::POST, everywhere, &person.token);
    assert_eq!(out.await.status, 200);
    let ended = browser.submit(&asked, CODE, &[("code", &code)]).await;
    assert_eq!(ended.status, StatusCode::BAD_REQUEST);
    ended.assert_has(ENDED);
    assert!(!is_signed_in(&mut browser).await);
    // No code was used up.
    let asked = send_password(&mut browser, "/sign-in").await;
    let done = browser.submit(&asked, CODE, &[("code", &code)]).await;
    done.assert_leads_to("/profile");
}

#[tokio::test]
async fn codes_on_the_page_are_limited() {
    let (service, _, app, _) = guarded().await;
    let mut browser = PageClient::new(&service);
    let asked = send_password(&mut browser, "/sign-in").await;
    for _ in 0..50 {
        let wrong = browser.submit(&asked, CODE, &[("code", "000000")]).await;
        assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    }
    let code = app.code(&service);
    let blocked = browser.submit(&asked, CODE, &[("code", &code)]).await;
    assert_eq!(blocked.status, StatusCode::TOO_MANY_REQUESTS);
    assert_ne!(blocked.header("retry-after"), "");
    // The password does not help either.
    let blocked = sign_in_as(&mut browser, "/sign-in", "taki").await;
    assert_eq!(blocked.status, StatusCode::TOO_MANY_REQUESTS);
}

/// The values that were typed into the form of an entry before the session ended are kept through both steps.
#[tokio::test]
async fn draft_of_an_entry_is_kept() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let (app, _) = service.set_up_second_factor(&person).await;
    service.create_story(&person, &anime, 3).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let id = anime.id.get();
    let form = browser.get(&format!("/list?status=0&edit={id}")).await;
    let profile = browser.get("/profile").await;
    browser.submit(&profile, "/sign-out", &[]).await;
    browser.fetch_site = "same-origin";
    let notes = [("notes", "typed before")];
    let asked = browser.submit(&form, "/list/save", &notes).await;
    asked.assert_status(401);
    let fields = [("who", "taki"), ("password", PASSWORD)];
    let asked = browser.submit(&asked, "/sign-in", &fields).await;
    asked.assert_has("typed before");
    let wrong = browser.submit(&asked, CODE, &[("code", "1")]).await;
    let code = app.code(&service);
    let page = browser.submit(&wrong, CODE, &[("code", &code)]).await;
    page.assert_status(200);
    page.assert_has("The entry has not been saved yet.");
    page.assert_has("typed before");
}

#[tokio::test]
async fn consent_follows_the_whole_sign_in() {
    let (service, _, application) = Service::with_application("mitsuha").await;
    let taki = service.person("taki").await;
    let (app, _) = service.set_up_second_factor(&taki).await;
    let mut browser = PageClient::new(&service);
    let request = application.request(&[]);
    let to_sign_in = browser.get(&request).await;
    let path = to_sign_in.header("location").to_owned();
    let asked = send_password(&mut browser, &path).await;
    let policy = asked.header("content-security-policy");
    policy.assert_lacks("form-action");
    assert_eq!(browser.get(&request).await.status, StatusCode::SEE_OTHER);
    let code = app.code(&service);
    let done = browser.submit(&asked, CODE, &[("code", &code)]).await;
    let consent = browser.get(done.header("location")).await;
    assert_eq!(consent.status, StatusCode::OK);
    consent.assert_has("action=\"/v1/oauth\"");
}

#[tokio::test]
async fn moderators_see_kinds_of_factors_only() {
    let (service, person, ..) = guarded().await;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    let mut browser = PageClient::signed_in(&service, &moderator).await;
    let path = format!("/moderation/user/{}", person.id.get());
    let text = browser.get(&path).await.text();
    let kinds = "<dt>Ways to sign in</dt><dd>Password, Second factor</dd>";
    text.assert_has(kinds);
    text.assert_lacks("recovery");
}

#[tokio::test]
async fn pages_read_in_one_round() {
    let (service, person, ..) = guarded().await;
    let other = service.person("mitsuha").await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut without = PageClient::signed_in(&service, &other).await;
    assert_rounds(&mut browser, &rounds, SECURITY, 1).await;
    assert_rounds(&mut without, &rounds, SET_UP, 1).await;
}

#[tokio::test]
async fn pages_are_in_the_language_of_the_user() {
    let (service, person, ..) = guarded().await;
    for (language, text) in [
        ("fr", "10 codes de secours."),
        ("it", "Ti restano 10 codici di recupero."),
        ("ja", "リカバリーコードの残りは10個です。"),
    ] {
        set_language(&service, &person, language).await;
        let mut browser = PageClient::signed_in(&service, &person).await;
        let page = browser.get(SECURITY).await.text();
        page.assert_has(text);
    }
}
