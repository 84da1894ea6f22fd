//! Proofs: the page that asks for one, and the changes that need one of the last 10 minutes.

use std::time::Duration;

use axum::http::StatusCode;
use shared::models::{EmailAddress, Factors, Gender, Identity, Username};
use store::NewAccount;
use tests::browser::Browser;
use tests::people::{PASSWORD, Person};
use tests::rounds;
use tests::service::{Answer, PUBLIC_URL, Service};

/// The time for which a proof counts.
const PROOF: Duration = Duration::from_mins(10);

/// A form: its page, its path, its fields, and the page to which a proof leads back.
type ProvedForm = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

/// The forms that need a proof.
const FORMS: [ProvedForm; 5] = [
    (
        "/profile/security",
        "/profile/security/password",
        &[("password", "itomori 4 october")],
        "/profile/security",
    ),
    (
        "/profile/developer",
        "/profile/developer/token",
        &[("name", "my program"), ("scope", "read write")],
        "/profile/developer",
    ),
    (
        "/profile/developer",
        "/profile/developer/token",
        &[("name", "my player"), ("scope", "playback")],
        "/profile/developer",
    ),
    (
        "/profile",
        "/profile/email",
        &[("email", "new@example.com")],
        "/profile",
    ),
    ("/profile", "/profile/delete", &[], "/profile/delete"),
];

fn assert_leads_to(answer: &Answer, path: &str) {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    assert_eq!(answer.header("location"), format!("{PUBLIC_URL}{path}"));
}

async fn prove(browser: &mut Browser<'_>, next: &str, password: &str) -> Answer {
    let page = browser.get(&format!("/prove?next={next}")).await;
    assert_eq!(page.status, 200, "{}", page.text());
    let password = [("password", password)];
    browser.submit(&page, "/prove", &password).await
}

/// Creates a user who signs in with an identity provider only.
async fn person_without_password(service: &Service, name: &str) -> Person {
    let account = NewAccount {
        username: Username::new(name).unwrap(),
        email: EmailAddress::new(&format!("{name}@example.com")).unwrap(),
        email_verified: true,
        password_hash: None,
        factors: Factors {
            identity: Some(Identity {
                issuer: "https://id.example".to_owned(),
                subject: name.to_owned(),
                connected_at: service.clock.now_ms(),
            }),
            ..Factors::default()
        },
        gender: Gender::Unknown,
        localization: "en".to_owned(),
        created_at: service.clock.now_ms(),
        invitation: None,
    };
    let id = service.users().create(account).await.unwrap().user.id;
    Person {
        id,
        name: name.to_owned(),
        token: service.token(id).await,
    }
}

/// Returns the row of the user, which the refused forms must not change.
async fn account(service: &Service, person: &Person) -> String {
    let account = service.users().account(person.id).await.unwrap();
    format!("{:?}", account.unwrap())
}

#[tokio::test]
async fn change_without_a_fresh_proof_leads_to_the_proof_and_back() {
    let service = Service::empty().await;
    let person = service.person("mitsuha").await;
    let mut browser = Browser::signed_in(&service, &person).await;
    for (page, form, fields, back) in FORMS {
        service.clock.advance(PROOF);
        let page = browser.get(page).await;
        let before = account(&service, &person).await;
        let refused = browser.submit(&page, form, fields).await;
        assert_leads_to(&refused, &format!("/prove?next={back}"));
        assert_eq!(account(&service, &person).await, before, "{form}");
        let developer = browser.get("/profile/developer").await.text();
        assert!(!developer.contains("Revoke</button>"), "{form}");
        assert_leads_to(&prove(&mut browser, back, PASSWORD).await, back);
        // The proof counts until 10 minutes have passed.
        service
            .clock
            .advance(PROOF.saturating_sub(Duration::from_secs(1)));
        assert_leads_to(&browser.get(&format!("/prove?next={back}")).await, back);
    }
    for (page, form, fields, _) in FORMS {
        service.clock.advance(PROOF);
        let password = if form == FORMS[0].1 {
            PASSWORD
        } else {
            FORMS[0].2[0].1
        };
        assert_leads_to(&prove(&mut browser, "/profile", password).await, "/profile");
        let page = browser.get(page).await;
        let done = browser.submit(&page, form, fields).await;
        let leads = done.headers.get("location");
        let to_proof = leads.is_some_and(|to| to.to_str().unwrap().contains("/prove"));
        assert!(
            done.status.as_u16() < 400 && !to_proof,
            "{form}: {}",
            done.text()
        );
    }
    assert!(service.users().account(person.id).await.unwrap().is_none());
}

#[tokio::test]
async fn sign_in_is_a_proof_and_reading_needs_none() {
    let service = Service::empty().await;
    let person = service.person("mitsuha").await;
    let mut browser = Browser::signed_in(&service, &person).await;
    let text = browser.get("/profile/security").await.text();
    assert!(
        text.contains("action=\"/profile/security/password\""),
        "{text}"
    );
    service.clock.advance(PROOF);
    let text = browser.get("/profile/security").await.text();
    assert!(
        !text.contains("action=\"/profile/security/password\""),
        "{text}"
    );
    assert!(
        text.contains("href=\"/prove?next=/profile/security\""),
        "{text}"
    );
    browser.create_token("my program", "read").await;
    assert_leads_to(
        &browser.get("/profile/delete").await,
        "/prove?next=/profile/delete",
    );
    // Signing out and in again.
    let page = browser.get("/prove?next=/profile/delete").await;
    let out = browser.submit(&page, "/sign-out", &[]).await;
    assert_leads_to(&out, "/sign-in?next=/profile/delete");
    let page = browser.get("/sign-in?next=/profile/delete").await;
    let who = [("who", "mitsuha"), ("password", PASSWORD)];
    let signed_in = browser.submit(&page, "/sign-in", &who).await;
    assert_leads_to(&signed_in, "/profile/delete");
    assert_eq!(browser.get("/profile/delete").await.status, 200);
}

