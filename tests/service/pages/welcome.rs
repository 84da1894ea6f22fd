//! The page after sign-up.

use accounts::applications::ClientKind;
use axum::http::StatusCode;
use shared::models::TrackerName;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden, query};
use tests::people::PASSWORD;
use tests::service::{Answer, Service};

use super::assert_rounds;

/// Signs up on the page at `path`.
async fn sign_up(browser: &mut PageClient<'_>, path: &str) -> Answer {
    let page = browser.get(path).await;
    let next = hidden(&page, "next");
    let mut fields = vec![
        ("username", "taki"),
        ("email", "taki@example.com"),
        ("password", PASSWORD),
    ];
    fields.extend(next.as_deref().map(|next| ("next", next)));
    let answer = browser.submit(&page, "/sign-up", &fields).await;
    answer.assert_status(303);
    answer
}

#[tokio::test]
async fn sign_up_leads_to_the_welcome_page_until_there_is_an_entry() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let mut browser = PageClient::new(&service);
    let answer = sign_up(&mut browser, "/sign-up").await;
    answer.assert_leads_to("/welcome");
    // The button was pressed twice, the second time in a browser that is signed in.
    let page = browser.get("/profile").await;
    let again = browser.submit(&page, "/sign-up", &[]).await;
    again.assert_leads_to("/welcome");

    let page = browser.get("/welcome").await;
    assert_eq!(page.status, StatusCode::OK);
    let page = page.text();
    page.assert_has("<h1>Welcome, taki</h1>");
    for link in [
        "/profile/history",
        "/profile/players",
        "/",
        &format!("/anime/{}", anime.id.get()),
    ] {
        page.after("<main").assert_has(&format!("href=\"{link}\""));
    }
    assert!(page.len() < 30_000, "{}", page.len());
    let list = browser.get("/list").await.text();
    list.assert_has("href=\"/welcome\"");

    let page = browser.get(&format!("/anime/{}", anime.id.get())).await;
    let csrf = hidden(&page, "csrf").unwrap();
    let entry = format!("{}:", anime.id.get());
    let planned = [("csrf", csrf.as_str()), ("entry", &entry), ("status", "2")];
    let saved = browser.post("/list/save", &planned).await;
    saved.assert_status(303);
    let gone = browser.get("/welcome").await;
    gone.assert_leads_to("/");
}

#[tokio::test]
async fn visitor_on_the_way_to_another_page_goes_there() {
    let (service, developer) = Service::with_person("mitsuha").await;
    let application = service
        .application(
            &developer,
            ClientKind::Public,
            "https://app.example/cb",
            true,
        )
        .await;
    let request = application.request(&[]);
    let path = format!("/sign-up?{}", query(&[("next", &request)]));
    let answer = sign_up(&mut PageClient::new(&service), &path).await;
    answer.assert_leads_to(&request);
}

#[tokio::test]
async fn welcome_requires_a_session() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut browser = PageClient::new(&service);
    let answer = browser.get("/welcome").await;
    answer.assert_leads_to("/sign-in?next=/welcome");
    let page = browser.get(answer.header("location")).await;
    let form = format!("who=mitsuha&password={PASSWORD}&next=/welcome");
    let answer = browser.submit_encoded(&page, "/sign-in", &form).await;
    answer.assert_leads_to("/welcome");
    // The catalogue is empty.
    let page = browser.get("/welcome").await;
    assert_eq!(page.status, StatusCode::OK);
    page.assert_lacks("class=\"cards");
}

#[tokio::test]
async fn only_enabled_trackers_are_offered() {
    let (mut service, fakes) = Service::empty().await.with_trackers().await;
    let person = service.person("mitsuha").await;
    let links = ["a", "b"].map(|letter| format!("href=\"/profile/trackers/{letter}/connect\""));
    for on in [[true, true], [false, true], [false, false]] {
        service = service.with_trackers_as(&fakes, |tracker, config| {
            if !on[usize::from(tracker == TrackerName::B)] {
                config.client_id.clear();
            }
        });
        let mut browser = PageClient::signed_in(&service, &person).await;
        let page = browser.get("/welcome").await.text();
        let offered = links.each_ref().map(|link| page.contains(link.as_str()));
        assert_eq!(offered, on, "{page}");
        let explains = page.contains("Both lists then stay in sync");
        assert_eq!(explains, on.contains(&true));
    }
}

#[tokio::test]
async fn welcome_is_read_in_one_round() {
    let (service, _) = Service::with_two_anime().await;
    let person = service.person("mitsuha").await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let _ = rounds.take();
    browser.get("/welcome").await.assert_status(200);
    let first = rounds.take();
    assert!(first <= 3, "the user, and the index: {first}");
    assert_rounds(&mut browser, &rounds, "/welcome", 1).await;
}
