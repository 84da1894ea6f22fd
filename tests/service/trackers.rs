//! Behavior that both tracker clients share, tested with the fake trackers (docs/trackers.md). Each test
//! runs for both trackers unless it says otherwise.

mod connect;
mod download;
mod faults;
mod limits;
mod lists;
mod media;
mod tokens;

use serde_json::{Value, json};
use shared::clock::Clock;
use shared::models::{
    DetailsChange, Notes, PartialDate, TrackerName, UserScore, WatchProgress, WatchStatus,
};
use tests::assertions::AssertText;
use tests::log::Log;
use tests::service::START_MS;
use tests::trackers::{
    CLIENT_ID, CLIENT_SECRET, CODE, Fake, Fault, NO_ANIME, REDIRECT_URI, Row, VERIFIER, VIEWER,
    Which, pairs,
};
use trackers::{
    CallKind, Cause, Config, EntryWrite, MAX_RESPONSE, ScoreFormat, Tracker, TrackerEntry,
    TrackerError, TrackerPace, TrackerTokens, UserList, Viewer, Waiter,
};

/// Texts that must not appear in errors and logs. The bodies of the faults contain some of them.
const SECRETS: [&str; 6] = [
    "access-token",
    "refresh-token",
    CLIENT_SECRET,
    CODE,
    VERIFIER,
    "mitsuha",
];

const LEAK: &str = "Bearer access-token-0000 refresh-token-0000-r of mitsuha@example.com";

/// A tracker client, its fake, and the clock of both.
struct Fixture {
    fake: Fake,
    tracker: Tracker,
    clock: Clock,
    tokens: TrackerTokens,
}

impl Fixture {
    async fn new(which: Which) -> Self {
        Self::with_config(which, |_| ()).await
    }

    async fn with_config(which: Which, change: impl Fn(&mut Config)) -> Self {
        let clock = Clock::manual(START_MS);
        let fake = Fake::start(which, clock.clone()).await;
        let mut config = fake.config();
        change(&mut config);
        let tracker = new_tracker(which, config, &clock);
        let tokens = fake.tokens();
        Self {
            fake,
            tracker,
            clock,
            tokens,
        }
    }

    async fn both() -> [Self; 2] {
        [Self::new(Which::A).await, Self::new(Which::B).await]
    }

    /// Fills the list with entries of every kind.
    fn fill(&self, entries: u32, per_page: usize) {
        let mut state = self.fake.state();
        state.per_page = per_page;
        state.rows = (1..=entries).map(|id| (id, list_row(id))).collect();
    }

    /// Returns the entries that the client should return.
    fn expected(&self) -> Vec<TrackerEntry> {
        let is_a = self.fake.which() == Which::A;
        let entry = |(id, row): (&u32, &Row)| TrackerEntry {
            media_id: *id,
            status: row.status,
            progress: row.progress,
            details: DetailsChange {
                score: Some(UserScore::from_tenths(
                    u16::try_from(row.score).unwrap() * if is_a { 10 } else { 100 },
                )),
                started_on: Some(row.started_on),
                finished_on: Some(row.finished_on),
                repeats: u16::try_from(row.repeats).ok(),
                notes: Notes::new(&row.notes).ok(),
                private: is_a.then_some(row.private),
            },
            updated_at: row.updated_at,
            episodes: row.episodes,
        };
        self.fake.state().rows.iter().map(entry).collect()
    }

    fn deadline_in(&self, seconds: u64) -> u64 {
        self.clock.now_ms() + seconds * 1_000
    }

    async fn viewer(&self) -> Result<Viewer, TrackerError> {
        self.tracker
            .viewer(&self.tokens, self.deadline_in(3_600))
            .await
    }

    async fn user_list(&self) -> Result<UserList, TrackerError> {
        let deadline = self.deadline_in(3_600);
        self.tracker.list(&self.tokens, VIEWER.0, deadline).await
    }

    async fn list(&self) -> Result<Vec<TrackerEntry>, TrackerError> {
        self.user_list().await.map(|list| list.entries)
    }

    async fn save(&self, write: &EntryWrite) -> Result<TrackerEntry, TrackerError> {
        let deadline = self.deadline_in(3_600);
        self.tracker.save(&self.tokens, write, deadline).await
    }

    async fn refresh(&self) -> Result<TrackerTokens, TrackerError> {
        let deadline = self.deadline_in(3_600);
        self.tracker.refresh(&self.tokens, deadline).await
    }

