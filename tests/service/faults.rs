//! The service over a DynamoDB in which 10 % or 45 % of all calls fail ([`tests::faults`]). Every response is right,
//! nothing is half-written, and a request that fails does so with a 503 within 4 seconds.
//!
//! The model knows for each story, account and code which states are possible: after a 503, a write may have happened
//! or not. Tokio's clock is paused, so that timeouts take no time. 400 steps are made for each rate, or as many as
//! `KIROKU_FAULT_STEPS` says, with the seed 1, or that in `KIROKU_FAULT_SEED`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use axum::http::Method;
use cli::import::{self, Progress};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use shared::http::layers::DEADLINE;
use shared::models::{Anime, AnimeStatus, PlayerKind};
use tests::assertions::AssertText;
use tests::browser::{Application, PageClient, hidden};
use tests::faults::FaultProxy;
use tests::people::{PASSWORD, Person, story_body};
use tests::players::Players;
use tests::rows::Row;
use tests::service::{Answer, Service};
use tests::{engine, made_up};
use tokio::time::{self, Instant};

/// The time within which a request fails.
const LIMIT: Duration = Duration::from_secs(4);

/// Number of anime whose stories are written one by one, and in small batches.
const ANIME: usize = 3;

/// Number of anime whose stories are written in a large batch, which takes two transactions.
const LARGE: usize = 60;

/// Number of anime whose stories another batch writes at the same time.
const OTHER: usize = 10;

/// The number of changes in the first transaction of a large batch.
const CHUNK: usize = 50;

/// A state of a story: `None` if it does not exist, or its status, episode and score.
type Story = Option<(u8, u64, u64)>;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// An account for which a registration may have succeeded.
struct Account {
    /// The possible states: true if the account exists.
    possible: Vec<bool>,
}

/// The service, and what is known about it.
struct Model {
    service: Service,
    /// The same service without faults.
    sound: Service,
    proxy: FaultProxy,
    rng: StdRng,
    anime: Vec<Anime>,
    person: Person,
    /// The cookies of the person's browser.
    cookies: BTreeMap<String, String>,
    application: Application,
    /// The path of the address of a player.
    address: String,
    stories: Vec<Vec<Story>>,
    /// A copy of the stories that follows the change feed, and its cursor.
    replica: BTreeMap<u64, Story>,
    cursor: Option<String>,
    accounts: BTreeMap<String, Account>,
    /// The number of requests with each status.
    statuses: BTreeMap<u16, u32>,
    longest: Duration,
}

impl Model {
    async fn new(seed: u64) -> Self {
        let proxy = FaultProxy::start(engine::endpoint(), seed).await;
        let sound = Service::empty().await;
        let mut anime = made_up::anime(u32::try_from(ANIME + LARGE + OTHER).unwrap(), 1);
        for anime in &mut anime {
            anime.episodes_count = 12;
        }
        sound.put(&anime).await;
        sound.publish().await;
        let person = sound.person("mitsuha").await;
        let application = sound.web_application(&person).await;
        let cookies = PageClient::signed_in(&sound, &person).await.cookies;
        let players = Players {
            service: sound.another(sound.clock.clone()),
            person: person.clone(),
        };
        let address = players.add(PlayerKind::Other, "laptop").await;
        let mut environment = sound.environment.clone();
        environment.database.client = engine::short_timeout_client(&proxy.endpoint);
        let service = Service {
            router: sound.router.clone(),
            client: sound.client.clone(),
            tables: sound.tables.clone(),
            clock: sound.clock.clone(),
            environment: sound.environment.clone(),
            mail: tempfile::tempdir().unwrap(),
        };
        Self {
            service: service.with_environment(environment),
            sound,
            proxy,
            rng: StdRng::seed_from_u64(seed),
            stories: vec![vec![None]; ANIME],
            replica: BTreeMap::new(),
            cursor: None,
            anime,
            person,
            cookies,
            application,
            address,
            accounts: BTreeMap::new(),
            statuses: BTreeMap::new(),
            longest: Duration::ZERO,
        }
    }

