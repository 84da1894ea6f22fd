//! `kiroku serve`: the whole service in one process.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use accounts::mail::Carrier;
use accounts::sign_in::RESET_FLOOR;
use anyhow::{Context, anyhow};
use catalog_refresh::Clients;
use catalogue::rows::CatalogueDocument;
use clap::Args;
use clap::builder::BoolishValueParser;
use dynamo::Database;
use runtime::{Environment, LOCAL_SENDER, MailSettings, Overrides};
use shared::auth::{KeyRing, KeySource, Passwords};
use shared::http::{check_public_url, layers, normalize_public_url, serve_below_base_path};
use shared::models::{Anime, Song};
use shared::user_slots::UserSlots;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracker_sync::SyncState;

use crate::access_key::AccessKey;
use crate::catalogue::{folder_in, terms};
use crate::connections::ConnectionLimits;
use crate::engine::Engine;
use crate::keys::{self, KeyKind};
use crate::log::LogFormat;
use crate::metrics::Metrics;
use crate::migrations::{self, DataVersion, MIGRATIONS};
use crate::oidc::OidcArgs;
use crate::proxy::{ProxyHeader, ProxyNetwork, TrustedProxies};
use crate::refresh::{self, RefreshInterval};
use crate::router::router;
use crate::smtp::{self, SmtpQueue};
use crate::tables::{self, FoundTables};
use crate::target::{DatabaseOptions, check_endpoint};
use crate::user::{self, RegistrationArg};
use crate::{health_check, http, key_check, private_file, restore_marker, sample, tasks};

/// Time that mails have to leave after the last request has ended.
const MAIL_TIMEOUT: Duration = Duration::from_millis(500);

/// Routes whose work grows with a user's history. On AWS, they have the same time limit as all routes, because the
/// functions and the API Gateway have a limit.
pub const LONG_ROUTES: [&str; 11] = [
    "/v1/auth/me/data",
    "/v1/user_story/export",
    "/v1/user_story/import",
    "/v1/user_story/import/proposals",
    "/v1/user_story/import/waiting",
    "/v1/user_story/import/{id}/undo",
    "/profile/data/download",
    "/profile/history",
    "/profile/history/export",
    "/profile/history/imports",
    "/profile/history/proposals",
];

/// The time limit of [`LONG_ROUTES`]: 55 s. Reverse proxies usually wait 60 s for a response.
pub const LONG_DEADLINE: Duration = Duration::from_secs(55);

