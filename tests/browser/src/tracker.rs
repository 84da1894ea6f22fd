//! A fake of both trackers, with the endpoints that linking an account needs.

use axum::extract::Query;
use axum::response::Html;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinHandle;

use crate::service::query;

/// The name of the signed-in user.
const NAME: &str = "okudera";

/// A running tracker. It stops when it is dropped.
#[derive(Debug)]
pub(crate) struct Tracker {
    origin: String,
    server: JoinHandle<()>,
}

impl Tracker {
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let pages = Router::new()
            .route("/authorize", get(authorize))
            .route("/token", post(async || Json(tokens())))
            .route("/", post(async || Json(json!({"data": {"Viewer": me()}}))))
            .route("/users/@me", get(async || Json(me())));
        let server = tokio::spawn(async {
            if let Err(error) = axum::serve(listener, pages).await {
                eprintln!("the tracker: {error}");
            }
        });
        Ok(Self { origin, server })
    }

    /// Configures the fake as both trackers of a service.
    pub(crate) fn configure(&self, service: &mut Command) {
        for letter in ["A", "B"] {
            service.env(format!("TRACKER_{letter}_CLIENT_ID"), "kiroku");
            for (name, path) in [
                ("API", ""),
                ("AUTHORIZE", "/authorize"),
                ("TOKEN", "/token"),
            ] {
                let address = format!("{}{path}", self.origin);
                service.env(format!("TRACKER_{letter}_{name}_URL"), address);
            }
        }
    }
}

impl Drop for Tracker {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn tokens() -> Value {
    json!({"token_type": "Bearer", "access_token": "kumihimo", "expires_in": 3_600})
}

fn me() -> Value {
    json!({"id": 71, "name": NAME})
}

/// Serves the page on which the real trackers ask the user for permission.
async fn authorize(Query(params): Query<Value>) -> Html<String> {
    let of = |name: &str| params[name].as_str().unwrap_or_default();
    let link = |name: &str, answer: (&str, &str)| {
        let sent = query(&[answer, ("state", of("state"))]).unwrap_or_default();
        let sent = sent.replace('&', "&amp;");
        format!(r#"<a href="{}?{sent}">{name}</a> "#, of("redirect_uri"))
    };
    let allow = link("Allow", ("code", "kumihimo"));
    let refuse = link("Refuse", ("error", "access_denied"));
    Html(format!(
        r#"<!doctype html><link rel="icon" href="data:,"><title>A tracker</title><h1>A tracker</h1>{allow}{refuse}"#
    ))
}
