//! What an owner does with their clients, and a user with those that they have connected.

use std::collections::HashMap;
use std::time::Duration;

use shared::auth::Access;
use shared::clock::Clock;
use shared::input::Fields;
use shared::models::{RedirectUri, UserId};
use shared::random::Random;
use shared::visible::{is_hidden, is_visible};
use shared::{Error, digest};
use store::{Client, ClientDetails, ClientKind, ClientStore, DeletionStore, GrantStore, UserStore};

/// The longest name, in characters.
const MAX_NAME: usize = 60;

/// The most redirection endpoints of a client.
const MAX_REDIRECT_URIS: usize = 10;

/// Characters of a client's identifier: some 119 bits.
const CLIENT_ID: usize = 20;

/// Characters of a secret: some 256 bits.
const SECRET: usize = 43;

/// The most pages of 25 grants that the deletion of a client takes with it at once, and how long it
/// takes with them at the most. The scheduled sweep takes the rest.
const PAGES_AT_ONCE: usize = 20;
const LONGEST_CLEARING: Duration = Duration::from_secs(3);

/// A client that acts for a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Which one.
    pub client_id: String,
    /// What it is called.
    pub name: String,
    /// Since when, in milliseconds since the Unix epoch.
    pub connected_at: u64,
}

/// The developer page's clients, and the profile page's connections.
#[derive(Clone, Debug)]
pub struct Applications {
    /// The clients.
    pub clients: ClientStore,
    /// What users have granted them.
    pub grants: GrantStore,
    users: UserStore,
    deletion: DeletionStore,
    clock: Clock,
    random: Random,
}

impl Applications {
    /// Made of these.
    #[must_use]
    pub fn new(
        clients: ClientStore,
        grants: GrantStore,
        users: UserStore,
        deletion: DeletionStore,
        clock: Clock,
        random: Random,
    ) -> Self {
        Self {
            clients,
            grants,
            users,
            deletion,
            clock,
            random,
        }
    }

    /// A user's clients, the oldest first.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn list(&self, owner: UserId) -> Result<Vec<Client>, Error> {
        self.clients.list(owner).await
    }

    /// A client of a user's.
    ///
    /// # Errors
    /// [`Error::NotFound`], another user's included.
    pub async fn find(&self, owner: UserId, client_id: &str) -> Result<Client, Error> {
        let found = self.clients.find(client_id).await?;
        let own = found.filter(|client| client.user_id == owner);
        own.ok_or(Error::NotFound("Application not found"))
    }

    /// Registers a client of the caller's. Answers it and, of a confidential one, its secret, which
    /// cannot be had again.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the caller has as many as anybody may.
    pub async fn create(
        &self,
        access: &Access,
        kind: ClientKind,
        details: ClientDetails,
    ) -> Result<(Client, Option<String>), Error> {
        let user_id = access.credential.user_id;
        let secret = (kind == ClientKind::Confidential).then(|| self.random.alphanumeric(SECRET));
        let client = Client {
            client_id: self.random.alphanumeric(CLIENT_ID),
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

    /// Changes a client of the caller's.
    ///
    /// # Errors
    /// [`Error::NotFound`], another user's included.
    pub async fn update(
        &self,
        access: &Access,
        client_id: &str,
        details: &ClientDetails,
    ) -> Result<(), Error> {
        self.clients.update(access, client_id, details).await
    }

    /// Gives a confidential client of the caller's another secret. The one until now is good for
    /// nothing from this moment on.
    ///
    /// # Errors
    /// [`Error::NotFound`], another user's and public ones included.
    pub async fn rotate_secret(&self, access: &Access, client_id: &str) -> Result<String, Error> {
        let secret = self.random.alphanumeric(SECRET);
        let hash = digest(&secret);
        self.clients.set_secret(access, client_id, &hash).await?;
        Ok(secret)
    }

    /// Deletes a client of the caller's, and what users have granted it: its tokens end.
    ///
    /// # Errors
    /// [`Error::NotFound`], another user's included.
    pub async fn delete(&self, access: &Access, client_id: &str) -> Result<(), Error> {
        let now = self.clock.now_ms();
        self.clients.bury(access, client_id, now).await?;
        // The client is gone. What is not cleared now is left to the sweep.
        let clearing = self.deletion.clear_client(client_id, PAGES_AT_ONCE);
        match tokio::time::timeout(LONGEST_CLEARING, clearing).await {
            Ok(Ok(_)) | Err(_) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a client's grants are left to the sweep"),
        }
        Ok(())
    }

    /// What a user has connected, by name.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn connected(&self, user: UserId) -> Result<Vec<Connection>, Error> {
        let granted = self.grants.list(user).await?;
        let ids: Vec<String> = granted.iter().map(|one| one.client_id.clone()).collect();
        let clients = self.clients.find_many(&ids).await?;
        let mut names: HashMap<String, String> = clients
            .into_iter()
            .map(|client| (client.client_id, client.name))
            .collect();
        // One that is being deleted is none any more.
        let connection = |one: store::Grant| {
            Some(Connection {
                name: names.remove(&one.client_id)?,
                client_id: one.client_id,
                connected_at: one.connected_at,
            })
        };
        let mut connected: Vec<Connection> = granted.into_iter().filter_map(connection).collect();
        connected.sort_by(|one, other| {
            (&one.name, &one.client_id).cmp(&(&other.name, &other.client_id))
        });
        Ok(connected)
    }

    /// Disconnects a client from the caller: each of its tokens ends.
    ///
    /// # Errors
    /// [`Error::NotFound`] when it is not connected.
    pub async fn disconnect(&self, access: &Access, client_id: &str) -> Result<(), Error> {
        let disconnected = self.grants.disconnect(&self.users, access, client_id);
        disconnected.await
    }
}

/// Reads `name`, `redirect_uris` (one a line) and `implicit` (there, or not) of a form. `None` when
/// there are faults, which the fields then have.
pub fn read_client_details(fields: &mut Fields) -> Option<ClientDetails> {
    let implicit = fields.has("implicit");
    let name = fields.parsed("name", name);
    let name = fields.require("name", name);
    let redirect_uris = fields.parsed("redirect_uris", redirect_uris);
    let redirect_uris = fields.require("redirect_uris", redirect_uris);
    Some(ClientDetails {
        name: name?,
        redirect_uris: redirect_uris?,
        implicit,
    })
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
