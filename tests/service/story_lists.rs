//! Lists of stories in the memory of processes (docs/data-model.md, "List versions"). No process shows an old list, in
//! whatever order several processes, one with a clock that is behind and one of an earlier version of the service,
//! write and read.
//!
//! `KIROKU_LIST_STEPS` steps are made for each seed from 1 to `KIROKU_LIST_SEEDS`.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::models::TrackerName::A;
use shared::models::WatchStatus::Current;
use shared::models::{Anime, StoryId, SyncMark, SyncState};
use stories::lists::StoryStore;
use tests::faults::FaultProxy;
use tests::linked::Linked;
use tests::people::Person;
use tests::rows::{Row, row};
use tests::service::Service;
use tests::trackers::VIEWER;
use tests::units::metered;
use tests::{crowd, engine, made_up};

/// Number of anime.
const ANIME: u32 = 60;

/// The number of changes in a large batch: more than the owner's row names.
const LARGE: usize = 40;

/// Identifier of an anime, status and episode of each story.
type List = BTreeMap<u64, (u64, u64)>;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// A process, and what a client has read of its change feed.
struct Process {
    service: Service,
    cursor: Option<String>,
    replica: List,
}

impl Process {
    fn new(service: Service) -> Self {
        Self {
            service,
            cursor: None,
            replica: List::new(),
        }
    }
}

/// The processes of a service, and a user whose stories they write.
struct Model {
    /// The first process works without faults, and prepares the test.
    processes: Vec<Process>,
    proxy: FaultProxy,
    person: Person,
    anime: Vec<Anime>,
    rng: StdRng,
    /// The time at which the first process began.
    now_ms: u64,
    /// The number of comparisons of a process with the table.
    checks: u32,
    /// The number of these comparisons in which every request succeeded.
    complete_checks: u32,
}

impl Model {
    async fn new(seed: u64) -> Self {
        let anime = made_up::anime(ANIME, 1);
        let service = Service::with_catalogue(&anime, &[]).await;
        let person = service.person("taki").await;
        // The token is valid for processes whose clocks are behind.
        service.clock.advance(Duration::from_hours(3));
        let behind = Clock::manual(service.clock.now_ms() - 3_600_000);
        let another = service.another(behind);
        let proxy = FaultProxy::start(engine::endpoint(), seed).await;
        let failing = service.another(service.clock.clone());
        let failing = failing.with_functions_client(engine::client(&proxy.endpoint));
        Self {
            now_ms: service.clock.now_ms(),
            processes: [service, another, failing].map(Process::new).into(),
            proxy,
            person,
            anime,
            rng: StdRng::seed_from_u64(seed),
            checks: 0,
            complete_checks: 0,
        }
    }

    fn below(&mut self, count: usize) -> usize {
        self.rng.random_range(0..count)
    }

    /// Returns the stories as the table has them.
    async fn stored(&self) -> List {
        let service = &self.processes[0].service;
        let rows = service.rows("UserStory").await;
        let user = AttributeValue::N(self.person.id.get().to_string());
        let number = |value: &AttributeValue| value.as_n().unwrap().parse::<u64>().unwrap();
        rows.iter()
            .filter(|row| row["user_id"] == user && !row.contains_key("deleted_at"))
            .map(|row| {
                let value = |name| number(&row[name]);
                (
                    value("anime_id"),
                    (value("status"), value("current_episode")),
                )
            })
            .collect()
    }

    /// Makes a random change with a process. It may fail.
    async fn write(&mut self, process: usize) {
        let count = match self.below(10) {
            0 => LARGE,
            1..4 => 3,
            _ => 1,
        };
        let first = self.below(ANIME as usize);
        let mut changes = Vec::new();
        for offset in 0..count {
            let anime = self.anime[(first + offset) % ANIME as usize].id.get();
            let status = [0, 1, 3, 4][self.below(4)];
            changes.push(if self.below(4) == 0 {
                json!({"op": "delete", "anime_id": anime})
            } else {
                json!({"op": "put", "anime_id": anime, "status": status})
            });
        }
        let body = json!({ "changes": changes });
        let service = &self.processes[process].service;
        let answer = service.post_as(&self.person.token, "/v1/user_story/batch", &body);
        let status = answer.await.status;
        assert!([200, 429, 503].contains(&status.as_u16()), "{status}");
    }

