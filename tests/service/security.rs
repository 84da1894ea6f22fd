//! The part of the profile about signing in: sessions, known browsers, the e-mail address, and the mails about changes.

use std::time::Duration;

use accounts::throttling::AttemptStore;
use axum::http::Method;
use serde_json::json;
use shared::models::UserId;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::people::{PASSWORD, Person};
use tests::rows::row;
use tests::service::{Answer, PUBLIC_URL, Service};

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const SAFARI: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                      Version/18.6 Mobile/15E148 Safari/604.1";

const SECURITY: &str = "/profile/security";
const END: &str = "/profile/security/session/end";

/// Returns a service and a user with a verified address.
async fn with_verified_user() -> (Service, Person) {
    let (service, person) = Service::with_person("mitsuha").await;
    assert!(service.users().verify_email(person.id, 0).await.unwrap());
    (service, person)
}

/// Signs in on the page, one second later so that mails have an order.
async fn sign_in(service: &Service, browser: &mut PageClient<'_>, password: &str) -> Answer {
    service.clock.advance(Duration::from_secs(1));
    browser.cookies.remove("__Host-session");
    let page = browser.get("/sign-in").await;
    let who = [("who", "mitsuha"), ("password", password)];
    browser.submit(&page, "/sign-in", &who).await
}

/// Returns a browser with this header `User-Agent`, signed in on the page.
async fn signed_in<'s>(service: &'s Service, user_agent: &'static str) -> PageClient<'s> {
    let mut browser = PageClient::new(service);
    browser.user_agent = user_agent;
    let signed_in = sign_in(service, &mut browser, PASSWORD).await;
    signed_in.assert_status(303);
    browser
}

/// Returns the identifiers of the sessions that the page can end.
async fn ends(browser: &mut PageClient<'_>) -> Vec<String> {
    let page = browser.get(SECURITY).await;
    page.all_between("name=\"session\" value=\"", "\"")
}

async fn change_email(browser: &mut PageClient<'_>, email: &str) -> Answer {
    let page = browser.get("/profile").await;
    let email = [("email", email)];
    browser.submit(&page, "/profile/email", &email).await
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut here = signed_in(&service, FIREFOX).await;
    service.clock.advance(Duration::from_hours(3));
    let mut there = signed_in(&service, SAFARI).await;
    let page = here.get(SECURITY).await.text();
    let own = page.before("Safari, iOS");
    own.assert_has("Firefox, Linux</strong> <span class=\"badge\">this browser</span>");
    own.assert_has("Signed in 14 November 2023, 22:13 UTC; last used");
    let other = page.after("Safari, iOS");
    other.assert_has("Signed in 15 November 2023, 01:13 UTC");
    assert_eq!(page.matches(">this browser</span>").count(), 1);
    // The use is recorded at most once an hour, so the next page has it.
    let again = here.get(SECURITY).await.text();
    again.assert_has("22:13 UTC; last used 15 November 2023, 01:13 UTC");

    let [id] = &ends(&mut here).await[..] else {
        panic!("{again}")
    };
    let page = here.get(SECURITY).await;
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [("csrf", csrf.as_str()), ("session", id.as_str())];
    for _ in 0..2 {
        let ended = here.post(END, &fields).await;
        ended.assert_leads_to("/profile/security?done=session");
    }
    let done = here.get("/profile/security?done=session").await.text();
    done.assert_has("That browser is signed out.");
    assert!(ends(&mut here).await.is_empty());
    assert_eq!(there.get("/profile").await.status, 303);
    assert_eq!(here.get("/profile").await.status, 200);
}

#[tokio::test]
async fn only_own_sessions_can_be_ended() {
    let service = Service::empty().await;
    let (mitsuha, taki) = (
        service.person("mitsuha").await,
        service.person("taki").await,
    );
    let mut victim = PageClient::signed_in(&service, &mitsuha).await;
    let mut second = PageClient::signed_in(&service, &mitsuha).await;
    let [id] = &ends(&mut second).await[..] else {
        panic!("one other session")
    };
    let mut attacker = PageClient::signed_in(&service, &taki).await;
    let page = attacker.get(SECURITY).await;
    let csrf = hidden(&page, "csrf").unwrap();
    let long = "a".repeat(5000);
    for session in [id.as_str(), "", "a", &long] {
        let fields = [("csrf", csrf.as_str()), ("session", session)];
        let answer = attacker.post(END, &fields).await;
        answer.assert_leads_to("/profile/security?done=session");
    }
    assert_eq!(victim.get("/profile").await.status, 200);
    assert_eq!(attacker.get("/profile").await.status, 200);
    let without_token = [("session", id.as_str())];
    assert_eq!(second.post(END, &without_token).await.status, 403);
}

