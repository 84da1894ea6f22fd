//! The change feed of stories (docs/api.md, "Change feed").

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::input::cursor::{self, CursorPosition};
use shared::models::TrackerName::A;
use shared::models::{Anime, Origin, Role, StoryId, WatchStatus};
use stories::lists::{Story, StoryOperation, StoryStore, feed_end};
use tests::linked::Linked;
use tests::people::{Person, story_body};
use tests::rows::row;
use tests::service::{Answer, Service};
use tests::units::Consumed;
use tests::{crowd, made_up};

const DAY: Duration = Duration::from_hours(24);

async fn with_anime(count: u32) -> (Service, Person, Vec<Anime>) {
    Service::with_made_up(count, |_, one| {
        one.episodes_count = 100;
    })
    .await
}

async fn get(service: &Service, person: &Person, query: &str) -> Answer {
    let path = format!("/v1/user_story/changes?{query}");
    service.get_as(&person.token, &path).await
}

/// Without a digest of the list, changes of the last 10 seconds come again with the next request.
const SETTLED: Duration = Duration::from_secs(11);

/// Waits until all changes so far are settled. Returns the changes since the cursor, and replaces the cursor.
async fn poll(service: &Service, person: &Person, cursor: &mut Option<String>) -> Vec<Value> {
    service.clock.advance(SETTLED);
    let mut changes = Vec::new();
    loop {
        let query = cursor.as_ref().map(|cursor| format!("since={cursor}"));
        let answer = get(service, person, query.as_deref().unwrap_or_default()).await;
        answer.assert_status(200);
        let feed = answer.data();
        *cursor = Some(feed["cursor"].as_str().unwrap().to_owned());
        changes.extend(feed["changes"].as_array().unwrap().clone());
        if feed["more"] == false {
            return changes;
        }
    }
}

async fn delete(service: &Service, person: &Person, anime: &Anime) {
    let path = format!("/v1/user_story/{}", person.story(anime));
    let deleted = service.delete_as(&person.token, &path).await;
    assert_eq!(deleted.status, 200);
}

async fn update(service: &Service, person: &Person, anime: &Anime, episode: u64) {
    let body = story_body(person, anime, 0, episode);
    let updated = service
        .post_as(&person.token, "/v1/user_story", &body)
        .await;
    assert_eq!(updated.status, 200);
}

fn anime_ids(changes: &[Value]) -> Vec<u64> {
    changes
        .iter()
        .map(|change| change["anime_id"].as_u64().unwrap())
        .collect()
}

