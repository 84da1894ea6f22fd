//! Reading lists and saving entries.

use std::time::Duration;

use serde_json::{Value, json};
use shared::models::{DetailName, MAX_REPEATS};
use tests::assertions::AssertText;

use super::{
    Change, DetailsChange, EntryWrite, FAULTS, Fake, Fault, Fixture, NO_ANIME, Notes, STATUSES,
    ScoreFormat, UserScore, VIEWER, WatchProgress, WatchStatus, Which, action_of, date, remove,
    watching_write,
};

#[tokio::test]
async fn complete_list_is_read() {
    for fixture in Fixture::both().await {
        assert_eq!(fixture.list().await.unwrap(), []);
        for (entries, per_page) in [(1, 10), (40, 40), (41, 40), (997, 40)] {
            fixture.fill(entries, per_page);
            let before = fixture.fake.count();
            assert_eq!(fixture.list().await.unwrap(), fixture.expected());
            let pages = (entries as usize).div_ceil(per_page);
            assert_eq!(fixture.fake.count() - before, pages);
        }
        let sent = fixture.fake.state().received.clone();
        for request in &sent {
            assert_eq!(request.header("authorization"), "Bearer access-token-0000");
        }
        if fixture.fake.which() == Which::A {
            let variables = &sent[2].json()["variables"];
            assert_eq!(
                *variables,
                json!({"userId": VIEWER.0, "chunk": 1, "perChunk": 500})
            );
            let query = sent[2].json()["query"].to_string();
            query.assert_has("type:ANIME");
            query.assert_has("score(format:POINT_100)");
            let other = fixture
                .tracker
                .list(&fixture.tokens, 72, fixture.deadline_in(3_600))
                .await;
            assert_eq!(action_of(other), "final");
        } else {
            let params = sent[0].params();
            let fields = "list_status{comments,start_date,finish_date,num_times_rewatched,score,\
                          is_rewatching,updated_at},num_episodes";
            assert_eq!(params["fields"], fields);
            assert_eq!(
                (params["limit"].as_str(), params["nsfw"].as_str()),
                ("1000", "true")
            );
            assert!(!params.contains_key("status"));
        }
    }
}

#[tokio::test]
async fn saved_entries_are_read_back() {
    for which in [Which::A, Which::B] {
        for rewatched_as in [WatchStatus::Completed, WatchStatus::Current] {
            let fixture =
                Fixture::with_config(which, |config| config.rewatched_as = rewatched_as).await;
            let names = match which {
                Which::A => [
                    "CURRENT",
                    "PLANNING",
                    "COMPLETED",
                    "DROPPED",
                    "PAUSED",
                    "REPEATING",
                ],
                Which::B => [
                    "watching",
                    "plan_to_watch",
                    "completed",
                    "dropped",
                    "on_hold",
                    "completed",
                ],
            };
            for (status, mut name) in STATUSES.into_iter().zip(names) {
                let write = EntryWrite {
                    watched: Some(WatchProgress {
                        status,
                        progress: 5,
                    }),
                    episodes: Some(12),
                    ..watching_write(9, 5)
                };
                let written = fixture.save(&write).await.unwrap();
                let progress = if status == WatchStatus::Completed {
                    12
                } else {
                    5
                };
                assert_eq!((written.status, written.progress), (status, progress));
                assert_eq!(written.updated_at, fixture.clock.now_s());
                let sent = fixture.fake.last();
                assert_eq!(fixture.list().await.unwrap(), [written]);
                if which == Which::A {
                    let expected = json!({"mediaId": 9, "status": name, "progress": progress});
                    assert_eq!(sent.json()["variables"], expected);
                    continue;
                }
                let again = status == WatchStatus::Repeating;
                if again && rewatched_as == WatchStatus::Current {
                    name = "watching";
                }
                let form =
                    format!("status={name}&is_rewatching={again}&num_watched_episodes={progress}");
                assert_eq!((sent.method.as_str(), sent.body), ("PATCH", form));
                assert_eq!(sent.path, "/v2/anime/9/my_list_status");
            }
        }
    }
}

/// docs/trackers.md, "Known traps": the tracker would reduce progress beyond its episode count, and the
/// next read would look like a change.
#[tokio::test]
async fn progress_is_limited_to_the_episode_count() {
    for fixture in Fixture::both().await {
        let mut write = EntryWrite {
            episodes: Some(12),
            ..watching_write(3, 13)
        };
        assert_eq!(fixture.save(&write).await.unwrap().progress, 12);
        write.episodes = None;
        assert_eq!(fixture.save(&write).await.unwrap().progress, 13);
        write.media_id = NO_ANIME;
        assert_eq!(action_of(fixture.save(&write).await), "final");
    }
}

