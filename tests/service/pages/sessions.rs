//! Sessions of the web pages: cookies that were forged, and sessions that have ended.

use std::time::Duration;

use accounts::sessions::{Session, SessionStore};
use shared::digest;
use shared::models::UserId;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::engine;
use tests::people::Person;
use tests::proxy::{Mode, Proxy};
use tests::service::Service;

use super::sign_in_as;

const SESSION: &str = "__Host-session";

/// The forms of visitors: the page of each, its path, and its fields.
type VisitorForm = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);
const VISITOR_FORMS: [VisitorForm; 6] = [
    (
        "/sign-in",
        "/sign-in",
        &[("who", "taki"), ("password", "x")],
    ),
    ("/sign-up", "/sign-up", &[("username", "")]),
    ("/forgot-password", "/forgot-password", &[("email", "")]),
    (
        "/forgot-password",
        "/reset-password",
        &[("token", "a"), ("password", "")],
    ),
    ("/verify-email?token=a", "/verify-email", &[]),
    ("/settings", "/settings", &[("titles", "")]),
];

pub(super) fn with_cookie<'s>(service: &'s Service, value: &str) -> PageClient<'s> {
    let mut browser = PageClient::new(service);
    let cookie = (SESSION.to_owned(), value.to_owned());
    browser.cookies.extend([cookie]);
    browser
}

async fn session_rows(service: &Service, user: UserId) -> usize {
    let sessions = SessionStore::new(&service.database()).list(user).await;
    sessions.unwrap().len()
}

/// Writes the row of a session.
async fn put_session(service: &Service, user: UserId, cookie: &str) {
    let now = service.clock.now_s();
    let session = Session {
        id_hash: digest(cookie),
        user_id: user,
        generation: 0,
        begun_at: now,
        expires_at: now + 60 * 60,
        used_at: now,
        proved_at: None,
        browser: "Firefox, Linux".to_owned(),
        network: "192.0.2.1".to_owned(),
        provider_session: None,
        id_token: None,
    };
    let sessions = SessionStore::new(&service.database());
    sessions.create(&session).await.unwrap();
}

/// Returns cookies that name a user and were not made by the service for the user.
async fn forged_cookies(service: &Service, victim: &Person, own: &str) -> Vec<String> {
    let id = victim.id.get().to_string();
    let (own_id, rest) = own.split_once('.').unwrap();
    assert_ne!(own_id, id);
    let random = "a".repeat(43);
    // The next cookie is one of version 0.1.0, with its row.
    let earlier = format!("{id}.{random}");
    put_session(service, victim.id, &earlier).await;
    let genuine = PageClient::signed_in(service, victim).await.cookies[SESSION].clone();
    let (text, code) = genuine.rsplit_once('.').unwrap();
    let other_code = code.chars().rev().collect::<String>();
    vec![
        format!("{id}.x"),
        format!("{id}.{random}.0.{random}"),
        format!("{id}.{rest}"),
        format!("{text}.{other_code}"),
        text.to_owned(),
        format!("{genuine}A"),
        earlier,
        format!("{id}.{}", victim.token),
    ]
}

#[tokio::test]
async fn forged_cookie_reads_nothing() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let victim = service.person("taki").await;
    assert_eq!(service.create_story(&victim, &anime, 3).await.status, 200);
    let attacker = service.person("stranger").await;
    let application = service.web_application(&attacker).await;
    let own = PageClient::signed_in(&service, &attacker).await.cookies[SESSION].clone();
    let cookies = forged_cookies(&service, &victim, &own).await;
    let (service, meter) = service.metered();
    let anime = format!("/anime/{}", anime.id.get());
    let consent = application.request(&[]);
    for path in [
        "/",
        "/list",
        "/calendar",
        "/statistics",
        "/statistics/2016",
        "/anime",
        &anime,
        "/welcome",
        "/settings",
        "/profile",
        "/profile/security",
        "/profile/connections",
        "/profile/developer",
        "/profile/history/waiting",
        "/sign-in",
        &consent,
    ] {
        // The catalogue is read once.
        PageClient::new(&service).get(path).await;
        let _ = meter.take();
        let visitor = PageClient::new(&service).get(path).await;
        let of_visitor = meter.take();
        for cookie in &cookies {
            let answer = with_cookie(&service, cookie).get(path).await;
            let read = meter.take();
            assert_eq!(read, of_visitor, "{path} with {cookie}");
            assert_eq!(answer.status, visitor.status, "{path} with {cookie}");
        }
    }
    // A genuine cookie is still read together with the rows of its user.
    let mut browser = PageClient::signed_in(&service, &victim).await;
    let _ = meter.take();
    assert_eq!(browser.get("/list").await.status, 200);
    assert!(meter.take().calls > 2);
}