    /// Changes a story as version 0.1.0 does: without the attribute `listed`, and without the digest.
    async fn write_as_before(&mut self) {
        let stored = self.stored().await;
        let position = self.below(stored.len().max(1));
        let Some(anime) = stored.keys().nth(position) else {
            return;
        };
        let service = &self.processes[0].service;
        let number = |row: &Row, name: &str| {
            let number = row.get(name).map_or("0", |value| value.as_n().unwrap());
            number.parse::<u64>().unwrap()
        };
        let last = number(&self.owners_row().await, "last_change_number") + 1000;
        let status = [0, 1, 3, 4][self.rng.random_range(0..4)];
        let key = json!({"user_id": self.person.id, "anime_id": anime});
        let story = service.row("UserStory", key.clone()).await.unwrap();
        let version = number(&story, "version") + 1;
        let story = json!({"status": status, "change_number": last, "version": version});
        service.change_row("UserStory", key, row(story)).await;
        let owner = row(json!({"last_change_number": last}));
        let id = json!({"id": self.person.id});
        service.change_row("User", id, owner).await;
    }

    /// Waits until a digest is certain after a write without one.
    async fn settle(&mut self, step: u64) {
        for _ in 0..2 {
            for process in 0..self.processes.len() {
                self.check(process, step).await;
            }
            for process in &self.processes {
                process.service.clock.advance(Duration::from_secs(11));
            }
        }
        let row = self.owners_row().await;
        assert_eq!(
            row["digest_number"], row["last_change_number"],
            "step {step}"
        );
    }

    async fn owners_row(&self) -> Row {
        let service = &self.processes[0].service;
        let row = service.row("User", json!({"id": self.person.id})).await;
        row.unwrap()
    }

    /// Reads the list of a process in several ways, and compares each with the table. A request may fail.
    async fn check(&mut self, process: usize, step: u64) {
        self.checks += 1;
        let stored = self.stored().await;
        let what = format!("process {process}, step {step}");
        let token = &self.person.token;
        let one = &mut self.processes[process];
        let get = async |path: &str| {
            let answer = one.service.get_as(token, path).await;
            (answer.status == 200).then(|| answer.data())
        };
        let mut listed = List::new();
        for status in 0..6 {
            let path = format!("/v1/user_story?status={status}&per_page=100");
            let Some(page) = get(&path).await else { return };
            listed.extend(page.as_array().unwrap().iter().map(entry));
        }
        assert_eq!(listed, stored, "lists by status of {what}");
        loop {
            let since = one.cursor.as_ref().map(|cursor| format!("?since={cursor}"));
            let path = format!("/v1/user_story/changes{}", since.unwrap_or_default());
            let answer = one.service.get_as(token, &path).await;
            if answer.status == 400 && one.cursor.is_some() {
                // The clock has gone back, so the cursor is from the future, and the client starts over.
                (one.cursor, one.replica) = (None, List::new());
                continue;
            }
            if answer.status != 200 {
                return;
            }
            let feed = answer.data();
            for change in feed["changes"].as_array().unwrap() {
                if change["deleted"] == true {
                    one.replica.remove(&change["anime_id"].as_u64().unwrap());
                } else {
                    let (anime, story) = entry(&change["story"]);
                    one.replica.insert(anime, story);
                }
            }
            one.cursor = Some(feed["cursor"].as_str().unwrap().to_owned());
            if feed["more"] == false {
                break;
            }
        }
        assert_eq!(one.replica, stored, "change feed of {what}");
        self.complete_checks += 1;
    }
}