#[tokio::test]
async fn each_changed_story_comes_once_in_the_order_of_changes() {
    let (service, person, anime) = with_anime(5).await;
    let ids: Vec<u64> = anime.iter().map(|anime| anime.id.get()).collect();
    let mut cursor = None;
    assert_eq!(poll(&service, &person, &mut cursor).await, [] as [Value; 0]);
    for position in [2, 0, 1] {
        service.create_story(&person, &anime[position], 1).await;
    }
    let created = poll(&service, &person, &mut cursor).await;
    assert_eq!(anime_ids(&created), [ids[2], ids[0], ids[1]]);
    let story = json!({
        "id": person.story(&anime[2]), "user_id": person.id, "anime_id": ids[2], "status": 0,
        "current_episode": 1, "current_episode_ticks": 0
    });
    let expected = json!({
        "id": person.story(&anime[2]), "anime_id": ids[2], "deleted": false, "story": story
    });
    assert_eq!(created[0], expected);
    assert_eq!(poll(&service, &person, &mut cursor).await, [] as [Value; 0]);

    update(&service, &person, &anime[2], 2).await;
    delete(&service, &person, &anime[0]).await;
    update(&service, &person, &anime[1], 3).await;
    update(&service, &person, &anime[2], 4).await;
    service.create_story(&person, &anime[3], 1).await;
    delete(&service, &person, &anime[3]).await;
    service.create_story(&person, &anime[3], 5).await;
    let changed = poll(&service, &person, &mut cursor).await;
    assert_eq!(anime_ids(&changed), [ids[0], ids[1], ids[2], ids[3]]);
    let deleted = json!({"id": person.story(&anime[0]), "anime_id": ids[0], "deleted": true});
    assert_eq!(changed[0], deleted);
    let episodes: Vec<_> = changed[1..]
        .iter()
        .map(|change| change["story"]["current_episode"].clone())
        .collect();
    assert_eq!(episodes, [3, 4, 5]);

    // A new reader gets the current state, without deletions.
    let current = poll(&service, &person, &mut None).await;
    assert_eq!(anime_ids(&current), [ids[1], ids[2], ids[3]]);
    assert!(current.iter().all(|change| change["deleted"] == false));
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn idle_poll_costs_one_unit() {
    let (service, _, anime) = with_anime(1).await;
    let (service, meter) = service.metered();
    let person = service.person("mitsuha").await;
    let mut cursor = None;
    service.create_story(&person, &anime[0], 1).await;
    poll(&service, &person, &mut cursor).await;
    let _ = meter.take();
    assert!(poll(&service, &person, &mut cursor).await.is_empty());
    let idle = Consumed {
        calls: 1,
        units: 1.0,
    };
    assert_eq!(meter.take(), idle);
}

/// After a transaction, a read can return the new owner's row and the old story. A later request returns the new
/// story.
#[tokio::test]
async fn change_that_is_visible_late_is_not_missed() {
    let (service, person, anime) = with_anime(2).await;
    // The process that makes the changes has them in memory.
    let reader = service.another(service.clock.clone());
    let mut cursor = None;
    poll(&reader, &person, &mut cursor).await;
    let key = json!({"user_id": person.id, "anime_id": anime[0].id});
    service.create_story(&person, &anime[0], 1).await;
    service.create_story(&person, &anime[1], 1).await;
    let late = service.row("UserStory", key.clone()).await.unwrap();
    service.delete_row("UserStory", key).await;
    let since = format!("since={}", cursor.unwrap());
    let answer = get(&reader, &person, &since).await.data();
    assert_eq!(
        anime_ids(answer["changes"].as_array().unwrap()),
        [anime[1].id.get()]
    );
    service.put_row("UserStory", late).await;
    let mut cursor = Some(answer["cursor"].as_str().unwrap().to_owned());
    let again = poll(&reader, &person, &mut cursor).await;
    let both = [0, 1].map(|position: usize| anime[position].id.get());
    assert_eq!(anime_ids(&again), both);
    assert!(poll(&reader, &person, &mut cursor).await.is_empty());
}

/// The position in a cursor, as version 0.1.0 wrote it.
struct EarlierPosition(Vec<u8>);

impl CursorPosition for EarlierPosition {
    fn to_bytes(&self) -> Vec<u8> {
        self.0.clone()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.to_vec()))
    }
}

/// After an upgrade from version 0.1.0, clients go on with the cursors that they have. The rows have neither digests
/// nor the attribute `listed`, and no process has the list in memory.
#[tokio::test]
async fn cursor_of_an_earlier_version_is_accepted() {
    let (service, person, anime) = with_anime(3).await;
    for one in &anime {
        service.clock.advance(Duration::from_secs(1));
        service.create_story(&person, one, 1).await;
    }
    let id = StoryId::of(person.id, anime[0].id);
    let first = StoryStore::new(&service.database()).get(id).await;
    let first = first.unwrap().unwrap();
    service.clock.advance(Duration::from_secs(1));
    delete(&service, &person, &anime[2]).await;

    for one in &anime {
        let key = json!({ "user_id": person.id, "anime_id": one.id });
        let earlier = row(json!({ "listed": null }));
        service.change_row("UserStory", key, earlier).await;
    }
    let earlier = json!({
        "story_digest": null, "digest_number": null, "deletion_digest": null, "deletions_since": null,
        "recent_changes": null, "sync_runs": null
    });
    let key = json!({ "id": person.id });
    service.change_row("User", key, row(earlier)).await;

    let owner = person.id.get().to_string();
    let query = |parts: &[&[u8]]| {
        let position = EarlierPosition(parts.concat());
        let cursor = cursor::encode("user_story_changes", &owner, &position);
        format!("since={cursor}")
    };
    let position = feed_end(first.change_number).to_be_bytes();
    let issued_at = service.clock.now_ms().to_be_bytes();
    let after = anime[0].id.get().to_be_bytes();
    let upgraded = service.another(service.clock.clone());
    let changed = [1, 2].map(|at: usize| anime[at].id.get());

    let feed = get(&upgraded, &person, &query(&[&position, &issued_at])).await;
    let changes = feed.data()["changes"].clone();
    assert_eq!(anime_ids(changes.as_array().unwrap()), changed);
    assert_eq!(changes[0]["deleted"], false);
    assert_eq!(changes[1]["deleted"], true);

    // The client is between two pages of its first read.
    let between = query(&[&position, &issued_at, &after]);
    let feed = get(&upgraded, &person, &between).await.data();
    assert_eq!(anime_ids(feed["changes"].as_array().unwrap()), changed[..1]);
    assert_eq!(feed["more"], false);
    let mut cursor = feed["cursor"].as_str().map(str::to_owned);
    let changes = poll(&upgraded, &person, &mut cursor).await;
    assert_eq!(anime_ids(&changes), changed);
    assert!(poll(&upgraded, &person, &mut cursor).await.is_empty());
}

