//! The environment: builds the stores and services of every function from environment variables, on Lambda and in
//! `kiroku serve`. A function fails if a variable that it needs is missing or invalid, or if no client can be created.

use std::sync::{Arc, OnceLock};

use dynamo::{Database, TableNames};
use shared::auth::{AddressSecrets, KeySource, Keys, Passwords, RegistrationMode, Sealer, Tokens};
use shared::clock::Clock;
use shared::http::layers::LayerSettings;
use shared::http::{base_path, check_public_url, normalize_public_url};
use shared::random::Random;
use shared::user_slots::UserSlots;
#[cfg(feature = "accounts")]
use {
    accounts::applications::Applications,
    accounts::deletion::DeletionStore,
    accounts::invitations::InvitationStore,
    accounts::linking::Linking,
    accounts::mail::{MailTransport, Mailer},
    accounts::second_factor::SecondFactors,
    accounts::service::{AccountService, Accounts},
    accounts::sessions::{CalendarFeeds, Sessions},
    accounts::sign_in::{Ceremonies, RESET_FLOOR},
    accounts::throttling::{AttemptStore, Attempts},
    accounts::users::UserStore,
    std::time::Duration,
};
#[cfg(feature = "catalogue")]
use {
    catalogue::identify::NameLimits,
    catalogue::{Catalogue, Catalogues, SharedResource},
};
#[cfg(feature = "stories")]
use {shared::models::Anime, stories::lists::StoryStore, stories::statistics::StatisticsReader};
#[cfg(feature = "trackers")]
use {
    shared::models::{PerTracker, TrackerName},
    trackers::{
        AnimeThemes, ClientSecrets, MAX_DOWNLOAD, RemoteFile, SecretSource, Trackers, Waiter,
    },
};

#[cfg(feature = "trackers")]
use crate::aws::secret;
use crate::aws::{self, AwsSecret, env};

/// The environment variable with the prefix of the tables' names. On AWS, the prefix is the stack's name and a
/// dash. On a developer's machine, it is empty.
pub const TABLE_PREFIX: &str = "TABLE_PREFIX";

/// The sender of mail on a developer's machine.
pub const LOCAL_SENDER: &str = "Kiroku <no-reply@kiroku.example>";

/// The error for a setting that is missing or invalid.
type Error = lambda_http::Error;

/// The clients and settings from which stores and services are built.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The database, which returns the stores.
    pub database: Database,
    /// The service's public URL, without a slash at its end: `PUBLIC_URL`.
    pub public_url: String,
    /// True if the pages load covers and banners from the servers of the catalogue's sources. It is false only if
    /// `EXTERNAL_IMAGES` is `off`.
    pub has_images: bool,
    /// The rule for registrations: `REGISTRATION`.
    pub registration: RegistrationMode,
    /// True if users can sign in with a password. It is false only if `OIDC_ONLY` is `on`.
    pub has_passwords: bool,
    /// The keys that encrypt. All services of an environment share them, so that they are read once.
    pub encryption_keys: OnceLock<Arc<Keys>>,
    /// The slots for users' files. In one process, the imports and exports of a user, and the files with everything
    /// about a user, are handled one after the other.
    pub file_slots: UserSlots,
    /// The slots for messages of players with a token. In one process, the requests of a user run one after the other.
    pub playback: UserSlots,
    /// Settings that replace those of environment variables.
    pub overrides: Overrides,
}

