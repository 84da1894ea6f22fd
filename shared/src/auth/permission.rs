//! The permission table. For each action it has the scope and the role that the action requires, and states if
//! applications and profile tokens may perform it. [`super::PROOF_RULES`] states which requests need a fresh proof.

use super::scope::Scope;
use crate::models::Role;

/// Returns the lowest role that may act on the account or the data of another user who has the role `other`.
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
    /// True if a profile token may perform the action. A user gives such a token to a program, which must not be able
    /// to take over the account with it.
    pub allows_profile_tokens: bool,
}

/// Declares the actions, each with its row of the permission table: the fields of its [`Rule`].
macro_rules! actions {
    ($($(#[$meta:meta])* $action:ident: $scope:ident, $role:expr, $applications:literal, $tokens:literal;)+) => {
        /// An action that only certain callers may perform. The table in docs/api.md, "Roles and permissions", lists
        /// the endpoints of each action. Endpoints that the table does not list are open to every caller. The web pages
        /// also perform some of these actions, with a session in place of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action {
            $($(#[$meta])* $action),+
        }

        impl Action {
            /// Every action.
            pub const ALL: [Self; [$(stringify!($action)),+].len()] = [$(Self::$action),+];

            /// Returns the rule for this action (docs/api.md, "Roles and permissions"). Every user may perform every
            /// action on their own data.
            pub const fn rule(self) -> Rule {
                [$(Rule {
                    scope: Scope::$scope,
                    least_role_for_others: $role,
                    allows_applications: $applications,
                    allows_profile_tokens: $tokens,
                }),+][self as usize]
            }
        }
    };
}

actions! {
    // Scope, others' data, applications, profile tokens
    /// `GET /v1/auth/me`
    ReadOwnAccount: Read, None, true, true;
    /// `GET /v1/auth/me/data`, and downloading one's data on the profile page
    // The file contains more data than the scope `read` gives access to.
    DownloadData: ReadWrite, None, false, true;
    /// `POST /v1/auth/email_verification`
    SendVerification: ReadWrite, None, false, true;
    /// `POST /v1/auth/logout_everywhere`
    SignOutEverywhere: ReadWrite, None, false, true;
    /// Registering, changing and deleting OAuth clients on the developer page
    ManageClients: ReadWrite, None, false, false;
    /// Connecting an OAuth client to the user's account on the consent page, and disconnecting it on the profile page
    Connect: ReadWrite, None, false, false;
    /// Creating and revoking profile tokens, the address of the calendar feed and players, on the profile page
    ManageTokens: ReadWrite, None, false, false;
    /// `GET /v1/user?email=`, which returns obscured users
    FindUserByEmail: Read, None, true, true;
    /// `POST /v1/user`
    UpdateUser: ReadWrite, Some(Role::Moderator), true, true;
    /// `POST /v1/user` with `password` or `current_password`
    ChangePassword: ReadWrite, None, false, false;
    /// `POST /v1/user` with `tracker_a_id`, and linking and unlinking trackers on the profile page
    LinkTracker: ReadWrite, None, false, true;
    /// `DELETE /v1/user/{id}`
    DeleteUser: ReadWrite, Some(Role::Moderator), false, true;
    /// Reading stories, their history and their export, and the statistics of a profile that is not public
    ReadStory: Read, Some(Role::Moderator), true, true;
    /// `GET /v1/user/{id}/suggestions`
    ReadSuggestions: Read, None, true, true;
    /// Writing, importing and deleting stories
    WriteStory: ReadWrite, Some(Role::Moderator), true, true;
    /// `POST /v1/playback`
    ReportPlayback: Playback, None, true, true;
    /// Finding users with their role and state on the moderation pages
    ModerateUsers: ReadWrite, Some(Role::Moderator), false, false;
    /// Correcting anime and songs on the moderation pages
    CorrectCatalogue: ReadWrite, Some(Role::Moderator), false, false;
    /// Inviting users, and reading the state of the service, on the page for administrators
    Administer: ReadWrite, Some(Role::Administrator), false, false;
}
