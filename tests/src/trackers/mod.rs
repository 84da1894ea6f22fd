//! Fakes of `AniList`, `MyAnimeList`, `AnimeThemes` and a server of files on loopback addresses. Each keeps generated
//! data in memory, implements the HTTP interface of the real service, and fails on request. They share no code with
//! the product's clients.

mod anilist;
mod anime_themes;
mod fault;
mod files;
mod my_anime_list;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;
use bytes::Bytes;
use serde_json::Value;
use shared::clock::Clock;
use shared::models::{PartialDate, PerTracker, TrackerName, WatchStatus};
use tokio::net::TcpListener;
use trackers::{ClientSecrets, Config, SecretSource, TrackerTokens, Trackers, Waiter};

pub use fault::Fault;

use crate::browser::query;
use crate::service::{PUBLIC_URL, Service};

/// The client id that the fakes accept.
pub const CLIENT_ID: &str = "kiroku-client";

/// The client secret that the fakes accept.
pub const CLIENT_SECRET: &str = "client-secret-0f3c";

/// Default redirect URI of the fakes.
pub const REDIRECT_URI: &str = "https://kiroku.test/profile/trackers?from=tracker";

/// An authorization code that the fakes accept from the start, any number of times.
pub const CODE: &str = "code-77aa";

/// The PKCE verifier of [`CODE`].
pub const VERIFIER: &str = "verifier-5f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978";

/// The access token that the fakes accept from the start.
pub const TOKEN: &str = "access-token-0000";

/// Account id and name of the default user at the fakes.
pub const VIEWER: (u64, &str) = (71, "mitsuha");

/// The address of that user's avatar.
pub const AVATAR: &str = "https://images.test/71.png";

/// The lowest id that belongs to no anime.
pub const NO_ANIME: u32 = 1_000_000;

/// One of the two trackers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// `AniList`.
    A,
    /// `MyAnimeList`.
    B,
}

/// The service that a fake replaces.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Tracker(Which),
    AnimeThemes,
    Files,
}

/// An entry of a user's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The watch status.
    pub status: WatchStatus,
    /// The number of watched episodes.
    pub progress: u32,
    /// The number of episodes, if known.
    pub episodes: Option<u32>,
    /// The score: out of 100 at `AniList`, out of 10 at `MyAnimeList`, 0 for none.
    pub score: u64,
    /// The day of the beginning.
    pub started_on: Option<PartialDate>,
    /// The day of the completion.
    pub finished_on: Option<PartialDate>,
    /// The number of repeats.
    pub repeats: u64,
    /// The notes.
    pub notes: String,
    /// Hidden from other users. `AniList` only.
    pub private: bool,
    /// Shown in a custom list only, not in the list of its status. `AniList` only.
    pub hidden: bool,
    /// Time of the last change, in seconds since the Unix epoch.
    pub updated_at: u64,
}

impl Row {
    /// Returns an entry of an anime with 12 episodes, without details.
    pub fn new(status: WatchStatus, progress: u32, updated_at: u64) -> Self {
        Self {
            status,
            progress,
            episodes: Some(12),
            score: 0,
            started_on: None,
            finished_on: None,
            repeats: 0,
            notes: String::new(),
            private: false,
            hidden: false,
            updated_at,
        }
    }
}

/// A file of a server of files.
#[derive(Clone, Debug, Default)]
pub struct PublishedFile {
    /// The content.
    pub body: Vec<u8>,
    /// The header `ETag`.
    pub etag: Option<String>,
    /// The header `Last-Modified`.
    pub last_modified: Option<String>,
}

/// A recorded request.
#[derive(Clone, Debug)]
pub struct Received {
    /// The method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query string.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: String,
    /// The time of the request by the test's clock, in milliseconds.
    pub at: u64,
}

/// A fake tracker. It stops with the runtime of its test.
#[derive(Clone, Debug)]
pub struct Fake {
    kind: Kind,
    /// The origin that the fake listens on.
    pub origin: String,
    clock: Clock,
    state: Arc<Mutex<State>>,
}

