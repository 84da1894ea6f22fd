//! The composition root: builds every part of every function, on Lambda and in `kiroku serve`.

use shared::auth::{KeySource, Keys, Passwords, Sealer, Tokens};
use shared::clock::Clock;
use shared::http::check_public_url;
use shared::http::layers::Edge;
use shared::random::Random;
use store::{ClientStore, CodeStore, DeletionStore, GrantStore, TableNames, UserStore};

#[cfg(feature = "accounts")]
use accounts::linking::Linking;
#[cfg(feature = "accounts")]
use accounts::mail::{Carrier, Mailer};
#[cfg(feature = "accounts")]
use accounts::{Accounts, Applications, Attempts, Links, RESET_FLOOR, Sessions};
#[cfg(feature = "catalogue")]
use catalogue::{Catalogue, Resource};
#[cfg(any(feature = "accounts", feature = "catalogue", feature = "trackers"))]
use std::sync::Arc;
#[cfg(feature = "accounts")]
use std::time::Duration;
#[cfg(feature = "accounts")]
use store::{LinkStore, SessionStore, ThrottleStore};
#[cfg(feature = "trackers")]
use {
    shared::models::TrackerName,
    trackers::{AnimeThemes, ClientSecrets, SecretSource, Trackers, Waiter},
};

use crate::aws::{self, SecretsManager, env};

/// The environment variable with the prefix of the tables' names: the stack's name and a dash on AWS, empty
/// on a developer's machine.
pub const TABLE_PREFIX: &str = "TABLE_PREFIX";

/// The sender of mail on a developer's machine.
pub const LOCAL_SENDER: &str = "Kiroku <no-reply@kiroku.example>";

/// The error of a setting that is missing or cannot be used.
type Error = lambda_http::Error;

/// Everything that parts are built from.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The DynamoDB client.
    pub client: aws_sdk_dynamodb::Client,
    /// The names of the tables.
    pub tables: TableNames,
    /// The time.
    pub clock: Clock,
    /// Randomness.
    pub random: Random,
    /// The service's address as its users see it, without a slash at its end: `PUBLIC_URL`.
    pub public_url: String,
    /// Settings that replace environment variables.
    pub overrides: Overrides,
}

/// Settings that replace those of environment variables, each where it is `Some`.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The keys that sign tokens, instead of `SIGNING_SECRET_ARN`.
    pub signing: Option<KeySource>,
    /// The keys that encrypt, instead of `ENCRYPTION_SECRET_ARN`.
    pub encryption: Option<KeySource>,
    /// The hasher of passwords that all parts share.
    pub passwords: Option<Passwords>,
    /// Mail, instead of `MAIL_DIR` and `MAIL_FROM`.
    #[cfg(feature = "accounts")]
    pub mail: Option<MailSettings>,
    /// The trackers, instead of those that the variables configure.
    #[cfg(feature = "trackers")]
    pub trackers: Option<Arc<Trackers>>,
}

/// The settings of outgoing mail.
#[cfg(feature = "accounts")]
#[derive(Clone, Debug)]
pub struct MailSettings {
    /// The carrier.
    pub carrier: Carrier,
    /// The sender: `Kiroku <no-reply@example.com>`.
    pub from: String,
    /// The shortest time that a request for a link to reset a password takes.
    pub reset_floor: Duration,
}

impl Environment {
    /// Reads what every function needs.
    ///
    /// # Errors
    /// `PUBLIC_URL` is missing or not a web address, no client can be created, or the machine has no source
    /// of randomness.
    pub fn read() -> Result<Self, Error> {
        let public_url = required("PUBLIC_URL")?;
        check_public_url(&public_url)?;
        Ok(Self {
            public_url,
            client: aws::dynamodb()?,
            tables: TableNames::with_prefix(env(TABLE_PREFIX).unwrap_or_default()),
            clock: Clock::system(),
            random: Random::from_os()?,
            overrides: Overrides::default(),
        })
    }

