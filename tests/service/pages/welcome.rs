//! The page after sign-up.

use accounts::applications::ClientKind;
use axum::http::StatusCode;
use shared::models::TrackerName;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden, query};
use tests::made_up::titled_anime;
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
async fn sign_up_leads_to_the_welcome_page() {
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
    page.assert_has("<h1>What have you seen?</h1>");
    page.assert_has("Welcome, taki.");
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
}

/// Returns the page with the label of the button that is pressed for each anime, in the order of the page.
fn pressed(page: &Answer) -> Vec<String> {
    let buttons = page.all_between("aria-pressed=\"true\">", "</button>");
    let label = |button: &String| button.after("</span>").between("<span>", "</span>");
    buttons.iter().map(label).collect()
}

#[tokio::test]
async fn anime_are_picked_on_the_page() {
    let catalogue: Vec<_> = (1..=5)
        .map(|id| titled_anime(id, "rj", &format!("Anime {id}.")))
        .collect();
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/welcome").await;
    page.assert_has("<span class=\"num big2\">0</span> of 3 seen.");
    page.assert_has("3 more for suggestions that fit you.");
    assert_eq!(pressed(&page), [""; 0]);
    for (id, status) in [(1, 2), (2, 1), (3, 0)] {
        let status = format!("{status}.{id}:");
        page.assert_has(&format!("value=\"{status}\""));
        let picked = [("status", status.as_str())];
        let answer = browser.submit(&page, "/list/status", &picked).await;
        answer.assert_leads_to(&format!("/welcome?done=status&of={id}"));
    }
    let page = browser.get("/welcome").await;
    // A planned anime has not been seen.
    page.assert_has("<span class=\"num big2\">2</span> of 3 seen.");
    page.assert_has("One more for suggestions that fit you.");
    page.assert_has("Skip for now");
    let mut labels = pressed(&page);
    labels.sort();
    assert_eq!(labels, ["Planned", "Seen", "Watching"]);
    // The pressed button asks whether to delete the entry.
    let key = page.between("formaction=\"/list/delete\" name=\"entry\" value=\"", "\"");
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [("csrf", &*csrf), ("back", "/welcome"), ("entry", &*key)];
    let question = browser.post("/list/delete", &fields).await;
    question.assert_status(200);
    question.assert_has("href=\"/welcome\"");
    let third = [("status", "2.4:")];
    let answer = browser.submit(&page, "/list/status", &third).await;
    let page = browser.get(answer.header("location")).await;
    page.assert_has("<span class=\"num big2\">3</span> seen.");
    page.assert_has("Continue</a>");
    page.assert_has("is now on your list");
}

#[tokio::test]
async fn anime_that_continue_another_are_not_offered() {
    let first = titled_anime(1, "rj", "First");
    let mut second = titled_anime(2, "rj", "Second");
    second.sequel = Some(first.id);
    let service = Service::with_catalogue(&[first, second], &[]).await;
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/welcome").await;
    page.assert_has("href=\"/anime/1\"");
    page.assert_lacks("href=\"/anime/2\"");
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
    page.assert_lacks("picker");
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
