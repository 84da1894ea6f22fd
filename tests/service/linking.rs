//! Accounts at trackers, as they are linked on the profile and by the API, over both fake trackers.

use std::collections::HashMap;
use std::time::Duration;

use accounts::linking::open_tokens;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};
use shared::models::TrackerName;
use store::{Link, LinkReport, LinkStore};
use tests::browser::{Browser, query};
use tests::log::Log;
use tests::people::{PASSWORD, Person};
use tests::service::{Answer, PUBLIC_URL, START_MS, Service};
use tests::trackers::{AVATAR, CLIENT_SECRET, Fake, Fakes, Fault, VIEWER, pairs};

/// A service that offers both trackers, and somebody who uses it.
async fn stage() -> (Service, Fakes, Person) {
    let (service, fakes) = Service::empty().await.with_trackers().await;
    let person = service.person("taki").await;
    (service, fakes, person)
}

fn path(tracker: TrackerName, what: &str) -> String {
    format!("/profile/trackers/{}/{what}", tracker.letter())
}

/// Begins to connect. Answers the tracker's address.
async fn connect(browser: &mut Browser<'_>, tracker: TrackerName) -> String {
    let answer = browser.get(&path(tracker, "connect")).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    answer.header("location").to_owned()
}

/// Begins to connect, and allows it. Answers where the tracker sends the user back to.
async fn allowed(browser: &mut Browser<'_>, fake: &Fake, tracker: TrackerName) -> String {
    let address = connect(browser, tracker).await;
    fake.allow(&address)
}

/// Connects an account.
async fn link(browser: &mut Browser<'_>, fakes: &Fakes, tracker: TrackerName) {
    let back = allowed(browser, fakes.of(tracker), tracker).await;
    let answer = browser.get(&back).await;
    leads_to(&answer, &format!("?done=linked-{}", tracker.letter()));
}

async fn disconnect(browser: &mut Browser<'_>, tracker: TrackerName) -> Answer {
    let page = browser.get("/profile").await;
    let to = path(tracker, "disconnect");
    browser.submit(&page, &to, &[]).await
}

/// The answer sends to the profile, with no more in the address than this.
fn leads_to(answer: &Answer, query: &str) {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    let expected = format!("{PUBLIC_URL}/profile{query}");
    assert_eq!(answer.header("location"), expected);
    assert_eq!(answer.header("cache-control"), "no-store");
}

fn failed(answer: &Answer, why: &str, tracker: TrackerName) {
    leads_to(answer, &format!("?failed={why}-{}", tracker.letter()));
}

fn links(service: &Service) -> LinkStore {
    let random = service.environment.random.clone();
    LinkStore::new(service.client.clone(), &service.tables, random)
}

async fn linked(service: &Service, person: &Person) -> Vec<Link> {
    links(service).of(person.id).await.unwrap()
}

/// The link at a tracker.
async fn link_at(service: &Service, person: &Person, tracker: TrackerName) -> Link {
    let links = linked(service, person).await.into_iter();
    links
        .into_iter()
        .find(|link| link.tracker == tracker)
        .unwrap()
}

/// The row of a user.
async fn row(service: &Service, person: &Person) -> HashMap<String, AttributeValue> {
    let id = AttributeValue::N(person.id.get().to_string());
    let request = service.client.get_item().key("id", id);
    let request = request.table_name(service.tables.of("User"));
    request.send().await.unwrap().item.unwrap()
}

/// What the API says of both trackers, to the user and to everybody.
async fn flags(service: &Service, person: &Person) -> [bool; 2] {
    let me = service.with_token(Method::GET, "/v1/auth/me", &person.token);
    let me = me.await.data();
    let seen = service.get(&format!("/v1/user/{}", person.id.get())).await;
    let seen = seen.data();
    ["has_tracker_a", "has_tracker_b"].map(|name| {
        assert_eq!(me[name], seen[name]);
        me[name].as_bool().unwrap()
    })
}

async fn avatar(service: &Service, person: &Person) -> String {
    let seen = service.get(&format!("/v1/user/{}", person.id.get())).await;
    seen.data()["avatar"].as_str().unwrap().to_owned()
}