#[tokio::test]
async fn cursor_past_the_end_of_the_feed_has_expired() {
    let (service, person, anime) = with_anime(1).await;
    service.create_story(&person, &anime[0], 1).await;
    let mut cursor = None;
    poll(&service, &person, &mut cursor).await;
    // The service was restored from a backup that did not have the story.
    let restored = row(json!({"last_change_number": null}));
    let key = json!({"id": person.id});
    service.change_row("User", key, restored).await;
    let since = format!("since={}", cursor.unwrap());
    assert_eq!(get(&service, &person, &since).await.status, 410);
}

/// A reader that pauses between two pages for too long must start over, because deletions can be missing by then.
#[tokio::test]
async fn cursor_between_pages_expires_with_the_first() {
    let (service, person, anime) = with_anime(1001).await;
    let mut cursor = None;
    poll(&service, &person, &mut cursor).await;
    let put = |anime: &Anime| json!({"op": "put", "anime_id": anime.id, "status": 0});
    let changes: Vec<Value> = anime.iter().map(put).collect();
    service.change_stories(&person, &changes).await;
    service.clock.advance(DAY * 50);
    let person = Person {
        token: service.token(person.id).await,
        ..person
    };
    let since = format!("since={}", cursor.unwrap());
    let page = get(&service, &person, &since).await.data();
    assert_eq!(page["more"], true);
    service.clock.advance(DAY * 50);
    let person = Person {
        token: service.token(person.id).await,
        ..person
    };
    let next = format!("since={}", page["cursor"].as_str().unwrap());
    assert_eq!(get(&service, &person, &next).await.status, 410);
}

/// A reader without a cursor reads each story once, however many pages that takes, and no change during the first read
/// is lost.
#[tokio::test]
async fn first_read_reads_each_story_once() {
    let mut anime = made_up::anime(2502, 1);
    for one in &mut anime {
        one.episodes_count = 100;
    }
    let service = Service::with_catalogue(&anime[2500..], &[]).await;
    let person = service.person("taki").await;
    crowd::stories(&service, &person, anime[..2500].iter().map(|one| one.id)).await;
    // The request computes the digest of the list, and adds the attributes that rows of an earlier version lack.
    get(&service, &person, "").await;
    let filled = StoryStore::new(&service.database()).fill_lists(false).await;
    assert_eq!(filled.unwrap().stories, 2500);
    service.create_story(&person, &anime[2500], 1).await;
    service.clock.advance(SETTLED);
    // A new process begins to read.
    let (service, meter) = service.metered();
    let (mut query, mut ids, mut costs) = (String::new(), Vec::new(), Vec::new());
    loop {
        let feed = get(&service, &person, &query).await.data();
        ids.extend(anime_ids(feed["changes"].as_array().unwrap()));
        costs.push(meter.take());
        query = format!("since={}", feed["cursor"].as_str().unwrap());
        if feed["more"] == false {
            break;
        }
        if costs.len() == 1 {
            // The changes are before and after the position that the reader has reached.
            delete(&service, &person, &anime[0]).await;
            update(&service, &person, &anime[2500], 2).await;
            service.create_story(&person, &anime[2501], 1).await;
            let _ = meter.take();
        }
    }
    let mut expected: Vec<u64> = anime[..2502].iter().map(|one| one.id.get()).collect();
    expected.sort_unstable();
    assert_eq!(ids, expected);
    let units: Vec<f64> = costs.iter().map(|cost| cost.units).collect();
    assert_eq!(units.len(), 3);
    // The index has about 80 bytes for each row, and is read once.
    assert!(units.iter().all(|units| *units < 40.0), "{units:?}");

    let changes = get(&service, &person, &query).await.data();
    let changes = changes["changes"].as_array().unwrap();
    let changed = [0, 2500, 2501].map(|at: usize| anime[at].id.get());
    assert_eq!(anime_ids(changes), changed);
    assert_eq!(changes[0]["deleted"], true);
    assert_eq!(changes[1]["story"]["current_episode"], 2);
}

