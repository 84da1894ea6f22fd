//! `kiroku serve`: the whole service in one process.

use std::fs::{self, File};
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use accounts::mail::Carrier;
use anyhow::{Context, anyhow};
use aws_sdk_dynamodb::Client;
use catalogue::{Catalogue, Resource};
use clap::Args;
use dynoxide::Database;
use runtime::{Environment, LOCAL_SENDER, MailSettings, Overrides};
use shared::auth::{KeyRing, KeySource, Passwords};
use shared::clock::Clock;
use shared::http::layers::{self, check_public_url};
use shared::models::{Anime, Song};
use shared::random::Random;
use store::{Document, TableNames};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracker_sync::SyncState;

use crate::keys::{self, Kind};
use crate::router::router;
use crate::target::{Target, check_endpoint};
use crate::{dynamodb, http, sample, tables, user};

/// How often rows that have expired are taken out of the embedded engine, which does not do so by
/// itself.
const SWEEP_EVERY: Duration = Duration::from_mins(1);

/// How often users are synchronised with their trackers: as the schedule of template.yaml has it.
const SYNC_EVERY: Duration = Duration::from_mins(5);

/// How long the end waits for requests that are still running.
const LAST_REQUESTS: Duration = Duration::from_secs(5);

/// Options of `serve`.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Port of the API; 0 for any free one.
    #[arg(long, default_value_t = 9000)]
    pub port: u16,

    /// Address that the API listens on.
    #[arg(long, default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub host: IpAddr,

    /// Keep everything in memory: it is gone at the end.
    #[arg(long, conflicts_with_all = ["data_dir", "endpoint_url"])]
    pub in_memory: bool,

    /// Folder that keeps the data.
    #[arg(
        long,
        default_value = ".kiroku",
        value_name = "DIR",
        conflicts_with = "endpoint_url"
    )]
    pub data_dir: PathBuf,

    /// Another DynamoDB than the embedded one.
    #[arg(long, value_name = "URL")]
    pub endpoint_url: Option<String>,

    /// Port on loopback where other tools reach the embedded DynamoDB; 0 for any free one.
    #[arg(long, default_value_t = 8000)]
    pub dynamodb_port: u16,

    /// Where the service is, as its users see it: in links of mails, and in tokens.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,

    /// File of the keys that sign and encrypt; made when it is missing. `keys.json` in the data
    /// folder by default, and with --in-memory none.
    #[arg(long, value_name = "FILE")]
    pub keys_file: Option<PathBuf>,

    /// Folder that keeps mail, which is printed, too: nothing is sent. `mail` in the data folder by
    /// default, and with --in-memory none.
    #[arg(long, value_name = "DIR")]
    pub mail_dir: Option<PathBuf>,

    /// What the tables' names begin with.
    #[arg(long, env = "TABLE_PREFIX", default_value = "", value_name = "PREFIX")]
    pub table_prefix: String,

    /// Begin without the sample catalogue.
    #[arg(long)]
    pub empty: bool,
}

/// Runs the service until `stop` is ready.
///
/// # Errors
/// When it cannot start, with the one reason why; or when it cannot end cleanly.
pub async fn serve(args: &ServeArgs, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
    let listener = bind(args.host, args.port, "--port").await?;
    let engine = Engine::start(args).await?;
    let target = Target {
        endpoint_url: Some(engine.endpoint.clone()),
        table_prefix: args.table_prefix.clone(),
    };
    let client = target.connect().await?;
    prepare(&client, &target.tables(), args.empty).await?;

    let address = listener.local_addr()?;
    let public_url = args.public_url.clone();
    let public_url = public_url.unwrap_or_else(|| format!("http://{address}"));
    check_public_url(&public_url).map_err(|error| anyhow!("--public-url {error}"))?;
    let environment = environment(args, client, public_url)?;
    let service = layers::service(router(&environment)?, environment.edge());
    let service = http::at_the_socket(service);
    println!("{}", welcome(address, &engine));

    let synced = SyncState::new(&environment).map_err(anyhow::Error::from_boxed)?;
    let synchronisation = tokio::spawn(synchronise(synced));
    let deletions = tokio::spawn(finish_deletions(environment));
    let (stopping, stopped) = watch::channel(false);
    let server = tokio::spawn(http::serve(listener, service, stopped));
    stop.await;
    println!("Stopping.");
    stopping.send_replace(true);
    deletions.abort();
    synchronisation.abort();
    let ended = tokio::time::timeout(LAST_REQUESTS, server).await;
    engine.stop().await;
    if let Ok(ended) = ended {
        ended.context("the server")?;
    }
    Ok(())
}