    /// Waits for a request, and checks the rules of every response. Returns its status and data.
    async fn check(&mut self, began: Instant, answer: Answer, what: &str) -> (u16, Value) {
        let status = self.check_status(began, &answer, what).await;
        let body = answer.json();
        if status == 503 {
            // At the token endpoint, the message is the same for all errors.
            let message = body["message"].as_str().unwrap();
            assert!(
                ["Service unavailable", "Request refused"].contains(&message),
                "{what}"
            );
            assert_eq!(body["status_code"], 503, "{what}");
        }
        (status, body["data"].clone())
    }

    /// Waits for a request, and checks the rules of every response but those of its body. Returns its status.
    async fn check_status(&mut self, began: Instant, answer: &Answer, what: &str) -> u16 {
        let took = began.elapsed();
        let status = answer.status.as_u16();
        self.longest = self.longest.max(took);
        assert!(took <= DEADLINE, "{what}: {status} after {took:?}");
        *self.statuses.entry(status).or_default() += 1;
        if status == 503 {
            assert!(took <= LIMIT, "{what}: after {took:?}");
            assert!(!answer.header("retry-after").is_empty(), "{what}");
        }
        // The status is never 500: a failure of DynamoDB is not reported as a fault of the service.
        assert!(
            [200, 303, 400, 401, 404, 409, 503].contains(&status),
            "{what}: {}",
            answer.text()
        );
        self.proxy.settle().await;
        status
    }

    async fn send(&mut self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let began = Instant::now();
        let token = &self.person.token;
        let answer = match &body {
            Some(body) => {
                self.service
                    .json(method.clone(), path, Some(token), body)
                    .await
            }
            None => self.service.with_token(method.clone(), path, token).await,
        };
        self.check(began, answer, &format!("{method} {path}")).await
    }

    async fn step(&mut self) {
        match self.rng.random_range(0..35) {
            0..5 => self.create_story().await,
            5..9 => self.update_story().await,
            9..11 => self.delete_story().await,
            11..13 => self.read_story().await,
            13 => self.list_stories().await,
            14 => self.list_anime().await,
            15..17 => self.register().await,
            17..19 => self.sign_in().await,
            19..22 => self.change_stories().await,
            22..25 => self.follow_feed().await,
            25..27 => self.change_many_stories().await,
            27..30 => self.save_on_the_page().await,
            30..34 => self.report_playback().await,
            _ => self.exchange_code().await,
        }
    }

    fn any_story(&mut self) -> (usize, (u8, u64, u64)) {
        // CURRENT, DROPPED and PAUSED: the service does not change the episode of these.
        let status = [0, 3, 4][self.rng.random_range(0..3)];
        let episode = self.rng.random_range(0..=12);
        let score = self.rng.random_range(1..=100);
        (self.rng.random_range(0..ANIME), (status, episode, score))
    }

    /// Keeps the possible states of a story for which `is_possible` returns true. One must be left.
    fn narrow(&mut self, number: usize, is_possible: impl Fn(&Story) -> bool, what: &str) {
        let before = self.stories[number].clone();
        self.stories[number].retain(is_possible);
        assert!(
            !self.stories[number].is_empty(),
            "{what}: {before:?} was possible"
        );
    }

    async fn create_story(&mut self) {
        let (number, story) = self.any_story();
        let body = json!({"anime_id": self.anime[number].id, "user_id": self.person.id,
            "status": story.0, "current_episode": story.1, "current_episode_ticks": 1000,
            "details": {"score": story.2}});
        let (status, data) = self.send(Method::PUT, "/v1/user_story", Some(body)).await;
        match status {
            200 => {
                self.narrow(number, Option::is_none, "created");
                assert_eq!(data["current_episode"], story.1);
                self.stories[number] = vec![Some(story)];
            }
            409 => self.narrow(number, Option::is_some, "exists already"),
            503 if self.stories[number].contains(&None) => self.stories[number].push(Some(story)),
            503 => {}
            _ => panic!("{status} {data}"),
        }
    }

