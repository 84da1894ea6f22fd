//! The operator's commands for users.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError, Read, Write as _};
use std::path::Path;

use accounts::links::invitation_link;
use anyhow::Context;
use catalogue::Catalogue;
use catalogue::identify::NameLimits;
use clap::ValueEnum;
use flate2::Compression;
use flate2::write::GzEncoder;
use interchange::ExportFormat;
use shared::Error;
use shared::auth::{DAY_S, RegistrationMode};
use shared::clock::Clock;
use shared::grouped;
use shared::models::{Factors, Role, UserId, Username};
use shared::times::format_ms;
use store::{Account, Database, MAX_INVITATIONS, UserStore};
use stories::list_files::{
    self, AddedWaiting, ImportFile, ImportReport, ImportRequest, ReadOptions, ScoreScaleOption,
    WatchHistory,
};
use stories::user_data::{self, StoryPart};
use stories::{ImportMode, RaisedStories};

use crate::private_file;

/// A role on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoleArg {
    /// Acts on the user's own account and stories.
    Basic,
    /// Also acts on the accounts and stories of basic users.
    Moderator,
    /// Acts on the accounts and stories of all users.
    Administrator,
}

impl From<RoleArg> for Role {
    fn from(arg: RoleArg) -> Self {
        match arg {
            RoleArg::Basic => Self::Basic,
            RoleArg::Moderator => Self::Moderator,
            RoleArg::Administrator => Self::Administrator,
        }
    }
}

/// The rule for registrations, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RegistrationArg {
    /// Everyone can register.
    #[default]
    Open,
    /// No user can register, except with the setup link that a server without users prints.
    Closed,
    /// Only people with an invitation can register.
    Invite,
}

impl From<RegistrationArg> for RegistrationMode {
    fn from(arg: RegistrationArg) -> Self {
        match arg {
            RegistrationArg::Open => Self::Open,
            RegistrationArg::Closed => Self::Closed,
            RegistrationArg::Invite => Self::Invite,
        }
    }
}

/// The highest score of a file's scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScaleArg {
    /// 1 to 3.
    #[value(name = "3")]
    Three,
    /// 1 to 5.
    #[value(name = "5")]
    Five,
    /// 1 to 10.
    #[value(name = "10")]
    Ten,
    /// 1 to 100.
    #[value(name = "100")]
    Hundred,
}

impl From<ScaleArg> for ScoreScaleOption {
    fn from(scale: ScaleArg) -> Self {
        match scale {
            ScaleArg::Three => Self::Three,
            ScaleArg::Five => Self::Five,
            ScaleArg::Ten => Self::Ten,
            ScaleArg::Hundred => Self::Hundred,
        }
    }
}

/// The treatment of existing stories in an import, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Merges them as a synchronization with a tracker does. The progress never gets smaller, unless the story or the
    /// entry is REPEATING.
    #[default]
    Merge,
    /// Keeps them.
    Keep,
    /// Takes all values that the file states.
    Replace,
}

impl From<ModeArg> for ImportMode {
    fn from(arg: ModeArg) -> Self {
        match arg {
            ModeArg::Merge => Self::Merge,
            ModeArg::Keep => Self::Keep,
            ModeArg::Replace => Self::Replace,
        }
    }
}

/// A format of an export on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum FormatArg {
    /// Every field of the stories, as this service's own JSON.
    Json,
    /// CSV with a header row.
    Csv,
    /// The format that `MyAnimeList` imports.
    MalXml,
}

impl From<FormatArg> for ExportFormat {
    fn from(arg: FormatArg) -> Self {
        match arg {
            FormatArg::Json => Self::Json,
            FormatArg::Csv => Self::Csv,
            FormatArg::MalXml => Self::MalXml,
        }
    }
}

