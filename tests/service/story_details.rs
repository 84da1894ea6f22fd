//! Details of stories: score, dates, repeats, notes and privacy (docs/api.md, "Story details").

use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use shared::models::{Anime, Role};
use tests::assertions::{AssertFields, AssertText};
use tests::people::Person;
use tests::service::{Answer, Service};

const PATH: &str = "/v1/user_story";
const DAY: Duration = Duration::from_hours(24);

/// The day of the tests' clock.
const TODAY: &str = "2023-11-14";

async fn write(service: &Service, person: &Person, method: Method, body: &Value) -> Answer {
    service.json(method, PATH, Some(&person.token), body).await
}

fn new(person: &Person, anime: &Anime, status: u8, details: Value) -> Value {
    let mut body = json!({
        "user_id": person.id, "anime_id": anime.id, "status": status, "current_episode": 1
    });
    body["details"] = details;
    body
}

fn update(person: &Person, anime: &Anime, status: u8, details: Value) -> Value {
    let mut body = json!({
        "id": person.story(anime), "user_id": person.id, "anime_id": anime.id, "status": status,
        "current_episode": 1, "current_episode_ticks": 0
    });
    body["details"] = details;
    body
}

async fn find(service: &Service, person: &Person, anime: &Anime) -> Answer {
    let path = format!("{PATH}/{}?include=details", person.story(anime));
    service.get_as(&person.token, &path).await
}

async fn details(service: &Service, person: &Person, anime: &Anime) -> Value {
    let mut details = find(service, person, anime).await.data()["details"].take();
    let object = details.as_object_mut().unwrap();
    let read_only = ["watched_episodes", "created_at", "updated_at", "synced"];
    object.retain(|name, _| !read_only.contains(&name.as_str()));
    details
}

fn all() -> Value {
    json!({
        "score": 87.5, "started_on": "2016-08-26", "finished_on": "2016-09", "repeats": 2,
        "notes": "A comet.\nTwice.", "private": true
    })
}

fn nothing() -> Value {
    json!({
        "score": null, "started_on": null, "finished_on": null, "repeats": 0, "notes": "",
        "private": false
    })
}

#[tokio::test]
async fn details_are_stored_and_only_shown_on_request() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let body = new(&person, &anime, 0, all());
    let created = write(&service, &person, Method::PUT, &body).await;
    created.assert_status(200);
    let six = json!({
        "id": person.story(&anime), "user_id": person.id, "anime_id": anime.id, "status": 0,
        "current_episode": 1, "current_episode_ticks": 0
    });
    assert_eq!(created.data(), six);
    assert_eq!(details(&service, &person, &anime).await, all());
    service.clock.advance(DAY);
    let body = update(&person, &anime, 0, json!({"notes": "Three times."}));
    let updated = write(&service, &person, Method::POST, &body).await;
    assert_eq!(updated.data(), six);

    let mut with_details = six.clone();
    let mut expected = all();
    expected["notes"] = "Three times.".into();
    expected["created_at"] = format!("{TODAY}T22:13:20Z").into();
    expected["updated_at"] = "2023-11-15T22:13:20Z".into();
    expected["synced"] = false.into();
    expected["watched_episodes"] = 1.into();
    with_details["details"] = expected;
    for (path, place) in [
        (PATH.to_owned(), "/0"),
        (format!("{PATH}?anime_id={}", anime.id.get()), "/0"),
        (format!("{PATH}/{}", person.story(&anime)), ""),
        (format!("{PATH}/changes"), "/changes/0/story"),
    ] {
        let separator = if path.contains('?') { '&' } else { '?' };
        let include = format!("{path}{separator}include=details");
        for (path, story) in [(&path, &six), (&include, &with_details)] {
            let answer = service.get_as(&person.token, path).await;
            assert_eq!(answer.data().pointer(place), Some(story), "{path}");
        }
    }
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn absent_details_keep_their_values_and_null_removes_them() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let body = new(&person, &anime, 0, all());
    write(&service, &person, Method::PUT, &body).await;
    let mut expected = all();
    for (name, removed) in nothing().as_object().unwrap() {
        let body = update(&person, &anime, 0, json!({ name: null }));
        let answer = write(&service, &person, Method::POST, &body).await;
        answer.assert_status(200);
        expected[name] = removed.clone();
        assert_eq!(details(&service, &person, &anime).await, expected);
    }
    let body = update(&person, &anime, 0, json!({"score": 0, "notes": ""}));
    write(&service, &person, Method::POST, &body).await;
    assert_eq!(details(&service, &person, &anime).await, nothing());
    for none in [Value::Null, json!({}), json!({"unknown": 1})] {
        let body = update(&person, &anime, 0, none);
        let answer = write(&service, &person, Method::POST, &body).await;
        answer.assert_status(200);
    }
    assert_eq!(details(&service, &person, &anime).await, nothing());
}

