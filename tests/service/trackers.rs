//! The contract of both adapters, over two fake trackers (trackers.md): each test is for both, where
//! it does not say that it is for one.

use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::models::WatchStatus;
use tests::log::Log;
use tests::service::START_MS;
use tests::trackers::{
    CLIENT_ID, CLIENT_SECRET, CODE, Fake, Fault, NO_ANIME, REDIRECT_URI, Row, VERIFIER, VIEWER,
    Which, pairs,
};
use tokio::net::TcpListener;
use tokio::task::yield_now;
use tokio::time::{self, Instant};
use trackers::{
    Cause, Config, Entry, Kind, MAX_BODY, Pace, Tokens, Tracker, TrackerError, Viewer, Waiter,
    Write,
};

/// What must never be told, and what the bodies of faults are full of.
const SECRETS: [&str; 6] = [
    "access-token",
    "refresh-token",
    CLIENT_SECRET,
    CODE,
    VERIFIER,
    "mitsuha",
];

const LEAK: &str = "Bearer access-token-0000 refresh-token-0000-r of mitsuha@example.com";

/// An adapter, the fake that it speaks with, and the clock of both.
struct Bench {
    fake: Fake,
    tracker: Tracker,
    clock: Clock,
    tokens: Tokens,
}

impl Bench {
    async fn of(which: Which) -> Self {
        Self::with(which, |_| ()).await
    }

    async fn with(which: Which, change: impl Fn(&mut Config)) -> Self {
        let clock = Clock::manual(START_MS);
        let fake = Fake::start(which, clock.clone()).await;
        let mut config = fake.config();
        change(&mut config);
        let tracker = tracker(which, config, &clock);
        let tokens = fake.tokens();
        Self {
            fake,
            tracker,
            clock,
            tokens,
        }
    }

    async fn both() -> [Self; 2] {
        [Self::of(Which::A).await, Self::of(Which::B).await]
    }

    /// A list of so many entries, of every kind there is.
    fn fill(&self, entries: u32, per_page: usize) {
        let mut state = self.fake.state();
        state.per_page = per_page;
        state.rows = (1..=entries).map(|id| (id, row(id))).collect();
    }

    /// The list as the adapter should give it.
    fn expected(&self) -> Vec<Entry> {
        let is_a = self.fake.which == Which::A;
        let entry = |(id, row): (&u32, &Row)| Entry {
            media_id: *id,
            status: row.status,
            progress: row.progress,
            private: row.private && is_a,
            updated_at: row.updated_at,
            episodes: row.episodes,
        };
        self.fake.state().rows.iter().map(entry).collect()
    }

    fn in_time(&self, seconds: u64) -> u64 {
        self.clock.now_ms() + seconds * 1_000
    }

    async fn viewer(&self) -> Result<Viewer, TrackerError> {
        self.tracker.viewer(&self.tokens, self.in_time(3_600)).await
    }

    async fn list(&self) -> Result<Vec<Entry>, TrackerError> {
        let deadline = self.in_time(3_600);
        self.tracker.list(&self.tokens, VIEWER.0, deadline).await
    }

    async fn save(&self, write: &Write) -> Result<Entry, TrackerError> {
        let deadline = self.in_time(3_600);
        self.tracker.save(&self.tokens, write, deadline).await
    }

    async fn refresh(&self) -> Result<Tokens, TrackerError> {
        let deadline = self.in_time(3_600);
        self.tracker.refresh(&self.tokens, deadline).await
    }

    async fn exchange(&self, code: &str) -> Result<Tokens, TrackerError> {
        let deadline = self.in_time(3_600);
        self.tracker.exchange(code, VERIFIER, deadline).await
    }

    /// One of the calls of a run.
    async fn call(&self, number: usize) -> Result<(), TrackerError> {
        match number {
            0 => self.viewer().await.map(drop),
            1 => self.list().await.map(drop),
            _ => self.save(&watching(7, 3)).await.map(drop),
        }
    }

    /// The times from call to call.
    fn gaps(&self) -> Vec<u64> {
        let state = self.fake.state();
        let calls = state.received.windows(2);
        calls.map(|pair| pair[1].at - pair[0].at).collect()
    }
}

fn tracker(which: Which, config: Config, clock: &Clock) -> Tracker {
    let waiter = Waiter::Move(clock.clone());
    let made = match which {
        Which::A => Tracker::a(config, clock.clone(), waiter),
        Which::B => Tracker::b(config, clock.clone(), waiter),
    };
    made.unwrap().unwrap()
}

const STATUSES: [WatchStatus; 6] = [
    WatchStatus::Current,
    WatchStatus::Planning,
    WatchStatus::Completed,
    WatchStatus::Dropped,
    WatchStatus::Paused,
    WatchStatus::Repeating,
];

fn row(id: u32) -> Row {
    Row {
        status: STATUSES[id as usize % 6],
        progress: id % 12,
        episodes: (!id.is_multiple_of(4)).then_some(12),
        private: id.is_multiple_of(5),
        hidden: id.is_multiple_of(7),
        updated_at: 1_600_000_000 + u64::from(id),
    }
}

fn watching(media_id: u32, progress: u32) -> Write {
    Write {
        media_id,
        status: WatchStatus::Current,
        progress,
        episodes: None,
        private: false,
    }
}

