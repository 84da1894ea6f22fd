//! The codes of invitations to register.

use std::fmt;

use aws_sdk_dynamodb::types::TransactWriteItem;
use dynamo::{Condition, number, text};
use serde_json::Value;
use shared::input::BodyField;
use shared::models::Role;
use shared::random::Random;
use shared::{Result, digest};

use super::invitation::InvitationSlot;
use crate::errors::INVALID_INVITATION;
use crate::throttling::throttle::key as row_key;

/// The number of random characters in a code. They have 190 bits of entropy.
const SECRET_LENGTH: usize = 32;

/// The code of an invitation, which is the secret in its link: the name of its slot, a dash, and 32 random letters and
/// digits.
#[derive(Clone)]
pub struct InvitationCode {
    slot: InvitationSlot,
    code: String,
}

/// Shows only the slot, so that no log contains the secret.
impl fmt::Debug for InvitationCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "InvitationCode({:?})", self.slot)
    }
}

impl InvitationCode {
    pub(super) fn new(slot: InvitationSlot, random: &Random) -> Self {
        let secret = random.alphanumeric(SECRET_LENGTH);
        let code = format!("{}-{secret}", slot.name());
        Self { slot, code }
    }

    /// Reads a code. Returns `None` if it is malformed.
    pub fn read(code: &str) -> Option<Self> {
        let (slot, secret) = code.split_once('-')?;
        let is_secret = secret.len() == SECRET_LENGTH
            && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let slot = InvitationSlot::read(slot).filter(|_| is_secret)?;
        let code = code.to_owned();
        Some(Self { slot, code })
    }

    /// Returns the code as text.
    pub fn as_str(&self) -> &str {
        &self.code
    }

    /// Returns true if the code is that of the setup link, which makes its user an administrator.
    pub fn is_setup(&self) -> bool {
        self.slot == InvitationSlot::Setup
    }

    /// Returns the role of a user who registers with the code.
    pub(super) fn role(&self) -> Role {
        if self.is_setup() {
            Role::Administrator
        } else {
            Role::Basic
        }
    }

    pub(super) fn slot(&self) -> InvitationSlot {
        self.slot
    }

    /// Returns the digest that the row has in place of the code.
    pub(super) fn digest(&self) -> String {
        digest(&self.code)
    }

    /// Returns the action that uses up the invitation, if it is valid at `now`, in seconds since the Unix epoch.
    /// `table` is the full name of the table Throttle.
    pub(super) fn use_action(&self, table: &str, now: u64) -> Result<TransactWriteItem> {
        let is_valid = Condition::new("digest = :digest AND expires_at > :now")
            .value("digest", text(self.digest()))
            .value("now", number(now));
        is_valid.delete(table, row_key(&self.slot.key()))
    }
}

impl BodyField for InvitationCode {
    fn parse(value: &Value) -> Result<Self, String> {
        let code = value.as_str().and_then(Self::read);
        code.ok_or_else(|| INVALID_INVITATION.to_owned())
    }
}
