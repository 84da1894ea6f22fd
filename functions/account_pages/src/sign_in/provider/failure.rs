//! The reasons why signing in with the provider fails.

use openid::ProviderError;
use pages::error::PageError;
use shared::Error;
use shared::log_text::for_log;

/// The reason why a ceremony ended without success, which a page explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The state is invalid, has expired, was used or belongs to another browser.
    Expired,
    /// The user did not sign in at the provider.
    Denied,
    /// The response of the provider is invalid.
    Refused,
    /// The provider cannot be reached.
    Unavailable,
    /// The provider has another issuer than the settings.
    OtherIssuer { expected: String, found: String },
    /// The person lacks the value of the claim that is required for signing in.
    NotAllowed,
    /// No user has the account at the provider, and registration is not open.
    NoAccount,
    /// Another user has the account at the provider.
    Taken,
    /// The user has another account at the provider.
    OtherPerson,
    /// The user is already connected.
    Connected,
    /// The provider did not ask the user to sign in again.
    NotAgain,
    /// The provider did not state when the user last signed in.
    NoTime,
}

/// An error of a ceremony.
pub(crate) enum CeremonyError {
    Failed(Failure),
    Page(PageError),
}

impl From<Failure> for CeremonyError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<PageError> for CeremonyError {
    fn from(error: PageError) -> Self {
        Self::Page(error)
    }
}

impl From<Error> for CeremonyError {
    fn from(error: Error) -> Self {
        Self::Page(error.into())
    }
}

impl From<ProviderError> for CeremonyError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Unavailable(reason) => {
                let reason = for_log(&reason);
                tracing::warn!(reason, "the identity provider is unavailable");
                Failure::Unavailable.into()
            }
            ProviderError::OtherIssuer { expected, found } => {
                tracing::error!(
                    expected = for_log(&expected),
                    found = for_log(&found),
                    "the identity provider names itself otherwise than the setting OIDC_ISSUER"
                );
                Failure::OtherIssuer { expected, found }.into()
            }
            ProviderError::Refused(reason) => {
                let reason = for_log(&reason);
                tracing::warn!(reason, "a sign-in with the identity provider was refused");
                Failure::Refused.into()
            }
            ProviderError::Fault(error) => error.into(),
        }
    }
}