/// The dates and the number of repeats change with the status, unless a request states them.
#[tokio::test]
async fn changes_of_the_status_set_dates_and_repeats() {
    let (service, [anime, second]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let watched = async |status: u8, stated: Value| {
        let body = update(&person, &anime, status, stated);
        write(&service, &person, Method::POST, &body)
            .await
            .assert_status(200);
        service.clock.advance(DAY);
        let now = details(&service, &person, &anime).await;
        let date = |name: &str| now[name].as_str().map(str::to_owned);
        (
            date("started_on"),
            date("finished_on"),
            now["repeats"].as_u64(),
        )
    };
    let day = |day: u8| Some(format!("2023-11-{day}"));
    let planned = new(&person, &anime, 1, Value::Null);
    write(&service, &person, Method::PUT, &planned).await;
    service.clock.advance(DAY);
    assert_eq!(watched(0, json!({})).await, (day(15), None, Some(0)));
    assert_eq!(watched(0, json!({})).await, (day(15), None, Some(0)));
    assert_eq!(watched(2, json!({})).await, (day(15), day(17), Some(0)));
    assert_eq!(watched(5, json!({})).await, (day(15), day(17), Some(0)));
    assert_eq!(watched(2, json!({})).await, (day(15), day(17), Some(1)));
    let none = json!({"started_on": null, "finished_on": null, "repeats": 7});
    assert_eq!(watched(5, none.clone()).await, (None, None, Some(7)));
    assert_eq!(watched(2, none).await, (None, None, Some(7)));
    // A completed story without a date gets none from a change that keeps its status.
    assert_eq!(watched(2, json!({})).await, (None, None, Some(7)));

    let change = json!({"changes": [
        {"op": "put", "anime_id": second.id, "status": 0, "details": {"score": 1.5}}
    ]});
    let batch = format!("{PATH}/batch");
    let made = service.post_as(&person.token, &batch, &change).await;
    assert_eq!(made.data()[0]["status_code"], 200);
    let second = details(&service, &person, &second).await;
    second.assert_fields(json!({"started_on": "2023-11-23", "score": 1.5}));
}

#[tokio::test]
async fn invalid_details_are_named() {
    let (service, [anime, second]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    let score = "score must be a number from 0 to 100 with at most one decimal";
    let repeats = "repeats must be a whole number from 0 to 9999";
    let date = "must be a date from 1900 on: YYYY, YYYY-MM or YYYY-MM-DD, such as 2016-08-26";
    let cases = json!([
        [1, "must be an object"],
        [[], "must be an object"],
        [{"score": 100.1}, score],
        [{"score": -1}, score],
        [{"score": 87.55}, score],
        [{"score": "9"}, score],
        [{"started_on": "2016-02-30"}, format!("started_on {date}")],
        [{"finished_on": 2016}, format!("finished_on {date}")],
        [{"repeats": 10_000}, repeats],
        [{"repeats": -1}, repeats],
        [{"notes": "x".repeat(2001)}, "notes must have at most 2000 characters"],
        [{"notes": "\u{0}"}, "notes must not have control characters other than tabs and line breaks"],
        [{"private": "yes"}, "private must be true or false"],
        [{"private": 1, "repeats": 1.5}, format!("{repeats}; private must be true or false")],
    ]);
    for case in cases.as_array().unwrap() {
        let (invalid, reason) = (&case[0], &case[1]);
        for (method, body) in [
            (Method::PUT, new(&person, &second, 0, invalid.clone())),
            (Method::POST, update(&person, &anime, 0, invalid.clone())),
        ] {
            let answer = write(&service, &person, method, &body).await;
            assert_eq!(answer.status, 400, "{body}");
            assert_eq!(answer.data(), json!({"details": reason}));
        }
    }
    assert_eq!(find(&service, &person, &second).await.status, 404);
}

/// The entity tag covers the details, and its short form does not.
#[tokio::test]
async fn entity_tag_protects_details() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let body = new(&person, &anime, 0, json!({"started_on": null}));
    let created = write(&service, &person, Method::PUT, &body).await;
    let empty = created.header("etag").to_owned();
    assert_eq!(empty, "\"0-1-0\"");
    let body = update(&person, &anime, 0, json!({"notes": "a"}));
    let first = write(&service, &person, Method::POST, &body).await;
    let first = first.header("etag").to_owned();
    let body = update(&person, &anime, 0, json!({"notes": "b"}));
    write(&service, &person, Method::POST, &body).await;
    let bearer = format!("Bearer {}", person.token);
    for (tag, status) in [(first.as_str(), 412), (empty.as_str(), 200)] {
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("if-match", tag),
        ];
        let body = update(&person, &anime, 0, json!({"notes": "c"})).to_string();
        let answer = service.send_body(Method::POST, PATH, &headers, body).await;
        assert_eq!(answer.status, status, "{tag}");
    }
}

