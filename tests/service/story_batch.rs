//! Batch writes of stories (docs/api.md, "Batch writes").

use axum::http::Method;
use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::models::{Anime, Role};
use tests::engine;
use tests::people::Person;
use tests::service::{Answer, Service};

const PATH: &str = "/v1/user_story/batch";

async fn with_anime(count: u32) -> (Service, Person, Vec<Anime>) {
    Service::with_made_up(count, |_, one| {
        one.episodes_count = 12;
    })
    .await
}

async fn send(service: &Service, person: &Person, body: &Value) -> Answer {
    service.post_as(&person.token, PATH, body).await
}

async fn change(service: &Service, person: &Person, changes: Value) -> Vec<Value> {
    let answer = send(service, person, &json!({ "changes": changes })).await;
    answer.assert_status(200);
    assert_eq!(answer.envelope()["message"], "Stories changed");
    answer.data().as_array().unwrap().clone()
}

fn put(anime: &Anime, status: u8, episode: u32) -> Value {
    json!({
        "op": "put", "anime_id": anime.id, "status": status, "current_episode": episode,
        "current_episode_ticks": 7
    })
}

fn delete(anime: &Anime) -> Value {
    json!({"op": "delete", "anime_id": anime.id})
}

async fn find(service: &Service, person: &Person, anime: &Anime) -> Answer {
    let path = format!("/v1/user_story/{}", person.story(anime));
    service.get_as(&person.token, &path).await
}