    async fn update_story(&mut self) {
        let (number, story) = self.any_story();
        let mut body = story_body(&self.person, &self.anime[number], story.0, story.1);
        body["details"] = json!({"score": story.2});
        let (status, data) = self.send(Method::POST, "/v1/user_story", Some(body)).await;
        match status {
            200 => {
                self.narrow(number, Option::is_some, "updated");
                assert_eq!(data["current_episode"], story.1);
                self.stories[number] = vec![Some(story)];
            }
            404 => self.narrow(number, Option::is_none, "not found for the update"),
            503 if self.stories[number].iter().any(Option::is_some) => {
                self.stories[number].push(Some(story));
            }
            503 => {}
            _ => panic!("{status} {data}"),
        }
    }

    /// Saves a story with the form on the page of its anime, which refuses a story that is not as the page showed it.
    async fn save_on_the_page(&mut self) {
        let (number, story) = self.any_story();
        let path = format!("/anime/{}", self.anime[number].id.get());
        let (status, page) = self.visit(&path, None).await;
        // Without the session, the page is that of a visitor who is signed out.
        let Some(entry) = hidden(&page, "entry").filter(|_| status == 200) else {
            assert!([200, 503].contains(&status), "{status}");
            return;
        };
        let is_shown = !entry.ends_with(':');
        self.narrow(number, |story| story.is_some() == is_shown, "on the page");
        let fields = [
            ("status", story.0.to_string()),
            ("current_episode", story.1.to_string()),
            ("score", story.2.to_string()),
            ("started_on", String::new()),
            ("finished_on", String::new()),
            ("repeats", "0".to_owned()),
            ("notes", String::new()),
        ];
        let (status, answer) = self.visit("/list/save", Some((&page, &fields))).await;
        match status {
            303 => {
                let location = answer.header("location");
                location.assert_has(&path);
                self.stories[number] = vec![Some(story)];
            }
            503 => self.stories[number].push(Some(story)),
            _ => panic!("{status} {}", answer.text()),
        }
    }

    /// Reports an episode that was watched to its end, with the token or at the address of a player.
    async fn report_playback(&mut self) {
        let number = self.rng.random_range(0..ANIME);
        let episode = self.rng.random_range(1..=12);
        let body = json!({"anime_id": self.anime[number].id, "episode": episode});
        let at_address = self.rng.random_bool(0.5);
        let path = if at_address {
            self.address.clone()
        } else {
            "/v1/playback".to_owned()
        };
        // An address takes 60 messages in a minute.
        self.service.clock.advance(Duration::from_secs(1));
        let (status, data) = self.send(Method::POST, &path, Some(body)).await;
        let is_new = |story: &Story| story.is_none_or(|(_, watched, _)| watched < episode);
        let is_last = episode == 12 && self.anime[number].status == AnimeStatus::Finished;
        let after = |story: &Story| {
            let score = story.map_or(0, |(_, _, score)| score);
            Some((if is_last { 2 } else { 0 }, episode, score))
        };
        let new = self.stories[number].iter().filter(|story| is_new(story));
        let new: Vec<Story> = new.map(after).collect();
        match (status, data["applied"].as_bool()) {
            (200, Some(true)) => {
                self.narrow(number, is_new, "watched");
                self.stories[number] = new;
            }
            (200, Some(false)) => {
                assert_eq!(data["reason"], "already_watched");
                self.narrow(number, |story| !is_new(story), "already watched");
            }
            (503, _) => self.stories[number].extend(new),
            _ => panic!("{status} {data}"),
        }
    }