/// What a page says, without its markup.
fn words(page: &Answer) -> String {
    let text = page.text();
    let parts = text.split('<').filter_map(|part| part.split_once('>'));
    let words: String = parts.map(|(_, text)| text).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The part of the profile that is about a tracker.
fn part_of(page: &Answer, tracker: TrackerName) -> String {
    let text = page.text();
    let (_, part) = text
        .split_once(&format!("<h3>{}", tracker.title()))
        .unwrap();
    let end = part.find("<h3>").or_else(|| part.find("</section>"));
    part[..end.unwrap()].to_owned()
}

fn badge(page: &Answer, tracker: TrackerName) -> String {
    let part = part_of(page, tracker);
    let (_, badge) = part.split_once("class=\"badge\">").unwrap();
    badge.split('<').next().unwrap().to_owned()
}

#[tokio::test]
async fn an_account_is_linked_once_its_owner_comes_back() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let mut expected = [false, false];
    for (number, tracker) in TrackerName::ALL.into_iter().enumerate() {
        let fake = fakes.of(tracker);
        let page = browser.get("/profile").await;
        assert_eq!(badge(&page, tracker), "not linked");
        let connect_path = path(tracker, "connect");
        assert!(page.text().contains(&format!("href=\"{connect_path}\"")));
        let answer = browser.get(&connect_path).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        assert_eq!(answer.header("cache-control"), "no-store");
        let address = answer.header("location").to_owned();
        let back = fake.allow(&address);
        assert_eq!(flags(&service, &person).await, expected, "nothing yet");
        assert_eq!(fake.count(), 0, "nor does anything ask the tracker yet");

        service.clock.advance(Duration::from_mins(1));
        let now = service.clock.now_ms();
        let answer = browser.get(&back).await;
        leads_to(&answer, &format!("?done=linked-{}", tracker.letter()));
        expected[number] = true;
        assert_eq!(flags(&service, &person).await, expected);
        assert_eq!(avatar(&service, &person).await, AVATAR);
        let page = browser.get(answer.header("location")).await;
        assert_eq!(badge(&page, tracker), "linked");
        let told = format!("Your account at {} is linked.", tracker.title());
        assert!(words(&page).contains(&told), "{}", words(&page));
        assert!(part_of(&page, tracker).contains(VIEWER.1));
        assert!(!page.text().contains(&connect_path));

        let link = link_at(&service, &person, tracker).await;
        assert_eq!(
            (link.account, link.name.as_str(), link.is_refused),
            (VIEWER.0, VIEWER.1, false)
        );
        let tokens = open_tokens(&service.environment.sealer().unwrap(), &link)
            .await
            .unwrap();
        let tokens = tokens.unwrap();
        assert_eq!(tokens.access, fake.tokens().access);
        assert_eq!(tokens.refresh, fake.tokens().refresh);
        // Due at once.
        let row = row(&service, &person).await;
        assert!(row.contains_key("sync_shard"));
        let due: u64 = row["sync_due_at"].as_n().unwrap().parse().unwrap();
        assert_eq!(due, link.linked_at);
        assert!(due >= now);
        let account = format!("{tracker}_account");
        assert_eq!(row[&account], AttributeValue::N(VIEWER.0.to_string()));
    }
    // Tracker B alone has PKCE; its fake has held the verifier to the challenge.
    assert!(
        fakes.b.state().received[0]
            .form()
            .contains_key("code_verifier")
    );
    assert!(fakes.a.state().received[0].json()["code_verifier"].is_null());
}

#[tokio::test]
async fn each_connection_has_a_state_and_a_challenge_of_its_own() {
    let (service, _fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let address = connect(&mut browser, TrackerName::B).await;
        let (_, asked) = address.split_once('?').unwrap();
        let asked = pairs(asked);
        for name in ["state", "code_challenge"] {
            // So that it stands in an address as it is.
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            assert!(asked[name].bytes().all(is_plain), "{name}");
            seen.push(asked[name].clone());
        }
        assert!(!asked["state"].contains(&asked["code_challenge"]));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 4);
}

/// The address that a tracker sends back to, with another state.
fn with_state(back: &str, state: &str) -> String {
    let (path, sent) = back.split_once('?').unwrap();
    let code = &pairs(sent)["code"];
    format!("{path}?{}", query(&[("code", code), ("state", state)]))
}

fn state_of(back: &str) -> String {
    pairs(back.split_once('?').unwrap().1)["state"].clone()
}

