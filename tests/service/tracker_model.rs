//! Model-based test of the tracker sync. After any sequence of edits on the three sides, failures and
//! crashes, the sides become equal, no progress is lost and no story is deleted.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use shared::models::{Details, PartialDate, TrackerName, UserScore, WatchStatus, WireEnum};
use tests::crash;
use tests::linked::{Linked, RUN_MS};
use tests::people::Person;
use tests::trackers::{Fault, Row};
use tokio::runtime::Builder;
use trackers::ScoreFormat;

/// Number of anime.
const ANIME: usize = 3;

/// The anime of which the catalogue counts fewer episodes than the trackers, which count 12.
const SHORT: usize = 2;

/// The number of episodes of [`SHORT`] in the catalogue, at first.
const SHORT_EPISODES: u32 = 5;

/// Runs without faults until the sides must be equal. A missing entry is written again only after two reads of the
/// tracker without it, and the other tracker gets the change in the next run.
const SETTLING_RUNS: usize = 5;

#[derive(Clone, Debug)]
enum Step {
    /// The user creates or changes a story.
    Watch(usize, u8, u32),
    /// The user deletes a story.
    Delete(usize),
    /// The user creates or changes an entry at a tracker.
    Edit(TrackerName, usize, u8, u32),
    /// The user changes a detail of a story, if it exists.
    Describe(usize, Detail),
    /// The user changes a detail of an entry at a tracker, if it exists.
    Annotate(TrackerName, usize, Detail),
    /// The user deletes an entry at a tracker.
    Remove(TrackerName, usize),
    /// A run without faults.
    Run,
    /// A run in which a tracker fails after this many requests.
    Fail(TrackerName, usize, u8),
    /// A run that ends after this many calls to DynamoDB.
    Crash(u32),
    /// The catalogue counts all episodes of [`SHORT`], and the stories follow it.
    Grow,
}

/// A value of a detail: 0 and an empty text for none.
#[derive(Clone, Debug)]
enum Detail {
    /// The score in tenths.
    Score(u16),
    StartedOn(&'static str),
    FinishedOn(&'static str),
    Repeats(u16),
    Notes(String),
    Private(bool),
}

impl Detail {
    fn json(&self) -> Value {
        let date = |text: &str| (!text.is_empty()).then_some(text.to_owned());
        match self {
            Self::Score(tenths) => json!({"score": f64::from(*tenths) / 10.0}),
            Self::StartedOn(text) => json!({"started_on": date(text)}),
            Self::FinishedOn(text) => json!({"finished_on": date(text)}),
            Self::Repeats(repeats) => json!({"repeats": repeats}),
            Self::Notes(text) => json!({"notes": text}),
            Self::Private(private) => json!({"private": private}),
        }
    }

    fn set(&self, tracker: TrackerName, row: &mut Row) {
        let date = |text: &str| PartialDate::parse(text).ok();
        match self {
            Self::Score(tenths) => {
                let step = if tracker == TrackerName::A { 10 } else { 100 };
                row.score = u64::from(tenths.div_ceil(step));
            }
            Self::StartedOn(text) => row.started_on = date(text),
            Self::FinishedOn(text) => row.finished_on = date(text),
            Self::Repeats(repeats) => row.repeats = (*repeats).into(),
            Self::Notes(text) => row.notes.clone_from(text),
            Self::Private(private) => row.private = *private && tracker == TrackerName::A,
        }
    }
}

fn any_detail() -> impl Strategy<Value = Detail> {
    let dates = || select(&["", "2016", "2016-08", "2016-08-26"]);
    prop_oneof![
        3 => select(&[0, 4, 355, 870, 875, 1000]).prop_map(Detail::Score),
        1 => dates().prop_map(Detail::StartedOn),
        1 => dates().prop_map(Detail::FinishedOn),
        1 => (0..4_u16).prop_map(Detail::Repeats),
        1 => select(&["", "a", "b"]).prop_map(|text| Detail::Notes(text.to_owned())),
        1 => any::<bool>().prop_map(Detail::Private),
    ]
}

/// Generates the formats of scores at tracker A.
fn score_formats() -> impl Strategy<Value = &'static str> {
    select(&[
        "POINT_100",
        "POINT_10_DECIMAL",
        "POINT_10",
        "POINT_5",
        "POINT_3",
    ])
}

/// Returns true if an entry has these details, as far as the tracker can hold them.
fn has_details(here: &Details, tracker: TrackerName, row: &Row, scores: ScoreFormat) -> bool {
    let is_a = tracker == TrackerName::A;
    let tenths = u16::try_from(row.score).unwrap() * if is_a { 10 } else { 100 };
    let score = UserScore::from_tenths(tenths);
    let rounded = here.score.map(|score| scores.round(score));
    (score == here.score || score == rounded)
        && has_date(here.started_on, row.started_on, is_a)
        && has_date(here.finished_on, row.finished_on, is_a)
        && row.repeats == u64::from(here.repeats)
        && row.notes == here.notes.as_str()
        && (row.private == here.private || !is_a)
}

/// Incomplete dates are not sent to tracker B.
fn has_date(here: Option<PartialDate>, there: Option<PartialDate>, is_a: bool) -> bool {
    let is_sent = is_a || here.is_none_or(|date| date.day().is_some());
    there == here || !is_sent
}

/// The side on which the user continues an anime.
#[derive(Clone, Copy, Debug)]
enum Side {
    Here,
    At(TrackerName),
}

fn tracker() -> impl Strategy<Value = TrackerName> {
    prop_oneof![Just(TrackerName::A), Just(TrackerName::B)]
}

fn disturbance() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Run),
        2 => (tracker(), 0..4_usize, 0..5_u8).prop_map(|(at, after, how)| Step::Fail(at, after, how)),
        3 => (2..24_u32).prop_map(Step::Crash),
        1 => Just(Step::Grow),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let anime = 0..ANIME;
    prop_oneof![
        4 => (anime.clone(), 0..6_u8, 0..=12_u32).prop_map(|(n, status, at)| Step::Watch(n, status, at)),
        1 => anime.clone().prop_map(Step::Delete),
        4 => (tracker(), anime.clone(), 0..6_u8, 0..=12_u32)
            .prop_map(|(at, n, status, progress)| Step::Edit(at, n, status, progress)),
        4 => (anime.clone(), any_detail()).prop_map(|(n, detail)| Step::Describe(n, detail)),
        4 => (tracker(), anime.clone(), any_detail())
            .prop_map(|(at, n, detail)| Step::Annotate(at, n, detail)),
        1 => (tracker(), anime).prop_map(|(at, n)| Step::Remove(at, n)),
        5 => disturbance(),
    ]
}

