//! Linking accounts at trackers on the profile page and through the API, with both fake trackers.

use std::time::Duration;

use accounts::linked_accounts::{Link, LinkReport, LinkStore};
use accounts::linking::open_tokens;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::StatusCode;
use serde_json::{Value, json};
use shared::models::TrackerName;
use tests::assertions::{AssertFields, AssertText};
use tests::browser::{PageClient, query};
use tests::log::Log;
use tests::people::Person;
use tests::rows::Row;
use tests::service::{Answer, PUBLIC_URL, START_MS, Service};
use tests::table::table;
use tests::trackers::{AVATAR, CLIENT_SECRET, Fake, Fakes, Fault, VIEWER, pairs};

/// Returns a service with both trackers, and a user.
async fn service_with_trackers() -> (Service, Fakes, Person) {
    let (service, fakes) = Service::empty().await.with_trackers().await;
    let person = service.person("taki").await;
    (service, fakes, person)
}

fn tracker_path(tracker: TrackerName, what: &str) -> String {
    format!("/profile/trackers/{}/{what}", tracker.letter())
}

/// Starts to connect a tracker. Returns the address of its authorization request.
async fn connect(browser: &mut PageClient<'_>, tracker: TrackerName) -> String {
    let answer = browser.get(&tracker_path(tracker, "connect")).await;
    answer.assert_status(303);
    answer.header("location").to_owned()
}

/// Starts to connect a tracker and allows the request there. Returns the address of the callback.
async fn connect_and_allow(
    browser: &mut PageClient<'_>,
    fake: &Fake,
    tracker: TrackerName,
) -> String {
    let address = connect(browser, tracker).await;
    fake.allow(&address)
}

/// Links an account.
async fn link(browser: &mut PageClient<'_>, fakes: &Fakes, tracker: TrackerName) {
    let back = connect_and_allow(browser, fakes.of(tracker), tracker).await;
    let answer = browser.get(&back).await;
    assert_redirects_to_connections(&answer, &format!("?done=linked-{}", tracker.letter()));
}

async fn disconnect(browser: &mut PageClient<'_>, tracker: TrackerName) -> Answer {
    let page = browser.get("/profile/connections").await;
    let to = format!("/profile/connections/{}/disconnect", tracker.letter());
    browser.submit(&page, &to, &[]).await
}

/// Checks that the response redirects to the connections with this query string.
fn assert_redirects_to_connections(answer: &Answer, query: &str) {
    answer.assert_leads_to(&format!("/profile/connections{query}"));
    assert_eq!(answer.header("cache-control"), "no-store");
}

fn assert_failed(answer: &Answer, why: &str, tracker: TrackerName) {
    assert_redirects_to_connections(answer, &format!("?failed={why}-{}", tracker.letter()));
}

fn link_store(service: &Service) -> LinkStore {
    LinkStore::new(&service.database())
}

async fn stored_links(service: &Service, person: &Person) -> Vec<Link> {
    link_store(service).list(person.id).await.unwrap()
}

/// Returns the link at a tracker.
async fn link_at(service: &Service, person: &Person, tracker: TrackerName) -> Link {
    let mut links = stored_links(service, person).await.into_iter();
    links.find(|link| link.tracker == tracker).unwrap()
}

/// Returns the user's row.
async fn user_row(service: &Service, person: &Person) -> Row {
    let row = service.row("User", json!({"id": person.id})).await;
    row.unwrap()
}

