//! The errors that callers get when a condition of a write failed.

use shared::{Error, FieldErrors, Missing};

/// The error for a user who does not exist.
pub const NO_USER: Error = Error::NotFound(Missing::User);
/// The error for an OAuth client that does not exist.
pub const NO_APPLICATION: Error = Error::NotFound(Missing::Application);
/// The error for a token that does not exist.
pub const NO_TOKEN: Error = Error::NotFound(Missing::Token);
/// The error for an invitation that does not exist.
pub const NO_INVITATION: Error = Error::NotFound(Missing::Invitation);

/// Returns the error for an account at an identity provider that another user has.
pub fn identity_taken() -> Error {
    Error::conflict("provider", "belongs to another user")
}

/// The reason for refusing an invitation. It is the same for all invitations, so it does not reveal which ones exist.
pub const INVALID_INVITATION: &str =
    "is invalid, has expired or has already been used; ask for a new one";

/// Returns the error for an invitation that is not valid.
pub fn invalid_invitation() -> Error {
    Error::invalid("invitation", INVALID_INVITATION)
}

/// Returns the error for a new invitation if there are already `most`, the maximum.
pub fn too_many_invitations(most: u8) -> Error {
    Error::conflict(
        "days",
        format!("cannot be used: there are {most} invitations already; revoke one first"),
    )
}

/// Returns the error for the registration of an OAuth client by a user who already has `most` clients, the maximum.
pub fn too_many_clients(most: u64) -> Error {
    Error::conflict(
        "name",
        format!("cannot be registered: you have {most} applications already; delete one first"),
    )
}

/// Returns the error for a new profile token of a user who already has `most` such tokens, the maximum.
pub fn too_many_tokens(most: u8) -> Error {
    Error::conflict(
        "name",
        format!("cannot be used: you have {most} tokens already; revoke one first"),
    )
}

/// Returns the error for a registration whose username, e-mail address or both belong to another user.
pub fn already_taken(is_username_taken: bool, is_email_taken: bool) -> Error {
    let fields = [("username", is_username_taken), ("email", is_email_taken)].into_iter();
    let taken = fields.filter(|(_, is_taken)| *is_taken);
    let field_errors = taken.map(|(name, _)| (name, "is already taken".to_owned()));
    Error::Conflict(field_errors.collect::<FieldErrors>())
}
