//! Entries of imports whose anime are not in the catalogue yet: they are kept, and become stories after the refresh
//! that adds their anime.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use catalog_refresh::{RefreshReport, RefreshScope, refresh};
use catalogue::Catalogue;
use futures_util::future::join_all;
use futures_util::join;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use shared::models::{Anime, AnimeId, StoryId};
use stories::list_files::{
    AddedWaiting, ImportMode, MAX_WAITING, ReadOptions, WaitingStore, add_waiting,
};
use stories::lists::{RaisedStories, StoryStore, raise_episodes};
use tests::assertions::{AssertFields, AssertText};
use tests::people::{Person, list_file, story_body};
use tests::refreshed::{Refreshed, media};
use tests::service::Answer;
use tests::{crash, engine, made_up, units};

const IMPORTS: &str = "/v1/user_story/import";
const PATH: &str = "/v1/user_story/import/waiting";

/// A service whose catalogue has one anime, and a user. The anime with the number n has the identifier n at AniList, n
/// + 1000 at MyAnimeList, 2 * n in this service, and 12 episodes.
struct Fixture {
    refreshed: Refreshed,
    person: Person,
}

/// A row of `WaitingList`.
type WaitingRow = HashMap<String, AttributeValue>;

fn added(users: u64, entries: u64) -> AddedWaiting {
    AddedWaiting {
        users,
        entries,
        failed: 0,
    }
}

fn raised(users: u64, stories: u64) -> RaisedStories {
    RaisedStories {
        users,
        stories,
        failed: 0,
    }
}

/// Returns an entry of Kiroku JSON, with the identifier at MyAnimeList.
fn entry(number: u32, episode: u32) -> Value {
    entry_with(number, episode, &Value::Null)
}

/// Returns an entry with more fields.
fn entry_with(number: u32, episode: u32, more: &Value) -> Value {
    let mut entry = json!({
        "mal_id": 1000 + number, "title": format!("Title {number}"), "status": "CURRENT", "current_episode": episode,
    });
    let fields = entry.as_object_mut().unwrap();
    fields.extend(more.as_object().cloned().unwrap_or_default());
    entry
}

/// Returns the episode and the whole progress of a story.
fn progress(story: &Value) -> [u64; 2] {
    let details = &story["details"];
    [&story["current_episode"], &details["watched_episodes"]].map(|number| number.as_u64().unwrap())
}

impl Fixture {
    async fn new() -> Self {
        let refreshed = Refreshed::empty().await;
        let person = refreshed.service.person("taki").await;
        let fixture = Self { refreshed, person };
        fixture.refresh_with(1).await;
        fixture
    }

    /// Refreshes the catalogue from a source that has the anime 1 to `count`.
    async fn refresh_with(&self, count: u32) -> RefreshReport {
        let clock = &self.refreshed.service.clock;
        // The functions use an index for 10 seconds.
        clock.advance(Duration::from_secs(30));
        let now = clock.now_s();
        let media = |id: u32| media(id, &json!({"idMal": 1000 + id, "updatedAt": now}));
        self.refreshed.set_media((1..=count).map(media).collect());
        let report = self.refreshed.refresh().await;
        assert!(report.failure().is_none(), "{report:?}");
        clock.advance(Duration::from_secs(30));
        report
    }

    /// Adds an anime to the catalogue without a refresh.
    async fn publish_anime(&self, number: u32) {
        self.publish_episodes(number, 12).await;
    }

    /// Adds an anime with a number of episodes to the catalogue, or changes it, without a refresh.
    async fn publish_episodes(&self, number: u32, episodes_count: u32) {
        let anime = Anime {
            id: AnimeId::new(u64::from(number) * 2).unwrap(),
            tracker_a_id: Some(number),
            tracker_b_id: Some(1000 + number),
            episodes_count,
            ..made_up::anime(1, 1).remove(0)
        };
        let service = &self.refreshed.service;
        service.put(&[anime]).await;
        service.publish().await;
        service.clock.advance(Duration::from_secs(30));
    }

    async fn send(&self, query: &str, entries: &[Value]) -> Answer {
        let (service, token) = (&self.refreshed.service, &self.person.token);
        service.import_list(token, query, list_file(entries)).await
    }