async fn history(service: &Service, person: &Person, anime: &Anime) -> Answer {
    let path = format!("{PATH}/{}/history", person.story(anime));
    service.get_as(&person.token, &path).await
}

#[tokio::test]
async fn history_has_every_change_with_its_origin() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let moderator = service.person_with_role("ritsuka", Role::Moderator).await;
    let application = service.web_application(&person).await;
    let of_application = service.application_token(&person, &application).await;
    service.create_story(&person, &anime, 1).await;
    for (token, status, changed) in [
        (&person.token, 0, json!({})),
        (&of_application, 0, json!({"score": 90, "notes": "a comet"})),
        (&moderator.token, 2, json!({"notes": null})),
    ] {
        service.clock.advance(DAY);
        let body = update(&person, &anime, status, changed);
        let answer = service.post_as(token, PATH, &body).await;
        answer.assert_status(200);
    }
    let expected = json!([
        {
            "changed_at": "2023-11-17T22:13:20Z", "by": "moderator", "created": false,
            "from": {"status": 0, "notes": "a comet", "finished_on": null},
            "to": {"status": 2, "notes": "", "finished_on": "2023-11-17"}
        },
        {
            "changed_at": "2023-11-16T22:13:20Z", "by": "application", "created": false,
            "client_id": application.client_id, "application": "Radio Itomori",
            "from": {"score": null, "notes": ""}, "to": {"score": 90.0, "notes": "a comet"}
        },
        {
            "changed_at": "2023-11-14T22:13:20Z", "by": "owner", "created": true,
            "from": {}, "to": {"status": 0, "current_episode": 1, "started_on": TODAY}
        },
    ]);
    assert_eq!(history(&service, &person, &anime).await.data(), expected);
    let others = service.person("mitsuha").await;
    let path = format!("{PATH}/{}/history", person.story(&anime));
    let answer = service.get_as(&others.token, &path).await;
    assert_eq!(answer.status, 403);
    // All other readers see only the current notes, which are empty here.
    let mut without_old_notes = expected;
    without_old_notes[0]["from"]["notes"] = Value::Null;
    without_old_notes[1]["from"]["notes"] = Value::Null;
    without_old_notes[1]["to"]["notes"] = Value::Null;
    for token in [&of_application, &moderator.token] {
        let answer = service.get_as(token, &path).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.data(), without_old_notes);
        answer.assert_lacks("comet");
    }
}