#[tokio::test]
async fn cookie_of_an_ended_session_counts_as_none() {
    let (service, person) = Service::with_person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let cookie = browser.cookies[SESSION].clone();
    let sessions = SessionStore::new(&service.database());
    sessions.delete(&digest(&cookie)).await.unwrap();
    // A token of the ended session is worth nothing in the forms of visitors, and leads other forms to the sign-in
    // page.
    for (_, form, fields) in VISITOR_FORMS {
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", &*csrf)]).collect();
        let answer = with_cookie(&service, &cookie).post(form, &fields).await;
        assert_eq!(answer.status, 403, "{form}");
    }
    let fields = [("csrf", &*csrf)];
    for (form, sign_in) in [
        ("/profile/settings", "/sign-in?next=/profile"),
        (
            "/profile/security/password",
            "/sign-in?next=/profile/security",
        ),
        ("/sign-out", "/"),
    ] {
        let answer = with_cookie(&service, &cookie).post(form, &fields).await;
        answer.assert_leads_to(sign_in);
    }
    // The same happens once the browser has deleted the cookie, whatever the form has as its token.
    for csrf in [&*csrf, "", "forged"] {
        for (form, sign_in) in [
            ("/list/next", "/sign-in?next=/list"),
            ("/profile/privacy", "/sign-in?next=/profile/privacy"),
            ("/calendar/feed", "/sign-in?next=/calendar"),
        ] {
            let answer = PageClient::new(&service)
                .post(form, &[("csrf", csrf)])
                .await;
            answer.assert_leads_to(sign_in);
        }
    }
    // The cookie makes no difference to the pages of visitors.
    for (page, form, fields) in VISITOR_FORMS {
        let mut browser = with_cookie(&service, &cookie);
        let page = browser.get(page).await;
        assert!(browser.cookies.contains_key("__Host-form"), "{form}");
        let sent = browser.submit(&page, form, fields).await;
        assert_ne!(sent.status, 403, "{form}: {}", sent.text());
    }
    let mut browser = with_cookie(&service, &cookie);
    let signed_in = sign_in_as(&mut browser, "/sign-in", "taki").await;
    signed_in.assert_leads_to("/profile");
    assert_ne!(browser.cookies[SESSION], cookie);
    assert_eq!(browser.get("/profile").await.status, 200);
}

/// A form whose token is wrong leads back to its page, in the words of pages and with the navigation of the user.
#[tokio::test]
async fn refused_form_leads_back_to_its_page() {
    let (service, person) = Service::with_person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (form, page) in [
        ("/list/next", "/list"),
        ("/profile/security/password", "/profile/security"),
        ("/settings", "/settings"),
    ] {
        let refused = browser.post(form, &[("csrf", "forged")]).await;
        refused.assert_status(403);
        refused.assert_has("This form has expired");
        refused.assert_has("Nothing was changed.");
        let main = refused.after("<main");
        assert!(main.contains(&format!("href=\"{page}\"")), "{form}: {main}");
        assert!(refused.text().contains("taki"), "{form}");
    }
    let mut visitor = PageClient::new(&service);
    let fields = [("csrf", "forged"), ("who", "taki"), ("password", "x")];
    let refused = visitor.post("/sign-in", &fields).await;
    refused.assert_status(403);
    refused.after("<main").assert_has("href=\"/sign-in\"");
}

/// Error pages do not speak of the API, and have the navigation of a user who is signed in.
#[tokio::test]
async fn errors_have_the_words_of_pages() {
    let (service, person) = Service::with_person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut visitor = PageClient::new(&service);
    let long = "x".repeat(70_000);
    for (signed_in, one) in [(true, &mut browser), (false, &mut visitor)] {
        for (status, title, answer) in [
            (404, "This page does not exist", one.get("/nowhere").await),
            (404, "Anime not found", one.get("/anime/999999").await),
            (
                405,
                "This address is for a form",
                one.get("/list/save").await,
            ),
            (
                413,
                "This is too large",
                one.post("/list/save", &[("notes", long.as_str())]).await,
            ),
        ] {
            answer.assert_status(status);
            answer.assert_has(&format!("<h1>{title}</h1>"));
            let text = answer.text();
            for word in ["endpoint", "Allow header", "identifier", "openapi"] {
                assert!(!text.contains(word), "{title}: {word}");
            }
            let main = answer.after("<main");
            assert!(main.contains("href=\"/anime\""), "{title}");
            assert_eq!(text.contains("taki"), signed_in, "{title}");
        }
    }
}

/// While the database is unavailable, a page does not look as if the user were signed out.
#[tokio::test]
async fn unreadable_account_is_not_shown_as_signed_out() {
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = Service::with_client(engine::short_timeout_client(&proxy.endpoint)).await;
    let person = service.person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    browser.get("/forgot-password").await.assert_has("taki");
    proxy.set(Mode::Closed);
    let public = browser.get("/forgot-password").await;
    public.assert_status(200);
    let list = browser.get("/list").await;
    list.assert_status(503);
    list.assert_has("<h1>Kiroku cannot answer at the moment</h1>");
    // Another attempt can succeed.
    let main = list.after("<main");
    assert!(main.contains("href=\"/list\""), "{main}");
    public.assert_has("Your account cannot be read at the moment");
    for page in [public, list] {
        page.assert_has("href=\"/list\"");
        page.assert_lacks("href=\"/sign-up\"");
    }
    let visitor = PageClient::new(&service).get("/forgot-password").await;
    visitor.assert_has("href=\"/sign-up\"");
    proxy.set(Mode::Up);
    let page = browser.get("/list").await;
    page.assert_status(200);
    page.assert_lacks("cannot be read at the moment");
}

#[tokio::test]
async fn sessions_are_deleted_with_the_account() {
    let service = Service::empty().await;
    let (person, other) = (service.person("taki").await, service.person("other").await);
    let mut browser = PageClient::signed_in(&service, &person).await;
    for person in [&person, &person, &other] {
        PageClient::signed_in(&service, person).await;
    }
    service.web_application(&person).await;
    let page = browser.get("/profile/delete").await;
    let deleted = browser.submit(&page, "/profile/delete", &[]).await;
    deleted.assert_status(200);
    assert_eq!(session_rows(&service, person.id).await, 0);
    assert_eq!(session_rows(&service, other.id).await, 1);
    // A session began at the moment of the deletion, so the index did not have it yet.
    put_session(&service, person.id, "late").await;
    service.clock.advance(Duration::from_mins(1));
    // The sweep finishes the deletions of the user and of the application.
    assert_eq!(service.sweep().await.finished, 2);
    assert_eq!(session_rows(&service, person.id).await, 0);
    assert_eq!(session_rows(&service, other.id).await, 1);
}