/// Returns `has_tracker_a` and `has_tracker_b`. Checks that the user and other callers see the same.
async fn tracker_flags(service: &Service, person: &Person) -> [bool; 2] {
    let me = service.get_as(&person.token, "/v1/auth/me");
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

/// Returns the text of a page without its markup.
fn visible_text(page: &Answer) -> String {
    let text = page.text();
    let parts = text.split('<').filter_map(|part| part.split_once('>'));
    let words: String = parts.map(|(_, text)| text).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the section of the profile page about a tracker.
fn tracker_section(page: &Answer, tracker: TrackerName) -> String {
    let part = page.after(&format!("<h3>{}", tracker.title()));
    let end = part.find("<h3>").or_else(|| part.find("</section>"));
    part[..end.unwrap()].to_owned()
}

fn badge(page: &Answer, tracker: TrackerName) -> String {
    tracker_section(page, tracker).between("class=\"badge\">", "<")
}

#[tokio::test]
async fn account_is_linked_when_the_user_returns_from_the_tracker() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut expected = [false, false];
    for (number, tracker) in TrackerName::ALL.into_iter().enumerate() {
        let fake = fakes.of(tracker);
        let page = browser.get("/profile/connections").await;
        assert_eq!(badge(&page, tracker), "not linked");
        let connect_path = tracker_path(tracker, "connect");
        assert!(page.text().contains(&format!("href=\"{connect_path}\"")));
        let answer = browser.get(&connect_path).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        assert_eq!(answer.header("cache-control"), "no-store");
        let address = answer.header("location").to_owned();
        let back = fake.allow(&address);
        // Before the callback, nothing is linked, and the tracker gets no request.
        assert_eq!(tracker_flags(&service, &person).await, expected);
        assert_eq!(fake.count(), 0);

        service.clock.advance(Duration::from_mins(1));
        let now = service.clock.now_ms();
        let answer = browser.get(&back).await;
        assert_redirects_to_connections(&answer, &format!("?done=linked-{}", tracker.letter()));
        expected[number] = true;
        assert_eq!(tracker_flags(&service, &person).await, expected);
        assert_eq!(avatar(&service, &person).await, AVATAR);
        let page = browser.get(answer.header("location")).await;
        assert_eq!(badge(&page, tracker), "linked");
        let message = format!("Your {} account is linked.", tracker.title());
        visible_text(&page).assert_has(&message);
        assert!(tracker_section(&page, tracker).contains(VIEWER.1));
        assert!(!page.text().contains(&connect_path));

        let link = link_at(&service, &person, tracker).await;
        assert_eq!((link.account, link.name.as_str()), VIEWER);
        assert!(!link.needs_reconnect);
        let sealer = service.environment.sealer().unwrap();
        let tokens = open_tokens(&sealer, &link).await.unwrap().unwrap();
        assert_eq!(tokens.access, fake.tokens().access);
        assert_eq!(tokens.refresh, fake.tokens().refresh);
        // The next sync run includes the user.
        let row = user_row(&service, &person).await;
        assert!(row.contains_key("sync_shard"));
        let due: u64 = row["sync_due_at"].as_n().unwrap().parse().unwrap();
        assert_eq!(due, link.linked_at);
        assert!(due >= now);
        let account = format!("{tracker}_account");
        assert_eq!(row[&account], AttributeValue::N(VIEWER.0.to_string()));
    }
    // Only tracker B supports PKCE. Its fake has checked the verifier against the challenge.
    let sent = fakes.b.state().received[0].form();
    assert!(sent.contains_key("code_verifier"));
    assert!(fakes.a.state().received[0].json()["code_verifier"].is_null());
}

#[tokio::test]
async fn each_connection_has_its_own_state_and_challenge() {
    let (service, _fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let address = connect(&mut browser, TrackerName::B).await;
        let asked = pairs(&address.after("?"));
        for name in ["state", "code_challenge"] {
            // The values need no percent-encoding in an address.
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

/// Replaces the state in the address of a callback.
fn with_state(back: &str, state: &str) -> String {
    let code = &pairs(&back.after("?"))["code"];
    let query = query(&[("code", code), ("state", state)]);
    format!("{}?{query}", back.before("?"))
}

fn state_of(back: &str) -> String {
    pairs(&back.after("?"))["state"].clone()
}

#[tokio::test]
async fn state_is_bound_to_session_and_tracker() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let stranger = service.person("stranger").await;
    for tracker in TrackerName::ALL {
        let fake = fakes.of(tracker);
        let mut same_user = PageClient::signed_in(&service, &person).await;
        let mut another = PageClient::signed_in(&service, &stranger).await;
        // An attacker could start a connection and send its state to a victim, to link the attacker's
        // account at the tracker to the victim's user.
        let of_same_user = state_of(&connect_and_allow(&mut same_user, fake, tracker).await);
        let of_another = state_of(&connect_and_allow(&mut another, fake, tracker).await);
        let other = tracker.other();
        let of_other_tracker =
            state_of(&connect_and_allow(&mut browser, fakes.of(other), other).await);
        let back = connect_and_allow(&mut browser, fake, tracker).await;
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
            assert_failed(&answer, "late", tracker);
        }
        let path = back.before("?");
        let sent = format!("{path}?code={}", pairs(&back.after("?"))["code"]);
        assert_failed(&browser.get(&sent).await, "late", tracker);
        assert_eq!(fake.count(), 0, "no code may be redeemed");
        assert_eq!(stored_links(&service, &person).await, []);
        // An error parameter with an invalid state must not reach the page either.
        let query = query(&[("error", "<b>"), ("state", "nonsense")]);
        let answer = browser.get(&format!("{path}?{query}")).await;
        assert_failed(&answer, "late", tracker);
        assert_failed(&another.get(&back).await, "late", tracker);
        assert_eq!(stored_links(&service, &stranger).await, []);
    }
}

#[tokio::test]
async fn state_expires_after_ten_minutes() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let tracker = TrackerName::B;
    let back = connect_and_allow(&mut browser, &fakes.b, tracker).await;
    service.clock.advance(Duration::from_mins(10));
    assert_failed(&browser.get(&back).await, "late", tracker);
    let mut browser = PageClient::signed_in(&service, &person).await;
    let back = connect_and_allow(&mut browser, &fakes.b, tracker).await;
    service.clock.advance(Duration::from_secs(599));
    assert_redirects_to_connections(&browser.get(&back).await, "?done=linked-b");
}

#[tokio::test]
async fn account_is_not_linked_if_the_tracker_returns_an_error() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for tracker in TrackerName::ALL {
        let fake = fakes.of(tracker);
        let back = fake.refuse(&connect(&mut browser, tracker).await);
        assert_failed(&browser.get(&back).await, "denied", tracker);
        let state = state_of(&fake.allow(&connect(&mut browser, tracker).await));
        for sent in [
            &[("error", "server_error")][..],
            &[("error", "access_denied"), ("code", "code-0001")],
            &[],
        ] {
            let sent = query(&[sent, &[("state", &state)]].concat());
            let back = format!("{}?{sent}", tracker.callback_path());
            assert_failed(&browser.get(&back).await, "denied", tracker);
        }
        assert_eq!(fake.count(), 0);
    }
    assert_eq!(stored_links(&service, &person).await, []);
}

