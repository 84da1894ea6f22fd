//! Proofs: the page that asks for one, and the changes that need one of the last 10 minutes.

use std::collections::BTreeSet;
use std::time::Duration;

use accounts::grants::GrantStore;
use accounts::users::NewAccount;
use serde_json::json;
use shared::auth::{
    Access, Action, Credential, PROOF_RULES, ProfileTokenUse, ProofNeed, proof_need,
};
use shared::models::{EmailAddress, Factors, Gender, Identity, Role, Username};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::calendar::feed_address;
use tests::people::{PASSWORD, Person};
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

async fn prove(browser: &mut PageClient<'_>, next: &str, password: &str) -> Answer {
    let page = browser.get(&format!("/prove?next={next}")).await;
    page.assert_status(200);
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
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (page, form, fields, back) in FORMS {
        service.clock.advance(PROOF);
        // Some pages have the form only with a proof, so the token is from another one.
        assert_eq!(browser.get(page).await.status, 200);
        let page = browser.get("/profile").await;
        let before = account(&service, &person).await;
        let refused = browser.submit(&page, form, fields).await;
        refused.assert_leads_to(&format!("/prove?next={back}"));
        assert_eq!(account(&service, &person).await, before, "{form}");
        let developer = browser.get("/profile/developer").await.text();
        assert!(!developer.contains("Revoke</button>"), "{form}");
        prove(&mut browser, back, PASSWORD)
            .await
            .assert_leads_to(back);
        // The proof counts until 10 minutes have passed.
        service
            .clock
            .advance(PROOF.saturating_sub(Duration::from_secs(1)));
        browser
            .get(&format!("/prove?next={back}"))
            .await
            .assert_leads_to(back);
    }
    for (page, form, fields, _) in FORMS {
        service.clock.advance(PROOF);
        let password = if form == FORMS[0].1 {
            PASSWORD
        } else {
            FORMS[0].2[0].1
        };
        prove(&mut browser, "/profile", password)
            .await
            .assert_leads_to("/profile");
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
async fn sign_in_is_a_proof() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let text = browser.get("/profile/security").await.text();
    text.assert_has("action=\"/profile/security/password\"");
    service.clock.advance(PROOF);
    let text = browser.get("/profile/security").await.text();
    text.assert_lacks("action=\"/profile/security/password\"");
    text.assert_has("href=\"/prove?next=/profile/security\"");
    browser
        .get("/profile/delete")
        .await
        .assert_leads_to("/prove?next=/profile/delete");
    // The user signs out and in again.
    let page = browser.get("/prove?next=/profile/delete").await;
    let out = browser.submit(&page, "/sign-out", &[]).await;
    out.assert_leads_to("/sign-in?next=/profile/delete");
    let page = browser.get("/sign-in?next=/profile/delete").await;
    let who = [("who", "mitsuha"), ("password", PASSWORD)];
    let signed_in = browser.submit(&page, "/sign-in", &who).await;
    signed_in.assert_leads_to("/profile/delete");
    assert_eq!(browser.get("/profile/delete").await.status, 200);
}

#[tokio::test]
async fn rule_31_guesses_on_the_proof_page_have_a_limit_of_their_own() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    service.clock.advance(PROOF);
    for wrong in ["", "not it at all"] {
        let refused = prove(&mut browser, "/profile", wrong).await;
        assert_eq!(refused.status, 400);
        assert!(refused.text().contains("password-fault"));
        assert!(refused.text().contains("name=\"next\" value=\"/profile\""));
    }
    let mut refused = prove(&mut browser, "/profile", "wrong").await;
    // An empty password is not an attempt.
    let mut attempts = 1;
    while refused.status == 400 {
        attempts += 1;
        refused = prove(&mut browser, "/profile", "wrong").await;
    }
    assert_eq!((refused.status.as_u16(), attempts), (429, 50));
    assert_eq!(prove(&mut browser, "/profile", PASSWORD).await.status, 429);
    // The owner can sign in, which is also a proof.
    let mut other = PageClient::new(&service);
    let page = other.get("/sign-in").await;
    let who = [("who", "mitsuha"), ("password", PASSWORD)];
    assert_eq!(other.submit(&page, "/sign-in", &who).await.status, 303);
    assert_eq!(other.get("/profile/delete").await.status, 200);
    service.clock.advance(Duration::from_hours(24));
    let page = browser.get("/profile/security").await.text();
    page.assert_has("href=\"/prove");
    let proved = prove(&mut browser, "/profile", PASSWORD).await;
    proved.assert_leads_to("/profile");
}

