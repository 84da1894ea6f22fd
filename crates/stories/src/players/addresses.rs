//! The addresses of players. A secret in an address consists of the owner's identifier, the player's identifier and a
//! random part.

use std::collections::BTreeSet;

use accounts::users::Account;
use shared::Result;
use shared::auth::{Access, AddressSecrets};
use shared::clock::Clock;
use shared::models::{ListVersion, PlayerContent, PlayerKind, UserId};

use super::player::{Player, PlayerSettings, player_entry};
use super::player_store::{PlayerChange, PlayerStore};

/// Adds players, and makes their addresses.
#[derive(Debug)]
pub struct PlayerAddresses {
    players: PlayerStore,
    secrets: AddressSecrets,
    clock: Clock,
}

impl PlayerAddresses {
    /// Creates the operations on these players.
    pub fn new(players: PlayerStore, secrets: AddressSecrets, clock: Clock) -> Self {
        Self {
            players,
            secrets,
            clock,
        }
    }

    /// Adds a player of the caller, who has this account. Returns its identifier.
    ///
    /// # Errors
    /// [`shared::Error::Conflict`] if the caller already has [`super::player::MAX_PLAYERS`] players.
    pub async fn add(
        &self,
        access: &Access,
        account: &Account,
        name: String,
        kind: PlayerKind,
        plays: PlayerContent,
    ) -> Result<u8> {
        let players = self.players.list(account.user.id).await?;
        let id = PlayerStore::free_id(&players)?;
        let secret = self.secrets.make(&seal_context(account, id)).await?;
        let player = Player {
            user_id: access.credential.user_id,
            entry: player_entry(id),
            kind,
            secret: secret.sealed,
            settings: PlayerSettings::new(name, plays),
            created_at: self.clock.now_ms(),
            report_count: 0,
            seen_users: BTreeSet::new(),
        };
        self.players.add(access, &player).await?;
        Ok(id)
    }

    /// Gives a player of the caller a new address, so that the earlier one stops working.
    ///
    /// # Errors
    /// [`shared::Error::NotFound`] if the caller has no such player.
    pub async fn renew(&self, access: &Access, account: &Account, id: u8) -> Result<()> {
        let secret = self.secrets.make(&seal_context(account, id)).await?;
        let change = PlayerChange {
            secret: Some(secret.sealed),
            settings: None,
        };
        self.players.change(access, id, &change).await
    }

    /// Returns the secret in the address of a player; `None` if it has ended with a new password.
    pub async fn read_secret(&self, account: &Account, player: &Player) -> Result<Option<String>> {
        let context = seal_context(account, player.id());
        let random = self.secrets.open(&context, &player.secret).await?;
        let (user, id) = (account.user.id.get(), player.id());
        Ok(random.map(|random| format!("{user}.{id}.{random}")))
    }

    /// Returns the player whose address has this secret, and the version of its owner's list; `None` if no player has
    /// it.
    pub async fn find(&self, secret: &str) -> Result<Option<(Player, ListVersion)>> {
        let mut parts = secret.splitn(3, '.');
        let user = parts.next().and_then(|user| user.parse().ok());
        let id = parts.next().and_then(|id| id.parse().ok());
        let ids = user.and_then(UserId::new).zip(id);
        let Some(((user, id), random)) = ids.zip(parts.next()) else {
            return Ok(None);
        };
        let stored = self.players.find_with_owner(user, id).await?;
        let Some((account, player)) = stored else {
            return Ok(None);
        };
        let context = seal_context(&account, id);
        let sealed = &player.secret;
        let is_same = self.secrets.is_same(&context, sealed, random).await?;
        Ok(is_same.then_some((player, account.list)))
    }
}

/// Returns the context of the encrypted random part, which binds it to its player and to the generation of the user's
/// tokens.
fn seal_context(account: &Account, player: u8) -> String {
    let (user, generation) = (account.user.id.get(), account.token_generation);
    format!("player {player} of user {user} in generation {generation}")
}
