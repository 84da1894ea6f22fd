//! Measures the cost of the tracker sync per user: 1,000 users with 500 stories each, two fake trackers
//! without limits, and the embedded engine. Prints a Markdown table with DynamoDB request units and
//! calls, calls to each tracker, the time of this process (`ms`), and the time that the calls to tracker
//! A take at its limit of 30 per minute (`s at A's limit`).
//!
//! Without `--bench`, which `cargo bench` passes, the numbers of users and stories are small: the run
//! only checks that the benchmark works.

#![expect(
    clippy::expect_used,
    reason = "a benchmark ends where something is not as it should be"
)]

use std::time::{Duration, Instant};

use shared::models::{PerTracker, TrackerName, WatchStatus};
use tests::linked::{Linked, RUN_MS};
use tests::people::Person;
use tests::trackers::Row;
use tests::units::{self, Meter};
use tracker_sync::{SyncReport, SyncServices};

/// Returns the account id of a user at both trackers.
fn account(number: u64) -> u64 {
    10_000 + number
}

struct Bench {
    linked: Linked,
    people: Vec<Person>,
    services: SyncServices,
    meter: Meter,
}

impl Bench {
    async fn with(users: u64, stories: u32) -> Self {
        let linked = Linked::with_anime(stories).await.with_config(|_, config| {
            config.limits.calls_a_minute = u32::MAX;
            config.limits.between_writes = Duration::ZERO;
        });
        for fake in &linked.fakes {
            fake.state().limit = usize::MAX;
        }
        let mut people = Vec::new();
        for number in 0..users {
            let person = linked.service.person(&format!("user{number:05}")).await;
            for tracker in TrackerName::ALL {
                let fake = linked.both.of(tracker);
                let list = (0..stories).map(|story| {
                    let media_id = linked.media_id(tracker, story as usize);
                    (media_id, row(story))
                });
                let list = list.collect();
                fake.state().others.insert(account(number), list);
                let tokens = fake.tokens_of(account(number));
                linked
                    .link(&person, tracker, account(number), &tokens)
                    .await;
            }
            people.push(person);
        }
        let (client, meter) = units::metered();
        let services = linked.services_with_client(&client);
        Self {
            linked,
            people,
            services,
            meter,
        }
    }

    /// Runs the sync until every user has been processed. Prints the cost per user.
    async fn measure(&self, what: &str, expected: impl Fn(&SyncReport, u64) -> bool) {
        let clock = &self.linked.service.clock;
        let _ = self.meter.take();
        for fake in &self.linked.fakes {
            fake.state().received.clear();
        }
        let began = Instant::now();
        let mut total = SyncReport::default();
        while total.users < self.people.len() as u64 {
            let until = clock.now_ms() + RUN_MS;
            let report = tracker_sync::run(&self.services, until).await;
            total.add(&report.expect("a run"));
        }
        let took = began.elapsed();
        assert!(
            expected(&total, self.people.len() as u64),
            "{what}: {total:?}"
        );
        let consumed = self.meter.take();
        let users = f64::from(u32::try_from(self.people.len()).expect("so many"));
        let [a, b] = self
            .linked
            .fakes
            .each_ref()
            .map(tests::trackers::Fake::count);
        let each = |number: u64| f64::from(u32::try_from(number).expect("so many")) / users;
        println!(
            "| {what} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            consumed.units / users,
            f64::from(consumed.calls) / users,
            each(a as u64),
            each(b as u64),
            took.as_secs_f64() * 1000.0 / users,
            each(a as u64) * 60.0 / 30.0,
        );
    }

    fn later(&self) {
        self.linked.service.clock.advance(Duration::from_hours(7));
    }

    /// Changes a story of every user in the service, and another one at tracker A.
    async fn change_stories(&self) {
        for (number, person) in (0..).zip(&self.people) {
            let answer = self.linked.watch(person, 0, 0, 7).await;
            assert_eq!(answer.status, 200);
            let media_id = self.linked.media_id(TrackerName::A, 1);
            let mut state = self.linked.fakes[0].state();
            let list = state.others.get_mut(&account(number)).expect("a list");
            let row = list.get_mut(&media_id).expect("an entry");
            row.progress += 1;
            row.updated_at = self.linked.service.clock.now_s();
        }
    }
}

fn row(story: u32) -> Row {
    let updated_at = 1_600_000_000 + u64::from(story);
    Row::new(WatchStatus::Current, story % 6, updated_at)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let (users, stories) = if is_measured { (1_000, 500) } else { (5, 150) };
    let bench = Bench::with(users, stories).await;
    println!("\n{users} users with {stories} stories each, for each user:\n");
    println!(
        "| run | units | calls to DynamoDB | to tracker A | to tracker B | ms | s at A's limit |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let all = u64::from(stories);
    bench
        .measure("first: every story is imported", |report, users| {
            report.trackers.a.imported == all * users
        })
        .await;
    bench.later();
    bench
        .measure("nothing has changed", |report, _| {
            report
                .trackers
                .iter()
                .all(|(_, counts)| counts.imported + counts.exported == 0)
        })
        .await;
    bench.later();
    bench.change_stories().await;
    bench
        .measure(
            "a story changed here, another at tracker A",
            |report, users| {
                let PerTracker { a, b } = report.trackers;
                [a.imported, a.exported, b.imported, b.exported] == [users, users, 0, 2 * users]
            },
        )
        .await;
}