/// Writes a user's stories to a file, in gzip if its name ends with `.gz`. The file is not written if the stories
/// cannot be read. Returns a summary for the operator.
///
/// # Errors
/// When there is no user with this name, or the file cannot be written.
pub async fn export(
    database: &Database,
    name: &str,
    file: &Path,
    format: ExportFormat,
) -> anyhow::Result<String> {
    let users = database.users();
    let id = find_user(&users, name).await?;
    let account = users
        .account(id)
        .await?
        .with_context(|| unknown_user(name))?;
    let (stories, catalogue) = (database.stories(), Catalogue::new(database, 0));
    let history = WatchHistory::read(&stories, &catalogue, &account, None, usize::MAX).await?;
    let history = history.context("the history is too long")?;
    let now = Clock::system().now_ms();
    let left_out = write_file(file, |output| {
        history.write(format, &account.user.username, now, output)
    })?;
    let total_left_out = left_out.private + left_out.without_mal_id;
    let count = |number: usize| grouped(number as u64);
    let mut report = format!(
        "Stories exported: {}.",
        count(history.len() - total_left_out)
    );
    if total_left_out > 0 {
        let (private, without) = (count(left_out.private), count(left_out.without_mal_id));
        let _ = write!(
            report,
            " Left out: {private} private, {without} of anime without an identifier at MyAnimeList."
        );
    }
    Ok(report)
}

/// Writes everything that is stored about a user to a file, in gzip if its name ends with `.gz`. The file is not
/// written if the data cannot be read.
///
/// # Errors
/// When there is no user with this name, or the file cannot be written.
pub async fn export_data(database: &Database, name: &str, file: &Path) -> anyhow::Result<()> {
    let users = database.users();
    let id = find_user(&users, name).await?;
    let account = users.account(id).await?;
    let account = account.with_context(|| unknown_user(name))?;
    let (store, catalogue) = (database.user_data(), Catalogue::new(database, 0));
    let data = store.read(account).await?;
    let (mut reader, mut stories) = (store.stories(&data), Vec::new());
    while let Some(part) = StoryPart::read_next(&mut reader, &catalogue).await? {
        stories.push(part);
    }
    let now = Clock::system().now_ms();
    write_file(file, |output| {
        user_data::write(&data, stories.into_iter(), now, output)
    })
}

