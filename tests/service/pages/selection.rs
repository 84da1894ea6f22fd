//! Changes of several selected entries of `/list` at once, and the orders and views of the list (docs/pages.md, "Pages
//! that change a story").

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};
use shared::models::TrackerName::{A, B};
use shared::models::WatchStatus::{Completed, Dropped};
use shared::models::{Anime, AnimeStatus, Weekday};
use tests::assertions::{AssertFields, AssertText};
use tests::browser::{PageClient, hidden};
use tests::linked::Linked;
use tests::people::Person;
use tests::service::{Answer, PUBLIC_URL, Service};

use super::home::anime;
use super::list::{follow, put, shown, with_user};
use super::{assert_rounds, set_language, sign_in_as};

const SELECTION: &str = "/list/selection";
const UNDO: &str = "/list/selection/undo";

/// Returns a service with the anime 21, 22 and 23, and a user who has an entry for each: episode 3, with notes.
async fn with_three() -> (Service, Person) {
    let all = [anime(21, "Kumo"), anime(22, "Hoshi"), anime(23, "Sora")];
    let (service, person) = with_user(&all).await;
    for id in 21..=23 {
        let more = json!({"current_episode": 3, "details": {"notes": format!("notes {id}")}});
        put(&service, &person, id, 0, &more).await;
    }
    (service, person)
}

async fn read(service: &Service, person: &Person, anime: u64, more: &str) -> Value {
    let id = (person.id.get() << 25) + anime;
    let path = format!("/v1/user_story/{id}{more}");
    let answer = service.get_as(&person.token, &path).await;
    if answer.status == StatusCode::NOT_FOUND {
        return Value::Null;
    }
    answer.data()
}

/// Returns a story with its details, except for the time of its last change.
async fn story(service: &Service, person: &Person, anime: u64) -> Value {
    let mut story = read(service, person, anime, "?include=details").await;
    let details = story.get_mut("details").and_then(Value::as_object_mut);
    if let Some(details) = details {
        details.remove("updated_at");
    }
    story
}

async fn stories(service: &Service, person: &Person) -> [Value; 3] {
    [
        story(service, person, 21).await,
        story(service, person, 22).await,
        story(service, person, 23).await,
    ]
}

async fn history(service: &Service, person: &Person, anime: u64) -> Vec<Value> {
    let history = read(service, person, anime, "/history").await;
    history.as_array().cloned().unwrap_or_default()
}

/// Returns the values of the checkboxes of a page, in order.
fn checkboxes(page: &Answer) -> Vec<String> {
    let start = "type=\"checkbox\" form=\"selection\" name=\"entry\" value=\"";
    page.all_between(start, "\"")
}

/// Sends the form of the selection on a page with these entries and values.
async fn send(
    browser: &mut PageClient<'_>,
    page: &Answer,
    keys: &[String],
    values: &[(&str, &str)],
) -> Answer {
    let entries = keys.iter().map(|key| ("entry", key.as_str()));
    let fields: Vec<(&str, &str)> = entries.chain(values.iter().copied()).collect();
    browser.submit(page, SELECTION, &fields).await
}

/// Opens the whole list, selects all its entries, and sends the form.
async fn select_all(browser: &mut PageClient<'_>, values: &[(&str, &str)]) -> Answer {
    let page = browser.get("/list?status=all").await;
    send(browser, &page, &checkboxes(&page), values).await
}

/// Opens the list, changes all its entries, and returns the page that follows.
async fn change_all(browser: &mut PageClient<'_>, values: &[(&str, &str)]) -> Answer {
    let changed = select_all(browser, values).await;
    follow(browser, &changed).await
}

/// Presses the button of a page that undoes a change, and returns the page that follows.
async fn undo(browser: &mut PageClient<'_>, page: &Answer) -> Answer {
    let undone = browser.submit(page, UNDO, &[]).await;
    follow(browser, &undone).await
}