/// Options of `serve`.
#[derive(Args, Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct ServeArgs {
    /// Port of the API; 0 for any free port.
    #[arg(long, env = "KIROKU_PORT", default_value_t = 9000)]
    pub port: u16,

    /// Address that the API listens on. Other addresses than those of this machine need --public-url.
    #[arg(long, env = "KIROKU_HOST", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub host: IpAddr,

    /// Keep all data in memory. It is lost when the process ends.
    #[arg(
        long,
        env = "KIROKU_IN_MEMORY",
        value_parser = BoolishValueParser::new(),
        conflicts_with_all = ["data_dir", "endpoint_url"]
    )]
    pub in_memory: bool,

    /// Folder for the data.
    #[arg(
        long,
        env = "KIROKU_DATA_DIR",
        default_value = ".kiroku",
        value_name = "DIR",
        conflicts_with = "endpoint_url"
    )]
    pub data_dir: PathBuf,

    /// DynamoDB to use instead of the embedded one.
    #[arg(long, env = "KIROKU_ENDPOINT_URL", value_name = "URL")]
    pub endpoint_url: Option<String>,

    /// Loopback port where other tools reach the embedded DynamoDB with an access key; 0 for any free port. Default: no
    /// port. The other commands need none.
    #[arg(long, env = "KIROKU_DYNAMODB_PORT", value_name = "PORT")]
    pub dynamodb_port: Option<u16>,

    /// File with the access key for --dynamodb-port, created if missing. Default: `dynamodb.env` in the data folder;
    /// with --in-memory, no file, so no tool has the key.
    #[arg(long, env = "KIROKU_DYNAMODB_KEY_FILE", value_name = "FILE")]
    pub dynamodb_key_file: Option<PathBuf>,

    /// Public address of the service, used in mail links and tokens. It can have a path. Default: the address that the
    /// API listens on, if only this machine reaches it.
    #[arg(long, env = "KIROKU_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// Reverse proxy whose header names the caller: an address or a network in CIDR notation. Repeat the option, or
    /// separate several with commas.
    #[arg(
        long,
        env = "KIROKU_TRUSTED_PROXY",
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub trusted_proxy: Vec<ProxyNetwork>,

    /// Header in which the trusted proxies pass on the address of the caller. Choose the header that they set, because
    /// they pass on the other header as the caller sent it.
    #[arg(
        long,
        env = "KIROKU_PROXY_HEADER",
        value_enum,
        value_name = "HEADER",
        default_value_t
    )]
    pub proxy_header: ProxyHeader,

    /// File with the signing and encryption keys, created if missing. Default: `keys.json` in the data
    /// folder; with --in-memory, no file.
    #[arg(long, env = "KIROKU_KEYS_FILE", value_name = "FILE")]
    pub keys_file: Option<PathBuf>,

    /// Start although there are users whose keys are missing or belong to another service. They sign in again, lose
    /// their authenticator apps (not their recovery codes), and connect their trackers again. Use it for one start.
    #[arg(long, env = "KIROKU_NEW_KEYS", value_parser = BoolishValueParser::new())]
    pub new_keys: bool,

    /// Folder for mail. Mail is also printed and never sent. Default: `mail` in the data folder; with
    /// --in-memory, no folder.
    #[arg(long, env = "KIROKU_MAIL_DIR", value_name = "DIR")]
    pub mail_dir: Option<PathBuf>,

    /// Registration of users.
    #[arg(
        long,
        env = "KIROKU_REGISTRATION",
        value_enum,
        default_value_t,
        value_name = "MODE"
    )]
    pub registration: RegistrationArg,

    /// Sender of mail, such as `Kiroku <no-reply@example.com>`. Required if the environment variable `SMTP_URL`
    /// or `SMTP_URL_FILE` names an SMTP server, which then sends the mail.
    #[arg(long, env = "KIROKU_MAIL_FROM", value_name = "SENDER")]
    pub mail_from: Option<String>,

    /// Interval between two refreshes of the catalogue, such as 6h or 7d, from 1h to 365d; a number alone is in hours.
    /// The sources are those that the environment configures, and the files of `kiroku catalogue` if its terms are
    /// accepted. Default: no refreshes.
    #[arg(long, env = "KIROKU_REFRESH_EVERY", value_name = "INTERVAL")]
    pub refresh_every: Option<RefreshInterval>,

    /// Accept the terms of the files of `kiroku catalogue`, for --refresh-every. The data folder remembers it.
    #[arg(
        long,
        env = "KIROKU_ACCEPT_TERMS",
        value_parser = BoolishValueParser::new()
    )]
    pub accept_terms: bool,

    /// Prefix of the table names.
    #[arg(long, env = "TABLE_PREFIX", default_value = "", value_name = "PREFIX")]
    pub table_prefix: String,

    /// Show no covers and banners on the pages. Otherwise, browsers load them from the servers of the catalogue's
    /// sources.
    #[arg(long, env = "KIROKU_NO_IMAGES", value_parser = BoolishValueParser::new())]
    pub no_images: bool,

    /// Do not load the sample catalogue into new tables.
    #[arg(long, env = "KIROKU_EMPTY", value_parser = BoolishValueParser::new())]
    pub empty: bool,

    /// Port of the metrics in the format OpenMetrics, at /metrics; 0 for any free port. Default: no metrics.
    #[arg(long, env = "KIROKU_METRICS_PORT", value_name = "PORT")]
    pub metrics_port: Option<u16>,

    /// Address that the metrics listen on.
    #[arg(long, env = "KIROKU_METRICS_HOST", value_name = "HOST", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub metrics_host: IpAddr,

    /// Format of the log. Default: text if standard error is a terminal, otherwise json.
    #[arg(long, env = "KIROKU_LOG_FORMAT", value_enum, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,

    /// The identity provider.
    #[command(flatten)]
    pub oidc: OidcArgs,
}