/// Writes a file, in gzip if its name ends with `.gz`. Only the operator can read a new file.
fn write_file<T>(
    file: &Path,
    content: impl FnOnce(&mut dyn io::Write) -> io::Result<T>,
) -> anyhow::Result<T> {
    let write = || {
        let mut output = BufWriter::new(private_file::create(file)?);
        let is_gzip = file.extension().is_some_and(|extension| extension == "gz");
        let result = if is_gzip {
            let encoder = GzEncoder::new(&mut output, Compression::default());
            // Each write to the encoder takes long, however short it is.
            let mut encoder = BufWriter::new(encoder);
            let result = content(&mut encoder)?;
            let encoder = encoder.into_inner().map_err(IntoInnerError::into_error)?;
            encoder.finish()?;
            result
        } else {
            content(&mut output)?
        };
        output.flush().map(|()| result)
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}

/// Sets a user's role.
///
/// # Errors
/// When there is no user with this name.
pub async fn set_role(database: &Database, name: &str, role: Role) -> anyhow::Result<()> {
    let users = database.users();
    let id = find_user(&users, name).await?;
    let found = users.set_role(id, role).await?;
    found.then_some(()).with_context(|| unknown_user(name))
}

/// Returns the kinds of the ways in which a user signs in, with their dates, for the operator.
///
/// # Errors
/// When there is no user with this name.
pub async fn show_factors(database: &Database, name: &str) -> anyhow::Result<String> {
    let account = find_account(&database.users(), name).await?;
    let factors = &account.factors;
    let mut lines = Vec::new();
    if account.password_hash.is_some() {
        lines.push("password".to_owned());
    }
    for passkey in &factors.passkeys {
        let used = passkey.used_at.map_or("never used".to_owned(), |used| {
            format!("last used {}", format_time(used))
        });
        let created = format_time(passkey.created_at);
        lines.push(format!("passkey, created {created}, {used}"));
    }
    if let Some(identity) = &factors.identity {
        let connected = format_time(identity.connected_at);
        lines.push(format!("identity provider, connected {connected}"));
    }
    if let Some(second_factor) = &factors.second_factor {
        let (created, left) = (
            format_time(second_factor.created_at),
            second_factor.recovery_codes.len(),
        );
        lines.push(format!(
            "second factor, set up {created}, recovery codes left: {left}"
        ));
    }
    let has_verified_address = account.email_verified;
    lines.push(if has_verified_address {
        "verified e-mail address, for a new password".to_owned()
    } else {
        "no verified e-mail address".to_owned()
    });
    Ok(lines.join("\n"))
}

/// Removes the second factor and the passkeys of a user, and ends all sessions and tokens of the user. The user then
/// signs in with the password or with the identity provider, or requests a new password by mail. Returns a summary for
/// the operator.
///
/// # Errors
/// When there is no user with this name, or when the user could not sign in any more.
pub async fn remove_factors(database: &Database, name: &str) -> anyhow::Result<String> {
    let users = database.users();
    let account = find_account(&users, name).await?;
    let Factors {
        version: _,
        passkeys,
        identity,
        second_factor,
    } = &account.factors;
    if passkeys.is_empty() && second_factor.is_none() {
        return Ok(format!(
            "{name} has neither passkeys nor a second factor. Nothing is removed."
        ));
    }
    let has_password = account.password_hash.is_some();
    anyhow::ensure!(
        has_password || identity.is_some() || account.email_verified,
        "{name} has no password, no account at an identity provider and no verified e-mail address for a new \
         password, so this would be the last way to sign in: the user can verify the address in a session that has \
         not ended, or register again"
    );
    let left = Factors {
        identity: identity.clone(),
        ..Factors::default()
    };
    let removed = users.replace_factors(&account, left).await;
    removed.map_err(|error| match error {
        Error::Changed => {
            anyhow::anyhow!("{name} has just signed in or changed a factor: try again")
        }
        error => error.into(),
    })?;
    let way_in = if has_password {
        "The password is left."
    } else if identity.is_some() {
        "The account at the identity provider is left."
    } else {
        "The user requests a password on the page /forgot-password."
    };
    Ok(format!(
        "Removed. All sessions and access tokens of {name} have ended. {way_in}"
    ))
}

/// Returns a time in milliseconds since the Unix epoch as a date.
fn format_time(ms: u64) -> String {
    let time = format_ms(ms).unwrap_or_default();
    time.split('T').next().unwrap_or_default().to_owned()
}

/// The lifetime of the setup link, in seconds: 24 hours.
const SETUP_S: u64 = DAY_S;

/// Makes an invitation to register that is valid for this number of days, and returns its link. `public_url` has no
/// slash at its end.
///
/// # Errors
/// When there are too many invitations already.
pub async fn invite(database: &Database, days: u64, public_url: &str) -> anyhow::Result<String> {
    let (invitations, now) = (database.invitations(), database.clock.now_s());
    let made = invitations.invite(None, days * DAY_S, now).await;
    let code = made.map_err(|error| match error {
        Error::Conflict(_) => anyhow::anyhow!(
            "there are {MAX_INVITATIONS} invitations already: an administrator can revoke some on the \
             page /administration"
        ),
        error => error.into(),
    })?;
    Ok(invitation_link(public_url, &code))
}

/// Returns true if there is a user.
///
/// # Errors
/// When DynamoDB does not respond.
pub async fn has_users(database: &Database) -> anyhow::Result<bool> {
    let first = database.users().list(None, None, 1).await?;
    Ok(!first.users.is_empty())
}

/// Returns the setup link, if there is no user. With this link, the first user registers and becomes an administrator.
/// It is valid for 24 hours. Earlier setup links become invalid, also if there is a user. `public_url` has no slash at
/// its end.
pub async fn setup_link(database: &Database, public_url: &str) -> anyhow::Result<Option<String>> {
    if has_users(database).await? {
        database.invitations().delete_setup().await?;
        return Ok(None);
    }
    let now = database.clock.now_s();
    let code = database.invitations().make_setup(SETUP_S, now).await?;
    Ok(Some(invitation_link(public_url, &code)))
}

/// Imports a list file into a user's stories. Nothing is written in a dry run.
///
/// # Errors
/// When there is no user with this name, or the file cannot be read.
pub async fn import(
    database: &Database,
    name: &str,
    file: &Path,
    mode: ImportMode,
    options: ReadOptions,
    is_dry_run: bool,
) -> anyhow::Result<ImportReport> {
    let users = database.users();
    let owner = find_user(&users, name).await?;
    let contents = ImportFile::read(&read_file(file)?, &options, &|| false);
    let contents = contents.with_context(|| file.display().to_string())?;
    let id = (!is_dry_run).then(|| database.random.short_id());
    let request = ImportRequest {
        access: None,
        owner,
        mode,
        id: id.as_deref(),
        now: database.clock.now_ms(),
    };
    let (stories, waiting, players) = (database.stories(), database.waiting(), database.players());
    // The command stops no other work, so every title is searched.
    let catalogue = Catalogue::new(database, 0).with_name_limits(NameLimits::NONE);
    // On the heap, because it is large.
    let report = Box::pin(list_files::import(
        &stories, &waiting, &players, &catalogue, contents, request,
    ));
    Ok(report.await?)
}

/// Makes stories of the waiting entries that the published catalogue now allows, and removes expired entries.
///
/// # Errors
/// When the entries or the catalogue cannot be read. Another call continues with the remaining entries.
pub async fn add_waiting(database: &Database) -> anyhow::Result<AddedWaiting> {
    let (stories, waiting) = (database.stories(), database.waiting());
    let catalogue = Catalogue::new(database, 0);
    let clock = &database.clock;
    let added = list_files::add_waiting(&stories, &waiting, &catalogue, clock, u64::MAX).await;
    added.context("cannot add the waiting entries of imports")
}

/// Raises the episode of the stories with progress beyond it, as far as the published catalogue now allows.
///
/// # Errors
/// When the stories or the catalogue cannot be read. Another call continues with the remaining stories.
pub async fn raise_episodes(database: &Database) -> anyhow::Result<RaisedStories> {
    let catalogue = Catalogue::new(database, 0);
    let (stories, clock) = (database.stories(), &database.clock);
    let raised = stories::raise_episodes(&stories, &catalogue, clock, u64::MAX).await;
    raised.context("cannot raise the episodes of stories")
}

/// Reads a file up to the import limit and one byte, so that a longer file is refused without being read whole.
fn read_file(file: &Path) -> anyhow::Result<Vec<u8>> {
    let context = || format!("cannot read {}", file.display());
    let mut bytes = Vec::new();
    let limit = interchange::MAX_UNPACKED as u64 + 1;
    let mut start = File::open(file).with_context(context)?.take(limit);
    start.read_to_end(&mut bytes).with_context(context)?;
    Ok(bytes)
}

/// Returns the identifier of the user with this name.
async fn find_user(users: &UserStore, name: &str) -> anyhow::Result<UserId> {
    let username =
        Username::new(name).map_err(|reason| anyhow::anyhow!("the user name {reason}"))?;
    let found = users.find_by_username(&username.folded()).await?;
    found.with_context(|| unknown_user(name))
}

/// Returns the account of the user with this name.
async fn find_account(users: &UserStore, name: &str) -> anyhow::Result<Account> {
    let id = find_user(users, name).await?;
    let account = users.account(id).await?;
    account.with_context(|| unknown_user(name))
}

fn unknown_user(name: &str) -> String {
    format!("there is no user {name}")
}