#[tokio::test]
async fn invalid_cursors_are_refused() {
    let (service, person, anime) = with_anime(3).await;
    let other = service.person("other").await;
    for one in &anime {
        service.create_story(&person, one, 1).await;
        service.create_story(&other, one, 1).await;
    }
    let (mut cursor, mut others) = (None, None);
    poll(&service, &person, &mut cursor).await;
    poll(&service, &other, &mut others).await;
    let (cursor, others) = (cursor.unwrap(), others.unwrap());
    let list = service
        .get_as(&person.token, "/v1/user_story?per_page=1")
        .await;
    let of_list = list.next().unwrap();
    let of_list = of_list.split("cursor=").last().unwrap();

    // A process whose clock is an hour ahead has returned this cursor.
    let ahead = service.another(Clock::manual(service.clock.now_ms() + 3_600_000));
    let mut of_future = None;
    poll(&ahead, &person, &mut of_future).await;
    let of_future = of_future.unwrap();
    let mut changed = cursor.clone().into_bytes();
    changed[3] = if changed[3] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).unwrap();
    for invalid in [
        "",
        "x",
        &cursor[1..],
        &others,
        of_list,
        &of_future,
        &changed,
        "%00",
    ] {
        let answer = get(&service, &person, &format!("since={invalid}")).await;
        assert_eq!(answer.status, 400, "{invalid}");
        let reason = "is invalid, or belongs to another user; take it from the previous response";
        assert_eq!(answer.data()["since"], reason);
    }
    let twice = format!("since={cursor}&since={cursor}");
    assert_eq!(get(&service, &person, &twice).await.status, 400);
    let of_other = format!("since={others}&user_id={}", other.id.get());
    assert_eq!(get(&service, &person, &of_other).await.status, 403);
    assert_eq!(get(&service, &other, &of_other).await.status, 200);
}

#[tokio::test]
async fn deletions_are_kept_for_90_days() {
    let (service, person, anime) = with_anime(2).await;
    service.create_story(&person, &anime[0], 1).await;
    let mut cursor = None;
    poll(&service, &person, &mut cursor).await;
    delete(&service, &person, &anime[0]).await;
    let key = json!({"user_id": person.id, "anime_id": anime[0].id});
    let row = service.row("UserStory", key).await.unwrap();
    let expires_at: u64 = row["expires_at"].as_n().unwrap().parse().unwrap();
    assert!(expires_at >= service.clock.now_s() + 90 * 24 * 60 * 60);

    service.clock.advance(DAY * 90);
    let signed_in = async || Person {
        token: service.token(person.id).await,
        ..person.clone()
    };
    let since = format!("since={}", cursor.clone().unwrap());
    let answer = get(&service, &signed_in().await, &since).await;
    assert_eq!(answer.data()["changes"][0]["deleted"], true);
    let fresh = answer.data()["cursor"].as_str().unwrap().to_owned();

    service.clock.advance(Duration::from_millis(1));
    let answer = get(&service, &signed_in().await, &since).await;
    assert_eq!(answer.status, 410);
    assert_eq!(answer.envelope()["message"], "Cursor expired");
    assert!(answer.data().as_str().unwrap().contains("without since"));
    // The cursor is valid from the time of its response, although nothing has changed for 90 days.
    service.clock.advance(DAY * 89);
    get(&service, &signed_in().await, &format!("since={fresh}"))
        .await
        .assert_status(200);
}