#[tokio::test]
async fn selected_entries_change_and_come_back_in_one_step() {
    let (service, person) = with_three().await;
    let before = stories(&service, &person).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?status=0&sort=title").await;
    let keys = checkboxes(&page);
    assert_eq!(keys.len(), 3);
    service.clock.advance(Duration::from_mins(1));
    let values = [("status", "2"), ("score", "87,5"), ("private", "yes")];
    let answer = send(&mut browser, &page, &keys, &values).await;
    let location = answer.header("location");
    let expected =
        format!("{PUBLIC_URL}/list?status=0&sort=title&selected=changed&count=3&selection=");
    assert!(location.starts_with(&expected), "{location}");
    let done = follow(&mut browser, &answer).await;
    done.assert_has("3 entries have been changed.");
    for id in 21..=23 {
        let story = story(&service, &person, id).await;
        assert_eq!(story["status"], 2);
        assert_eq!(story["current_episode"], 12, "all episodes");
        story["details"].assert_fields(json!({
            "score": 87.5, "private": true, "finished_on": "2023-11-14", "notes": format!("notes {id}")
        }));
        let history = history(&service, &person, id).await;
        assert_eq!(history.len(), 2);
        assert_eq!(history[0]["by"], "owner");
    }

    let page = undo(&mut browser, &done).await;
    page.assert_has("3 entries have been restored.");
    assert!(!page.text().contains(UNDO), "an undo cannot be undone");
    assert_eq!(stories(&service, &person).await, before);
    assert_eq!(history(&service, &person, 21).await.len(), 3);

    let page = undo(&mut browser, &done).await;
    page.assert_has("There is nothing left to undo.");
    assert_eq!(history(&service, &person, 21).await.len(), 3);
}

#[tokio::test]
async fn each_value_changes_alone() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let expect = async |field: &str, expected: Value| {
        let story = story(&service, &person, 22).await;
        assert_eq!(story["current_episode"], 3);
        assert_eq!(story["details"]["notes"], "notes 22");
        let value = story.get(field).unwrap_or(&story["details"][field]);
        assert_eq!(*value, expected, "{field}");
    };
    for (field, value, expected) in [
        ("score", "80", json!(80.0)),
        ("private", "yes", json!(true)),
        ("status", "4", json!(4)),
        ("private", "no", json!(false)),
        ("score", "0", Value::Null),
    ] {
        change_all(&mut browser, &[(field, value)]).await;
        expect(field, expected).await;
    }
    expect("status", json!(4)).await;
    let count = history(&service, &person, 22).await.len();
    let page = change_all(&mut browser, &[("status", "4")]).await;
    page.assert_has("No entry has been changed.");
    assert!(!page.text().contains(UNDO), "there is nothing to undo");
    assert_eq!(history(&service, &person, 22).await.len(), count);
}

#[tokio::test]
async fn deleted_entries_come_back_with_their_history() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    change_all(&mut browser, &[("score", "80")]).await;
    let before = stories(&service, &person).await;
    let old_history = history(&service, &person, 21).await;
    let created =
        read(&service, &person, 21, "?include=details").await["details"]["created_at"].clone();
    service.clock.advance(Duration::from_hours(1));

    let asked = select_all(&mut browser, &[("delete", "yes")]).await;
    assert_eq!(asked.status, StatusCode::OK);
    asked.assert_has("Delete these entries?");
    asked.assert_has("3 entries are removed");
    for title in ["Kumo", "Hoshi", "Sora"] {
        asked.assert_has(title);
    }
    assert_eq!(stories(&service, &person).await, before, "not confirmed");

    let confirmed = [("confirmed", "yes")];
    let deleted = browser.submit(&asked, SELECTION, &confirmed).await;
    let done = follow(&mut browser, &deleted).await;
    done.assert_has("3 entries have been deleted.");
    done.assert_has("Your list is empty.");
    let none = [(); 3].map(|()| Value::Null);
    assert_eq!(stories(&service, &person).await, none);
    let token = &person.token;
    let feed = service.get_as(token, "/v1/user_story/changes").await;
    feed.assert_lacks("notes 21");
    let file = service.get_as(token, "/v1/auth/me/data").await.json();
    let kept = &file["deleted_stories"];
    assert_eq!(kept[0]["story"]["details"]["notes"], "notes 21", "{file}");
    assert_eq!(kept.as_array().unwrap().len(), 3);

    let page = undo(&mut browser, &done).await;
    page.assert_has("3 entries have been restored.");
    assert_eq!(stories(&service, &person).await, before);
    assert_eq!(history(&service, &person, 21).await, old_history);
    let details = &read(&service, &person, 21, "?include=details").await["details"];
    assert_eq!(details["created_at"], created);
    service.assert_declared_attributes().await;
}