/// Builds the environment of one machine: keys in a file, mail in a folder.
fn environment(
    args: &ServeArgs,
    client: Client,
    public_url: String,
) -> anyhow::Result<Environment> {
    let random = Random::from_os()?;
    let in_folder = |name: &str| (!args.in_memory).then(|| args.data_dir.join(name));
    let keys_file = args.keys_file.clone().or_else(|| in_folder("keys.json"));
    if let Some(file) = &keys_file {
        keys::create_missing(file, &random)?;
    }
    let source = |kind: Kind| match &keys_file {
        Some(file) => KeySource::File(file.clone(), kind.name()),
        None => KeySource::Fixed(Arc::new(KeyRing::new(&random))),
    };
    let mail = MailSettings {
        carrier: Carrier::Folder {
            folder: args.mail_dir.clone().or_else(|| in_folder("mail")),
            print: true,
        },
        from: LOCAL_SENDER.to_owned(),
        // Mail costs a developer's machine nothing.
        reset_floor: Duration::ZERO,
    };
    let mut environment = Environment {
        client,
        tables: TableNames::with_prefix(&args.table_prefix),
        clock: Clock::system(),
        public_url,
        overrides: Overrides {
            signing: Some(source(Kind::Signing)),
            encryption: Some(source(Kind::Encryption)),
            passwords: Some(Passwords::new(random.clone())),
            mail: Some(mail),
            trackers: None,
        },
        random,
    };
    // All parts share the trackers, because each limits its own requests only.
    let trackers = environment.trackers();
    let trackers = trackers.map_err(|error| anyhow!("the trackers: {error}"))?;
    environment.overrides.trackers = Some(trackers);
    Ok(environment)
}

/// Makes the tables that are missing, and brings rows of earlier versions up to date. A catalogue that
/// was just made gets the sample.
async fn prepare(client: &Client, names: &TableNames, empty: bool) -> anyhow::Result<()> {
    let created = tables::create_missing(client, names).await?;
    if let Some(done) = user::upgrade(client, names).await? {
        println!("{done}");
    }
    let new_catalogue = created.iter().any(|name| name == Anime::TABLE.name);
    if new_catalogue && !empty {
        sample::load(client, names)
            .await
            .context("the sample catalogue")?;
    }
    if new_catalogue {
        publish(client, names).await?;
    }
    Ok(())
}

/// Publishes the index of every catalogue. Answers how many anime and songs there are.
///
/// # Errors
/// When DynamoDB does not answer.
pub async fn publish(client: &Client, names: &TableNames) -> anyhow::Result<(usize, usize)> {
    Ok((
        catalogue::<Anime>(client, names)?.publish().await?,
        catalogue::<Song>(client, names)?.publish().await?,
    ))
}

fn catalogue<R: Resource>(
    client: &Client,
    names: &TableNames,
) -> anyhow::Result<Arc<Catalogue<R>>> {
    let (clock, random) = (Clock::system(), Random::from_os()?);
    Ok(Arc::new(Catalogue::new(
        client.clone(),
        names,
        clock,
        random,
    )))
}

/// The DynamoDB that the service works on: embedded, or somebody else's.
struct Engine {
    endpoint: String,
    embedded: Option<Embedded>,
}

struct Embedded {
    place: String,
    stopping: watch::Sender<bool>,
    server: JoinHandle<()>,
    sweeper: JoinHandle<()>,
    /// Held as long as the data is in use.
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
        let (database, lock) = open(args)?;
        let (stopping, stopped) = watch::channel(false);
        let sweeper = tokio::spawn(sweep(database.clone()));
        let server = http::serve(listener, dynamodb::router(database), stopped);
        Ok(Self {
            endpoint,
            embedded: Some(Embedded {
                place: place(args),
                stopping,
                server: tokio::spawn(server),
                sweeper,
                _lock: lock,
            }),
        })
    }

    /// Lets what runs finish. Every write that was answered is already on disk.
    async fn stop(self) {
        let Some(embedded) = self.embedded else {
            return;
        };
        embedded.sweeper.abort();
        embedded.stopping.send_replace(true);
        // A connection that stays open must not keep the process: nothing is written on it.
        let _ = tokio::time::timeout(LAST_REQUESTS, embedded.server).await;
    }
}