/// Rows of earlier versions have no change number.
#[tokio::test]
async fn long_feed_comes_in_pages() {
    let (service, person, anime) = with_anime(1).await;
    for story in 1_000..2_500_u64 {
        let story = json!({
            "user_id": person.id, "anime_id": story, "status": 0, "current_episode": 1,
            "current_episode_ticks": 0, "creation_order": story
        });
        service.put_row("UserStory", row(story)).await;
    }
    let first = get(&service, &person, "").await.data();
    assert_eq!(first["more"], true);
    assert_eq!(first["changes"].as_array().unwrap().len(), 1_000);
    // A change during the first read comes after it.
    service.create_story(&person, &anime[0], 1).await;
    let mut cursor = Some(first["cursor"].as_str().unwrap().to_owned());
    let rest = poll(&service, &person, &mut cursor).await;
    let mut ids = anime_ids(first["changes"].as_array().unwrap());
    ids.extend(anime_ids(&rest));
    assert_eq!(ids, (1_000..2_500).collect::<Vec<u64>>());
    let changed = poll(&service, &person, &mut cursor).await;
    assert_eq!(anime_ids(&changed), [anime[0].id.get()]);
    assert!(poll(&service, &person, &mut cursor).await.is_empty());
}

#[tokio::test]
async fn moderators_read_the_feed_of_users() {
    let (service, person, anime) = with_anime(1).await;
    let moderator = service.person_with_role("mod", Role::Moderator).await;
    service.create_story(&person, &anime[0], 1).await;
    let query = format!("user_id={}", person.id.get());
    let feed = get(&service, &moderator, &query).await;
    assert_eq!(
        anime_ids(feed.data()["changes"].as_array().unwrap()),
        [anime[0].id.get()]
    );
    let of_nobody = get(&service, &moderator, "user_id=999").await;
    assert_eq!(of_nobody.data()["changes"], json!([]));
    let of_moderator = format!("user_id={}", moderator.id.get());
    assert_eq!(get(&service, &person, &of_moderator).await.status, 403);
    let unsigned = service.get("/v1/user_story/changes").await;
    assert_eq!(unsigned.status, 401);

    // A moderator's change takes its number from the owner's row.
    let mut cursor = None;
    poll(&service, &person, &mut cursor).await;
    update(
        &service,
        &Person {
            token: moderator.token.clone(),
            ..person.clone()
        },
        &anime[0],
        5,
    )
    .await;
    assert_eq!(poll(&service, &person, &mut cursor).await.len(), 1);
}

/// Servers have clocks of their own, and two changes can have the same time.
#[tokio::test]
async fn order_does_not_depend_on_clocks() {
    let (service, person, anime) = with_anime(3).await;
    let mut cursor = None;
    poll(&service, &person, &mut cursor).await;
    let behind = service.another(Clock::manual(service.clock.now_ms()));
    service.clock.advance(Duration::from_mins(10));
    service.create_story(&person, &anime[0], 1).await;
    behind.create_story(&person, &anime[1], 1).await;
    update(&behind, &person, &anime[0], 2).await;
    service.create_story(&person, &anime[2], 1).await;
    let ids = [1, 0, 2].map(|position: usize| anime[position].id.get());
    assert_eq!(anime_ids(&poll(&service, &person, &mut cursor).await), ids);
}

