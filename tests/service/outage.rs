//! DynamoDB out of reach: 503 in the envelope within 3 s, and recovery without a restart.

use std::time::Duration;

use futures_util::future::join_all;
use tests::proxy::{Mode, Proxy};
use tests::service::{Answer, Service};
use tests::{engine, made_up};
use tokio::time::{self, Instant};

async fn service_behind_proxy() -> (Service, Proxy) {
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = Service::over(engine::hasty_client(&proxy.endpoint)).await;
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
async fn closed_or_throttling_before_the_first_request_and_after_it() {
    let (service, proxy) = service_behind_proxy().await;
    for _ in 0..2 {
        for mode in [Mode::Closed, Mode::Throttling] {
            proxy.set(mode);
            for path in ["/v1/anime", "/v1/anime/1", "/v1/random/anime", "/v1/song"] {
                assert_unavailable(&service.get(path).await);
            }
            proxy.set(Mode::Up);
            assert_eq!(service.get("/v1/anime/1").await.status, 200);
        }
        assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
    }
}

/// After each number of calls that still get through, the rest of the request fails.
#[tokio::test]
async fn gone_in_the_middle_of_a_request() {
    for calls in 0..3 {
        let (service, proxy) = service_behind_proxy().await;
        proxy.set_after(calls, Mode::Closed);
        assert_unavailable(&service.get("/v1/anime").await);
        proxy.set(Mode::Up);
        assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
    }
}

/// Requests that wait for each other do not wait longer for it.
#[tokio::test]
async fn silent_to_many_at_once() {
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

/// The clock of the runtime is virtual while nobody answers: it jumps to the next deadline.
#[tokio::test]
async fn silent() {
    let (service, proxy) = service_behind_proxy().await;
    assert_eq!(service.get("/v1/anime").await.status, 200);
    for calls in [0, 1] {
        service.let_index_age();
        proxy.set_after(calls, Mode::Silent);
        if calls == 0 {
            time::pause();
        }
        let started = Instant::now();
        assert_unavailable(&service.get("/v1/anime").await);
        if calls == 0 {
            assert!(
                started.elapsed() > Duration::from_millis(500),
                "it did wait"
            );
            assert!(started.elapsed() < Duration::from_secs(3));
            time::resume();
        }
        proxy.set(Mode::Up);
        assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
    }
}