    async fn import(&self, query: &str, entries: &[Value]) -> Value {
        let answer = self.send(query, entries).await;
        answer.assert_status(200);
        answer.data()
    }

    async fn get(&self, path: &str) -> Answer {
        let service = &self.refreshed.service;
        service.get_as(&self.person.token, path).await
    }

    /// Undoes an import.
    async fn undo(&self, report: &Value) -> Answer {
        let path = format!("{IMPORTS}/{}/undo", report["import_id"].as_str().unwrap());
        let (service, token) = (&self.refreshed.service, &self.person.token);
        service.with_token(Method::POST, &path, token).await
    }

    /// Returns the file with the waiting entries.
    async fn waiting(&self) -> Vec<Value> {
        let answer = self.get(PATH).await;
        answer.assert_status(200);
        answer.json()["stories"].as_array().unwrap().clone()
    }

    fn story_id(&self, number: u32) -> u64 {
        let anime = AnimeId::new(u64::from(number) * 2).unwrap();
        StoryId::of(self.person.id, anime).get()
    }

    /// Returns the story about an anime, or the status of the response.
    async fn story(&self, number: u32) -> Result<Value, u16> {
        let path = format!("/v1/user_story/{}?include=details", self.story_id(number));
        let found = self.get(&path).await;
        match found.status.as_u16() {
            200 => Ok(found.data()),
            status => Err(status),
        }
    }

    /// Creates a story as the user does.
    async fn watch(&self, number: u32, episode: u64) {
        let anime = Anime {
            id: AnimeId::new(u64::from(number) * 2).unwrap(),
            ..made_up::anime(1, 1).remove(0)
        };
        let body = story_body(&self.person, &anime, 0, episode);
        let service = &self.refreshed.service;
        let created = service.put_as(&self.person.token, "/v1/user_story", &body);
        created.await.assert_status(200);
    }

    /// Returns the rows of all users.
    async fn rows(&self) -> Vec<WaitingRow> {
        self.refreshed.service.rows("WaitingList").await
    }

    async fn put_row(&self, row: WaitingRow) {
        self.refreshed.service.put_row("WaitingList", row).await;
    }
}

#[tokio::test]
async fn entries_become_stories_when_their_anime_appear() {
    let fixture = Fixture::new().await;
    let details = json!({
        "score": 87.5, "started_on": "2016-08", "finished_on": null, "repeats": 2, "notes": "Ün\nlines",
        "private": true,
        "current_episode_ticks": 5000, "created_at": "2016-08-26T12:00:00Z", "updated_at": "2016-09-30T20:15:00.5Z",
    });
    let by_anilist = json!({"anilist_id": 3, "title": "Third", "status": "COMPLETED"});
    let entries = [entry(1, 1), entry_with(2, 5, &details), by_anilist.clone()];
    let report = fixture.import("", &entries).await;
    assert_eq!(report["counts"]["waiting"], 2);
    assert_eq!(report["remarks"], json!([]));
    let mut second = entry_with(2, 5, &details);
    second.as_object_mut().unwrap().remove("anime_id");
    assert_eq!(fixture.waiting().await, [second, by_anilist.clone()]);
    let file = fixture.get(PATH).await;
    let name = "attachment; filename=\"kiroku-taki-waiting-2023-11-14.json\"";
    assert_eq!(file.header("content-disposition"), name);
    assert_eq!(fixture.refresh_with(1).await.waiting, added(0, 0));

    assert_eq!(fixture.refresh_with(2).await.waiting, added(1, 1));
    let story = fixture.story(2).await.unwrap();
    story.assert_fields(json!({"status": 0, "current_episode": 5, "current_episode_ticks": 5000}));
    let expected = json!({
        "score": 87.5, "started_on": "2016-08", "finished_on": null, "repeats": 2, "notes": "Ün\nlines",
        "private": true, "watched_episodes": 5,
        "created_at": "2016-08-26T12:00:00Z", "updated_at": "2016-09-30T20:15:00Z",
        "synced": story["details"]["synced"],
    });
    assert_eq!(story["details"], expected);
    let history = format!("/v1/user_story/{}/history", fixture.story_id(2));
    let history = fixture.get(&history).await.data();
    history[0].assert_fields(json!({"by": "import", "created": true}));
    assert_eq!(fixture.waiting().await, [by_anilist]);
    fixture.refreshed.service.assert_declared_attributes().await;

    assert_eq!(fixture.refresh_with(3).await.waiting, added(1, 1));
    let story = fixture.story(3).await.unwrap();
    story.assert_fields(json!({"status": 2, "current_episode": 12}));
    assert!(fixture.waiting().await.is_empty());
    assert!(fixture.rows().await.is_empty(), "an empty row is deleted");
    assert_eq!(fixture.refresh_with(3).await.waiting, added(0, 0));
}

