//! The `kiroku` command.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use cli::import::{self, Progress};
use cli::keys::{self, Rotate};
use cli::openapi;
use cli::refresh::{self, RefreshArgs};
use cli::serve::{self, ServeArgs};
use cli::target::Target;
use cli::user::{self, RoleName};

/// Kiroku: anime catalogue and watch history. Without a command: serve.
#[derive(Parser)]
#[command(name = "kiroku", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    serve: ServeArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the whole API in one process, with DynamoDB embedded.
    Serve(ServeArgs),
    /// Load a catalogue into the tables, and publish its index.
    #[command(subcommand)]
    Import(Import),
    /// Bring the catalogue up to what changed at tracker A, and its songs at `AnimeThemes`.
    Refresh(RefreshArgs),
    /// Publish the catalogue's index out of the tables.
    Publish(Target),
    /// Change users.
    #[command(subcommand)]
    User(User),
    /// Bring the rows of an earlier version of Kiroku up to date. Run it after each update.
    Upgrade(Target),
    /// Change the keys that sign and encrypt.
    #[command(subcommand)]
    Keys(Keys),
    /// Print the OpenAPI document.
    Openapi,
}

#[derive(Subcommand)]
enum User {
    /// Give a user a role: this is how the first administrator comes to be.
    Role(UserRole),
}

#[derive(Args)]
struct UserRole {
    /// The user's name.
    name: String,

    /// The role.
    #[arg(value_enum)]
    role: RoleName,

    #[command(flatten)]
    target: Target,
}

#[derive(Subcommand)]
enum Keys {
    /// Add a key, which comes into use in a quarter of an hour. Nobody is signed out.
    Rotate(Rotate),
}

#[derive(Subcommand)]
enum Import {
    /// Anime in the anime-offline-database's formats: .jsonl, .json, each also .zst.
    Anime(ImportAnime),
    /// Songs as JSON Lines, each with the identifier of its anime at a tracker.
    Songs(ImportSongs),
}

#[derive(Args)]
struct ImportAnime {
    /// The file.
    file: PathBuf,

    /// Identifiers at the movie database, in the anime-lists format.
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,

    #[command(flatten)]
    target: Target,
}

#[derive(Args)]
struct ImportSongs {
    /// The file.
    file: PathBuf,

    #[command(flatten)]
    target: Target,
}

#[tokio::main]
async fn main() -> ExitCode {
    runtime::observability::init();
    let cli = Cli::parse();
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kiroku: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command.unwrap_or(Command::Serve(cli.serve)) {
        Command::Serve(args) => serve::serve(&args, asked_to_stop()).await,
        Command::Import(Import::Anime(args)) => {
            let (client, tables) = (args.target.connect().await?, args.target.tables());
            let ids = args.ids.as_deref();
            let report = import::anime(&args.file, ids, &client, &tables, &Progress::new()).await?;
            println!("{report}");
            publish(&args.target).await
        }
        Command::Import(Import::Songs(args)) => {
            let (client, tables) = (args.target.connect().await?, args.target.tables());
            let report = import::songs(&args.file, &client, &tables, &Progress::new()).await?;
            println!("{report}");
            publish(&args.target).await
        }
        Command::Refresh(args) => {
            let (client, tables) = (args.target.connect().await?, args.target.tables());
            refresh::run(args.all, client, tables, &Progress::new()).await
        }
        Command::Publish(target) => publish(&target).await,
        Command::Upgrade(target) => {
            let client = target.connect().await?;
            let done = user::upgrade(&client, &target.tables()).await?;
            println!("{}", done.as_deref().unwrap_or("Everything is up to date."));
            Ok(())
        }
        Command::User(User::Role(args)) => {
            let (client, tables) = (args.target.connect().await?, args.target.tables());
            user::set_role(&client, &tables, &args.name, args.role.into()).await?;
            println!("{} has the role now.", args.name);
            Ok(())
        }
        Command::Keys(Keys::Rotate(args)) => {
            println!("{}", keys::rotated_message(keys::rotate(&args).await?));
            Ok(())
        }
        Command::Openapi => {
            print!("{}", openapi::to_json()?);
            Ok(())
        }
    }
}

async fn publish(target: &Target) -> anyhow::Result<()> {
    let (anime, songs) = serve::publish(&target.connect().await?, &target.tables()).await?;
    println!("Published the index: {anime} anime, {songs} songs.");
    Ok(())
}

/// Ctrl-C, or what a process manager sends.
async fn asked_to_stop() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}
