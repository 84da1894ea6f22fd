//! Passkeys on the pages: signing in, signing up, and proofs. The section of the profile is in
//! [`crate::profile::security::passkeys`].

pub(crate) mod ceremony;
pub(crate) mod prove;
pub(crate) mod sign_in;
pub(crate) mod sign_up;