#[tokio::test]
async fn story_that_the_user_added_meanwhile_loses_nothing() {
    for (mode, score) in [("merge", json!(60.0)), ("keep", Value::Null)] {
        let fixture = Fixture::new().await;
        let query = format!("?mode={mode}");
        let entries = [
            entry_with(2, 3, &json!({"score": 60})),
            entry_with(3, 4, &json!({"score": 70})),
        ];
        fixture.import(&query, &entries).await;
        fixture.publish_anime(2).await;
        fixture.watch(2, 7).await;
        fixture.publish_anime(3).await;
        // The refresh publishes nothing, but the catalogue has the anime since the last one.
        assert_eq!(fixture.refresh_with(1).await.waiting, added(1, 2));
        let story = fixture.story(2).await.unwrap();
        assert_eq!(story["current_episode"], 7, "{mode}");
        assert_eq!(story["details"]["score"], score, "{mode}");
        let story = fixture.story(3).await.unwrap();
        assert_eq!(story["current_episode"], 4, "{mode}");
        assert!(fixture.rows().await.is_empty());
    }
}

#[tokio::test]
async fn later_import_adds_to_earlier_entries() {
    let fixture = Fixture::new().await;
    let first = entry_with(2, 8, &json!({"notes": "first"}));
    let second = entry_with(2, 3, &json!({"score": 60.0, "notes": "second"}));
    fixture.import("", std::slice::from_ref(&first)).await;
    let rows = fixture.rows().await;
    fixture.import("", std::slice::from_ref(&first)).await;
    assert_eq!(fixture.rows().await, rows, "the same entry waits already");
    fixture.import("", &[second.clone(), first.clone()]).await;
    // The newest import comes first.
    assert_eq!(fixture.waiting().await, [second, first]);
    assert_eq!(fixture.refresh_with(2).await.waiting, added(1, 2));
    let story = fixture.story(2).await.unwrap();
    assert_eq!(story["current_episode"], 8);
    story["details"].assert_fields(json!({"score": 60.0, "notes": "first"}));
}

#[tokio::test]
async fn replacing_import_replaces_earlier_entries() {
    let fixture = Fixture::new().await;
    fixture.import("", &[entry(2, 8), entry(3, 8)]).await;
    let by_other_id =
        json!({"anilist_id": 2, "mal_id": 1002, "status": "CURRENT", "current_episode": 3});
    fixture
        .import("?mode=replace", std::slice::from_ref(&by_other_id))
        .await;
    assert_eq!(fixture.waiting().await, [by_other_id, entry(3, 8)]);
    // The third anime is in the catalogue when the import replaces its entry.
    fixture.publish_anime(3).await;
    let report = fixture.import("?mode=replace", &[entry(3, 2)]).await;
    assert_eq!(report["counts"]["added"], 1);
    assert_eq!(fixture.refresh_with(3).await.waiting, added(1, 1));
    for (number, episode) in [(2, 3), (3, 2)] {
        let story = fixture.story(number).await.unwrap();
        assert_eq!(story["current_episode"], episode);
    }
}

#[tokio::test]
async fn dry_run_keeps_nothing() {
    let fixture = Fixture::new().await;
    let entries = [entry(2, 1), json!({"title": "?", "status": 0})];
    let dry = fixture.import("?dry_run=true", &entries).await;
    assert!(fixture.rows().await.is_empty());
    let real = fixture.import("", &entries).await;
    assert_eq!(dry["remarks"], real["remarks"]);
    assert_eq!(dry["counts"], real["counts"]);
}

