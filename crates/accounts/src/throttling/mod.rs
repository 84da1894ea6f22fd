//! Limits on attempts, which are kept in the table Throttle.

pub(crate) mod attempt_store;
pub(crate) mod attempts;
pub(crate) mod throttle;

pub use self::attempt_store::{AttemptStore, Limit};
pub use self::attempts::{
    Attempts, KNOWN_BROWSERS_S, LINKINGS_PER_NETWORK, PLAYER_GUESSES_PER_NETWORK,
    PROVIDER_RETURNS_PER_NETWORK, REGISTRATIONS_PER_NETWORK,
};