/// The data of a fake.
#[derive(Debug)]
pub struct State {
    /// The list of [`VIEWER`], by the fake's anime id.
    pub rows: BTreeMap<u32, Row>,
    /// The lists of other accounts. [`Fake::tokens_of`] returns their tokens.
    pub others: BTreeMap<u64, BTreeMap<u32, Row>>,
    /// The format of the scores of the lists' owners. `AniList` only.
    pub score_format: &'static str,
    /// The largest page size, even if a request asks for more.
    pub per_page: usize,
    /// The catalogue of anime, in the form of the tracker's API.
    pub media: Vec<Value>,
    /// The anime with their themes. `AnimeThemes` only.
    pub themes: Vec<Value>,
    /// The files, by path. Servers of files only.
    pub files: BTreeMap<String, PublishedFile>,
    /// Number of access tokens issued. It is part of the next token's text.
    pub grants: u32,
    /// Number of refresh tokens issued.
    pub rotations: u32,
    /// True if a refresh returns a new refresh token and revokes the old one.
    pub rotates: bool,
    /// Allowed calls per minute. `MyAnimeList` does not announce this limit in headers. All fakes reject further calls.
    pub limit: usize,
    /// The registered redirect URI.
    pub redirect_uri: String,
    /// The account that is signed in at the fake.
    pub viewer: u64,
    /// The address of that account's avatar.
    pub avatar: Option<String>,
    /// The authorization code that can be redeemed, and its PKCE verifier, which only `MyAnimeList`
    /// checks.
    code: Option<(String, String)>,
    /// Number of authorizations so far.
    allowed: u32,
    /// The recorded requests, in order.
    pub received: Vec<Received>,
    script: VecDeque<Option<Fault>>,
    last: Bytes,
}

impl Received {
    /// Returns a header's value, or an empty string if the header is missing.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).map(|value| value.to_str().unwrap());
        value.unwrap_or_default()
    }

    /// Returns the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns the fields of a form body.
    pub fn form(&self) -> BTreeMap<String, String> {
        pairs(&self.body)
    }

    /// Returns the query parameters.
    pub fn params(&self) -> BTreeMap<String, String> {
        pairs(&self.query)
    }
}

/// Parses a query string or a form body.
pub fn pairs(text: &str) -> BTreeMap<String, String> {
    let uri = format!("/?{text}").parse().unwrap();
    axum::extract::Query::try_from_uri(&uri).unwrap().0
}

impl Fake {
    /// Starts a tracker with an empty list.
    pub async fn start(which: Which, clock: Clock) -> Self {
        let kind = Kind::Tracker(which);
        match which {
            Which::A => Self::serve(kind, 30, clock, anilist::router).await,
            Which::B => Self::serve(kind, 60, clock, my_anime_list::router).await,
        }
    }

    /// Starts an `AnimeThemes` without anime.
    pub async fn start_anime_themes(clock: Clock) -> Self {
        Self::serve(Kind::AnimeThemes, 90, clock, anime_themes::router).await
    }

    /// Starts a server without files.
    pub async fn start_files(clock: Clock) -> Self {
        Self::serve(Kind::Files, usize::MAX, clock, files::router).await
    }

    /// Publishes a file under a path. Returns its URL.
    pub fn publish(&self, path: &str, body: impl Into<Vec<u8>>, etag: Option<&str>) -> String {
        let file = PublishedFile {
            body: body.into(),
            etag: etag.map(str::to_owned),
            last_modified: None,
        };
        self.state().files.insert(path.to_owned(), file);
        format!("{}{path}", self.origin)
    }

    async fn serve(kind: Kind, limit: usize, clock: Clock, router: fn(Self) -> Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            kind,
            origin: format!("http://{}", listener.local_addr().unwrap()),
            clock,
            state: Arc::new(Mutex::new(State {
                rows: BTreeMap::new(),
                others: BTreeMap::new(),
                score_format: "POINT_100",
                per_page: 1_000,
                media: Vec::new(),
                themes: Vec::new(),
                files: BTreeMap::new(),
                grants: 0,
                rotations: 0,
                rotates: true,
                limit,
                redirect_uri: REDIRECT_URI.to_owned(),
                viewer: VIEWER.0,
                avatar: Some(AVATAR.to_owned()),
                code: Some((CODE.to_owned(), VERIFIER.to_owned())),
                allowed: 0,
                received: Vec::new(),
                script: VecDeque::new(),
                last: Bytes::new(),
            })),
        };
        let router =
            router(fake.clone()).layer(from_fn_with_state(fake.clone(), fault::inject_fault));
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    /// Returns the tracker that this fake replaces.
    ///
    /// # Panics
    ///
    /// If the fake does not replace a tracker.
    pub fn which(&self) -> Which {
        match self.kind {
            Kind::Tracker(which) => which,
            Kind::AnimeThemes | Kind::Files => panic!("not a tracker"),
        }
    }