/// Runs the service until the future that `listen_for_stop` returns completes. The function is called when the service
/// is ready, so that a signal also ends a slow start at once.
///
/// # Errors
/// When the service cannot start, or the task of the server has panicked. The message names the cause. Requests that
/// are still running after [`http::SHUTDOWN_TIMEOUT`] are not an error.
pub async fn serve<S: Future<Output = ()>>(
    args: &ServeArgs,
    listen_for_stop: impl FnOnce() -> io::Result<S>,
) -> anyhow::Result<()> {
    // The clients read the file on first use. The operator needs the error now.
    trackers::extra_certificates()?;
    check_address(args)?;
    args.oidc.settings()?;
    let listener = http::bind(args.host, args.port, "--port").await?;
    let metrics = match args.metrics_port {
        Some(port) => Some(http::bind(args.metrics_host, port, "--metrics-port").await?),
        None => None,
    };
    let OpenDatabase {
        mut database,
        engine,
        address: dynamodb_address,
    } = open_database(args).await?;

    let address = listener.local_addr()?;
    let public_url = match &args.public_url {
        Some(url) => normalize_public_url(url),
        None => format!("http://{address}"),
    };
    let counters = metrics.is_some().then(Metrics::default);
    if let Some(counters) = &counters {
        database.client = counters.count_calls(&database.client);
    }
    let has_users = user::has_users(&database).await?;
    let setup_link = user::setup_link(&database, &public_url).await?;
    // The link leads to a form with a password.
    let setup_link = setup_link.filter(|_| !args.oidc.oidc_only);
    let smtp = smtp::read_settings(args.mail_from.as_deref(), &public_url)?;
    let queue = smtp.as_ref().map(|(queue, _)| Arc::clone(queue));
    let must_have_keys = has_users && !args.new_keys;
    let url = public_url.clone();
    let environment = environment(args, database.clone(), url, smtp, must_have_keys)?;
    let sealer = environment.sealer().map_err(anyhow::Error::from_boxed)?;
    key_check::check(&database, &sealer, must_have_keys).await?;
    let refreshes = refreshes(args, &environment).await?;
    let edge = environment
        .edge()
        .with_deadline(&LONG_ROUTES, LONG_DEADLINE);
    let mut service = layers::service(router(&environment)?, edge);
    if let Some(counters) = &counters {
        service = counters.count_requests(service);
    }
    let service = health_check::add_route(service, database);
    let service = http::with_gateway_checks(service);
    let proxies = TrustedProxies::new(&args.trusted_proxy, args.proxy_header);
    let limits = ConnectionLimits {
        proxies: Some(proxies.clone()),
        ..ConnectionLimits::default()
    };
    let service = proxies.find_callers(service);
    let service = serve_below_base_path(service, &public_url);
    if !args.in_memory && args.endpoint_url.is_none() && is_lost_with_container(&args.data_dir) {
        let folder = args.data_dir.display();
        tracing::warn!(%folder, "the data folder is not on a volume: its data will be lost with the container");
    }
    let (stopping, stopped) = watch::channel(false);
    if let Some((counters, listener)) = counters.zip(metrics) {
        println!("Metrics are at   http://{}/metrics", listener.local_addr()?);
        let (metrics_database, mails) = (environment.database.clone(), queue.clone());
        let is_for_loopback = args.metrics_host.to_canonical().is_loopback();
        let page = counters.router(metrics_database, mails, is_for_loopback);
        tokio::spawn(http::serve(listener, page, stopped.clone()));
    }
    // The welcome text says that Ctrl-C stops the service, so this must be true by the time the text is printed.
    let stop = listen_for_stop().context("cannot listen for signals")?;
    println!("{}", welcome(address, dynamodb_address, engine.as_ref()));
    if let Some(link) = setup_link {
        // This is printed and never logged, because more people read logs.
        println!(
            "\nThis server has no user. To create the first administrator, open this link within 24 hours:\n  {link}"
        );
    }

    if let Some(provider) = environment.overrides.provider.clone() {
        // The service starts without the provider, which may be starting at the same time.
        tokio::spawn(tasks::check_provider(provider, tasks::PROVIDER_INTERVAL));
    }
    let sync_state = SyncState::new(&environment).map_err(anyhow::Error::from_boxed)?;
    let mut background = JoinSet::new();
    background.spawn(tasks::synchronize(sync_state));
    background.spawn(tasks::publish_corrections(environment.clone()));
    background.spawn(tasks::finish_deletions(environment.clone()));
    background.spawn(tasks::warn_of_old_data(environment.clone()));
    background.spawn(tasks::finish_migrations(environment.clone()));
    if let Some((interval_s, clients)) = refreshes {
        tasks::start_refreshes(environment, clients, interval_s, stopped.clone());
    }
    let server = http::serve_within(limits, listener, service, stopped);
    let server = tokio::spawn(server);
    stop.await;
    println!("Stopping.");
    stopping.send_replace(true);
    background.abort_all();
    let ended = tokio::time::timeout(http::SHUTDOWN_TIMEOUT, server).await;
    if let Some(queue) = queue {
        let _ = tokio::time::timeout(MAIL_TIMEOUT, queue.finish_attempts()).await;
    }
    // The database stops last, because running requests need it.
    if let Some(engine) = engine {
        engine.stop().await;
    }
    if let Ok(ended) = ended {
        ended.context("the server failed")?;
    }
    Ok(())
}

