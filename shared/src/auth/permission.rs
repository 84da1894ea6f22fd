//! The permission table. For each action it has the scope and the role that the action requires, and states if
//! applications and profile tokens may perform it. [`super::PROOF_RULES`] states which requests need a fresh proof.

use super::scope::Scope;
use crate::models::Role;

/// An action that only certain callers may perform. The table in docs/api.md, "Roles and permissions", lists the
/// endpoints of each action. Endpoints that the table does not list are open to every caller. The web pages
/// perform some of these actions too, with a session in place of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `GET /v1/auth/me`
    ReadOwnAccount,
    /// `GET /v1/auth/me/data`, and downloading one's data on the profile page
    DownloadData,
    /// `POST /v1/auth/email_verification`
    SendVerification,
    /// `POST /v1/auth/logout_everywhere`
    SignOutEverywhere,
    /// Registering, changing and deleting OAuth clients on the developer page
    ManageClients,
    /// Connecting an OAuth client to the user's account on the consent page, and disconnecting it on the profile page
    Connect,
    /// Creating and revoking profile tokens, the address of the calendar feed and players, on the profile page
    ManageTokens,
    /// `GET /v1/user?email=`, which returns obscured users
    FindUserByEmail,
    /// `POST /v1/user`
    UpdateUser,
    /// `POST /v1/user` with `password` or `current_password`
    ChangePassword,
    /// `POST /v1/user` with `tracker_a_id`, and linking and unlinking trackers on the profile page
    LinkTracker,
    /// `DELETE /v1/user/{id}`
    DeleteUser,
    /// Reading stories, their history and their export, and the statistics of a profile that is not public
    ReadStory,
    /// `GET /v1/user/{id}/suggestions`
    ReadSuggestions,
    /// Writing, importing and deleting stories
    WriteStory,
    /// `POST /v1/playback`
    ReportPlayback,
    /// Finding users with their role and state on the moderation pages
    ModerateUsers,
    /// Correcting anime and songs on the moderation pages
    CorrectCatalogue,
    /// Inviting users, and reading the state of the service, on the page for administrators
    Administer,
}

/// Returns the lowest role that may act on the account or the data of another user who has the role `other`.
#[must_use]
pub const fn least_role_to_act_on(other: Role) -> Role {
    match other {
        Role::Basic => Role::Moderator,
        Role::Moderator | Role::Administrator => Role::Administrator,
    }
}

/// A row of the permission table, for one action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The scope that the action requires.
    pub scope: Scope,
    /// The lowest role that may perform the action on another user's data, or on data that belongs to no user; `None`
    /// if no role may.
    pub least_role_for_others: Option<Role>,
    /// True if an application may perform the action on the data of the user who authorized it. An
    /// application never acts on the data of other users, whatever role its user has.
    pub allows_applications: bool,
    /// True if a profile token may perform the action. A user gives such a token to a program, which must not take the
    /// account over with it.
    pub allows_profile_tokens: bool,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 19] = [
        Self::ReadOwnAccount,
        Self::DownloadData,
        Self::SendVerification,
        Self::SignOutEverywhere,
        Self::ManageClients,
        Self::Connect,
        Self::ManageTokens,
        Self::FindUserByEmail,
        Self::UpdateUser,
        Self::ChangePassword,
        Self::LinkTracker,
        Self::DeleteUser,
        Self::ReadStory,
        Self::ReadSuggestions,
        Self::WriteStory,
        Self::ReportPlayback,
        Self::ModerateUsers,
        Self::CorrectCatalogue,
        Self::Administer,
    ];

    /// Returns the rule for this action (docs/api.md, "Roles and permissions"). Every user may perform every
    /// action on their own data.
    #[must_use]
    #[expect(clippy::match_same_arms, reason = "a table has one row per action")]
    pub const fn rule(self) -> Rule {
        use Scope::{Playback, Read, ReadWrite};
        const fn row(
            scope: Scope,
            least_role_for_others: Option<Role>,
            allows_applications: bool,
            allows_profile_tokens: bool,
        ) -> Rule {
            Rule {
                scope,
                least_role_for_others,
                allows_applications,
                allows_profile_tokens,
            }
        }
        match self {
            //                            scope      others' data     applications  profile tokens
            Self::ReadOwnAccount => row(Read, None, true, true),
            // The file contains more data than the scope `read` gives access to.
            Self::DownloadData => row(ReadWrite, None, false, true),
            Self::SendVerification => row(ReadWrite, None, false, true),
            Self::SignOutEverywhere => row(ReadWrite, None, false, true),
            Self::ManageClients => row(ReadWrite, None, false, false),
            Self::Connect => row(ReadWrite, None, false, false),
            Self::ManageTokens => row(ReadWrite, None, false, false),
            Self::FindUserByEmail => row(Read, None, true, true),
            Self::UpdateUser => row(ReadWrite, Some(Role::Moderator), true, true),
            Self::ChangePassword => row(ReadWrite, None, false, false),
            Self::LinkTracker => row(ReadWrite, None, false, true),
            Self::DeleteUser => row(ReadWrite, Some(Role::Moderator), false, true),
            Self::ReadStory => row(Read, Some(Role::Moderator), true, true),
            Self::ReadSuggestions => row(Read, None, true, true),
            Self::WriteStory => row(ReadWrite, Some(Role::Moderator), true, true),
            Self::ReportPlayback => row(Playback, None, true, true),
            Self::ModerateUsers => row(ReadWrite, Some(Role::Moderator), false, false),
            Self::CorrectCatalogue => row(ReadWrite, Some(Role::Moderator), false, false),
            Self::Administer => row(ReadWrite, Some(Role::Administrator), false, false),
        }
    }
}