#[tokio::test]
async fn new_password_ends_the_other_sessions_and_sends_a_mail() {
    let (service, person) = with_verified_user().await;
    let mut here = signed_in(&service, FIREFOX).await;
    let mut there = PageClient::signed_in(&service, &person).await;
    let page = here.get(SECURITY).await;
    let password = [("password", "itomori 4 october")];
    service.clock.advance(Duration::from_secs(1));
    let changed = here
        .submit(&page, "/profile/security/password", &password)
        .await;
    changed.assert_leads_to("/profile/security?done=password");
    assert_eq!(there.get("/profile").await.status, 303);
    assert!(
        ends(&mut here).await.is_empty(),
        "ended sessions are not listed"
    );
    let mail = service.mail_text(&person.email());
    mail.assert_has("the password of your Kiroku account was changed");
    mail.assert_has(&format!("{PUBLIC_URL}{SECURITY}"));
}

#[tokio::test]
async fn old_rows_are_listed_without_a_browser_and_the_list_stays_small() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let now = service.clock.now_s();
    for number in 0..40 {
        let session = json!({
            "id_hash": format!("{number:043}"), "user_id": person.id, "generation": 0,
            "begun_at": now - 60 - number, "expires_at": now + 60
        });
        service.put_row("Session", row(session)).await;
    }
    let page = browser.get(SECURITY).await;
    let text = page.text();
    assert_eq!(text.matches("name=\"session\"").count(), 25, "{text}");
    text.assert_has("And 15 older ones.");
    text.assert_has("Unknown browser</strong>");
    text.assert_has("Network: unknown");
    text.assert_has("; last used unknown");
    assert!(page.body.len() < 30_000, "{}", page.body.len());
    service.clock.advance(Duration::from_mins(1));
    assert!(
        ends(&mut browser).await.is_empty(),
        "expired sessions are not listed"
    );
}

#[tokio::test]
async fn user_is_told_of_a_browser_that_was_not_seen_before() {
    let (service, person) = with_verified_user().await;
    let mail = person.email();
    // The account is from before browsers were remembered, so its first browser is not reported as new.
    let mut first = signed_in(&service, FIREFOX).await;
    assert_eq!(service.mail_count(), 0);
    let browser_cookie = first.cookies["__Host-browser"].clone();
    assert_eq!(browser_cookie.len(), 43);
    // The same browser signs in again after signing out.
    let page = first.get("/profile").await;
    first.submit(&page, "/sign-out", &[]).await;
    assert_eq!(first.cookies["__Host-browser"], browser_cookie);
    sign_in(&service, &mut first, PASSWORD).await;
    assert_eq!(first.cookies["__Host-browser"], browser_cookie);
    assert_eq!(service.mail_count(), 0);
    // Another browser signs in, and a third one sends a wrong password.
    let wrong = sign_in(&service, &mut PageClient::new(&service), "wrong").await;
    assert_eq!((wrong.status.as_u16(), service.mail_count()), (401, 0));
    let mut second = signed_in(&service, SAFARI).await;
    assert_eq!(service.mail_count(), 1);
    let text = service.mail_text(&mail);
    text.assert_has("for the first time: Safari, iOS.");
    sign_in(&service, &mut second, PASSWORD).await;
    assert_eq!(service.mail_count(), 1);
    // A cookie with a changed value is replaced.
    let mut third = PageClient::new(&service);
    third
        .cookies
        .insert("__Host-browser".to_owned(), "x".to_owned());
    sign_in(&service, &mut third, PASSWORD).await;
    assert_eq!(third.cookies["__Host-browser"].len(), 43);
    assert_eq!(service.mail_count(), 2);
    let text = service.mail_text(&mail);
    text.assert_has("in a browser for the first time");
    // After a year without a sign-in, no browser is known.
    service.clock.advance(Duration::from_hours(24 * 366));
    AttemptStore::new(&service.database())
        .delete("browsers#user#1")
        .await
        .unwrap();
    signed_in(&service, SAFARI).await;
    assert_eq!(service.mail_count(), 2);
}