#[tokio::test]
async fn saving_keeps_private_entries_private() {
    let fixture = Fixture::new(Which::A).await;
    fixture.fill(5, 10);
    let saved = fixture.save(&watching_write(5, 2)).await.unwrap();
    assert_eq!(saved.details.private, Some(true));
    let listed = &fixture.list().await.unwrap()[4];
    assert_eq!(listed.details.private, Some(true));
}

/// Returns a change of all details, and one that removes them all.
fn all_details() -> [DetailsChange; 2] {
    let set = DetailsChange {
        score: Some(UserScore::from_tenths(900)),
        started_on: Some(date("2016-08-26")),
        finished_on: Some(date("2016-09-01")),
        repeats: Some(2),
        notes: Notes::new("Rain & snow =\nsöt").ok(),
        private: Some(true),
    };
    let unset = DetailsChange {
        score: Some(None),
        started_on: Some(None),
        finished_on: Some(None),
        repeats: Some(0),
        notes: Some(Notes::default()),
        private: Some(false),
    };
    [set, unset]
}

#[tokio::test]
async fn details_are_written_and_removed() {
    for fixture in Fixture::both().await {
        let is_a = fixture.fake.which() == Which::A;
        fixture.save(&watching_write(9, 3)).await.unwrap();
        for details in all_details() {
            let write = EntryWrite {
                watched: None,
                episodes: Some(12),
                details: details.clone(),
                ..watching_write(9, 0)
            };
            let saved = fixture.save(&write).await.unwrap();
            let expected = DetailsChange {
                private: details.private.filter(|_| is_a),
                ..details.clone()
            };
            assert_eq!(saved.details, expected);
            assert_eq!((saved.status, saved.progress), (WatchStatus::Current, 3));
            assert_eq!(fixture.list().await.unwrap(), [saved]);
        }
        let sent = fixture.fake.state().received.clone();
        let [set, unset] = [&sent[1], &sent[3]];
        if is_a {
            let nothing = json!({"year": null, "month": null, "day": null});
            let expected = json!({
                "mediaId": 9, "scoreRaw": 0, "repeat": 0, "private": false, "notes": "",
                "startedAt": nothing, "completedAt": nothing,
            });
            assert_eq!(unset.json()["variables"], expected);
            let day = &set.json()["variables"]["completedAt"];
            assert_eq!(*day, json!({"year": 2016, "month": 9, "day": 1}));
            let write = EntryWrite {
                details: DetailsChange {
                    finished_on: Some(date("2016-08")),
                    ..DetailsChange::default()
                },
                ..watching_write(9, 3)
            };
            let saved = fixture.save(&write).await.unwrap();
            assert_eq!(saved.details.finished_on, Some(date("2016-08")));
            let day = &fixture.fake.last().json()["variables"]["completedAt"];
            assert_eq!(*day, json!({"year": 2016, "month": 8, "day": null}));
        } else {
            let expected = "score=0&start_date=&finish_date=&num_times_rewatched=0&comments=";
            assert_eq!(unset.body, expected);
            assert_eq!(set.form()["score"], "9");
        }
    }
}

/// A write of one detail leaves the others as they are.
#[tokio::test]
async fn only_the_details_of_a_write_are_sent() {
    for fixture in Fixture::both().await {
        let is_a = fixture.fake.which() == Which::A;
        let [set, unset] = all_details();
        for name in DetailName::ALL {
            let all = EntryWrite {
                details: set.clone(),
                ..watching_write(9, 3)
            };
            fixture.save(&all).await.unwrap();
            let mut details = DetailsChange::default();
            name.copy(&unset, &mut details);
            let write = EntryWrite {
                watched: None,
                details,
                ..watching_write(9, 0)
            };
            let saved = fixture.save(&write).await.unwrap();
            for other in DetailName::ALL {
                let expected = if other == name { &unset } else { &set };
                let expected = other.number(expected);
                let is_stated = is_a || other != DetailName::Private;
                let number = other.number(&saved.details);
                assert_eq!(number, expected.filter(|_| is_stated), "{name:?} {other:?}");
            }
        }
    }
}

