//! Registration, with a password or a passkey.

mod passkey_registration;
mod register;

pub use self::passkey_registration::PasswordlessRegistration;
pub use self::register::Registration;