struct Fixture {
    linked: Linked,
    person: Person,
    /// The number of episodes of [`SHORT`] in the catalogue.
    short_episodes: Cell<u32>,
}

impl Fixture {
    async fn new() -> Self {
        let linked = Linked::with_anime(ANIME.try_into().unwrap()).await;
        linked.set_episodes(SHORT, SHORT_EPISODES).await;
        let person = linked.person("taki", &TrackerName::ALL).await;
        Self {
            linked,
            person,
            short_episodes: Cell::new(SHORT_EPISODES),
        }
    }

    /// Returns the number of episodes of an anime in the catalogue.
    fn episodes(&self, number: usize) -> u32 {
        match number {
            SHORT => self.short_episodes.get(),
            _ => 12,
        }
    }

    async fn apply(&self, step: &Step) {
        let linked = &self.linked;
        // The clock moves by a fraction of a second, because trackers only store whole seconds.
        linked.service.clock.advance(Duration::from_millis(1_300));
        match step {
            Step::Watch(number, status, episode) => {
                let episode = self.episodes(*number).min(*episode);
                let answer = linked.watch(&self.person, *number, *status, episode).await;
                answer.assert_status(200);
            }
            Step::Delete(number) => {
                let story = self.person.story(&linked.anime[*number]);
                let path = format!("/v1/user_story/{story}");
                let token = &self.person.token;
                let answer = linked.service.delete_as(token, &path);
                assert!([200, 404].contains(&answer.await.status.as_u16()));
            }
            Step::Edit(at, number, status, progress) => {
                linked.edit(*at, *number, status_of(*status), *progress);
            }
            Step::Describe(number, detail) => {
                if linked.story(&self.person, *number).await.is_some() {
                    let details = detail.json();
                    linked.set_details(&self.person, *number, &details).await;
                }
            }
            Step::Annotate(at, number, detail) => {
                if linked.row(*at, *number).is_some() {
                    linked.change_entry(*at, *number, |row| detail.set(*at, row));
                }
            }
            Step::Remove(at, number) => {
                let media_id = linked.media_id(*at, *number);
                linked.both.of(*at).state().rows.remove(&media_id);
            }
            Step::Run => drop(self.run().await),
            Step::Grow => {
                self.short_episodes.set(12);
                linked.set_episodes(SHORT, 12).await;
            }
            Step::Fail(at, after, how) => {
                linked.both.of(*at).fail_after(*after, fault(*how));
                self.run().await;
                linked.both.of(*at).clear_faults();
            }
            Step::Crash(calls) => {
                let services = linked.services_with_client(&crash::client_failing_after(*calls));
                let until = self.make_due() + RUN_MS;
                // The run can return an error or not, depending on the call that failed.
                let _ = tracker_sync::run(&services, until).await;
            }
        }
    }

