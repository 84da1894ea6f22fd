//! The service under test, and its responses.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use account_sweep::SweepReport;
use accounts::mail::MailTransport;
use aws_sdk_dynamodb::Client;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use catalogue::rows::{CatalogueRow, CatalogueStore};
use catalogue::{Catalogue, FRESH_MS, Resource, publish};
use cli::data::schema::TABLES;
use dynamo::{Database, MAX_BATCH_WRITE, TableNames, Type};
use http_body_util::BodyExt;
use runtime::{Environment, LOCAL_SENDER, MailSettings, Overrides};
use serde_json::Value;
use shared::auth::{KeyRing, KeySource, Passwords, RegistrationMode};
use shared::clock::Clock;
use shared::http::routing::ApiRouter;
use shared::http::{layers, serve_below_base_path};
use shared::models::{Anime, Song};
use shared::random::Random;
use shared::user_slots::UserSlots;
use tempfile::TempDir;
use tower::ServiceExt;
use trackers::Trackers;

use crate::{engine, recorder};

/// The time at which the clock of a service under test starts: 14 November 2023. Only tests move the clock.
pub const START_MS: u64 = 1_700_000_000_000;

/// The public URL of the service under test.
pub const PUBLIC_URL: &str = "https://kiroku.test";

/// The size of the cache of documents, in bytes: 16 MiB.
pub const CACHE_SIZE: u64 = 16 * 1024 * 1024;

/// The whole service, with its own tables and a manual clock.
pub struct Service {
    /// The router of all functions.
    pub router: Router,
    /// A DynamoDB client of the test itself.
    pub client: Client,
    /// The names of the tables.
    pub tables: TableNames,
    /// The manual clock that all functions use.
    pub clock: Clock,
    /// The dependencies of the functions.
    pub environment: Environment,
    /// The folder that mails are written to.
    pub mail: TempDir,
}

/// A response with its complete body.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: bytes::Bytes,
}

/// Returns the same tables for another process, which has nothing in memory.
fn other_process(database: &Database, client: Client) -> Database {
    let Database {
        tables,
        clock,
        random,
        ..
    } = database.clone();
    Database::new(client, tables, clock, random)
}

impl Service {
    /// Returns a service with new, empty tables.
    pub async fn empty() -> Self {
        Self::with_client(engine::client(engine::endpoint())).await
    }