#[tokio::test]
async fn a_state_is_good_for_its_session_and_its_tracker() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let stranger = service.person("stranger").await;
    for tracker in TrackerName::ALL {
        let fake = fakes.of(tracker);
        let mut same_user = Browser::of(&service, &person).await;
        let mut another = Browser::of(&service, &stranger).await;
        // What somebody would have others link: an account of their own.
        let of_same_user = state_of(&allowed(&mut same_user, fake, tracker).await);
        let of_another = state_of(&allowed(&mut another, fake, tracker).await);
        let other = tracker.other();
        let of_other_tracker = state_of(&allowed(&mut browser, fakes.of(other), other).await);
        let back = allowed(&mut browser, fake, tracker).await;
        let own = state_of(&back);
        let last = if own.ends_with('A') { "B" } else { "A" };
        let changed = format!("{}{last}", &own[..own.len() - 1]);
        for state in [
            "",
            "nonsense",
            "0.AAAA",
            &own[..own.len() / 2],
            &changed,
            &of_same_user,
            &of_another,
            &of_other_tracker,
        ] {
            let answer = browser.get(&with_state(&back, state)).await;
            failed(&answer, "late", tracker);
        }
        let (path, sent) = back.split_once('?').unwrap();
        let sent = format!("{path}?code={}", pairs(sent)["code"]);
        failed(&browser.get(&sent).await, "late", tracker);
        assert_eq!(fake.count(), 0, "no code is redeemed");
        assert_eq!(linked(&service, &person).await, []);
        // Nor is that of a tracker an error of ours to be told as it is.
        let query = query(&[("error", "<b>"), ("state", "nonsense")]);
        failed(
            &browser.get(&format!("{path}?{query}")).await,
            "late",
            tracker,
        );
        failed(&another.get(&back).await, "late", tracker);
        assert_eq!(linked(&service, &stranger).await, []);
    }
}

#[tokio::test]
async fn a_state_is_good_for_ten_minutes() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let tracker = TrackerName::B;
    let back = allowed(&mut browser, &fakes.b, tracker).await;
    service.clock.advance(Duration::from_mins(10));
    failed(&browser.get(&back).await, "late", tracker);
    let back = allowed(&mut browser, &fakes.b, tracker).await;
    service.clock.advance(Duration::from_secs(599));
    leads_to(&browser.get(&back).await, "?done=linked-b");
}

#[tokio::test]
async fn what_is_not_allowed_there_is_not_linked() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    for tracker in TrackerName::ALL {
        let fake = fakes.of(tracker);
        let back = fake.refuse(&connect(&mut browser, tracker).await);
        failed(&browser.get(&back).await, "denied", tracker);
        let state = state_of(&fake.allow(&connect(&mut browser, tracker).await));
        for sent in [
            &[("error", "server_error")][..],
            &[("error", "access_denied"), ("code", "code-0001")],
            &[],
        ] {
            let sent = query(&[sent, &[("state", &state)]].concat());
            let back = format!("{}?{sent}", tracker.callback());
            failed(&browser.get(&back).await, "denied", tracker);
        }
        assert_eq!(fake.count(), 0);
    }
    assert_eq!(linked(&service, &person).await, []);
}

#[tokio::test]
async fn a_code_is_taken_once() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    for tracker in TrackerName::ALL {
        let back = allowed(&mut browser, fakes.of(tracker), tracker).await;
        let forged = back.replace("code-0001", "code-9999");
        failed(&browser.get(&forged).await, "refused", tracker);
        let letter = tracker.letter();
        leads_to(&browser.get(&back).await, &format!("?done=linked-{letter}"));
        let before = link_at(&service, &person, tracker).await;
        failed(&browser.get(&back).await, "refused", tracker);
        assert_eq!(link_at(&service, &person, tracker).await, before);
    }
    assert_eq!(flags(&service, &person).await, [true, true]);
}

