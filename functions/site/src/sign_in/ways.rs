//! The ways to sign in on this server.

use std::sync::Arc;

use openid::Provider;

/// The ways to sign in.
#[derive(Clone, Debug)]
pub(crate) struct SignInWays {
    /// The identity provider.
    pub(crate) provider: Option<Arc<Provider>>,
    /// False if only the identity provider signs users in.
    pub(crate) has_passwords: bool,
}

impl SignInWays {
    /// Returns true if the sign-in page leads straight to the identity provider.
    pub(crate) fn leads_to_provider(&self) -> bool {
        let provider = self.provider.as_ref();
        provider.is_some_and(|provider| provider.settings.redirects)
    }
}
