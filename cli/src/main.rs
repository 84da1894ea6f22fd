//! The `kiroku` command.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use cli::backup::{self, BackupArgs, RestoreArgs};
use cli::catalogue::CatalogueArgs;
use cli::data::target::{DatabaseOptions, LOCAL_PUBLIC_URL};
use cli::health::{self, HealthArgs};
use cli::import::{self, Progress};
use cli::keys::{self, RotateArgs};
use cli::log::{self, LogFormat};
use cli::refresh::{self, RefreshArgs};
use cli::serve::{self, ServeArgs};
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
    Upgrade {
        /// Also read the lists of all users, and correct what the table User says about them. Needed after a restore of
        /// the table User or `UserStory` alone.
        #[arg(long)]
        check_lists: bool,

        #[command(flatten)]
        target: DatabaseOptions,
    },
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
    Role {
        /// Name of the user.
        name: String,

        /// New role.
        #[arg(value_enum)]
        role: RoleArg,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Show the ways in which a user signs in, or remove all but the password.
    Factors {
        /// Name of the user.
        name: String,

        /// Remove the second factor and the passkeys, for a user who is locked out. All sessions and access tokens of
        /// the user end.
        #[arg(long)]
        remove: bool,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Make an invitation to register, and print its link. It is for one account.
    Invite {
        /// Days for which the invitation is valid, 1 to 90.
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..=90))]
        days: u64,

        /// Public address of the service, for the link. Default: the address of a local `kiroku serve` with the data
        /// folder `.kiroku`. Otherwise required.
        #[arg(long, env = "KIROKU_PUBLIC_URL", value_name = "URL")]
        public_url: Option<String>,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Write a user's watch history to a file.
    Export {
        /// Name of the user.
        name: String,

        /// File to write. A name that ends with .gz makes a file in gzip. An existing file is replaced.
        file: PathBuf,

        /// Format of the file. The format of MyAnimeList leaves out private stories.
        #[arg(long, value_enum, default_value_t = FormatArg::Json)]
        format: FormatArg,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Write everything that is stored about a user to a JSON file, for the user.
    Data {
        /// Name of the user.
        name: String,

        /// File to write. A name that ends with .gz makes a file in gzip. An existing file is replaced.
        file: PathBuf,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Import a list file of this or another service into a user's stories (docs/list-files.md), plain or compressed
    /// with gzip.
    Import {
        /// Name of the user.
        name: String,

        /// File to import. Its content determines the format.
        file: PathBuf,

        /// Treatment of existing stories.
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
    },
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
    Anime {
        /// File to import.
        file: PathBuf,

        /// File that maps tracker ids to ids at The Movie Database, in the anime-lists format, optionally compressed
        /// with gzip or Zstandard.
        #[arg(long, value_name = "FILE")]
        ids: Option<PathBuf>,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Import songs from JSON Lines: .jsonl, optionally compressed as .zst. Each song names its anime by a tracker id.
    Songs {
        /// File to import.
        file: PathBuf,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Import titles in many languages, and synonyms for the search, from a title dump of AniDB.
    Titles {
        /// Title dump: anime-titles.xml or anime-titles.dat, optionally compressed with gzip or Zstandard.
        file: PathBuf,

        /// File that maps AniDB's ids to tracker ids, in the anime-lists format, optionally compressed with gzip
        /// or Zstandard.
        #[arg(long, value_name = "FILE")]
        ids: PathBuf,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Import ids at other services from a mapping in the anime-lists format, in place of those imported before.
    Ids {
        /// File to import, optionally compressed with gzip or Zstandard.
        file: PathBuf,

        #[command(flatten)]
        target: DatabaseOptions,
    },
    /// Import seasons from anime-list-master.xml of anime-lists, in place of the seasons imported before. They lead
    /// from a series, season and episode at TheTVDB or The Movie Database to an anime and its episode.
    Seasons {
        /// File to import, optionally compressed with gzip or Zstandard.
        file: PathBuf,

        #[command(flatten)]
        target: DatabaseOptions,
    },
}

/// The allocator of this command. After many requests on several threads, the allocator of glibc keeps several times
/// more memory. The functions on Lambda have the allocator of the system: they run one request at a time, and start
/// often.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of threads that run tasks, for each processor. A long computation of a request keeps its thread busy.
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
            // A deletion of expired rows can take longer than the time that a container has to stop. The database rolls
            // back the part that was not committed.
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
/// unset variables as empty ones. The variable of a switch that is off also counts as unset: otherwise clap would take
/// the switch as given, in conflict with others.
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
            serve::serve(&args, listen_for_stop_signal).await?;
        }
        Command::Catalogue(args) => cli::catalogue::run(&args, &Progress::new()).await?,
        Command::Import(command) => Box::pin(run_import(command)).await?,
        Command::Refresh(args) => {
            let database = args.target.connect().await?;
            refresh::run(args.all, database, &Progress::new()).await?;
        }
        Command::Publish(target) => publish(&target.connect().await?).await?,
        Command::Upgrade {
            check_lists,
            target,
        } => {
            let done = migrations::upgrade(&target.connect().await?, check_lists).await?;
            if done.is_empty() {
                println!("Everything is up to date.");
            }
            for line in done {
                println!("{line}");
            }
        }
        Command::Backup(args) => println!("{}", backup::backup(&args, &Progress::new()).await?),
        Command::Restore(args) => println!("{}", backup::restore(&args, &Progress::new()).await?),
        Command::User(command) => run_user_command(command).await?,
        Command::Keys(KeysCommand::Rotate(args)) => println!("{}", keys::rotate(&args).await?),
        Command::Health(args) => println!("{}", health::check(&args.address()?)?),
        Command::Openapi => print!("{}", openapi::to_json()?),
    }
    Ok(())
}

async fn run_import(command: ImportCommand) -> anyhow::Result<()> {
    let progress = Progress::new();
    let database = match command {
        ImportCommand::Anime { file, ids, target } => {
            let database = target.connect().await?;
            let ids = ids.as_deref();
            let report = import::import_anime(&file, ids, &database, &progress).await?;
            println!("{report}");
            database
        }
        ImportCommand::Songs { file, target } => {
            let database = target.connect().await?;
            let report = import::import_songs(&file, &database, &progress).await?;
            println!("{report}");
            database
        }
        ImportCommand::Titles { file, ids, target } => {
            let database = target.connect().await?;
            let report = import::import_titles(&file, &ids, &database, &progress).await?;
            println!("{report}");
            database
        }
        ImportCommand::Ids { file, target } => {
            let database = target.connect().await?;
            let entries = import::publish_mapping_file(&file, &database).await? as u64;
            println!("Published the ids of {} anime.", grouped(entries));
            database
        }
        ImportCommand::Seasons { file, target } => {
            let database = target.connect().await?;
            println!("{}", import::import_seasons(&file, &database).await?);
            database
        }
    };
    publish(&database).await
}

async fn run_user_command(command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::Role { name, role, target } => {
            user::set_role(&target.connect().await?, &name, role.into()).await?;
            println!("{name} now has this role.");
        }
        UserCommand::Factors {
            name,
            remove,
            target,
        } => {
            let database = target.connect().await?;
            let report = if remove {
                user::remove_factors(&database, &name).await?
            } else {
                user::show_factors(&database, &name).await?
            };
            println!("{report}");
        }
        UserCommand::Invite {
            days,
            public_url,
            target,
        } => {
            let public_url = address_for_links(public_url.as_deref(), &target)?;
            let database = target.connect().await?;
            println!("{}", user::invite(&database, days, &public_url).await?);
        }
        UserCommand::Export {
            name,
            file,
            format,
            target,
        } => {
            let database = target.connect().await?;
            let report = user::export(&database, &name, &file, format.into()).await?;
            println!("{report}");
        }
        UserCommand::Data { name, file, target } => {
            user::export_data(&target.connect().await?, &name, &file).await?;
            println!("Wrote {}.", file.display());
        }
        UserCommand::Import {
            name,
            file,
            mode,
            score_scale,
            account,
            dry_run,
            target,
        } => {
            let database = target.connect().await?;
            let options = ReadOptions {
                score_scale: score_scale.map(Into::into),
                account,
            };
            let mode = mode.into();
            let report = user::import(&database, &name, &file, mode, options, dry_run).await?;
            print!("{report}");
        }
    }
    Ok(())
}

/// Returns the public address of the service, for the link of an invitation.
fn address_for_links(public_url: Option<&str>, target: &DatabaseOptions) -> anyhow::Result<String> {
    let url = match public_url {
        Some(url) => url,
        None if target.is_default() => LOCAL_PUBLIC_URL,
        None => {
            anyhow::bail!(
                "--public-url is required with --data-dir, --table-prefix and --endpoint-url"
            )
        }
    };
    check_public_url(url).map_err(|error| anyhow::anyhow!("--public-url: {error}"))?;
    Ok(normalize_public_url(url))
}

async fn publish(database: &Database) -> anyhow::Result<()> {
    let (anime, songs) = import::publish(database).await?;
    println!("Published the index: {anime} anime, {songs} songs.");
    let added = user::add_waiting(database).await?;
    let raised = user::raise_episodes(database).await?;
    user::count_community(database).await?;
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
/// managers send. From then on, they do not end the process. Returns a future that completes with the first of these
/// signals.
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