/// Returns the interval between two refreshes in seconds, and the clients of the sources; `None` without
/// `--refresh-every`.
async fn refreshes(
    args: &ServeArgs,
    environment: &Environment,
) -> anyhow::Result<Option<(u64, Clients)>> {
    let Some(interval) = args.refresh_every else {
        return Ok(None);
    };
    let clients = refresh::clients(environment, accepts_terms(args)?).await;
    Ok(Some((
        interval.seconds(),
        clients.context("--refresh-every")?,
    )))
}

/// Returns true if the terms of the catalogue's files are accepted, by the option or in the data folder.
fn accepts_terms(args: &ServeArgs) -> anyhow::Result<bool> {
    if args.in_memory || args.endpoint_url.is_some() {
        return Ok(args.accept_terms);
    }
    let folder = folder_in(&args.data_dir);
    let is_remembered = terms::are_accepted(&folder);
    if args.accept_terms && !is_remembered {
        terms::remember(&folder)?;
    }
    Ok(args.accept_terms || is_remembered)
}

/// The database of the service.
struct OpenDatabase {
    database: Database,
    /// The embedded engine; `None` with another DynamoDB.
    engine: Option<Engine>,
    /// The address at which tools reach the DynamoDB; `None` if there is none.
    address: Option<String>,
}

/// Opens the database, upgrades its data, and lets other commands and tools use it.
async fn open_database(args: &ServeArgs) -> anyhow::Result<OpenDatabase> {
    let listener = match args.dynamodb_port {
        Some(port) if args.endpoint_url.is_none() => {
            Some(http::bind(Ipv4Addr::LOCALHOST.into(), port, "--dynamodb-port").await?)
        }
        _ => None,
    };
    let mut engine = if let Some(endpoint) = &args.endpoint_url {
        check_endpoint(endpoint)?;
        None
    } else {
        let folder = (!args.in_memory).then_some(args.data_dir.as_path());
        Some(Engine::start(folder)?)
    };
    let target = DatabaseOptions {
        data_dir: engine.as_ref().map(|_| args.data_dir.clone()),
        endpoint_url: args.endpoint_url.clone(),
        table_prefix: args.table_prefix.clone(),
    };
    let database = target.open(engine.as_ref()).await?;
    let prepared = prepare(&database, engine.as_ref(), args.empty).await;
    prepared.map_err(|error| match &engine {
        Some(engine) => engine.explain(error),
        None => error,
    })?;
    let mut address = args.endpoint_url.clone();
    if let Some(engine) = &mut engine {
        engine.open_readers().await?;
        engine.delete_expired_rows();
        engine.serve_socket();
        if let Some(listener) = listener {
            address = Some(format!("http://{}", listener.local_addr()?));
            engine.serve_port(listener, access_key(args, &database)?);
        }
    }
    Ok(OpenDatabase {
        database,
        engine,
        address,
    })
}

