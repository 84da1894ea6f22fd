//! Linking and unlinking of tracker accounts.
//!
//! "Connect" leads to [`connect`], which redirects the user to the tracker. The tracker redirects the user back to
//! [`callback`] with an authorization code. "Connect" is a hyperlink and not a form, because the content security
//! policy (`form-action`) forbids a form whose response redirects to another site. The hyperlink is safe, because no
//! account is linked until the user returns.

use std::sync::Arc;

use accounts::linked_accounts::Unlink;
use accounts::linking::{NotLinked, ReturnParameters};
use accounts::mail::SecurityEvent;
use accounts::sessions::SignedInUser;
use accounts::throttling::LINKINGS_PER_NETWORK;
use accounts::users::UserChange;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::Uri;
use axum::http::request::Parts;
use pages::error::{PageError, PageResult};
use pages::form_page::FormPage;
use pages::paths::PROFILE_CONNECTIONS;
use pages::response::{leave_for, see_notice};
use pages::sessions::Visitor;
use shared::auth::{Action, CallerAddress};
use shared::http::ApiError;
use shared::input::Params;
use shared::models::TrackerName;

use crate::state::AccountState;

/// The messages with the reasons why an account was not linked, by the key in the parameter `failed`.
const FAILED: [(&str, &str); 6] = [
    ("off", "tracker-off"),
    ("late", "tracker-failed-late"),
    ("denied", "tracker-failed-denied"),
    ("refused", "tracker-failed-refused"),
    ("misconfigured", "tracker-failed-misconfigured"),
    ("later", "tracker-failed-later"),
];

/// The path parameter `{tracker}`: the letter of a tracker.
pub(crate) struct TrackerInPath(TrackerName);

impl<S: Send + Sync> FromRequestParts<S> for TrackerInPath {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let path = Path::<String>::from_request_parts(parts, state).await.ok();
        let name = path.and_then(|Path(letter)| TrackerName::from_letter(&letter));
        name.map(Self).ok_or_else(|| ApiError::UnknownPath.into())
    }
}

/// `GET /profile/trackers/{tracker}/connect`: redirects the user to the tracker to allow the connection.
pub(crate) async fn connect(
    State(state): State<Arc<AccountState>>,
    TrackerInPath(tracker): TrackerInPath,
    visitor: Visitor,
) -> PageResult {
    let sessions = &state.sessions;
    let owner = sessions.require_proved_user(&visitor, PROFILE_CONNECTIONS);
    let owner = owner.await?;
    match state.linking.begin(&owner.credential, tracker).await {
        Ok(address) => Ok(leave_for(&address)?),
        Err(reason) => redirect_after_failure(&state, tracker, reason),
    }
}

/// `GET /profile/trackers/{tracker}/callback`: the redirect URI for the tracker. Redirects to the connections, even
/// if the account could not be linked. Otherwise, the authorization code would stay in the browser's address bar, and a
/// reload would send it again.
pub(crate) async fn callback(
    State(state): State<Arc<AccountState>>,
    TrackerInPath(tracker): TrackerInPath,
    visitor: Visitor,
    address: CallerAddress,
    uri: Uri,
) -> PageResult {
    let owner = state.sessions.require_user(&visitor, PROFILE_CONNECTIONS);
    let owner = owner.await?;
    // Each attempt calls the tracker, whose rate limit all users share.
    let attempts = &state.accounts.attempts;
    attempts
        .count_by_network("tracker", address, LINKINGS_PER_NETWORK)
        .await?;
    match finish_linking(&state, &owner, tracker, &read_callback(&uri)).await {
        Ok(()) => redirect_after_change(&state, tracker, "linked"),
        Err(reason) => redirect_after_failure(&state, tracker, reason),
    }
}

/// `POST /profile/connections/{tracker}/disconnect`. Also succeeds if no account is linked: the button may have been
/// pressed twice, or in two tabs.
pub(crate) async fn disconnect(
    State(state): State<Arc<AccountState>>,
    TrackerInPath(tracker): TrackerInPath,
    page: FormPage,
) -> PageResult {
    let user = &page.owner.account.user;
    let unlink = Unlink {
        tracker,
        other_is_linked: user.has_tracker(tracker.other()),
    };
    let access = page.owner.access(Action::LinkTracker);
    state.linking.links.unlink(&access, unlink).await?;
    redirect_after_change(&state, tracker, "unlinked")
}

/// Returns the message of the failure that the query parameter `failed` names, and its tracker. Unknown
/// failures and trackers are ignored.
pub(super) fn failure_message(uri: &Uri) -> Option<(&'static str, TrackerName)> {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let failed = params.token("failed")?;
    let (key, letter) = failed.split_once('-')?;
    let tracker = TrackerName::from_letter(letter)?;
    let (_, id) = FAILED.iter().find(|(known, _)| *known == key)?;
    Some((id, tracker))
}

async fn finish_linking(
    state: &AccountState,
    owner: &SignedInUser,
    tracker: TrackerName,
    returned: &ReturnParameters,
) -> Result<(), NotLinked> {
    let session = &owner.credential;
    let new = state.linking.finish(session, tracker, returned).await?;
    let (access, change) = (owner.access(Action::LinkTracker), UserChange::default());
    state.linking.links.link(&access, &new, &change).await?;
    let event = SecurityEvent::TrackerConnected(tracker.title());
    state.notify(owner, event).await;
    Ok(())
}

fn read_callback(uri: &Uri) -> ReturnParameters {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    ReturnParameters {
        state: params.token("state").unwrap_or_default(),
        code: params.token("code"),
        error: params.token("error"),
    }
}

fn redirect_after_change(state: &AccountState, tracker: TrackerName, change: &str) -> PageResult {
    let done = format!("{change}-{}", tracker.letter());
    see_notice(
        &state.sessions,
        &format!("{PROFILE_CONNECTIONS}?done={done}"),
    )
}

fn redirect_after_failure(
    state: &AccountState,
    tracker: TrackerName,
    reason: NotLinked,
) -> PageResult {
    let key = match reason {
        NotLinked::Off => "off",
        NotLinked::InvalidState => "late",
        NotLinked::Denied => "denied",
        NotLinked::Refused | NotLinked::OtherAccount => "refused",
        NotLinked::Misconfigured => "misconfigured",
        NotLinked::Later(_) => "later",
        NotLinked::Fault(error) => return Err(error.into()),
    };
    let failed = format!("{key}-{}", tracker.letter());
    see_notice(
        &state.sessions,
        &format!("{PROFILE_CONNECTIONS}?failed={failed}"),
    )
}

#[cfg(test)]
mod tests {
    use axum::http::Uri;
    use shared::models::TrackerName;

    use super::{FAILED, failure_message};

    fn shown(query: &str) -> Option<(&'static str, TrackerName)> {
        let uri: Uri = format!("/profile/connections?{query}").parse().unwrap();
        failure_message(&uri)
    }

    #[test]
    fn only_known_reasons_of_known_trackers_are_shown() {
        for (key, id) in FAILED {
            let expected = (id, TrackerName::B);
            assert_eq!(shown(&format!("failed={key}-b")), Some(expected));
        }
        for other in ["", "off", "off-c", "other-a", "off-a-b", "%3Cb%3E-a"] {
            assert_eq!(shown(&format!("failed={other}")), None, "{other}");
        }
        assert_eq!(shown("done=off-a"), None);
    }
}