#[tokio::test]
async fn code_is_redeemed_once() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for tracker in TrackerName::ALL {
        let back = connect_and_allow(&mut browser, fakes.of(tracker), tracker).await;
        let forged = back.replace("code-0001", "code-9999");
        assert_failed(&browser.get(&forged).await, "refused", tracker);
        let expected = format!("?done=linked-{}", tracker.letter());
        assert_redirects_to_connections(&browser.get(&back).await, &expected);
        let before = link_at(&service, &person, tracker).await;
        assert_failed(&browser.get(&back).await, "refused", tracker);
        assert_eq!(link_at(&service, &person, tracker).await, before);
    }
    assert_eq!(tracker_flags(&service, &person).await, [true, true]);
}

/// Faults of a tracker, each with the expected reason on the profile page.
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
async fn failure_and_rejection_have_different_messages() {
    let (service, fakes, person) = service_with_trackers().await;
    for tracker in TrackerName::ALL {
        let fake = fakes.of(tracker);
        // The exchange of the code fails first, then the request for the account.
        for calls in [0, 1] {
            for (number, (why, fault)) in faults().into_iter().enumerate() {
                // Two hours are longer than the pause after any fault.
                service.clock.advance(Duration::from_hours(2));
                let mut browser = PageClient::signed_in(&service, &person).await;
                let back = connect_and_allow(&mut browser, fake, tracker).await;
                fake.fail_after(calls, fault);
                let answer = browser.get(&back).await;
                let expected = format!("?failed={why}-{}", tracker.letter());
                let name = format!("{tracker}, call {calls}, fault {number}");
                assert_eq!(answer.status, StatusCode::SEE_OTHER, "{name}");
                let expected = format!("{PUBLIC_URL}/profile/connections{expected}");
                assert_eq!(answer.header("location"), expected, "{name}");
            }
        }
    }
    assert_eq!(stored_links(&service, &person).await, []);
    assert_eq!(tracker_flags(&service, &person).await, [false, false]);
}

#[tokio::test]
async fn unresponsive_tracker_times_out() {
    let (service, fakes, person) = service_with_trackers().await;
    let service = service.with_trackers_as(&fakes, |_, config| {
        config.timeouts.total = Duration::from_millis(50);
    });
    for tracker in TrackerName::ALL {
        for (calls, fault) in [
            (0, Fault::Stall),
            (0, Fault::StallInBody),
            (1, Fault::Stall),
        ] {
            service.clock.advance(Duration::from_mins(2));
            let mut browser = PageClient::signed_in(&service, &person).await;
            let back = connect_and_allow(&mut browser, fakes.of(tracker), tracker).await;
            fakes.of(tracker).fail_after(calls, fault);
            assert_failed(&browser.get(&back).await, "later", tracker);
        }
    }
    assert_eq!(stored_links(&service, &person).await, []);
}