#[tokio::test]
async fn changes_from_trackers_are_in_the_feed() {
    let linked = Linked::with_anime(3).await;
    let person = linked.person("taki", &[A]).await;
    let mut cursor = None;
    poll(&linked.service, &person, &mut cursor).await;
    linked.edit(A, 0, WatchStatus::Current, 3);
    linked.edit(A, 1, WatchStatus::Paused, 2);
    linked.run().await;
    let imported = poll(&linked.service, &person, &mut cursor).await;
    let expected: Vec<u64> = [0, 1]
        .map(|number: usize| linked.anime[number].id.get())
        .into();
    let mut ids = anime_ids(&imported);
    ids.sort_unstable();
    assert_eq!(ids, expected);

    // A deleted story whose entry is still at the tracker is created again.
    delete(&linked.service, &person, &linked.anime[0]).await;
    let deleted = poll(&linked.service, &person, &mut cursor).await;
    assert_eq!(deleted[0]["deleted"], true);
    linked.run_later().await;
    let back = poll(&linked.service, &person, &mut cursor).await;
    assert_eq!(anime_ids(&back), [linked.anime[0].id.get()]);
    assert_eq!(back[0]["story"]["current_episode"], 3);
}

/// A reader that follows the feed while others write has their final state in the end.
#[tokio::test]
async fn nothing_is_missed_during_concurrent_writes() {
    let (service, person, anime) = with_anime(12).await;
    let write = async |writer: usize| {
        for round in 0..8_u32 {
            let one = &anime[(writer * 5 + round as usize * 7) % anime.len()];
            let next = &anime[(writer * 3 + round as usize) % anime.len()];
            let put = |anime: &Anime| json!({"op": "put", "anime_id": anime.id, "status": 0, "current_episode": round});
            let body = match (writer + round as usize) % 3 {
                0 => json!({"changes": [put(one), {"op": "delete", "anime_id": next.id}]}),
                1 => json!({"changes": [put(one)]}),
                _ => json!({"changes": [{"op": "delete", "anime_id": one.id}]}),
            };
            let path = "/v1/user_story/batch";
            let answer = service.post_as(&person.token, path, &body).await;
            assert!([200, 503].contains(&answer.status.as_u16()), "{answer:?}");
        }
    };
    let mut replica = BTreeMap::new();
    let mut cursor = None;
    let mut writers = Box::pin(join_all((0..6).map(write)));
    loop {
        let done = futures_util::poll!(&mut writers).is_ready();
        let changes = poll(&service, &person, &mut cursor).await;
        let distinct: BTreeSet<u64> = anime_ids(&changes).into_iter().collect();
        assert_eq!(distinct.len(), changes.len(), "each story comes once");
        for change in changes {
            let id = change["id"].as_u64().unwrap();
            match change.get("story") {
                Some(story) => replica.insert(id, story.clone()),
                None => replica.remove(&id),
            };
        }
        if done {
            break;
        }
    }
    let listed = service.get_as(&person.token, "/v1/user_story").await.data();
    let listed = listed.as_array().unwrap().iter();
    let expected: BTreeMap<u64, Value> = listed
        .map(|story| (story["id"].as_u64().unwrap(), story.clone()))
        .collect();
    assert_eq!(replica, expected);
}

/// An import can take longer than changes need to settle. If a change had the number of the import's beginning, readers
/// would take it to be settled when it is written, and could miss it.
#[tokio::test]
async fn change_is_numbered_when_it_is_written() {
    let (service, person, anime) = with_anime(1).await;
    let began = service.clock.now_ms();
    service.create_story(&person, &anime[0], 1).await;
    let mut cursor = None;
    assert_eq!(poll(&service, &person, &mut cursor).await.len(), 1);
    service.clock.advance(Duration::from_mins(1));
    let stories = StoryStore::new(&service.database());
    let id = StoryId::of(person.id, anime[0].id);
    let present = vec![(anime[0].id, stories.get(id).await.unwrap())];
    let watch_next = |_, story: Option<&Story>| {
        let mut state = story.unwrap().state.clone();
        state.current_episode += 1;
        Ok(StoryOperation::Save {
            state,
            changed_at: began,
            created_at: began,
        })
    };
    let by = Origin::Import("0123456789abcdef".to_owned());
    let made = stories.edit_many(None, person.id, present, &by, watch_next, began);
    made.await.unwrap();
    let changed = stories.get(id).await.unwrap().unwrap();
    assert!(changed.change_number >= service.clock.now_ms() * 1000);
    assert_eq!(poll(&service, &person, &mut cursor).await.len(), 1);
}