    /// Returns a service whose functions use `functions_client`. The tables are created with another
    /// client, so a test can make `functions_client` fail from the first call on.
    pub async fn with_client(functions_client: Client) -> Self {
        let client = engine::client(engine::endpoint());
        let tables = engine::tables(&client).await;
        let (clock, random) = (Clock::manual(START_MS), Random::seeded(1));
        let mail = TempDir::new().unwrap();
        let environment = Environment {
            database: Database::new(
                functions_client,
                tables.clone(),
                clock.clone(),
                random.clone(),
            ),
            public_url: PUBLIC_URL.to_owned(),
            has_images: true,
            registration: RegistrationMode::Open,
            has_passwords: true,
            encryption_keys: OnceLock::new(),
            file_slots: UserSlots::default(),
            playback: UserSlots::default(),
            overrides: Overrides {
                signing: Some(KeySource::Fixed(Arc::new(KeyRing::new(&random)))),
                encryption: Some(KeySource::Fixed(Arc::new(KeyRing::new(&random)))),
                passwords: Some(Passwords::weak(random.clone())),
                name_limits: None,
                catalogues: None,
                mail: Some(MailSettings {
                    transport: MailTransport::Folder {
                        folder: Some(mail.path().to_owned()),
                        print: false,
                    },
                    from: LOCAL_SENDER.to_owned(),
                    reset_floor: Duration::ZERO,
                }),
                trackers: Some(Arc::new(Trackers::off(clock.clone()))),
                provider: None,
            },
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

    /// Returns a service with this catalogue, published.
    pub async fn with_catalogue(anime: &[Anime], songs: &[Song]) -> Self {
        let service = Self::empty().await;
        service.put(anime).await;
        service.put(songs).await;
        service.publish().await;
        service
    }

    /// Returns a service with the sample catalogue, published.
    pub async fn with_sample() -> Self {
        let (anime, songs) = (
            cli::import::sample::anime().unwrap(),
            cli::import::sample::songs().unwrap(),
        );
        Self::with_catalogue(&anime, &songs).await
    }

    /// Replaces the functions with newly started ones on the same tables.
    #[must_use]
    pub fn restarted(self) -> Self {
        self.with_functions_client(engine::client(engine::endpoint()))
    }

    /// Replaces the functions with ones that use this client, on the same tables.
    #[must_use]
    pub fn with_functions_client(self, client: Client) -> Self {
        let mut environment = self.environment.clone();
        environment.database.client = client;
        self.with_environment(environment)
    }

    /// Replaces the functions with ones built from `environment`, on the same tables. They have nothing in memory.
    #[must_use]
    pub fn with_environment(self, mut environment: Environment) -> Self {
        let client = environment.database.client.clone();
        environment.database = other_process(&environment.database, client);
        Self {
            router: router(&environment),
            environment,
            ..self
        }
    }

    /// Replaces the functions with those of `kiroku serve`, whose calls need no permissions.
    #[must_use]
    pub fn as_one_process(self) -> Self {
        let router = cli::serve::router::router(&self.environment).unwrap();
        let router = layers::service(router, self.environment.layer_settings());
        Self { router, ..self }
    }

    /// Replaces the functions with ones at this public URL, on the same tables.
    #[must_use]
    pub fn at(self, public_url: &str) -> Self {
        let mut environment = self.environment.clone();
        public_url.clone_into(&mut environment.public_url);
        self.with_environment(environment)
    }

    /// Returns another process of the service, on the same tables and with its own clock.
    ///
    /// # Panics
    /// If there is no folder for its mails.
    #[must_use]
    pub fn another(&self, clock: Clock) -> Self {
        let mut database = self.database_with(engine::client(engine::endpoint()));
        database.clock = clock.clone();
        let environment = Environment {
            database,
            ..self.environment.clone()
        };
        Self {
            router: router(&environment),
            environment,
            client: self.client.clone(),
            tables: self.tables.clone(),
            clock,
            mail: TempDir::new().unwrap(),
        }
    }

    /// Returns the environment of the function with this binary.
    pub fn environment_of(&self, name: &str) -> Environment {
        of_function(&self.environment, name)
    }

    /// Returns the router of a single function.
    pub fn router_of(&self, name: &str) -> Router {
        let (_, build) = cli::serve::router::FUNCTIONS
            .into_iter()
            .find(|(function, _)| *function == name)
            .unwrap();
        layers::service(
            build(&self.environment_of(name)).unwrap(),
            self.environment.layer_settings(),
        )
    }

    /// Runs the sweep of deleted users as the schedule does, without a time limit.
    pub async fn sweep(&self) -> SweepReport {
        let client = recorder::of_function(&self.client, &self.tables, "account_sweep");
        let store = self.database_with(client);
        account_sweep::sweep(&store, u64::MAX).await.unwrap()
    }

    /// Returns the database, with the client of the test.
    pub fn database(&self) -> Database {
        self.database_with(self.client.clone())
    }

    /// Returns the database for another process, which uses `client`.
    pub fn database_with(&self, client: Client) -> Database {
        other_process(&self.environment.database, client)
    }

    /// Checks that every row of every table has only attributes that the schema declares, with their types.
    ///
    /// # Panics
    /// When a row has another one.
    pub async fn assert_declared_attributes(&self) {
        for table in TABLES {
            let rows = self.client.scan().table_name(self.tables.of(table.name));
            let rows = rows.into_paginator().items().send();
            for row in rows.collect::<Result<Vec<_>, _>>().await.unwrap() {
                for (name, value) in row {
                    let known = table.attributes.iter().find(|(known, _)| *known == name);
                    let (_, kind) = known.unwrap_or_else(|| panic!("{}.{name}", table.name));
                    let is_kind = match kind {
                        Type::N => value.is_n(),
                        Type::S => value.is_s(),
                        Type::B => value.is_b(),
                        Type::Bool => value.is_bool(),
                        Type::L => value.is_l(),
                        Type::M => value.is_m(),
                        Type::Ns => value.is_ns(),
                        Type::Ss => value.is_ss(),
                    };
                    assert!(is_kind, "{}.{name}: {value:?}", table.name);
                }
            }
        }
    }

    /// Writes documents to the catalogue without publishing them.
    pub async fn put<R: Resource>(&self, documents: &[R]) {
        let store = CatalogueStore::new(&self.database());
        for batch in documents.chunks(MAX_BATCH_WRITE) {
            let rows: Vec<CatalogueRow<R>> =
                batch.iter().cloned().map(CatalogueRow::from).collect();
            store.put_many(&rows).await.unwrap();
        }
    }

    /// Returns all documents of a table of the catalogue, by id.
    pub async fn documents<R: Resource>(&self) -> Vec<R> {
        let mut all = Vec::new();
        let store = CatalogueStore::<R>::new(&self.database());
        store.scan(|row| all.push(row.document)).await.unwrap();
        all.sort_by_key(R::id);
        all
    }

    /// Publishes the anime index and the song index.
    pub async fn publish(&self) {
        publish::<Anime>(&self.database()).await.unwrap();
        publish::<Song>(&self.database()).await.unwrap();
    }

    /// Returns a new catalogue over the same tables, as another function instance would have.
    pub fn catalogue<R: Resource>(&self) -> Arc<Catalogue<R>> {
        let mut database = self.database();
        database.random = Random::seeded(1);
        Arc::new(Catalogue::new(&database, CACHE_SIZE))
    }

    /// Imports the identifiers of anime at other services, and a list of the seasons of series.
    pub async fn import_seasons(&self, ids: &Value, seasons: &str) {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let database = self.database();
        let ids = write("ids.json", &ids.to_string());
        let done = cli::import::publish_mapping_file(&ids, &database).await;
        done.unwrap();
        let seasons = write("seasons.xml", seasons);
        let done = cli::import::import_seasons(&seasons, &database).await;
        done.unwrap();
    }

    /// Moves the clock until the functions check for a newer index.
    pub fn let_index_age(&self) {
        self.clock.advance(Duration::from_millis(FRESH_MS));
    }

    /// Sets the clock back.
    ///
    /// # Panics
    /// If the time does not fit into 64 bits.
    pub fn set_clock_back(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap();
        // The time of a manual clock wraps around.
        self.clock.advance(Duration::from_millis(by.wrapping_neg()));
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[]).await
    }

    /// Sends a GET request with headers.
    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(Method::GET, path, headers).await
    }