/// An entry that was added again is newer than the deleted one.
#[tokio::test]
async fn undo_does_not_replace_new_entries() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let done = change_all(&mut browser, &[("delete", "yes"), ("confirmed", "yes")]).await;
    put(&service, &person, 21, 0, &json!({"current_episode": 5})).await;
    let page = undo(&mut browser, &done).await;
    page.assert_has("2 entries have been restored.");
    assert_eq!(story(&service, &person, 21).await["current_episode"], 5);
    assert_eq!(story(&service, &person, 22).await["current_episode"], 3);
}

#[tokio::test]
async fn undo_keeps_later_changes_and_names_them() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let values = [("status", "4"), ("score", "80")];
    let done = change_all(&mut browser, &values).await;
    let key = &checkboxes(&done)[..1];
    let id: u64 = key[0].split(':').next().unwrap().parse().unwrap();
    let rated = send(&mut browser, &done, key, &[("score", "90")]).await;
    follow(&mut browser, &rated).await;

    let undone = browser.submit(&done, UNDO, &[]).await;
    undone.assert_status(409);
    undone.assert_has("3 entries have been restored.");
    undone.assert_has("1 entry was skipped:");
    undone.assert_has("has changed since.");
    for other in 21..=23 {
        let story = story(&service, &person, other).await;
        let score = json!((other == id).then_some(90.0));
        assert_eq!(story["status"], 0);
        assert_eq!(story["details"]["score"], score);
    }
}

#[tokio::test]
async fn changed_and_deleted_entries_are_skipped_and_named() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let old = browser.get("/list?sort=title").await;
    let keys = checkboxes(&old);
    // Only details change, which the short form of a tag does not cover.
    let details = json!({"score": 10});
    let id = (person.id.get() << 25) + 21;
    let body = json!({
        "id": id, "user_id": person.id, "anime_id": 21, "status": 0, "current_episode": 3,
        "current_episode_ticks": 0, "details": details
    });
    let answer = service
        .post_as(&person.token, "/v1/user_story", &body)
        .await;
    answer.assert_status(200);
    let path = format!("/v1/user_story/{}", (person.id.get() << 25) + 22);
    service.delete_as(&person.token, &path).await;

    let answer = send(&mut browser, &old, &keys, &[("score", "80")]).await;
    answer.assert_status(409);
    answer.assert_has("1 entry has been changed.");
    answer.assert_has("2 entries were skipped:");
    let reason_of = |title: &str| answer.between(title, "</li>");
    reason_of("Kumo").assert_has("has changed since you opened");
    reason_of("Hoshi").assert_has("is not on your list");
    answer.assert_lacks("Sora");
    let score = async |id| story(&service, &person, id).await["details"]["score"].clone();
    assert_eq!(score(21).await, 10.0);
    assert_eq!(score(23).await, 80.0);
    assert_eq!(story(&service, &person, 22).await, Value::Null);

    undo(&mut browser, &answer).await;
    assert_eq!(score(21).await, 10.0);
    assert_eq!(score(23).await, Value::Null);
}

#[tokio::test]
async fn form_that_is_sent_twice_works_once() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut send_twice = async |values: &[(&str, &str)], sentence: &str| {
        let page = browser.get("/list").await;
        let keys = checkboxes(&page);
        let first = send(&mut browser, &page, &keys, values).await;
        first.assert_status(303);
        let second = send(&mut browser, &page, &keys, values).await;
        second.assert_status(409);
        second.assert_has(sentence);
        first
    };
    send_twice(&[("status", "2")], "No entry has been changed.").await;
    assert_eq!(history(&service, &person, 21).await.len(), 2);
    let delete = [("delete", "yes"), ("confirmed", "yes")];
    let first = send_twice(&delete, "3 entries were skipped:").await;
    let done = follow(&mut browser, &first).await;
    undo(&mut browser, &done).await;
    assert_eq!(story(&service, &person, 21).await["status"], 2);
}

