//! The `kiroku` command.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Arg, ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use cli::backup::{self, BackupArgs, RestoreArgs};
use cli::catalogue::CatalogueArgs;
use cli::health::{self, HealthArgs};
use cli::import::{self, Progress};
use cli::keys::{self, RotateArgs};
use cli::log::{self, LogFormat};
use cli::refresh::{self, RefreshArgs};
use cli::serve::{self, ServeArgs};
use cli::target::{DatabaseOptions, LOCAL_PUBLIC_URL};
use cli::user::{self, FormatArg, ModeArg, RoleArg, ScaleArg};
use cli::{migrations, openapi, variables};
use dynamo::Database;
use shared::grouped;
use shared::http::{check_public_url, normalize_public_url};
use stories::list_files::ReadOptions;

/// Version of this build. `.ci/release` names the commit, other builds do not.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    match option_env!("KIROKU_COMMIT") {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    }
});

/// Anime catalogue and watch-history service. Runs `serve` when no command is given.
#[derive(Parser)]
#[command(name = "kiroku", version = VERSION.as_str(), args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    serve: ServeArgs,
}

impl Cli {
    fn log_format(&self) -> LogFormat {
        let option = match &self.command {
            None => self.serve.log_format,
            Some(Command::Serve(args)) => args.log_format,
            // The other commands have no option for the format.
            Some(_) => None,
        };
        option.unwrap_or_else(LogFormat::detect)
    }
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API and the web pages in one process, with an embedded DynamoDB.
    Serve(Box<ServeArgs>),
    /// Fill or update the catalogue with anime, identifiers, titles and seasons of public databases, and publish its
    /// index.
    Catalogue(CatalogueArgs),
    /// Import one part of the catalogue from a file and publish its index.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Update the catalogue from its sources, and publish the index.
    Refresh(RefreshArgs),
    /// Build the catalogue's index from the tables and publish it.
    Publish(DatabaseOptions),
    /// Write everything that the service stores to one file, while the service runs.
    Backup(BackupArgs),
    /// Fill an empty service with a backup. Without other options, makes the data folder `.kiroku`.
    Restore(RestoreArgs),
    /// Manage users.
    #[command(subcommand)]
    User(UserCommand),
    /// Upgrade rows that an earlier version of Kiroku wrote. Run it after each deployment of a new version.
    Upgrade(UpgradeArgs),
    /// Manage the keys that sign tokens and encrypt data.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Ask a running server for its health. Fails unless it responds with a status from 200 to 299.
    Health(HealthArgs),
    /// Print the OpenAPI document.
    Openapi,
}

#[derive(Subcommand)]
enum UserCommand {
    /// Set a user's role. Use it to create the first administrator.
    Role(UserRoleArgs),
    /// Show the ways in which a user signs in, or remove all but the password.
    Factors(UserFactorsArgs),
    /// Make an invitation to register, and print its link. It is for one account.
    Invite(UserInviteArgs),
    /// Write a user's watch history to a file.
    Export(UserExportArgs),
    /// Write everything that is stored about a user to a JSON file, for the user.
    Data(UserDataArgs),
    /// Import a list file of this or another service into a user's stories (docs/list-files.md), plain or compressed
    /// with gzip.
    Import(UserImportArgs),
}