/// Settings that replace those of environment variables, for `kiroku serve` and for tests. A setting that is
/// `None` replaces nothing.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The source of the keys that sign tokens, instead of `KEYS_FILE` and `SIGNING_SECRET_ARN`.
    pub signing: Option<KeySource>,
    /// The source of the keys that encrypt, instead of `KEYS_FILE` and `ENCRYPTION_SECRET_ARN`.
    pub encryption: Option<KeySource>,
    /// The hasher of passwords, instead of a new one in each service.
    pub passwords: Option<Passwords>,
    /// The limits on the searches for names in a request, instead of the default ones.
    #[cfg(feature = "catalogue")]
    pub name_limits: Option<NameLimits>,
    /// The catalogues that all parts share, instead of new ones in each part.
    #[cfg(feature = "catalogue")]
    pub catalogues: Option<Arc<Catalogues>>,
    /// The settings of mail, instead of `MAIL_DIR` and `MAIL_FROM`.
    #[cfg(feature = "accounts")]
    pub mail: Option<MailSettings>,
    /// The trackers, instead of the trackers that environment variables configure.
    #[cfg(feature = "trackers")]
    pub trackers: Option<Arc<Trackers>>,
    /// The identity provider to use instead of the provider that environment variables configure.
    #[cfg(feature = "provider")]
    pub provider: Option<Arc<openid::Provider>>,
}

/// The settings of outgoing mail.
#[cfg(feature = "accounts")]
#[derive(Clone, Debug)]
pub struct MailSettings {
    /// The way in which mail is sent.
    pub transport: MailTransport,
    /// The sender, for example `Kiroku <no-reply@example.com>`.
    pub from: String,
    /// The minimum duration of a request for a password reset ([`RESET_FLOOR`]).
    pub reset_floor: Duration,
}

impl Environment {
    /// Reads the settings that every function needs.
    ///
    /// # Errors
    /// `PUBLIC_URL` is missing or invalid, `EXTERNAL_IMAGES`, `REGISTRATION` or `OIDC_ONLY` is invalid, no DynamoDB
    /// client can be created, or the operating system provides no randomness.
    pub fn read() -> Result<Self, Error> {
        let public_url = required("PUBLIC_URL")?;
        check_url_of_functions(&public_url)?;
        let public_url = normalize_public_url(&public_url);
        let tables = TableNames::with_prefix(env(TABLE_PREFIX).unwrap_or_default());
        Ok(Self {
            public_url,
            database: Database::new(
                aws::dynamodb()?,
                tables,
                Clock::system(),
                Random::from_os()?,
            ),
            has_images: read_switch("EXTERNAL_IMAGES", true)?,
            registration: RegistrationMode::read(env("REGISTRATION").as_deref())?,
            has_passwords: !read_switch("OIDC_ONLY", false)?,
            encryption_keys: OnceLock::new(),
            file_slots: UserSlots::default(),
            playback: UserSlots::default(),
            overrides: Overrides::default(),
        })
    }

    /// Returns the settings of the layers around a router.
    pub fn layer_settings(&self) -> LayerSettings {
        LayerSettings::new(
            &self.public_url,
            self.database.clock.clone(),
            self.database.random.clone(),
        )
        .with_registration(self.registration)
    }

    /// Returns the signer of tokens, with the keys of `KEYS_FILE` or of the secret `SIGNING_SECRET_ARN`.
    pub fn tokens(&self) -> Result<Tokens, Error> {
        let keys = self.keys(
            self.overrides.signing.as_ref(),
            "SIGNING_SECRET_ARN",
            "signing",
        )?;
        let (clock, random) = (self.database.clock.clone(), self.database.random.clone());
        Ok(Tokens::new(keys, &self.public_url, clock, random))
    }

    /// Returns the sealer, which encrypts texts with the keys of `KEYS_FILE` or of the secret `ENCRYPTION_SECRET_ARN`.
    pub fn sealer(&self) -> Result<Sealer, Error> {
        let keys = if let Some(keys) = self.encryption_keys.get() {
            keys
        } else {
            let source = self.overrides.encryption.as_ref();
            let keys = self.keys(source, "ENCRYPTION_SECRET_ARN", "encryption")?;
            self.encryption_keys.get_or_init(|| Arc::new(keys))
        };
        Ok(Sealer::new(
            Arc::clone(keys),
            self.database.clock.clone(),
            self.database.random.clone(),
        ))
    }

    /// Returns the operations on secrets in addresses.
    pub fn address_secrets(&self) -> Result<AddressSecrets, Error> {
        let random = self.database.random.clone();
        Ok(AddressSecrets::new(self.sealer()?, random))
    }