    /// Opens a page in the person's browser, or submits a form of a page.
    async fn visit(
        &mut self,
        path: &str,
        form: Option<(&Answer, &[(&str, String)])>,
    ) -> (u16, Answer) {
        let began = Instant::now();
        let mut browser = PageClient::new(&self.service);
        browser.cookies.clone_from(&self.cookies);
        let answer = match form {
            Some((page, fields)) => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(name, value)| (*name, &**value))
                    .collect();
                browser.submit(page, path, &fields).await
            }
            None => browser.get(path).await,
        };
        let status = self.check_status(began, &answer, path).await;
        (status, answer)
    }

    fn story_path(&self, number: usize) -> String {
        format!("/v1/user_story/{}", self.person.story(&self.anime[number]))
    }

    async fn delete_story(&mut self) {
        let number = self.rng.random_range(0..ANIME);
        let path = self.story_path(number);
        let (status, data) = self.send(Method::DELETE, &path, None).await;
        match status {
            200 => {
                self.narrow(number, Option::is_some, "deleted");
                self.stories[number] = vec![None];
            }
            404 => self.narrow(number, Option::is_none, "not found for the deletion"),
            503 => self.stories[number].push(None),
            _ => panic!("{status} {data}"),
        }
    }

    async fn read_story(&mut self) {
        let number = self.rng.random_range(0..ANIME);
        let path = format!("{}?include=details", self.story_path(number));
        let (status, data) = self.send(Method::GET, &path, None).await;
        match status {
            200 => self.narrow(number, |story| *story == state_of(&data), "read"),
            404 => self.narrow(number, Option::is_none, "not found"),
            503 => {}
            _ => panic!("{status} {data}"),
        }
    }

    async fn list_stories(&mut self) {
        let path = "/v1/user_story?include=details";
        let (status, data) = self.send(Method::GET, path, None).await;
        if status == 200 {
            self.check_list(&data);
        } else {
            assert_eq!(status, 503);
        }
    }

    fn check_list(&mut self, data: &Value) {
        let rows = data.as_array().unwrap();
        for number in 0..ANIME {
            let id = self.person.story(&self.anime[number]);
            let mut found = rows.iter().filter(|row| row["id"] == id);
            let listed = found.next().and_then(state_of);
            assert!(found.next().is_none(), "{data}");
            self.narrow(number, |story| *story == listed, "listed");
        }
    }

    /// Returns the stories as they are, without faults.
    async fn true_stories(&self) -> Vec<Story> {
        let path = "/v1/user_story?include=details";
        let token = &self.person.token;
        let listed = self.sound.get_as(token, path).await.data();
        let story = |anime: &Anime| {
            let id = self.person.story(anime);
            let mut rows = listed.as_array().unwrap().iter();
            rows.find(|row| row["id"] == id).and_then(state_of)
        };
        self.anime.iter().map(story).collect()
    }

    /// Changes several stories. All changes of such a small batch are made, or none is.
    async fn change_stories(&mut self) {
        let before = self.true_stories().await;
        let mut after = before.clone();
        after.truncate(ANIME);
        let mut changes = Vec::new();
        for (number, story) in after.iter_mut().enumerate() {
            let (_, (status, episode, score)) = self.any_story();
            let anime_id = self.anime[number].id;
            *story = self
                .rng
                .random_bool(0.7)
                .then_some((status, episode, score));
            changes.push(match story {
                Some(_) => json!({"op": "put", "anime_id": anime_id, "status": status, "current_episode": episode,
                    "details": {"score": score}}),
                None => json!({"op": "delete", "anime_id": anime_id}),
            });
        }
        let body = json!({ "changes": changes });
        let path = "/v1/user_story/batch";
        let (status, data) = self.send(Method::POST, path, Some(body)).await;
        let mut now = self.true_stories().await;
        now.truncate(ANIME);
        match status {
            200 => {
                assert_eq!(now, after);
                for (number, result) in data.as_array().unwrap().iter().enumerate() {
                    let is_missing = after[number].is_none() && before[number].is_none();
                    let expected = if is_missing { 404 } else { 200 };
                    assert_eq!(result["status_code"], expected, "{result}");
                }
            }
            503 => assert!(
                now == before[..ANIME] || now == after,
                "{before:?} {after:?} {now:?}"
            ),
            _ => panic!("{status} {data}"),
        }
        for (number, story) in now.into_iter().enumerate() {
            self.narrow(number, |story| *story == before[number], "before a batch");
            self.stories[number] = vec![story];
        }
    }

    /// Changes many stories in two requests at the same time. The changes of a transaction are made together or not at
    /// all, and the second transaction of a batch follows the first.
    async fn change_many_stories(&mut self) {
        let before = self.true_stories().await;
        let (_, (status, episode, score)) = self.any_story();
        let new = Some((status, episode, score));
        let body = |anime: &[Anime]| {
            let change = |anime: &Anime| {
                json!({"op": "put", "anime_id": anime.id, "status": status, "current_episode": episode,
                    "details": {"score": score}})
            };
            json!({ "changes": anime.iter().map(change).collect::<Vec<_>>() })
        };
        let (large, other) = self.anime[ANIME..].split_at(LARGE);
        let (large, other) = (body(large), body(other));
        let path = "/v1/user_story/batch";
        let began = Instant::now();
        let (large, other) = tokio::join!(
            self.service.post_as(&self.person.token, path, &large),
            self.service.post_as(&self.person.token, path, &other)
        );
        let large = self.check(began, large, "a large batch").await.0;
        let other = self.check(began, other, "another batch").await.0;
        let now = self.true_stories().await;
        let [first, second, third] = [
            ANIME..ANIME + CHUNK,
            ANIME + CHUNK..ANIME + LARGE,
            ANIME + LARGE..ANIME + LARGE + OTHER,
        ]
        .map(|range| {
            let is_made = now[range.clone()].iter().all(|story| *story == new);
            assert!(is_made || now[range.clone()] == before[range], "{now:?}");
            is_made
        });
        assert!(first || !second, "{now:?}");
        assert!(large == 503 || (large, first, second) == (200, true, true));
        assert!(other == 503 || (other, third) == (200, true));
    }

    /// Applies the changes since the last poll to the replica, which is then equal to the stories.
    async fn follow_feed(&mut self) {
        let query = self
            .cursor
            .as_ref()
            .map(|cursor| format!("&since={cursor}"));
        let query = query.unwrap_or_default();
        let path = format!("/v1/user_story/changes?include=details{query}");
        let (status, data) = self.send(Method::GET, &path, None).await;
        match status {
            200 => self.apply(&data).await,
            503 => {}
            _ => panic!("{status} {data}"),
        }
    }

    async fn apply(&mut self, feed: &Value) {
        let changes = feed["changes"].as_array().unwrap();
        let ids: BTreeSet<u64> = changes
            .iter()
            .filter_map(|change| change["id"].as_u64())
            .collect();
        assert_eq!((ids.len(), &feed["more"]), (changes.len(), &json!(false)));
        for change in changes {
            let id = change["id"].as_u64().unwrap();
            let story = state_of(&change["story"]);
            assert_eq!(change["deleted"], story.is_none());
            self.replica.insert(id, story);
        }
        self.cursor = feed["cursor"].as_str().map(str::to_owned);
        for number in 0..ANIME {
            let id = self.person.story(&self.anime[number]);
            let copied = self.replica.get(&id).copied().flatten();
            self.narrow(number, |story| *story == copied, "the replica");
        }
        let truth = self.true_stories().await;
        for (anime, story) in self.anime.iter().zip(truth).skip(ANIME) {
            let copied = self.replica.get(&self.person.story(anime));
            assert_eq!(copied.copied().flatten(), story, "the replica");
        }
    }

    async fn list_anime(&mut self) {
        self.service.let_index_age();
        let (status, data) = self.send(Method::GET, "/v1/anime", None).await;
        assert!(
            status == 503
                || (status, data.as_array().map(Vec::len)) == (200, Some(self.anime.len()))
        );
    }

    /// Registers a new account, or repeats a registration that has failed.
    async fn register(&mut self) {
        // The pause keeps the registrations below the limit of a network.
        self.service.clock.advance(Duration::from_mins(10));
        let count = self.accounts.len();
        let name = format!(
            "user{}",
            self.rng.random_range(count.saturating_sub(3)..=count)
        );
        let began = Instant::now();
        let answer = self.service.register(&name).await;
        let (status, data) = self.check(began, answer, "register").await;
        let account = self.accounts.entry(name.clone()).or_insert(Account {
            possible: vec![false],
        });
        match status {
            200 => {
                assert!(account.possible.contains(&false), "{name} exists");
                assert_eq!(data["user"]["username"], name);
                account.possible = vec![true];
            }
            409 => {
                assert!(account.possible.contains(&true), "{name} is not taken");
                account.possible = vec![true];
            }
            503 if !account.possible.contains(&true) => account.possible.push(true),
            503 => {}
            _ => panic!("{status} {data}"),
        }
    }

    async fn sign_in(&mut self) {
        self.service.clock.advance(Duration::from_mins(10));
        let count = self.accounts.len();
        let name = format!(
            "user{}",
            self.rng.random_range(count.saturating_sub(3)..=count)
        );
        let is_right = self.rng.random_bool(0.7);
        let password = if is_right {
            PASSWORD
        } else {
            "not the password"
        };
        let body = json!({"username": name, "password": password});
        let began = Instant::now();
        let answer = self
            .service
            .json(Method::POST, "/v1/auth/login", None, &body)
            .await;
        let (status, data) = self.check(began, answer, "sign in").await;
        let unknown = || Account {
            possible: vec![false],
        };
        let account = self.accounts.entry(name.clone()).or_insert_with(unknown);
        match status {
            200 => {
                assert!(
                    is_right && account.possible.contains(&true),
                    "{name}: {data}"
                );
                account.possible = vec![true];
            }
            401 if is_right => {
                assert!(account.possible.contains(&false), "{name} was refused");
                account.possible = vec![false];
            }
            401 | 503 => {}
            _ => panic!("{status} {data}"),
        }
    }

    /// Exchanges a code until the response is not a 503. A code that is used twice revokes its token.
    async fn exchange_code(&mut self) {
        let mut browser = PageClient::signed_in(&self.sound, &self.person).await;
        let code = browser.allow(&self.application, &[]).await;
        let form = self.application.exchange(code.code());
        let form: Vec<(String, String)> = form
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let form: Vec<(&str, &str)> = form.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let mut failed = 0;
        let token = loop {
            let began = Instant::now();
            let answer = self.service.form("/v1/oauth/token", &form).await;
            let (status, data) = self.check(began, answer, "exchange").await;
            match status {
                200 => break data,
                503 => failed += 1,
                // The exchange may have happened in a request that failed.
                400 if failed > 0 => return,
                _ => panic!("{status} {data}"),
            }
        };
        let token = token.as_str().unwrap();
        let is_usable = async || {
            let answer = self.sound.get_as(token, "/v1/auth/me").await;
            answer.status == 200
        };
        assert!(is_usable().await);
        let again = self.sound.form("/v1/oauth/token", &form).await;
        assert_eq!((again.status.as_u16(), is_usable().await), (400, false));
    }

    /// Checks that the tables agree with the model and with each other.
    async fn check_tables(&mut self) {
        let token = &self.person.token;
        let all = self
            .sound
            .get_as(token, "/v1/user_story?include=details")
            .await;
        self.check_list(&all.data());
        self.follow_feed().await;
        for (name, account) in &self.accounts {
            let body = json!({"username": name, "password": PASSWORD});
            self.sound.clock.advance(Duration::from_mins(10));
            let answer = self
                .sound
                .json(Method::POST, "/v1/auth/login", None, &body)
                .await;
            let exists = answer.status == 200;
            assert!(account.possible.contains(&exists), "{name}: {answer:?}");
        }
        let rows = async |table: &str| self.sound.rows(table).await;
        let text = |row: &Row, name: &str| {
            let value = row.get(name)?;
            value.as_n().or_else(|_| value.as_s()).ok().cloned()
        };
        // Each user has both unique values, and no other user or value is left.
        let mut expected = Vec::new();
        for user in rows("User").await {
            let id = text(&user, "id");
            let name = text(&user, "username_folded").unwrap();
            expected.push((format!("username#{name}"), id.clone()));
            expected.push((format!("email#{}", text(&user, "email").unwrap()), id));
        }
        let unique = rows("Unique").await.into_iter();
        let unique = unique.map(|row| (text(&row, "value").unwrap(), text(&row, "user_id")));
        let mut unique: Vec<_> = unique
            .filter(|(value, _)| value != "counter#user")
            .collect();
        unique.sort();
        expected.sort();
        assert_eq!(unique, expected);
        self.sound.assert_declared_attributes().await;
    }
}