    /// Returns the configuration of a client of this fake.
    pub fn config(&self) -> Config {
        self.config_of(&self.state())
    }

    fn config_of(&self, state: &State) -> Config {
        let (real, api, oauth) = match self.which() {
            Which::A => (Config::of(TrackerName::A), "", "/api/v2/oauth"),
            Which::B => (Config::of(TrackerName::B), "/v2", "/v1/oauth2"),
        };
        Config {
            api: format!("{}{api}", self.origin),
            authorize: format!("{}{oauth}/authorize", self.origin),
            token: format!("{}{oauth}/token", self.origin),
            client_id: CLIENT_ID.to_owned(),
            client_secret: CLIENT_SECRET.to_owned(),
            redirect_uri: state.redirect_uri.clone(),
            ..real
        }
    }

    /// Returns tokens that the fake currently accepts.
    pub fn tokens(&self) -> TrackerTokens {
        let state = self.state();
        TrackerTokens {
            access: state.access(),
            refresh: (self.which() == Which::B).then(|| state.refresh()),
            expires_at: None,
        }
    }

    /// Returns tokens of another account. The fake accepts them if [`State::others`] has a list of the
    /// account.
    pub fn tokens_of(&self, account: u64) -> TrackerTokens {
        TrackerTokens {
            access: format!("token-of-{account}"),
            refresh: None,
            expires_at: None,
        }
    }

    /// Allows the authorization request at `address` in the name of the signed-in account. Returns the
    /// address that the user is redirected to, with a code that can be redeemed once.
    ///
    /// # Panics
    ///
    /// If the real tracker would reject the request.
    pub fn allow(&self, address: &str) -> String {
        let mut state = self.state();
        let params = self.authorization_params(&state, address);
        state.allowed += 1;
        let code = format!("code-{:04}", state.allowed);
        let verifier = params.get("code_challenge").cloned().unwrap_or_default();
        state.code = Some((code.clone(), verifier));
        let query = query(&[("code", &code), ("state", &params["state"])]);
        format!("{}?{query}", state.redirect_uri)
    }

    /// Denies the authorization request at `address`. Returns the address that the user is redirected to.
    pub fn refuse(&self, address: &str) -> String {
        let state = self.state();
        let params = self.authorization_params(&state, address);
        let query = query(&[("error", "access_denied"), ("state", &params["state"])]);
        format!("{}?{query}", state.redirect_uri)
    }

    fn authorization_params(&self, state: &State, address: &str) -> BTreeMap<String, String> {
        let (page, params) = address.split_once('?').unwrap();
        assert_eq!(page, self.config_of(state).authorize);
        let params = pairs(params);
        assert_eq!(params["response_type"], "code");
        assert_eq!(params["client_id"], CLIENT_ID);
        assert_eq!(params["redirect_uri"], state.redirect_uri);
        if self.which() == Which::B {
            assert_eq!(params["code_challenge_method"], "plain");
            assert!((43..=128).contains(&params["code_challenge"].len()));
        }
        params
    }

    /// Returns the data of the fake, to read or change.
    ///
    /// # Panics
    ///
    /// If another thread panicked while it held the lock.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Applies a fault to the next request.
    pub fn fail(&self, fault: Fault) {
        self.fail_after(0, fault);
    }

    /// Applies a fault to the request after the next `requests` requests.
    pub fn fail_after(&self, requests: usize, fault: Fault) {
        self.fail_each_after(requests, [fault]);
    }

    /// Applies one fault to each request after the next `requests` requests.
    pub fn fail_each_after(&self, requests: usize, faults: impl IntoIterator<Item = Fault>) {
        let mut state = self.state();
        state.script.clear();
        state.script.extend((0..requests).map(|_| None));
        state.script.extend(faults.into_iter().map(Some));
    }

    /// Removes all faults that have not been applied yet.
    pub fn clear_faults(&self) {
        self.state().script.clear();
    }

    /// Returns the number of requests so far.
    pub fn count(&self) -> usize {
        self.state().received.len()
    }

    /// Returns the last request.
    pub fn last(&self) -> Received {
        self.state().received.last().unwrap().clone()
    }

