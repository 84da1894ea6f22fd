//! The ways to sign in: passwords, passkeys, second factors, and the ceremonies in progress.

pub(crate) mod ceremony;
pub(crate) mod passkeys;
pub(crate) mod password;
pub(crate) mod password_reset;
pub(crate) mod pending;
pub(crate) mod second_factor;

pub use self::ceremony::{CEREMONY_S, Ceremonies, CeremonyContext, CeremonyKind};
pub use self::passkeys::{
    NewPasskey, PasskeyRequest, PasskeyResponse, PasskeyUse, PasskeyUser, Passkeys,
    read_passkey_name,
};
pub use self::password::SignInName;
pub use self::password_reset::RESET_FLOOR;
pub use self::pending::{PendingSignIn, SignIn};
pub use self::second_factor::{SecondFactors, TotpSecret};