#[tokio::test]
async fn mails_about_changes_are_limited_and_go_to_verified_addresses_only() {
    let (service, person) = Service::with_person("mitsuha").await;
    signed_in(&service, FIREFOX).await;
    signed_in(&service, SAFARI).await;
    assert_eq!(service.mail_count(), 0, "the address is not verified");
    assert!(service.users().verify_email(person.id, 0).await.unwrap());
    for _ in 0..7 {
        signed_in(&service, SAFARI).await;
    }
    assert_eq!(service.mail_count(), 5);
    // Each kind of change has its own limit.
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get(SECURITY).await;
    let password = [("password", "itomori 4 october")];
    let change = "/profile/security/password";
    let changed = browser.submit(&page, change, &password).await;
    changed.assert_leads_to("/profile/security?done=password");
    assert_eq!(service.mail_count(), 6);
}

#[tokio::test]
async fn registration_remembers_its_browser_without_a_mail() {
    let service = Service::empty().await;
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-up").await;
    let person = format!("username=mitsuha&email=mitsuha@example.com&password={PASSWORD}");
    let registered = browser.submit_encoded(&page, "/sign-up", &person).await;
    registered.assert_status(303);
    let id = UserId::new(1).unwrap();
    assert!(service.users().verify_email(id, 0).await.unwrap());
    let before = service.mail_count();
    let page = browser.get("/profile").await;
    browser.submit(&page, "/sign-out", &[]).await;
    sign_in(&service, &mut browser, PASSWORD).await;
    assert_eq!(service.mail_count(), before);
    signed_in(&service, SAFARI).await;
    assert_eq!(service.mail_count(), before + 1);
}

/// Remembering the browser costs one write, at the same time as that of the session.
#[tokio::test]
async fn sign_in_costs_one_write_more_and_no_more_rounds() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let (service, meter) = service.metered();
    let mut browser = signed_in(&service, FIREFOX).await;
    let _ = meter.take();
    sign_in(&service, &mut browser, PASSWORD).await;
    let consumed = meter.take();
    assert_eq!(consumed.calls, 10, "{consumed:?}");

    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-in").await;
    let _ = rounds.take();
    let who = [("who", "mitsuha"), ("password", PASSWORD)];
    let signed_in = browser.submit(&page, "/sign-in", &who).await;
    assert_eq!(signed_in.status, 303);
    assert!(rounds.take() <= 7);
}