#[tokio::test]
async fn forged_selections_change_nothing() {
    let (service, person) = with_three().await;
    let other = service.person("taki").await;
    put(&service, &other, 21, 0, &json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    let valid = checkboxes(&page);
    let before = stories(&service, &person).await;
    let repeated: Vec<String> = valid.iter().cycle().take(500).cloned().collect();
    let unknown: Vec<String> = (1000..1500).map(|id| format!("{id}:0-3-0")).collect();
    let with = |key: &str| [&valid[..], &[key.to_owned()]].concat();
    for (keys, sentence) in [
        (vec![], "select at least one entry"),
        (repeated, "At most 50 entries can be selected"),
        (unknown.clone(), "At most 50 entries can be selected"),
        (unknown[..51].to_vec(), "At most 50 entries can be selected"),
        (with(""), "The form is invalid."),
        (with("21"), "The form is invalid."),
        (with("0:0-3-0"), "The form is invalid."),
        (with("33554432:0-3-0"), "The form is invalid."),
        (with("<b>:x"), "The form is invalid."),
    ] {
        for values in [
            &[("status", "2")][..],
            &[("delete", "yes"), ("confirmed", "yes")],
            &[("delete", "yes")],
        ] {
            let answer = send(&mut browser, &page, &keys, values).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{keys:?}");
            answer.assert_has(sentence);
        }
    }
    let cases: [(&[(&str, &str)], &str); 7] = [
        (&[], "choose a status, a score or a visibility"),
        (
            &[("status", ""), ("score", " "), ("private", "")],
            "choose a status",
        ),
        (&[("status", "9"), ("score", "80")], "The form is invalid."),
        (&[("status", "02")], "The form is invalid."),
        (&[("private", "maybe")], "The form is invalid."),
        (&[("score", "100.1")], "must be a number from 0 to 100"),
        (&[("score", "<b>")], "must be a number from 0 to 100"),
    ];
    for (values, sentence) in cases {
        let answer = send(&mut browser, &page, &valid, values).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{values:?}");
        answer.assert_has(sentence);
    }
    // The entries are another user's story, an anime without a story, and an unknown anime.
    let foreign = ["21:0-3-0", "22:", "999:0-3-0", "33554431:5-1-1"].map(str::to_owned);
    for values in [
        &[("status", "2")][..],
        &[("delete", "yes"), ("confirmed", "yes")],
    ] {
        let answer = send(&mut browser, &page, &foreign, values).await;
        answer.assert_status(409);
        answer.assert_has("4 entries were skipped:");
    }
    // One of the first 50 entries is valid.
    let most = [&unknown[..49], &valid[..1]].concat();
    let answer = send(&mut browser, &page, &most, &[("score", "0")]).await;
    answer.assert_has("49 entries were skipped:");
    let entries: Vec<(&str, &str)> = valid.iter().map(|key| ("entry", key.as_str())).collect();
    for csrf in ["", "forged"] {
        let fields = [&entries[..], &[("csrf", csrf), ("status", "2")]].concat();
        let answer = browser.post(SELECTION, &fields).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{csrf}");
    }
    assert_eq!(stories(&service, &person).await, before);
    assert_eq!(story(&service, &other, 21).await["status"], 0);
    assert_eq!(story(&service, &person, 999).await, Value::Null);
}

#[tokio::test]
async fn change_of_another_user_is_not_undone() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let changed = select_all(&mut browser, &[("status", "4")]).await;
    let id = changed.header("location").after("selection=");
    let other = service.person("taki").await;
    let mut others = PageClient::signed_in(&service, &other).await;
    let csrf = hidden(&others.get("/profile").await, "csrf").unwrap();
    for (id, status) in [
        (&*id, 303),
        ("0000000000000000", 303),
        ("", 400),
        ("<b>", 400),
        (&*"a".repeat(33), 400),
        ("selection:a", 400),
    ] {
        let fields = [
            ("csrf", &*csrf),
            ("selection", id),
            ("back", "//evil.example"),
        ];
        let answer = others.post(UNDO, &fields).await;
        assert_eq!(answer.status.as_u16(), status, "{id}: {}", answer.text());
        if status == 303 {
            let location = answer.header("location");
            let expected = format!("{PUBLIC_URL}/list?selected=undone&count=0");
            assert!(location.starts_with(&expected), "{location}");
        }
    }
    assert_eq!(story(&service, &person, 21).await["status"], 4);
}

