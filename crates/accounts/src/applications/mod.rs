//! OAuth applications: registered clients, authorization codes, and the profile tokens that users make.

pub(crate) mod auth_code;
mod client_store;
mod code_store;
pub(crate) mod oauth_client;
mod profile_token_store;
pub(crate) mod registered;

pub use self::auth_code::{AuthorizationRequest, Consent};
pub use self::client_store::ClientStore;
pub use self::code_store::{
    CONSENT_LIFETIME_S, CodeExchange, CodeStore, ExchangeOutcome, GivenConsent,
};
pub use self::oauth_client::{ClientDetails, ClientKind, OAuthClient, is_client_id};
pub use self::profile_token_store::{NewProfileToken, ProfileTokenStore};
pub use self::registered::{Applications, ConnectedClient, read_client_details, read_name};
