//! A person at the provider.

use accounts::sessions::ProviderSession;
use openid::{Person, PersonSession, Provider};
use pages::error::PageError;
use shared::digest;
use shared::http::ApiError;
use shared::models::{EmailAddress, Identity, Role};

use crate::state::AccountState;

/// The maximum length of an ID token that is kept for signing out at the provider, in bytes: 4 KiB. DynamoDB charges
/// each write of a session for its size.
const MAX_ID_TOKEN: usize = 4096;

/// Returns the provider, or 404 without one.
pub(super) fn provider(state: &AccountState) -> Result<&Provider, PageError> {
    let provider = state.provider.as_deref();
    provider.ok_or_else(|| ApiError::UnknownPath.into())
}

pub(super) fn identity_of(state: &AccountState, provider: &Provider, person: &Person) -> Identity {
    Identity {
        issuer: provider.settings.issuer.clone(),
        subject: person.subject.clone(),
        connected_at: state.accounts.clock.now_ms(),
    }
}

pub(super) fn is_same(identity: &Identity, other: &Identity) -> bool {
    (&identity.issuer, &identity.subject) == (&other.issuer, &other.subject)
}

/// Returns the role of a person who had the role `current`.
pub(super) fn role_of(provider: &Provider, person: &Person, current: Role) -> Role {
    let rule = provider.settings.roles.as_ref();
    rule.map_or(current, |rule| rule.role(person.roles.as_deref(), current))
}

/// Returns the e-mail address of a person in lower case, if it is valid. The same address may come in capital letters
/// from a provider; users of this service type lower-case letters. Only ASCII letters change: other characters, such as
/// the Kelvin sign, would become letters of another user's address.
pub(super) fn email_of(person: &Person) -> Option<EmailAddress> {
    let email = person.email.as_ref()?.to_ascii_lowercase();
    EmailAddress::new(&email).ok()
}

/// Returns the session of a person at the provider in the form in which it is kept.
pub(super) fn session_of(provider: &Provider, session: PersonSession) -> ProviderSession {
    let settings = &provider.settings;
    let id = session.id.map(|id| session_digest(&settings.issuer, &id));
    let is_kept = settings.signs_out && session.id_token.len() <= MAX_ID_TOKEN;
    ProviderSession {
        id,
        id_token: is_kept.then_some(session.id_token),
    }
}

/// Returns the value by which sessions of this service are found that have begun in a session at a provider.
pub(super) fn session_digest(issuer: &str, session: &str) -> String {
    digest(&format!("session of {issuer}\n{session}"))
}
