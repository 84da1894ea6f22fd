//! Invitations to register.

pub(crate) mod invitation;
pub(crate) mod invitation_code;
pub(crate) mod invitation_store;

pub use self::invitation::{Invitation, MAX_INVITATIONS};
pub use self::invitation_code::InvitationCode;
pub use self::invitation_store::InvitationStore;
