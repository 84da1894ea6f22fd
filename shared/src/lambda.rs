//! What every function's `main` does: logs, configuration, state, run.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures_util::FutureExt;
use futures_util::future::join;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::accounts::Accounts;
use crate::auth::{
    Attempts, KeySource, Keys, Passwords, Sealer, Sessions, Tokens, check_public_url,
};
use crate::aws::{self, env};
use crate::catalogue::{Catalogue, Resource};
use crate::clock::Clock;
use crate::error::ApiError;
use crate::event::{self, Event};
use crate::http::Edge;
use crate::linking::Linking;
use crate::mail::{Carrier, Mailer};
use crate::oauth::Applications;
use crate::random::Random;
use crate::routing::ApiRouter;
use crate::store::{
    ClientStore, CodeStore, DeletionStore, GrantStore, LinkStore, SessionStore, TableNames,
    ThrottleStore, UserStore,
};
use crate::trackers::{
    self, AnimeThemes, ClientSecrets, SecretSource, TrackerName, Trackers, Waiter,
};
use crate::{http, observability};

/// Names the tables: the stack's name and a dash on AWS, nothing on a developer's machine.
pub const TABLE_PREFIX: &str = "TABLE_PREFIX";

/// Who mail comes from on a developer's machine.
pub const LOCAL_SENDER: &str = "Kiroku <no-reply@kiroku.example>";

/// How long the making of the service lets the runtime's request for its first event go before it.
const HEAD_START: Duration = Duration::from_millis(1);

/// Runs the service that `make` makes. Making it begins once the runtime has asked for its first
/// event, which Lambda finds meanwhile.
///
/// # Errors
/// When Lambda's runtime API goes away. What `make` fails with is every request's error.
pub async fn run(
    make: impl FnOnce() -> Result<Router, Error> + Send + 'static,
) -> Result<(), Error> {
    observability::init();
    let asked = Arc::new(Notify::new());
    let is_asked = Arc::clone(&asked);
    let made = async move {
        // Either way it is time.
        let _ = timeout(HEAD_START, is_asked.notified()).await;
        make().map_err(|error| error.to_string())
    };
    let made = made.boxed().shared();
    tokio::spawn(made.clone());
    lambda_runtime::run(service_fn(move |event: LambdaEvent<Event>| {
        let made = made.clone();
        asked.notify_one();
        async move { event::answer(made.await?, event).await }
    }))
    .await
}

/// What the environment says, for whatever a function is made of.
#[derive(Clone, Debug)]
pub struct Environment {
    /// DynamoDB.
    pub client: aws_sdk_dynamodb::Client,
    /// Its tables.
    pub tables: TableNames,
    /// The time.
    pub clock: Clock,
    /// Chance.
    pub random: Random,
    /// The service's address as its users see it, without a slash at its end: `PUBLIC_URL`.
    pub public_url: String,
}

impl Environment {
    /// Reads what every function needs.
    ///
    /// # Errors
    /// When `PUBLIC_URL` is missing or no web address, no client can be made, or the machine has no
    /// randomness.
    pub fn read() -> Result<Self, Error> {
        let public_url = required("PUBLIC_URL")?;
        check_public_url(&public_url)?;
        Ok(Self {
            public_url,
            client: aws::dynamodb()?,
            tables: TableNames::with_prefix(env(TABLE_PREFIX).unwrap_or_default()),
            clock: Clock::system(),
            random: Random::from_os()?,
        })
    }

