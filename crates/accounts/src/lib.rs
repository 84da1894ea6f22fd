//! Accounts: registration, sign-in, sessions, mail, linking of tracker accounts, and OAuth applications. The
//! API's endpoints and the web pages share this code.

mod accounts;
mod applications;
mod attempts;
mod calendar_feed;
mod ceremony;
pub mod linking;
pub mod mail;
mod mail_text;
mod passkey_registration;
mod passkeys;
mod second_factor;
mod security_mail;
mod session;
mod sign_in;

pub use accounts::{Accounts, MailLinks, RESET_FLOOR, Registration, SignInName, links};
pub use applications::{Applications, ConnectedClient, read_client_details, read_name};
pub use attempts::{
    Attempts, KNOWN_BROWSERS_S, LINKINGS_PER_NETWORK, MAIL_REQUESTS_PER_NETWORK,
    PASSKEY_USES_PER_NETWORK, PLAYER_GUESSES_PER_NETWORK, PROVIDER_RETURNS_PER_NETWORK,
    REGISTRATIONS_PER_NETWORK, SignInAttempt,
};
pub use calendar_feed::CalendarFeeds;
pub use ceremony::{CEREMONY_S, Ceremonies, CeremonyContext, CeremonyKind};
pub use passkey_registration::PasswordlessRegistration;
pub use passkeys::{
    NewPasskey, PasskeyRequest, PasskeyResponse, PasskeyUse, PasskeyUser, Passkeys,
    read_passkey_name,
};
pub use second_factor::{SecondFactors, TotpSecret};
pub use security_mail::SecurityEvent;
pub use session::{
    FRESH_PROOF_S, ProviderSession, SESSION_S, SessionOrigin, Sessions, SignedInUser,
};
pub use sign_in::{PendingSignIn, SignIn};