#[tokio::test]
async fn entry_without_its_anime_can_only_be_deleted() {
    let (service, person) = with_three().await;
    service.delete_row("Anime", json!({"id": 22})).await;
    service.publish().await;
    service.let_index_age();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let answer = select_all(&mut browser, &[("status", "4")]).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    answer.assert_has("2 entries have been changed.");
    answer.assert_has("can only be deleted.");
    let done = change_all(&mut browser, &[("delete", "yes"), ("confirmed", "yes")]).await;
    done.assert_has("3 entries have been deleted.");
    undo(&mut browser, &done).await;
    assert_eq!(story(&service, &person, 22).await["status"], 0);
}

/// 50 entries are one transaction.
#[tokio::test]
async fn whole_page_changes_in_one_transaction() {
    let all: Vec<Anime> = (1..=60).map(|id| anime(id, &format!("{id:02}"))).collect();
    let (service, person) = with_user(&all).await;
    let changes: Vec<Value> = (1..=60)
        .map(|id| json!({"op": "put", "anime_id": id, "status": 0}))
        .collect();
    service.change_stories(&person, &changes).await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?sort=title").await;
    let keys = checkboxes(&page);
    assert_eq!(keys.len(), 50);
    // A transaction in the same millisecond as the one before is repeated with later change numbers.
    service.clock.advance(Duration::from_secs(1));
    let _ = rounds.take();
    let values = [("status", "2"), ("private", "yes")];
    let answer = send(&mut browser, &page, &keys, &values).await;
    // The rounds are for the session, the stories and the transaction.
    assert_eq!(rounds.take(), 3);
    let done = follow(&mut browser, &answer).await;
    done.assert_has("50 entries have been changed.");
    assert_eq!(story(&service, &person, 50).await["status"], 2);
    assert_eq!(story(&service, &person, 51).await["status"], 0);
    let asked = select_all(&mut browser, &[("delete", "yes")]).await;
    assert!(asked.body.len() < 30_000, "{} bytes", asked.body.len());
    service.clock.advance(Duration::from_secs(1));
    let _ = rounds.take();
    let undone = browser.submit(&done, UNDO, &[]).await;
    assert_eq!(rounds.take(), 3);
    assert_eq!(undone.status, StatusCode::SEE_OTHER);
    assert_eq!(story(&service, &person, 50).await["status"], 0);
}

#[tokio::test]
async fn linked_trackers_follow_the_selection_and_its_undo() {
    let linked = Linked::with_anime(2).await;
    let person = linked.person("taki", &[A, B]).await;
    for number in 0..2 {
        linked.watch(&person, number, 0, 3).await;
    }
    linked.run().await;
    let mut browser = PageClient::signed_in(&linked.service, &person).await;
    let synced = async || {
        let path = "/v1/user_story?synced=true";
        let answer = linked.service.get_as(&person.token, path).await;
        answer.data().as_array().map(Vec::len)
    };
    assert_eq!(synced().await, Some(2));
    linked.service.clock.advance(Duration::from_mins(1));
    let done = change_all(&mut browser, &[("status", "3")]).await;
    assert_eq!(synced().await, Some(0));
    // The user is due at once.
    linked.run().await;
    for number in 0..2 {
        assert_eq!(linked.entry(A, number), Some((Dropped, 3)));
        assert_eq!(linked.entry(B, number), Some((Dropped, 3)));
    }
    linked.service.clock.advance(Duration::from_mins(1));
    let page = undo(&mut browser, &done).await;
    linked.run().await;
    assert_ne!(linked.entry(A, 0).unwrap().0, Dropped);
    assert_eq!(synced().await, Some(2));

    // A restored story is in the state that the trackers have.
    let keys = checkboxes(&page);
    let asked = send(&mut browser, &page, &keys, &[("delete", "yes")]).await;
    asked.assert_has("If a linked tracker has entries");
    let fields = [("confirmed", "yes")];
    let deleted = browser.submit(&asked, SELECTION, &fields).await;
    let done = follow(&mut browser, &deleted).await;
    assert_eq!(synced().await, Some(0));
    undo(&mut browser, &done).await;
    assert_eq!(synced().await, Some(2));
    linked.service.clock.advance(Duration::from_mins(1));
    let page = browser.get("/list").await;
    let completed = send(&mut browser, &page, &checkboxes(&page), &[("status", "2")]).await;
    follow(&mut browser, &completed).await;
    linked.run().await;
    assert_eq!(linked.entry(A, 1), Some((Completed, 12)));
}

