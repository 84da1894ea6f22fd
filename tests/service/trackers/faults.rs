//! Faults of a tracker, and of the connection to it.

use std::time::Duration;

use serde_json::json;
use tokio::net::TcpSocket;
use tokio::task::yield_now;
use tokio::time::{self, Instant};

use super::{
    CODE, Cause, FAULTS, Fake, Fault, Fixture, LEAK, Log, MAX_RESPONSE, SECRETS, Which, action_of,
    error_response,
};

#[tokio::test]
async fn every_fault_has_an_action_and_leaks_no_secret() {
    let log = Log::begin();
    for fixture in Fixture::both().await {
        fixture.fill(5, 2);
        for call in 0..3 {
            for (position, (fault, expected)) in FAULTS.into_iter().enumerate() {
                fixture.fake.fail(fault());
                let case = format!("{:?} {call} {position}", fixture.fake.which());
                assert_eq!(action_of(fixture.call(call).await), expected, "{case}");
                fixture.clock.advance(Duration::from_hours(25));
                assert_eq!(action_of(fixture.call(call).await), "ok", "{case}");
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
async fn response_body_is_limited() {
    let viewer = json!({"id": 1, "name": "a", "data": {"Viewer": {"id": 1, "name": "a"}}});
    let mut body = viewer.to_string();
    body.push_str(&" ".repeat(MAX_RESPONSE - body.len()));
    for fixture in Fixture::both().await {
        fixture.fake.fail(Fault::answer(200, &body));
        assert_eq!(action_of(fixture.viewer().await), "ok");
        fixture.fake.fail(Fault::answer(200, &format!("{body} ")));
        assert_eq!(action_of(fixture.viewer().await), "later");
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for fixture in Fixture::both().await {
        let thief = Fake::start(fixture.fake.which(), fixture.clock.clone()).await;
        for status in [301, 302, 307, 308] {
            for call in 0..3 {
                fixture
                    .fake
                    .fail(error_response(status, &[("location", &thief.origin)]));
                assert_eq!(action_of(fixture.call(call).await), "later");
            }
        }
        assert_eq!(thief.count(), 0);
    }
}

/// `AniList` reports errors in a response with status 200.
#[tokio::test]
async fn errors_in_a_200_response_are_detected() {
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
        (json!([]), "ok"),
        (json!(null), "ok"),
    ];
    let fixture = Fixture::new(Which::A).await;
    fixture.fill(3, 10);
    for call in 0..3 {
        for (errors, expected) in cases.clone() {
            let named = errors.clone();
            fixture
                .fake
                .fail(Fault::edit(move |body| body["errors"] = named));
            assert_eq!(
                action_of(fixture.call(call).await),
                expected,
                "{call} {errors}"
            );
            fixture.clock.advance(Duration::from_hours(1));
        }
    }
}

/// The runtime's time is paused once the request has arrived. It then jumps to the next timeout when
/// every task is waiting.
#[tokio::test]
async fn stalled_response_times_out() {
    for fixture in Fixture::both().await {
        for (fault, seconds, ends_after, cause) in [
            (
                (|| Fault::Stall) as fn() -> Fault,
                3_600,
                30,
                Cause::Timeout,
            ),
            (|| Fault::StallInBody, 3_600, 30, Cause::Timeout),
            (|| Fault::Stall, 5, 5, Cause::Deadline),
            (|| Fault::StallInBody, 5, 5, Cause::Deadline),
        ] {
            fixture.clock.advance(Duration::from_mins(1));
            fixture.fake.fail(fault());
            let before = fixture.fake.count();
            let stalls = async {
                while fixture.fake.count() == before {
                    yield_now().await;
                }
                for _ in 0..1_000 {
                    yield_now().await;
                }
                time::pause();
            };
            let started = Instant::now();
            let deadline = fixture.deadline_in(seconds);
            let call = fixture.tracker.viewer(&fixture.tokens, deadline);
            let (outcome, ()) = tokio::join!(call, stalls);
            let took = started.elapsed().as_secs();
            time::resume();
            let error = outcome.unwrap_err();
            assert_eq!(error.detail().cause(), cause);
            assert!((ends_after - 1..=ends_after + 1).contains(&took), "{took}");
            assert_eq!(action_of::<()>(Err(error)), "later");
        }
    }
}

#[tokio::test]
async fn refused_connection_is_retried_later() {
    // The socket is bound but does not listen: connections are refused, and no other test gets its port.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let origin = format!("http://{}", socket.local_addr().unwrap());
    for which in [Which::A, Which::B] {
        let fixture = Fixture::with_config(which, |config| {
            origin.clone_into(&mut config.api);
            origin.clone_into(&mut config.token);
        })
        .await;
        for call in 0..3 {
            assert_eq!(action_of(fixture.call(call).await), "later");
        }
        assert_eq!(action_of(fixture.exchange(CODE).await), "later");
    }
}
