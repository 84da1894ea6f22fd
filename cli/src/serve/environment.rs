//! The environment of `kiroku serve`: its keys, its mail, its trackers and its identity provider.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use accounts::mail::MailTransport;
use accounts::sign_in::RESET_FLOOR;
use anyhow::anyhow;
use dynamo::Database;
use runtime::{Environment, LOCAL_SENDER, MailSettings, Overrides};
use shared::auth::{KeyRing, KeySource, Passwords};
use shared::user_slots::UserSlots;

use crate::keys::{self, KeyKind};
use crate::private_file;
use crate::serve::args::ServeArgs;
use crate::serve::smtp::SmtpQueue;

/// Builds the environment of a local process. Keys are in a file, or in memory if `--in-memory` is used without
/// `--keys-file`. With `must_have_keys`, the file must already exist. Without an SMTP server, mail is printed. It is
/// also written to a folder, unless `--in-memory` is used without `--mail-dir`.
pub fn environment(
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
            transport: MailTransport::Queue(queue),
            from,
            reset_floor: RESET_FLOOR,
        },
        None => MailSettings {
            transport: MailTransport::Folder {
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
