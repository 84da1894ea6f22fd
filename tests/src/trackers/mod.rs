//! Two fake trackers on loopback, and a fake `AnimeThemes`. Each holds made-up data in memory, speaks
//! just the wire of the real one, and can be told to fail. None knows a line of the adapters.

mod anilist;
mod anime_themes;
mod fault;
mod my_anime_list;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;
use bytes::Bytes;
use serde_json::Value;
use shared::clock::Clock;
use shared::models::{TrackerName, WatchStatus};
use tokio::net::TcpListener;
use trackers::{ClientSecrets, Config, SecretSource, Tokens, Trackers, Waiter};

pub use fault::Fault;

use crate::browser::query;
use crate::service::{PUBLIC_URL, Service};

/// The client that both know.
pub const CLIENT_ID: &str = "kiroku-client";

/// Its secret.
pub const CLIENT_SECRET: &str = "client-secret-0f3c";

/// Where both send the user back to, unless they are told otherwise.
pub const REDIRECT_URI: &str = "https://kiroku.test/profile/trackers?from=tracker";

/// The code that can be redeemed before anybody has allowed anything.
pub const CODE: &str = "code-77aa";

/// The verifier that goes with it.
pub const VERIFIER: &str = "verifier-5f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978";

/// The token that is taken before anybody has allowed anything.
pub const TOKEN: &str = "access-token-0000";

/// Identifier and name of the user whose list it is.
pub const VIEWER: (u64, &str) = (71, "mitsuha");

/// Where the image of that user is.
pub const AVATAR: &str = "https://images.test/71.png";

/// No anime has this identifier or a higher one.
pub const NO_ANIME: u32 = 1_000_000;

/// Which of the two trackers it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// `AniList`.
    A,
    /// `MyAnimeList`.
    B,
}

/// An entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// How far the user is with it.
    pub status: WatchStatus,
    /// Episodes watched.
    pub progress: u32,
    /// Of so many, where it is known.
    pub episodes: Option<u32>,
    /// Not seen by others: tracker A alone.
    pub private: bool,
    /// In a custom list, and hidden from the lists by status: tracker A alone.
    pub hidden: bool,
    /// Seconds since the Unix epoch.
    pub updated_at: u64,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Received {
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The query.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: String,
    /// When, by the injected clock.
    pub at: u64,
}

/// A fake tracker. It ends with the runtime of its test.
#[derive(Clone, Debug)]
pub struct Fake {
    /// Which of the two trackers it is; of no meaning where it is neither.
    pub which: Which,
    /// Where it listens.
    pub origin: String,
    clock: Clock,
    state: Arc<Mutex<State>>,
}

/// What a fake holds.
#[derive(Debug)]
pub struct State {
    /// The list of [`VIEWER`], by the anime's identifier.
    pub rows: BTreeMap<u32, Row>,
    /// The lists of other accounts, whose tokens [`Fake::tokens_of`] gives.
    pub others: BTreeMap<u64, BTreeMap<u32, Row>>,
    /// The most entries of a page, whatever is asked for.
    pub per_page: usize,
    /// The catalogue: tracker A alone.
    pub media: Vec<Value>,
    /// The anime with their songs: `AnimeThemes` alone.
    pub themes: Vec<Value>,
    /// How many tokens were given out, which is a part of their text.
    pub grants: u32,
    /// How many refresh tokens were given out.
    pub rotations: u32,
    /// Whether a refresh brings a new refresh token, and ends the old one.
    pub rotates: bool,
    /// Calls a minute: tracker B does not say so, all refuse more.
    pub limit: usize,
    /// Where it sends users back to.
    pub redirect_uri: String,
    /// The account of whoever is signed in there.
    pub viewer: u64,
    /// Where that account's image is.
    pub avatar: Option<String>,
    /// The code that can be redeemed, and the verifier that goes with it at tracker B.
    code: Option<(String, String)>,
    /// How often the connection was allowed.
    allowed: u32,
    /// What it got, in order.
    pub received: Vec<Received>,
    script: VecDeque<Option<Fault>>,
    last: Bytes,
}

impl Received {
    /// A header; empty where there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).map(|value| value.to_str().unwrap());
        value.unwrap_or_default()
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The body as a form.
    #[must_use]
    pub fn form(&self) -> BTreeMap<String, String> {
        pairs(&self.body)
    }

