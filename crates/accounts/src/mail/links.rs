//! The paths of the pages to which links in mails and invitations lead.

use crate::invitations::invitation_code::InvitationCode;

/// The page on which an account is created.
pub const SIGN_UP: &str = "/sign-up";
/// The page that verifies an e-mail address.
pub const VERIFY_EMAIL: &str = "/verify-email";
/// The page with the ways to sign in and the sessions.
pub const PROFILE_SECURITY: &str = "/profile/security";
/// The page that sets a new password.
pub const RESET_PASSWORD: &str = "/reset-password";

/// Returns the link with which an invited person creates an account. `public_url` has no slash at its end.
pub fn invitation_link(public_url: &str, code: &InvitationCode) -> String {
    format!("{public_url}{SIGN_UP}?invitation={}", code.as_str())
}