#[tokio::test]
async fn history_keeps_the_latest_changes() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    for number in 0..60_u32 {
        let notes = format!("{number} {}", "x".repeat(1900));
        let body = update(&person, &anime, 0, json!({ "notes": notes }));
        let answer = write(&service, &person, Method::POST, &body).await;
        answer.assert_status(200);
    }
    let changes = history(&service, &person, &anime).await.data();
    let changes = changes.as_array().unwrap();
    assert_eq!(changes.len(), 50);
    let begins = |text: &Value| text.as_str().map(|text| text[..2].to_owned());
    for (number, change) in changes.iter().enumerate() {
        // The kept texts of old notes take at most 8 KB in all.
        let kept = |age: usize| (age < 5).then(|| (59 - age).to_string());
        assert_eq!(begins(&change["to"]["notes"]), kept(number));
        assert_eq!(begins(&change["from"]["notes"]), kept(number + 1));
    }
}

/// A short text can still be kept when a longer one after it is not.
#[tokio::test]
async fn history_shows_each_text_that_is_kept() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    // The texts have 2,000 characters of 4 bytes.
    let (lost, kept) = ("🌠".repeat(2000), "🌸".repeat(2000));
    for notes in ["a comet", &lost, &kept, "the present"] {
        let body = update(&person, &anime, 0, json!({ "notes": notes }));
        let answer = write(&service, &person, Method::POST, &body).await;
        answer.assert_status(200);
    }
    let changes = history(&service, &person, &anime).await.data();
    let notes = |change: &Value| {
        (
            change["from"]["notes"].clone(),
            change["to"]["notes"].clone(),
        )
    };
    let notes: Vec<_> = changes.as_array().unwrap().iter().map(notes).collect();
    let expected = [
        (json!(kept), json!("the present")),
        (Value::Null, json!(kept)),
        (json!("a comet"), Value::Null),
        (json!(""), json!("a comet")),
        (Value::Null, Value::Null),
    ];
    assert_eq!(notes, expected);
}

#[tokio::test]
async fn history_of_an_unknown_story_is_a_404() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    assert_eq!(history(&service, &person, &anime).await.status, 404);
    for (id, status) in [("1", 404), ("0", 400), ("x", 400)] {
        let path = format!("{PATH}/{id}/history");
        let answer = service.get_as(&person.token, &path).await;
        assert_eq!(answer.status, status, "{id}");
    }
}

/// A value that was ignored at the wrong place could make a story public against the will of its owner.
#[tokio::test]
async fn details_outside_of_their_object_are_refused() {
    let (service, [anime, other]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let refused = |data: &Value, name: &str| {
        let reason = data[name].as_str().unwrap_or_default();
        reason.assert_starts_with("must be in details: {\"details\": {");
    };
    for (name, value) in all().as_object().unwrap() {
        for (method, mut body) in [
            (Method::PUT, new(&person, &anime, 0, json!({}))),
            (Method::POST, update(&person, &anime, 0, json!({}))),
        ] {
            body[name] = value.clone();
            let answer = write(&service, &person, method, &body).await;
            assert_eq!(answer.status, 400, "{name}");
            refused(&answer.data(), name);
        }
    }
    assert_eq!(find(&service, &person, &anime).await.status, 404);
    let changes = json!({"changes": [
        {"op": "put", "anime_id": anime.id, "status": 0, "private": true},
        {"op": "put", "anime_id": other.id, "status": 0, "details": {"private": true}},
    ]});
    let path = format!("{PATH}/batch");
    let answer = service.post_as(&person.token, &path, &changes).await;
    let data = answer.data();
    assert_eq!(data[0]["status_code"], 400);
    assert_eq!(data[1]["status_code"], 200);
    refused(&data[0]["data"], "private");
    assert_eq!(details(&service, &person, &other).await["private"], true);

    // Other unknown members are still ignored, and so are details outside of their object that are null.
    let mut body = new(&person, &anime, 0, json!({"private": true}));
    (body["favorite"], body["notes"]) = (json!(true), Value::Null);
    write(&service, &person, Method::PUT, &body)
        .await
        .assert_status(200);
    assert_eq!(details(&service, &person, &anime).await["private"], true);
}
