//! Pages of a list in processes that keep what they have computed of it (docs/pages.md, "Pages of a list").
//! After any change of the list or the catalogue, each page is the one that a new process shows.
//!
//! `KIROKU_PAGE_STEPS` steps are made for each seed from 1 to `KIROKU_PAGE_SEEDS`.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::StatusCode;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use shared::models::{Anime, AnimeId};
use tests::browser::{PageClient, query};
use tests::people::Person;
use tests::service::Service;
use tests::units::metered;
use tests::{engine, made_up};

/// Number of anime. The list of a user has about two pages.
const ANIME: u32 = 120;

/// The parameters of the list, each with values.
const PARAMETERS: [(&str, &[&str]); 11] = [
    ("status", &["0", "1", "2", "5"]),
    (
        "sort",
        &[
            "title", "score", "progress", "started", "finished", "airing", "changed",
        ],
    ),
    ("genre", &["Action", "Sci-Fi", "Sports", "Unknown"]),
    ("search", &["star", "re zero", "!"]),
    ("order", &["asc", "desc"]),
    ("format", &["0", "2"]),
    ("season", &["0", "3"]),
    ("year", &["2016", "2023"]),
    ("score", &["50", "90"]),
    ("view", &["rows", "covers"]),
    ("page", &["2", "3"]),
];

/// Languages of browsers, which decide the titles by which entries are sorted.
const LANGUAGES: [&str; 3] = ["", "ja", "fr, ja;q=0.5"];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// Returns anime with relations to others, so that there are suggestions.
fn related_anime(seed: u64) -> Vec<Anime> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut anime = made_up::anime(ANIME, seed);
    for one in &mut anime {
        let mut other = || AnimeId::new(rng.random_range(1..=u64::from(ANIME)));
        one.prequel = other();
        one.recommendations = Some([other(), other(), other()].into_iter().flatten().collect());
    }
    anime
}

