//! Rate limits and deadlines.

use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time;

use super::{
    CODE, CallKind, Clock, Config, Fault, Fixture, START_MS, TrackerName, TrackerPace, VERIFIER,
    VIEWER, Waiter, Which, action_of, error_response, watching_write,
};

/// The calls stay within each tracker's rate limit per minute.
#[tokio::test]
async fn calls_are_spaced_by_the_rate_limit() {
    for (which, least) in [(Which::A, 2_000), (Which::B, 1_000)] {
        // `AniList` announces a lower limit in its headers than it documents.
        let documented_limit = |config: &mut Config| config.limits.calls_a_minute = 90;
        let fixture = match which {
            Which::A => Fixture::with_config(which, documented_limit).await,
            Which::B => Fixture::new(which).await,
        };
        for call in 0..100 {
            assert_eq!(action_of(fixture.call(call % 3).await), "ok");
        }
        let spaced = |gap: &u64| (least..least + 100).contains(gap);
        assert!(fixture.gaps().iter().all(spaced));
    }
}

/// Callers that wait at the same time get different turns.
#[tokio::test(start_paused = true)]
async fn concurrent_callers_take_turns() {
    let clock = Clock::manual(START_MS);
    let (limits, turns) = (Config::of(TrackerName::B).limits, Mutex::new(Vec::new()));
    let pace = TrackerPace::new(limits, clock.clone(), Waiter::Sleep);
    let advancing_clock = clock.clone();
    tokio::spawn(async move {
        loop {
            time::sleep(Duration::from_millis(1)).await;
            advancing_clock.advance(Duration::from_millis(1));
        }
    });
    let calls = (0..20).map(|_| async {
        let deadline = START_MS + 3_600_000;
        pace.wait_for_turn("call", CallKind::Read, deadline)
            .await
            .unwrap();
        turns.lock().unwrap().push(clock.now_ms());
    });
    join_all(calls).await;
    let turns = turns.into_inner().unwrap();
    assert!(turns.windows(2).all(|pair| pair[1] - pair[0] >= 1_000));
    assert!(turns.len() == 20 && turns[19] < START_MS + 25_000);
}

/// `MyAnimeList` gets at most one write per second, however high its rate limit is.
#[tokio::test]
async fn writes_to_my_anime_list_are_one_second_apart() {
    let fixture =
        Fixture::with_config(Which::B, |config| config.limits.calls_a_minute = 10_000).await;
    for id in 1..10 {
        assert_eq!(action_of(fixture.save(&watching_write(id, 1)).await), "ok");
    }
    assert!(fixture.gaps().iter().all(|gap| *gap == 1_000));
}

#[tokio::test]
async fn call_that_cannot_meet_its_deadline_fails_at_once() {
    for which in [Which::A, Which::B] {
        let fixture = Fixture::with_config(which, |config| config.limits.calls_a_minute = 2).await;
        assert_eq!(action_of(fixture.viewer().await), "ok");
        let soon = fixture
            .tracker
            .viewer(&fixture.tokens, fixture.deadline_in(60))
            .await;
        assert_eq!(action_of(soon), "later 60");
        let past = fixture.tracker.viewer(&fixture.tokens, START_MS).await;
        assert_eq!(action_of(past), "later");
        assert_eq!(
            (fixture.clock.now_ms(), fixture.fake.count()),
            (START_MS, 1)
        );
        // The first page is read, and no time is left for the second.
        fixture.fill(5, 2);
        let deadline = fixture.deadline_in(100);
        let list = fixture
            .tracker
            .list(&fixture.tokens, VIEWER.0, deadline)
            .await;
        assert_eq!(
            (action_of(list).as_str(), fixture.fake.count()),
            ("later 60", 2)
        );
    }
}

type Headers<'h> = Vec<(&'static str, &'h str)>;

/// Each case is a status, headers, and the seconds during which no further request may be sent.
#[tokio::test]
async fn rate_limited_tracker_gets_no_requests_until_its_reset() {
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
            let fixture = Fixture::new(which).await;
            fixture.fake.fail(match status {
                200 => {
                    let owned = |(name, value): (&'static str, &str)| (name, value.to_owned());
                    Fault::Headers(headers.into_iter().map(owned).collect())
                }
                _ => error_response(status, &headers),
            });
            assert_eq!(action_of(fixture.viewer().await) == "ok", status == 200);
            // Neither the API nor the token endpoint may be called.
            for early in [1, seconds * 1_000] {
                let deadline = START_MS + early;
                let call = fixture.tracker.viewer(&fixture.tokens, deadline).await;
                assert!(action_of(call).starts_with("later"));
                let call = fixture.tracker.exchange(CODE, VERIFIER, deadline).await;
                assert!(action_of(call).starts_with("later"));
            }
            assert_eq!(
                (fixture.fake.count(), fixture.clock.now_ms()),
                (1, START_MS)
            );
            assert_eq!(action_of(fixture.viewer().await), "ok");
            assert!(fixture.clock.now_ms() >= START_MS + seconds * 1_000);
            assert!(fixture.clock.now_ms() <= START_MS + seconds.max(3) * 1_000);
        }
    }
}