/// What can go wrong at a tracker, and what its user is told.
fn faults() -> Vec<(&'static str, Fault)> {
    let html = |status| {
        Fault::Answer(
            status,
            vec![("content-type", "text/html".to_owned())],
            "<html>mitsuha".to_owned(),
        )
    };
    let refused = |error: &str| Fault::answer(401, &json!({"error": error}).to_string());
    vec![
        ("later", Fault::answer(500, "mitsuha")),
        ("later", Fault::answer(503, "")),
        ("later", html(403)),
        ("later", html(200)),
        ("later", Fault::answer(403, "{}")),
        (
            "later",
            Fault::Answer(429, vec![("retry-after", "7".to_owned())], "{}".to_owned()),
        ),
        ("later", Fault::Cut),
        ("later", Fault::Truncate),
        ("later", Fault::answer(200, "{}")),
        ("later", Fault::answer(302, "")),
        ("refused", Fault::answer(400, "{}")),
        ("refused", refused("invalid_token")),
        ("refused", Fault::answer(404, "{}")),
    ]
}

#[tokio::test]
async fn a_tracker_that_fails_is_told_apart_from_one_that_refuses() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    for tracker in TrackerName::ALL {
        let fake = fakes.of(tracker);
        // At the code, and then at the question whose account it is.
        for calls in [0, 1] {
            for (number, (why, fault)) in faults().into_iter().enumerate() {
                // Until after every pause.
                service.clock.advance(Duration::from_hours(2));
                let back = allowed(&mut browser, fake, tracker).await;
                fake.fail_after(calls, fault);
                let answer = browser.get(&back).await;
                let expected = format!("?failed={why}-{}", tracker.letter());
                let name = format!("{tracker}, call {calls}, fault {number}");
                assert_eq!(answer.status, StatusCode::SEE_OTHER, "{name}");
                let location = answer.header("location");
                assert_eq!(
                    location,
                    format!("{PUBLIC_URL}/profile{expected}"),
                    "{name}"
                );
            }
        }
    }
    assert_eq!(linked(&service, &person).await, []);
    assert_eq!(flags(&service, &person).await, [false, false]);
}

#[tokio::test]
async fn a_tracker_that_stalls_holds_nobody_up() {
    let (service, fakes, person) = stage().await;
    let service = service.with_trackers_as(&fakes, |_, config| {
        config.timeouts.total = Duration::from_millis(50);
    });
    let mut browser = Browser::of(&service, &person).await;
    for tracker in TrackerName::ALL {
        for (calls, fault) in [
            (0, Fault::Stall),
            (0, Fault::StallInBody),
            (1, Fault::Stall),
        ] {
            service.clock.advance(Duration::from_mins(2));
            let back = allowed(&mut browser, fakes.of(tracker), tracker).await;
            fakes.of(tracker).fail_after(calls, fault);
            failed(&browser.get(&back).await, "later", tracker);
        }
    }
    assert_eq!(linked(&service, &person).await, []);
}

/// The tracker's limits are kept: who would have to wait for too long is told so at once.
#[tokio::test]
async fn a_tracker_that_wants_to_be_left_alone_is() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let tracker = TrackerName::A;
    let back = allowed(&mut browser, &fakes.a, tracker).await;
    fakes.a.fail(Fault::answer(429, "{}"));
    failed(&browser.get(&back).await, "later", tracker);
    let count = fakes.a.count();
    let back = allowed(&mut browser, &fakes.a, tracker).await;
    failed(&browser.get(&back).await, "later", tracker);
    assert_eq!(fakes.a.count(), count);
    service.clock.advance(Duration::from_mins(1));
    leads_to(&browser.get(&back).await, "?done=linked-a");
}

#[tokio::test]
async fn a_client_that_the_tracker_refuses_is_its_operators_fault() {
    let (service, fakes, person) = stage().await;
    let service = service.with_trackers_as(&fakes, |_, config| {
        config.client_id = "another-client".to_owned();
    });
    let mut browser = Browser::of(&service, &person).await;
    for tracker in TrackerName::ALL {
        let log = Log::begin();
        let address = connect(&mut browser, tracker).await;
        let back = fakes
            .of(tracker)
            .allow(&address.replace("another-client", "kiroku-client"));
        let answer = browser.get(&back).await;
        failed(&answer, "misconfigured", tracker);
        assert!(log.text().contains("\"level\":\"ERROR\""), "{}", log.text());
        let page = browser.get(answer.header("location")).await;
        assert!(words(&page).contains("tell them"));
    }
}

