//! The ways to sign in besides the password.

use accounts::users::UserStore;
use dynamo::Database;
use shared::Error;
use shared::models::Factors;
use shared::times::format_ms;

use crate::user::find::find_account;

/// Returns the kinds of the ways in which a user signs in, with their dates, for the operator.
pub async fn show_factors(database: &Database, name: &str) -> anyhow::Result<String> {
    let account = find_account(&UserStore::new(database), name).await?;
    let factors = &account.factors;
    let mut lines = Vec::new();
    if account.password_hash.is_some() {
        lines.push("password".to_owned());
    }
    for passkey in &factors.passkeys {
        let used = passkey.used_at.map_or("never used".to_owned(), |used| {
            format!("last used {}", format_time(used))
        });
        let created = format_time(passkey.created_at);
        lines.push(format!("passkey, created {created}, {used}"));
    }
    if let Some(identity) = &factors.identity {
        let connected = format_time(identity.connected_at);
        lines.push(format!("identity provider, connected {connected}"));
    }
    if let Some(second_factor) = &factors.second_factor {
        let (created, left) = (
            format_time(second_factor.created_at),
            second_factor.recovery_codes.len(),
        );
        lines.push(format!(
            "second factor, set up {created}, recovery codes left: {left}"
        ));
    }
    lines.push(if account.email_verified {
        "verified e-mail address, for a new password".to_owned()
    } else {
        "no verified e-mail address".to_owned()
    });
    Ok(lines.join("\n"))
}

/// Removes the second factor and the passkeys of a user, and ends all sessions and tokens of the user. The user then
/// signs in with the password or with the identity provider, or requests a new password by mail. Returns a summary for
/// the operator.
///
/// # Errors
/// When the user could no longer sign in, or has just signed in or changed a factor.
pub async fn remove_factors(database: &Database, name: &str) -> anyhow::Result<String> {
    let users = UserStore::new(database);
    let account = find_account(&users, name).await?;
    let Factors {
        version: _,
        passkeys,
        identity,
        second_factor,
    } = &account.factors;
    if passkeys.is_empty() && second_factor.is_none() {
        return Ok(format!(
            "{name} has neither passkeys nor a second factor. Nothing is removed."
        ));
    }
    let has_password = account.password_hash.is_some();
    anyhow::ensure!(
        has_password || identity.is_some() || account.email_verified,
        "{name} has no password, no account at an identity provider and no verified e-mail address for a new \
         password, so this would be the last way to sign in: the user can verify the address in a session that has \
         not ended, or register again"
    );
    let left = Factors {
        identity: identity.clone(),
        ..Factors::default()
    };
    let removed = users.replace_factors(&account, left).await;
    removed.map_err(|error| match error {
        Error::Changed => {
            anyhow::anyhow!("{name} has just signed in or changed a factor: try again")
        }
        error => error.into(),
    })?;
    let way_in = if has_password {
        "The password is left."
    } else if identity.is_some() {
        "The account at the identity provider is left."
    } else {
        "The user requests a password on the page /forgot-password."
    };
    Ok(format!(
        "Removed. All sessions and access tokens of {name} have ended. {way_in}"
    ))
}

/// Returns a time in milliseconds since the Unix epoch as a date.
fn format_time(ms: u64) -> String {
    let time = format_ms(ms).unwrap_or_default();
    time.split('T').next().unwrap_or_default().to_owned()
}
