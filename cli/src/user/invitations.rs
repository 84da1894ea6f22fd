//! Invitations.

use accounts::invitations::{InvitationStore, MAX_INVITATIONS};
use accounts::mail::invitation_link;
use accounts::users::UserStore;
use dynamo::Database;
use shared::Error;
use shared::auth::DAY_S;

/// Makes an invitation to register that is valid for this number of days, and returns its link. `public_url` has no
/// slash at its end.
///
/// # Errors
/// When there are already too many invitations.
pub async fn invite(database: &Database, days: u64, public_url: &str) -> anyhow::Result<String> {
    let (invitations, now) = (InvitationStore::new(database), database.clock.now_s());
    let code = invitations.invite(None, days * DAY_S, now).await;
    let code = code.map_err(|error| match error {
        Error::Conflict(_) => anyhow::anyhow!(
            "there are {MAX_INVITATIONS} invitations already: an administrator can revoke some on the \
             page /administration"
        ),
        error => error.into(),
    })?;
    Ok(invitation_link(public_url, &code))
}

/// Returns true if there is a user.
pub async fn has_users(database: &Database) -> anyhow::Result<bool> {
    let first = UserStore::new(database).list(None, None, 1).await?;
    Ok(!first.users.is_empty())
}

/// Returns the setup link, if there is no user. With this link, the first user registers and becomes an administrator.
/// It is valid for 24 hours. Earlier setup links become invalid, even if there is a user. `public_url` has no slash at
/// its end.
pub async fn setup_link(database: &Database, public_url: &str) -> anyhow::Result<Option<String>> {
    if has_users(database).await? {
        InvitationStore::new(database).delete_setup().await?;
        return Ok(None);
    }
    let now = database.clock.now_s();
    let code = InvitationStore::new(database)
        .make_setup(DAY_S, now)
        .await?;
    Ok(Some(invitation_link(public_url, &code)))
}