fn entry(story: &Value) -> (u64, (u64, u64)) {
    let value = |name: &str| story[name].as_u64().unwrap();
    (
        value("anime_id"),
        (value("status"), value("current_episode")),
    )
}

#[tokio::test]
async fn no_process_shows_an_old_list() {
    engine::pause_clock();
    for seed in 1..=setting("KIROKU_LIST_SEEDS", 4) {
        let mut model = Model::new(seed).await;
        for step in 0..setting("KIROKU_LIST_STEPS", 60) {
            let process = model.below(3);
            let percent = if model.below(3) == 0 { 20 } else { 0 };
            model.proxy.fail(percent);
            let lags = model.below(2) == 0;
            model.proxy.lag(lags);
            match model.below(12) {
                0 => {
                    model.write_as_before().await;
                    if model.below(2) == 0 {
                        model.proxy.fail(0);
                        model.proxy.settle().await;
                        model.settle(step).await;
                    }
                }
                1 => {
                    // A new process has nothing in memory, and its clock can be behind the one of the process before.
                    let behind = Clock::manual(model.now_ms - 1000 * model.below(7200) as u64);
                    let one = &mut model.processes[process];
                    let restarted = one.service.another(behind);
                    let client = one.service.environment.database.client.clone();
                    one.service = restarted.with_functions_client(client);
                }
                2 => {
                    let seconds = Duration::from_secs(model.below(30) as u64);
                    model.processes[process].service.clock.advance(seconds);
                }
                _ => model.write(process).await,
            }
            model.proxy.fail(0);
            model.proxy.settle().await;
            for process in 0..3 {
                if model.below(2) == 0 {
                    model.check(process, step).await;
                }
            }
        }
        for process in 0..3 {
            model.check(process, u64::MAX).await;
        }
        let (checks, complete) = (model.checks, model.complete_checks);
        assert!(complete > checks / 2, "{complete} of {checks} checks");
    }
}

/// Sends a request of a person to a process, and returns the data of the response.
async fn get(service: &Service, person: &Person, path: &str) -> Value {
    let answer = service.get_as(&person.token, path).await;
    assert_eq!(answer.status, 200, "{path}");
    answer.data()
}

/// Returns the number of a person's stories that [`put`] has made.
async fn count(service: &Service, person: &Person) -> usize {
    let list = get(service, person, "/v1/user_story?status=1").await;
    list.as_array().unwrap().len()
}

/// Makes changes of a person's stories.
async fn change(service: &Service, person: &Person, changes: &[Value]) {
    let body = json!({ "changes": changes });
    let answer = service.post_as(&person.token, "/v1/user_story/batch", &body);
    assert_eq!(answer.await.status, 200);
}

fn put(anime: &Anime) -> Value {
    json!({"op": "put", "anime_id": anime.id.get(), "status": 1})
}

fn delete(anime: &Anime) -> Value {
    json!({"op": "delete", "anime_id": anime.id.get()})
}

/// Returns the anime of the changes since a cursor with their deletions, and the next cursor.
async fn changes_since(service: &Service, person: &Person, cursor: &str) -> (Vec<Value>, String) {
    let path = format!("/v1/user_story/changes?since={cursor}");
    let feed = get(service, person, &path).await;
    let changes = feed["changes"].as_array().unwrap().iter();
    let changes = changes.map(|change| json!([change["anime_id"], change["deleted"]]));
    let cursor = feed["cursor"].as_str().unwrap().to_owned();
    (changes.collect(), cursor)
}

