//! OpenID Connect: sign-in with an identity provider (docs/oauth.md, "Identity providers").
//!
//! [`Provider`] makes the address of an authorization request, exchanges the code, and checks the ID token and logout
//! tokens. It knows neither users nor pages: [`Person`] says who has signed in, and its caller decides what that means.
//!
//! Providers differ in what they send. Each response is parsed as JSON of any form, and only the members that the
//! service needs are read, so that other members cannot break a sign-in.

mod claims;
mod http;
mod metadata;
mod provider;
mod settings;
mod tokens;

pub use provider::{CALLBACK_PATH, LoginSecrets, PROVIDER_DEADLINE, Provider, ProviderError};
pub use settings::{ClientSecret, RoleRule, Settings, TokenAuth};
pub use tokens::{CLOCK_SKEW_S, LogoutToken, MAX_SUBJECT, Person, PersonSession};