    /// Sends a request without a body.
    pub async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send_body(method, path, headers, Body::empty()).await
    }

    /// Sends a request.
    pub async fn send_body(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        call(&self.router, request(method, path, headers, body)).await
    }

    /// Sends a list file to import for the user with this access token. `query` is empty or begins with `?`.
    pub async fn import_list(&self, token: &str, query: &str, file: impl Into<Body>) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        let path = format!("/v1/user_story/import{query}");
        self.send_body(Method::POST, &path, &headers, file).await
    }

    /// Sends a request with a JSON body, and with `token` if there is one.
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

    /// Posts a JSON body without an access token.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.json(Method::POST, path, None, body).await
    }

    /// Sends a GET request with an access token.
    pub async fn get_as(&self, token: &str, path: &str) -> Answer {
        self.with_token(Method::GET, path, token).await
    }

    /// Sends a DELETE request with an access token.
    pub async fn delete_as(&self, token: &str, path: &str) -> Answer {
        self.with_token(Method::DELETE, path, token).await
    }

    /// Posts a JSON body with an access token.
    pub async fn post_as(&self, token: &str, path: &str, body: &Value) -> Answer {
        self.json(Method::POST, path, Some(token), body).await
    }

    /// Puts a JSON body with an access token.
    pub async fn put_as(&self, token: &str, path: &str, body: &Value) -> Answer {
        self.json(Method::PUT, path, Some(token), body).await
    }

    /// Sends a request with an access token and without a body.
    pub async fn with_token(&self, method: Method, path: &str, token: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        self.send(method, path, &[("authorization", &bearer)]).await
    }
}

/// Builds a request.
pub fn request(
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body.into()).unwrap()
}

/// Sends a request to a router.
pub async fn call(router: &Router, request: Request<Body>) -> Answer {
    let (parts, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: body.collect().await.unwrap().to_bytes(),
    }
}

fn router(environment: &Environment) -> Router {
    let routers = cli::serve::router::FUNCTIONS
        .map(|(name, build)| build(&of_function(environment, name)).unwrap());
    let router = routers.into_iter().reduce(ApiRouter::merge).unwrap();
    let service = layers::service(router, environment.layer_settings());
    serve_below_base_path(service, &environment.public_url)
}

/// Returns the environment of a function. Its calls fail if the template does not give the function the permission.
fn of_function(environment: &Environment, name: &str) -> Environment {
    let mut environment = environment.clone();
    let database = &mut environment.database;
    database.client = recorder::of_function(&database.client, &database.tables, name);
    environment
}

impl Answer {
    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Returns the envelope, after checking its fields (docs/api.md, "Response envelope").
    pub fn envelope(&self) -> Value {
        let envelope: Value = serde_json::from_slice(&self.body).expect("JSON");
        assert_eq!(envelope["status_code"], self.status.as_u16());
        assert_eq!(envelope["version"], "1");
        assert!(envelope["message"].is_string() && !envelope["data"].is_null());
        assert_eq!(self.header("content-type"), "application/json");
        envelope
    }

    /// Returns the envelope's data.
    pub fn data(&self) -> Value {
        self.envelope()["data"].take()
    }

    /// Returns the ids of the rows in the envelope's data.
    pub fn ids(&self) -> Vec<u64> {
        let data = self.data();
        let rows = data.as_array().expect("a list").iter();
        rows.map(|row| row["id"].as_u64().expect("an id")).collect()
    }

    /// Returns a header's value, or an empty string if the header is missing.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// Returns the path and query of the next page, if there is one.
    pub fn next(&self) -> Option<String> {
        let link = self.headers.get(header::LINK)?.to_str().ok()?;
        let address = link.strip_prefix('<')?.strip_suffix(">; rel=\"next\"")?;
        Some(address.replace(PUBLIC_URL, ""))
    }
}