/// Requests stay within the tracker's rate limit. A request that would have to wait too long fails at
/// once.
#[tokio::test]
async fn rate_limited_tracker_gets_no_further_requests() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let tracker = TrackerName::A;
    let back = connect_and_allow(&mut browser, &fakes.a, tracker).await;
    fakes.a.fail(Fault::answer(429, "{}"));
    assert_failed(&browser.get(&back).await, "later", tracker);
    let count = fakes.a.count();
    let back = connect_and_allow(&mut browser, &fakes.a, tracker).await;
    assert_failed(&browser.get(&back).await, "later", tracker);
    assert_eq!(fakes.a.count(), count);
    service.clock.advance(Duration::from_mins(1));
    assert_redirects_to_connections(&browser.get(&back).await, "?done=linked-a");
}

#[tokio::test]
async fn rejected_client_credentials_are_a_configuration_error() {
    let (service, fakes, person) = service_with_trackers().await;
    let service = service.with_trackers_as(&fakes, |_, config| {
        config.client_id = "another-client".to_owned();
    });
    let mut browser = PageClient::signed_in(&service, &person).await;
    for tracker in TrackerName::ALL {
        let log = Log::begin();
        let address = connect(&mut browser, tracker).await;
        let address = address.replace("another-client", "kiroku-client");
        let back = fakes.of(tracker).allow(&address);
        let answer = browser.get(&back).await;
        assert_failed(&answer, "misconfigured", tracker);
        log.text().assert_has("\"level\":\"ERROR\"");
        let page = browser.get(answer.header("location")).await;
        assert!(visible_text(&page).contains("Contact the operator"));
    }
}

#[tokio::test]
async fn profile_shows_the_reason_of_a_failure() {
    let (service, _fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let cases = "
        late-a | AniList is not connected: you started in another
        denied-b | MyAnimeList is not connected because access was denied there.
        refused-a | AniList rejected the connection. Connect it again.
        later-b | MyAnimeList is unavailable or limits our requests
        off-b | MyAnimeList is not enabled on this server.";
    for [why, said] in table(cases) {
        let path = format!("/profile/connections?failed={why}");
        let page = browser.get_with_notice(&path).await;
        assert_eq!(page.status, StatusCode::OK);
        page.after("role=\"alert\"").assert_has(said);
    }
    for forged in ["", "<b>-a", "late", "late-c"] {
        let path = format!("/profile/connections?{}", query(&[("failed", forged)]));
        let page = browser.get_with_notice(&path).await;
        assert!(!page.text().contains("role=\"alert\""), "{forged}");
    }
}

#[tokio::test]
async fn connecting_requires_a_session() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let back = connect_and_allow(&mut browser, &fakes.a, TrackerName::A).await;
    let mut anonymous = PageClient::new(&service);
    for address in ["/profile/trackers/a/connect", &back] {
        let answer = anonymous.get(address).await;
        answer.assert_leads_to("/sign-in?next=/profile/connections");
    }
    for unknown in ["c", "A", "%C3%A4", "tracker_a"] {
        for what in ["connect", "callback"] {
            let path = format!("/profile/trackers/{unknown}/{what}");
            let answer = browser.get(&path).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{unknown}");
        }
    }
    assert_eq!(fakes.a.count(), 0);
}

#[tokio::test]
async fn unconfigured_tracker_is_not_offered() {
    let (service, fakes, person) = service_with_trackers().await;
    {
        let mut browser = PageClient::signed_in(&service, &person).await;
        link(&mut browser, &fakes, TrackerName::B).await;
    }
    let service = service.with_trackers_as(&fakes, |_, config| config.client_id.clear());
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/connections").await;
    // The connect button is hidden.
    page.assert_lacks("/connect\"");
    for tracker in TrackerName::ALL {
        let said = format!("{} is not enabled on this server.", tracker.title());
        assert!(tracker_section(&page, tracker).contains(&said));
        let answer = browser.get(&tracker_path(tracker, "connect")).await;
        assert_failed(&answer, "off", tracker);
    }
    // An account that is already linked can still be unlinked.
    assert!(!tracker_section(&page, TrackerName::A).contains("Disconnect"));
    assert_eq!(badge(&page, TrackerName::B), "linked");
    let answer = disconnect(&mut browser, TrackerName::B).await;
    assert_redirects_to_connections(&answer, "?done=unlinked-b");
    assert_eq!(stored_links(&service, &person).await, []);
}

