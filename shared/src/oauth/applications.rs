//! What an owner does with their clients, and a user with those that they have connected.

use std::collections::HashMap;
use std::time::Duration;

use super::{Client, ClientDetails, ClientKind, digest};
use crate::auth::Access;
use crate::clock::Clock;
use crate::error::ApiError;
use crate::models::UserId;
use crate::random::Random;
use crate::store::{ClientStore, DeletionStore, GrantStore, Refusal, StoreError, UserStore};

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
    pub async fn list(&self, owner: UserId) -> Result<Vec<Client>, ApiError> {
        Ok(self.clients.list(owner).await?)
    }

    /// A client of a user's.
    ///
    /// # Errors
    /// [`ApiError::NotFound`], another user's included.
    pub async fn find(&self, owner: UserId, client_id: &str) -> Result<Client, ApiError> {
        let found = self.clients.find(client_id).await?;
        let own = found.filter(|client| client.user_id == owner);
        own.ok_or_else(|| Refusal::NoClient.into())
    }

    /// Registers a client of the caller's. Answers it and, of a confidential one, its secret, which
    /// cannot be had again.
    ///
    /// # Errors
    /// [`ApiError::Conflict`] when the caller has as many as anybody may.
    pub async fn create(
        &self,
        access: &Access,
        kind: ClientKind,
        details: ClientDetails,
    ) -> Result<(Client, Option<String>), ApiError> {
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
        done(access, self.clients.create(access, &client).await)?;
        Ok((client, secret))
    }

    /// Changes a client of the caller's.
    ///
    /// # Errors
    /// [`ApiError::NotFound`], another user's included.
    pub async fn update(
        &self,
        access: &Access,
        client_id: &str,
        details: &ClientDetails,
    ) -> Result<(), ApiError> {
        done(
            access,
            self.clients.update(access, client_id, details).await,
        )
    }

    /// Gives a confidential client of the caller's another secret. The one until now is good for
    /// nothing from this moment on.
    ///
    /// # Errors
    /// [`ApiError::NotFound`], another user's and public ones included.
    pub async fn rotate_secret(
        &self,
        access: &Access,
        client_id: &str,
    ) -> Result<String, ApiError> {
        let secret = self.random.alphanumeric(SECRET);
        let hash = digest(&secret);
        done(
            access,
            self.clients.set_secret(access, client_id, &hash).await,
        )?;
        Ok(secret)
    }

    /// Deletes a client of the caller's, and what users have granted it: its tokens end.
    ///
    /// # Errors
    /// [`ApiError::NotFound`], another user's included.
    pub async fn delete(&self, access: &Access, client_id: &str) -> Result<(), ApiError> {
        let now = self.clock.now_ms();
        done(access, self.clients.bury(access, client_id, now).await)?;
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
    pub async fn connected(&self, user: UserId) -> Result<Vec<Connection>, ApiError> {
        let granted = self.grants.list(user).await?;
        let ids: Vec<String> = granted.iter().map(|one| one.client_id.clone()).collect();
        let clients = self.clients.find_many(&ids).await?;
        let mut names: HashMap<String, String> = clients
            .into_iter()
            .map(|client| (client.client_id, client.name))
            .collect();
        // One that is being deleted is none any more.
        let connection = |one: crate::store::Granted| {
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
    /// [`ApiError::NotFound`] when it is not connected.
    pub async fn disconnect(&self, access: &Access, client_id: &str) -> Result<(), ApiError> {
        let disconnected = self.grants.disconnect(&self.users, access, client_id);
        done(access, disconnected.await)
    }
}

fn done(access: &Access, result: Result<Result<(), Refusal>, StoreError>) -> Result<(), ApiError> {
    result?.map_err(|refusal| access.refusal(refusal))
}