/// Returns the access key for the port of the embedded DynamoDB.
fn access_key(args: &ServeArgs, database: &Database) -> anyhow::Result<AccessKey> {
    let in_folder = || (!args.in_memory).then(|| args.data_dir.join("dynamodb.env"));
    let file = args.dynamodb_key_file.clone().or_else(in_folder);
    if let Some(file) = file {
        return AccessKey::read_or_create(&file, &database.random);
    }
    tracing::warn!(
        "no tool can use --dynamodb-port: with --in-memory it needs --dynamodb-key-file"
    );
    Ok(AccessKey::new(&database.random))
}

/// Checks the options that decide where links lead.
fn check_address(args: &ServeArgs) -> anyhow::Result<()> {
    if let Some(url) = &args.public_url {
        return check_public_url(url).map_err(|error| anyhow!("--public-url: {error}"));
    }
    // The address is 0.0.0.0, or known only to a reverse proxy or the local network. No link may lead there.
    anyhow::ensure!(
        args.host.to_canonical().is_loopback(),
        "--host {} needs --public-url, the address that links in pages and mails lead to: for example --public-url \
        https://kiroku.example.com, or KIROKU_PUBLIC_URL=https://kiroku.example.com",
        args.host
    );
    Ok(())
}

/// Builds the environment of a local process. Keys are in a file, or in memory if `--in-memory` is used without
/// `--keys-file`. With `must_have_keys`, the file must already exist. Without an SMTP server, mail is printed. It is
/// also written to a folder, unless `--in-memory` is used without `--mail-dir`.
fn environment(
    args: &ServeArgs,
    database: Database,
    public_url: String,
    smtp: Option<(Arc<SmtpQueue>, String)>,
    must_have_keys: bool,
) -> anyhow::Result<Environment> {
    let random = database.random.clone();
    let in_folder = |name: &str| (!args.in_memory).then(|| args.data_dir.join(name));
    let keys_file = args.keys_file.clone().or_else(|| in_folder("keys.json"));
    if let Some(file) = &keys_file {
        anyhow::ensure!(
            !must_have_keys || file.exists(),
            "there are users, but their keys are missing in {}: put the file back from a backup, name it with \
            --keys-file, or start once with --new-keys",
            file.display()
        );
        keys::create_missing(file, &random)?;
    }
    let source = |kind: KeyKind| match &keys_file {
        Some(file) => KeySource::File(file.clone(), kind.name()),
        None => KeySource::Fixed(Arc::new(KeyRing::new(&random))),
    };
    // An earlier version created the folder with the mode of the umask.
    if let Some(folder) = in_folder("mail").filter(|folder| folder.exists()) {
        private_file::close_to_others(&folder);
    }
    let mail = match smtp {
        Some((queue, from)) => MailSettings {
            carrier: Carrier::Queue(queue),
            from,
            reset_floor: RESET_FLOOR,
        },
        None => MailSettings {
            carrier: Carrier::Folder {
                folder: args.mail_dir.clone().or_else(|| in_folder("mail")),
                print: true,
            },
            from: LOCAL_SENDER.to_owned(),
            // A request for a reset mail sends a mail only if the account exists, so its duration could reveal whether
            // the account exists. A minimum duration would hide the difference. Writing a file takes so little time
            // that no minimum is needed.
            reset_floor: Duration::ZERO,
        },
    };
    let mut environment = Environment {
        database,
        public_url,
        has_images: !args.no_images,
        registration: args.registration.into(),
        has_passwords: !args.oidc.oidc_only,
        encryption_keys: OnceLock::new(),
        file_slots: UserSlots::default(),
        playback: UserSlots::default(),
        overrides: Overrides {
            signing: Some(source(KeyKind::Signing)),
            encryption: Some(source(KeyKind::Encryption)),
            passwords: Some(Passwords::new(random.clone())),
            catalogues: Some(Arc::default()),
            mail: Some(mail),
            ..Overrides::default()
        },
    };
    environment.overrides.provider = args.oidc.provider(&environment)?;
    // All parts share one set of trackers, because each set counts only its own requests against the rate limits.
    let trackers = environment.trackers();
    let trackers = trackers.map_err(|error| anyhow!("cannot configure the trackers: {error}"))?;
    environment.overrides.trackers = Some(trackers);
    Ok(environment)
}

