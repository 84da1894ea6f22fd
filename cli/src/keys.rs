//! Keys: the key file of `kiroku serve`, and key rotation in that file and in AWS Secrets Manager.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use aws_config::BehaviorVersion;
use clap::{Args, ValueEnum};
use shared::auth::{ACCESS_TOKEN_S, KEY_LEAD_S, KeyRing, KeyRings};
use shared::clock::Clock;
use shared::random::Random;

use crate::private_file;

/// Purpose of a key ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeyKind {
    /// Signing tokens.
    Signing,
    /// Encrypting stored data, such as trackers' tokens.
    Encryption,
}

impl KeyKind {
    /// Returns the ring's name in the key file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Signing => "signing",
            Self::Encryption => "encryption",
        }
    }

    /// Returns the minimum time in seconds for which a replaced key is kept, or `None` if it is kept forever. A signing
    /// key is kept for a day longer than the tokens that it has signed are valid. Encrypted data does not expire.
    const fn keep_s(self) -> Option<u64> {
        match self {
            Self::Signing => Some(ACCESS_TOKEN_S + 24 * 60 * 60),
            Self::Encryption => None,
        }
    }
}

/// The place where the keys of a service are kept.
#[derive(Clone, Debug)]
pub enum KeyStore {
    /// The key file of `kiroku serve`.
    File(PathBuf),
    /// The secrets of a stack in AWS Secrets Manager.
    Secrets {
        /// The name of the stack.
        stack: String,
    },
}

impl KeyStore {
    const KINDS: [KeyKind; 2] = [KeyKind::Signing, KeyKind::Encryption];

    /// Reads all keys.
    pub async fn read(&self) -> anyhow::Result<KeyRings> {
        let stack = match self {
            Self::File(file) => return read_rings(file),
            Self::Secrets { stack } => stack,
        };
        let client = secrets_manager().await;
        let mut rings = KeyRings::new();
        for kind in Self::KINDS {
            let ring = read_secret(&client, &secret_of(stack, kind)).await?;
            rings.insert(kind.name().to_owned(), ring);
        }
        Ok(rings)
    }

    /// Writes all keys. Replaces the keys of a stack, but not those in a file, because they may be the only keys of
    /// another service.
    ///
    /// # Errors
    /// When the keys cannot be written, or the file has other keys.
    pub async fn write(&self, rings: &KeyRings) -> anyhow::Result<()> {
        let stack = match self {
            Self::File(file) => return write_new_rings(file, rings),
            Self::Secrets { stack } => stack,
        };
        let client = secrets_manager().await;
        for kind in Self::KINDS {
            let name = kind.name();
            let ring = rings.get(name);
            let ring = ring.with_context(|| format!("there are no {name} keys"))?;
            write_secret(&client, &secret_of(stack, kind), ring).await?;
        }
        Ok(())
    }
}

/// Returns the name of a secret of a stack, as in template.yaml.
fn secret_of(stack: &str, kind: KeyKind) -> String {
    format!("{stack}/{}", kind.name())
}

async fn secrets_manager() -> aws_sdk_secretsmanager::Client {
    aws_sdk_secretsmanager::Client::new(&aws_config::load_defaults(BehaviorVersion::latest()).await)
}

async fn read_secret(client: &aws_sdk_secretsmanager::Client, id: &str) -> anyhow::Result<KeyRing> {
    let secret = client.get_secret_value().secret_id(id).send().await;
    let secret = secret.map_err(|error| anyhow!("{id}: {}", error.into_service_error()))?;
    let ring = KeyRing::parse(secret.secret_string().unwrap_or_default());
    ring.map_err(|error| anyhow!("{id}: {error}"))
}

async fn write_secret(
    client: &aws_sdk_secretsmanager::Client,
    id: &str,
    ring: &KeyRing,
) -> anyhow::Result<()> {
    let put = client.put_secret_value().secret_id(id);
    let put = put.secret_string(ring.to_json()?).send().await;
    put.map_err(|error| anyhow!("{id}: {}", error.into_service_error()))?;
    Ok(())
}

/// Options of `keys rotate`.
#[derive(Args, Clone, Debug)]
pub struct RotateArgs {
    /// Keys to rotate.
    #[arg(value_enum)]
    pub kind: KeyKind,

    /// Secret in AWS Secrets Manager: the stack's output `SigningSecretArn` or `EncryptionSecretArn`.
    #[arg(long, value_name = "ARN", conflicts_with = "keys_file")]
    pub secret: Option<String>,

    /// Key file of `kiroku serve`.
    #[arg(long, value_name = "FILE", default_value = ".kiroku/keys.json")]
    pub keys_file: PathBuf,
}

/// Adds a key, and removes signing keys that no valid token needs. Returns a summary for the operator. The new key is
/// used after [`KEY_LEAD_S`] seconds, when every function has read it. The other keys are still accepted, so users stay
/// signed in.
pub async fn rotate(args: &RotateArgs) -> anyhow::Result<String> {
    let random = Random::from_os()?;
    let now = Clock::system().now_s();
    let rotate_ring = |ring: &KeyRing| ring.with_new_key(&random, now, args.kind.keep_s());
    let ring = if let Some(id) = &args.secret {
        let client = secrets_manager().await;
        let ring = rotate_ring(&read_secret(&client, id).await?);
        write_secret(&client, id, &ring).await?;
        ring
    } else {
        let mut rings = read_rings(&args.keys_file)?;
        let name = args.kind.name();
        let ring = rings.get(name);
        let ring = rotate_ring(ring.with_context(|| format!("there are no {name} keys"))?);
        rings.insert(name.to_owned(), ring.clone());
        write_rings(&args.keys_file, &rings)?;
        ring
    };
    let (minutes, keys) = (KEY_LEAD_S / 60, ring.ids().len());
    Ok(format!(
        "Added a key. It is used after {minutes} minutes. {keys} keys are accepted."
    ))
}

/// Creates a file with new keys. If the file exists, only checks that its keys can be read.
pub fn create_missing(path: &Path, random: &Random) -> anyhow::Result<()> {
    if path.exists() {
        private_file::close_to_others(path);
        return read_rings(path).map(|_| ());
    }
    let rings = KeyStore::KINDS.map(|kind| (kind.name().to_owned(), KeyRing::new(random)));
    write_rings(path, &KeyRings::from(rings))
}

fn read_rings(path: &Path) -> anyhow::Result<KeyRings> {
    let location = || format!("the keys in {}", path.display());
    let file = fs::read_to_string(path).with_context(location)?;
    KeyRing::parse_several(&file).map_err(|reason| anyhow!("{}: {reason}", location()))
}

fn write_new_rings(path: &Path, rings: &KeyRings) -> anyhow::Result<()> {
    if path.exists() {
        anyhow::ensure!(
            read_rings(path)? == *rings,
            "{} has other keys: use another --keys-file, or move the file away if they are not needed",
            path.display()
        );
    }
    write_rings(path, rings)
}

/// Replaces the file atomically, so that a crash cannot lose keys. On Unix only its owner can read it.
fn write_rings(path: &Path, rings: &KeyRings) -> anyhow::Result<()> {
    let location = || format!("the keys in {}", path.display());
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        private_file::create_folder(folder).with_context(location)?;
    }
    let new = path.with_extension("new");
    private_file::write(&new, serde_json::to_string_pretty(rings)?.as_bytes())
        .and_then(|()| fs::rename(&new, path))
        .with_context(location)
}
