//! An OAuth application: a server that uses the authorization code flow, and a page that uses the
//! implicit grant.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context, anyhow, bail, ensure};
use axum::extract::{Query, State};
use axum::response::{Html, Redirect};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::service::{Service, http, post_form, query};

/// The `state` parameter. A real application uses a secret random value for each authorization.
const STATE: &str = "kumihimo";

/// The PKCE verifier. A real application uses a secret random value for each authorization.
const VERIFIER: &str = "musubi-musubi-musubi-musubi-musubi-musubi-musubi";

/// The page that the implicit grant returns to. Only the page can read the fragment; servers do not
/// receive it.
const IMPLICIT: &str = include_str!("scripts/implicit.html");

/// A running application. It stops when it is dropped.
#[derive(Debug)]
pub struct Application {
    origin: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    service: String,
    http: reqwest::Client,
    /// The origin that the application listens on.
    origin: String,
    /// The client id at the service.
    client_id: OnceLock<String>,
    /// The latest access token.
    token: Mutex<String>,
}

impl Application {
    /// Starts the application. Users can sign in after [`Self::set_client_id`].
    pub async fn start(service: &Service) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared {
            service: service.origin().to_owned(),
            http: http()?,
            origin: origin.clone(),
            client_id: OnceLock::new(),
            token: Mutex::default(),
        });
        let pages = Router::new()
            .route("/", get(start))
            .route("/log-in", get(log_in))
            .route("/callback", get(callback))
            .route("/log-in-implicit", get(log_in_implicit))
            .route("/implicit", get(async || Html(IMPLICIT)))
            .route("/settings", get(settings))
            .with_state(Arc::clone(&shared));
        let server = tokio::spawn(async {
            if let Err(error) = axum::serve(listener, pages).await {
                eprintln!("the application: {error}");
            }
        });
        Ok(Self {
            origin,
            shared,
            server,
        })
    }

    /// Returns the address of the start page.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the redirect URIs to register.
    pub fn redirect_uris(&self) -> String {
        format!("{0}/callback\n{0}/implicit", self.origin)
    }

    /// Sets the client id.
    pub fn set_client_id(&self, client_id: &str) -> anyhow::Result<()> {
        let set = self.shared.client_id.set(client_id.to_owned());
        set.map_err(|_| anyhow!("the client ID is already set"))
    }

    /// Returns the latest access token.
    pub fn token(&self) -> String {
        let token = self.shared.token.lock();
        token.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    /// Returns a redirect to the authorization endpoint.
    fn request(
        &self,
        kind: &str,
        redirect: &str,
        more: &[(&str, &str)],
    ) -> anyhow::Result<Redirect> {
        let client_id = self.client_id.get().context("no client ID")?;
        let redirect = format!("{}{redirect}", self.origin);
        let own = [
            ("response_type", kind),
            ("client_id", client_id),
            ("redirect_uri", &redirect),
            ("state", STATE),
        ];
        let query = query(&[&own, more].concat())?;
        Ok(Redirect::to(&format!("{}/v1/oauth?{query}", self.service)))
    }

    /// Exchanges the code of a callback. Returns the name of the user.
    async fn name(&self, returned: &Value) -> anyhow::Result<String> {
        let of = |name: &str| returned[name].as_str();
        ensure!(of("state") == Some(STATE), "another state");
        ensure!(of("iss") == Some(&self.service), "another issuer");
        if let Some(error) = of("error") {
            bail!("{error}");
        }
        let redirect = format!("{}/callback", self.origin);
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", self.client_id.get().context("no client ID")?),
            ("redirect_uri", &redirect),
            ("code", of("code").context("no code")?),
            ("code_verifier", VERIFIER),
        ];
        let answer = post_form(&self.http, &self.service, "/v1/oauth/token", &form).await?;
        let token = answer["access_token"].as_str().context("no token")?;
        token.clone_into(&mut self.token.lock().unwrap_or_else(PoisonError::into_inner));
        let me = format!("{}/v1/auth/me", self.service);
        let me = self.http.get(me).bearer_auth(token).send().await?;
        let me: Value = me.json().await?;
        let name = me["data"]["username"].as_str().context("no name")?;
        Ok(name.to_owned())
    }
}

async fn start() -> Html<String> {
    let links =
        r#"<a href="/log-in">Log in</a> <a href="/log-in-implicit">Log in without a server</a>"#;
    page("Radio Itomori", links)
}

async fn log_in(State(shared): State<Arc<Shared>>) -> Result<Redirect, Html<String>> {
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
    let pkce = [
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
    ];
    let request = shared.request("code", "/callback", &pkce);
    request.map_err(|error| fault(&error))
}

async fn callback(
    State(shared): State<Arc<Shared>>,
    Query(returned): Query<Value>,
) -> Html<String> {
    match shared.name(&returned).await {
        Ok(name) => page(&format!("Hello {name}"), ""),
        Err(error) => fault(&error),
    }
}

async fn log_in_implicit(State(shared): State<Arc<Shared>>) -> Result<Redirect, Html<String>> {
    let request = shared.request("token", "/implicit", &[]);
    request.map_err(|error| fault(&error))
}

/// Returns the settings of the implicit grant's page.
async fn settings(State(shared): State<Arc<Shared>>) -> Json<Value> {
    Json(json!({ "service": shared.service, "state": STATE }))
}

fn fault(error: &anyhow::Error) -> Html<String> {
    page(&format!("Not logged in: {error}"), "")
}

fn page(heading: &str, body: &str) -> Html<String> {
    Html(format!(
        r#"<!doctype html><link rel="icon" href="data:,"><title>Radio Itomori</title><h1>{heading}</h1>{body}"#
    ))
}