#[tokio::test]
async fn refused_account_can_be_reconnected() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for tracker in TrackerName::ALL {
        link(&mut browser, &fakes, tracker).await;
        let first = link_at(&service, &person, tracker).await;
        let store = link_store(&service);
        assert!(store.require_reconnect(&first).await.unwrap());
        let number = usize::from(tracker == TrackerName::B);
        assert!(!tracker_flags(&service, &person).await[number]);
        let page = browser.get("/profile/connections").await;
        assert_eq!(badge(&page, tracker), "reconnect");
        let part = tracker_section(&page, tracker);
        assert!(part.contains(&format!("Reconnect {}", tracker.title())));
        assert!(part.contains(&format!("Disconnect {}", tracker.title())));

        link(&mut browser, &fakes, tracker).await;
        assert!(tracker_flags(&service, &person).await[number]);
        let page = browser.get("/profile/connections").await;
        assert_eq!(badge(&page, tracker), "linked");
        let again = link_at(&service, &person, tracker).await;
        assert!(!again.needs_reconnect);
        assert_ne!(again.link_id, first.link_id);
        assert!(user_row(&service, &person).await.contains_key("sync_shard"));
    }
}

#[tokio::test]
async fn disconnecting_stops_the_sync() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for tracker in TrackerName::ALL {
        link(&mut browser, &fakes, tracker).await;
    }
    let answer = disconnect(&mut browser, TrackerName::A).await;
    assert_redirects_to_connections(&answer, "?done=unlinked-a");
    assert_eq!(tracker_flags(&service, &person).await, [false, true]);
    let page = browser.get(answer.header("location")).await;
    assert!(visible_text(&page).contains("Your AniList account is no longer linked."));
    assert_eq!(badge(&page, TrackerName::A), "not linked");
    let left = stored_links(&service, &person).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].tracker, TrackerName::B);
    let user = user_row(&service, &person).await;
    assert!(user.contains_key("sync_shard") && user.contains_key("tracker_b_account"));
    assert!(!user.contains_key("tracker_a_account"));
    // The user disconnects twice, for example in two windows.
    let path = "/profile/connections/a/disconnect";
    let again = browser.submit(&page, path, &[]).await;
    assert_redirects_to_connections(&again, "?done=unlinked-a");
    assert_eq!(tracker_flags(&service, &person).await, [false, true]);

    let answer = disconnect(&mut browser, TrackerName::B).await;
    assert_redirects_to_connections(&answer, "?done=unlinked-b");
    assert_eq!(tracker_flags(&service, &person).await, [false, false]);
    assert_eq!(stored_links(&service, &person).await, []);
    let user = user_row(&service, &person).await;
    assert!(!user.contains_key("sync_shard") && !user.contains_key("tracker_b_account"));
    assert_eq!(avatar(&service, &person).await, AVATAR, "the avatar stays");
}

#[tokio::test]
async fn refused_account_can_be_disconnected() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    link(&mut browser, &fakes, TrackerName::A).await;
    let refused = link_at(&service, &person, TrackerName::A).await;
    let store = link_store(&service);
    assert!(store.require_reconnect(&refused).await.unwrap());
    let answer = disconnect(&mut browser, TrackerName::A).await;
    assert_redirects_to_connections(&answer, "?done=unlinked-a");
    assert_eq!(stored_links(&service, &person).await, []);
}

#[tokio::test]
async fn deleting_a_user_deletes_the_links() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for tracker in TrackerName::ALL {
        link(&mut browser, &fakes, tracker).await;
    }
    let page = browser.get("/profile/delete").await;
    let answer = browser.submit(&page, "/profile/delete", &[]).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(stored_links(&service, &person).await, []);
    let user = service.users().account(person.id).await.unwrap();
    assert!(user.is_none());
}