#[tokio::test]
async fn entries_expire_after_a_year() {
    let mut fixture = Fixture::new().await;
    fixture.import("", &[entry(2, 1)]).await;
    let service = &fixture.refreshed.service;
    service.clock.advance(Duration::from_hours(200 * 24));
    fixture.person.token = service.token(fixture.person.id).await;
    fixture.import("", &[entry(3, 1)]).await;
    service.clock.advance(Duration::from_hours(164 * 24));
    fixture.person.token = service.token(fixture.person.id).await;
    assert_eq!(fixture.waiting().await.len(), 2);
    service.clock.advance(Duration::from_hours(24));
    assert_eq!(fixture.waiting().await, [entry(3, 1)]);
    assert_eq!(fixture.refresh_with(2).await.waiting, added(0, 0));
    assert_eq!(fixture.story(2).await, Err(404));
    let count = AttributeValue::N("1".to_owned());
    assert_eq!(fixture.rows().await[0]["entry_count"], count);
    service.clock.advance(Duration::from_hours(201 * 24));
    assert_eq!(fixture.refresh_with(3).await.waiting, added(0, 0));
    assert!(fixture.rows().await.is_empty());
}

#[tokio::test]
async fn imports_at_the_same_time_keep_all_entries() {
    let fixture = Fixture::new().await;
    let files: Vec<[Value; 2]> = (0..3)
        .map(|number| [2, 3].map(|one| entry(10 * number + one, 1)))
        .collect();
    let answers = join_all(files.iter().map(|file| fixture.send("", file))).await;
    for answer in answers {
        answer.assert_status(200);
    }
    let waiting = fixture.waiting().await;
    assert_eq!(waiting.len(), 6);
    for entry in files.iter().flatten() {
        assert!(waiting.contains(entry), "{entry}");
    }
}

#[tokio::test]
async fn entries_without_an_identifier_are_only_listed() {
    let fixture = Fixture::new().await;
    let entries = [4000, 4002].map(|id| json!({"anime_id": id, "status": "CURRENT"}));
    let report = fixture.import("", &entries).await;
    assert_eq!(report["counts"]["waiting"], 2);
    let remark = "Entries that are not kept until their anime appears, because they have no identifier at AniList or \
                  MyAnimeList: 2.";
    assert_eq!(report["remarks"], json!([remark]));
    assert!(fixture.rows().await.is_empty());
}

#[tokio::test]
async fn entries_past_the_limits_are_reported() {
    let fixture = Fixture::new().await;
    let most = u32::try_from(MAX_WAITING).unwrap();
    let all: Vec<Value> = (2..2 + most + 10)
        .map(|number| json!({"mal_id": 1000 + number, "status": "CURRENT"}))
        .collect();
    let remark = |count: usize| {
        json!([format!(
            "Entries that are not kept, because at most 5,000 entries and 300 KB are kept for each user: {count}."
        )])
    };
    let report = fixture.import("", &all).await;
    assert_eq!(report["counts"]["waiting"], all.len());
    assert_eq!(report["remarks"], remark(10));
    assert_eq!(fixture.waiting().await, all[..MAX_WAITING]);
    let again = fixture.import("", &all).await;
    assert_eq!(again["remarks"], remark(10));

    let service = &fixture.refreshed.service;
    let deleted = service.delete_as(&fixture.person.token, PATH);
    assert_eq!(deleted.await.status, 200);
    assert!(fixture.rows().await.is_empty());
    // These notes can hardly be compressed.
    let mut random = StdRng::seed_from_u64(1);
    let mut notes = || (0..2000).map(|_| random.random_range('!'..='~')).collect();
    let all: Vec<Value> = (2..402)
        .map(|number| entry_with(number, 1, &json!({"notes": Value::String(notes())})))
        .collect();
    let report = fixture.import("", &all).await;
    let kept = fixture.waiting().await.len();
    assert!((100..400).contains(&kept), "{kept}");
    assert_eq!(report["remarks"], remark(400 - kept));
    let rows = fixture.rows().await;
    let size = rows[0]["contents"].as_b().unwrap().as_ref().len();
    assert!((150_000..=300_000).contains(&size), "{size}");
}

