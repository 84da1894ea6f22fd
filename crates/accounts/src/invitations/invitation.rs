//! Invitations, which are rows of the table [`crate::throttling::throttle`].

use serde::{Deserialize, Serialize};

/// The maximum number of valid invitations. All of them are read at once, which takes 13 read units.
pub const MAX_INVITATIONS: u8 = 50;

/// An invitation to register. Each slot has a row with its own key, so that all invitations can be read without an
/// index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invitation {
    /// The key of the row.
    pub key: String,
    /// The SHA-256 of the code, in Base64url.
    pub digest: String,
    /// The time at which the invitation was made, in seconds since the Unix epoch.
    pub made_at: u64,
    /// The time of expiry, in seconds since the Unix epoch.
    pub expires_at: u64,
}

/// The slot of an invitation, which determines the key of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvitationSlot {
    /// The slot of the setup link.
    Setup,
    /// One of the [`MAX_INVITATIONS`] slots of all other invitations.
    Number(u8),
}

impl InvitationSlot {
    /// Returns all slots except that of the setup link.
    pub(crate) fn numbered() -> impl Iterator<Item = Self> {
        (0..MAX_INVITATIONS).map(Self::Number)
    }

    /// Returns the name, with which a code begins.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Setup => "setup".to_owned(),
            Self::Number(number) => format!("{number:02}"),
        }
    }

    pub(crate) fn read(name: &str) -> Option<Self> {
        let mut all = Self::numbered().chain([Self::Setup]);
        all.find(|slot| slot.name() == name)
    }

    pub(crate) fn key(self) -> String {
        format!("invitation#{}", self.name())
    }
}
