//! The rule for proofs: which requests need a fresh proof that the user of a session is the owner of the account
//! (docs/oauth.md, "Proofs"). A person at an unlocked computer has the session, but cannot make the proof.
//!
//! A request needs a proof if it gives lasting access, exports everything, changes a way to sign in, or deletes an
//! account or an application. A request that only ends access needs none, so that a user can stop a stranger at once.
//!
//! The table has every request that changes something, and the pages that need a proof to be shown. `FormPage` of the
//! crate `pages` enforces it for pages with forms. Other pages and the consent enforce it in their handlers.
//! `tests/service/proofs.rs` sends every request of the service, and compares the result with this table.

/// The proof that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofNeed {
    /// The session needs a fresh proof, for this reason.
    Fresh(ProofReason),
    /// The request has an access token in place of a session. The token was made with a proof. The permission table
    /// states the actions that are forbidden to a profile token, which a user has given to a program
    /// ([`super::Rule::allows_profile_tokens`]).
    Token,
    /// No proof: the request makes one itself, only ends access, or changes something that the user can change back.
    None,
}

/// The reason why a request needs a fresh proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofReason {
    /// Its result gives access that lasts longer than the session.
    LastingAccess,
    /// Its result is everything that is stored about the user.
    Everything,
    /// It changes a way to sign in or to get the account back.
    WayToSignIn,
    /// It deletes an account or an application.
    Deletion,
}

/// A row of the table: a method, a path as in the router, and the proof that the request needs.
pub type ProofRule = (&'static str, &'static str, ProofNeed);

const LASTING: ProofNeed = ProofNeed::Fresh(ProofReason::LastingAccess);
const EVERYTHING: ProofNeed = ProofNeed::Fresh(ProofReason::Everything);
const SIGN_IN: ProofNeed = ProofNeed::Fresh(ProofReason::WayToSignIn);
const DELETION: ProofNeed = ProofNeed::Fresh(ProofReason::Deletion);
const TOKEN: ProofNeed = ProofNeed::Token;
const NONE: ProofNeed = ProofNeed::None;

