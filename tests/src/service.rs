//! The service under test, and what it answers.

use std::sync::Arc;
use std::time::Duration;

use accounts::mail::Carrier;
use aws_sdk_dynamodb::Client;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use catalogue::{Catalogue, FRESH_MS, Resource};
use http_body_util::BodyExt;
use runtime::{Environment, LOCAL_SENDER, MailSettings, Overrides};
use serde_json::Value;
use shared::auth::{KeyRing, KeySource, Passwords};
use shared::clock::Clock;
use shared::http::layers;
use shared::models::{Anime, Song};
use shared::random::Random;
use store::{CatalogueStore, MAX_BATCH_WRITE, TableNames};
use tempfile::TempDir;
use tower::ServiceExt;
use trackers::Trackers;

use crate::engine;

/// When the clock of a service under test stands still: 14 November 2023.
pub const START_MS: u64 = 1_700_000_000_000;

/// Where the service under test is, as its users see it.
pub const PUBLIC_URL: &str = "https://kiroku.test";

/// The whole service over its own tables, with a clock that stands still.
pub struct Service {
    /// What the requests go into.
    pub router: Router,
    /// The DynamoDB.
    pub client: Client,
    /// The tables.
    pub tables: TableNames,
    /// The clock.
    pub clock: Clock,
    /// What the functions are built from.
    pub environment: Environment,
    /// What the mails are in.
    pub mail: TempDir,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: bytes::Bytes,
}

impl Service {
    /// A service over new, empty tables.
    pub async fn empty() -> Self {
        Self::over(engine::client(engine::endpoint())).await
    }

    /// A service whose functions use this client. The tables are made, and may be filled, past it.
    pub async fn over(functions_client: Client) -> Self {
        let tables = engine::fresh_tables();
        let client = engine::client(engine::endpoint());
        cli::tables::create_missing(&client, &tables).await.unwrap();
        let (clock, random) = (Clock::manual(START_MS), Random::seeded(1));
        let mail = TempDir::new().unwrap();
        let environment = Environment {
            client: functions_client,
            tables: tables.clone(),
            clock: clock.clone(),
            public_url: PUBLIC_URL.to_owned(),
            overrides: Overrides {
                signing: Some(KeySource::Fixed(Arc::new(KeyRing::new(&random)))),
                encryption: Some(KeySource::Fixed(Arc::new(KeyRing::new(&random)))),
                passwords: Some(Passwords::new(random.clone())),
                mail: Some(MailSettings {
                    carrier: Carrier::Folder {
                        folder: Some(mail.path().to_owned()),
                        print: false,
                    },
                    from: LOCAL_SENDER.to_owned(),
                    reset_floor: Duration::ZERO,
                }),
                trackers: Some(Arc::new(Trackers::off(clock.clone()))),
            },
            random,
        };
        Self {
            router: router(&environment),
            client,
            tables,
            clock,
            environment,
            mail,
        }
    }

    /// A service with this catalogue, published.
    pub async fn with(anime: &[Anime], songs: &[Song]) -> Self {
        let service = Self::empty().await;
        service.put(anime).await;
        service.put(songs).await;
        service.publish().await;
        service
    }

    /// A service with the sample catalogue, published.
    pub async fn with_sample() -> Self {
        let (anime, songs) = (cli::sample::anime().unwrap(), cli::sample::songs().unwrap());
        Self::with(&anime, &songs).await
    }

    /// The same tables behind functions that have just started.
    #[must_use]
    pub fn restarted(self) -> Self {
        let mut environment = self.environment.clone();
        environment.client = engine::client(engine::endpoint());
        self.made_of(environment)
    }

    /// The same tables behind functions that are made of something else.
    #[must_use]
    pub fn made_of(self, environment: Environment) -> Self {
        Self {
            router: router(&environment),
            environment,
            ..self
        }
    }

    /// Writes documents, without publishing.
    pub async fn put<R: Resource>(&self, documents: &[R]) {
        let store = CatalogueStore::new(self.client.clone(), &self.tables);
        for batch in documents.chunks(MAX_BATCH_WRITE) {
            store.put_many(batch).await.unwrap();
        }
    }

    /// Publishes both indexes.
    pub async fn publish(&self) {
        self.catalogue::<Anime>().publish().await.unwrap();
        self.catalogue::<Song>().publish().await.unwrap();
    }

    /// A catalogue of its own over the same tables, as another function would have.
    #[must_use]
    pub fn catalogue<R: Resource>(&self) -> Arc<Catalogue<R>> {
        let client = self.client.clone();
        let random = Random::seeded(1);
        Arc::new(Catalogue::new(
            client,
            &self.tables,
            self.clock.clone(),
            random,
        ))
    }

    /// Moves the clock on until an index is looked at again.
    pub fn let_index_age(&self) {
        self.clock.advance(Duration::from_millis(FRESH_MS));
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[]).await
    }

    /// GET with headers.
    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(Method::GET, path, headers).await
    }

    /// Any request without a body.
    pub async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send_body(method, path, headers, Body::empty()).await
    }

    /// Any request.
    pub async fn send_body(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        call(&self.router, request.body(body.into()).unwrap()).await
    }

    /// A request with a JSON body, signed in or not.
    pub async fn json(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: &Value,
    ) -> Answer {
        let bearer = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        self.send_body(method, path, &headers, body.to_string())
            .await
    }

    /// A request without a body, signed in.
    pub async fn with_token(&self, method: Method, path: &str, token: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        self.send(method, path, &[("authorization", &bearer)]).await
    }
}

/// Sends a request into a router.
pub async fn call(router: &Router, request: Request<Body>) -> Answer {
    let (parts, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: body.collect().await.unwrap().to_bytes(),
    }
}

fn router(environment: &Environment) -> Router {
    let router = cli::router::router(environment).unwrap();
    layers::service(router, environment.edge())
}

impl Answer {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The envelope.
    #[must_use]
    pub fn envelope(&self) -> Value {
        let envelope: Value = serde_json::from_slice(&self.body).expect("JSON");
        assert_eq!(envelope["status_code"], self.status.as_u16());
        assert_eq!(envelope["version"], "1");
        assert!(envelope["message"].is_string() && !envelope["data"].is_null());
        assert_eq!(self.header("content-type"), "application/json");
        envelope
    }

    /// The envelope's data.
    #[must_use]
    pub fn data(&self) -> Value {
        self.envelope()["data"].take()
    }

    /// The identifiers of the rows in the envelope's data.
    #[must_use]
    pub fn ids(&self) -> Vec<u64> {
        let data = self.data();
        let rows = data.as_array().expect("a list").iter();
        rows.map(|row| row["id"].as_u64().expect("an id")).collect()
    }

    /// A header's value; empty where there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The path and query of the next page, when there is one.
    #[must_use]
    pub fn next(&self) -> Option<String> {
        let link = self.headers.get(header::LINK)?.to_str().ok()?;
        let address = link.strip_prefix('<')?.strip_suffix(">; rel=\"next\"")?;
        Some(address.replace(PUBLIC_URL, ""))
    }
}
