//! Measures a list and an update of stories in a large service and in a small one. Both get HTTP requests
//! in turn, in one process. Prints a Markdown table, and then the number of hashes that the service
//! computes while it rejects many password guesses.
//!
//! Without `--bench`, which `cargo bench` passes, both services are small and the figures mean nothing:
//! the run only checks that the benchmark works.

#![expect(
    clippy::expect_used,
    reason = "a benchmark ends where something is not as it should be"
)]

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Method, Request};
use futures_util::{StreamExt, stream};
use serde_json::json;
use shared::auth::{CallerAddress, Passwords};
use shared::models::{Anime, AnimeId};
use tests::people::{Person, story_body};
use tests::service::{Answer, Service, call};
use tests::{crowd, made_up};

/// A service and one of its users.
struct Fixture {
    service: Service,
    person: Person,
    anime: Anime,
    turn: u64,
}

impl Fixture {
    async fn with(stories: u32, users: u32) -> Self {
        let service = Service::empty().await;
        let mut anime = made_up::anime(1, 1).pop().expect("an anime");
        anime.episodes_count = 1_000_000;
        service.put(std::slice::from_ref(&anime)).await;
        crowd::users(&service, users).await;
        let person = service.person("somebody").await;
        // The other anime need not exist: only the updated story's anime is read.
        let others = (1..stories).filter_map(|number| AnimeId::new(u64::from(number) + 1000));
        crowd::stories(&service, &person, others).await;
        let created = service.create_story(&person, &anime, 0).await;
        assert_eq!(created.status, 200);
        Self {
            service,
            person,
            anime,
            turn: 0,
        }
    }

    async fn list(&mut self) -> Answer {
        let path = "/v1/user_story?per_page=10";
        self.service
            .with_token(Method::GET, path, &self.person.token)
            .await
    }

    async fn update(&mut self) -> Answer {
        self.turn += 1;
        let body = story_body(&self.person, &self.anime, 0, self.turn);
        let (path, token) = ("/v1/user_story", Some(self.person.token.as_str()));
        self.service.json(Method::POST, path, token, &body).await
    }
}

/// Returns the median.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let whole = std::env::args().any(|argument| argument == "--bench");
    let (stories, users, rounds) = if whole {
        (10_000, 100_000, 2_000)
    } else {
        (100, 100, 5)
    };
    let mut small = Fixture::with(10, 100).await;
    let mut large = Fixture::with(stories, users).await;

    let mut times: [[Vec<Duration>; 2]; 2] = Default::default();
    for round in 0..rounds + rounds / 10 {
        for (number, fixture) in [&mut small, &mut large].into_iter().enumerate() {
            let started = Instant::now();
            let list = fixture.list().await;
            let listed = started.elapsed();
            assert_eq!((list.status.as_u16(), list.ids().len()), (200, 10));
            let started = Instant::now();
            let update = fixture.update().await;
            let updated = started.elapsed();
            assert_eq!(update.status, 200);
            // The first rounds fill caches.
            if round >= rounds / 10 {
                times[0][number].push(listed);
                times[1][number].push(updated);
            }
        }
    }
    println!("p50 of {rounds} rounds, in microseconds\n");
    println!("| call | 10 stories, 100 users | {stories} stories, {users} users | times |");
    println!("|---|---:|---:|---:|");
    for (call, [small, large]) in ["list, 10 stories", "update"].into_iter().zip(times) {
        let (small, large) = (median(small), median(large));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        let (small, large) = (small.as_micros(), large.as_micros());
        println!("| {call} | {small} | {large} | {ratio:.2} |");
    }
    sign_ins(if whole { 10_000 } else { 100 }).await;
}

/// Sends `attempts` wrong passwords, each from another address, 100 at a time.
async fn sign_ins(attempts: u32) {
    let service = Service::empty().await;
    let mut environment = service.environment.clone();
    environment.overrides.passwords = Some(Passwords::new(environment.database.random.clone()));
    let service = service.with_environment(environment);
    service.person("somebody").await;
    let before = service.environment.passwords().hash_count();
    let body = json!({"username": "somebody", "password": "not the password"});
    let started = Instant::now();
    let statuses = stream::iter(0..attempts)
        .map(|number| {
            let address = Ipv4Addr::from_bits(0x0a00_0000 + number);
            let request = Request::post("/v1/auth/login")
                .header("content-type", "application/json")
                .extension(CallerAddress(Some(address.into())))
                .body(Body::from(body.to_string()));
            call(&service.router, request.expect("a request"))
        })
        .buffer_unordered(100)
        .map(|answer| answer.status.as_u16())
        .collect::<Vec<_>>()
        .await;
    let refused = statuses.iter().filter(|status| **status == 429).count();
    let hashes = service.environment.passwords().hash_count() - before;
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "\n{attempts} sign-ins at one account: {hashes} hashes, {refused} times 429, {seconds:.1} s"
    );
}