/// The table. A page that is not in it needs no proof.
pub const PROOF_RULES: &[ProofRule] = &[
    // Ways to sign in.
    ("POST", "/profile/email", SIGN_IN),
    ("POST", "/profile/security/passkeys", SIGN_IN),
    ("POST", "/profile/security/passkeys/remove", SIGN_IN),
    ("POST", "/profile/security/passkeys/rename", SIGN_IN),
    ("POST", "/profile/security/password", SIGN_IN),
    ("GET", "/profile/security/provider", SIGN_IN),
    ("POST", "/profile/security/provider/disconnect", SIGN_IN),
    ("GET", "/profile/security/second-factor", SIGN_IN),
    ("POST", "/profile/security/second-factor", SIGN_IN),
    ("POST", "/profile/security/second-factor/codes", SIGN_IN),
    ("POST", "/profile/security/second-factor/remove", SIGN_IN),
    // Access for programs, players, other services and applications. The pages with the addresses of a player and of
    // the calendar feed leave them out without a proof. A consent needs a proof if it gives more access than the
    // application has.
    ("POST", "/calendar/feed", LASTING),
    ("POST", "/profile/developer/token", LASTING),
    ("POST", "/profile/players", LASTING),
    ("POST", "/profile/players/{id}/address", LASTING),
    ("GET", "/profile/trackers/{tracker}/connect", LASTING),
    ("POST", "/v1/oauth", LASTING),
    // An application's secret and redirect URIs lead to the accounts of its users.
    ("POST", "/developer/{client_id}", LASTING),
    ("POST", "/developer/{client_id}/secret", LASTING),
    // Everything.
    ("GET", "/profile/data/download", EVERYTHING),
    // Deletions.
    ("POST", "/developer/{client_id}/delete", DELETION),
    ("POST", "/moderation/user/{id}/delete", DELETION),
    ("GET", "/profile/delete", DELETION),
    ("POST", "/profile/delete", DELETION),
    // Proofs themselves: sign-ins, sign-ups, and links from mails.
    ("POST", "/forgot-password", NONE),
    ("POST", "/prove", NONE),
    ("POST", "/prove/passkey", NONE),
    ("POST", "/reset-password", NONE),
    ("POST", "/sign-in", NONE),
    ("POST", "/sign-in/code", NONE),
    ("POST", "/sign-in/passkey", NONE),
    ("POST", "/sign-in/provider/new", NONE),
    ("POST", "/sign-up", NONE),
    ("POST", "/sign-up/passkey", NONE),
    ("POST", "/sign-up/passkey/create", NONE),
    ("POST", "/verify-email", NONE),
    // Ends of access.
    ("POST", "/calendar/feed/remove", NONE),
    ("POST", "/profile/connections/disconnect", NONE),
    ("POST", "/profile/connections/{tracker}/disconnect", NONE),
    ("POST", "/profile/developer/token/revoke", NONE),
    ("POST", "/profile/players/{id}/remove", NONE),
    ("POST", "/profile/players/{id}/wrong", NONE),
    ("POST", "/profile/security/session/end", NONE),
    ("POST", "/profile/security/sign-out-everywhere", NONE),
    ("POST", "/sign-in/provider/logout", NONE),
    ("POST", "/sign-out", NONE),
    // Settings, which the user can change back. An application gets no access before a consent.
    ("POST", "/developer", NONE),
    ("POST", "/profile/players/series", NONE),
    ("POST", "/profile/players/{id}", NONE),
    ("POST", "/profile/picture", NONE),
    ("POST", "/profile/picture/remove", NONE),
    ("POST", "/profile/privacy", NONE),
    ("POST", "/profile/settings", NONE),
    ("POST", "/profile/verification", NONE),
    ("POST", "/settings", NONE),
    ("POST", "/list/favorite", NONE),
    // The list, whose changes have a history.
    ("POST", "/list/delete", NONE),
    ("POST", "/list/next", NONE),
    ("POST", "/list/save", NONE),
    ("POST", "/list/score", NONE),
    ("POST", "/list/selection", NONE),
    ("POST", "/list/selection/undo", NONE),
    ("POST", "/list/status", NONE),
    ("POST", "/list/undo", NONE),
    ("POST", "/profile/history", NONE),
    ("POST", "/profile/history/imports", NONE),
    ("POST", "/profile/history/proposals", NONE),
    // The work of moderators and administrators. An invitation gives no access to an account that exists.
    ("POST", "/administration/invite", NONE),
    ("POST", "/administration/revoke", NONE),
    ("POST", "/moderation/anime/{id}/correct", NONE),
    ("POST", "/moderation/anime/{id}/take-back", NONE),
    ("POST", "/moderation/song/{id}/correct", NONE),
    ("POST", "/moderation/song/{id}/take-back", NONE),
    // A picture, which the user can upload again.
    ("POST", "/moderation/user/{id}/picture", NONE),
    // The API, with an access token.
    ("POST", "/v1/auth/email_verification", TOKEN),
    ("POST", "/v1/auth/logout_everywhere", TOKEN),
    ("POST", "/v1/playback", TOKEN),
    ("POST", "/v1/user", TOKEN),
    ("DELETE", "/v1/user/{id}", TOKEN),
    ("PUT", "/v1/user_story", TOKEN),
    ("POST", "/v1/user_story", TOKEN),
    ("DELETE", "/v1/user_story/{id}", TOKEN),
    ("POST", "/v1/user_story/batch", TOKEN),
    ("POST", "/v1/user_story/import", TOKEN),
    ("POST", "/v1/user_story/import/proposals", TOKEN),
    ("DELETE", "/v1/user_story/import/waiting", TOKEN),
    ("POST", "/v1/user_story/import/{id}/undo", TOKEN),
    // The API, with a password, a token from a mail, the secret of an application or the secret of a player.
    ("POST", "/v1/auth/email_verification/confirm", NONE),
    ("POST", "/v1/auth/login", NONE),
    ("POST", "/v1/auth/password_reset", NONE),
    ("POST", "/v1/auth/password_reset/confirm", NONE),
    ("POST", "/v1/auth/register", NONE),
    ("POST", "/v1/oauth/revoke", NONE),
    ("POST", "/v1/oauth/token", NONE),
    ("POST", "/v1/playback/{secret}", NONE),
];

/// Returns the proof that a request needs. `path` is the path of its route.
pub fn proof_need(method: &str, path: &str) -> ProofNeed {
    let mut rules = PROOF_RULES.iter();
    let rule = rules.find(|(of, at, _)| (*of, *at) == (method, path));
    rule.map_or(ProofNeed::None, |(_, _, need)| *need)
}