/// Returns true if this process runs in a container whose own file system has the folder. That file system is deleted
/// with the container. A volume is a mount, so it has another device than the root.
#[cfg(unix)]
fn is_lost_with_container(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    // Docker and Podman create the files. Podman and systemd-nspawn set the variable.
    let is_container = std::env::var_os("container").is_some_and(|name| !name.is_empty())
        || Path::new("/.dockerenv").exists()
        || Path::new("/run/.containerenv").exists();
    let device = |path: &Path| path.metadata().ok().map(|metadata| metadata.dev());
    is_container && device(folder) == device(Path::new("/"))
}

#[cfg(not(unix))]
fn is_lost_with_container(_: &Path) -> bool {
    false
}

/// Creates missing tables, and upgrades the tables and rows of an earlier version. A new catalogue is filled with the
/// sample, unless `empty` is set. A catalogue is published if it is new or upgraded, or if its snapshot has the format
/// of another version.
///
/// If tables are missing or change, the data folder of `engine` is either unchanged or complete: after an interruption
/// or failure, the next start begins with the earlier data. If the tables are current, no copy of the data is made,
/// because the remaining steps can be repeated: the migrations, and the publication of an outdated index.
async fn prepare(database: &Database, engine: Option<&Engine>, empty: bool) -> anyhow::Result<()> {
    restore_marker::check_absent(database).await?;
    let (mut is_outdated, mut is_new_catalogue) = (false, false);
    let mut version = migrations::read_version(database).await?;
    let has_current_tables = version.has_current_tables();
    if !has_current_tables {
        let (client, names) = (&database.client, &database.tables);
        let found = tables::find(client, names).await?;
        is_outdated = found == FoundTables::Outdated;
        if is_outdated {
            println!("Upgrading the data of an earlier version.");
        }
        if found != FoundTables::Current {
            engine.map_or(Ok(()), Engine::begin_upgrade)?;
        }
        let created = tables::create_missing(client, names).await?;
        is_new_catalogue = created.iter().any(|name| name == Anime::TABLE.name);
        if found == FoundTables::None {
            version.migrations = MIGRATIONS.len();
            DataVersion::record_migrations(database, version.migrations).await?;
        }
    }
    for report in migrations::make_at_start(database, version.migrations).await? {
        println!("{report}");
    }
    if is_new_catalogue && !empty {
        sample::load(database)
            .await
            .context("cannot load the sample catalogue")?;
    }
    let is_published = !catalogue::is_snapshot_outdated::<Anime>(database).await?
        && !catalogue::is_snapshot_outdated::<Song>(database).await?;
    if is_new_catalogue || is_outdated || !is_published {
        publish(database).await?;
    }
    if !has_current_tables {
        DataVersion::record_tables(database).await?;
    }
    engine.map_or(Ok(()), Engine::finish_upgrade)
}

/// Publishes the indexes of anime and songs. Returns the number of anime and of songs.
pub async fn publish(database: &Database) -> anyhow::Result<(usize, usize)> {
    Ok((
        catalogue::publish::<Anime>(database).await?,
        catalogue::publish::<Song>(database).await?,
    ))
}

