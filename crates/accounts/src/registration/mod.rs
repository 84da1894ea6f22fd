//! Registration, with a password, a passkey or an account at an identity provider, and invitations.

pub(crate) mod invitation_code;
pub(crate) mod invitation_store;
pub(crate) mod passkey_registration;
pub(crate) mod register;

pub use self::invitation_code::InvitationCode;
pub use self::invitation_store::InvitationStore;
pub use self::passkey_registration::PasswordlessRegistration;
pub use self::register::Registration;