    /// Moves the clock until every user is due and every lease has expired. Returns the time.
    fn make_due(&self) -> u64 {
        let clock = &self.linked.service.clock;
        clock.advance(Duration::from_hours(25));
        clock.now_ms()
    }

    /// Runs the sync when every user is due. Returns the number of imported and exported entries.
    async fn run(&self) -> u64 {
        let report = self.linked.run_later().await;
        let done = report.trackers.iter();
        done.map(|(_, counts)| counts.imported + counts.exported)
            .sum()
    }

    /// Runs the sync until nothing changes any more.
    async fn settle(&self) {
        for _ in 0..SETTLING_RUNS {
            self.run().await;
        }
        assert_eq!(
            self.run().await,
            0,
            "the sync must reach a state in which nothing changes"
        );
    }

    /// Checks that both trackers have the details of a story, if it exists.
    async fn check_details(&self, number: usize, format: &str) {
        let Some(here) = self.linked.details(&self.person, number).await else {
            return;
        };
        for tracker in TrackerName::ALL {
            let is_a = tracker == TrackerName::A;
            let scores = ScoreFormat::of_name(if is_a { format } else { "POINT_10" });
            if is_a || !here.private {
                let row = self.linked.row(tracker, number).unwrap();
                let has_them = has_details(&here, tracker, &row, scores);
                assert!(has_them, "{number} {tracker}: {here:?} {row:?}");
            }
        }
    }

    /// Checks that `current_episode` of a story is its progress as far as the catalogue counts episodes.
    async fn check_episode(&self, number: usize) {
        let state = self.linked.story_state(&self.person, number).await;
        if let Some(state) = state {
            let expected = state.progress().min(self.episodes(number));
            assert_eq!(state.current_episode, expected, "{number}: {state:?}");
        }
    }

    /// Returns the status and progress on each side: this service, tracker A, tracker B.
    async fn sides(&self, number: usize) -> [Option<(WatchStatus, u32)>; 3] {
        let [a, b] = TrackerName::ALL.map(|tracker| self.linked.entry(tracker, number));
        [self.linked.story(&self.person, number).await, a, b]
    }
}

fn status_of(number: u8) -> WatchStatus {
    WatchStatus::from_wire(number.into()).unwrap()
}

fn fault(how: u8) -> Fault {
    match how {
        0 => Fault::answer(500, ""),
        1 => Fault::answer(403, "<html>go away</html>"),
        2 => Fault::answer(429, ""),
        3 => Fault::Cut,
        _ => Fault::Truncate,
    }
}