fn place(args: &ServeArgs) -> String {
    if args.in_memory {
        "in memory".into()
    } else {
        format!("in {}", args.data_dir.display())
    }
}

fn open(args: &ServeArgs) -> anyhow::Result<(Database, Option<File>)> {
    if args.in_memory {
        let database = Database::memory().map_err(|error| anyhow!("{error}"))?;
        return Ok((database, None));
    }
    let folder = &args.data_dir;
    open_folder(folder)
        .with_context(|| format!("the data folder {} cannot be used", folder.display()))
}

fn open_folder(folder: &Path) -> anyhow::Result<(Database, Option<File>)> {
    fs::create_dir_all(folder)?;
    let lock = File::create(folder.join("lock"))?;
    lock.try_lock()
        .map_err(|_| anyhow!("another `kiroku serve` is using it"))?;
    let path = folder.join("dynamodb.sqlite");
    let path = path.to_str().context("its name is not UTF-8")?;
    let database = Database::new(path).map_err(|error| anyhow!("{error}"))?;
    Ok((database, Some(lock)))
}

/// Finishes the deletion of users, as the scheduled function does.
async fn finish_deletions(environment: Environment) {
    let (store, clock) = (environment.deletion(), environment.clock);
    let longest = u64::try_from(SWEEP_EVERY.as_millis()).unwrap_or(u64::MAX);
    let mut turns = tokio::time::interval(SWEEP_EVERY);
    loop {
        turns.tick().await;
        let until = clock.now_ms().saturating_add(longest);
        if let Err(error) = account_sweep::sweep(&store, &clock, until).await {
            tracing::warn!(%error, "deletions are left to the next sweep");
        }
    }
}

/// Synchronises those who are due with their trackers, as the scheduled function does.
async fn synchronise(state: SyncState) {
    let longest = u64::try_from(SYNC_EVERY.as_millis()).unwrap_or(u64::MAX);
    let clock = Clock::system();
    let mut turns = tokio::time::interval(SYNC_EVERY);
    loop {
        turns.tick().await;
        let until = clock.now_ms().saturating_add(longest);
        match tracker_sync::run(&state, until).await {
            Ok(report) if report.users > 0 => {
                tracing::info!(report = %report.to_json(), "synchronised with trackers");
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(?error, "synchronisation is left to the next run"),
        }
    }
}

/// Takes expired rows out, as DynamoDB's TTL does.
async fn sweep(database: Database) {
    let mut turns = tokio::time::interval(SWEEP_EVERY);
    loop {
        turns.tick().await;
        let database = database.clone();
        match tokio::task::spawn_blocking(move || database.sweep_ttl()).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "expired rows stay"),
            Err(_) => return,
        }
    }
}

async fn bind(host: IpAddr, port: u16, option: &str) -> anyhow::Result<TcpListener> {
    let address = SocketAddr::from((host, port));
    TcpListener::bind(address).await.map_err(|error| {
        anyhow!("port {port} cannot be used ({error}): choose another with {option}")
    })
}

fn welcome(address: SocketAddr, engine: &Engine) -> String {
    let api = format!("http://{address}");
    let kept = engine
        .embedded
        .as_ref()
        .map_or_else(String::new, |embedded| format!(", kept {}", embedded.place));
    format!(
        "Kiroku serves    {api}\n\
         DynamoDB is at   {}{kept}\n\
         \n\
         Try:\n  \
           curl '{api}/v1/anime?title=gundam&per_page=3'\n  \
           curl '{api}/v1/song?artist=seatbelts'\n  \
           curl '{api}/v1/random/anime/2'\n  \
           curl '{api}/v1/auth/register' --json '{{\"username\":\"mitsuha\",\"email\":\"mitsuha@example.com\",\"password\":\"kataware-doki 2016\"}}'\n\
         \n\
         Ctrl-C ends it.",
        engine.endpoint
    )
}