#[tokio::test]
async fn proof_belongs_to_one_session_and_leads_only_to_own_pages() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut here = PageClient::signed_in(&service, &person).await;
    let mut there = PageClient::signed_in(&service, &person).await;
    service.clock.advance(PROOF);
    for elsewhere in ["https://evil.example/", "//evil.example", "/sign-out", ""] {
        let answer = prove(&mut there, elsewhere, "wrong").await;
        let field = "name=\"next\" value=\"/profile/security\"";
        assert!(answer.text().contains(field), "{elsewhere}");
    }
    let proved = prove(&mut here, "/profile/delete", PASSWORD).await;
    proved.assert_leads_to("/profile/delete");
    there
        .get("/profile/delete")
        .await
        .assert_leads_to("/prove?next=/profile/delete");
    let mut anonymous = PageClient::new(&service);
    anonymous
        .get("/prove?next=/profile/delete")
        .await
        .assert_leads_to("/sign-in?next=/profile/delete");
}

#[tokio::test]
async fn account_without_a_password_sets_its_first_one() {
    let service = Service::empty().await;
    let person = person_without_password(&service, "taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
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
    let mut browser = PageClient::signed_in(&service, &person).await;
    let password = [("password", PASSWORD)];
    let set = browser
        .submit(&page, "/profile/security/password", &password)
        .await;
    assert_eq!(set.status, 403, "the form belongs to another session");
    let page = browser.get("/profile/security").await;
    let set = browser
        .submit(&page, "/profile/security/password", &password)
        .await;
    set.assert_leads_to("/profile/security?done=password");
    let page = browser.get("/profile/security?done=password").await.text();
    page.assert_has("You can sign in with a password.");
    let mut other = PageClient::new(&service);
    let page = other.get("/sign-in").await;
    let who = [("who", "taki"), ("password", PASSWORD)];
    other
        .submit(&page, "/sign-in", &who)
        .await
        .assert_leads_to("/profile");
}

#[tokio::test]
async fn proof_page_is_read_in_one_round() {
    let (service, person) = Service::with_person("mitsuha").await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    service.clock.advance(PROOF);
    assert_eq!(browser.get("/profile").await.status, 200);
    let _ = rounds.take();
    assert_eq!(browser.get("/prove").await.status, 200);
    assert_eq!(rounds.take(), 1);
}

/// Returns a service with an administrator, who has everything that the paths of routes name, and the values of these
/// parameters.
async fn with_everything() -> (Service, Person, [(&'static str, String); 5]) {
    let service = Service::empty().await;
    let person = service
        .person_with_role("mitsuha", Role::Administrator)
        .await;
    // The path of a user, a player, an anime and a song has the same parameter.
    let other = service.person("taki").await;
    let application = service.web_application(&person).await;
    let parameters = [
        ("{client_id}", application.client_id),
        ("{id}", other.id.get().to_string()),
        ("{tracker}", "a".to_owned()),
        ("{year}", "2016".to_owned()),
        ("{name}", "taki".to_owned()),
    ];
    (service, person, parameters)
}

/// Returns the methods and paths of all routes.
fn routes(service: &Service) -> BTreeSet<(String, String)> {
    let router = cli::serve::router::router(&service.environment).unwrap();
    let routes = router.routes.iter();
    routes
        .map(|(method, path)| ((*method).to_owned(), path.to_string()))
        .collect()
}

#[tokio::test]
async fn table_of_proofs_has_every_request_that_changes_something() {
    let service = Service::empty().await;
    let routes = routes(&service);
    let rules = PROOF_RULES.iter();
    let rules: BTreeSet<_> = rules
        .map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned()))
        .collect();
    assert_eq!(rules.len(), PROOF_RULES.len(), "a request is there twice");
    for rule in &rules {
        assert!(routes.contains(rule), "{rule:?} is no route");
    }
    for route in &routes {
        let is_read = route.0 == "GET";
        assert!(
            is_read || rules.contains(route),
            "{route:?} is not in the table"
        );
    }
    // Requests with an access token are those that the OpenAPI document describes as such.
    let document = service.get("/v1/openapi.json").await.json();
    for (method, path, need) in PROOF_RULES {
        let operation = &document["paths"][path][method.to_lowercase()];
        let takes_token = operation["security"]
            .as_array()
            .is_some_and(|ways| ways.iter().any(|way| way.get("bearer").is_some()));
        assert_eq!(*need == ProofNeed::Token, takes_token, "{method} {path}");
    }
}

/// Opens every page and sends every form in a session with an old proof.
#[tokio::test]
async fn every_page_needs_the_proof_that_the_table_states() {
    let (service, person, parameters) = with_everything().await;
    let mut proved = 0;
    for (method, route) in routes(&service) {
        // The API has no sessions. The consent has a test of its own.
        if route.starts_with("/v1/") || route.starts_with("/.well-known/") {
            continue;
        }
        let path = parameters
            .iter()
            .fold(route.clone(), |path, (name, value)| {
                path.replace(name, value)
            });
        let mut browser = PageClient::signed_in(&service, &person).await;
        service.clock.advance(PROOF);
        let answer = if method == "GET" {
            browser.get(&path).await
        } else {
            let page = browser.get("/profile").await;
            let csrf = hidden(&page, "csrf").unwrap();
            browser.post(&path, &[("csrf", &csrf)]).await
        };
        let location = answer.headers.get("location");
        let location = location.and_then(|to| to.to_str().ok()).unwrap_or_default();
        let leads_to_proof = location.starts_with(&format!("{PUBLIC_URL}/prove?next="));
        let need = proof_need(&method, &route);
        let needs_proof = matches!(need, ProofNeed::Fresh(_));
        assert_eq!(
            leads_to_proof, needs_proof,
            "{method} {route}: {}",
            answer.status
        );
        proved += usize::from(needs_proof);
    }
    let is_fresh = |need: &ProofNeed| matches!(need, ProofNeed::Fresh(_));
    let rules = PROOF_RULES.iter().filter(|(_, _, need)| is_fresh(need));
    assert_eq!(proved, rules.count() - 1, "all but the consent");
}

#[tokio::test]
async fn consent_for_more_access_needs_a_proof() {
    let (service, person, application) = Service::with_application("mitsuha").await;
    let grants = async || {
        let grants = GrantStore::new(&service.database()).list(person.id).await;
        grants.unwrap().len()
    };
    let read = application.request(&[("scope", "read")]);
    let mut browser = PageClient::signed_in(&service, &person).await;
    service
        .clock
        .advance(PROOF.saturating_sub(Duration::from_secs(1)));
    let page = browser.get(&read).await;
    page.assert_status(200);
    service.clock.advance(Duration::from_secs(1));
    // The proof has become old while the page was open.
    let allow = [("decision", "allow")];
    let refused = browser.submit(&page, "/v1/oauth", &allow).await;
    assert!(
        is_led_to_proof(&refused, "/v1/oauth?"),
        "{}",
        refused.text()
    );
    assert_eq!(grants().await, 0);
    let refused = browser.get(&read).await;
    assert!(
        is_led_to_proof(&refused, "/v1/oauth?"),
        "{}",
        refused.text()
    );
    // The proof leads back to the consent.
    let next = refused.header("location").after("next=");
    let proved = prove(&mut browser, &next, PASSWORD).await;
    let page = browser.get(proved.header("location")).await;
    let allowed = browser.submit(&page, "/v1/oauth", &allow).await;
    assert_eq!(allowed.status, 303);
    assert_eq!(grants().await, 1);
    // The application asks again, as at each sign-in to it. It gets no more than it has.
    service.clock.advance(PROOF);
    let page = browser.get(&read).await;
    page.assert_status(200);
    let allowed = browser.submit(&page, "/v1/oauth", &allow).await;
    assert!(allowed.header("location").contains("code="));
    for more in [&[("scope", "read write")][..], &[]] {
        let refused = browser.get(&application.request(more)).await;
        assert!(is_led_to_proof(&refused, "/v1/oauth?"), "{more:?}");
    }
    // An application that the user has disconnected starts again.
    service.disconnect(&person, &application).await;
    let refused = browser.get(&read).await;
    assert!(
        is_led_to_proof(&refused, "/v1/oauth?"),
        "{}",
        refused.text()
    );
}

fn is_led_to_proof(answer: &Answer, next: &str) -> bool {
    let location = answer.headers.get("location");
    let location = location.and_then(|to| to.to_str().ok()).unwrap_or_default();
    let next = next.replace('?', "%3F");
    answer.status == 303 && location.starts_with(&format!("{PUBLIC_URL}/prove?next={next}"))
}

#[tokio::test]
async fn addresses_of_players_and_calendar_are_shown_with_a_proof_only() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/players").await;
    let fields = [("name", "Living room"), ("kind", "jellyfin")];
    let added = browser.submit(&page, "/profile/players", &fields).await;
    let player = added.header("location").strip_prefix(PUBLIC_URL).unwrap();
    let player = player.split('?').next().unwrap().to_owned();
    let page = browser.get("/calendar").await;
    browser.submit(&page, "/calendar/feed", &[]).await;
    let feed = feed_address(&service, person.id).await;
    for (path, address) in [
        (player.as_str(), "/v1/playback/"),
        ("/calendar", feed.as_str()),
    ] {
        service.clock.advance(PROOF);
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        assert!(!page.text().contains(address), "{path}: {}", page.text());
        let link = format!("href=\"/prove?next={path}\"");
        assert!(page.text().contains(&link), "{path}: {}", page.text());
        prove(&mut browser, path, PASSWORD)
            .await
            .assert_leads_to(path);
        let page = browser.get(path).await;
        assert!(page.text().contains(address), "{path}: {}", page.text());
    }
}