    async fn exchange(&self, code: &str) -> Result<TrackerTokens, TrackerError> {
        let deadline = self.deadline_in(3_600);
        self.tracker.exchange(code, VERIFIER, deadline).await
    }

    /// Calls one of the three operations of a sync run.
    async fn call(&self, number: usize) -> Result<(), TrackerError> {
        match number {
            0 => self.viewer().await.map(drop),
            1 => self.list().await.map(drop),
            _ => self.save(&watching_write(7, 3)).await.map(drop),
        }
    }

    /// Returns the times between calls, in milliseconds.
    fn gaps(&self) -> Vec<u64> {
        let state = self.fake.state();
        let calls = state.received.windows(2);
        calls.map(|pair| pair[1].at - pair[0].at).collect()
    }
}

fn new_tracker(which: Which, config: Config, clock: &Clock) -> Tracker {
    let waiter = Waiter::Move(clock.clone());
    let name = match which {
        Which::A => TrackerName::A,
        Which::B => TrackerName::B,
    };
    let made = Tracker::new(name, config, clock.clone(), waiter);
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

fn list_row(id: u32) -> Row {
    Row {
        status: STATUSES[id as usize % 6],
        progress: id % 12,
        episodes: (!id.is_multiple_of(4)).then_some(12),
        score: u64::from(id % 11),
        started_on: date(["", "2017", "2017-10", "2017-10-23"][id as usize % 4]),
        finished_on: date(["", "2018-02-28", "2018"][id as usize % 3]),
        repeats: u64::from(id % 5 / 2),
        notes: "A note. ".repeat(id as usize % 3),
        private: id.is_multiple_of(5),
        hidden: id.is_multiple_of(7),
        updated_at: 1_600_000_000 + u64::from(id),
    }
}

fn date(text: &str) -> Option<PartialDate> {
    PartialDate::parse(text).ok()
}

fn watching_write(media_id: u32, progress: u32) -> EntryWrite {
    EntryWrite {
        media_id,
        watched: Some(WatchProgress {
            status: WatchStatus::Current,
            progress,
        }),
        episodes: None,
        details: DetailsChange::default(),
    }
}

/// Returns the action that an outcome asks for, and the seconds to wait. Checks that the error contains
/// no secret.
fn action_of<T: std::fmt::Debug>(outcome: Result<T, TrackerError>) -> String {
    let Err(error) = outcome else {
        return "ok".to_owned();
    };
    tracing::warn!(target: "shared", %error, ?error, "tracker");
    let text = format!("{error} {error:?}");
    for secret in SECRETS {
        text.assert_lacks(secret);
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

/// Returns an error response in the formats of both trackers.
fn error_response(status: u16, headers: &[(&'static str, &str)]) -> Fault {
    let errors = json!([{"message": LEAK, "status": status}]);
    let body = json!({"error": "some_error", "message": LEAK, "data": null, "errors": errors});
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    Fault::Answer(status, headers.collect(), body.to_string())
}

fn html_response(status: u16) -> Fault {
    let headers = vec![("content-type", "text/html; charset=utf-8".to_owned())];
    Fault::Answer(status, headers, format!("<html><body>{LEAK}</body></html>"))
}

/// A function that makes a fault, and the expected action.
type Case = (fn() -> Fault, &'static str);

const FAULTS: [Case; 26] = [
    (|| error_response(400, &[]), "final"),
    (|| error_response(404, &[]), "final"),
    (|| error_response(422, &[]), "final"),
    (|| error_response(401, &[]), "reconnect"),
    (|| error_response(403, &[]), "later 3600"),
    (|| html_response(403), "later 3600"),
    (|| error_response(429, &[("retry-after", "17")]), "later 17"),
    (
        || error_response(429, &[("retry-after", "soon")]),
        "later 60",
    ),
    (
        || error_response(429, &[("retry-after", "99999999999999999999")]),
        "later 60",
    ),
    (
        || error_response(429, &[("retry-after", "9999999999999999999")]),
        "later 86400",
    ),
    (|| error_response(429, &[]), "later 60"),
    (|| error_response(418, &[]), "later"),
    (|| error_response(500, &[]), "later"),
    (|| error_response(503, &[("retry-after", "5")]), "later 5"),
    (|| html_response(502), "later"),
    (|| html_response(200), "later"),
    (|| html_response(400), "later"),
    (|| html_response(401), "later"),
    (|| html_response(404), "later"),
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

/// Changes a response body.
type Change = fn(&mut Value);

fn remove(object: &mut Value, field: &str) {
    object.as_object_mut().unwrap().remove(field);
}
