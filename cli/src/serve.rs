//! `kiroku serve`: the whole service in one process.

use std::fs::{self, File};
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use accounts::mail::Carrier;
use anyhow::{Context, anyhow};
use catalogue::Resource;
use clap::Args;
use runtime::{Environment, LOCAL_SENDER, MailSettings, Overrides};
use shared::Error;
use shared::auth::{KeyRing, KeySource, Passwords};
use shared::clock::Clock;
use shared::http::{check_public_url, layers};
use shared::models::{Anime, Song};
use shared::user_slots::UserSlots;
use store::{CatalogueDocument, Database};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracker_sync::SyncState;

use crate::keys::{self, KeyKind};
use crate::log::LogFormat;
use crate::router::router;
use crate::target::{Target, check_endpoint};
use crate::{dynamodb, http, sample, tables, user};

/// Interval of three tasks: deleting expired rows, which the embedded engine does not do by itself; deleting the
/// remaining data of deleted users and OAuth clients; and publishing corrections.
const TASK_INTERVAL: Duration = Duration::from_mins(1);

/// Interval between synchronization runs. The schedule in template.yaml has the same interval.
const SYNC_INTERVAL: Duration = Duration::from_mins(5);

/// Time that running requests have to finish when the service stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Options of `serve`.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Port of the API; 0 for any free port.
    #[arg(long, default_value_t = 9000)]
    pub port: u16,

    /// Address that the API listens on.
    #[arg(long, default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub host: IpAddr,

    /// Keep all data in memory. It is lost when the process ends.
    #[arg(long, conflicts_with_all = ["data_dir", "endpoint_url"])]
    pub in_memory: bool,

    /// Folder for the data.
    #[arg(
        long,
        default_value = ".kiroku",
        value_name = "DIR",
        conflicts_with = "endpoint_url"
    )]
    pub data_dir: PathBuf,

    /// DynamoDB to use instead of the embedded one.
    #[arg(long, value_name = "URL")]
    pub endpoint_url: Option<String>,

    /// Loopback port where other tools reach the embedded DynamoDB; 0 for any free port.
    #[arg(long, default_value_t = 8000)]
    pub dynamodb_port: u16,

    /// Public address of the service, used in mail links and tokens. Default: the address that the API
    /// listens on.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,

    /// File with the signing and encryption keys, created if missing. Default: `keys.json` in the data
    /// folder; with --in-memory, no file.
    #[arg(long, value_name = "FILE")]
    pub keys_file: Option<PathBuf>,

    /// Folder for mail. Mail is also printed and never sent. Default: `mail` in the data folder; with
    /// --in-memory, no folder.
    #[arg(long, value_name = "DIR")]
    pub mail_dir: Option<PathBuf>,

    /// Prefix of the table names.
    #[arg(long, env = "TABLE_PREFIX", default_value = "", value_name = "PREFIX")]
    pub table_prefix: String,

    /// Show no covers and banners on the pages. Otherwise, browsers load them from the servers of the catalogue's
    /// sources.
    #[arg(long)]
    pub no_images: bool,

    /// Do not load the sample catalogue into new tables.
    #[arg(long)]
    pub empty: bool,

    /// Format of the log. Default: text if standard error is a terminal, otherwise json.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
}

/// Runs the service until `stop` completes.
///
/// # Errors
/// When the service cannot start, or the task of the server has panicked. The message names the cause.
/// Requests that are still running after [`SHUTDOWN_TIMEOUT`] are no error.
pub async fn serve(args: &ServeArgs, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
    let listener = bind(args.host, args.port, "--port").await?;
    let engine = Engine::start(args).await?;
    let target = Target {
        endpoint_url: Some(engine.endpoint.clone()),
        table_prefix: args.table_prefix.clone(),
    };
    let database = target.connect().await?;
    prepare(&database, args.empty).await?;

    let address = listener.local_addr()?;
    let public_url = args.public_url.clone();
    let public_url = public_url.unwrap_or_else(|| format!("http://{address}"));
    check_public_url(&public_url).map_err(|error| anyhow!("--public-url: {error}"))?;
    let environment = environment(args, database, public_url)?;
    let service = layers::service(router(&environment)?, environment.edge());
    let service = http::with_gateway_checks(service);
    println!("{}", welcome(address, &engine));

    let sync_state = SyncState::new(&environment).map_err(anyhow::Error::from_boxed)?;
    let synchronization = tokio::spawn(synchronize(sync_state));
    let corrections = tokio::spawn(publish_corrections(environment.clone()));
    let deletions = tokio::spawn(finish_deletions(environment));
    let (stopping, stopped) = watch::channel(false);
    let server = tokio::spawn(http::serve(listener, service, stopped));
    stop.await;
    println!("Stopping.");
    stopping.send_replace(true);
    corrections.abort();
    deletions.abort();
    synchronization.abort();
    let ended = tokio::time::timeout(SHUTDOWN_TIMEOUT, server).await;
    // The database stops last, because running requests need it.
    engine.stop().await;
    if let Ok(ended) = ended {
        ended.context("the server failed")?;
    }
    Ok(())
}

