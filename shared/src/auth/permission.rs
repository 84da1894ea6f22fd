//! Who may do what: one table.

use crate::models::Role;

/// Something that only certain callers may do. What is not named here anybody may do: read anime,
/// songs and obscured users, register, sign in, and follow a link from a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `GET /v1/auth/me`
    ReadOwnAccount,
    /// `POST /v1/auth/email_verification`
    SendVerification,
    /// `POST /v1/auth/logout_everywhere`
    SignOutEverywhere,
    /// Registering, changing and deleting OAuth clients, on the developer page
    ManageClients,
    /// Letting an OAuth client act for oneself, and ending that
    Connect,
    /// `GET /v1/user?email=`, which shows of others what everybody may see
    FindUserByEmail,
    /// `POST /v1/user`
    UpdateUser,
    /// `POST /v1/user` with `password`
    ChangePassword,
    /// `POST /v1/user` with `tracker_a_id`
    LinkTracker,
    /// `DELETE /v1/user/{id}`
    DeleteUser,
    /// `GET /v1/user_story` and `GET /v1/user_story/{id}`
    ReadStory,
    /// `PUT /v1/user_story`, `POST /v1/user_story` and `DELETE /v1/user_story/{id}`
    WriteStory,
}

/// The least role it takes to act on the account or the data of another user with this role.
#[must_use]
pub const fn least_role_to_act_on(other: Role) -> Role {
    match other {
        Role::Basic => Role::Moderator,
        Role::Moderator | Role::Administrator => Role::Administrator,
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The least role that may do it to what is another user's; `None`: nobody may.
    pub to_others: Option<Role>,
    /// Whether an application may do it to what is its user's. To what is another user's it may
    /// do nothing, whatever its user's role is.
    pub by_applications: bool,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 12] = [
        Self::ReadOwnAccount,
        Self::SendVerification,
        Self::SignOutEverywhere,
        Self::ManageClients,
        Self::Connect,
        Self::FindUserByEmail,
        Self::UpdateUser,
        Self::ChangePassword,
        Self::LinkTracker,
        Self::DeleteUser,
        Self::ReadStory,
        Self::WriteStory,
    ];

    /// The table (design.md, "Rules of the domain"). To what is their own, all users may do all of
    /// it.
    #[must_use]
    #[expect(clippy::match_same_arms, reason = "a table has a row for each")]
    pub const fn rule(self) -> Rule {
        const fn rule(to_others: Option<Role>, by_applications: bool) -> Rule {
            Rule {
                to_others,
                by_applications,
            }
        }
        match self {
            //                                      to others              by applications
            Self::ReadOwnAccount => rule(None, true),
            Self::SendVerification => rule(None, false),
            Self::SignOutEverywhere => rule(None, false),
            Self::ManageClients => rule(None, false),
            Self::Connect => rule(None, false),
            Self::FindUserByEmail => rule(None, true),
            Self::UpdateUser => rule(Some(Role::Moderator), true),
            Self::ChangePassword => rule(None, false),
            Self::LinkTracker => rule(None, false),
            Self::DeleteUser => rule(Some(Role::Moderator), false),
            Self::ReadStory => rule(Some(Role::Moderator), true),
            Self::WriteStory => rule(Some(Role::Moderator), true),
        }
    }
}
