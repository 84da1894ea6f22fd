//! An OAuth client: an application that users can log in to with their account.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use serde::{Deserialize, Serialize};

use super::{RedirectUri, digest};
use crate::body::Fields;
use crate::models::UserId;
use crate::visible::{is_hidden, is_visible};

/// The longest name, in characters.
const MAX_NAME: usize = 60;

/// The most redirection endpoints of a client.
const MAX_REDIRECT_URIS: usize = 10;

/// The longest identifier that is looked up, in characters. Ours have 20.
const MAX_CLIENT_ID: usize = 64;

/// Returns true if a text from a caller can be the identifier of a client: 1 to 64 ASCII letters and
/// digits. DynamoDB refuses a key that is empty or longer than 2,048 bytes.
#[must_use]
pub fn is_client_id(text: &str) -> bool {
    (1..=MAX_CLIENT_ID).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Whether a client can keep a secret (RFC 6749, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientKind {
    /// It can, on a server.
    Confidential,
    /// It runs where its users can look into it: it has none, and PKCE is required.
    Public,
}

/// The row of the table `OAuthClient`.
#[derive(Clone, Serialize, Deserialize)]
pub struct Client {
    /// Its identifier.
    pub client_id: String,
    /// Whose it is.
    pub user_id: UserId,
    /// Milliseconds since the Unix epoch.
    pub created_at: u64,
    /// What users are told it is called.
    pub name: String,
    /// Whether it can keep a secret.
    pub kind: ClientKind,
    /// Where answers may go to.
    pub redirect_uris: Vec<RedirectUri>,
    /// Whether it may ask for a token in place of a code.
    pub implicit: bool,
    /// SHA-256 of the secret of a confidential one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_hash: Option<String>,
}

/// Keeps the hash out of every log.
impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Client({})", self.client_id)
    }
}

impl Client {
    /// Whether an address is one that it registered.
    #[must_use]
    pub fn registered(&self, redirect_uri: &str) -> bool {
        self.redirect_uris.iter().any(|uri| uri.is(redirect_uri))
    }

    /// Whether this is its secret; of a public one, whether there is none. Takes the same time for
    /// every wrong one.
    #[must_use]
    pub fn authenticates(&self, secret: Option<&str>) -> bool {
        match (self.kind, &self.secret_hash, secret) {
            (ClientKind::Public, _, secret) => secret.is_none(),
            (ClientKind::Confidential, Some(kept), Some(secret)) => {
                verify_slices_are_equal(kept.as_bytes(), digest(secret).as_bytes()).is_ok()
            }
            (ClientKind::Confidential, ..) => false,
        }
    }
}

/// What its owner decides about a client, and may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientDetails {
    /// What users are told it is called.
    pub name: String,
    /// Where answers may go to.
    pub redirect_uris: Vec<RedirectUri>,
    /// Whether it may ask for a token in place of a code.
    pub implicit: bool,
}

impl ClientDetails {
    /// Reads `name`, `redirect_uris` (one a line) and `implicit` (there, or not) of a form. `None` when
    /// there are faults, which the fields then have.
    pub fn read(fields: &mut Fields) -> Option<Self> {
        let implicit = fields.has("implicit");
        let name = fields.parsed("name", name);
        let name = fields.require("name", name);
        let redirect_uris = fields.parsed("redirect_uris", redirect_uris);
        let redirect_uris = fields.require("redirect_uris", redirect_uris);
        Some(Self {
            name: name?,
            redirect_uris: redirect_uris?,
            implicit,
        })
    }
}

/// The name of an application, as the consent page shows it.
fn name(text: &str) -> Result<String, &'static str> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !(1..=MAX_NAME).contains(&text.chars().count()) {
        return Err("must have 1 to 60 characters");
    }
    if text.chars().any(is_hidden) {
        return Err("must not have characters that cannot be seen");
    }
    if !is_visible(&text) {
        return Err("must have a character that can be seen");
    }
    Ok(text)
}

fn redirect_uris(text: &str) -> Result<Vec<RedirectUri>, &'static str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut uris = Vec::new();
    for line in lines {
        let uri = RedirectUri::new(line)?;
        if !uris.contains(&uri) {
            uris.push(uri);
        }
    }
    match uris.len() {
        0 => Err("must have at least one address"),
        1..=MAX_REDIRECT_URIS => Ok(uris),
        _ => Err("must have at most 10 addresses"),
    }
}