fn state_of(row: &Value) -> Story {
    let status = u8::try_from(row["status"].as_u64()?).ok()?;
    let score = row["details"]["score"].as_f64().unwrap_or_default();
    // The score is a whole number.
    let score = format!("{score}").parse().ok()?;
    Some((status, row["current_episode"].as_u64()?, score))
}

async fn model_at(percent: u32) {
    // With an engine in another process, all timeouts would take their time.
    if !engine::is_embedded() {
        return;
    }
    let seed = setting("KIROKU_FAULT_SEED", 1);
    let mut model = Box::pin(Model::new(seed)).await;
    engine::pause_clock();
    model.proxy.fail(percent);
    for _ in 0..setting("KIROKU_FAULT_STEPS", 400) {
        model.step().await;
    }
    model.proxy.fail(0);
    let statuses = &model.statuses;
    println!(
        "{percent} %: {statuses:?}, {} faults, longest {:?}",
        model.proxy.failed(),
        model.longest
    );
    assert!(
        statuses[&200] > 0 && model.proxy.failed() > 0,
        "{statuses:?}"
    );
    model.check_tables().await;
}

#[tokio::test]
async fn no_response_is_wrong_when_a_tenth_of_the_calls_fails() {
    Box::pin(model_at(10)).await;
}

#[tokio::test]
async fn no_response_is_wrong_when_half_of_the_calls_fails() {
    Box::pin(model_at(45)).await;
}

