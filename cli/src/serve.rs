//! `kiroku serve`: the whole service in one process.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use accounts::mail::Carrier;
use anyhow::{Context, anyhow};
use clap::Args;
use runtime::{Environment, LOCAL_SENDER, MailSettings, Overrides};
use shared::auth::{KeyRing, KeySource, Passwords};
use shared::http::{check_public_url, layers};
use shared::models::{Anime, Song};
use shared::user_slots::UserSlots;
use store::{CatalogueDocument, Database};
use tokio::sync::watch;
use tracker_sync::SyncState;

use crate::engine::Engine;
use crate::keys::{self, KeyKind};
use crate::log::LogFormat;
use crate::router::router;
use crate::target::{Target, check_endpoint};
use crate::{http, sample, tables, tasks, user};

/// Time that running requests have to finish when the service stops. Container engines end a process 10 seconds after
/// they have asked it to stop.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(9);

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
    let listener = http::bind(args.host, args.port, "--port").await?;
    let mut engine = start_engine(args).await?;
    let target = Target {
        endpoint_url: match &engine {
            Some(engine) => Some(engine.endpoint.clone()),
            None => args.endpoint_url.clone(),
        },
        table_prefix: args.table_prefix.clone(),
    };
    let database = target.connect().await?;
    prepare(&database, engine.as_ref(), args.empty).await?;
    if let Some(engine) = &mut engine {
        engine.delete_expired_rows();
    }

    let address = listener.local_addr()?;
    let public_url = args.public_url.clone();
    let public_url = public_url.unwrap_or_else(|| format!("http://{address}"));
    check_public_url(&public_url).map_err(|error| anyhow!("--public-url: {error}"))?;
    let environment = environment(args, database, public_url)?;
    let service = layers::service(router(&environment)?, environment.edge());
    let service = http::with_gateway_checks(service);
    println!("{}", welcome(address, &target, engine.as_ref()));

    let sync_state = SyncState::new(&environment).map_err(anyhow::Error::from_boxed)?;
    let synchronization = tokio::spawn(tasks::synchronize(sync_state));
    let corrections = tokio::spawn(tasks::publish_corrections(environment.clone()));
    let deletions = tokio::spawn(tasks::finish_deletions(environment));
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
    if let Some(engine) = engine {
        engine.stop().await;
    }
    if let Ok(ended) = ended {
        ended.context("the server failed")?;
    }
    Ok(())
}

/// Starts the embedded engine, unless the options name another DynamoDB.
async fn start_engine(args: &ServeArgs) -> anyhow::Result<Option<Engine>> {
    if let Some(endpoint) = &args.endpoint_url {
        check_endpoint(endpoint)?;
        return Ok(None);
    }
    let folder = (!args.in_memory).then_some(args.data_dir.as_path());
    Engine::start(folder, args.dynamodb_port).await.map(Some)
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

/// Creates missing tables, and upgrades the tables and rows of an earlier version. A new catalogue is filled with the
/// sample, unless `empty` is set. A new or upgraded catalogue is published.
///
/// The data folder of `engine` is either as before or completely upgraded: if the upgrade is interrupted or fails, the
/// next start begins with the data from before it.
async fn prepare(database: &Database, engine: Option<&Engine>, empty: bool) -> anyhow::Result<()> {
    let is_outdated = tables::are_outdated(&database.client, &database.tables).await?;
    if is_outdated {
        println!("Upgrading the data of an earlier version.");
        engine.map_or(Ok(()), Engine::begin_upgrade)?;
    }
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
    if is_new_catalogue || is_outdated {
        publish(database).await?;
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

fn welcome(address: SocketAddr, target: &Target, engine: Option<&Engine>) -> String {
    let api = format!("http://{address}");
    let dynamodb = target.endpoint().unwrap_or("AWS");
    let location = engine.map_or_else(String::new, |engine| {
        format!(", kept {}", engine.location())
    });
    format!(
        "Kiroku serves    {api}\n\
         DynamoDB is at   {dynamodb}{location}\n\
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