#[tokio::test]
async fn the_profile_says_what_went_wrong() {
    let (service, _fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    for (why, said) in [
        (
            "late-a",
            "AniList is not connected: that was begun in another",
        ),
        (
            "denied-b",
            "MyAnimeList is not connected, for it was not allowed there.",
        ),
        (
            "refused-a",
            "AniList has not accepted what you came back with. Begin again.",
        ),
        (
            "later-b",
            "MyAnimeList does not answer, or may not be asked more",
        ),
        ("off-b", "MyAnimeList is not offered by this service."),
    ] {
        let page = browser.get(&format!("/profile?failed={why}")).await;
        assert_eq!(page.status, StatusCode::OK);
        let text = page.text();
        let (_, alert) = text.split_once("role=\"alert\"").expect(why);
        assert!(alert.contains(said), "{why}");
    }
    for forged in ["", "<b>-a", "late", "late-c"] {
        let query = query(&[("failed", forged)]);
        let page = browser.get(&format!("/profile?{query}")).await;
        assert!(!page.text().contains("role=\"alert\""), "{forged}");
    }
}

#[tokio::test]
async fn nobody_but_who_is_signed_in_connects_anything() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let back = allowed(&mut browser, &fakes.a, TrackerName::A).await;
    let mut nobody = Browser::new(&service);
    for address in ["/profile/trackers/a/connect", &back] {
        let answer = nobody.get(address).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        let expected = format!("{PUBLIC_URL}/sign-in?next=/profile");
        assert_eq!(answer.header("location"), expected);
    }
    for unknown in ["c", "A", "%C3%A4", "tracker_a"] {
        for what in ["connect", "callback"] {
            let answer = browser
                .get(&format!("/profile/trackers/{unknown}/{what}"))
                .await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{unknown}");
        }
    }
    assert_eq!(fakes.a.count(), 0);
}

#[tokio::test]
async fn a_tracker_that_is_not_configured_is_not_offered() {
    let (service, fakes, person) = stage().await;
    {
        let mut browser = Browser::of(&service, &person).await;
        link(&mut browser, &fakes, TrackerName::B).await;
    }
    let service = service.with_trackers_as(&fakes, |_, config| config.client_id.clear());
    let mut browser = Browser::of(&service, &person).await;
    let page = browser.get("/profile").await;
    assert!(!page.text().contains("/connect\""), "no dead button");
    for tracker in TrackerName::ALL {
        let said = format!("This service does not offer {}.", tracker.title());
        assert!(part_of(&page, tracker).contains(&said));
        let answer = browser.get(&path(tracker, "connect")).await;
        failed(&answer, "off", tracker);
    }
    // What is linked there can be disconnected all the same.
    assert!(!part_of(&page, TrackerName::A).contains("Disconnect"));
    assert_eq!(badge(&page, TrackerName::B), "linked");
    let answer = disconnect(&mut browser, TrackerName::B).await;
    leads_to(&answer, "?done=unlinked-b");
    assert_eq!(linked(&service, &person).await, []);
}

#[tokio::test]
async fn an_account_that_is_refused_asks_to_be_reconnected() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    for tracker in TrackerName::ALL {
        link(&mut browser, &fakes, tracker).await;
        let first = link_at(&service, &person, tracker).await;
        assert!(links(&service).refuse(&first).await.unwrap());
        let number = usize::from(tracker == TrackerName::B);
        assert!(!flags(&service, &person).await[number]);
        let page = browser.get("/profile").await;
        assert_eq!(badge(&page, tracker), "reconnect");
        let part = part_of(&page, tracker);
        assert!(part.contains(&format!("Reconnect {}", tracker.title())));
        assert!(part.contains(&format!("Disconnect {}", tracker.title())));

        link(&mut browser, &fakes, tracker).await;
        assert!(flags(&service, &person).await[number]);
        assert_eq!(badge(&browser.get("/profile").await, tracker), "linked");
        let again = link_at(&service, &person, tracker).await;
        assert!(!again.is_refused);
        assert_ne!(again.link_id, first.link_id);
        assert!(row(&service, &person).await.contains_key("sync_shard"));
    }
}