/// A story that was created and deleted leaves the list as it was. A process that has seen neither reports the deletion
/// nevertheless.
#[tokio::test]
async fn deletion_is_reported_though_the_list_is_as_before() {
    let (service, anime) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let other = service.another(service.clock.clone());
    change(&service, &person, &[put(&anime[0])]).await;
    let first = get(&other, &person, "/v1/user_story/changes").await;
    let cursor = first["cursor"].as_str().unwrap().to_owned();
    // The process has the list in its memory, with all deletions.
    let (_, cursor) = changes_since(&other, &person, &cursor).await;

    change(&service, &person, &[put(&anime[1])]).await;
    let created = json!([anime[1].id, false]);
    let (changes, cursor) = changes_since(&service, &person, &cursor).await;
    assert_eq!(changes, [created]);
    change(&service, &person, &[delete(&anime[1])]).await;
    let deleted = json!([anime[1].id, true]);
    let (changes, end) = changes_since(&other, &person, &cursor).await;
    assert_eq!(changes, std::slice::from_ref(&deleted));
    let (changes, _) = changes_since(&other, &person, &end).await;
    assert_eq!(changes, Vec::<Value>::new());
    // A new process also reports the deletion.
    let new = service.another(service.clock.clone());
    let (changes, _) = changes_since(&new, &person, &cursor).await;
    assert_eq!(changes, [deleted]);
}

