//! `kiroku serve`: the whole service in one process.

mod args;
pub mod call_meter;
mod environment;
pub mod health_check;
pub mod metrics;
pub(crate) mod oidc;
mod open;
pub mod router;
mod smtp;
pub mod tasks;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use catalog_refresh::Clients;
use pages::paths::{HISTORY, HISTORY_EXPORT, HISTORY_IMPORTS, HISTORY_PROPOSALS, PROFILE_DOWNLOAD};
use runtime::Environment;
use shared::http::{check_public_url, layers, normalize_public_url, serve_below_base_path};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracker_sync::SyncServices;

pub use self::args::ServeArgs;
use self::environment::environment;
use self::metrics::Metrics;
use self::open::{OpenDatabase, open_database};
use self::router::router;
use crate::catalogue::{folder_in, terms};
use crate::data::key_check;
use crate::embedded::engine::Engine;
use crate::http::connections::ConnectionLimits;
use crate::http::proxy::TrustedProxies;
use crate::{http, refresh, user};

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
    PROFILE_DOWNLOAD,
    HISTORY,
    HISTORY_EXPORT,
    HISTORY_IMPORTS,
    HISTORY_PROPOSALS,
];

/// The time limit of [`LONG_ROUTES`]: 55 s. Reverse proxies usually wait 60 s for a response.
pub const LONG_DEADLINE: Duration = Duration::from_secs(55);

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
    http_client::extra_certificates()?;
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
    let settings = environment
        .layer_settings()
        .with_deadline(&LONG_ROUTES, LONG_DEADLINE);
    let mut service = layers::service(router(&environment)?, settings);
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
    print_welcome(address, dynamodb_address, engine.as_ref(), setup_link);
    let mut background = start_tasks(&environment, refreshes, &stopped)?;
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

/// Starts the tasks that run beside the server. Returns those that are aborted when the service stops.
fn start_tasks(
    environment: &Environment,
    refreshes: Option<(u64, Clients)>,
    stopped: &watch::Receiver<bool>,
) -> anyhow::Result<JoinSet<()>> {
    if let Some(provider) = environment.overrides.provider.clone() {
        // The service starts without the provider, which may be starting at the same time.
        tokio::spawn(tasks::check_provider(provider, tasks::PROVIDER_INTERVAL));
    }
    let sync_services = SyncServices::new(environment).map_err(anyhow::Error::from_boxed)?;
    let mut background = JoinSet::new();
    background.spawn(tasks::synchronize(sync_services));
    background.spawn(tasks::publish_corrections(environment.clone()));
    background.spawn(tasks::finish_deletions(environment.clone()));
    background.spawn(tasks::warn_of_old_data(environment.clone()));
    background.spawn(tasks::count_users_of_anime(environment.clone()));
    background.spawn(tasks::finish_migrations(environment.clone()));
    if let Some((interval_s, clients)) = refreshes {
        tasks::start_refreshes(environment.clone(), clients, interval_s, stopped.clone());
    }
    Ok(background)
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

/// Prints the first lines of the output. `dynamodb` is the address at which tools reach the DynamoDB, if there is one,
/// and `setup_link` the link with which the first administrator signs up, if there is no user.
fn print_welcome(
    address: SocketAddr,
    dynamodb: Option<String>,
    engine: Option<&Engine>,
    setup_link: Option<String>,
) {
    let api = format!("http://{address}");
    let data = match (dynamodb, engine.map(Engine::location)) {
        (Some(address), Some(location)) => format!("DynamoDB is at   {address}, kept {location}"),
        (Some(address), None) => format!("DynamoDB is at   {address}"),
        (None, location) => format!("Data is kept     {}", location.unwrap_or_default()),
    };
    println!(
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
    );
    if let Some(link) = setup_link {
        // This is printed and never logged, because more people read logs.
        println!(
            "\nThis server has no user. To create the first administrator, open this link within 24 hours:\n  {link}"
        );
    }
}