#[tokio::test]
async fn deleted_user_leaves_no_entries() {
    let fixture = Fixture::new().await;
    let entries = [entry(2, 1)];
    fixture.import("", &entries).await;
    let service = &fixture.refreshed.service;
    let user = format!("/v1/user/{}", fixture.person.id.get());
    let delete = service.delete_as(&fixture.person.token, &user);
    assert_eq!(delete.await.status, 200);
    // The sweep has not deleted the entries yet.
    assert_eq!(fixture.rows().await.len(), 1);
    assert_eq!(fixture.refresh_with(2).await.waiting, added(0, 0));
    assert_eq!(fixture.send("", &entries).await.status, 401);
    service.clock.advance(Duration::from_mins(2));
    assert_eq!(service.sweep().await.finished, 1);
    assert!(fixture.rows().await.is_empty());

    // An import and the deletion run at the same time.
    for number in 0..5 {
        let refreshed = Refreshed::with_service(service.another(service.clock.clone())).await;
        let person = service.person(&format!("user{number}")).await;
        let fixture = Fixture { refreshed, person };
        let user = format!("/v1/user/{}", fixture.person.id.get());
        let delete = service.delete_as(&fixture.person.token, &user);
        let entries = [entry(9, 1), entry(1, 1)];
        let (imported, deleted) = join!(fixture.send("", &entries), delete);
        assert_eq!(deleted.status, 200);
        let status = imported.status.as_u16();
        assert!([200, 401].contains(&status), "{status}");
        service.clock.advance(Duration::from_mins(2));
        assert_eq!(service.sweep().await.finished, 1);
        assert!(fixture.rows().await.is_empty());
    }
}

/// Copies the waiting entries of the user to a new one for each possible number of calls after which a refresh ends.
/// The next refresh completes it.
#[tokio::test]
async fn interrupted_refresh_is_completed_by_the_next_one() {
    let fixture = Fixture::new().await;
    let entries: Vec<Value> = (2..62).map(|number| entry(number, 3)).collect();
    let later = [entry(99, 1)];
    fixture
        .import("", &[entries.as_slice(), &later].concat())
        .await;
    let row = fixture.rows().await.remove(0);
    fixture.refresh_with(61).await;
    let service = &fixture.refreshed.service;
    let mut partial = 0;
    for calls in 0.. {
        let person = service.person(&format!("user{calls}")).await;
        let mut row = row.clone();
        let user_id = AttributeValue::N(person.id.get().to_string());
        row.insert("user_id".to_owned(), user_id);
        fixture.put_row(row).await;
        let mut environment = service.environment.clone();
        environment.database.client = crash::client_failing_after(calls);
        let until = environment.database.clock.now_ms() + 60_000;
        let sources = fixture.refreshed.anime_source();
        let ended = refresh(&environment, sources, RefreshScope::Changed, until, &|_| {}).await;
        let stories = async || {
            let path = "/v1/user_story?per_page=100";
            let found = service.get_as(&person.token, path).await;
            found.data().as_array().unwrap().len()
        };
        let written = stories().await;
        assert!([0, 50, 60].contains(&written), "{written}");
        let is_removed = fixture.rows().await.iter().all(|row| {
            row["user_id"] != AttributeValue::N(person.id.get().to_string())
                || row["entry_count"] == AttributeValue::N("1".to_owned())
        });
        assert!(written == 60 || !is_removed, "{written}");
        partial += u32::from(written > 0 && !is_removed);
        fixture.refresh_with(61).await;
        assert_eq!(stories().await, 60);
        for row in fixture.rows().await {
            assert_eq!(row["entry_count"], AttributeValue::N("1".to_owned()));
        }
        if ended.is_ok_and(|report| report.waiting == added(1, 60)) {
            break;
        }
    }
    // The refresh can end after the first transaction of stories, after the second, and after the row has been read
    // again.
    assert_eq!(partial, 3);
}