#[tokio::test]
async fn changes_are_made_in_order_and_can_be_repeated() {
    let (service, person, anime) = with_anime(4).await;
    service.create_story(&person, &anime[1], 1).await;
    service.create_story(&person, &anime[2], 2).await;
    let changes = json!([
        put(&anime[0], 0, 3),
        put(&anime[1], 4, 5),
        delete(&anime[2])
    ]);
    let first = change(&service, &person, changes.clone()).await;
    for (position, (status, episode)) in [(0, 3), (4, 5)].into_iter().enumerate() {
        let story = json!({
            "id": person.story(&anime[position]), "user_id": person.id, "anime_id": anime[position].id,
            "status": status, "current_episode": episode, "current_episode_ticks": 7
        });
        let found = find(&service, &person, &anime[position]).await;
        assert_eq!(found.data(), story);
        let etag = found.header("etag");
        assert!(etag.starts_with(&format!("\"{status}-{episode}-7-")));
        let expected =
            json!({"status_code": 200, "message": "Story saved", "data": story, "etag": etag});
        assert_eq!(first[position], expected);
    }
    let deleted = json!({"status_code": 200, "message": "Story deleted", "data": ""});
    assert_eq!(first[2], deleted);
    assert_eq!(find(&service, &person, &anime[2]).await.status, 404);

    let again = change(&service, &person, changes).await;
    assert_eq!(again[..2], first[..2]);
    assert_eq!(again[2]["status_code"], 404);
    let listed = service.get_as(&person.token, "/v1/user_story").await;
    assert_eq!(listed.ids().len(), 2);
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn status_sets_the_episode_as_in_a_creation() {
    let (service, person, anime) = with_anime(4).await;
    let without_episode = json!({"op": "put", "anime_id": anime[3].id, "status": 0});
    let changes = json!([
        put(&anime[0], 1, 5),
        put(&anime[1], 2, 5),
        put(&anime[2], 3, 12),
        without_episode
    ]);
    let saved = change(&service, &person, changes).await;
    let episodes: Vec<_> = saved
        .iter()
        .map(|result| result["data"]["current_episode"].clone())
        .collect();
    assert_eq!(episodes, [0, 12, 12, 0]);
    assert_eq!(saved[3]["data"]["current_episode_ticks"], 0);
}

#[tokio::test]
async fn deleted_story_is_created_anew() {
    let (service, person, anime) = with_anime(2).await;
    service.create_story(&person, &anime[0], 1).await;
    service.clock.advance(std::time::Duration::from_secs(1));
    service.create_story(&person, &anime[1], 1).await;
    let list = async || service.get_as(&person.token, "/v1/user_story").await.ids();
    let [first, second] = [0, 1].map(|position: usize| person.story(&anime[position]));
    assert_eq!(list().await, [second, first]);
    change(&service, &person, json!([delete(&anime[0])])).await;
    service.clock.advance(std::time::Duration::from_secs(1));
    change(&service, &person, json!([put(&anime[0], 0, 2)])).await;
    assert_eq!(list().await, [first, second], "the new story is the newest");
    change(&service, &person, json!([put(&anime[1], 0, 2)])).await;
    assert_eq!(list().await, [first, second], "an update keeps its place");

    // A single write can also create a deleted story again.
    change(&service, &person, json!([delete(&anime[0])])).await;
    assert_eq!(find(&service, &person, &anime[0]).await.status, 404);
    service
        .create_story(&person, &anime[0], 4)
        .await
        .assert_status(200);
    assert_eq!(
        find(&service, &person, &anime[0]).await.data()["current_episode"],
        4
    );
}

#[tokio::test]
async fn bad_changes_fail_alone() {
    let (service, person, anime) = with_anime(9).await;
    for one in &anime[6..9] {
        service.create_story(&person, one, 3).await;
    }
    let if_match = |mut change: Value, tags: &str| {
        change["if_match"] = tags.into();
        change
    };
    let many_tags = ["\"0-3-0\""; 21].join(",");
    let (id, episode) = (
        "must be a whole number from 1 to 33554431",
        "must be a whole number from 0 to 4294967295",
    );
    // Each case has a change, and the status and the reason of its result.
    let cases = json!([
        [put(&anime[0], 0, 1), 200, null],
        ["put", 400, {"changes": "must have only objects"}],
        [{"anime_id": 2}, 400, {"op": "is required"}],
        [{"op": "PUT", "anime_id": 2}, 400, {"op": "must be put or delete"}],
        [{"op": "put", "anime_id": "x", "current_episode": -1}, 400, {"anime_id": id, "current_episode": episode}],
        [{"op": "put", "anime_id": anime[5].id}, 400, {"status": "is required"}],
        [{"op": "put", "anime_id": 33_554_431, "status": 0}, 404, "No resource has this identifier."],
        [put(&anime[1], 0, 13), 400, {"current_episode": "must be at most 12, the number of the anime's episodes"}],
        [put(&anime[0], 0, 2), 400, {"anime_id": "has another change earlier in this request"}],
        [delete(&anime[2]), 404, "No resource has this identifier."],
        [if_match(put(&anime[3], 0, 1), "*"), 412, null],
        [if_match(put(&anime[6], 0, 4), "\"0-2-0\""), 412, null],
        [if_match(put(&anime[7], 0, 4), "\"0-2-0\", \"0-3-0\""), 200, null],
        [if_match(delete(&anime[8]), "nonsense"), 412, null],
        [if_match(delete(&anime[4]), &many_tags), 400, {"if_match": "must list at most 20 tags"}],
        [put(&anime[5], 1, 0), 200, null],
    ]);
    let cases = cases.as_array().unwrap();
    let changes: Vec<&Value> = cases.iter().map(|case| &case[0]).collect();
    let results = change(&service, &person, json!(changes)).await;
    assert_eq!(results.len(), cases.len());
    for (case, result) in cases.iter().zip(&results) {
        let (change, status, reason) = (&case[0], &case[1], &case[2]);
        assert_eq!(result["status_code"], *status, "{change}: {result}");
        if !reason.is_null() {
            assert_eq!(result["data"], *reason, "{change}");
        }
        assert_eq!(result.get("etag").is_some(), *status == 200, "{result}");
    }
    for (position, episode) in [(0, 1), (6, 3), (7, 4), (8, 3), (5, 0)] {
        let found = find(&service, &person, &anime[position]).await;
        assert_eq!(found.data()["current_episode"], episode, "{position}");
    }
    for position in [1, 2, 3, 4] {
        assert_eq!(find(&service, &person, &anime[position]).await.status, 404);
    }
}

#[tokio::test]
async fn bad_requests_change_nothing() {
    let (service, person, anime) = with_anime(2).await;
    let other = service.person("other").await;
    let moderator = service.person_with_role("mod", Role::Moderator).await;
    let good = put(&anime[0], 0, 1);
    let number = "must be an array of 1 to 100 changes";
    let many: Vec<&Value> = std::iter::repeat_n(&good, 101).collect();
    for (body, reason) in [
        (json!({}), "is required"),
        (json!({"changes": null}), "is required"),
        (json!({"changes": []}), number),
        (json!({"changes": good}), number),
        (json!({"changes": many}), number),
    ] {
        let answer = send(&service, &person, &body).await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.data()["changes"], reason);
    }
    let mut large = json!({"changes": [good], "note": ""});
    large["note"] = "x".repeat(65 * 1024).into();
    assert_eq!(send(&service, &person, &large).await.status, 413);
    let of_other = json!({"user_id": other.id, "changes": [good]});
    assert_eq!(send(&service, &person, &of_other).await.status, 403);
    let nobody = json!({"user_id": 999, "changes": [good]});
    assert_eq!(send(&service, &moderator, &nobody).await.status, 404);
    assert_eq!(send(&service, &person, &nobody).await.status, 403);
    let unsigned = service.json(Method::POST, PATH, None, &of_other).await;
    assert_eq!(unsigned.status, 401);
    assert_eq!(find(&service, &person, &anime[0]).await.status, 404);
    assert_eq!(find(&service, &other, &anime[0]).await.status, 404);

    assert_eq!(send(&service, &moderator, &of_other).await.status, 200);
    assert_eq!(find(&service, &other, &anime[0]).await.status, 200);

    // The token is checked even if no change is valid.
    for body in [of_other, nobody] {
        let mut invalid = body;
        invalid["changes"] = json!(["nothing"]);
        assert_eq!(send(&service, &person, &invalid).await.status, 403);
    }
    let invalid = json!({"user_id": 999, "changes": ["nothing"]});
    assert_eq!(send(&service, &moderator, &invalid).await.status, 404);
    let out = "/v1/auth/logout_everywhere";
    service.with_token(Method::POST, out, &person.token).await;
    for changes in [json!(["nothing"]), json!([good])] {
        let answer = send(&service, &person, &json!({ "changes": changes })).await;
        assert_eq!(answer.status, 401);
    }
}