#[tokio::test]
async fn selection_needs_a_session_and_leads_back_to_the_list() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    let keys = checkboxes(&page);
    let csrf = hidden(&page, "csrf").unwrap();
    for (back, expected) in [
        ("//evil.example/list", "/list?selected="),
        (
            "/list?view=compact&page=7",
            "/list?view=compact&page=7&selected=",
        ),
    ] {
        let key = checkboxes(&browser.get("/list?sort=title").await).remove(0);
        let score = if back.len() > 20 { "20" } else { "10" };
        let fields = [
            ("csrf", &*csrf),
            ("entry", &*key),
            ("score", score),
            ("back", back),
        ];
        let answer = browser.post(SELECTION, &fields).await;
        let location = answer.header("location");
        let expected = format!("{PUBLIC_URL}{expected}");
        assert!(location.starts_with(&expected), "{location}");
    }
    browser.cookies.retain(|name, _| !name.contains("session"));
    let answer = send(&mut browser, &page, &keys, &[("status", "2")]).await;
    assert_ne!(answer.status, StatusCode::OK);
    assert_eq!(story(&service, &person, 21).await["status"], 0);
}

#[tokio::test]
async fn entries_are_sorted_by_dates_and_by_airing_day() {
    // The clock of the service starts on a Tuesday.
    let airing = |id, title, day| Anime {
        status: AnimeStatus::Releasing,
        weekly_airing_day: day,
        ..anime(id, title)
    };
    let all = [
        airing(21, "Monday", Some(Weekday::Monday)),
        airing(22, "Tuesday", Some(Weekday::Tuesday)),
        airing(23, "Unknown", None),
        Anime {
            weekly_airing_day: Some(Weekday::Tuesday),
            ..anime(24, "Ended")
        },
        airing(25, "Saturday", Some(Weekday::Saturday)),
    ];
    let (service, person) = with_user(&all).await;
    for (id, started, finished) in [
        (21, "2016-08", ""),
        (22, "2016-08-26", "2017"),
        (23, "2015", "2017-01"),
        (24, "", "2016-12-31"),
        (25, "2023-11-14", ""),
    ] {
        service.clock.advance(Duration::from_mins(1));
        let date = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let details = json!({"started_on": date(started), "finished_on": date(finished)});
        let status = if started.is_empty() { 4 } else { 0 };
        let more = json!({"status": status, "details": details});
        put(&service, &person, id, 0, &more).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (query, expected) in [
        ("?sort=started", [25, 22, 21, 23, 24]),
        // Anime 25 and 21 have no date, so the one that was changed last comes first.
        ("?sort=finished", [23, 22, 24, 25, 21]),
        ("?sort=airing", [22, 25, 21, 23, 24]),
    ] {
        for view in ["", "&view=compact"] {
            let page = browser.get(&format!("/list{query}{view}")).await;
            assert_eq!(shown(&page), expected, "{query}{view}");
            page.assert_has(" selected>");
        }
    }
}

#[tokio::test]
async fn compact_view_is_lighter_and_stays() {
    let all: Vec<Anime> = (1..=60)
        .map(|id| Anime {
            cover_image: format!("https://img.example/{}/{id}.jpg", "c".repeat(60)),
            has_cover_image: true,
            ..anime(id, &format!("{id:03} {}", "界".repeat(60)))
        })
        .collect();
    let (service, person) = with_user(&all).await;
    let changes: Vec<Value> = (1..=60)
        .map(|id| {
            let details = json!({"score": 80, "private": true});
            json!({"op": "put", "anime_id": id, "status": 0, "details": details})
        })
        .collect();
    service.change_stories(&person, &changes).await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let full = browser.get("/list?sort=title").await;
    let compact = browser.get("/list?sort=title&view=compact").await;
    assert_eq!(shown(&compact), shown(&full));
    assert!(full.body.len() < 100_000, "{} bytes", full.body.len());
    assert!(
        compact.body.len() < full.body.len() * 9 / 10,
        "{} of {} bytes",
        compact.body.len(),
        full.body.len()
    );
    compact.assert_lacks("class=\"cover\"");
    compact.assert_lacks("class=\"tally\"");
    compact.assert_has("0<i> / 12</i>");
    compact.assert_has("form=\"next\"");
    for link in [
        "href=\"/list?sort=title&amp;view=compact&amp;page=2\"",
        "href=\"/list?status=0&amp;sort=title&amp;view=compact\"",
        "name=\"back\" value=\"/list?sort=title&amp;view=compact\"",
        "name=\"view\" value=\"compact\"",
    ] {
        compact.assert_has(link);
    }
    full.assert_lacks("value=\"compact\"");
    let edited = browser.get("/list?view=compact&edit=7").await;
    edited.assert_has("action=\"/list/save\"");
    for query in [
        "?view=compact",
        "?sort=started",
        "?sort=airing&view=compact",
    ] {
        let path = format!("/list{query}");
        let page = browser.get(&path).await;
        assert_eq!(shown(&page).len(), 50);
        assert_rounds(&mut browser, &rounds, &path, 1).await;
    }
}

#[tokio::test]
async fn covers_are_small_and_change_entries() {
    let all: Vec<Anime> = (1..=60)
        .map(|id| Anime {
            cover_image: format!("https://img.example/{}/{id}.jpg", "c".repeat(60)),
            has_cover_image: true,
            ..anime(id, &format!("{id:03} {}", "界".repeat(60)))
        })
        .collect();
    let (service, person) = with_user(&all).await;
    let changes: Vec<Value> = (1..=60)
        .map(|id| json!({"op": "put", "anime_id": id, "status": 0, "details": {"score": 80}}))
        .collect();
    service.change_stories(&person, &changes).await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?sort=title&view=covers").await;
    assert_eq!(page.text().matches("class=\"card\"").count(), 50);
    assert!(page.body.len() < 100_000, "{} bytes", page.body.len());
    assert_rounds(&mut browser, &rounds, "/list?sort=title", 1).await;
}

#[tokio::test]
async fn shortcuts_and_the_selection_are_in_the_language_of_the_page() {
    let (service, person) = with_three().await;
    for (code, texts) in [
        ("en", ["Keyboard shortcuts", "Change selected entries"]),
        ("fr", ["Raccourcis clavier", "Modifier la sélection"]),
        (
            "it",
            ["Scorciatoie da tastiera", "Modifica le voci selezionate"],
        ),
        ("jp", ["キーボードショートカット", "選択した作品を変更"]),
    ] {
        set_language(&service, &person, code).await;
        let mut browser = PageClient::signed_in(&service, &person).await;
        let page = browser.get("/list").await;
        for text in texts {
            page.assert_has(text);
        }
        let entries = page.text().find("class=\"ledger stories\"").unwrap();
        let bar = page.text().find("id=\"selection\"").unwrap();
        assert!(entries < bar, "the bar does not push the entries down");
    }
}

/// A link on another site cannot make a page say that something was done.
#[tokio::test]
async fn notices_of_forged_links_are_not_shown() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let changed = select_all(&mut browser, &[("score", "80")]).await;
    let own = changed.header("location").to_owned();
    let done = follow(&mut browser, &changed).await;
    done.assert_has("3 entries have been changed.");
    let again = browser.get(&own).await;
    again.assert_has("3 entries have been changed.");
    let forged = [
        "/list?selected=deleted&count=50&selection=0a1b",
        "/list?selected[]=deleted&count=50&selection=0a1b",
        "/list?%73elected=deleted&count=50&selection=0a1b",
        "/list?done=deleted&of=21",
        "/?done=deleted&of=21",
        "/anime/21?done=deleted&of=21",
        "/profile?done=password",
        "/profile/security?done=session",
        "/profile/connections?failed=denied-a",
        "/profile/players?done=applied",
        "/settings?done=saved",
        "/calendar?done=renewed",
    ];
    for path in forged {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        for shown in ["class=\"notice", "class=\"faults"] {
            page.assert_lacks(shown);
        }
    }
    // The address of a notice works only for the user whose change it was.
    let mut other = PageClient::signed_in(&service, &service.person("taki").await).await;
    let page = other.get(&own).await;
    page.assert_lacks("3 entries have been changed.");
    // A sign-in does not confirm the notice of the page that it leads to either.
    let mut visitor = PageClient::new(&service);
    let path = "/sign-in?next=/list%3Fselected%3Ddeleted%26count%3D50%26selection%3D0a1b";
    let signed_in = sign_in_as(&mut visitor, path, "mitsuha").await;
    let page = follow(&mut visitor, &signed_in).await;
    page.assert_lacks("have been deleted");
}