/// A user gives a profile token to a program, which must not take the account over with it.
#[tokio::test]
async fn profile_token_changes_no_password() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let token = browser.create_token("my program", "read write").await;
    let before = account(&service, &person).await;
    for more in [
        json!({"password": "itomori 4 october"}),
        json!({"current_password": PASSWORD}),
        json!({"password": "itomori 4 october", "current_password": PASSWORD}),
    ] {
        let mut body = json!({"id": person.id, "gender": 2});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let refused = service.post_as(&token, "/v1/user", &body).await;
        refused.assert_status(403);
        let reason = "A profile token is not allowed to do this. Send a token from a sign-in.";
        assert_eq!(refused.data(), reason);
    }
    assert_eq!(account(&service, &person).await, before);
    let body = json!({"id": person.id, "gender": 2});
    let changed = service.post_as(&token, "/v1/user", &body).await;
    changed.assert_status(200);
    let credential = Credential {
        user_id: person.id,
        generation: 0,
        token_id: String::new(),
        client: None,
        profile_token: Some(ProfileTokenUse { slot: 0, day: 0 }),
        scope: None,
    };
    for action in Action::ALL {
        let access = Access::new(&credential, action, person.id);
        assert_eq!(
            access.least_role.is_some(),
            action.rule().allows_profile_tokens
        );
    }
}