/// Returns a page without the tokens of its forms, which are random.
fn without_tokens(page: &str) -> String {
    let mut parts = page.split("name=\"csrf\" value=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('"').unwrap().1)
}

struct Model {
    /// Processes that have shown pages before. The first one writes.
    warm: [Service; 2],
    person: Person,
    cookies: BTreeMap<String, String>,
    anime: Vec<Anime>,
    rng: StdRng,
}

impl Model {
    async fn new(seed: u64) -> Self {
        let anime = related_anime(seed);
        let service = Service::with_catalogue(&anime, &[]).await;
        let person = service.person("taki").await;
        let cookies = PageClient::signed_in(&service, &person).await.cookies;
        let other = service.another(service.clock.clone());
        Self {
            warm: [service, other],
            person,
            cookies,
            anime,
            rng: StdRng::seed_from_u64(seed),
        }
    }

    fn below(&mut self, count: usize) -> usize {
        self.rng.random_range(0..count)
    }

    /// Returns a random change of a story.
    fn change(&mut self) -> Value {
        let anime = 1 + self.below(ANIME as usize);
        if self.below(5) == 0 {
            return json!({"op": "delete", "anime_id": anime});
        }
        let (status, day) = (self.below(6), 1 + self.below(28));
        let mut details = json!({"started_on": format!("2016-08-{day:02}")});
        if self.below(2) == 0 {
            details["score"] = json!(1 + self.below(100));
        }
        json!({"op": "put", "anime_id": anime, "status": status, "details": details})
    }

    async fn change_stories(&mut self, count: usize) {
        // A story has one change in a batch.
        let changes = (0..count).map(|_| self.change());
        let changes: BTreeMap<u64, Value> = changes
            .map(|change| (change["anime_id"].as_u64().unwrap(), change))
            .collect();
        self.send(changes.into_values().collect()).await;
    }

    async fn send(&self, changes: Vec<Value>) {
        let body = json!({ "changes": changes });
        let batch = self.warm[0].post_as(&self.person.token, "/v1/user_story/batch", &body);
        let answer = batch.await;
        answer.assert_status(200);
    }

    /// Gives an anime another genre, status and title, and publishes the catalogue.
    async fn change_catalogue(&mut self) {
        let position = self.below(self.anime.len());
        let other = self.below(self.anime.len());
        let other = self.anime[other].clone();
        let changed = &mut self.anime[position];
        changed.genres = other.genres;
        changed.status = other.status;
        changed.titles = other.titles;
        let changed = changed.clone();
        self.warm[0].put(&[changed]).await;
        self.warm[0].publish().await;
        self.warm[0].let_index_age();
    }

    /// Returns a random address of a page with the list.
    fn address(&mut self) -> String {
        match self.below(6) {
            0 => return "/".to_owned(),
            1 => return "/calendar".to_owned(),
            _ => {}
        }
        let mut parameters = Vec::new();
        for (name, values) in PARAMETERS {
            // Most requests have few parameters.
            if self.below(if name == "sort" { 2 } else { 4 }) == 0 {
                let value = values.choose(&mut self.rng).unwrap();
                parameters.push((name, *value));
            }
        }
        format!("/list?{}", query(&parameters))
    }

    async fn page(&self, service: &Service, address: &str, languages: &'static str) -> String {
        let mut browser = PageClient::new(service);
        browser.cookies.clone_from(&self.cookies);
        browser.languages = languages;
        let page = browser.get(address).await;
        assert_eq!(page.status, StatusCode::OK, "{address}: {}", page.text());
        without_tokens(&page.text())
    }

    async fn suggestions(&self, service: &Service) -> Value {
        let path = format!("/v1/user/{}/suggestions", self.person.id.get());
        let answer = service.get_as(&self.person.token, &path);
        answer.await.data()
    }

    async fn check(&mut self, step: u64) {
        let new = self.warm[0].another(self.warm[0].clock.clone());
        for _ in 0..3 {
            let address = self.address();
            let languages = LANGUAGES[self.below(LANGUAGES.len())];
            let expected = self.page(&new, &address, languages).await;
            for warm in &self.warm {
                let page = self.page(warm, &address, languages).await;
                assert!(
                    page == expected,
                    "step {step}, {address}:\n{page}\nis not\n{expected}"
                );
            }
        }
        let expected = self.suggestions(&new).await;
        for warm in &self.warm {
            assert_eq!(self.suggestions(warm).await, expected, "step {step}");
        }
    }
}

#[tokio::test]
async fn pages_are_those_of_a_new_process() {
    for seed in 1..=setting("KIROKU_PAGE_SEEDS", 2) {
        let mut model = Model::new(seed).await;
        for step in 0..setting("KIROKU_PAGE_STEPS", 20) {
            model.warm[0].clock.advance(Duration::from_secs(1));
            let count = match model.below(8) {
                0 => 60,
                1 => 5,
                _ => 1,
            };
            match model.below(8) {
                0 => model.change_catalogue().await,
                _ => model.change_stories(count).await,
            }
            model.check(step).await;
        }
    }
}

/// A process that has shown a page reads only the session, the account, the questions, and stories that other processes
/// have changed.
#[tokio::test]
async fn page_costs_the_stories_that_have_changed() {
    let mut model = Model::new(3).await;
    model.change_stories(60).await;
    let (client, meter) = metered();
    let reader = model.warm[0].another(model.warm[0].clock.clone());
    let reader = reader.with_functions_client(client);
    for path in ["/list?sort=title", "/", "/calendar"] {
        let put = |status: u8| json!({"op": "put", "anime_id": 1, "status": status});
        model.send(vec![put(4)]).await;
        model.page(&reader, path, "").await;
        let _ = meter.take();
        model.page(&reader, path, "").await;
        let warm = meter.take();
        // Neither status shows the anime on another page or suggests others.
        model.send(vec![put(3)]).await;
        model.page(&reader, path, "").await;
        let changed = meter.take();
        assert_eq!(changed.calls, warm.calls + 1, "{path}");
        if engine::is_embedded() {
            assert!(warm.units < 3.0, "{path}: {warm:?}");
            let more = changed.units - warm.units;
            assert!((more - 1.0).abs() < f64::EPSILON, "{path}: {changed:?}");
        }
    }
}