    /// Returns the hasher of passwords.
    pub fn passwords(&self) -> Passwords {
        let shared = self.overrides.passwords.clone();
        shared.unwrap_or_else(|| Passwords::new(self.database.random.clone()))
    }

    /// Returns the keys of `override_source`, or of the ring `ring_name` in the file `KEYS_FILE` (on a developer's
    /// machine), or of the secret whose ARN is in the variable `arn_variable`.
    fn keys(
        &self,
        override_source: Option<&KeySource>,
        arn_variable: &str,
        ring_name: &'static str,
    ) -> Result<Keys, Error> {
        let source = match (override_source, env("KEYS_FILE")) {
            (Some(source), _) => source.clone(),
            (None, Some(file)) => KeySource::File(file.into(), ring_name),
            (None, None) => KeySource::Secret(AwsSecret::new(required(arn_variable)?)?),
        };
        Ok(Keys::new(source, self.database.clock.clone()))
    }
}

#[cfg(feature = "provider")]
impl Environment {
    /// Returns the identity provider that the environment variables configure ([`openid::Settings::read`]); `None`
    /// without one. The secret of the client is in the secret `OIDC_SECRET_ARN`.
    pub fn provider(&self) -> Result<Option<Arc<openid::Provider>>, Error> {
        if let Some(provider) = &self.overrides.provider {
            return Ok(Some(Arc::clone(provider)));
        }
        let Some(settings) = openid::Settings::read(env)? else {
            return Ok(None);
        };
        let secret = match env("OIDC_SECRET_ARN") {
            Some(arn) => openid::ClientSecret::Secret(AwsSecret::new(arn)?),
            None => openid::ClientSecret::Fixed(None),
        };
        Ok(Some(self.provider_with(settings, secret)))
    }

    /// Returns the identity provider with these settings.
    pub fn provider_with(
        &self,
        settings: openid::Settings,
        secret: openid::ClientSecret,
    ) -> Arc<openid::Provider> {
        Arc::new(openid::Provider::new(
            settings,
            secret,
            &self.public_url,
            openid::PROVIDER_DEADLINE,
            self.database.clock.clone(),
            self.database.random.clone(),
        ))
    }
}

#[cfg(feature = "catalogue")]
impl Environment {
    /// Returns the catalogue of one kind of document: a new one, or the shared one of
    /// [`Overrides::catalogues`]. Its cache takes at most `CATALOGUE_CACHE_PERCENT` percent of the function's memory,
    /// or 25 percent without the variable. Outside Lambda, the memory counts as 512 MB.
    pub fn catalogue<R: SharedResource>(&self) -> Result<Arc<Catalogue<R>>, Error> {
        const MIB: u64 = 1024 * 1024;
        let percent = match env("CATALOGUE_CACHE_PERCENT") {
            Some(text) => text.parse().ok().filter(|percent| *percent <= 40),
            None => Some(25),
        };
        let percent =
            percent.ok_or("CATALOGUE_CACHE_PERCENT must be a whole number from 0 to 40")?;
        // Lambda sets the variable to the memory size of the function, in MB.
        let memory = env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE").and_then(|size| size.parse().ok());
        let cache_size = memory.unwrap_or(512_u64) * MIB / 100 * percent;
        let limits = self.overrides.name_limits.unwrap_or_default();
        let create = || Catalogue::new(&self.database, cache_size).with_name_limits(limits);
        Ok(match &self.overrides.catalogues {
            Some(catalogues) => catalogues.get_or_create(create),
            None => Arc::new(create()),
        })
    }
}

#[cfg(feature = "stories")]
impl Environment {
    /// Returns the reader of the statistics of users.
    pub fn statistics(&self, catalogue: Arc<Catalogue<Anime>>) -> StatisticsReader {
        StatisticsReader::new(StoryStore::new(&self.database), catalogue)
    }
}