    /// Returns the number of calls left in the current minute, or `None` if the limit is exceeded.
    fn remaining(&self) -> Option<usize> {
        let minute_ago = self.clock.now_ms().saturating_sub(60_000);
        let is_recent = |one: &&Received| one.at > minute_ago && !one.path.contains("oauth");
        let state = self.state();
        let recent = state.received.iter().filter(is_recent).count();
        state.limit.checked_sub(recent)
    }
}

impl State {
    /// Returns the access token that the fake currently accepts.
    pub fn access(&self) -> String {
        format!("access-token-{:04}", self.grants)
    }

    /// Returns the refresh token that the fake currently accepts. Like the real ones, it is longer than
    /// 1,000 bytes.
    pub fn refresh(&self) -> String {
        format!("refresh-token-{:04}-{}", self.rotations, "r".repeat(1_100))
    }

    /// Returns the account of the request's token.
    fn account(&self, headers: &HeaderMap) -> Option<u64> {
        let sent = headers.get("authorization")?.to_str().unwrap();
        let token = sent.strip_prefix("Bearer ")?;
        if token == self.access() {
            return Some(self.viewer);
        }
        let account = token.strip_prefix("token-of-")?.parse().unwrap();
        self.others.contains_key(&account).then_some(account)
    }

    /// Returns the list of an account.
    fn list(&mut self, account: u64) -> &mut BTreeMap<u32, Row> {
        if account == self.viewer {
            &mut self.rows
        } else {
            self.others.entry(account).or_default()
        }
    }

    /// Redeems an authorization code. Every code but [`CODE`] can be redeemed once. `sent` is the code
    /// and, for `MyAnimeList`, the verifier.
    fn redeem(&mut self, sent: (&str, Option<&str>)) -> bool {
        let fits = self.code.as_ref().is_some_and(|(code, verifier)| {
            code == sent.0 && sent.1.is_none_or(|sent| sent == verifier)
        });
        if fits && sent.0 != CODE {
            self.code = None;
        }
        fits
    }
}

/// Both fake trackers, with the redirect URIs of the service under test.
#[derive(Clone, Debug)]
pub struct Fakes {
    /// `AniList`.
    pub a: Fake,
    /// `MyAnimeList`.
    pub b: Fake,
}

impl Fakes {
    /// Starts both trackers with empty lists.
    pub async fn start(clock: &Clock) -> Self {
        let fakes = Self {
            a: Fake::start(Which::A, clock.clone()).await,
            b: Fake::start(Which::B, clock.clone()).await,
        };
        for name in TrackerName::ALL {
            fakes.of(name).state().redirect_uri = format!("{PUBLIC_URL}{}", name.callback_path());
        }
        fakes
    }

    /// Returns one of the trackers.
    pub fn of(&self, name: TrackerName) -> &Fake {
        match name {
            TrackerName::A => &self.a,
            TrackerName::B => &self.b,
        }
    }

    /// Returns the trackers as the functions use them. `change` can change each configuration. A request
    /// that has to wait for its turn moves the clock instead of waiting.
    pub fn trackers(&self, change: impl Fn(TrackerName, &mut Config)) -> Trackers {
        let config = |name| {
            let mut config = self.of(name).config();
            change(name, &mut config);
            config
        };
        let configs = PerTracker::from_fn(config);
        let secrets = SecretSource::Fixed(ClientSecrets {
            tracker_a: CLIENT_SECRET.to_owned(),
            tracker_b: CLIENT_SECRET.to_owned(),
        });
        let clock = self.a.clock.clone();
        Trackers::new(configs, secrets, clock.clone(), Waiter::Move(clock))
    }
}

impl Service {
    /// Replaces the functions with ones that use both trackers.
    pub async fn with_trackers(self) -> (Self, Fakes) {
        let fakes = Fakes::start(&self.clock).await;
        let service = self.with_trackers_as(&fakes, |_, _| ());
        (service, fakes)
    }

    /// Replaces the functions with ones that use `fakes`, configured by `change`.
    #[must_use]
    pub fn with_trackers_as(
        self,
        fakes: &Fakes,
        change: impl Fn(TrackerName, &mut Config),
    ) -> Self {
        let mut environment = self.environment.clone();
        environment.overrides.trackers = Some(Arc::new(fakes.trackers(change)));
        self.with_environment(environment)
    }
}