#[tokio::test]
async fn score_format_of_the_user_is_read() {
    for (name, format) in [
        ("POINT_100", ScoreFormat::Hundred),
        ("POINT_10_DECIMAL", ScoreFormat::Hundred),
        ("POINT_10", ScoreFormat::Ten),
        ("POINT_5", ScoreFormat::Stars),
        ("POINT_3", ScoreFormat::Smileys),
    ] {
        let fixture = Fixture::new(Which::A).await;
        fixture.fake.state().score_format = name;
        assert_eq!(fixture.user_list().await.unwrap().limits.scores, format);
    }
    let fixture = Fixture::new(Which::B).await;
    assert_eq!(
        fixture.user_list().await.unwrap().limits.scores,
        ScoreFormat::Ten
    );
    let fixture = Fixture::new(Which::A).await;
    let nameless: Change = |body| entries_of_a(body)["user"] = json!(null);
    fixture.fake.fail(Fault::edit(nameless));
    let scores = fixture.user_list().await.unwrap().limits.scores;
    assert_eq!(scores, ScoreFormat::Hundred);
}

/// Such details are not imported. They are not overwritten either, because the service does not know them.
#[tokio::test]
async fn details_that_a_story_cannot_hold_are_left_out() {
    for fixture in Fixture::both().await {
        fixture.fill(1, 10);
        let change: Change = if fixture.fake.which() == Which::A {
            |body| {
                let entry = first_of_a(body);
                entry["score"] = json!(101);
                entry["startedAt"] = json!({"year": null, "month": 5, "day": 1});
                entry["completedAt"] = json!({"year": 2023, "month": 2, "day": 29});
                entry["repeat"] = json!(u64::from(MAX_REPEATS) + 1);
                entry["notes"] = json!("a".repeat(2_001));
            }
        } else {
            |body| {
                let entry = &mut body["data"][0]["list_status"];
                entry["score"] = json!(11);
                entry["start_date"] = json!("0000-05-01");
                entry["finish_date"] = json!("2023-02-29");
                entry["num_times_rewatched"] = json!(-1);
                entry["comments"] = json!("bell\u{7}");
            }
        };
        fixture.fake.fail(Fault::edit(change));
        let mut expected = fixture.expected();
        let private = expected[0].details.private;
        expected[0].details = DetailsChange {
            private,
            ..DetailsChange::default()
        };
        assert_eq!(fixture.list().await.unwrap(), expected);
    }
}

/// If a later page fails, the whole read fails.
#[tokio::test]
async fn list_is_complete_or_an_error() {
    for fixture in Fixture::both().await {
        fixture.fill(5, 2);
        for page in 1..3 {
            for (fault, expected) in FAULTS {
                fixture.fake.fail_after(page, fault());
                assert_eq!(action_of(fixture.list().await), expected);
                fixture.clock.advance(Duration::from_hours(25));
            }
            fixture.fake.fail_after(page, Fault::Repeat);
            assert_eq!(action_of(fixture.list().await), "later", "a repeated page");
        }
        fixture.fill(101, 1);
        assert_eq!(action_of(fixture.list().await), "later", "too many pages");
        fixture.fill(100, 1);
        assert_eq!(fixture.list().await.unwrap(), fixture.expected());
    }
}

fn entries_of_a(body: &mut Value) -> &mut Value {
    &mut body["data"]["MediaListCollection"]
}

#[tokio::test]
async fn malformed_anilist_list_is_rejected() {
    let fixture = Fixture::new(Which::A).await;
    fixture.fill(5, 2);
    let changes: [Change; 14] = [
        |body| *entries_of_a(body) = json!(null),
        |body| entries_of_a(body)["hasNextChunk"] = json!(null),
        |body| entries_of_a(body)["hasNextChunk"] = json!("true"),
        |body| entries_of_a(body)["lists"] = json!(null),
        |body| entries_of_a(body)["lists"] = json!([]),
        |body| entries_of_a(body)["lists"] = json!({}),
        |body| entries_of_a(body)["lists"][6]["entries"] = json!(null),
        |body| entries_of_a(body)["lists"][1]["entries"] = json!([null]),
        |body| entries_of_a(body)["lists"][0]["entries"][0] = json!({}),
        |body| first_of_a(body)["mediaId"] = json!(null),
        |body| first_of_a(body)["status"] = json!("FROZEN"),
        |body| first_of_a(body)["progress"] = json!(-1),
        |body| first_of_a(body)["progress"] = json!("3"),
        |body| first_of_a(body)["updatedAt"] = json!(1.5),
    ];
    for (position, change) in changes.into_iter().enumerate() {
        fixture.fake.fail(Fault::edit(change));
        assert_eq!(action_of(fixture.list().await), "later", "{position}");
    }
    let nulls: Change = |body| {
        for field in [
            "progress",
            "score",
            "repeat",
            "private",
            "notes",
            "startedAt",
            "completedAt",
            "updatedAt",
            "media",
        ] {
            first_of_a(body)[field] = json!(null);
        }
    };
    fixture.fake.fail(Fault::edit(nulls));
    let mut expected = fixture.expected();
    let first = &mut expected[0];
    (first.progress, first.updated_at, first.episodes) = (0, 0, None);
    first.details = all_details()[1].clone();
    assert_eq!(fixture.list().await.unwrap(), expected);
}