#[cfg(feature = "trackers")]
impl Environment {
    /// Returns the trackers that the environment variables configure ([`trackers::read_config`]). The secrets
    /// of their clients are in the secret `TRACKER_SECRET_ARN`, or outside AWS in `TRACKER_A_CLIENT_SECRET` and
    /// `TRACKER_B_CLIENT_SECRET`, or in the files that these variables with `_FILE` at their ends name.
    pub fn trackers(&self) -> Result<Arc<Trackers>, Error> {
        if let Some(trackers) = &self.overrides.trackers {
            return Ok(Arc::clone(trackers));
        }
        let config = |name| trackers::read_config(name, &self.public_url, env);
        let configs = PerTracker {
            a: config(TrackerName::A)?,
            b: config(TrackerName::B)?,
        };
        let secrets = match env("TRACKER_SECRET_ARN") {
            Some(arn) => SecretSource::Secret(AwsSecret::new(arn)?),
            None => SecretSource::Fixed(ClientSecrets {
                tracker_a: secret("TRACKER_A_CLIENT_SECRET")?.unwrap_or_default(),
                tracker_b: secret("TRACKER_B_CLIENT_SECRET")?.unwrap_or_default(),
            }),
        };
        let clock = self.database.clock.clone();
        Ok(Arc::new(Trackers::new(
            configs,
            secrets,
            clock,
            Waiter::Sleep,
        )))
    }

    /// Returns the adapter to AnimeThemes, the source of songs, at `ANIME_THEMES_API_URL` (usually
    /// [`AnimeThemes::PUBLIC`]); `None` without the variable.
    pub fn anime_themes(&self) -> Result<Option<AnimeThemes>, Error> {
        let themes = env("ANIME_THEMES_API_URL")
            .map(|api| AnimeThemes::new(&api, self.database.clock.clone(), Waiter::Sleep));
        Ok(themes.transpose()?)
    }

    /// Returns the file whose addresses are in this variable, a source of the catalogue. The variable has one or more
    /// addresses, separated by spaces, which are tried in order. `default` stands for the addresses `usual`, and `off`
    /// for none. Without the variable, the file is at the usual addresses if `is_usual`, otherwise the source is off.
    /// `name` is the name of the source, for errors. Files of more than `DOWNLOAD_MAX_MB` mebibytes, by default 64, are
    /// not read.
    pub fn remote_file(
        &self,
        variable: &str,
        name: &'static str,
        usual: &str,
        is_usual: bool,
    ) -> Result<Option<RemoteFile>, Error> {
        let urls = match env(variable).as_deref().map(str::trim) {
            Some("off") => return Ok(None),
            Some("default") => usual.to_owned(),
            Some(urls) => urls.to_owned(),
            None if is_usual => usual.to_owned(),
            None => return Ok(None),
        };
        let max_size = max_download()?;
        let file = RemoteFile::new(name, &urls, max_size, self.database.clock.clone());
        let file = file.map_err(|error| format!("{variable}: {error}"))?;
        Ok(Some(file))
    }
}

/// Returns the maximum size of a file that is a source of the catalogue, in bytes: `DOWNLOAD_MAX_MB` mebibytes, by
/// default 64.
#[cfg(feature = "trackers")]
pub fn max_download() -> Result<u64, Error> {
    match env("DOWNLOAD_MAX_MB") {
        Some(number) => {
            let number = number.parse().ok().filter(|number| *number > 0);
            let number: u32 = number.ok_or("DOWNLOAD_MAX_MB must be a whole number from 1")?;
            Ok(u64::from(number) * 1024 * 1024)
        }
        None => Ok(MAX_DOWNLOAD),
    }
}

#[cfg(feature = "accounts")]
impl Environment {
    /// Returns the counters of attempts.
    pub fn attempts(&self) -> Attempts {
        Attempts::new(
            AttemptStore::new(&self.database),
            self.database.clock.clone(),
        )
    }

    /// Returns the operations on accounts.
    pub fn accounts(&self) -> Result<Arc<Accounts>, Error> {
        Ok(Arc::new(Accounts {
            tokens: self.tokens()?,
            users: UserStore::new(&self.database),
            attempts: self.attempts(),
            passwords: self.passwords(),
            deletion: DeletionStore::new(&self.database),
            invitations: InvitationStore::new(&self.database),
            second_factors: self.second_factors()?,
            registration: self.registration,
            has_passwords: self.has_passwords,
            clock: self.database.clock.clone(),
        }))
    }