/// What to do, in a word, and after how many seconds. Nothing that is told has a secret in it.
fn told<T: std::fmt::Debug>(outcome: Result<T, TrackerError>) -> String {
    let Err(error) = outcome else {
        return "well".to_owned();
    };
    tracing::warn!(target: "shared", %error, ?error, "tracker");
    let text = format!("{error} {error:?}");
    for secret in SECRETS {
        assert!(!text.contains(secret), "{text}");
    }
    match error {
        TrackerError::Final(_) => "final".to_owned(),
        TrackerError::Reconnect(_) => "reconnect".to_owned(),
        TrackerError::Later { after: None, .. } => "later".to_owned(),
        TrackerError::Later {
            after: Some(time), ..
        } => format!("later {}", time.as_secs()),
    }
}

/// A refusal in the words of both.
fn refusal(status: u16, headers: &[(&'static str, &str)]) -> Fault {
    let errors = json!([{"message": LEAK, "status": status}]);
    let body = json!({"error": "some_error", "message": LEAK, "data": null, "errors": errors});
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    Fault::Answer(status, headers.collect(), body.to_string())
}

fn html(status: u16) -> Fault {
    let headers = vec![("content-type", "text/html; charset=utf-8".to_owned())];
    Fault::Answer(status, headers, format!("<html><body>{LEAK}</body></html>"))
}

#[tokio::test]
async fn off_unless_configured_and_never_over_plain_http() {
    let clock = Clock::manual(START_MS);
    let make = |config: Config| Tracker::a(config, clock.clone(), Waiter::Sleep);
    assert!(make(Config::anilist()).unwrap().is_none());
    let on = |change: fn(&mut Config)| {
        let mut config = Config::anilist();
        CLIENT_ID.clone_into(&mut config.client_id);
        change(&mut config);
        make(config)
    };
    assert!(on(|_| ()).unwrap().is_some());
    assert!(on(|config| config.api = "http://graphql.anilist.co".to_owned()).is_err());
    assert!(on(|config| config.token = "https://me:pass@anilist.co/".to_owned()).is_err());
    assert!(on(|config| config.authorize = "anilist.co".to_owned()).is_err());
}

#[tokio::test]
async fn a_user_connects() {
    for bench in Bench::both().await {
        let is_b = bench.fake.which == Which::B;
        let url = bench.tracker.authorize_url("state & more", VERIFIER);
        let (page, query) = url.split_once('?').unwrap();
        assert_eq!(page, bench.fake.config().authorize);
        let mut expected = vec![
            ("client_id", CLIENT_ID),
            ("redirect_uri", REDIRECT_URI),
            ("response_type", "code"),
            ("state", "state & more"),
        ];
        if is_b {
            expected.extend([
                ("code_challenge", VERIFIER),
                ("code_challenge_method", "plain"),
            ]);
        }
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        assert_eq!(pairs(query), expected.into_iter().map(owned).collect());

        let tokens = bench.exchange(CODE).await.unwrap();
        let sent = bench.fake.last();
        if is_b {
            assert_eq!(
                sent.header("content-type"),
                "application/x-www-form-urlencoded"
            );
            assert_eq!(sent.form()["code_verifier"], VERIFIER);
            assert_eq!(tokens.expires_at, Some(START_MS / 1_000 + 3_600));
        } else {
            assert_eq!(sent.header("content-type"), "application/json");
            assert_eq!(sent.json()["grant_type"], "authorization_code");
            assert_eq!(tokens.expires_at, Some(START_MS / 1_000 + 31_536_000));
        }
        assert_eq!(tokens.access, bench.fake.state().access());
        assert_eq!(tokens.refresh, is_b.then(|| bench.fake.state().refresh()));

        let deadline = bench.in_time(60);
        let viewer = bench.tracker.viewer(&tokens, deadline).await.unwrap();
        assert_eq!(
            bench.clock.now_ms(),
            START_MS,
            "a code is no call to the API"
        );
        assert_eq!((viewer.id, viewer.name.as_str()), VIEWER);
        assert_eq!(viewer.avatar.as_deref(), Some("https://images.test/71.png"));
        let sent = bench.fake.last();
        assert_eq!(
            sent.header("authorization"),
            format!("Bearer {}", tokens.access)
        );
        assert_eq!(sent.header("accept"), "application/json");
        assert!(sent.header("user-agent").starts_with("kiroku/"));

        assert_eq!(
            told(bench.exchange("another").await),
            if is_b { "reconnect" } else { "final" }
        );
    }
}

/// No image that a page would fetch in the clear.
#[tokio::test]
async fn an_avatar_is_https_or_none() {
    let a = Bench::of(Which::A).await;
    for avatar in [
        json!(null),
        json!({"large": null}),
        json!({"large": "http://i.test/1"}),
    ] {
        a.fake.fail(Fault::edit(move |body| {
            body["data"]["Viewer"]["avatar"] = avatar;
        }));
        assert_eq!(a.viewer().await.unwrap().avatar, None);
    }
    let b = Bench::of(Which::B).await;
    b.fake.fail(Fault::edit(|body| remove(body, "picture")));
    assert_eq!(b.viewer().await.unwrap().avatar, None);
}

#[tokio::test]
async fn the_whole_list_is_read() {
    for bench in Bench::both().await {
        assert_eq!(bench.list().await.unwrap(), []);
        for (entries, per_page) in [(1, 10), (40, 40), (41, 40), (997, 40)] {
            bench.fill(entries, per_page);
            let before = bench.fake.count();
            assert_eq!(bench.list().await.unwrap(), bench.expected());
            let pages = (entries as usize).div_ceil(per_page);
            assert_eq!(bench.fake.count() - before, pages);
        }
        let sent = bench.fake.state().received.clone();
        for request in &sent {
            assert_eq!(request.header("authorization"), "Bearer access-token-0000");
        }
        if bench.fake.which == Which::A {
            let variables = &sent[2].json()["variables"];
            assert_eq!(
                *variables,
                json!({"userId": VIEWER.0, "chunk": 1, "perChunk": 500})
            );
            let query = sent[2].json()["query"].to_string();
            assert!(
                query.contains("type:ANIME") && query.contains("private"),
                "{query}"
            );
            let other = bench
                .tracker
                .list(&bench.tokens, 72, bench.in_time(3_600))
                .await;
            assert_eq!(told(other), "final");
        } else {
            let params = sent[0].params();
            let fields = "list_status{start_date,finish_date,num_times_rewatched},num_episodes";
            assert_eq!(params["fields"], fields);
            assert_eq!(
                (params["limit"].as_str(), params["nsfw"].as_str()),
                ("1000", "true")
            );
            assert!(!params.contains_key("status"));
        }
    }
}

#[tokio::test]
async fn what_is_written_is_what_is_read() {
    for which in [Which::A, Which::B] {
        for rewatched_as in [WatchStatus::Completed, WatchStatus::Current] {
            let bench = Bench::with(which, |config| config.rewatched_as = rewatched_as).await;
            let names = match which {
                Which::A => [
                    "CURRENT",
                    "PLANNING",
                    "COMPLETED",
                    "DROPPED",
                    "PAUSED",
                    "REPEATING",
                ],
                Which::B => [
                    "watching",
                    "plan_to_watch",
                    "completed",
                    "dropped",
                    "on_hold",
                    "completed",
                ],
            };
            for (status, mut name) in STATUSES.into_iter().zip(names) {
                let write = Write {
                    media_id: 9,
                    status,
                    progress: 5,
                    episodes: Some(12),
                    private: false,
                };
                let written = bench.save(&write).await.unwrap();
                let progress = if status == WatchStatus::Completed {
                    12
                } else {
                    5
                };
                assert_eq!((written.status, written.progress), (status, progress));
                assert_eq!(written.updated_at, bench.clock.now_s());
                let sent = bench.fake.last();
                assert_eq!(bench.list().await.unwrap(), [written]);
                if which == Which::A {
                    let expected = json!({"mediaId": 9, "status": name, "progress": progress});
                    assert_eq!(sent.json()["variables"], expected);
                    continue;
                }
                let again = status == WatchStatus::Repeating;
                if again && rewatched_as == WatchStatus::Current {
                    name = "watching";
                }
                let form =
                    format!("status={name}&is_rewatching={again}&num_watched_episodes={progress}");
                assert_eq!((sent.method.as_str(), sent.body), ("PATCH", form));
                assert_eq!(sent.path, "/v2/anime/9/my_list_status");
            }
        }
    }
}

/// trackers.md, "Known traps": progress that the tracker cannot hold would never come back.
#[tokio::test]
async fn no_more_is_written_than_there_is() {
    for bench in Bench::both().await {
        let mut write = Write {
            episodes: Some(12),
            ..watching(3, 13)
        };
        assert_eq!(bench.save(&write).await.unwrap().progress, 12);
        write.episodes = None;
        assert_eq!(bench.save(&write).await.unwrap().progress, 13);
        write.media_id = NO_ANIME;
        assert_eq!(told(bench.save(&write).await), "final");
    }
}

#[tokio::test]
async fn what_is_private_at_tracker_a_stays_so() {
    let bench = Bench::of(Which::A).await;
    bench.fill(5, 10);
    assert!(bench.save(&watching(5, 2)).await.unwrap().private);
    assert!(bench.list().await.unwrap()[4].private);
}

/// A fault, made anew each time, and what it tells to do.
type Case = (fn() -> Fault, &'static str);

const FAULTS: [Case; 26] = [
    (|| refusal(400, &[]), "final"),
    (|| refusal(404, &[]), "final"),
    (|| refusal(422, &[]), "final"),
    (|| refusal(401, &[]), "reconnect"),
    (|| refusal(403, &[]), "later 3600"),
    (|| html(403), "later 3600"),
    (|| refusal(429, &[("retry-after", "17")]), "later 17"),
    (|| refusal(429, &[("retry-after", "soon")]), "later 60"),
    (
        || refusal(429, &[("retry-after", "99999999999999999999")]),
        "later 60",
    ),
    (
        || refusal(429, &[("retry-after", "9999999999999999999")]),
        "later 86400",
    ),
    (|| refusal(429, &[]), "later 60"),
    (|| refusal(418, &[]), "later"),
    (|| refusal(500, &[]), "later"),
    (|| refusal(503, &[("retry-after", "5")]), "later 5"),
    (|| html(502), "later"),
    (|| html(200), "later"),
    (|| html(400), "later"),
    (|| html(401), "later"),
    (|| html(404), "later"),
    (
        || Fault::answer(200, &format!(" <!doctype html>{LEAK}")),
        "later",
    ),
    (|| Fault::answer(200, ""), "later"),
    (|| Fault::answer(200, "null"), "later"),
    (
        || Fault::answer(200, &format!("{{\"data\":\"{LEAK}\",\"id\":\"{LEAK}\"}}")),
        "later",
    ),
    (|| Fault::answer(200, &"[".repeat(100_000)), "later"),
    (|| Fault::Cut, "later"),
    (|| Fault::Truncate, "later"),
];

#[tokio::test]
async fn each_fault_says_what_to_do_and_no_secret() {
    let log = Log::begin();
    for bench in Bench::both().await {
        bench.fill(5, 2);
        for call in 0..3 {
            for (position, (fault, expected)) in FAULTS.into_iter().enumerate() {
                bench.fake.fail(fault());
                let case = format!("{:?} {call} {position}", bench.fake.which);
                assert_eq!(told(bench.call(call).await), expected, "{case}");
                bench.clock.advance(Duration::from_hours(25));
                assert_eq!(told(bench.call(call).await), "well", "{case}");
            }
        }
    }
    let lines = log.text();
    assert!(lines.contains("status 403") && lines.lines().count() >= FAULTS.len() * 6);
    for secret in SECRETS {
        assert!(!lines.contains(secret));
    }
}

#[tokio::test]
async fn a_body_is_read_to_its_bound() {
    let viewer = json!({"id": 1, "name": "a", "data": {"Viewer": {"id": 1, "name": "a"}}});
    let mut body = viewer.to_string();
    body.push_str(&" ".repeat(MAX_BODY - body.len()));
    for bench in Bench::both().await {
        bench.fake.fail(Fault::answer(200, &body));
        assert_eq!(told(bench.viewer().await), "well");
        bench.fake.fail(Fault::answer(200, &format!("{body} ")));
        assert_eq!(told(bench.viewer().await), "later");
    }
}

/// A later page that fails is the whole list that fails.
#[tokio::test]
async fn a_list_is_never_a_short_one() {
    for bench in Bench::both().await {
        bench.fill(5, 2);
        for page in 1..3 {
            for (fault, expected) in FAULTS {
                bench.fake.fail_after(page, fault());
                assert_eq!(told(bench.list().await), expected);
                bench.clock.advance(Duration::from_hours(25));
            }
            bench.fake.fail_after(page, Fault::Repeat);
            assert_eq!(told(bench.list().await), "later", "a page came twice");
        }
        bench.fill(101, 1);
        assert_eq!(told(bench.list().await), "later", "there is no end");
        bench.fill(100, 1);
        assert_eq!(bench.list().await.unwrap(), bench.expected());
    }
}

/// Changes an answer.
type Change = fn(&mut Value);

fn remove(object: &mut Value, field: &str) {
    object.as_object_mut().unwrap().remove(field);
}

fn entries_of_a(body: &mut Value) -> &mut Value {
    &mut body["data"]["MediaListCollection"]
}

#[tokio::test]
async fn a_list_of_tracker_a_with_wrong_types_is_none() {
    let bench = Bench::of(Which::A).await;
    bench.fill(5, 2);
    let changes: [Change; 15] = [
        |body| *entries_of_a(body) = json!(null),
        |body| entries_of_a(body)["hasNextChunk"] = json!(null),
        |body| entries_of_a(body)["hasNextChunk"] = json!("true"),
        |body| entries_of_a(body)["lists"] = json!(null),
        |body| entries_of_a(body)["lists"] = json!([]),
        |body| entries_of_a(body)["lists"] = json!({}),
        |body| entries_of_a(body)["lists"][6]["entries"] = json!(null),
        |body| entries_of_a(body)["lists"][1]["entries"] = json!([null]),
        |body| entries_of_a(body)["lists"][0]["entries"][0] = json!({}),
        |body| first_of_a(body)["mediaId"] = json!(null),
        |body| first_of_a(body)["status"] = json!(null),
        |body| first_of_a(body)["status"] = json!("FROZEN"),
        |body| first_of_a(body)["progress"] = json!(-1),
        |body| first_of_a(body)["progress"] = json!("3"),
        |body| first_of_a(body)["updatedAt"] = json!(1.5),
    ];
    for (position, change) in changes.into_iter().enumerate() {
        bench.fake.fail(Fault::edit(change));
        assert_eq!(told(bench.list().await), "later", "{position}");
    }
    let nulls: Change = |body| {
        for field in ["progress", "private", "updatedAt", "media"] {
            first_of_a(body)[field] = json!(null);
        }
    };
    bench.fake.fail(Fault::edit(nulls));
    let mut expected = bench.expected();
    let first = &mut expected[0];
    (first.progress, first.updated_at, first.episodes) = (0, 0, None);
    assert_eq!(bench.list().await.unwrap(), expected);
}

/// The entry of anime 1, which is planned.
fn first_of_a(body: &mut Value) -> &mut Value {
    &mut entries_of_a(body)["lists"][1]["entries"][0]
}

#[tokio::test]
async fn a_list_of_tracker_b_with_wrong_types_is_none() {
    let bench = Bench::of(Which::B).await;
    bench.fill(5, 2);
    let changes: [Change; 15] = [
        |body| body["data"] = json!(null),
        |body| body["data"] = json!([]),
        |body| body["data"] = json!({}),
        |body| body["paging"] = json!(null),
        |body| remove(body, "paging"),
        |body| body["paging"]["next"] = json!(7),
        |body| body["paging"]["next"] = json!(""),
        |body| body["data"][1] = json!(null),
        |body| body["data"][1]["node"]["id"] = json!("2"),
        |body| remove(&mut body["data"][1], "list_status"),
        |body| body["data"][1]["list_status"]["status"] = json!("frozen"),
        |body| body["data"][1]["list_status"]["status"] = json!(null),
        |body| body["data"][1]["list_status"]["num_episodes_watched"] = json!(-1),
        |body| body["data"][1]["list_status"]["is_rewatching"] = json!("no"),
        |body| body["data"][1]["list_status"]["updated_at"] = json!("yesterday"),
    ];
    for (position, change) in changes.into_iter().enumerate() {
        bench.fake.fail(Fault::edit(change));
        assert_eq!(told(bench.list().await), "later", "{position}");
    }
    let absent: Change = |body| {
        body["data"][0]["list_status"] =
            json!({"status": "plan_to_watch", "updated_at": "2017-10"});
        body["data"][0]["node"] = json!({"id": 1});
    };
    bench.fake.fail(Fault::edit(absent));
    let mut expected = bench.expected();
    let first = &mut expected[0];
    (first.progress, first.updated_at, first.episodes) = (0, 1_506_816_000, None);
    assert_eq!(bench.list().await.unwrap(), expected);
}

/// Whoever is named there gets no token.
#[tokio::test]
async fn a_next_page_elsewhere_is_refused() {
    let bench = Bench::of(Which::B).await;
    let thief = Fake::start(Which::B, bench.clock.clone()).await;
    bench.fill(5, 2);
    let own = bench.fake.origin.clone();
    let port = own.rsplit_once(':').unwrap().1;
    let path = "/v2/users/@me/animelist?offset=2";
    let addresses = [
        format!("{}{path}", thief.origin),
        format!("{own}@{}{path}", thief.origin.trim_start_matches("http://")),
        format!("http://me:password@127.0.0.1:{port}{path}"),
        format!("https://127.0.0.1:{port}{path}"),
        format!("http://localhost:{port}{path}"),
        path.to_owned(),
        format!("//127.0.0.1:{port}{path}"),
        "file:///etc/passwd".to_owned(),
    ];
    for address in addresses {
        let before = bench.fake.count();
        let named = json!(address);
        bench
            .fake
            .fail(Fault::edit(move |body| body["paging"]["next"] = named));
        assert_eq!(told(bench.list().await), "later", "{address}");
        assert_eq!(
            (bench.fake.count(), thief.count()),
            (before + 1, 0),
            "{address}"
        );
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for bench in Bench::both().await {
        let thief = Fake::start(bench.fake.which, bench.clock.clone()).await;
        for status in [301, 302, 307, 308] {
            for call in 0..3 {
                bench
                    .fake
                    .fail(refusal(status, &[("location", &thief.origin)]));
                assert_eq!(told(bench.call(call).await), "later");
            }
        }
        assert_eq!(thief.count(), 0);
    }
}

#[tokio::test]
async fn a_token_that_is_refused_or_none() {
    for mut bench in Bench::both().await {
        bench.tokens.access = "old".to_owned();
        for call in 0..3 {
            assert_eq!(told(bench.call(call).await), "reconnect");
        }
        let before = bench.fake.count();
        for none in ["", "two words", "line\r\nbreak", "é"] {
            none.clone_into(&mut bench.tokens.access);
            assert_eq!(told(bench.viewer().await), "reconnect");
        }
        assert_eq!(bench.fake.count(), before);
    }
}

/// Tracker A says what is wrong in an answer whose status is 200.
#[tokio::test]
async fn errors_on_200_are_read() {
    let cases = [
        (json!([{"message": LEAK, "status": 400}]), "final"),
        (json!([{"message": LEAK, "status": 404}]), "final"),
        (json!([{"message": LEAK, "status": 401}]), "reconnect"),
        (
            json!([{"message": "invalid token", "status": 400}]),
            "reconnect",
        ),
        (json!([{"message": "Invalid token"}]), "reconnect"),
        (json!([{"message": LEAK, "status": 403}]), "later 3600"),
        (json!([{"message": LEAK, "status": 429}]), "later 60"),
        (json!([{"message": LEAK, "status": 500}]), "later"),
        (json!([{"message": LEAK}]), "later"),
        (json!([{"message": null, "status": null}]), "later"),
        (json!([{}]), "later"),
        (json!([{"status": 404}, {"status": 500}]), "later"),
        (
            json!([{"status": 404}, {"status": 401}, {"status": 500}]),
            "reconnect",
        ),
        (json!(LEAK), "later"),
        (json!([LEAK]), "later"),
        (json!([{"status": "404"}]), "later"),
        (json!([]), "well"),
        (json!(null), "well"),
    ];
    let bench = Bench::of(Which::A).await;
    bench.fill(3, 10);
    for call in 0..3 {
        for (errors, expected) in cases.clone() {
            let named = errors.clone();
            bench
                .fake
                .fail(Fault::edit(move |body| body["errors"] = named));
            assert_eq!(told(bench.call(call).await), expected, "{call} {errors}");
            bench.clock.advance(Duration::from_hours(1));
        }
    }
}

#[tokio::test]
async fn an_answer_about_another_anime_is_none() {
    let bench = Bench::of(Which::A).await;
    let change: Change = |body| body["data"]["SaveMediaListEntry"]["mediaId"] = json!(8);
    bench.fake.fail(Fault::edit(change));
    assert_eq!(told(bench.save(&watching(7, 3)).await), "later");
}

#[tokio::test]
async fn a_refresh_rotates() {
    let mut bench = Bench::of(Which::B).await;
    let first = bench.refresh().await.unwrap();
    assert_eq!(
        bench.fake.last().form()["refresh_token"],
        bench.tokens.refresh.clone().unwrap()
    );
    assert_eq!(first.refresh, Some(bench.fake.state().refresh()));
    assert_ne!(first.refresh, bench.tokens.refresh);
    assert_eq!(
        told(bench.refresh().await),
        "reconnect",
        "the old one has ended"
    );
    bench.tokens = first;
    assert_eq!(told(bench.viewer().await), "well");

    bench.fake.state().rotates = false;
    let second = bench.refresh().await.unwrap();
    assert_eq!(
        second.refresh, bench.tokens.refresh,
        "the answer left it out"
    );
    assert_ne!(second.access, bench.tokens.access);
    bench.tokens = second;
    assert_eq!(told(bench.refresh().await), "well");
}

/// The tracker has rotated, and nobody knows to what.
#[tokio::test]
async fn a_refresh_whose_answer_is_lost() {
    for fault in [|| Fault::Cut, || Fault::Truncate] {
        let bench = Bench::of(Which::B).await;
        bench.fake.fail(fault());
        assert_eq!(told(bench.refresh().await), "later");
        assert_eq!(bench.fake.state().rotations, 1);
        assert_eq!(told(bench.refresh().await), "reconnect");
    }
}

#[tokio::test]
async fn tokens_are_read_whole_or_not_at_all() {
    let refused: [Change; 10] = [
        |body| *body = json!(null),
        |body| *body = json!([LEAK]),
        |body| body["access_token"] = json!(null),
        |body| body["access_token"] = json!(""),
        |body| body["access_token"] = json!(7),
        |body| body["access_token"] = json!("two words"),
        |body| body["access_token"] = json!("line\nbreak"),
        |body| body["refresh_token"] = json!(7),
        |body| body["refresh_token"] = json!("two words"),
        |body| body["token_type"] = json!("mac"),
    ];
    for bench in Bench::both().await {
        for change in refused {
            bench.fake.fail(Fault::edit(change));
            assert_eq!(told(bench.exchange(CODE).await), "later");
        }
        for lifetime in [json!(null), json!("soon"), json!(-1), json!(1.5)] {
            bench
                .fake
                .fail(Fault::edit(move |body| body["expires_in"] = lifetime));
            let tokens = bench.exchange(CODE).await.unwrap();
            assert_eq!((tokens.expires_at, tokens.are_due(u64::MAX)), (None, false));
        }
        let forever: Change = |body| body["expires_in"] = json!(u64::MAX);
        bench.fake.fail(Fault::edit(forever));
        assert!(!bench.exchange(CODE).await.unwrap().are_due(START_MS));
    }
    let tokens = Bench::of(Which::B).await.exchange(CODE).await.unwrap();
    let end = tokens.expires_at.unwrap();
    assert!(!tokens.are_due(end - 61) && tokens.are_due(end - 60) && tokens.are_due(end));
}

#[tokio::test]
async fn what_the_token_endpoint_refuses() {
    let cases = [
        (401, "invalid_token", "reconnect"),
        (401, "invalid_request", "reconnect"),
        (400, "invalid_grant", "reconnect"),
        (400, "invalid_request", "final"),
        (403, "forbidden", "later 3600"),
        (500, "server_error", "later"),
        // The operator's fault: no user could mend it.
        (401, "invalid_client", "later"),
        (400, "unauthorized_client", "later"),
    ];
    let bench = Bench::of(Which::B).await;
    for (status, error, expected) in cases {
        let body = json!({"error": error, "message": LEAK}).to_string();
        bench.fake.fail(Fault::answer(status, &body));
        assert_eq!(told(bench.refresh().await), expected, "{error}");
        bench.clock.advance(Duration::from_hours(2));
    }
    for (fault, expected) in FAULTS {
        bench.fake.fail(fault());
        assert_eq!(told(bench.refresh().await), expected);
        bench.tokens_still_hold().await;
    }
    let public = Bench::with(Which::B, |config| config.client_secret.clear()).await;
    assert_eq!(
        told(public.refresh().await),
        "later",
        "the fake wants a secret"
    );
    assert!(!public.fake.last().body.contains("client_secret"));
    let a = Bench::of(Which::A).await;
    assert_eq!(told(a.refresh().await), "reconnect");
    assert_eq!(a.fake.count(), 0);
}

impl Bench {
    /// Puts the fake back to the tokens that the caller has: a fault may have cost them.
    async fn tokens_still_hold(&self) {
        {
            let mut state = self.fake.state();
            (state.grants, state.rotations) = (0, 0);
        }
        self.clock.advance(Duration::from_hours(25));
        assert_eq!(told(self.viewer().await), "well");
    }
}

/// Neither fake lets through more than there may be a minute.
#[tokio::test]
async fn calls_are_spaced() {
    for (which, least) in [(Which::A, 2_000), (Which::B, 1_000)] {
        // Tracker A says by itself that it allows less than it documents.
        let said = |config: &mut Config| config.limits.calls_a_minute = 90;
        let bench = match which {
            Which::A => Bench::with(which, said).await,
            Which::B => Bench::of(which).await,
        };
        for call in 0..100 {
            assert_eq!(told(bench.call(call % 3).await), "well");
        }
        let spaced = |gap: &u64| (least..least + 100).contains(gap);
        assert!(bench.gaps().iter().all(spaced));
    }
}

/// Callers that wait at the same time do not go at the same time.
#[tokio::test(start_paused = true)]
async fn many_callers_take_turns() {
    let clock = Clock::manual(START_MS);
    let (limits, turns) = (Config::my_anime_list().limits, Mutex::new(Vec::new()));
    let pace = Pace::new(limits, clock.clone(), Waiter::Sleep);
    let passes = clock.clone();
    tokio::spawn(async move {
        loop {
            time::sleep(Duration::from_millis(1)).await;
            passes.advance(Duration::from_millis(1));
        }
    });
    let calls = (0..20).map(|_| async {
        let deadline = START_MS + 3_600_000;
        pace.turn("call", Kind::Read, deadline).await.unwrap();
        turns.lock().unwrap().push(clock.now_ms());
    });
    join_all(calls).await;
    let turns = turns.into_inner().unwrap();
    assert!(turns.windows(2).all(|pair| pair[1] - pair[0] >= 1_000));
    assert!(turns.len() == 20 && turns[19] < START_MS + 25_000);
}

/// However many reads there may be, tracker B gets a write a second.
#[tokio::test]
async fn writes_to_tracker_b_are_a_second_apart() {
    let bench = Bench::with(Which::B, |config| config.limits.calls_a_minute = 10_000).await;
    for id in 1..10 {
        assert_eq!(told(bench.save(&watching(id, 1)).await), "well");
    }
    assert!(bench.gaps().iter().all(|gap| *gap == 1_000));
}

#[tokio::test]
async fn what_would_wait_beyond_its_deadline_is_for_later_at_once() {
    for which in [Which::A, Which::B] {
        let bench = Bench::with(which, |config| config.limits.calls_a_minute = 2).await;
        assert_eq!(told(bench.viewer().await), "well");
        let soon = bench.tracker.viewer(&bench.tokens, bench.in_time(60)).await;
        assert_eq!(told(soon), "later 60");
        let past = bench.tracker.viewer(&bench.tokens, START_MS).await;
        assert_eq!(told(past), "later");
        assert_eq!((bench.clock.now_ms(), bench.fake.count()), (START_MS, 1));
        // The first page is read, and there is no time for the second.
        bench.fill(5, 2);
        let deadline = bench.in_time(100);
        let list = bench.tracker.list(&bench.tokens, VIEWER.0, deadline).await;
        assert_eq!((told(list).as_str(), bench.fake.count()), ("later 60", 2));
    }
}

type Headers<'h> = Vec<(&'static str, &'h str)>;

/// A status and headers, and for how many seconds nothing is asked then.
#[tokio::test]
async fn a_tracker_that_has_enough_is_left_alone() {
    let reset = (START_MS / 1_000 + 40).to_string();
    let past = (START_MS / 1_000 - 40).to_string();
    let none = ("x-ratelimit-remaining", "0");
    let cases: [(u16, Headers<'_>, u64); 9] = [
        (429, vec![("retry-after", "17")], 17),
        (429, vec![none, ("retry-after", "17")], 17),
        (429, vec![("retry-after", "0")], 1),
        (429, vec![("x-ratelimit-reset", &reset)], 40),
        (
            429,
            vec![("retry-after", "17"), ("x-ratelimit-reset", &reset)],
            17,
        ),
        (429, vec![("x-ratelimit-reset", &past)], 60),
        (403, vec![], 60),
        (200, vec![none], 60),
        (200, vec![none, ("x-ratelimit-reset", &reset)], 40),
    ];
    for which in [Which::A, Which::B] {
        for (status, headers, seconds) in cases.clone() {
            let bench = Bench::of(which).await;
            bench.fake.fail(match status {
                200 => {
                    let owned = |(name, value): (&'static str, &str)| (name, value.to_owned());
                    Fault::Headers(headers.into_iter().map(owned).collect())
                }
                _ => refusal(status, &headers),
            });
            assert_eq!(told(bench.viewer().await) == "well", status == 200);
            // Neither the API nor the token endpoint.
            for early in [1, seconds * 1_000] {
                let deadline = START_MS + early;
                let call = bench.tracker.viewer(&bench.tokens, deadline).await;
                assert!(told(call).starts_with("later"));
                let call = bench.tracker.exchange(CODE, VERIFIER, deadline).await;
                assert!(told(call).starts_with("later"));
            }
            assert_eq!((bench.fake.count(), bench.clock.now_ms()), (1, START_MS));
            assert_eq!(told(bench.viewer().await), "well");
            assert!(bench.clock.now_ms() >= START_MS + seconds * 1_000);
            assert!(bench.clock.now_ms() <= START_MS + seconds.max(3) * 1_000);
        }
    }
}

/// The time of the runtime stands still until nobody has anything to do but wait.
#[tokio::test]
async fn a_stall_ends_in_time() {
    for bench in Bench::both().await {
        for (fault, seconds, ends_after) in [
            ((|| Fault::Stall) as fn() -> Fault, 3_600, 30),
            (|| Fault::StallInBody, 3_600, 30),
            (|| Fault::Stall, 5, 5),
        ] {
            bench.clock.advance(Duration::from_mins(1));
            bench.fake.fail(fault());
            let before = bench.fake.count();
            let stalls = async {
                while bench.fake.count() == before {
                    yield_now().await;
                }
                for _ in 0..1_000 {
                    yield_now().await;
                }
                time::pause();
            };
            let started = Instant::now();
            let deadline = bench.in_time(seconds);
            let call = bench.tracker.viewer(&bench.tokens, deadline);
            let (outcome, ()) = tokio::join!(call, stalls);
            let took = started.elapsed().as_secs();
            time::resume();
            let error = outcome.unwrap_err();
            assert!(
                error.to_string().contains(&Cause::Timeout.to_string()),
                "{error}"
            );
            assert!((ends_after - 1..=ends_after + 1).contains(&took), "{took}");
            assert_eq!(told::<()>(Err(error)), "later");
        }
    }
}

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    for which in [Which::A, Which::B] {
        let bench = Bench::with(which, |config| {
            origin.clone_into(&mut config.api);
            origin.clone_into(&mut config.token);
        })
        .await;
        for call in 0..3 {
            assert_eq!(told(bench.call(call).await), "later");
        }
        assert_eq!(told(bench.exchange(CODE).await), "later");
    }
}

#[tokio::test]
async fn nothing_shows_a_secret() {
    for bench in Bench::both().await {
        let tokens = bench.exchange(CODE).await.unwrap();
        let text = format!("{:?} {:?} {tokens:?}", bench.tracker, bench.fake.config());
        for secret in SECRETS {
            assert!(!text.contains(secret), "{text}");
        }
        let stored = serde_json::to_string(&tokens).unwrap();
        assert_eq!(serde_json::from_str::<Tokens>(&stored).unwrap(), tokens);
    }
}

/// An anime of the catalogue with every field, as trackers.md lists them.
fn medium(id: u32) -> Value {
    json!({
        "id": id, "idMal": 1, "title": {"romaji": "Kumo", "english": null, "native": "雲"},
        "synonyms": ["Cloud", null], "genres": ["Drama"], "format": "TV_SHORT", "status": "HIATUS",
        "season": "FALL", "seasonYear": 2_020, "startDate": {"year": 2_020, "month": 10, "day": null},
        "endDate": {"year": null, "month": null, "day": null}, "episodes": null, "duration": 4,
        "nextAiringEpisode": {"airingAt": 1_700_000_000, "episode": 3}, "averageScore": 71,
        "isAdult": false, "updatedAt": 1_699_000_000,
        "coverImage": {"extraLarge": "https://i.test/c", "color": "#abcdef"}, "bannerImage": null,
        "trailer": {"id": "t", "site": "youtube"},
        "relations": {"edges": [
            {"relationType": "PREQUEL", "node": {"id": 4, "type": "ANIME"}},
            {"relationType": "ADAPTATION", "node": {"id": 5, "type": "MANGA"}},
            {"relationType": "SEQUEL", "node": null}, null]},
        "recommendations": {"nodes": [
            {"rating": 2, "mediaRecommendation": {"id": 8}}, null,
            {"rating": 9, "mediaRecommendation": {"id": 7}}, {"rating": 5, "mediaRecommendation": null}]},
        "description": "Clouds.<br>",
    })
}

#[tokio::test]
async fn the_catalogue_of_tracker_a() {
    let bench = Bench::of(Which::A).await;
    let Tracker::AniList(anilist) = &bench.tracker else {
        panic!("another tracker")
    };
    bench.fake.state().media = (1..=51).map(medium).collect();
    let page = anilist.updated_media(1, bench.in_time(60)).await.unwrap();
    assert_eq!((page.media.len(), page.more), (50, true));
    let sent = bench.fake.last();
    assert_eq!(sent.header("authorization"), "", "it is public");
    let expected = json!({"page": 1, "perPage": 50, "sort": ["UPDATED_AT_DESC"]});
    assert_eq!(sent.json()["variables"], expected);
    let query = sent.json()["query"].to_string();
    for field in medium(1).as_object().unwrap().keys() {
        assert!(query.contains(field), "{field}");
    }
    let first = format!("{:?}", page.media[0]);
    for part in [
        "romaji: Some(\"Kumo\"), english: None, native: Some(\"雲\")",
        "synonyms: [\"Cloud\"]",
        "format: Some(TvShort), status: Some(Hiatus), season: Some(Fall), season_year: Some(2020)",
        "start_date: FuzzyDate { year: Some(2020), month: Some(10), day: None }",
        "episodes: None, duration: Some(4)",
        "Airing { airing_at: 1700000000, episode: 3 }",
        "average_score: Some(71), is_adult: Some(false), updated_at: Some(1699000000)",
        "extra_large: Some(\"https://i.test/c\"), color: Some(\"#abcdef\")",
        "Relation { kind: Prequel, id: 4, media: Anime }, Relation { kind: Other, id: 5, media: Manga }",
        "[Recommendation { id: 7, rating: 9 }, Recommendation { id: 8, rating: 2 }]",
    ] {
        assert!(first.contains(part), "{part} in {first}");
    }
    let page = anilist.all_media(2, bench.in_time(60)).await.unwrap();
    assert_eq!((page.media.len(), page.more), (1, false));
    assert_eq!(bench.fake.last().json()["variables"]["sort"], json!(["ID"]));

    let least =
        json!({"id": 1, "title": null, "relations": null, "isAdult": null, "format": "HOLO"});
    let named = least.clone();
    bench.fake.fail(Fault::edit(move |body| {
        body["data"]["Page"]["media"] = json!([named]);
    }));
    assert_eq!(
        told(anilist.updated_media(2, bench.in_time(60)).await),
        "well"
    );
    let wrong: [Change; 6] = [
        |body| body["data"]["Page"] = json!(null),
        |body| body["data"]["Page"]["pageInfo"]["currentPage"] = json!(2),
        |body| body["data"]["Page"]["pageInfo"]["hasNextPage"] = json!(null),
        |body| body["data"]["Page"]["media"] = json!([]),
        |body| body["data"]["Page"]["media"][3]["id"] = json!(null),
        |body| body["data"]["Page"]["media"][3]["averageScore"] = json!("high"),
    ];
    for change in wrong {
        bench.fake.fail(Fault::edit(change));
        assert_eq!(
            told(anilist.updated_media(1, bench.in_time(60)).await),
            "later"
        );
    }
}