/// Returns the entry of anime 1, which has the status "planning".
fn first_of_a(body: &mut Value) -> &mut Value {
    &mut entries_of_a(body)["lists"][1]["entries"][0]
}

#[tokio::test]
async fn malformed_my_anime_list_list_is_rejected() {
    let fixture = Fixture::new(Which::B).await;
    fixture.fill(5, 2);
    let changes: [Change; 15] = [
        |body| body["data"] = json!(null),
        |body| body["data"] = json!([]),
        |body| body["data"] = json!({}),
        |body| body["paging"] = json!(null),
        |body| remove(body, "paging"),
        |body| body["paging"]["next"] = json!(7),
        |body| body["paging"]["next"] = json!(""),
        |body| body["data"][1] = json!(null),
        |body| body["data"][1]["node"]["id"] = json!("2"),
        |body| remove(&mut body["data"][1], "list_status"),
        |body| body["data"][1]["list_status"]["status"] = json!("frozen"),
        |body| body["data"][1]["list_status"]["status"] = json!(null),
        |body| body["data"][1]["list_status"]["num_episodes_watched"] = json!(-1),
        |body| body["data"][1]["list_status"]["is_rewatching"] = json!("no"),
        |body| body["data"][1]["list_status"]["updated_at"] = json!("yesterday"),
    ];
    for (position, change) in changes.into_iter().enumerate() {
        fixture.fake.fail(Fault::edit(change));
        assert_eq!(action_of(fixture.list().await), "later", "{position}");
    }
    let absent: Change = |body| {
        body["data"][0]["list_status"] =
            json!({"status": "plan_to_watch", "updated_at": "2017-10"});
        body["data"][0]["node"] = json!({"id": 1});
    };
    fixture.fake.fail(Fault::edit(absent));
    let mut expected = fixture.expected();
    let first = &mut expected[0];
    (first.progress, first.updated_at, first.episodes) = (0, 1_506_816_000, None);
    first.details = DetailsChange {
        private: None,
        ..all_details()[1].clone()
    };
    assert_eq!(fixture.list().await.unwrap(), expected);
}

/// The access token must not be sent to another host.
#[tokio::test]
async fn next_page_on_another_origin_is_rejected() {
    let fixture = Fixture::new(Which::B).await;
    let thief = Fake::start(Which::B, fixture.clock.clone()).await;
    fixture.fill(5, 2);
    let own = fixture.fake.origin.clone();
    let port = own.after("http://127.0.0.1:");
    let path = "/v2/users/@me/animelist?offset=2";
    let addresses = [
        format!("{}{path}", thief.origin),
        format!("{own}@{}{path}", thief.origin.trim_start_matches("http://")),
        format!("http://me:password@127.0.0.1:{port}{path}"),
        format!("https://127.0.0.1:{port}{path}"),
        format!("http://localhost:{port}{path}"),
        path.to_owned(),
        format!("//127.0.0.1:{port}{path}"),
        "file:///etc/passwd".to_owned(),
    ];
    for address in addresses {
        let before = fixture.fake.count();
        let named = json!(address);
        fixture
            .fake
            .fail(Fault::edit(move |body| body["paging"]["next"] = named));
        assert_eq!(action_of(fixture.list().await), "later", "{address}");
        assert_eq!(
            (fixture.fake.count(), thief.count()),
            (before + 1, 0),
            "{address}"
        );
    }
}

#[tokio::test]
async fn response_for_another_anime_is_rejected() {
    let fixture = Fixture::new(Which::A).await;
    let change: Change = |body| body["data"]["SaveMediaListEntry"]["mediaId"] = json!(8);
    fixture.fake.fail(Fault::edit(change));
    assert_eq!(
        action_of(fixture.save(&watching_write(7, 3)).await),
        "later"
    );
}