#[tokio::test]
async fn disconnecting_ends_what_is_synchronised() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    for tracker in TrackerName::ALL {
        link(&mut browser, &fakes, tracker).await;
    }
    let answer = disconnect(&mut browser, TrackerName::A).await;
    leads_to(&answer, "?done=unlinked-a");
    assert_eq!(flags(&service, &person).await, [false, true]);
    let page = browser.get(answer.header("location")).await;
    assert!(words(&page).contains("Your account at AniList is not linked any more."));
    assert_eq!(badge(&page, TrackerName::A), "not linked");
    let left = linked(&service, &person).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].tracker, TrackerName::B);
    let user = row(&service, &person).await;
    assert!(user.contains_key("sync_shard") && user.contains_key("tracker_b_account"));
    assert!(!user.contains_key("tracker_a_account"));
    // In two windows, or twice.
    leads_to(
        &browser
            .submit(&page, &path(TrackerName::A, "disconnect"), &[])
            .await,
        "?done=unlinked-a",
    );
    assert_eq!(flags(&service, &person).await, [false, true]);

    let answer = disconnect(&mut browser, TrackerName::B).await;
    leads_to(&answer, "?done=unlinked-b");
    assert_eq!(flags(&service, &person).await, [false, false]);
    assert_eq!(linked(&service, &person).await, []);
    let user = row(&service, &person).await;
    assert!(!user.contains_key("sync_shard") && !user.contains_key("tracker_b_account"));
    assert_eq!(avatar(&service, &person).await, AVATAR, "it is the user's");
}

#[tokio::test]
async fn an_account_that_is_refused_can_be_disconnected() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    link(&mut browser, &fakes, TrackerName::A).await;
    let refused = link_at(&service, &person, TrackerName::A).await;
    assert!(links(&service).refuse(&refused).await.unwrap());
    let answer = disconnect(&mut browser, TrackerName::A).await;
    leads_to(&answer, "?done=unlinked-a");
    assert_eq!(linked(&service, &person).await, []);
}

#[tokio::test]
async fn whoever_deletes_their_account_leaves_no_link() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    for tracker in TrackerName::ALL {
        link(&mut browser, &fakes, tracker).await;
    }
    let page = browser.get("/profile/delete").await;
    let password = [("current_password", PASSWORD)];
    let answer = browser.submit(&page, "/profile/delete", &password).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(linked(&service, &person).await, []);
    let user = service.users().account(person.id).await.unwrap();
    assert!(user.is_none());
}

#[tokio::test]
async fn an_image_is_taken_over_https_alone() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let long = format!("https://images.test/{}", "a".repeat(2048));
    let other = "https://images.test/other.png";
    for (tracker, has, expected) in [
        (TrackerName::A, Some("http://images.test/1.png"), ""),
        (TrackerName::B, Some("javascript:alert(1)"), ""),
        (TrackerName::A, Some(AVATAR), AVATAR),
        (TrackerName::B, Some(&long), AVATAR),
        (TrackerName::B, None, AVATAR),
        (TrackerName::B, Some(other), other),
    ] {
        fakes.of(tracker).state().avatar = has.map(str::to_owned);
        link(&mut browser, &fakes, tracker).await;
        assert_eq!(avatar(&service, &person).await, expected);
    }
}

#[tokio::test]
async fn the_profile_says_what_the_last_run_did() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let tracker = TrackerName::A;
    link(&mut browser, &fakes, tracker).await;
    let page = browser.get("/profile").await;
    assert!(part_of(&page, tracker).contains("within minutes"));
    let link = link_at(&service, &person, tracker).await;
    let report = LinkReport {
        at: START_MS,
        succeeded_at: START_MS - 3_600_000,
        imported: 1_234,
        exported: 5,
        conflicts: 2,
        left: 7,
        refused: 3,
        unknown: 12,
        unknown_ids: (101..=110).collect(),
        trouble: Some("AniList <did> not answer. It goes on later.".to_owned()),
    };
    let (store, later) = (links(&service), START_MS + 600_000);
    assert!(store.keep_report(&link, &report, 1, later).await.unwrap());
    let page = browser.get("/profile").await;
    let said = words(&page);
    for part in [
        "Last in step 14 November 2023, 21:13 UTC.",
        "The last run, 14 November 2023, 22:13 UTC:",
        "Stories changed here: 1,234",
        "Entries changed there: 5",
        "Changed on both sides: 2",
        "Still to be told there: 7",
        "Refused there for good: 3",
        "Anime that the catalogue does not have yet: 12.",
        "AniList &lt;did&gt; not answer. It goes on later.",
        "The next run is not before 14 November 2023, 22:23 UTC.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let part = part_of(&page, tracker);
    assert!(
        part.contains("href=\"https://anilist.co/anime/101\""),
        "{part}"
    );
    assert!(part.contains("and others"));
    assert!(!part_of(&page, TrackerName::B).contains("The last run"));

    let quiet = LinkReport {
        at: START_MS,
        succeeded_at: START_MS,
        ..LinkReport::default()
    };
    assert!(store.keep_report(&link, &quiet, 0, 0).await.unwrap());
    let said = words(&browser.get("/profile").await);
    assert!(said.contains("Nothing had changed."), "{said}");
    assert!(!said.contains("Stories changed here") && !said.contains("next run"));
}