/// Returns the first lines of the output. `dynamodb` is the address at which tools reach the DynamoDB, if there is one.
fn welcome(address: SocketAddr, dynamodb: Option<String>, engine: Option<&Engine>) -> String {
    let api = format!("http://{address}");
    let data = match (dynamodb, engine.map(Engine::location)) {
        (Some(address), Some(location)) => format!("DynamoDB is at   {address}, kept {location}"),
        (Some(address), None) => format!("DynamoDB is at   {address}"),
        (None, location) => format!("Data is kept     {}", location.unwrap_or_default()),
    };
    format!(
        "Kiroku serves    {api}\n\
         {data}\n\
         \n\
         Try:\n  \
           curl '{api}/v1/anime?search=cowboy+bepop&per_page=3'\n  \
           curl '{api}/v1/song?artist=seatbelts'\n  \
           curl '{api}/v1/random/anime/2'\n  \
           curl '{api}/v1/auth/register' --json \
           '{{\"username\":\"mitsuha\",\"email\":\"mitsuha@example.com\",\"password\":\"kataware-doki 2016\"}}'\n\
         \n\
         Press Ctrl-C to stop."
    )
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use clap::{Arg, Args, Command};

    use super::{ServeArgs, prepare};
    use crate::call_meter::{CallMeter, RecordCall};
    use crate::engine::Engine;
    use crate::target::DatabaseOptions;

    /// The operations of calls.
    #[derive(Clone, Debug, Default)]
    struct Operations(Arc<Mutex<Vec<String>>>);

    impl RecordCall for Operations {
        fn record(&self, operation: &str, _: bool, _: f64) {
            self.0.lock().unwrap().push(operation.to_owned());
        }
    }

    #[tokio::test]
    async fn start_with_current_data_reads_a_few_rows() {
        let engine = Engine::start(None).unwrap();
        let opened = DatabaseOptions::default().open(Some(&engine)).await;
        let mut database = opened.unwrap();
        prepare(&database, Some(&engine), true).await.unwrap();
        let operations = Operations::default();
        let config = database.client.config().to_builder();
        let config = config.interceptor(CallMeter(operations.clone()));
        database.client = aws_sdk_dynamodb::Client::from_conf(config.build());
        prepare(&database, Some(&engine), true).await.unwrap();
        // The marker of a restore, the version of the data, and the heads of the snapshots of anime and songs.
        assert_eq!(*operations.0.lock().unwrap(), ["GetItem"; 4]);
    }

    fn options() -> Vec<Arg> {
        let command = ServeArgs::augment_args(Command::new("serve"));
        command.get_arguments().cloned().collect()
    }

    fn variable(option: &Arg) -> &str {
        let name = option.get_env().and_then(|name| name.to_str());
        name.unwrap_or("none")
    }

    #[test]
    fn every_option_has_an_environment_variable() {
        for option in options() {
            let name = option.get_long().unwrap();
            let expected = match name {
                // The functions and the other commands read the same variable.
                "table-prefix" => "TABLE_PREFIX".to_owned(),
                _ => format!("KIROKU_{}", name.replace('-', "_").to_uppercase()),
            };
            assert_eq!(variable(&option), expected, "--{name}");
        }
    }

    /// docs/own-server.md describes these options, in this order, with these defaults.
    #[test]
    fn documented_options_are_those_of_the_command() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/own-server.md");
        let page = std::fs::read_to_string(page).unwrap();
        let section = page.split("\n## Options\n").nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `--"));
        let rows: Vec<Vec<&str>> = rows
            .map(|row| row.split('|').map(str::trim).skip(1).take(3).collect())
            .collect();
        let described = rows.iter().map(|row| row[..2].join(" "));
        let expected = options();
        let expected = expected.iter().map(|option| {
            let (name, variable) = (option.get_long().unwrap(), variable(option));
            format!("`--{name}` `{variable}`")
        });
        assert_eq!(described.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        for (row, option) in rows.iter().zip(options()) {
            // An option without a value, or with an empty default, has a default in words.
            let default = option.get_default_values().first();
            let default = default.and_then(|value| value.to_str());
            let default = default.filter(|value| !["", "false"].contains(value));
            if let Some(default) = default {
                assert_eq!(row[2], format!("`{default}`"), "{}", row[0]);
            }
        }
    }
}
