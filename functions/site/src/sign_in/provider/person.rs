//! A person at the provider.

use openid::{Person, Provider};
use pages::error::PageError;
use shared::http::ApiError;
use shared::models::{Identity, Role};

use crate::state::AccountState;

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
    let values = person.roles.as_deref().unwrap_or_default();
    let rule = provider.settings.roles.as_ref();
    rule.map_or(current, |rule| rule.role(values, current))
}
