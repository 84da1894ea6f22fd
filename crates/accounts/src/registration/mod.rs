//! Registration, with a password, a passkey or an account at an identity provider, and invitations.

pub(crate) mod invitation_code;
pub(crate) mod invitation_store;
#[cfg(feature = "services")]
pub(crate) mod passkey_registration;
#[cfg(feature = "services")]
pub(crate) mod register;

pub use self::invitation_code::InvitationCode;
pub use self::invitation_store::InvitationStore;
#[cfg(feature = "services")]
pub use self::passkey_registration::PasswordlessRegistration;
#[cfg(feature = "services")]
pub use self::register::Registration;