#[tokio::test]
async fn rule_31_guesses_on_the_proof_page_are_counted_as_sign_ins() {
    let service = Service::empty().await;
    let person = service.person("mitsuha").await;
    let mut browser = Browser::signed_in(&service, &person).await;
    service.clock.advance(PROOF);
    for wrong in ["", "not it at all"] {
        let refused = prove(&mut browser, "/profile", wrong).await;
        assert_eq!(refused.status, 400);
        assert!(refused.text().contains("password-fault"));
        assert!(refused.text().contains("name=\"next\" value=\"/profile\""));
    }
    let mut refused = prove(&mut browser, "/profile", "wrong").await;
    while refused.status == 400 {
        refused = prove(&mut browser, "/profile", "wrong").await;
    }
    assert_eq!(refused.status, 429);
    assert_eq!(prove(&mut browser, "/profile", PASSWORD).await.status, 429);
    let mut other = Browser::new(&service);
    let page = other.get("/sign-in").await;
    let who = [("who", "mitsuha"), ("password", PASSWORD)];
    assert_eq!(other.submit(&page, "/sign-in", &who).await.status, 429);
    // Another session of the same user has no proof.
    service.clock.advance(Duration::from_hours(24));
    let page = browser.get("/profile/security").await.text();
    assert!(page.contains("href=\"/prove"), "{page}");
    let proved = prove(&mut browser, "/profile", PASSWORD).await;
    assert_leads_to(&proved, "/profile");
}

#[tokio::test]
async fn proof_belongs_to_one_session_and_leads_only_to_own_pages() {
    let service = Service::empty().await;
    let person = service.person("mitsuha").await;
    let mut here = Browser::signed_in(&service, &person).await;
    let mut there = Browser::signed_in(&service, &person).await;
    service.clock.advance(PROOF);
    for elsewhere in ["https://evil.example/", "//evil.example", "/sign-out", ""] {
        let answer = prove(&mut there, elsewhere, "wrong").await;
        let field = "name=\"next\" value=\"/profile/security\"";
        assert!(answer.text().contains(field), "{elsewhere}");
    }
    let proved = prove(&mut here, "/profile/delete", PASSWORD).await;
    assert_leads_to(&proved, "/profile/delete");
    assert_leads_to(
        &there.get("/profile/delete").await,
        "/prove?next=/profile/delete",
    );
    let mut anonymous = Browser::new(&service);
    assert_leads_to(
        &anonymous.get("/prove?next=/profile/delete").await,
        "/sign-in?next=/profile/delete",
    );
}

#[tokio::test]
async fn account_without_a_password_sets_its_first_one() {
    let service = Service::empty().await;
    let person = person_without_password(&service, "taki").await;
    let mut browser = Browser::signed_in(&service, &person).await;
    let page = browser.get("/profile/security").await;
    assert!(page.text().contains("Your account has no password."));
    service.clock.advance(PROOF);
    let proof = browser.get("/prove").await;
    assert!(!proof.text().contains("type=\"password\""));
    assert!(proof.text().contains("Sign out and in again"));
    for guess in ["", PASSWORD] {
        let guess = [("password", guess)];
        let refused = browser.submit(&proof, "/prove", &guess).await;
        assert_eq!(refused.status, 400);
    }
    let mut browser = Browser::signed_in(&service, &person).await;
    let password = [("password", PASSWORD)];
    let set = browser
        .submit(&page, "/profile/security/password", &password)
        .await;
    assert_eq!(set.status, 403, "the form belongs to another session");
    let page = browser.get("/profile/security").await;
    let set = browser
        .submit(&page, "/profile/security/password", &password)
        .await;
    assert_leads_to(&set, "/profile/security?done=password");
    let page = browser.get("/profile/security?done=password").await.text();
    assert!(page.contains("You can sign in with a password."), "{page}");
    let mut other = Browser::new(&service);
    let page = other.get("/sign-in").await;
    let who = [("who", "taki"), ("password", PASSWORD)];
    assert_leads_to(&other.submit(&page, "/sign-in", &who).await, "/profile");
}

#[tokio::test]
async fn proof_page_is_read_in_one_round() {
    let service = Service::empty().await;
    let person = service.person("mitsuha").await;
    let (client, rounds) = rounds::counted();
    let service = service.with_functions_client(client);
    let mut browser = Browser::signed_in(&service, &person).await;
    service.clock.advance(PROOF);
    assert_eq!(browser.get("/profile").await.status, 200);
    let _ = rounds.take();
    assert_eq!(browser.get("/prove").await.status, 200);
    assert_eq!(rounds.take(), 1);
}