#[tokio::test]
async fn changed_address_is_verified_again_and_ends_earlier_links() {
    let (service, person) = with_verified_user().await;
    let old = person.email();
    let reset = json!({"email": old});
    let asked = service.json(Method::POST, "/v1/auth/password_reset", None, &reset);
    assert_eq!(asked.await.status, 200);
    let reset_token = service.mailed_token(&old).unwrap();
    let mut browser = PageClient::signed_in(&service, &person).await;
    service.clock.advance(Duration::from_secs(1));
    let changed = change_email(&mut browser, " New@Example.com ").await;
    changed.assert_leads_to("/profile?done=email");
    let page = browser.get("/profile?done=email").await.text();
    page.assert_has("Your e-mail address is changed.");
    page.assert_has("not verified yet");
    let told = service.mail_text(&old);
    told.assert_has("now has another e-mail address");
    // The reset link of the old address does not work, and the old address can be taken.
    let password = json!({"token": reset_token, "password": "itomori 4 october"});
    let refused = service.json(
        Method::POST,
        "/v1/auth/password_reset/confirm",
        None,
        &password,
    );
    assert_eq!(refused.await.status, 400);
    let account = service.users().account(person.id).await.unwrap().unwrap();
    let new = account.email.clone();
    let first_link = service.mailed_token(&new).unwrap();
    // A link that was sent to an address before the last change verifies nothing.
    service.clock.advance(Duration::from_secs(1));
    change_email(&mut browser, "third@example.com")
        .await
        .assert_leads_to("/profile?done=email");
    for (link, status) in [
        (first_link, 400),
        (service.mailed_token("third@example.com").unwrap(), 200),
    ] {
        let page = browser.get(&format!("/verify-email?token={link}")).await;
        let verified = browser.submit(&page, "/verify-email", &[]).await;
        verified.assert_status(status);
    }
    let account = service.users().account(person.id).await.unwrap().unwrap();
    assert_eq!(account.email, "third@example.com");
    assert!(account.email_verified);
    let taki = json!({"username": "taki", "email": old, "password": PASSWORD});
    let registered = service.json(Method::POST, "/v1/auth/register", None, &taki);
    assert_eq!(registered.await.status, 200);
    // Signing in works with the new address only.
    for (email, status) in [("third@example.com", 200), (new.as_str(), 401)] {
        let login = json!({"email": email, "password": PASSWORD});
        let answer = service.json(Method::POST, "/v1/auth/login", None, &login);
        assert_eq!(answer.await.status, status, "{email}");
    }
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn taken_and_invalid_addresses_are_refused() {
    let service = Service::empty().await;
    let (mitsuha, taki) = (
        service.person("mitsuha").await,
        service.person("taki").await,
    );
    let mut browser = PageClient::signed_in(&service, &mitsuha).await;
    for (email, status) in [("", 400), ("a", 400), ("a@b@c", 400), (&taki.email(), 409)] {
        let refused = change_email(&mut browser, email).await;
        assert_eq!(refused.status, status, "{email}: {}", refused.text());
        assert!(refused.text().contains("email-fault"), "{email}");
    }
    // A change to the same address has no effect.
    let same = change_email(&mut browser, &mitsuha.email()).await;
    assert_eq!(same.status, 303);
    let account = service.users().account(mitsuha.id).await.unwrap().unwrap();
    assert_eq!(account.email, mitsuha.email());
    assert_eq!(account.email_version, 0);
    assert_eq!(service.mail_count(), 0);
    // Of two users who want the same address at the same time, one gets it.
    let mut other = PageClient::signed_in(&service, &taki).await;
    let (one, two) = tokio::join!(
        change_email(&mut browser, "radio@example.com"),
        change_email(&mut other, "radio@example.com"),
    );
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 409]);
    // The number of changes from a network is limited.
    let mut limited = change_email(&mut browser, "x0@example.com").await;
    for number in 1..110 {
        if limited.status == 429 {
            break;
        }
        limited = change_email(&mut browser, &format!("x{number}@example.com")).await;
    }
    assert_eq!(limited.status, 429);
}

#[tokio::test]
async fn connections_are_told_of_by_mail() {
    let (service, person) = with_verified_user().await;
    let mail = person.email();
    let mut browser = PageClient::signed_in(&service, &person).await;
    // For an application, a mail follows the first consent and a consent for more, but not each consent.
    let application = service.web_application(&person).await;
    let read = [("scope", "read")];
    for (scope, count) in [(&read[..], 1), (&read[..], 1), (&[][..], 2), (&[][..], 2)] {
        service.clock.advance(Duration::from_secs(1));
        browser.allow(&application, scope).await;
        assert_eq!(service.mail_count(), count);
    }
    let text = service.mail_text(&mail);
    text.assert_has("the application “Radio Itomori” was connected");
    service.clock.advance(Duration::from_secs(1));
    let page = browser.get("/profile/players").await;
    let player = [("name", "Living room"), ("kind", "mpv")];
    let added = browser.submit(&page, "/profile/players", &player).await;
    assert_eq!(added.status, 303);
    let text = service.mail_text(&mail);
    text.assert_has("the player “Living room” was added");
    // One new password is set over the API, and one with the link of a mail.
    service.clock.advance(Duration::from_secs(1));
    let change = json!({"id": person.id, "gender": 0, "password": "itomori 4 october"});
    let changed = service.post_as(&person.token, "/v1/user", &change);
    assert_eq!(changed.await.status, 200);
    assert_eq!(service.mail_count(), 4);
    service.clock.advance(Duration::from_secs(1));
    let reset = json!({"email": mail});
    let asked = service.json(Method::POST, "/v1/auth/password_reset", None, &reset);
    assert_eq!(asked.await.status, 200);
    let token = service.mailed_token(&mail).unwrap();
    service.clock.advance(Duration::from_secs(1));
    let password = json!({"token": token, "password": "sora no umi 2016"});
    let done = service.json(
        Method::POST,
        "/v1/auth/password_reset/confirm",
        None,
        &password,
    );
    assert_eq!(done.await.status, 200);
    assert_eq!(service.mail_count(), 6);
    let text = service.mail_text(&mail);
    text.assert_has("the password of your Kiroku account");
}