    /// Returns the operations on accounts that send mail. Mail is sent through SES from `MAIL_FROM`, or written to the
    /// folder `MAIL_DIR`.
    pub fn account_service(&self, accounts: &Arc<Accounts>) -> Result<AccountService, Error> {
        let MailSettings {
            transport,
            from,
            reset_floor,
        } = match self.overrides.mail.clone() {
            Some(settings) => settings,
            None => mail_settings()?,
        };
        let mailer = Mailer::new(
            transport,
            &from,
            self.database.clock.clone(),
            self.database.random.clone(),
        );
        Ok(AccountService::new(
            Arc::clone(accounts),
            mailer,
            reset_floor,
        ))
    }

    /// Returns the sessions of the web pages. The keys of `tokens` also authenticate their cookies.
    pub fn sessions(&self, tokens: &Tokens) -> Sessions {
        Sessions::new(&self.database, tokens.authenticator())
    }

    /// Returns the operations on ceremonies.
    pub fn ceremonies(&self) -> Result<Ceremonies, Error> {
        Ok(Ceremonies::new(&self.database, self.sealer()?))
    }

    /// Returns the operations on second factors.
    pub fn second_factors(&self) -> Result<SecondFactors, Error> {
        Ok(SecondFactors::new(&self.database, self.sealer()?))
    }

    /// Returns the operations on the addresses of calendar feeds.
    pub fn calendar_feeds(&self) -> Result<CalendarFeeds, Error> {
        let secrets = self.address_secrets()?;
        Ok(CalendarFeeds::new(UserStore::new(&self.database), secrets))
    }

    /// Returns the operations on OAuth applications.
    pub fn applications(&self) -> Applications {
        Applications::new(&self.database)
    }

    /// Returns the operations of linking accounts at trackers.
    pub fn linking(&self) -> Result<Linking, Error> {
        let (trackers, sealer) = (self.trackers()?, self.sealer()?);
        let ceremonies = self.ceremonies()?;
        Ok(Linking::new(&self.database, trackers, sealer, ceremonies))
    }
}

#[cfg(feature = "accounts")]
fn mail_settings() -> Result<MailSettings, Error> {
    let from = env("MAIL_FROM");
    let (transport, from) = match env("MAIL_DIR") {
        Some(folder) => {
            let transport = MailTransport::Folder {
                folder: Some(folder.into()),
                print: false,
            };
            (transport, from.unwrap_or_else(|| LOCAL_SENDER.into()))
        }
        None => (MailTransport::Ses(aws::ses()?), required("MAIL_FROM")?),
    };
    Ok(MailSettings {
        transport,
        from,
        reset_floor: RESET_FLOOR,
    })
}

/// Reads a setting that is `on` or `off`.
fn read_switch(name: &str, default: bool) -> Result<bool, Error> {
    match env(name).as_deref() {
        None => Ok(default),
        Some("on") => Ok(true),
        Some("off") => Ok(false),
        Some(_) => Err(format!("{name} must be on or off").into()),
    }
}

fn check_url_of_functions(public_url: &str) -> Result<(), Error> {
    check_public_url(public_url)?;
    if base_path(public_url).is_empty() {
        return Ok(());
    }
    Err("PUBLIC_URL must have no path on AWS, because API Gateway routes requests by their whole path".into())
}

fn required(name: &str) -> Result<String, Error> {
    env(name).ok_or_else(|| format!("the environment variable {name} is missing").into())
}

#[cfg(test)]
mod tests {
    use super::check_url_of_functions;

    #[test]
    fn functions_are_served_without_a_path() {
        assert!(check_url_of_functions("https://kiroku.example").is_ok());
        for (url, reason) in [
            ("https://kiroku.example/kiroku", "must have no path on AWS"),
            ("https://kiroku.example/", "must be a scheme and a host"),
        ] {
            let error = check_url_of_functions(url).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