    /// The users.
    #[must_use]
    pub fn users(&self) -> UserStore {
        UserStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// What counts attempts.
    #[must_use]
    pub fn attempts(&self) -> Attempts {
        let throttle = ThrottleStore::new(self.client.clone(), &self.tables);
        Attempts::new(throttle, self.clock.clone())
    }

    /// What deletes users.
    #[must_use]
    pub fn deletion(&self) -> DeletionStore {
        DeletionStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// The accounts, with these tokens and this hasher.
    #[must_use]
    pub fn accounts(&self, tokens: Tokens, passwords: Passwords) -> Arc<Accounts> {
        Arc::new(Accounts {
            tokens,
            users: self.users(),
            attempts: self.attempts(),
            passwords,
            deletion: self.deletion(),
            clock: self.clock.clone(),
        })
    }

    /// The sessions of the web pages.
    #[must_use]
    pub fn sessions(&self) -> Sessions {
        let store = SessionStore::new(self.client.clone(), &self.tables);
        let (clock, random) = (self.clock.clone(), self.random.clone());
        Sessions::new(store, self.users(), &self.public_url, clock, random)
    }

    /// The OAuth clients.
    #[must_use]
    pub fn clients(&self) -> ClientStore {
        ClientStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// What users have granted to OAuth clients.
    #[must_use]
    pub fn grants(&self) -> GrantStore {
        GrantStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// Authorizations on their way.
    #[must_use]
    pub fn codes(&self) -> CodeStore {
        CodeStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// What owners do with their OAuth clients, and users with those that they have connected.
    #[must_use]
    pub fn applications(&self) -> Applications {
        let (clock, random) = (self.clock.clone(), self.random.clone());
        Applications::new(
            self.clients(),
            self.grants(),
            self.users(),
            self.deletion(),
            clock,
            random,
        )
    }

    /// The layers' edge of the service.
    #[must_use]
    pub fn edge(&self) -> Edge {
        Edge::new(&self.public_url, self.clock.clone(), self.random.clone())
    }

    /// What signs and verifies tokens: under the keys of `SIGNING_SECRET_ARN`, as the service at
    /// `PUBLIC_URL`.
    ///
    /// # Errors
    /// When the environment does not name them.
    pub fn tokens(&self) -> Result<Tokens, Error> {
        let keys = self.keys("SIGNING_SECRET_ARN", "signing")?;
        let (clock, random) = (self.clock.clone(), self.random.clone());
        Ok(Tokens::new(keys, &self.public_url, clock, random))
    }

    /// What encrypts, under the keys of `ENCRYPTION_SECRET_ARN`.
    ///
    /// # Errors
    /// When the environment does not name them.
    pub fn sealer(&self) -> Result<Sealer, Error> {
        let keys = self.keys("ENCRYPTION_SECRET_ARN", "encryption")?;
        Ok(Sealer::new(keys, self.clock.clone(), self.random.clone()))
    }

    /// What sends mail, from `MAIL_FROM`: through SES, or into the folder `MAIL_DIR`.
    ///
    /// # Errors
    /// When the environment does not name them, or no client can be made.
    pub fn mailer(&self) -> Result<Mailer, Error> {
        let (carrier, from) = match env("MAIL_DIR") {
            Some(folder) => {
                let carrier = Carrier::Folder {
                    folder: Some(folder.into()),
                    print: false,
                };
                (
                    carrier,
                    env("MAIL_FROM").unwrap_or_else(|| LOCAL_SENDER.into()),
                )
            }
            None => (Carrier::Ses(aws::ses()?), required("MAIL_FROM")?),
        };
        let (clock, random) = (self.clock.clone(), self.random.clone());
        Ok(Mailer::new(carrier, &from, clock, random))
    }

    /// What links accounts at these trackers, with these keys.
    #[must_use]
    pub fn linking(&self, trackers: Arc<Trackers>, sealer: Sealer) -> Linking {
        let (clock, random) = (self.clock.clone(), self.random.clone());
        let links = LinkStore::new(self.client.clone(), &self.tables, random.clone());
        Linking::new(trackers, links, sealer, clock, random)
    }

    /// The trackers that the environment configures ([`trackers::read_config`]). Their secrets are in the
    /// secret of `TRACKER_SECRET_ARN`; on a developer's machine in `TRACKER_A_CLIENT_SECRET` and
    /// `TRACKER_B_CLIENT_SECRET`.
    ///
    /// # Errors
    /// When a variable holds what it cannot, or no client can be made.
    pub fn trackers(&self) -> Result<Trackers, Error> {
        let config = |name| trackers::read_config(name, &self.public_url, env);
        let configs = (config(TrackerName::A)?, config(TrackerName::B)?);
        let secrets = match env("TRACKER_SECRET_ARN") {
            Some(arn) => SecretSource::SecretsManager(aws::secrets_manager()?, arn),
            None => SecretSource::Fixed(ClientSecrets {
                tracker_a: env("TRACKER_A_CLIENT_SECRET").unwrap_or_default(),
                tracker_b: env("TRACKER_B_CLIENT_SECRET").unwrap_or_default(),
            }),
        };
        let clock = self.clock.clone();
        Ok(Trackers::new(configs, secrets, clock, Waiter::Sleep))
    }

    /// Where songs come from: `AnimeThemes` at the address `ANIME_THEMES_API_URL`
    /// ([`AnimeThemes::PUBLIC`]); `None` without it.
    ///
    /// # Errors
    /// When the address is none that can be asked, or no client can be made.
    pub fn anime_themes(&self) -> Result<Option<AnimeThemes>, Error> {
        let made = env("ANIME_THEMES_API_URL")
            .map(|api| AnimeThemes::new(&api, self.clock.clone(), Waiter::Sleep));
        Ok(made.transpose()?)
    }

    /// On a developer's machine the keys are in the file that `KEYS_FILE` names.
    fn keys(&self, arn: &str, name: &'static str) -> Result<Keys, Error> {
        let source = match env("KEYS_FILE") {
            Some(file) => KeySource::File(file.into(), name),
            None => KeySource::SecretsManager(aws::secrets_manager()?, required(arn)?),
        };
        Ok(Keys::new(source, self.clock.clone()))
    }
}

fn required(name: &str) -> Result<String, Error> {
    env(name).ok_or_else(|| format!("the environment has no {name}").into())
}

/// Runs a catalogue function: `router` over the catalogue that the environment names.
///
/// # Errors
/// As [`run`] does, and every request when the environment is short of something.
pub async fn run_catalogue<R: Resource>(
    router: fn(Arc<Catalogue<R>>) -> ApiRouter,
) -> Result<(), Error> {
    run(move || {
        let environment = Environment::read()?;
        let edge = environment.edge();
        let (clock, random) = (environment.clock, environment.random);
        let (client, tables) = (environment.client, environment.tables);
        let catalogue = Catalogue::new(client, &tables, clock, random);
        let catalogue = Arc::new(catalogue);
        tokio::spawn(warm_catalogue(Arc::clone(&catalogue)));
        Ok(http::service(router(catalogue), edge))
    })
    .await
}

/// Opens the connection and loads the index before the first request needs them. What fails here
/// fails again, and is answered, at that request.
async fn warm_catalogue<R: Resource>(catalogue: Arc<Catalogue<R>>) {
    if let Err(error) = catalogue.index().await {
        tracing::warn!(%error, "the index is not loaded yet");
    }
}

/// Opens the connections of a function of accounts: to the keys, and to DynamoDB.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm_accounts(accounts: &Accounts) -> Result<(), ApiError> {
    warm(&accounts.tokens, &accounts.users).await
}

/// Opens the connections to the keys and to DynamoDB.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(tokens: &Tokens, users: &UserStore) -> Result<(), ApiError> {
    let (tokens, users) = join(tokens.warm(), users.warm()).await;
    tokens.and(users.map_err(ApiError::from))
}

/// Runs a function of accounts: what `make` makes of the environment, once `warm` has opened its
/// connections. What fails there fails again, and is answered, at the first request.
///
/// # Errors
/// As [`run`] does, and every request when the environment is short of something.
pub async fn run_accounts<T, W>(
    make: fn(&Environment) -> Result<Arc<T>, Error>,
    router: fn(Arc<T>) -> ApiRouter,
    warm: fn(Arc<T>) -> W,
) -> Result<(), Error>
where
    T: Send + Sync + 'static,
    W: Future<Output = Result<(), ApiError>> + Send + 'static,
{
    run(move || {
        let environment = Environment::read()?;
        let state = make(&environment)?;
        let warming = warm(Arc::clone(&state));
        tokio::spawn(async move {
            if let Err(error) = warming.await {
                tracing::warn!(?error, "not everything is in reach yet");
            }
        });
        Ok(http::service(router(state), environment.edge()))
    })
    .await
}
