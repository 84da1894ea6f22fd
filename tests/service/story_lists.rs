//! Lists of stories in the memory of processes (docs/data-model.md, "List versions"). No process shows an old list, in
//! whatever order several processes, one with a clock that is behind and one of an earlier version of the service, write
//! and read.
//!
//! `KIROKU_LIST_STEPS` steps are made for each seed from 1 to `KIROKU_LIST_SEEDS`.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::models::Anime;
use tests::engine;
use tests::faults::FaultProxy;
use tests::made_up;
use tests::people::Person;
use tests::service::Service;

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
    /// The first process works without faults, and is the one with which the test prepares.
    processes: Vec<Process>,
    proxy: FaultProxy,
    person: Person,
    anime: Vec<Anime>,
    rng: StdRng,
}

impl Model {
    async fn new(seed: u64) -> Self {
        let anime = made_up::anime(ANIME, 1);
        let service = Service::with_catalogue(&anime, &[]).await;
        let person = service.person("taki").await;
        let behind = Clock::manual(service.clock.now_ms() - 3_600_000);
        let another = service.another(behind);
        let proxy = FaultProxy::start(engine::endpoint(), seed).await;
        let failing = service.another(service.clock.clone());
        let failing = failing.with_functions_client(engine::client(&proxy.endpoint));
        Self {
            processes: [service, another, failing].map(Process::new).into(),
            proxy,
            person,
            anime,
            rng: StdRng::seed_from_u64(seed),
        }
    }

    fn below(&mut self, count: usize) -> usize {
        self.rng.random_range(0..count)
    }

    /// The stories as the table has them.
    async fn stored(&self) -> List {
        let service = &self.processes[0].service;
        let rows = service
            .client
            .query()
            .table_name(service.tables.of("UserStory"))
            .key_condition_expression("user_id = :user")
            .expression_attribute_values(
                ":user",
                AttributeValue::N(self.person.id.get().to_string()),
            )
            .consistent_read(true)
            .into_paginator()
            .items()
            .send();
        let rows = rows.collect::<Result<Vec<_>, _>>().await.unwrap();
        let number = |value: &AttributeValue| value.as_n().unwrap().parse::<u64>().unwrap();
        rows.iter()
            .filter(|row| !row.contains_key("deleted_at"))
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
            changes.push(if self.below(4) == 0 {
                json!({"op": "delete", "anime_id": anime})
            } else {
                json!({"op": "put", "anime_id": anime, "status": [0, 1, 3, 4][self.below(4)]})
            });
        }
        let body = json!({ "changes": changes });
        let service = &self.processes[process].service;
        let answer = service.json(
            Method::POST,
            "/v1/user_story/batch",
            Some(&self.person.token),
            &body,
        );
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
        let (user, tables) = (self.person.id.get().to_string(), &service.tables);
        let row = service.client.get_item().table_name(tables.of("User"));
        let row = row
            .key("id", AttributeValue::N(user.clone()))
            .consistent_read(true);
        let row = row.send().await.unwrap().item.unwrap();
        let last: u64 = row["last_change_number"].as_n().unwrap().parse().unwrap();
        let number = AttributeValue::N((last + 1000).to_string());
        let status = AttributeValue::N([0, 1, 3, 4][self.rng.random_range(0..4)].to_string());
        let story = service
            .client
            .update_item()
            .table_name(tables.of("UserStory"));
        let story = story
            .key("user_id", AttributeValue::N(user.clone()))
            .key("anime_id", AttributeValue::N(anime.to_string()))
            .update_expression("SET #status = :status, change_number = :number ADD version :one")
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":status", status)
            .expression_attribute_values(":number", number.clone())
            .expression_attribute_values(":one", AttributeValue::N("1".to_owned()));
        story.send().await.unwrap();
        let owner = service.client.update_item().table_name(tables.of("User"));
        let owner = owner
            .key("id", AttributeValue::N(user))
            .update_expression("SET last_change_number = :number")
            .expression_attribute_values(":number", number);
        owner.send().await.unwrap();
    }

    /// Reads the list of a process in several ways, and compares each with the table.
    async fn check(&mut self, process: usize, step: u64) {
        let stored = self.stored().await;
        let what = format!("process {process}, step {step}");
        let token = &self.person.token;
        let one = &mut self.processes[process];
        let get = async |path: &str| {
            let answer = one.service.with_token(Method::GET, path, token).await;
            (answer.status == 200).then(|| answer.data())
        };
        let mut listed = List::new();
        for status in 0..6 {
            let path = format!("/v1/user_story?status={status}");
            let Some(page) = get(&path).await else { return };
            listed.extend(page.as_array().unwrap().iter().map(entry));
        }
        assert_eq!(listed, stored, "lists by status of {what}");
        loop {
            let since = one.cursor.as_ref().map(|cursor| format!("?since={cursor}"));
            let path = format!("/v1/user_story/changes{}", since.unwrap_or_default());
            let answer = one.service.with_token(Method::GET, &path, token).await;
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
            model.proxy.fail(if model.below(3) == 0 { 20 } else { 0 });
            match model.below(12) {
                0 => model.write_as_before().await,
                1 => {
                    // A new process has nothing in memory.
                    let one = &mut model.processes[process];
                    let restarted = one.service.another(one.service.clock.clone());
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
    }
}