#[tokio::test]
async fn failure_for_one_user_does_not_stop_others() {
    let fixture = Fixture::new().await;
    fixture.import("", &[entry(2, 3)]).await;
    let service = &fixture.refreshed.service;
    let mut damaged = fixture.rows().await.remove(0);
    for name in ["mitsuha", "tessie"] {
        let other = service.person(name).await;
        let user_id = AttributeValue::N(other.id.get().to_string());
        damaged.insert("user_id".to_owned(), user_id);
        let contents = AttributeValue::B(Blob::new("damaged"));
        damaged.insert("contents".to_owned(), contents);
        fixture.put_row(damaged.clone()).await;
    }
    let expected = AddedWaiting {
        failed: 2,
        ..added(1, 1)
    };
    assert_eq!(fixture.refresh_with(2).await.waiting, expected);
    assert!(fixture.story(2).await.is_ok());
    assert_eq!(fixture.rows().await.len(), 2);
}

#[tokio::test]
async fn refresh_without_time_leaves_entries_to_the_next_one() {
    let fixture = Fixture::new().await;
    fixture.import("", &[entry(2, 3)]).await;
    fixture.publish_anime(2).await;
    let environment = &fixture.refreshed.service.environment;
    for (late_ms, expected) in [(30_000, added(0, 0)), (29_999, added(1, 1))] {
        let until = environment.database.clock.now_ms() - late_ms;
        let (sources, scope) = (fixture.refreshed.anime_source(), RefreshScope::Changed);
        let report = refresh(environment, sources, scope, until, &|_| {}).await;
        assert_eq!(report.unwrap().waiting, expected);
    }
    assert!(fixture.story(2).await.is_ok());
}

#[tokio::test]
async fn pass_is_one_call_if_nothing_waits() {
    let fixture = Fixture::new().await;
    let service = &fixture.refreshed.service;
    let (client, meter) = units::metered();
    let clock = &service.clock;
    let database = service.database_with(client);
    let (stories, waiting) = (StoryStore::new(&database), WaitingStore::new(&database));
    let catalogue = Catalogue::new(&database, 0);
    let pass = async || add_waiting(&stories, &waiting, &catalogue, clock, u64::MAX).await;
    assert_eq!(pass().await.unwrap(), added(0, 0));
    let consumed = meter.take();
    assert_eq!(consumed.calls, 1);
    if engine::is_embedded() {
        assert!((consumed.units - 0.5).abs() < f64::EPSILON, "{consumed:?}");
    }
    fixture.import("", &[entry(2, 3)]).await;
    assert_eq!(pass().await.unwrap(), added(0, 0));
    assert_eq!(meter.take().calls, 3, "the page, and the index");
}

#[tokio::test]
async fn undone_import_forgets_its_entries() {
    let fixture = Fixture::new().await;
    let first = fixture.import("", &[entry(2, 3)]).await;
    let service = &fixture.refreshed.service;
    service.clock.advance(Duration::from_secs(1));
    let both = [entry(3, 3), entry(4, 3)];
    let second = fixture.import("", &both).await;
    let listed = json!([
        {"import_id": second["import_id"], "imported_at": "2023-11-14T22:14:21Z", "added": 0, "changed": 0,
            "waiting": 2, "proposals": 0},
        {"import_id": first["import_id"], "imported_at": "2023-11-14T22:14:20Z", "added": 0, "changed": 0,
            "waiting": 1, "proposals": 0},
    ]);
    assert_eq!(fixture.get(IMPORTS).await.data(), listed);
    let undone = json!({
        "restored": 0, "deleted": 0, "unchanged": 0, "kept": 0, "forgotten": 1, "kept_stories": []
    });
    assert_eq!(fixture.undo(&first).await.data(), undone);
    assert_eq!(fixture.waiting().await, both);
    let rows = fixture.rows().await;
    assert_eq!(fixture.undo(&first).await.status, 404);
    assert_eq!(fixture.rows().await, rows);
    // An import that repeats waiting entries adds none, so it has nothing to undo.
    let third = fixture.import("", &both).await;
    assert_eq!(fixture.undo(&third).await.status, 404);
    assert_eq!(fixture.undo(&second).await.data()["forgotten"], 2);
    assert!(fixture.rows().await.is_empty());
}

#[tokio::test]
async fn entries_are_kept_when_the_import_can_no_longer_be_undone() {
    let fixture = Fixture::new().await;
    let report = fixture.import("", &[entry(2, 3)]).await;
    let service = &fixture.refreshed.service;
    service.clock.advance(Duration::from_hours(7 * 24 + 1));
    assert_eq!(fixture.get(IMPORTS).await.data(), json!([]));
    fixture.undo(&report).await.assert_status(404);
    assert_eq!(fixture.waiting().await.len(), 1);
}