    /// The settings of the layers around a router.
    #[must_use]
    pub fn edge(&self) -> Edge {
        Edge::new(&self.public_url, self.clock.clone(), self.random.clone())
    }

    /// The store of users.
    #[must_use]
    pub fn users(&self) -> UserStore {
        UserStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// The store that deletes users and OAuth clients.
    #[must_use]
    pub fn deletion(&self) -> DeletionStore {
        DeletionStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// The store of OAuth clients.
    #[must_use]
    pub fn clients(&self) -> ClientStore {
        ClientStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// The store of OAuth grants.
    #[must_use]
    pub fn grants(&self) -> GrantStore {
        GrantStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// The store of OAuth authorizations in progress.
    #[must_use]
    pub fn codes(&self) -> CodeStore {
        CodeStore::new(self.client.clone(), &self.tables, self.random.clone())
    }

    /// Signs and verifies tokens with the keys of `SIGNING_SECRET_ARN`.
    ///
    /// # Errors
    /// The variable is missing.
    pub fn tokens(&self) -> Result<Tokens, Error> {
        let keys = self.keys(
            self.overrides.signing.as_ref(),
            "SIGNING_SECRET_ARN",
            "signing",
        )?;
        let (clock, random) = (self.clock.clone(), self.random.clone());
        Ok(Tokens::new(keys, &self.public_url, clock, random))
    }

    /// Encrypts with the keys of `ENCRYPTION_SECRET_ARN`.
    ///
    /// # Errors
    /// The variable is missing.
    pub fn sealer(&self) -> Result<Sealer, Error> {
        let keys = self.keys(
            self.overrides.encryption.as_ref(),
            "ENCRYPTION_SECRET_ARN",
            "encryption",
        )?;
        Ok(Sealer::new(keys, self.clock.clone(), self.random.clone()))
    }

    /// Hashes passwords.
    #[must_use]
    pub fn passwords(&self) -> Passwords {
        let shared = self.overrides.passwords.clone();
        shared.unwrap_or_else(|| Passwords::new(self.random.clone()))
    }

    /// Keys from `KEYS_FILE` on a developer's machine, from Secrets Manager otherwise.
    fn keys(
        &self,
        replaced: Option<&KeySource>,
        arn: &str,
        name: &'static str,
    ) -> Result<Keys, Error> {
        let source = match (replaced, env("KEYS_FILE")) {
            (Some(source), _) => source.clone(),
            (None, Some(file)) => KeySource::File(file.into(), name),
            (None, None) => KeySource::Secret(SecretsManager::secret(required(arn)?)?),
        };
        Ok(Keys::new(source, self.clock.clone()))
    }
}

#[cfg(feature = "catalogue")]
impl Environment {
    /// The catalogue of a resource.
    #[must_use]
    pub fn catalogue<R: Resource>(&self) -> Arc<Catalogue<R>> {
        let (clock, random) = (self.clock.clone(), self.random.clone());
        Arc::new(Catalogue::new(
            self.client.clone(),
            &self.tables,
            clock,
            random,
        ))
    }
}

#[cfg(feature = "trackers")]
impl Environment {
    /// The trackers that the environment configures ([`trackers::read_config`]). Their secrets are in
    /// `TRACKER_SECRET_ARN`; on a developer's machine in `TRACKER_A_CLIENT_SECRET` and
    /// `TRACKER_B_CLIENT_SECRET`.
    ///
    /// # Errors
    /// A variable has an invalid value, or no client can be created.
    pub fn trackers(&self) -> Result<Arc<Trackers>, Error> {
        if let Some(trackers) = &self.overrides.trackers {
            return Ok(Arc::clone(trackers));
        }
        let config = |name| trackers::read_config(name, &self.public_url, env);
        let configs = (config(TrackerName::A)?, config(TrackerName::B)?);
        let secrets = match env("TRACKER_SECRET_ARN") {
            Some(arn) => SecretSource::Secret(SecretsManager::secret(arn)?),
            None => SecretSource::Fixed(ClientSecrets {
                tracker_a: env("TRACKER_A_CLIENT_SECRET").unwrap_or_default(),
                tracker_b: env("TRACKER_B_CLIENT_SECRET").unwrap_or_default(),
            }),
        };
        let clock = self.clock.clone();
        Ok(Arc::new(Trackers::new(
            configs,
            secrets,
            clock,
            Waiter::Sleep,
        )))
    }

    /// AnimeThemes at `ANIME_THEMES_API_URL` ([`AnimeThemes::PUBLIC`]), the source of songs; `None` without
    /// the variable.
    ///
    /// # Errors
    /// The address is invalid, or no client can be created.
    pub fn anime_themes(&self) -> Result<Option<AnimeThemes>, Error> {
        let themes = env("ANIME_THEMES_API_URL")
            .map(|api| AnimeThemes::new(&api, self.clock.clone(), Waiter::Sleep));
        Ok(themes.transpose()?)
    }
}

#[cfg(feature = "accounts")]
impl Environment {
    /// Counts attempts.
    #[must_use]
    pub fn attempts(&self) -> Attempts {
        let throttle = ThrottleStore::new(self.client.clone(), &self.tables);
        Attempts::new(throttle, self.clock.clone())
    }

    /// The accounts.
    ///
    /// # Errors
    /// `SIGNING_SECRET_ARN` is missing.
    pub fn accounts(&self) -> Result<Arc<Accounts>, Error> {
        Ok(Arc::new(Accounts {
            tokens: self.tokens()?,
            users: self.users(),
            attempts: self.attempts(),
            passwords: self.passwords(),
            deletion: self.deletion(),
            clock: self.clock.clone(),
        }))
    }

    /// The links that accounts get by mail: through SES from `MAIL_FROM`, or into the folder `MAIL_DIR`.
    ///
    /// # Errors
    /// `MAIL_FROM` is missing, or no client can be created.
    pub fn links(&self, accounts: &Arc<Accounts>) -> Result<Links, Error> {
        let MailSettings {
            carrier,
            from,
            reset_floor,
        } = match self.overrides.mail.clone() {
            Some(settings) => settings,
            None => mail_settings()?,
        };
        let mailer = Mailer::new(carrier, &from, self.clock.clone(), self.random.clone());
        Ok(Links::new(Arc::clone(accounts), mailer, reset_floor))
    }

    /// The sessions of the web pages.
    #[must_use]
    pub fn sessions(&self) -> Sessions {
        let store = SessionStore::new(self.client.clone(), &self.tables);
        let (clock, random) = (self.clock.clone(), self.random.clone());
        Sessions::new(store, self.users(), clock, random)
    }

    /// The OAuth applications of developers and users.
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

    /// Links accounts at trackers.
    ///
    /// # Errors
    /// A variable is missing or has an invalid value, or no client can be created.
    pub fn linking(&self) -> Result<Linking, Error> {
        let (clock, random) = (self.clock.clone(), self.random.clone());
        let links = LinkStore::new(self.client.clone(), &self.tables, random.clone());
        Ok(Linking::new(
            self.trackers()?,
            links,
            self.sealer()?,
            clock,
            random,
        ))
    }
}

#[cfg(feature = "accounts")]
fn mail_settings() -> Result<MailSettings, Error> {
    let from = env("MAIL_FROM");
    let (carrier, from) = match env("MAIL_DIR") {
        Some(folder) => {
            let carrier = Carrier::Folder {
                folder: Some(folder.into()),
                print: false,
            };
            (carrier, from.unwrap_or_else(|| LOCAL_SENDER.into()))
        }
        None => (Carrier::Ses(aws::ses()?), required("MAIL_FROM")?),
    };
    Ok(MailSettings {
        carrier,
        from,
        reset_floor: RESET_FLOOR,
    })
}

fn required(name: &str) -> Result<String, Error> {
    env(name).ok_or_else(|| format!("the environment variable {name} is missing").into())
}