/// Runs a test for 25 generated cases, or as many as `KIROKU_MODEL_CASES` sets. Each case gets its own
/// tables from `test`.
fn cases<S: Strategy>(strategy: &S, test: impl AsyncFn(S::Value)) {
    let requested_cases = std::env::var("KIROKU_MODEL_CASES");
    let config = Config {
        cases: requested_cases.map_or(25, |cases| cases.parse().unwrap()),
        failure_persistence: None,
        max_shrink_iters: 60,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(strategy, |value| {
        // Each case has a runtime of its own, and with it an engine of its own.
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(test(value));
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn sides_become_equal_and_no_story_is_deleted() {
    let steps = prop::collection::vec(any_step(), 1..20);
    cases(&(score_formats(), steps), async |(format, steps)| {
        let fixture = Fixture::new().await;
        fixture.linked.fakes[0].state().score_format = format;
        for step in &steps {
            fixture.apply(step).await;
        }
        let mut before = BTreeMap::new();
        for number in 0..ANIME {
            before.insert(number, fixture.sides(number).await);
        }
        fixture.settle().await;
        for (number, before) in before {
            let [here, a, b] = fixture.sides(number).await;
            let was_there = before.iter().any(Option::is_some);
            assert_eq!(here.is_some(), was_there, "{number}: {before:?}");
            let details = fixture.linked.details(&fixture.person, number).await;
            // A private story is not sent to tracker B.
            let is_private = details.as_ref().is_some_and(|details| details.private);
            let is_equal = here == a && (a == b || is_private);
            assert!(is_equal, "{number}: {here:?} {a:?} {b:?}");
            fixture.check_details(number, format).await;
            fixture.check_episode(number).await;
        }
        let stories = fixture.linked.rows(&fixture.person).await.len();
        assert_eq!(
            fixture.linked.synced_counts(&fixture.person).await,
            [stories, 0]
        );
    });
}

/// If a user only ever continues from the progress on some side, the sides end at the highest progress on
/// any of them. The latest edit can have less progress than an earlier one on another side.
#[test]
fn no_progress_is_lost() {
    let side = prop_oneof![Just(Side::Here), tracker().prop_map(Side::At)];
    let on = (side, 0..ANIME, 1..4_u32);
    let step = prop_oneof![on.prop_map(Ok), disturbance().prop_map(Err)];
    let steps = prop::collection::vec(step, 1..16);
    cases(&steps, async |steps| {
        let fixture = Fixture::new().await;
        let mut farthest = BTreeMap::new();
        for step in steps {
            let step = match step {
                Ok((side, number, episodes)) => {
                    let sides = fixture.sides(number).await;
                    let [here, a, b] =
                        sides.map(|at| (at.map_or(0, |(_, at)| at) + episodes).min(12));
                    let (tracker, episode) = match side {
                        // The API takes only episodes that the catalogue counts.
                        Side::Here if here <= fixture.episodes(number) => (None, here),
                        Side::Here | Side::At(TrackerName::A) => (Some(TrackerName::A), a),
                        Side::At(TrackerName::B) => (Some(TrackerName::B), b),
                    };
                    let most = farthest.entry(number).or_insert(episode);
                    *most = episode.max(*most);
                    match tracker {
                        None => Step::Watch(number, 0, episode),
                        Some(tracker) => Step::Edit(tracker, number, 0, episode),
                    }
                }
                Err(disturbance) => disturbance,
            };
            fixture.apply(&step).await;
        }
        fixture.settle().await;
        for (number, episode) in farthest {
            let expected = Some((WatchStatus::Current, episode));
            assert_eq!(fixture.sides(number).await, [expected; 3], "{number}");
            fixture.check_episode(number).await;
        }
    });
}

/// A detail that is set once, on any side, is set on every side in the end.
#[test]
fn no_detail_is_lost() {
    let side = || prop_oneof![Just(Side::Here), tracker().prop_map(Side::At)];
    let detail = prop_oneof![
        select(&[100, 700, 900]).prop_map(Detail::Score),
        select(&["2016-08-25", "2016-08-26"]).prop_map(Detail::FinishedOn),
        (1..4_u16).prop_map(Detail::Repeats),
        "[a-z]{1,3}".prop_map(Detail::Notes),
    ];
    let on = (side(), 0..ANIME, detail);
    let step = prop_oneof![3 => on.prop_map(Ok), 2 => disturbance().prop_map(Err)];
    let steps = prop::collection::vec(step, 1..16);
    cases(&(score_formats(), steps), async |(format, steps)| {
        let fixture = Fixture::new().await;
        fixture.linked.fakes[0].state().score_format = format;
        for number in 0..ANIME {
            fixture.apply(&Step::Watch(number, 0, 1)).await;
        }
        fixture.settle().await;
        let mut is_set = BTreeMap::new();
        for step in steps {
            let step = match step {
                Ok((side, number, detail)) => {
                    let kind = std::mem::discriminant(&detail);
                    let set: &mut Vec<_> = is_set.entry(number).or_default();
                    if set.iter().any(|(known, _, _)| *known == kind) {
                        continue;
                    }
                    set.push((kind, side, detail.clone()));
                    match side {
                        Side::Here => Step::Describe(number, detail),
                        Side::At(tracker) => Step::Annotate(tracker, number, detail),
                    }
                }
                Err(disturbance) => disturbance,
            };
            fixture.apply(&step).await;
        }
        fixture.settle().await;
        for (number, set) in is_set {
            fixture.check_details(number, format).await;
            let here = fixture
                .linked
                .details(&fixture.person, number)
                .await
                .unwrap();
            for (_, side, detail) in set {
                let is_here = match &detail {
                    Detail::Score(tenths) => here.score == UserScore::from_tenths(*tenths),
                    Detail::FinishedOn(text) => here.finished_on == PartialDate::parse(text).ok(),
                    Detail::Repeats(repeats) => here.repeats == *repeats,
                    Detail::Notes(text) => here.notes.as_str() == text,
                    Detail::StartedOn(_) | Detail::Private(_) => false,
                };
                assert!(is_here, "{number} {side:?} {detail:?}: {here:?}");
            }
        }
    });
}