/// A poll after a change of another process reads the rows of the caller and of the changed story.
#[tokio::test]
async fn poll_after_a_change_costs_two_units() {
    let anime = made_up::anime(300, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("taki").await;
    let (client, meter) = metered();
    let other = service.another(service.clock.clone());
    let other = other.with_functions_client(client);
    for some in anime.chunks(100) {
        let changes: Vec<Value> = some.iter().map(put).collect();
        change(&service, &person, &changes).await;
    }
    let first = get(&other, &person, "/v1/user_story/changes").await;
    let cursor = first["cursor"].as_str().unwrap().to_owned();
    let (_, mut cursor) = changes_since(&other, &person, &cursor).await;
    for one in [delete(&anime[7]), put(&anime[7]), put(&anime[299])] {
        change(&service, &person, std::slice::from_ref(&one)).await;
        let _ = meter.take();
        let (changes, next) = changes_since(&other, &person, &cursor).await;
        assert_eq!(changes.len(), 1, "{one}");
        assert!((meter.take().units - 2.0).abs() < 0.1, "{one}");
        cursor = next;
        get(&other, &person, "/v1/user_story?status=1").await;
        assert!((meter.take().units - 1.0).abs() < 0.1, "{one}");
    }
}

/// A process that changes a story adds the change to those that the owner's row names, if it has read the row. So a
/// third process reads only the changed stories, and not the index.
#[tokio::test]
async fn changes_of_two_processes_cost_two_units() {
    let mut anime = made_up::anime(301, 1);
    anime[300].tracker_b_id = Some(900_000);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("taki").await;
    let (client, meter) = metered();
    let other = service.another(service.clock.clone());
    let other = other.with_functions_client(client);
    for some in anime[..300].chunks(100) {
        let changes: Vec<Value> = some.iter().map(put).collect();
        change(&service, &person, &changes).await;
    }
    let path = "/v1/user_story?status=1";
    get(&other, &person, path).await;
    change(&service, &person, &[delete(&anime[7])]).await;
    let importing = service.another(service.clock.clone());
    let file = "mal_id,status\n900000,Completed\n";
    let imported = importing.import_list(&person.token, "", file).await;
    assert_eq!(imported.data()["counts"]["added"], 1);
    let _ = meter.take();
    get(&other, &person, path).await;
    let units = meter.take().units;
    assert!((units - 3.0).abs() < 0.1, "{units}");
}

/// A process can be stopped after its change took effect and before it gets the response. Every process shows the
/// change. If only the request was stopped, the process that made the change also shows it.
#[tokio::test]
async fn change_of_a_stopped_process_is_shown() {
    let (service, anime) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    change(&service, &person, &[put(&anime[0])]).await;
    let proxy = FaultProxy::start(engine::endpoint(), 1).await;
    let stopped = service.another(service.clock.clone());
    let stopped = stopped.with_functions_client(engine::client(&proxy.endpoint));
    for process in [&service, &stopped] {
        assert_eq!(count(process, &person).await, 1);
    }
    let first = get(&service, &person, "/v1/user_story/changes").await;
    let cursor = first["cursor"].as_str().unwrap().to_owned();
    let (_, cursor) = changes_since(&service, &person, &cursor).await;

    // A change in the same millisecond needs a second transaction.
    service.clock.advance(Duration::from_millis(1));
    proxy.hold_transactions(true);
    let body = json!({ "changes": [put(&anime[1])] });
    let request = stopped.post_as(&person.token, "/v1/user_story/batch", &body);
    tokio::select! {
        () = proxy.transaction_held() => {}
        answer = request => assert_eq!(answer.status, 503),
    }
    proxy.hold_transactions(false);

    let new = service.another(service.clock.clone());
    for process in [&service, &stopped, &new] {
        assert_eq!(count(process, &person).await, 2);
    }
    let (changes, _) = changes_since(&service, &person, &cursor).await;
    assert_eq!(changes, [json!([anime[1].id, false])]);
    change(&stopped, &person, &[delete(&anime[0])]).await;
    for process in [&service, &stopped, &new] {
        assert_eq!(count(process, &person).await, 1);
    }
}

/// Returns a service whose clock can go back by up to three hours, because the person's token is that old.
async fn with_later_clock() -> (Service, Person, Vec<Anime>) {
    let anime = made_up::anime(2, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("taki").await;
    service.clock.advance(Duration::from_hours(3));
    (service, person, anime)
}

/// A clock can go back while its process has a list in memory. The later changes of the process still come after its
/// earlier ones, and every process shows them.
#[tokio::test]
async fn clock_that_goes_back_hides_no_change() {
    let (service, person, anime) = with_later_clock().await;
    let other = service.another(Clock::manual(service.clock.now_ms()));
    change(&service, &person, &[put(&anime[0])]).await;
    for process in [&service, &other] {
        assert_eq!(count(process, &person).await, 1);
    }
    let first = get(&other, &person, "/v1/user_story/changes").await;
    let cursor = first["cursor"].as_str().unwrap().to_owned();
    let (_, cursor) = changes_since(&other, &person, &cursor).await;

    service.set_clock_back(Duration::from_hours(1));
    change(&service, &person, &[put(&anime[1])]).await;
    for process in [&service, &other] {
        assert_eq!(count(process, &person).await, 2);
    }
    change(&service, &person, &[delete(&anime[0])]).await;
    for process in [&service, &other] {
        assert_eq!(count(process, &person).await, 1);
    }
    let (changes, _) = changes_since(&other, &person, &cursor).await;
    let (created, deleted) = (json!([anime[1].id, false]), json!([anime[0].id, true]));
    assert_eq!(changes, [created, deleted]);
}

/// A process stores a missing digest when it has seen the owner's row unchanged for 10 seconds. If its clock goes back,
/// the 10 seconds begin again, and do not last until the clock has caught up.
#[tokio::test]
async fn missing_digest_is_stored_although_the_clock_goes_back() {
    let (service, person, anime) = with_later_clock().await;
    change(&service, &person, &[put(&anime[0])]).await;
    crowd::stories(&service, &person, [anime[1].id].into_iter()).await;
    let has_digest_after_read = async || {
        get(&service, &person, "/v1/user_story?status=1").await;
        let row = service.client.get_item();
        let row = row
            .table_name(service.tables.of("User"))
            .key("id", AttributeValue::N(person.id.get().to_string()))
            .consistent_read(true);
        let row = row.send().await.unwrap().item.unwrap();
        row.contains_key("digest_number")
    };
    assert!(!has_digest_after_read().await);
    service.set_clock_back(Duration::from_hours(1));
    assert!(!has_digest_after_read().await);
    service.clock.advance(Duration::from_secs(5));
    assert!(!has_digest_after_read().await);
    service.clock.advance(Duration::from_secs(6));
    assert!(has_digest_after_read().await);
}

/// New functions can run before `kiroku upgrade` has made the index.
#[tokio::test]
async fn list_without_the_index_comes_from_the_table() {
    let (service, anime) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let changes: Vec<Value> = anime.iter().map(put).collect();
    change(&service, &person, &changes).await;
    let proxy = FaultProxy::start(engine::endpoint(), 1).await;
    proxy.lack_index(true);
    let new = service.another(service.clock.clone());
    let new = new.with_functions_client(engine::client(&proxy.endpoint));
    let path = "/v1/user_story?status=1";
    assert_eq!(get(&new, &person, path).await.as_array().unwrap().len(), 2);
    change(&service, &person, &[delete(&anime[0])]).await;
    assert_eq!(get(&new, &person, path).await.as_array().unwrap().len(), 1);
}

/// A process that reads while another one imports sees every change that was confirmed before the request.
#[tokio::test]
async fn list_is_current_during_a_large_import() {
    let anime = made_up::anime(1200, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("taki").await;
    let other = service.another(service.clock.clone());
    let imported = std::sync::atomic::AtomicUsize::new(0);
    let order = std::sync::atomic::Ordering::SeqCst;
    let import = async {
        for some in anime.chunks(100) {
            let changes: Vec<Value> = some.iter().map(put).collect();
            change(&service, &person, &changes).await;
            imported.fetch_add(some.len(), order);
        }
    };
    let read = async {
        let mut cursor = None;
        let mut reported = std::collections::BTreeSet::new();
        while imported.load(order) < anime.len() {
            let before = imported.load(order);
            let path = match &cursor {
                Some(cursor) => format!("/v1/user_story/changes?since={cursor}"),
                None => "/v1/user_story/changes".to_owned(),
            };
            let feed = get(&other, &person, &path).await;
            let changes = feed["changes"].as_array().unwrap().iter();
            reported.extend(changes.map(|change| change["anime_id"].as_u64()));
            cursor = feed["cursor"].as_str().map(str::to_owned);
            assert!(
                reported.len() >= before.min(1000),
                "{} {before}",
                reported.len()
            );
        }
    };
    tokio::join!(import, read);
    let mut path = Some("/v1/user_story?status=1&per_page=100".to_owned());
    let mut listed = 0;
    while let Some(next) = path {
        let answer = other.get_as(&person.token, &next).await;
        listed += answer.data().as_array().unwrap().len();
        path = answer.next();
    }
    assert_eq!(listed, anime.len());
}

/// Rows of version 0.1.0 have neither digests nor the attribute `listed`. They are read from the table until they are
/// upgraded.
#[tokio::test]
async fn rows_of_an_earlier_version_are_upgraded() {
    engine::pause_clock();
    let anime = made_up::anime(250, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("taki").await;
    crowd::stories(&service, &person, anime.iter().map(|one| one.id)).await;
    let path = "/v1/user_story?status=1&per_page=100";
    let expected = get(&service, &person, path).await;
    assert!(expected.as_array().unwrap().len() > 40);

    let stories = StoryStore::new(&service.database());
    let filled = stories.fill_lists(false).await.unwrap();
    assert_eq!(filled.stories, 250);
    let filled = stories.fill_lists(false).await.unwrap();
    assert_eq!((filled.stories, filled.lists), (0, 0));
    let (client, meter) = metered();
    let new = service.another(service.clock.clone());
    let new = new.with_functions_client(client);
    assert_eq!(get(&new, &person, path).await, expected);
    assert!(meter.take().units < 6.0);
}

/// After a restore of the table `UserStory` alone, the digests in the table User are wrong, and processes have other
/// lists in memory.
#[tokio::test]
async fn restored_stories_are_shown_after_a_check() {
    engine::pause_clock();
    let (service, anime) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let changes: Vec<Value> = anime.iter().map(put).collect();
    change(&service, &person, &changes).await;
    let listed = async |service: &Service| {
        let list = get(service, &person, "/v1/user_story?status=1").await;
        list.as_array().unwrap().len()
    };
    assert_eq!(listed(&service).await, 2);
    let lost = json!({"user_id": person.id, "anime_id": anime[0].id});
    service.delete_row("UserStory", lost).await;

    let stories = StoryStore::new(&service.database());
    assert_eq!(stories.fill_lists(false).await.unwrap().lists, 0);
    assert_eq!(stories.fill_lists(true).await.unwrap().lists, 1);
    assert_eq!(listed(&service).await, 1);
    assert_eq!(listed(&service.another(service.clock.clone())).await, 1);
}

/// A run of the synchronization in one process changes which stories are synced. Another process shows it.
#[tokio::test]
async fn synced_stories_are_current_in_every_process() {
    let linked = Linked::with_anime(3).await;
    let person = linked.person("taki", &[A]).await;
    let service = &linked.service;
    let other = service.another(service.clock.clone());
    let synced = async |service: &Service| {
        let list = get(service, &person, "/v1/user_story?synced=true").await;
        let details = "/v1/user_story?status=0&include=details";
        let details = get(service, &person, details).await;
        let details = details.as_array().unwrap().iter();
        let synced = details.filter(|story| story["details"]["synced"] == true);
        assert_eq!(list.as_array().unwrap().len(), synced.count());
        list.as_array().unwrap().len()
    };
    for number in 0..3 {
        linked.watch(&person, number, 0, 1).await;
    }
    assert_eq!(synced(&other).await, 0);
    linked.run_later().await;
    assert_eq!(synced(&other).await, 3);
    assert_eq!(synced(service).await, 3);
    linked.watch(&person, 1, 0, 2).await;
    assert_eq!(synced(&other).await, 2);
    assert_eq!(synced(service).await, 2);
    linked.run_later().await;
    assert_eq!(synced(&other).await, 3);
    assert_eq!(synced(service).await, 3);
    // The tracker's change comes with the run.
    linked.edit(A, 2, Current, 5);
    linked.run_later().await;
    assert_eq!(synced(&other).await, 3);
    let stories = get(&other, &person, "/v1/user_story?status=0").await;
    let stories = stories.as_array().unwrap().iter();
    let episodes: u64 = stories
        .filter_map(|story| story["current_episode"].as_u64())
        .sum();
    assert_eq!(episodes, 1 + 2 + 5);
}

/// A run that was stopped loses its lease. If it goes on after the next run, and stores the response of a tracker,
/// lists in memory also show it.
#[tokio::test]
async fn answer_to_a_run_without_a_lease_is_shown() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &[A]).await;
    let other = linked.service.another(linked.service.clock.clone());
    let synced = async || {
        let list = get(&other, &person, "/v1/user_story?synced=true").await;
        list.as_array().unwrap().len()
    };
    linked.watch(&person, 0, 0, 1).await;
    let (store, now) = (linked.sync_store(), linked.service.clock.now_ms());
    let leases = linked.lease_store();
    let stopped = leases.take_lease(person.id, "stopped", now, now + 1000);
    let stopped = stopped.await.unwrap().unwrap();
    assert_eq!(synced().await, 0);
    linked.run_later().await;
    assert_eq!(synced().await, 1);
    linked.watch(&person, 0, 0, 2).await;
    assert_eq!(synced().await, 0);
    let sync_state = SyncState {
        account: VIEWER.0,
        version: 2,
        mark: SyncMark::Same,
        base: None,
    };
    let id = StoryId::of(person.id, linked.anime[0].id);
    let stored = store.store_sync_state(&stopped, id, A, sync_state);
    stored.await.unwrap();
    assert_eq!(synced().await, 1);
}