/// A single creation costs 8 units, an update 9, and a deletion 7.
#[tokio::test]
async fn hundred_changes_take_three_calls() {
    let (service, _, anime) = with_anime(100).await;
    let (service, meter) = service.metered();
    let person = service.person("mitsuha").await;
    let puts: Value = anime.iter().map(|anime| put(anime, 0, 1)).collect();
    let deletions: Value = anime.iter().map(delete).collect();
    // The first batch of a process loads the index of anime.
    change(&service, &person, json!([delete(&anime[0])])).await;
    let _ = meter.take();
    for (changes, calls, units) in [
        // A story that begins today needs the time zone of the user.
        (&puts, 4, 504.5),
        (&puts, 3, 504.0),
        (&deletions, 3, 504.0),
        (&puts, 4, 504.5),
    ] {
        // A change in the same millisecond as the one before would need a second transaction.
        service.clock.advance(std::time::Duration::from_millis(1));
        let results = change(&service, &person, changes.clone()).await;
        assert!(results.iter().all(|result| result["status_code"] == 200));
        let consumed = meter.take();
        assert_eq!(consumed.calls, calls);
        if engine::is_embedded() {
            assert!(
                (consumed.units - units).abs() < f64::EPSILON,
                "{consumed:?}"
            );
        }
    }
}

#[tokio::test]
async fn concurrent_batches_and_single_writes_are_all_made() {
    let (service, person, anime) = with_anime(60).await;
    let batch = async |from: usize| {
        let changes: Value = anime[from..from + 10]
            .iter()
            .map(|anime| put(anime, 0, 2))
            .collect();
        let results = change(&service, &person, changes).await;
        assert!(results.iter().all(|result| result["status_code"] == 200));
    };
    let single = async |number: usize| {
        let created = service.create_story(&person, &anime[number], 2).await;
        assert_eq!(created.status, 200);
    };
    tokio::join!(
        join_all((0..4).map(|number| batch(number * 10))),
        join_all((40..50).map(single))
    );
    let listed = service.get_as(&person.token, "/v1/user_story").await;
    assert_eq!(listed.ids().len(), 50);
}

/// With so many writers, some requests may fail, but none of them with the error that the database is unavailable.
#[tokio::test]
async fn many_writers_of_one_user_are_never_told_that_the_database_is_unavailable() {
    // DynamoDB Local needs longer than the deadline of a request for 100 transactions of one user.
    let writers = if engine::is_embedded() { 100 } else { 20 };
    let (service, person, anime) = with_anime(writers).await;
    let create = |anime| service.create_story(&person, anime, 2);
    let created = join_all(anime.iter().map(create)).await;
    let mut made = 0;
    for answer in created {
        match answer.status.as_u16() {
            200 => made += 1,
            status => {
                assert_eq!(status, 429, "{answer:?}");
                assert_eq!(answer.header("retry-after"), "1");
            }
        }
    }
    let listed = service
        .get_as(&person.token, "/v1/user_story?per_page=100")
        .await;
    assert_eq!(listed.ids().len(), made);
    // The number of successful requests depends on the speed of the database: all on a fast one, few on a busy machine.
    assert_ne!(made, 0);
}