    /// The query's parameters.
    #[must_use]
    pub fn params(&self) -> BTreeMap<String, String> {
        pairs(&self.query)
    }
}

/// Reads `a=b&c=d`.
#[must_use]
pub fn pairs(text: &str) -> BTreeMap<String, String> {
    let uri = format!("/?{text}").parse().unwrap();
    axum::extract::Query::try_from_uri(&uri).unwrap().0
}

impl Fake {
    /// Starts a tracker with an empty list.
    pub async fn start(which: Which, clock: Clock) -> Self {
        match which {
            Which::A => Self::serve(which, 30, clock, anilist::router).await,
            Which::B => Self::serve(which, 60, clock, my_anime_list::router).await,
        }
    }

    /// Starts an `AnimeThemes` without anime.
    pub async fn start_anime_themes(clock: Clock) -> Self {
        Self::serve(Which::A, 90, clock, anime_themes::router).await
    }

    async fn serve(which: Which, limit: usize, clock: Clock, router: fn(Self) -> Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            which,
            origin: format!("http://{}", listener.local_addr().unwrap()),
            clock,
            state: Arc::new(Mutex::new(State {
                rows: BTreeMap::new(),
                others: BTreeMap::new(),
                per_page: 1_000,
                media: Vec::new(),
                themes: Vec::new(),
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
        let router = router(fake.clone()).layer(from_fn_with_state(fake.clone(), fault::around));
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    /// What an adapter to a tracker must know to use it.
    #[must_use]
    pub fn config(&self) -> Config {
        self.config_of(&self.state())
    }

    fn config_of(&self, state: &State) -> Config {
        let (real, api, oauth) = match self.which {
            Which::A => (Config::anilist(), "", "/api/v2/oauth"),
            Which::B => (Config::my_anime_list(), "/v2", "/v1/oauth2"),
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

    /// Tokens that it takes.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        let state = self.state();
        Tokens {
            access: state.access(),
            refresh: (self.which == Which::B).then(|| state.refresh()),
            expires_at: None,
        }
    }

    /// Tokens of another account, which are always taken.
    #[must_use]
    pub fn tokens_of(&self, account: u64) -> Tokens {
        Tokens {
            access: format!("token-of-{account}"),
            refresh: None,
            expires_at: None,
        }
    }

    /// Allows the connection that an address of its asks for, as somebody does who is signed in there.
    /// Answers the address that they are sent back to: its code is good for once.
    ///
    /// # Panics
    /// When the real tracker would ask nobody.
    #[must_use]
    pub fn allow(&self, address: &str) -> String {
        let mut state = self.state();
        let asked = self.asked(&state, address);
        state.allowed += 1;
        let code = format!("code-{:04}", state.allowed);
        let verifier = asked.get("code_challenge").cloned().unwrap_or_default();
        state.code = Some((code.clone(), verifier));
        let query = query(&[("code", &code), ("state", &asked["state"])]);
        format!("{}?{query}", state.redirect_uri)
    }

    /// Refuses the connection that an address of its asks for. Answers the address that they are sent
    /// back to.
    #[must_use]
    pub fn refuse(&self, address: &str) -> String {
        let state = self.state();
        let asked = self.asked(&state, address);
        let query = query(&[("error", "access_denied"), ("state", &asked["state"])]);
        format!("{}?{query}", state.redirect_uri)
    }

    fn asked(&self, state: &State, address: &str) -> BTreeMap<String, String> {
        let (page, asked) = address.split_once('?').unwrap();
        assert_eq!(page, self.config_of(state).authorize);
        let asked = pairs(asked);
        assert_eq!(asked["response_type"], "code");
        assert_eq!(asked["client_id"], CLIENT_ID);
        assert_eq!(asked["redirect_uri"], state.redirect_uri);
        if self.which == Which::B {
            assert_eq!(asked["code_challenge_method"], "plain");
            assert!((43..=128).contains(&asked["code_challenge"].len()));
        }
        asked
    }

    /// What it holds, to look at or to change.
    ///
    /// # Panics
    /// When it failed before.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Fails with the next request.
    pub fn fail(&self, fault: Fault) {
        self.fail_after(0, fault);
    }

    /// Fails once it has answered so many requests more.
    pub fn fail_after(&self, requests: usize, fault: Fault) {
        self.fail_each_after(requests, [fault]);
    }

    /// Fails as often as there are faults, once it has answered so many requests more.
    pub fn fail_each_after(&self, requests: usize, faults: impl IntoIterator<Item = Fault>) {
        let mut state = self.state();
        state.script.clear();
        state.script.extend((0..requests).map(|_| None));
        state.script.extend(faults.into_iter().map(Some));
    }

    /// Does not fail any more.
    pub fn heal(&self) {
        self.state().script.clear();
    }

    /// How many requests it got so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state().received.len()
    }

    /// The last request.
    #[must_use]
    pub fn last(&self) -> Received {
        self.state().received.last().unwrap().clone()
    }

    /// How many calls there may still be this minute. `None` when there was one too many.
    fn remaining(&self) -> Option<usize> {
        let minute_ago = self.clock.now_ms().saturating_sub(60_000);
        let is_recent = |one: &&Received| one.at > minute_ago && !one.path.contains("oauth");
        let state = self.state();
        let recent = state.received.iter().filter(is_recent).count();
        state.limit.checked_sub(recent)
    }
}

impl State {
    /// The token that is taken now.
    #[must_use]
    pub fn access(&self) -> String {
        format!("access-token-{:04}", self.grants)
    }

    /// The refresh token that is taken now: over 1,000 bytes, as the real ones.
    #[must_use]
    pub fn refresh(&self) -> String {
        format!("refresh-token-{:04}-{}", self.rotations, "r".repeat(1_100))
    }

    /// Whose token came with a request.
    fn account(&self, headers: &HeaderMap) -> Option<u64> {
        let sent = headers.get("authorization")?.to_str().unwrap();
        let token = sent.strip_prefix("Bearer ")?;
        if token == self.access() {
            return Some(self.viewer);
        }
        let account = token.strip_prefix("token-of-")?.parse().unwrap();
        self.others.contains_key(&account).then_some(account)
    }

    /// The list of an account.
    fn list(&mut self, account: u64) -> &mut BTreeMap<u32, Row> {
        if account == self.viewer {
            &mut self.rows
        } else {
            self.others.entry(account).or_default()
        }
    }

    /// Redeems a code, which is good for once; but for [`CODE`], so that a call can be made again. `sent`
    /// is the code and, at tracker B, the verifier.
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

/// Both fake trackers, which send users back to the service under test.
#[derive(Clone, Debug)]
pub struct Fakes {
    /// `AniList`.
    pub a: Fake,
    /// `MyAnimeList`.
    pub b: Fake,
}

impl Fakes {
    /// Starts them, with empty lists.
    pub async fn start(clock: &Clock) -> Self {
        let fakes = Self {
            a: Fake::start(Which::A, clock.clone()).await,
            b: Fake::start(Which::B, clock.clone()).await,
        };
        for name in TrackerName::ALL {
            fakes.of(name).state().redirect_uri = format!("{PUBLIC_URL}{}", name.callback());
        }
        fakes
    }

    /// One of them.
    #[must_use]
    pub fn of(&self, name: TrackerName) -> &Fake {
        match name {
            TrackerName::A => &self.a,
            TrackerName::B => &self.b,
        }
    }

    /// What the functions ask them through, each configured as it is here but for `change`. Time passes
    /// at once for whoever waits for a turn.
    #[must_use]
    pub fn trackers(&self, change: impl Fn(TrackerName, &mut Config)) -> Trackers {
        let config = |name| {
            let mut config = self.of(name).config();
            change(name, &mut config);
            config
        };
        let configs = (config(TrackerName::A), config(TrackerName::B));
        let secrets = SecretSource::Fixed(ClientSecrets {
            tracker_a: CLIENT_SECRET.to_owned(),
            tracker_b: CLIENT_SECRET.to_owned(),
        });
        let clock = self.a.clock.clone();
        Trackers::new(configs, secrets, clock.clone(), Waiter::Move(clock))
    }
}

impl Service {
    /// The same tables behind functions that use both trackers.
    pub async fn with_trackers(self) -> (Self, Fakes) {
        let fakes = Fakes::start(&self.clock).await;
        let service = self.with_trackers_as(&fakes, |_, _| ());
        (service, fakes)
    }

    /// The same tables behind functions that use these trackers, with another configuration.
    #[must_use]
    pub fn with_trackers_as(
        self,
        fakes: &Fakes,
        change: impl Fn(TrackerName, &mut Config),
    ) -> Self {
        let mut environment = self.environment.clone();
        environment.overrides.trackers = Some(Arc::new(fakes.trackers(change)));
        self.made_of(environment)
    }
}