async fn update(service: &Service, person: &Person, more: Value) -> Answer {
    let mut body = json!({"id": person.id, "gender": 2});
    let more = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    service
        .json(Method::POST, "/v1/user", Some(&person.token), &body)
        .await
}

fn by_token(account: u64, token: &str) -> Value {
    json!({"tracker_a_id": account, "tracker_a_token": token})
}

/// Nothing at all of an update was written.
async fn is_unchanged(service: &Service, person: &Person) {
    let me = service.with_token(Method::GET, "/v1/auth/me", &person.token);
    assert_eq!(me.await.data()["gender"], 0);
    assert_eq!(flags(service, person).await, [false, false]);
    assert_eq!(linked(service, person).await, []);
}

#[tokio::test]
async fn the_api_links_what_the_tracker_knows() {
    let (service, fakes, person) = stage().await;
    let token = fakes.a.tokens().access;
    for (sent, field) in [
        (by_token(VIEWER.0, "another-token"), "tracker_a_token"),
        (by_token(VIEWER.0 + 1, &token), "tracker_a_id"),
    ] {
        let answer = update(&service, &person, sent).await;
        assert_eq!(answer.status, 400);
        let data = answer.data();
        assert_eq!(data.as_object().unwrap().len(), 1, "{data}");
        assert!(data[field].is_string(), "{data}");
        is_unchanged(&service, &person).await;
    }
    let answer = update(&service, &person, by_token(VIEWER.0, &token)).await;
    let user = answer.data();
    assert_eq!(
        (
            &user["has_tracker_a"],
            &user["has_tracker_b"],
            &user["gender"]
        ),
        (&json!(true), &json!(false), &json!(2))
    );
    assert_eq!(user["avatar"], AVATAR);
    assert!(!answer.text().contains(&token), "it never leaves");
    let link = link_at(&service, &person, TrackerName::A).await;
    assert_eq!((link.account, link.name.as_str()), VIEWER);
    assert!(row(&service, &person).await.contains_key("sync_shard"));
}

#[tokio::test]
async fn the_api_says_when_the_tracker_cannot_be_asked() {
    let (service, fakes, person) = stage().await;
    let sent = || by_token(VIEWER.0, &fakes.a.tokens().access);
    let wait = |seconds: &str| vec![("retry-after", seconds.to_owned())];
    for (fault, least) in [
        (Fault::answer(500, ""), 1),
        (Fault::Cut, 1),
        (Fault::answer(200, "{}"), 1),
        (Fault::Answer(429, wait("7"), "{}".to_owned()), 7),
        (Fault::answer(403, "<html>"), 3_600),
    ] {
        fakes.a.fail(fault);
        let answer = update(&service, &person, sent()).await;
        assert_eq!(answer.status, 503, "{}", answer.text());
        let after: u64 = answer.header("retry-after").parse().unwrap();
        assert!((least..=least + 60).contains(&after), "{after} for {least}");
        assert!(answer.data().as_str().unwrap().contains("Retry-After"));
        is_unchanged(&service, &person).await;
        service.clock.advance(Duration::from_secs(after));
    }
    // What the limits leave no time for is told at once.
    fakes.a.fail(Fault::answer(429, "{}"));
    assert_eq!(update(&service, &person, sent()).await.status, 503);
    let count = fakes.a.count();
    let answer = update(&service, &person, sent()).await;
    assert_eq!((answer.status.as_u16(), fakes.a.count()), (503, count));
    is_unchanged(&service, &person).await;

    let service = service.with_trackers_as(&fakes, |_, config| config.client_id.clear());
    let answer = update(&service, &person, sent()).await;
    assert_eq!(answer.status, 400);
    assert!(answer.data()["tracker_a_id"].is_string());
    is_unchanged(&service, &person).await;
}