#[tokio::test]
async fn avatar_requires_an_https_address() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
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
async fn profile_shows_the_report_of_the_last_run() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let tracker = TrackerName::A;
    link(&mut browser, &fakes, tracker).await;
    let page = browser.get("/profile/connections").await;
    assert!(tracker_section(&page, tracker).contains("within minutes"));
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
    let (store, later) = (link_store(&service), START_MS + 600_000);
    assert!(store.store_report(&link, &report, 1, later).await.unwrap());
    let page = browser.get("/profile/connections").await;
    let said = visible_text(&page);
    for part in [
        "Last synced 14 November 2023, 21:13 UTC.",
        "The last run, 14 November 2023, 22:13 UTC:",
        "Stories changed here: 1,234",
        "Entries changed there: 5",
        "Changed on both sides: 2",
        "Waiting to be sent there: 7",
        "Rejected there: 3",
        "Anime not in the catalogue yet: 12.",
        "AniList &lt;did&gt; not answer. It goes on later.",
        "The next run is not before 14 November 2023, 22:23 UTC.",
    ] {
        said.assert_has(part);
    }
    let part = tracker_section(&page, tracker);
    part.assert_has("href=\"https://anilist.co/anime/101\"");
    part.assert_has("and others");
    assert!(!tracker_section(&page, TrackerName::B).contains("The last run"));

    let quiet = LinkReport {
        at: START_MS,
        succeeded_at: START_MS,
        ..LinkReport::default()
    };
    assert!(store.store_report(&link, &quiet, 0, 0).await.unwrap());
    let said = visible_text(&browser.get("/profile/connections").await);
    said.assert_has("Nothing had changed.");
    assert!(!said.contains("Stories changed here") && !said.contains("next run"));
}

fn token_link(account: u64, token: &str) -> Value {
    json!({"tracker_a_id": account, "tracker_a_token": token})
}

/// Checks that no part of an update was written.
async fn assert_unchanged(service: &Service, person: &Person) {
    let me = service.get_as(&person.token, "/v1/auth/me");
    assert_eq!(me.await.data()["gender"], 0);
    assert_eq!(tracker_flags(service, person).await, [false, false]);
    assert_eq!(stored_links(service, person).await, []);
}

#[tokio::test]
async fn api_links_the_account_of_a_valid_token() {
    let (service, fakes, person) = service_with_trackers().await;
    let token = fakes.a.tokens().access;
    for (sent, field) in [
        (token_link(VIEWER.0, "another-token"), "tracker_a_token"),
        (token_link(VIEWER.0 + 1, &token), "tracker_a_id"),
    ] {
        let answer = service.update_user(&person, &sent).await;
        assert_eq!(answer.status, 400);
        let data = answer.data();
        assert_eq!(data.as_object().unwrap().len(), 1, "{data}");
        assert!(data[field].is_string(), "{data}");
        assert_unchanged(&service, &person).await;
    }
    let answer = service
        .update_user(&person, &token_link(VIEWER.0, &token))
        .await;
    let user = answer.data();
    user.assert_fields(
        json!({"has_tracker_a": true, "has_tracker_b": false, "gender": 2, "avatar": AVATAR}),
    );
    answer.assert_lacks(&token);
    let link = link_at(&service, &person, TrackerName::A).await;
    assert_eq!((link.account, link.name.as_str()), VIEWER);
    assert!(user_row(&service, &person).await.contains_key("sync_shard"));
}

#[tokio::test]
async fn api_returns_503_while_the_tracker_is_unavailable() {
    let (service, fakes, person) = service_with_trackers().await;
    let sent = || token_link(VIEWER.0, &fakes.a.tokens().access);
    let wait = |seconds: &str| vec![("retry-after", seconds.to_owned())];
    for (fault, least) in [
        (Fault::answer(500, ""), 1),
        (Fault::Cut, 1),
        (Fault::answer(200, "{}"), 1),
        (Fault::Answer(429, wait("7"), "{}".to_owned()), 7),
        (Fault::answer(403, "<html>"), 3_600),
    ] {
        fakes.a.fail(fault);
        let answer = service.update_user(&person, &sent()).await;
        answer.assert_status(503);
        let after: u64 = answer.header("retry-after").parse().unwrap();
        assert!((least..=least + 60).contains(&after), "{after} for {least}");
        assert!(answer.data().as_str().unwrap().contains("Retry-After"));
        assert_unchanged(&service, &person).await;
        service.clock.advance(Duration::from_secs(after));
    }
    // While the rate limit is exceeded, the update fails without a request to the tracker.
    fakes.a.fail(Fault::answer(429, "{}"));
    assert_eq!(service.update_user(&person, &sent()).await.status, 503);
    let count = fakes.a.count();
    let answer = service.update_user(&person, &sent()).await;
    assert_eq!((answer.status.as_u16(), fakes.a.count()), (503, count));
    assert_unchanged(&service, &person).await;

    let service = service.with_trackers_as(&fakes, |_, config| config.client_id.clear());
    let answer = service.update_user(&person, &sent()).await;
    assert_eq!(answer.status, 400);
    assert!(answer.data()["tracker_a_id"].is_string());
    assert_unchanged(&service, &person).await;
}

