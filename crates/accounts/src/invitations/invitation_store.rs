//! Invitations to register: the store of their rows in the table [`crate::throttling::throttle`]. An account that is
//! created with an invitation uses it up in the same transaction (`UserStore::create`).

use aws_sdk_dynamodb::Client;
use dynamo::{Condition, Database, batch_get, get, number, read, text, write};
use shared::auth::Access;
use shared::random::Random;
use shared::{Error, Result};

use super::invitation::{Invitation, InvitationSlot, MAX_INVITATIONS};
use super::invitation_code::InvitationCode;
use crate::errors::{NO_INVITATION, too_many_invitations};
use crate::rows::delete_row;
use crate::throttling::throttle::{TABLE, key as row_key};
use crate::users::user_creation::UsedInvitation;
use crate::users::user_store::UserStore;

/// The store of invitations.
#[derive(Clone, Debug)]
pub struct InvitationStore {
    client: Client,
    users: UserStore,
    table: String,
    random: Random,
}

impl InvitationStore {
    /// Creates the store of invitations.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
            random: database.random.clone(),
        }
    }

    /// Returns the invitations that are valid at `now` (seconds since the Unix epoch), the next to expire first, by a
    /// strongly consistent read. The setup link is not among them.
    pub async fn list(&self, now: u64) -> Result<Vec<Invitation>> {
        let mut invitations = self.rows().await?;
        invitations.retain(|invitation| invitation.expires_at > now);
        invitations.sort_by(|one, other| {
            (one.expires_at, &one.digest).cmp(&(other.expires_at, &other.digest))
        });
        Ok(invitations)
    }

    /// Makes an invitation for one account. It is valid for `lifetime` seconds from `now`, in seconds since the Unix
    /// epoch. `access` is that of an administrator, or `None` for the operator.
    ///
    /// # Errors
    /// [`Error::Conflict`] if there are [`MAX_INVITATIONS`] valid invitations, or the error of the check of the access.
    pub async fn invite(
        &self,
        access: Option<&Access>,
        lifetime: u64,
        now: u64,
    ) -> Result<InvitationCode> {
        // If the caller has access, a refused attempt means that a concurrent call has taken the slot.
        for _ in 0..=MAX_INVITATIONS {
            let rows = self.rows().await?;
            let is_free = |slot: &InvitationSlot| {
                let key = slot.key();
                let mut in_slot = rows.iter().filter(|row| row.key == key);
                in_slot.all(|row| row.expires_at <= now)
            };
            let Some(slot) = InvitationSlot::numbered().find(is_free) else {
                return Err(too_many_invitations(MAX_INVITATIONS));
            };
            let code = InvitationCode::new(slot, &self.random);
            let is_free = Condition::new("attribute_not_exists(expires_at) OR expires_at <= :now")
                .value("now", number(now));
            let row = write(&row_of(&code, lifetime, now))?;
            let mut writes = match access {
                Some(access) => self.users.begin(access).await?,
                None => self.users.transaction(),
            };
            writes.add(is_free.put(&self.table, row)?);
            if writes.commit().await?.is_written() {
                return Ok(code);
            }
        }
        Err(Error::Unavailable(
            "the invitations changed in every attempt".into(),
        ))
    }

    /// Makes the setup link, which makes its user an administrator. It replaces an earlier one. It is valid for
    /// `lifetime` seconds from `now`, in seconds since the Unix epoch.
    pub async fn make_setup(&self, lifetime: u64, now: u64) -> Result<InvitationCode> {
        let code = InvitationCode::new(InvitationSlot::Setup, &self.random);
        let row = write(&row_of(&code, lifetime, now))?;
        let mut writes = self.users.transaction();
        writes.add(Condition::default().put(&self.table, row)?);
        writes.commit().await?.or(Error::Changed)?;
        Ok(code)
    }

    /// Revokes the setup link, if there is one.
    pub async fn delete_setup(&self) -> Result<()> {
        let key = row_key(&InvitationSlot::Setup.key());
        delete_row(&self.client, &self.table, key).await
    }

    /// Revokes the invitation whose code has this digest.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is none, or the error of the check of the access.
    pub async fn revoke(&self, access: &Access, digest: &str) -> Result<()> {
        let mut rows = self.rows().await?.into_iter();
        let row = rows.find(|row| row.digest == digest);
        let mut writes = self.users.begin(access).await?;
        if let Some(row) = &row {
            // The slot may have a new invitation by now.
            let is_same = Condition::new("digest = :digest").value("digest", text(digest));
            writes.add(is_same.delete(&self.table, row_key(&row.key))?);
        }
        writes.commit().await?.or(NO_INVITATION)?;
        // Only administrators learn that there is none.
        row.map(drop).ok_or(NO_INVITATION)
    }

    /// Returns true if the invitation is valid at `now`, in seconds since the Unix epoch. The setup link is not valid
    /// if there is a user: a stranger may have registered first.
    pub async fn is_valid(&self, code: &InvitationCode, now: u64) -> Result<bool> {
        let row = get(&self.client, &self.table, row_key(&code.slot().key())).await?;
        let row: Option<Invitation> = row.map(read).transpose()?;
        let is_valid = row.is_some_and(|row| row.digest == code.digest() && row.expires_at > now);
        if !is_valid || !code.is_setup() {
            return Ok(is_valid);
        }
        let first = self.users.list(None, None, 1).await?;
        Ok(first.users.is_empty())
    }

    /// Returns the use of an invitation by a new account. It must be valid at `now`, in seconds since the Unix
    /// epoch.
    pub fn prepare_use(
        &self,
        code: Option<&InvitationCode>,
        now: u64,
    ) -> Result<Option<UsedInvitation>> {
        let Some(code) = code else { return Ok(None) };
        let (role, action) = (code.role(), code.use_action(&self.table, now)?);
        Ok(Some(UsedInvitation { role, action }))
    }

    /// Returns the rows of all invitations, including those that have expired.
    async fn rows(&self) -> Result<Vec<Invitation>> {
        let keys = InvitationSlot::numbered().map(|slot| row_key(&slot.key()));
        let rows = batch_get(&self.client, &self.table, keys.collect(), true).await?;
        rows.into_iter().map(read).collect()
    }
}

fn row_of(code: &InvitationCode, lifetime: u64, now: u64) -> Invitation {
    Invitation {
        key: code.slot().key(),
        digest: code.digest(),
        made_at: now,
        expires_at: now + lifetime,
    }
}