/// An import that is repeated until it succeeds leads to the same rows as an import without faults. Until then, each
/// row is that of one of the two files.
#[tokio::test]
async fn interrupted_imports_leave_whole_rows_and_can_be_completed() {
    // With an engine in another process, all timeouts would take their time.
    if !engine::is_embedded() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, title: &str| {
        let lines: Vec<String> = (1..=60)
            .map(|id| {
                let line = json!({"sources": [format!("https://anilist.co/anime/{id}")],
                    "title": format!("{title} {id}"),
                    "type": "TV", "episodes": 12, "status": "FINISHED", "synonyms": [format!("{title} synonym")],
                    "animeSeason": {"season": "SPRING", "year": 2001}, "tags": []});
                line.to_string()
            })
            .collect();
        let path = folder.path().join(name);
        std::fs::write(&path, lines.join("\n")).unwrap();
        path
    };
    let files = [file("one.jsonl", "One"), file("two.jsonl", "Two")];
    let rows = async |service: &Service| service.documents::<Anime>().await;
    let progress = Progress::hidden();
    let reference = Service::empty().await;
    let mut expected = Vec::new();
    for file in &files {
        let database = &reference.database();
        import::import_anime(file, None, database, &progress)
            .await
            .unwrap();
        expected.push(rows(&reference).await);
    }
    for percent in [10, 45] {
        let proxy = FaultProxy::start(engine::endpoint(), 1).await;
        let service = Service::empty().await;
        let database = service.database_with(engine::short_timeout_client(&proxy.endpoint));
        engine::pause_clock();
        let mut before: &[Anime] = &[];
        for (file, expected) in files.iter().zip(&expected) {
            loop {
                proxy.fail(percent);
                let done = import::import_anime(file, None, &database, &progress).await;
                proxy.fail(0);
                proxy.settle().await;
                let now = rows(&service).await;
                if done.is_ok() {
                    assert!(now == *expected);
                    break;
                }
                assert!(
                    now.iter()
                        .all(|row| before.contains(row) || expected.contains(row))
                );
            }
            before = expected;
        }
        assert!(proxy.failed() > 0);
        time::resume();
    }
}