/// Options of the upgrade of rows.
#[derive(Args)]
struct UpgradeArgs {
    /// Also read the lists of all users, and correct what the table User says about them. Needed after a restore of the
    /// table User or `UserStory` alone.
    #[arg(long)]
    check_lists: bool,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct UserExportArgs {
    /// Name of the user.
    name: String,

    /// File to write. A name that ends with .gz makes a file in gzip. An existing file is replaced.
    file: PathBuf,

    /// Format of the file. The format of MyAnimeList leaves out private stories.
    #[arg(long, value_enum, default_value_t = FormatArg::Json)]
    format: FormatArg,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct UserDataArgs {
    /// Name of the user.
    name: String,

    /// File to write. A name that ends with .gz makes a file in gzip. An existing file is replaced.
    file: PathBuf,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct UserImportArgs {
    /// Name of the user.
    name: String,

    /// File to import. Its content determines the format.
    file: PathBuf,

    /// Treatment of stories that exist already.
    #[arg(long, value_enum, default_value_t)]
    mode: ModeArg,

    /// Highest score of the scale on which the file rates, if the file does not state it.
    #[arg(long, value_enum)]
    score_scale: Option<ScaleArg>,

    /// Account whose views count, if the file is a history of Plex with several accounts.
    #[arg(long)]
    account: Option<u64>,

    /// Print the report without writing anything.
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct UserRoleArgs {
    /// Name of the user.
    name: String,

    /// New role.
    #[arg(value_enum)]
    role: RoleArg,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct UserFactorsArgs {
    /// Name of the user.
    name: String,

    /// Remove the second factor and the passkeys, for a user who is locked out. All sessions and access tokens of the
    /// user end.
    #[arg(long)]
    remove: bool,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct UserInviteArgs {
    /// Days for which the invitation is valid, 1 to 90.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..=90))]
    days: u64,

    /// Public address of the service, for the link. Default: the address of a local `kiroku serve` with the data folder
    /// `.kiroku`. Otherwise required.
    #[arg(long, env = "KIROKU_PUBLIC_URL", value_name = "URL")]
    public_url: Option<String>,

    #[command(flatten)]
    target: DatabaseOptions,
}

impl UserInviteArgs {
    /// Returns the public address of the service.
    fn public_url(&self) -> anyhow::Result<String> {
        let url = match &self.public_url {
            Some(url) => url.as_str(),
            None if self.target.is_default() => LOCAL_PUBLIC_URL,
            None => {
                anyhow::bail!(
                    "--public-url is required with --data-dir, --table-prefix and --endpoint-url"
                )
            }
        };
        check_public_url(url).map_err(|error| anyhow::anyhow!("--public-url: {error}"))?;
        Ok(normalize_public_url(url))
    }
}

#[derive(Subcommand)]
enum KeysCommand {
    /// Add a key that comes into use after 15 minutes. Users stay signed in.
    Rotate(RotateArgs),
}

#[derive(Subcommand)]
enum ImportCommand {
    /// Import anime from a file in the formats of the anime-offline-database: .jsonl or .json, optionally compressed as
    /// .zst.
    Anime(ImportAnimeArgs),
    /// Import songs from JSON Lines: .jsonl, optionally compressed as .zst. Each song names its anime by a
    /// tracker id.
    Songs(ImportSongsArgs),
    /// Import titles in many languages, and synonyms for the search, from a title dump of AniDB.
    Titles(ImportTitlesArgs),
    /// Import ids at other services from a mapping in the anime-lists format, in place of those imported before.
    Ids(ImportIdsArgs),
    /// Import seasons from anime-list-master.xml of anime-lists, in place of those imported before. They lead from a
    /// series, season and episode at TheTVDB or The Movie Database to an anime and its episode.
    Seasons(ImportSeasonsArgs),
}

#[derive(Args)]
struct ImportAnimeArgs {
    /// File to import.
    file: PathBuf,

    /// File that maps tracker ids to ids at The Movie Database, in the anime-lists format, optionally compressed
    /// with gzip or Zstandard.
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct ImportTitlesArgs {
    /// Title dump: anime-titles.xml or anime-titles.dat, optionally compressed with gzip or Zstandard.
    file: PathBuf,

    /// File that maps AniDB's ids to tracker ids, in the anime-lists format, optionally compressed with gzip
    /// or Zstandard.
    #[arg(long, value_name = "FILE")]
    ids: PathBuf,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct ImportIdsArgs {
    /// File to import, optionally compressed with gzip or Zstandard.
    file: PathBuf,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct ImportSeasonsArgs {
    /// File to import, optionally compressed with gzip or Zstandard.
    file: PathBuf,

    #[command(flatten)]
    target: DatabaseOptions,
}

#[derive(Args)]
struct ImportSongsArgs {
    /// File to import.
    file: PathBuf,

    #[command(flatten)]
    target: DatabaseOptions,
}

/// The allocator of this command. After many requests on several threads, that of glibc keeps several times more
/// memory. The functions on Lambda have the allocator of the system: they run one request at a time, and start often.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of threads that run tasks, for each processor. A request that computes for long keeps its thread busy.
/// With more threads than processors, the operating system lets short requests run meanwhile.
const THREADS_PER_PROCESSOR: usize = 2;

/// The minimum number of threads that run tasks.
const MIN_THREADS: usize = 4;

fn main() -> ExitCode {
    let cli = parse();
    log::init(cli.log_format());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(MIN_THREADS.max(processors * THREADS_PER_PROCESSOR))
        .enable_all()
        .build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(Box::pin(run(cli)));
            // A deletion of expired rows can take longer than the time that a container has to stop. The database
            // takes back the part that was not committed.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(anyhow::Error::new(error).context("cannot start threads")),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kiroku: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Parses the command line and the environment. An empty variable counts as unset, because container engines pass on
/// unset variables as empty ones. The variable of a switch that is off counts as unset, too: to clap, the switch would
/// be present and in conflict with others.
fn parse() -> Cli {
    let command = without_unset_variables(Cli::command());
    let matches = command.get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn without_unset_variables(command: clap::Command) -> clap::Command {
    let skip_unset = |option: Arg| {
        let value = option.get_env().and_then(std::env::var_os);
        let value = value.map(|value| value.to_string_lossy().to_ascii_lowercase());
        let is_switch = matches!(option.get_action(), ArgAction::SetTrue);
        let is_unset = |value: &str| {
            // The words for false that clap knows.
            let is_off = ["n", "no", "f", "false", "off", "0"].contains(&value);
            value.is_empty() || (is_switch && is_off)
        };
        if value.as_deref().is_some_and(is_unset) {
            option.env(None::<&'static str>)
        } else {
            option
        }
    };
    command
        .mut_args(skip_unset)
        .mut_subcommands(without_unset_variables)
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command.unwrap_or(Command::Serve(Box::new(cli.serve))) {
        Command::Serve(args) => {
            variables::warn_of_unknown(&Cli::command());
            serve::serve(&args, listen_for_stop_signal).await
        }
        Command::Catalogue(args) => cli::catalogue::run(&args, &Progress::new()).await,
        Command::Import(ImportCommand::Anime(args)) => {
            let database = args.target.connect().await?;
            let ids = args.ids.as_deref();
            let report = import::import_anime(&args.file, ids, &database, &Progress::new()).await?;
            println!("{report}");
            publish(&database).await
        }
        Command::Import(ImportCommand::Songs(args)) => {
            let database = args.target.connect().await?;
            let report = import::import_songs(&args.file, &database, &Progress::new()).await?;
            println!("{report}");
            publish(&database).await
        }
        Command::Import(ImportCommand::Titles(args)) => {
            let database = args.target.connect().await?;
            let (file, ids) = (&args.file, &args.ids);
            let report = import::import_titles(file, ids, &database, &Progress::new()).await?;
            println!("{report}");
            publish(&database).await
        }
        Command::Import(ImportCommand::Ids(args)) => {
            let database = args.target.connect().await?;
            let entries = import::publish_mapping_file(&args.file, &database).await? as u64;
            println!("Published the ids of {} anime.", grouped(entries));
            publish(&database).await
        }
        Command::Import(ImportCommand::Seasons(args)) => {
            let database = args.target.connect().await?;
            println!("{}", import::import_seasons(&args.file, &database).await?);
            publish(&database).await
        }
        Command::Refresh(args) => {
            let database = args.target.connect().await?;
            refresh::run(args.all, database, &Progress::new()).await
        }
        Command::Publish(target) => publish(&target.connect().await?).await,
        Command::Upgrade(args) => {
            let database = args.target.connect().await?;
            let done = migrations::upgrade(&database, args.check_lists).await?;
            if done.is_empty() {
                println!("Everything is up to date.");
            }
            for line in done {
                println!("{line}");
            }
            Ok(())
        }
        Command::Backup(args) => {
            println!("{}", backup::backup(&args, &Progress::new()).await?);
            Ok(())
        }
        Command::Restore(args) => {
            println!("{}", backup::restore(&args, &Progress::new()).await?);
            Ok(())
        }
        Command::User(command) => run_user_command(command).await,
        Command::Keys(KeysCommand::Rotate(args)) => {
            println!("{}", keys::rotated_message(keys::rotate(&args).await?));
            Ok(())
        }
        Command::Health(args) => {
            println!("{}", health::check(&args.address()?)?);
            Ok(())
        }
        Command::Openapi => {
            print!("{}", openapi::to_json()?);
            Ok(())
        }
    }
}

async fn run_user_command(command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::Role(args) => {
            let database = args.target.connect().await?;
            user::set_role(&database, &args.name, args.role.into()).await?;
            println!("{} now has this role.", args.name);
            Ok(())
        }
        UserCommand::Factors(args) => {
            let database = args.target.connect().await?;
            let report = if args.remove {
                user::remove_factors(&database, &args.name).await?
            } else {
                user::show_factors(&database, &args.name).await?
            };
            println!("{report}");
            Ok(())
        }
        UserCommand::Invite(args) => {
            let public_url = args.public_url()?;
            let database = args.target.connect().await?;
            println!("{}", user::invite(&database, args.days, &public_url).await?);
            Ok(())
        }
        UserCommand::Export(args) => {
            let database = args.target.connect().await?;
            let format = args.format.into();
            let report = user::export(&database, &args.name, &args.file, format).await?;
            println!("{report}");
            Ok(())
        }
        UserCommand::Data(args) => {
            let database = args.target.connect().await?;
            user::export_data(&database, &args.name, &args.file).await?;
            println!("Wrote {}.", args.file.display());
            Ok(())
        }
        UserCommand::Import(args) => {
            let database = args.target.connect().await?;
            let (file, mode) = (&args.file, args.mode.into());
            let options = ReadOptions {
                score_scale: args.score_scale.map(Into::into),
                account: args.account,
            };
            let (name, is_dry_run) = (&args.name, args.dry_run);
            let report = user::import(&database, name, file, mode, options, is_dry_run).await?;
            print!("{report}");
            Ok(())
        }
    }
}

async fn publish(database: &Database) -> anyhow::Result<()> {
    let (anime, songs) = serve::publish(database).await?;
    println!("Published the index: {anime} anime, {songs} songs.");
    let added = user::add_waiting(database).await?;
    let raised = user::raise_episodes(database).await?;
    let summaries = [
        refresh::waiting_summary(added),
        refresh::raised_summary(raised),
    ];
    for summary in summaries.into_iter().flatten() {
        println!("{summary}");
    }
    Ok(())
}

/// Begins to listen for signals that ask the process to stop: SIGINT (Ctrl-C) and, on Unix, SIGTERM, which service
/// managers send. From then on they do not end the process. Returns a future that completes with the first of them.
fn listen_for_stop_signal() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupted = signal(SignalKind::interrupt())?;
        let mut terminated = signal(SignalKind::terminate())?;
        Ok(async move {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