/// Builds the environment of a local process. Keys are in a file, or in memory if `--in-memory` is used without
/// `--keys-file`. Mail is printed. It is also written to a folder, unless `--in-memory` is used without `--mail-dir`.
fn environment(
    args: &ServeArgs,
    database: Database,
    public_url: String,
) -> anyhow::Result<Environment> {
    let random = database.random.clone();
    let in_folder = |name: &str| (!args.in_memory).then(|| args.data_dir.join(name));
    let keys_file = args.keys_file.clone().or_else(|| in_folder("keys.json"));
    if let Some(file) = &keys_file {
        keys::create_missing(file, &random)?;
    }
    let source = |kind: KeyKind| match &keys_file {
        Some(file) => KeySource::File(file.clone(), kind.name()),
        None => KeySource::Fixed(Arc::new(KeyRing::new(&random))),
    };
    let mail = MailSettings {
        carrier: Carrier::Folder {
            folder: args.mail_dir.clone().or_else(|| in_folder("mail")),
            print: true,
        },
        from: LOCAL_SENDER.to_owned(),
        // A request for a reset mail sends a mail only if the account exists, so its duration could reveal that. On
        // AWS, a minimum duration of the request hides the difference. Writing a file takes so little time that no
        // minimum is needed.
        reset_floor: Duration::ZERO,
    };
    let mut environment = Environment {
        database,
        public_url,
        has_images: !args.no_images,
        imports: UserSlots::default(),
        overrides: Overrides {
            signing: Some(source(KeyKind::Signing)),
            encryption: Some(source(KeyKind::Encryption)),
            passwords: Some(Passwords::new(random.clone())),
            mail: Some(mail),
            trackers: None,
        },
    };
    // All parts share one set of trackers, because a set counts only its own requests against the rate
    // limits.
    let trackers = environment.trackers();
    let trackers = trackers.map_err(|error| anyhow!("cannot configure the trackers: {error}"))?;
    environment.overrides.trackers = Some(trackers);
    Ok(environment)
}

/// Creates missing tables and upgrades rows of earlier versions. A new catalogue is filled with the sample, unless
/// `empty` is set, and is published.
async fn prepare(database: &Database, empty: bool) -> anyhow::Result<()> {
    let created = tables::create_missing(&database.client, &database.tables).await?;
    if let Some(done) = user::upgrade(database).await? {
        println!("{done}");
    }
    let is_new_catalogue = created.iter().any(|name| name == Anime::TABLE.name);
    if is_new_catalogue && !empty {
        sample::load(database)
            .await
            .context("cannot load the sample catalogue")?;
    }
    if is_new_catalogue {
        publish(database).await?;
    }
    Ok(())
}

/// Publishes the indexes of anime and songs. Returns the number of anime and of songs.
pub async fn publish(database: &Database) -> anyhow::Result<(usize, usize)> {
    Ok((
        catalogue::publish::<Anime>(database).await?,
        catalogue::publish::<Song>(database).await?,
    ))
}

/// The DynamoDB that the service uses.
struct Engine {
    endpoint: String,
    /// `None` if another process serves the endpoint.
    embedded: Option<Embedded>,
}

struct Embedded {
    /// Location of the data, for the operator.
    location: String,
    stopping: watch::Sender<bool>,
    server: JoinHandle<()>,
    /// The task that deletes expired rows.
    expiry: JoinHandle<()>,
    /// Locks the data folder until it is dropped.
    _lock: Option<File>,
}

impl Engine {
    async fn start(args: &ServeArgs) -> anyhow::Result<Self> {
        if let Some(endpoint) = args.endpoint_url.clone() {
            check_endpoint(&endpoint)?;
            return Ok(Self {
                endpoint,
                embedded: None,
            });
        }
        let listener = bind(
            Ipv4Addr::LOCALHOST.into(),
            args.dynamodb_port,
            "--dynamodb-port",
        )
        .await?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let (database, lock) = open_database(args)?;
        let (stopping, stopped) = watch::channel(false);
        let expiry = tokio::spawn(delete_expired_rows(database.clone()));
        let server = http::serve(listener, dynamodb::router(database), stopped);
        Ok(Self {
            endpoint,
            embedded: Some(Embedded {
                location: data_location(args),
                stopping,
                server: tokio::spawn(server),
                expiry,
                _lock: lock,
            }),
        })
    }

    /// Stops the embedded DynamoDB after its running requests, at the latest after [`SHUTDOWN_TIMEOUT`]. Does
    /// nothing if another process serves the endpoint. Nothing needs to be saved, because the writes that were
    /// acknowledged are in the data folder already.
    async fn stop(self) {
        let Some(embedded) = self.embedded else {
            return;
        };
        embedded.expiry.abort();
        embedded.stopping.send_replace(true);
        // An open connection without a running request must not keep the process alive.
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, embedded.server).await;
    }
}

