//! Metrics of `kiroku serve` in the format OpenMetrics, for Prometheus and other monitoring, on a port of their own.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use accounts::linked_accounts::LeaseStore;
use aws_sdk_dynamodb::Client;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use catalogue::refresh::RefreshSummaryStore;
use dynamo::Database;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use shared::http::layers::method_name;
use tokio::time::Instant;

use crate::http::loopback;
use crate::serve::call_meter::{CallMeter, RecordCall};
use crate::serve::smtp::SmtpQueue;

/// The media type of OpenMetrics.
const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bounds of the histogram's buckets, in seconds. A response takes at most 8 seconds.
const BUCKETS_S: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 8.0,
];

/// The name and the value of a label.
type Label = (&'static str, Cow<'static, str>);

/// The metrics of a running service. Clones share their values.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// The numbers of requests, by method, route and status.
    requests: Family<[Label; 3], Counter>,
    /// The durations of requests, by method and route.
    durations: Family<[Label; 2], Histogram, fn() -> Histogram>,
    /// The numbers of calls, by operation and outcome: `success` or `error`. A write whose condition is not met is also
    /// an error.
    calls: Family<[Label; 2], Counter>,
    /// The request units of calls, by operation.
    units: Family<[Label; 1], Counter<f64, AtomicU64>>,
    /// The numbers of lookups in the cache of the catalogue, by outcome.
    lookups: Family<[Label; 1], Counter>,
    sync_delay: Gauge<f64, AtomicU64>,
    refresh_age: Gauge<f64, AtomicU64>,
    mails: Gauge<f64, AtomicU64>,
    registry: Arc<Registry>,
}

impl Default for Metrics {
    fn default() -> Self {
        let requests = Family::default();
        let durations = Family::new_with_constructor((|| Histogram::new(BUCKETS_S)) as fn() -> _);
        let calls = Family::default();
        let mut registry = Registry::with_prefix("kiroku");
        registry.register(
            "http_requests",
            "Answered requests by method, route pattern and status",
            requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Time from the head of a request to the head of its response",
            Unit::Seconds,
            durations.clone(),
        );
        registry.register(
            "dynamodb_calls",
            "Calls of DynamoDB, each with its retries; a condition that is not met is an error",
            calls.clone(),
        );
        let units = Family::default();
        registry.register(
            "dynamodb_units",
            "Read and write request units of the calls that succeeded",
            units.clone(),
        );
        let lookups = Family::default();
        registry.register(
            "catalogue_lookups",
            "Documents of the catalogue that were looked up in the cache of the process",
            lookups.clone(),
        );
        let [sync_delay, refresh_age, mails] = [(); 3].map(|()| Gauge::default());
        registry.register_with_unit(
            "sync_delay",
            "Time for which the user who waits longest has been due for synchronization; 0 if no user is due",
            Unit::Seconds,
            sync_delay.clone(),
        );
        registry.register_with_unit(
            "refresh_age",
            "Time since the end of the last refresh of the catalogue; -1 before the first one",
            Unit::Seconds,
            refresh_age.clone(),
        );
        registry.register(
            "mails_waiting",
            "Mails that have not been sent to the SMTP server yet",
            mails.clone(),
        );
        Self {
            requests,
            durations,
            calls,
            units,
            lookups,
            sync_delay,
            refresh_age,
            mails,
            registry: Arc::new(registry),
        }
    }
}

impl Metrics {
    /// Counts the requests to a router.
    pub fn count_requests(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), record))
    }

    /// Returns a client whose calls are counted.
    pub fn count_calls(&self, client: &Client) -> Client {
        let config = client
            .config()
            .to_builder()
            .interceptor(CallMeter(self.clone()));
        Client::from_conf(config.build())
    }

    /// Returns the router with the page of the metrics, `/metrics`. `mails` is the queue of mails; `None` if there is
    /// none. With `is_for_loopback`, requests that can come from a web page are refused.
    pub fn router(
        self,
        database: Database,
        mails: Option<Arc<SmtpQueue>>,
        is_for_loopback: bool,
    ) -> Router {
        let page = MetricsPage {
            metrics: self,
            database,
            mails,
        };
        let router = Router::new().route("/metrics", get(show)).with_state(page);
        if is_for_loopback {
            router.layer(from_fn(refuse_browsers))
        } else {
            router
        }
    }

    /// Measures the values that change without a request. The queues cost two read units. A gauge whose queue cannot be
    /// read keeps its value.
    async fn measure(&self, database: &Database, mails: Option<&SmtpQueue>) {
        let now_ms = database.clock.now_ms();
        let since =
            |time_ms: u64| Duration::from_millis(now_ms.saturating_sub(time_ms)).as_secs_f64();
        let leases = LeaseStore::new(database);
        let summary = RefreshSummaryStore::new(database);
        let (due, refreshed) = tokio::join!(leases.due_users(now_ms, 1), summary.read());
        if let Ok(due) = due {
            let delay = due.first().map_or(0.0, |user| since(user.sync_due_at));
            self.sync_delay.set(delay);
        }
        if let Ok(refreshed) = refreshed {
            let age = refreshed.map_or(-1.0, |summary| since(summary.ended_at * 1000));
            self.refresh_age.set(age);
        }
        let waiting = mails.map_or(0, SmtpQueue::waiting);
        self.mails.set(f64::from(waiting));
        let lookups = catalogue::cache_lookups();
        for (outcome, count) in [("hit", lookups.hits), ("miss", lookups.misses)] {
            let counter = self.lookups.get_or_create(&[("outcome", outcome.into())]);
            counter.inner().store(count, Ordering::Relaxed);
        }
    }
}

/// The page of the metrics, and the queues that it measures.
#[derive(Clone)]
struct MetricsPage {
    metrics: Metrics,
    database: Database,
    mails: Option<Arc<SmtpQueue>>,
}

async fn refuse_browsers(request: Request, next: Next) -> Response {
    match loopback::refusal(request.headers()) {
        None => next.run(request).await,
        Some(reason) => (StatusCode::FORBIDDEN, reason).into_response(),
    }
}

async fn show(State(page): State<MetricsPage>) -> Response {
    let mails = page.mails.as_deref();
    page.metrics.measure(&page.database, mails).await;
    let mut text = String::new();
    match encode(&mut text, &page.metrics.registry) {
        Ok(()) => ([(header::CONTENT_TYPE, MEDIA_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn record(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    let method = method_name(request.method());
    // The label is the pattern of the path, such as `/v1/user/{id}`, because a path can contain private data, and there
    // are arbitrarily many paths.
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("unmatched", MatchedPath::as_str).to_owned();
    let started = Instant::now();
    let response = next.run(request).await;
    let labels: [Label; 2] = [("method", method.into()), ("route", route.into())];
    let duration_s = started.elapsed().as_secs_f64();
    metrics.durations.get_or_create(&labels).observe(duration_s);
    let [method, route] = labels;
    let status = ("status", response.status().as_str().to_owned().into());
    let labels = [method, route, status];
    metrics.requests.get_or_create(&labels).inc();
    response
}

impl RecordCall for Metrics {
    fn record(&self, operation: &str, is_success: bool, units: f64) {
        let operation: Label = ("operation", operation.to_owned().into());
        let outcome = if is_success { "success" } else { "error" };
        let labels = [operation.clone(), ("outcome", outcome.into())];
        self.calls.get_or_create(&labels).inc();
        self.units.get_or_create(&[operation]).inc_by(units);
    }
}