#[tokio::test]
async fn application_cannot_link_accounts() {
    let (service, fakes, person) = service_with_trackers().await;
    let application = service.web_application(&person).await;
    let token = service.application_token(&person, &application).await;
    let application = Person {
        token,
        ..person.clone()
    };
    let sent = token_link(VIEWER.0, &fakes.a.tokens().access);
    let stranger = service.person("stranger").await;
    let mut of_person = sent.clone();
    of_person["id"] = json!(person.id);
    for (by, sent) in [(&application, &sent), (&stranger, &of_person)] {
        service.update_user(by, sent).await.assert_status(403);
    }
    assert_eq!(fakes.a.count(), 0);
}

/// All users share a tracker's rate limit. A limit for each caller address keeps a single caller from
/// using it up.
#[tokio::test]
async fn link_attempts_per_address_are_limited() {
    let (service, fakes, person) = service_with_trackers().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let wrong = || token_link(VIEWER.0, "wrong");
    let back = format!("{}?state=nonsense&code=x", TrackerName::A.callback_path());
    for _ in 0..50 {
        assert_eq!(service.update_user(&person, &wrong()).await.status, 400);
        assert_eq!(browser.get(&back).await.status, StatusCode::SEE_OTHER);
    }
    let count = fakes.a.count();
    let answer = service.update_user(&person, &wrong()).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(!answer.header("retry-after").is_empty());
    let answer = browser.get(&back).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(fakes.a.count(), count);
}

/// Returns texts that must not appear in logs.
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
async fn secrets_are_neither_logged_nor_stored_in_plain_text() {
    let log = Log::begin();
    let (service, fakes, person) = service_with_trackers().await;
    let mut state = String::new();
    for tracker in TrackerName::ALL {
        let fake = fakes.of(tracker);
        for calls in [0, 1] {
            for (_, fault) in faults() {
                service.clock.advance(Duration::from_hours(2));
                let mut browser = PageClient::signed_in(&service, &person).await;
                let back = connect_and_allow(&mut browser, fake, tracker).await;
                fake.fail_after(calls, fault);
                browser.get(&back).await;
            }
        }
        service.clock.advance(Duration::from_hours(2));
        let mut browser = PageClient::signed_in(&service, &person).await;
        let back = connect_and_allow(&mut browser, fake, tracker).await;
        state = state_of(&back);
        let expected = format!("?done=linked-{}", tracker.letter());
        assert_redirects_to_connections(&browser.get(&back).await, &expected);
        assert_failed(&browser.get(&back).await, "refused", tracker);
        let page = browser.get("/profile/connections").await.text();
        for secret in ["access-token", "refresh-token", "code-0", CLIENT_SECRET] {
            assert!(!page.contains(secret), "{secret} on the page");
        }
    }
    let token = fakes.a.tokens().access;
    for (token, status) in [("wrong-token", 400), (&token, 200)] {
        let answer = service
            .update_user(&person, &token_link(VIEWER.0, token))
            .await;
        assert_eq!(answer.status, status);
    }
    let log = log.text();
    for logged in [
        "tracker_a exchange",
        "tracker_b exchange",
        "tracker_a viewer",
        "/profile/trackers/{tracker}/callback",
    ] {
        assert!(log.contains(logged), "{logged}");
    }
    let mut rows = Vec::new();
    for table in ["User", "TrackerLink", "Session", "Throttle"] {
        rows.extend(service.rows(table).await);
    }
    let rows = format!("{rows:?}");
    for secret in secrets(&fakes, &state) {
        assert!(!log.contains(&secret), "{secret} is logged");
        let is_shown = secret == VIEWER.1 || secret == AVATAR;
        assert!(is_shown || !rows.contains(&secret), "{secret} is in a row");
    }
}
