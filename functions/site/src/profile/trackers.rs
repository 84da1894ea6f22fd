//! Linking and unlinking of tracker accounts.
//!
//! "Connect" leads to [`connect`], which redirects the user to the tracker. The tracker redirects the user
//! back to [`callback`] with an authorization code. "Connect" is a hyperlink and not a form, because the
//! content security policy (`form-action`) forbids forms that end at another site. Nothing changes until the
//! user returns.

use std::sync::Arc;

use accounts::linking::{NotLinked, Returned};
use accounts::{SignedInUser, TRACKER_ADDRESS};
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use pages::answer::see_other;
use pages::error::PageError;
use pages::form::SignedInForm;
use pages::paths::PROFILE;
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::{Action, CallerAddress};
use shared::http::ApiError;
use shared::input::Params;
use shared::models::TrackerName;
use store::{Unlink, UserChange};

use crate::state::AccountState;

/// The messages of reasons why an account was not linked, by the key in the parameter `failed`.
const FAILED: [(&str, &str); 6] = [
    ("off", "tracker-off"),
    ("late", "tracker-failed-late"),
    ("denied", "tracker-failed-denied"),
    ("refused", "tracker-failed-refused"),
    ("misconfigured", "tracker-failed-misconfigured"),
    ("later", "tracker-failed-later"),
];

/// The path parameter `{tracker}`: the letter of a tracker.
pub(crate) struct InPath(TrackerName);

impl<S: Send + Sync> FromRequestParts<S> for InPath {
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
    InPath(tracker): InPath,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let owner = state.sessions.require(&visitor, PROFILE).await?;
    match state.linking.begin(&owner.credential, tracker).await {
        Ok(address) => leave(&address),
        Err(reason) => failed(&state, tracker, reason),
    }
}

/// `GET /profile/trackers/{tracker}/callback`: the redirect URI for the tracker. Redirects to the profile,
/// also if the account is not linked, so that the authorization code does not stay in the browser's address
/// and a reload does not send it again.
pub(crate) async fn callback(
    State(state): State<Arc<AccountState>>,
    InPath(tracker): InPath,
    visitor: Visitor,
    address: CallerAddress,
    uri: Uri,
) -> Result<Response, PageError> {
    let owner = state.sessions.require(&visitor, PROFILE).await?;
    // Each attempt calls the tracker, whose rate limit all users share.
    let attempts = &state.accounts.attempts;
    attempts
        .by_address("tracker", address, TRACKER_ADDRESS)
        .await?;
    match link(&state, &owner, tracker, &returned(&uri)).await {
        Ok(()) => done(&state, tracker, "linked"),
        Err(reason) => failed(&state, tracker, reason),
    }
}

/// `POST /profile/trackers/{tracker}/disconnect`. Succeeds as well if no account is linked: the button may
/// have been pressed twice, or in two tabs.
pub(crate) async fn disconnect(
    State(state): State<Arc<AccountState>>,
    InPath(tracker): InPath,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let user = &posted.owner.account.user;
    let change = UserChange {
        unlink: Some(Unlink {
            tracker,
            other_is_linked: user.has_tracker(tracker.other()),
        }),
        ..UserChange::default()
    };
    let access = posted.owner.access(Action::LinkTracker);
    state.accounts.users.update_own(&access, &change).await?;
    done(&state, tracker, "unlinked")
}

/// Returns the message of the failure that the query parameter `failed` names, and its tracker. Unknown
/// failures and trackers are ignored.
pub(super) fn why_not(uri: &Uri) -> Option<(&'static str, TrackerName)> {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let failed = params.token("failed")?;
    let (key, letter) = failed.split_once('-')?;
    let tracker = TrackerName::from_letter(letter)?;
    let (_, id) = FAILED.iter().find(|(known, _)| *known == key)?;
    Some((id, tracker))
}

async fn link(
    state: &AccountState,
    owner: &SignedInUser,
    tracker: TrackerName,
    returned: &Returned,
) -> Result<(), NotLinked> {
    let session = &owner.credential;
    let link = state.linking.finish(session, tracker, returned).await?;
    let change = UserChange {
        link: Some(link),
        ..UserChange::default()
    };
    let access = owner.access(Action::LinkTracker);
    state.accounts.users.update_own(&access, &change).await?;
    Ok(())
}

fn returned(uri: &Uri) -> Returned {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    Returned {
        state: params.token("state").unwrap_or_default(),
        code: params.token("code"),
        error: params.token("error"),
    }
}

/// Redirects the user to a tracker.
fn leave(address: &str) -> Result<Response, PageError> {
    let location = HeaderValue::try_from(address).map_err(Error::internal)?;
    let headers = [
        (header::LOCATION, location),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

fn done(state: &AccountState, tracker: TrackerName, what: &str) -> Result<Response, PageError> {
    see_other(
        &state.sessions,
        &format!("{PROFILE}?done={what}-{}", tracker.letter()),
    )
}

fn failed(
    state: &AccountState,
    tracker: TrackerName,
    reason: NotLinked,
) -> Result<Response, PageError> {
    let key = match reason {
        NotLinked::Off => "off",
        NotLinked::NotBegun => "late",
        NotLinked::Denied => "denied",
        NotLinked::Refused | NotLinked::OtherAccount => "refused",
        NotLinked::Misconfigured => "misconfigured",
        NotLinked::Later(_) => "later",
        NotLinked::Fault(error) => return Err(error.into()),
    };
    see_other(
        &state.sessions,
        &format!("{PROFILE}?failed={key}-{}", tracker.letter()),
    )
}

#[cfg(test)]
mod tests {
    use axum::http::Uri;
    use shared::models::TrackerName;

    use super::{FAILED, why_not};

    fn shown(query: &str) -> Option<(&'static str, TrackerName)> {
        let uri: Uri = format!("/profile?{query}").parse().unwrap();
        why_not(&uri)
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
