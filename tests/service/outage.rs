//! Outages of DynamoDB: the service responds with 503 within 3 seconds, and recovers without a restart.

use std::time::Duration;

use futures_util::future::join_all;
use tests::proxy::{Mode, Proxy};
use tests::service::{Answer, Service};
use tests::{engine, made_up};
use tokio::time::{self, Instant};

async fn service_behind_proxy() -> (Service, Proxy) {
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = Service::with_client(engine::short_timeout_client(&proxy.endpoint)).await;
    service.put(&made_up::anime(5, 1)).await;
    service.publish().await;
    (service, proxy)
}

fn assert_unavailable(answer: &Answer) {
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(answer.envelope()["message"], "Service unavailable");
}

#[tokio::test]
async fn closed_connections_and_throttling_return_503() {
    let (service, proxy) = service_behind_proxy().await;
    for _ in 0..2 {
        for mode in [Mode::Closed, Mode::Throttling] {
            proxy.set(mode);
            service.let_index_age();
            for path in ["/v1/anime", "/v1/anime/1", "/v1/random/anime", "/v1/song"] {
                assert_unavailable(&service.get(path).await);
            }
            proxy.set(Mode::Up);
            assert_eq!(service.get("/v1/anime/1").await.status, 200);
        }
        assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
    }
}

/// The first `calls` calls of the request succeed, the others fail.
#[tokio::test]
async fn outage_in_the_middle_of_a_request_returns_503() {
    for calls in 0..3 {
        let (service, proxy) = service_behind_proxy().await;
        proxy.set_after(calls, Mode::Closed);
        assert_unavailable(&service.get("/v1/anime").await);
        proxy.set(Mode::Up);
        assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
    }
}

/// Requests that wait for the same load of the index must not add up their waiting times.
#[tokio::test]
async fn concurrent_requests_time_out_within_3_seconds() {
    let (service, proxy) = service_behind_proxy().await;
    proxy.set(Mode::Silent);
    time::pause();
    let started = Instant::now();
    for answer in join_all((0..20).map(|_| service.get("/v1/anime"))).await {
        assert_unavailable(&answer);
    }
    assert!(started.elapsed() < Duration::from_secs(3));
    time::resume();
    proxy.set(Mode::Up);
    assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
}

/// In the first round, no call gets a response. Tokio's clock is paused, so it jumps to the timeouts and the round
/// takes no real time. In the second round the first call succeeds. Time has to run in that round, because paused time
/// would jump to the timeouts while the engine works on the response.
#[tokio::test]
async fn unresponsive_dynamodb_times_out_within_3_seconds() {
    let (service, proxy) = service_behind_proxy().await;
    assert_eq!(service.get("/v1/anime").await.status, 200);
    for calls in [0, 1] {
        service.put(&made_up::anime(5, 2)).await;
        service.publish().await;
        service.let_index_age();
        proxy.set_after(calls, Mode::Silent);
        if calls == 0 {
            time::pause();
        }
        let started = Instant::now();
        assert_unavailable(&service.get("/v1/anime").await);
        let waited = started.elapsed();
        if calls == 0 {
            time::resume();
        }
        assert!(waited > Duration::from_millis(500), "{calls}: {waited:?}");
        assert!(waited < Duration::from_secs(3), "{calls}: {waited:?}");
        proxy.set(Mode::Up);
        assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
    }
}