#[tokio::test]
async fn command_keeps_entries() {
    let fixture = Fixture::new().await;
    let service = &fixture.refreshed.service;
    let file = service.mail.path().join("list.json");
    std::fs::write(&file, list_file(&[entry(2, 3)])).unwrap();
    let (database, mode) = (&service.database(), ImportMode::Merge);
    let run = async |is_dry_run| {
        cli::user::import(
            database,
            "taki",
            &file,
            mode,
            ReadOptions::default(),
            is_dry_run,
        )
        .await
    };
    run(true).await.unwrap();
    assert!(fixture.rows().await.is_empty());
    run(false).await.unwrap();
    assert_eq!(fixture.waiting().await, [entry(2, 3)]);
    // The catalogue is now as after `kiroku import anime` and `kiroku publish`.
    fixture.publish_anime(2).await;
    let done = cli::user::add_waiting(database).await.unwrap();
    assert_eq!(done, added(1, 1));
    let summary = cli::refresh::waiting_summary(done).unwrap();
    summary.assert_has("1 of 1 users");
    assert_eq!(cli::refresh::waiting_summary(added(0, 0)), None);
    assert!(fixture.story(2).await.is_ok());
}

/// Rows of version 0.1.0 have a group of entries whose stories could not keep the progress that the entries state.
#[tokio::test]
async fn entries_of_an_earlier_version_give_their_stories_the_progress() {
    for (mode, _) in ImportMode::ALL {
        let fixture = Fixture::new().await;
        fixture.publish_episodes(2, 4).await;
        fixture.watch(2, 4).await;
        // The import of another entry makes a row, which is then changed to the form of that version.
        let import = "0a1b2c3d4e5f6071".to_owned();
        fixture.import("", &[entry(3, 1)]).await;
        let mut row = fixture.rows().await.remove(0);
        let now = fixture.refreshed.service.clock.now_ms();
        let waits = list_file(&[entry(3, 1)]);
        let lost = list_file(&[entry_with(2, 7, &json!({"score": 80}))]);
        let groups = [
            (import.clone(), mode, now, false, waits),
            (import, mode, now, true, lost),
        ];
        let contents = Blob::new(dynamo::pack_value(&groups.to_vec()).unwrap());
        row.insert("contents".to_owned(), AttributeValue::B(contents));
        row.insert("entry_count".to_owned(), AttributeValue::N("2".to_owned()));
        fixture.put_row(row).await;
        assert_eq!(fixture.waiting().await.len(), 2);

        assert_eq!(fixture.refresh_with(1).await.waiting, added(1, 1));
        let story = fixture.story(2).await.unwrap();
        assert_eq!(progress(&story), [4, 7], "{mode:?}");
        assert_eq!(fixture.waiting().await, [entry(3, 1)]);
        fixture.publish_episodes(2, 12).await;
        assert_eq!(fixture.refresh_with(1).await.raised, raised(1, 1));
        let story = fixture.story(2).await.unwrap();
        assert_eq!(story["current_episode"], 7, "{mode:?}");
    }
}