#[tokio::test]
async fn an_application_links_nothing_and_asks_nobody() {
    let (service, fakes, person) = stage().await;
    let application = service.web_application(&person).await;
    let token = service.application_token(&person, &application).await;
    let application = Person {
        token,
        ..person.clone()
    };
    let sent = by_token(VIEWER.0, &fakes.a.tokens().access);
    let stranger = service.person("stranger").await;
    let of_person = json!({"id": person.id});
    for (by, more) in [(&application, json!({})), (&stranger, of_person)] {
        let mut sent = sent.clone();
        let more = more.as_object().unwrap().clone();
        sent.as_object_mut().unwrap().extend(more);
        assert_eq!(update(&service, by, sent).await.status, 403);
    }
    assert_eq!(fakes.a.count(), 0);
}

/// All users share a tracker's limits: nobody uses them up.
#[tokio::test]
async fn an_address_tries_so_often_an_hour() {
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let wrong = || by_token(VIEWER.0, "wrong");
    let back = format!("{}?state=nonsense&code=x", TrackerName::A.callback());
    for _ in 0..50 {
        assert_eq!(update(&service, &person, wrong()).await.status, 400);
        assert_eq!(browser.get(&back).await.status, StatusCode::SEE_OTHER);
    }
    let count = fakes.a.count();
    let answer = update(&service, &person, wrong()).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(!answer.header("retry-after").is_empty());
    let answer = browser.get(&back).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(fakes.a.count(), count);
}

/// What must never be told.
fn secrets(fakes: &Fakes, state: &str) -> Vec<String> {
    let mut secrets = vec![
        "access-token".to_owned(),
        "refresh-token".to_owned(),
        "code-0".to_owned(),
        "wrong-token".to_owned(),
        CLIENT_SECRET.to_owned(),
        VIEWER.1.to_owned(),
        AVATAR.to_owned(),
        state.to_owned(),
    ];
    let received = fakes.b.state().received[0].form();
    secrets.push(received["code_verifier"].clone());
    secrets
}

#[tokio::test]
async fn no_log_and_no_row_holds_a_secret() {
    let log = Log::begin();
    let (service, fakes, person) = stage().await;
    let mut browser = Browser::of(&service, &person).await;
    let mut state = String::new();
    for tracker in TrackerName::ALL {
        let fake = fakes.of(tracker);
        for calls in [0, 1] {
            for (_, fault) in faults() {
                service.clock.advance(Duration::from_hours(2));
                let back = allowed(&mut browser, fake, tracker).await;
                fake.fail_after(calls, fault);
                browser.get(&back).await;
            }
        }
        service.clock.advance(Duration::from_hours(2));
        let back = allowed(&mut browser, fake, tracker).await;
        state = state_of(&back);
        let letter = tracker.letter();
        leads_to(&browser.get(&back).await, &format!("?done=linked-{letter}"));
        failed(&browser.get(&back).await, "refused", tracker);
        let page = browser.get("/profile").await.text();
        for secret in ["access-token", "refresh-token", "code-0", CLIENT_SECRET] {
            assert!(!page.contains(secret), "{secret} on the page");
        }
    }
    let token = fakes.a.tokens().access;
    for (token, status) in [("wrong-token", 400), (&token, 200)] {
        let answer = update(&service, &person, by_token(VIEWER.0, token)).await;
        assert_eq!(answer.status, status);
    }
    let log = log.text();
    for told in [
        "tracker_a exchange",
        "tracker_b exchange",
        "tracker_a viewer",
        "/profile/trackers/{tracker}/callback",
    ] {
        assert!(log.contains(told), "{told}");
    }
    let mut rows = Vec::new();
    for table in ["User", "TrackerLink", "Session", "Throttle"] {
        let request = service.client.scan().table_name(service.tables.of(table));
        rows.extend(request.send().await.unwrap().items.unwrap_or_default());
    }
    let rows = format!("{rows:?}");
    for secret in secrets(&fakes, &state) {
        assert!(!log.contains(&secret), "{secret} is logged");
        let is_shown = secret == VIEWER.1 || secret == AVATAR;
        assert!(is_shown || !rows.contains(&secret), "{secret} is in a row");
    }
}
