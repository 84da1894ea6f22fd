//! The ways to sign in: passwords, passkeys, and the ceremonies in progress.

pub(crate) mod ceremony;
mod last_way_in;
mod passkeys;
mod password;
mod password_reset;
mod pending;

pub use self::ceremony::{CEREMONY_S, Ceremonies, CeremonyContext, CeremonyKind};
pub use self::passkeys::{
    NewPasskey, PasskeyRequest, PasskeyResponse, PasskeyUse, PasskeyUser, Passkeys,
    read_passkey_name,
};
pub use self::password::SignInName;
pub use self::password_reset::RESET_FLOOR;
pub use self::pending::{PendingSignIn, SignIn};
