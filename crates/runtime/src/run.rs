//! Running of a function on AWS Lambda.

use std::sync::Arc;
use std::time::Duration;

use accounts::users::UserStore;
use axum::Router;
use futures_util::FutureExt;
use futures_util::future::join;
use lambda_http::{LambdaEvent, lambda_runtime, service_fn};
use shared::Result;
use shared::auth::Tokens;
use shared::http::event::{self, GatewayEvent};
use shared::http::layers;
use shared::http::routing::ApiRouter;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::{Environment, observability};

/// The maximum time that building the router waits, so that the first poll for an event goes out first.
const MAX_HEAD_START: Duration = Duration::from_millis(1);

/// Handles Lambda events with the router that `make` builds. Building is delayed by up to 1 ms, so that the
/// first poll for an event goes out first and Lambda delivers the event while the router is built
/// (docs/architecture.md, "Cold starts").
///
/// # Errors
/// Lambda's runtime API is unavailable. An error of `make` is returned to every request.
pub async fn run(
    make: impl FnOnce() -> Result<Router, lambda_http::Error> + Send + 'static,
) -> Result<(), lambda_http::Error> {
    observability::init();
    let first_event = Arc::new(Notify::new());
    let first_event_arrived = Arc::clone(&first_event);
    let router_result = async move {
        // Building begins with the first event or after the delay, whichever comes first.
        let _ = timeout(MAX_HEAD_START, first_event_arrived.notified()).await;
        make().map_err(|error| error.to_string())
    };
    let router_result = router_result.boxed().shared();
    tokio::spawn(router_result.clone());
    lambda_runtime::run(service_fn(move |event: LambdaEvent<GatewayEvent>| {
        let router_result = router_result.clone();
        first_event.notify_one();
        async move { event::respond(router_result.await?, event).await }
    }))
    .await
}

/// Reads the signing keys and opens the connection to DynamoDB, before the first request needs them.
pub async fn warm(tokens: &Tokens, users: &UserStore) -> Result<()> {
    let (tokens, users) = join(tokens.warm(), users.warm()).await;
    tokens.and(users)
}

/// Runs a function with HTTP endpoints. `make` builds the handlers' state from the environment, and `warm` opens
/// connections in the background. An error of `warm` is only logged, because the first request tries again and returns
/// its own error.
///
/// # Errors
/// Lambda's runtime API is unavailable. A missing or invalid setting is an error of every request.
pub async fn run_api<T, W>(
    make: fn(&Environment) -> Result<T, lambda_http::Error>,
    router: fn(T) -> ApiRouter,
    warm: fn(T) -> W,
) -> Result<(), lambda_http::Error>
where
    T: Clone + Send + Sync + 'static,
    W: Future<Output = Result<()>> + Send + 'static,
{
    run(move || {
        let environment = Environment::read()?;
        let state = make(&environment)?;
        let warming = warm(state.clone());
        tokio::spawn(async move {
            if let Err(error) = warming.await {
                tracing::warn!(%error, "not all connections are open yet");
            }
        });
        Ok(layers::service(router(state), environment.layer_settings()))
    })
    .await
}