fn data_location(args: &ServeArgs) -> String {
    if args.in_memory {
        "in memory".into()
    } else {
        format!("in {}", args.data_dir.display())
    }
}

fn open_database(args: &ServeArgs) -> anyhow::Result<(dynoxide::Database, Option<File>)> {
    if args.in_memory {
        let database = dynoxide::Database::memory().map_err(|error| anyhow!("{error}"))?;
        return Ok((database, None));
    }
    let folder = &args.data_dir;
    open_folder(folder).with_context(|| format!("cannot use the data folder {}", folder.display()))
}

fn open_folder(folder: &Path) -> anyhow::Result<(dynoxide::Database, Option<File>)> {
    fs::create_dir_all(folder)?;
    let lock = File::create(folder.join("lock"))?;
    lock.try_lock()
        .map_err(|_| anyhow!("another `kiroku serve` is using it"))?;
    let path = folder.join("dynamodb.sqlite");
    let path = path.to_str().context("its path is not valid UTF-8")?;
    let database = dynoxide::Database::new(path).map_err(|error| anyhow!("{error}"))?;
    Ok((database, Some(lock)))
}

/// Finishes deletions of users and OAuth clients, as the scheduled function `account_sweep` does.
async fn finish_deletions(environment: Environment) {
    let (store, clock) = (environment.database.deletion(), environment.database.clock);
    let turn_ms = u64::try_from(TASK_INTERVAL.as_millis()).unwrap_or(u64::MAX);
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    loop {
        turns.tick().await;
        let until = clock.now_ms().saturating_add(turn_ms);
        if let Err(error) = account_sweep::sweep(&store, &clock, until).await {
            tracing::warn!(%error, "sweep failed; the next one continues");
        }
    }
}

/// Publishes new corrections of the catalogue once a minute. On AWS, the function `catalog_refresh` publishes them
/// in its runs.
async fn publish_corrections(environment: Environment) {
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    loop {
        turns.tick().await;
        let (anime, song) = tokio::join!(
            publish_if_corrected::<Anime>(&environment),
            publish_if_corrected::<Song>(&environment),
        );
        if let Err(error) = anime.and(song) {
            tracing::warn!(%error, "corrections are not published; the next turn tries again");
        }
    }
}

async fn publish_if_corrected<R: Resource>(environment: &Environment) -> Result<(), Error> {
    let database = &environment.database;
    if catalogue::has_unpublished::<R>(database).await? {
        catalogue::publish::<R>(database).await?;
    }
    Ok(())
}

/// Synchronizes the stories of due users with their trackers, as the scheduled function `tracker_sync` does.
async fn synchronize(state: SyncState) {
    // A run ends when the next one is due.
    let turn_ms = u64::try_from(SYNC_INTERVAL.as_millis()).unwrap_or(u64::MAX);
    let clock = Clock::system();
    let mut turns = tokio::time::interval(SYNC_INTERVAL);
    loop {
        turns.tick().await;
        let until = clock.now_ms().saturating_add(turn_ms);
        match tracker_sync::run(&state, until).await {
            Ok(report) if report.users > 0 => {
                tracing::info!(report = %report.to_json(), "synchronized with trackers");
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(?error, "synchronization failed; the next run continues"),
        }
    }
}

/// Deletes expired rows once a minute. On AWS, DynamoDB's time to live does that.
async fn delete_expired_rows(database: dynoxide::Database) {
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    loop {
        turns.tick().await;
        let database = database.clone();
        match tokio::task::spawn_blocking(move || database.sweep_ttl()).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "cannot delete expired rows"),
            // The task panicked, or the process is stopping.
            Err(_) => return,
        }
    }
}

async fn bind(host: IpAddr, port: u16, option: &str) -> anyhow::Result<TcpListener> {
    let address = SocketAddr::from((host, port));
    TcpListener::bind(address).await.map_err(|error| {
        anyhow!("cannot listen on port {port} ({error}): choose another port with {option}")
    })
}

fn welcome(address: SocketAddr, engine: &Engine) -> String {
    let api = format!("http://{address}");
    let location = engine
        .embedded
        .as_ref()
        .map_or_else(String::new, |embedded| {
            format!(", kept {}", embedded.location)
        });
    format!(
        "Kiroku serves    {api}\n\
         DynamoDB is at   {}{location}\n\
         \n\
         Try:\n  \
           curl '{api}/v1/anime?search=cowboy+bepop&per_page=3'\n  \
           curl '{api}/v1/song?artist=seatbelts'\n  \
           curl '{api}/v1/random/anime/2'\n  \
           curl '{api}/v1/auth/register' --json \
           '{{\"username\":\"mitsuha\",\"email\":\"mitsuha@example.com\",\"password\":\"kataware-doki 2016\"}}'\n\
         \n\
         Press Ctrl-C to stop.",
        engine.endpoint
    )
}