#[tokio::test]
async fn progress_past_the_last_known_episode_is_kept() {
    for mode in ["merge", "keep", "replace"] {
        let fixture = Fixture::new().await;
        fixture.publish_episodes(2, 0).await;
        let details = json!({"score": 80.5});
        // The catalogue does not know the third anime yet.
        let entries = [entry_with(2, 5, &details), entry_with(3, 7, &details)];
        let query = format!("?mode={mode}");
        let report = fixture.import(&query, &entries).await;
        let remark = "the file has episode 5, but the anime has 0 episodes";
        assert_eq!(report["added"][0]["remark"], remark);
        let numbers = async |number| progress(&fixture.story(number).await.unwrap());
        assert_eq!(numbers(2).await, [0, 5]);
        let waiting = fixture.waiting().await;
        assert_eq!(waiting, [entry_with(3, 7, &details)], "{mode}");
        let report = fixture.import(&query, &entries[..1]).await;
        assert_eq!(report["counts"]["unchanged"], 1, "{mode}");

        fixture.publish_episodes(3, 4).await;
        let report = fixture.refresh_with(1).await;
        assert_eq!((report.waiting, report.raised), (added(1, 1), raised(0, 0)));
        assert_eq!(numbers(2).await, [0, 5], "{mode}");
        assert_eq!(numbers(3).await, [4, 7], "{mode}");
        assert!(fixture.rows().await.is_empty(), "{mode}");

        fixture.publish_episodes(2, 5).await;
        fixture.publish_episodes(3, 6).await;
        assert_eq!(fixture.refresh_with(1).await.raised, raised(1, 2));
        assert_eq!(numbers(2).await, [5, 5], "{mode}");
        assert_eq!(numbers(3).await, [6, 7], "{mode}");
        fixture.publish_episodes(3, 12).await;
        assert_eq!(fixture.refresh_with(1).await.raised, raised(1, 1));
        assert_eq!(numbers(3).await, [7, 7], "{mode}");
        assert_eq!(fixture.refresh_with(1).await.raised, raised(0, 0));
        fixture.refreshed.service.assert_declared_attributes().await;
        // Importing the user's own export changes nothing, although the catalogue counts fewer episodes again.
        fixture.publish_episodes(2, 3).await;
        let report = fixture.import("", &[entry_with(2, 5, &details)]).await;
        assert_eq!(report["counts"]["unchanged"], 1);
        assert!(fixture.rows().await.is_empty(), "{mode}");
    }
}

/// The story of an import that the catalogue has caught up with has not changed since the import.
#[tokio::test]
async fn undo_ignores_that_a_story_follows_the_catalogue() {
    let fixture = Fixture::new().await;
    fixture.publish_episodes(2, 4).await;
    fixture.publish_episodes(3, 4).await;
    fixture.import("", &[entry(2, 6)]).await;
    let later = [entry(2, 8), entry(3, 7)];
    let report = fixture.import("?mode=replace", &later).await;
    fixture.publish_episodes(2, 12).await;
    fixture.publish_episodes(3, 12).await;
    assert_eq!(fixture.refresh_with(1).await.raised, raised(1, 2));
    let undone = fixture.undo(&report).await.data();
    undone.assert_fields(json!({"restored": 1, "deleted": 1}));
    let story = fixture.story(2).await.unwrap();
    assert_eq!(progress(&story), [6, 6]);
    assert_eq!(fixture.story(3).await, Err(404));
}

/// A refresh that is interrupted, and two at the same time, update the episode of each story once.
#[tokio::test]
async fn interrupted_passes_raise_every_story() {
    let fixture = Fixture::new().await;
    for number in 2..=4 {
        fixture.publish_episodes(number, 1).await;
    }
    let entries = [2, 3, 4].map(|number| entry(number, 9));
    fixture.import("", &entries).await;
    for number in 2..=4 {
        fixture.publish_episodes(number, 9).await;
    }
    let service = &fixture.refreshed.service;
    for calls in 0..12 {
        let mut database = service.database();
        database.client = crash::client_failing_after(calls);
        let catalogue = Catalogue::new(&database, 0);
        let (stories, clock) = (StoryStore::new(&database), &database.clock);
        let _ = raise_episodes(&stories, &catalogue, clock, u64::MAX).await;
    }
    let database = service.database();
    let catalogue = Catalogue::new(&database, 0);
    let (stories, clock) = (StoryStore::new(&database), &database.clock);
    let late = raise_episodes(&stories, &catalogue, clock, clock.now_ms()).await;
    assert_eq!(late.unwrap(), raised(0, 0), "the time is over");
    let pass = async || raise_episodes(&stories, &catalogue, clock, u64::MAX).await;
    let (one, other) = join!(pass(), pass());
    assert_eq!((one.unwrap().failed, other.unwrap().failed), (0, 0));
    for number in 2..=4 {
        let story = fixture.story(number).await.unwrap();
        assert_eq!(story["current_episode"], 9, "{number}");
        let history = format!("/v1/user_story/{}/history", fixture.story_id(number));
        let history = fixture.get(&history).await.data();
        assert_eq!(history.as_array().unwrap().len(), 1, "{history}");
    }
}
