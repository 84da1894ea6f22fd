//! OAuth applications: the OAuth clients that a developer registers, and the clients that a user has connected.

use std::collections::HashMap;

use dynamo::Database;
use shared::auth::{Access, Scope};
use shared::clock::Clock;
use shared::input::Fields;
use shared::models::{RedirectUri, UserId};
use shared::random::Random;
use shared::visible::{is_hidden, is_visible};
use shared::{Error, Missing, Result, digest};

use super::client_store::ClientStore;
use super::oauth_client::{ClientDetails, ClientKind, OAuthClient};
use crate::clearing::{MAX_PAGES_AT_ONCE, clear_within_request};
use crate::grants::grant_store::GrantStore;
use crate::grants::oauth_grant::Grant;

/// The maximum length of a client's name, in characters.
const MAX_CLIENT_NAME: usize = 60;

/// The maximum number of redirect URIs of a client.
const MAX_REDIRECT_URIS: usize = 10;

/// The length of a client's identifier, in characters: about 119 bits of entropy.
const CLIENT_ID_LENGTH: usize = 20;

/// The length of a client's secret, in characters: about 256 bits of entropy.
const SECRET_LENGTH: usize = 43;

/// A client that a user has connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedClient {
    /// The client's identifier.
    pub client_id: String,
    /// The client's name.
    pub name: String,
    /// Time of the connection, in milliseconds since the Unix epoch.
    pub connected_at: u64,
    /// The scope that the user has allowed.
    pub scope: Scope,
}

/// Operations on the clients of the developer page and the connections of the profile page.
#[derive(Clone, Debug)]
pub struct Applications {
    /// The clients.
    pub clients: ClientStore,
    /// The grants that users have given to clients.
    pub grants: GrantStore,
    clock: Clock,
    random: Random,
}

impl Applications {
    /// Creates the operations on the stores of this database.
    pub fn new(database: &Database) -> Self {
        Self {
            clients: ClientStore::new(database),
            grants: GrantStore::new(database),
            clock: database.clock.clone(),
            random: database.random.clone(),
        }
    }

    /// Returns a client of a user.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a client of another user.
    pub async fn find(&self, owner: UserId, client_id: &str) -> Result<OAuthClient> {
        let client = self.clients.find(client_id).await?;
        let owned = client.filter(|client| client.user_id == owner);
        owned.ok_or(Error::NotFound(Missing::Application))
    }

    /// Registers a client of the caller. Returns the client, and its secret if the client is confidential. The
    /// secret cannot be read again later.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the caller already has 25 clients.
    pub async fn create(
        &self,
        access: &Access,
        kind: ClientKind,
        details: ClientDetails,
    ) -> Result<(OAuthClient, Option<String>)> {
        let user_id = access.credential.user_id;
        let secret =
            (kind == ClientKind::Confidential).then(|| self.random.alphanumeric(SECRET_LENGTH));
        let client = OAuthClient {
            client_id: self.random.alphanumeric(CLIENT_ID_LENGTH),
            user_id,
            created_at: self.clock.now_ms(),
            name: details.name,
            kind,
            redirect_uris: details.redirect_uris,
            implicit: details.implicit,
            secret_hash: secret.as_deref().map(digest),
        };
        self.clients.create(access, &client).await?;
        Ok((client, secret))
    }

    /// Replaces the secret of the caller's confidential client. The old secret stops working at once.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a public client or a client of another user.
    pub async fn rotate_secret(&self, access: &Access, client_id: &str) -> Result<String> {
        let secret = self.random.alphanumeric(SECRET_LENGTH);
        let hash = digest(&secret);
        self.clients.set_secret(access, client_id, &hash).await?;
        Ok(secret)
    }

    /// Deletes a client of the caller. All tokens of the client become invalid, for all users.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a client of another user.
    pub async fn delete(&self, access: &Access, client_id: &str) -> Result<()> {
        let now = self.clock.now_ms();
        self.clients
            .replace_by_tombstone(access, client_id, now)
            .await?;
        let clearing = self.grants.delete_of_client(client_id, MAX_PAGES_AT_ONCE);
        clear_within_request("the grants of a client", clearing).await;
        Ok(())
    }

    /// Returns the clients that a user has connected, ordered by name.
    pub async fn list_connected(&self, user: UserId) -> Result<Vec<ConnectedClient>> {
        let granted = self.grants.list(user).await?;
        let ids: Vec<String> = granted
            .iter()
            .map(|grant| grant.client_id.clone())
            .collect();
        let clients = self.clients.find_many(&ids).await?;
        let mut names: HashMap<String, String> = clients
            .into_iter()
            .map(|client| (client.client_id, client.name))
            .collect();
        // A client that is being deleted no longer has a name, and is left out.
        let connection = |grant: Grant| {
            Some(ConnectedClient {
                name: names.remove(&grant.client_id)?,
                scope: grant.scope(),
                client_id: grant.client_id,
                connected_at: grant.connected_at?,
            })
        };
        let mut connected: Vec<ConnectedClient> =
            granted.into_iter().filter_map(connection).collect();
        connected.sort_by(|one, other| {
            (&one.name, &one.client_id).cmp(&(&other.name, &other.client_id))
        });
        Ok(connected)
    }
}

/// Reads a form with `name`, `redirect_uris` (one URI per line) and the checkbox `implicit`. Returns `None` if a
/// field is invalid. Then `fields` holds the errors.
pub fn read_client_details(fields: &mut Fields) -> Option<ClientDetails> {
    let implicit = fields.has("implicit");
    // Both fields are read before the first `?`, so that the form shows the errors of both.
    let name = read_name(fields);
    let redirect_uris = fields.read_with("redirect_uris", parse_redirect_uris);
    Some(ClientDetails {
        name: name?,
        redirect_uris: redirect_uris?,
        implicit,
    })
}

/// Reads the name of an application or of a token: 1 to 60 characters. Returns `None` if the name is invalid. Then
/// `fields` holds the error.
pub fn read_name(fields: &mut Fields) -> Option<String> {
    fields.read_with("name", |text| {
        parse_name(text, MAX_CLIENT_NAME, "must have 1 to 60 characters")
    })
}

/// Replaces white space in a name by single spaces, and checks the name. Pages show the name, so it must be visible
/// text. `bad_length` is the error for a name that is empty or has more than `max` characters.
pub(crate) fn parse_name(
    text: &str,
    max: usize,
    bad_length: &'static str,
) -> Result<String, &'static str> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !(1..=max).contains(&text.chars().count()) {
        return Err(bad_length);
    }
    if text.chars().any(is_hidden) {
        return Err("must not contain invisible characters");
    }
    if !is_visible(&text) {
        return Err("must contain a visible character");
    }
    Ok(text)
}

fn parse_redirect_uris(text: &str) -> Result<Vec<RedirectUri>, &'static str> {
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
