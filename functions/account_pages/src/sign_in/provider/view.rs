//! The page that explains why signing in with the provider failed.

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use page_parts::door::door;
use page_parts::sign_in::local_page;
use pages::error::PageResult;
use pages::layout::Page;
use pages::paths::{PROFILE_SECURITY, SIGN_IN_PROVIDER, START};
use pages::return_path::with_next;
use pages::sessions::Visitor;

use super::failure::{CeremonyError, Failure};
use super::person::provider;
use crate::state::AccountState;

impl Failure {
    /// Returns the status of the page, and the message with the reason.
    fn explain(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Expired => (StatusCode::BAD_REQUEST, "provider-failed-expired"),
            Self::Denied => (StatusCode::FORBIDDEN, "provider-failed-denied"),
            Self::Refused => (StatusCode::BAD_GATEWAY, "provider-failed-refused"),
            Self::Unavailable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "provider-failed-unavailable",
            ),
            Self::OtherIssuer { .. } => (
                StatusCode::SERVICE_UNAVAILABLE,
                "provider-failed-other-issuer",
            ),
            Self::NotAllowed => (StatusCode::FORBIDDEN, "provider-failed-not-allowed"),
            Self::NoAccount => (StatusCode::FORBIDDEN, "provider-failed-no-account"),
            Self::Taken => (StatusCode::CONFLICT, "provider-failed-taken"),
            Self::OtherPerson => (StatusCode::FORBIDDEN, "provider-failed-other-person"),
            Self::Connected => (StatusCode::CONFLICT, "provider-failed-connected"),
            Self::NotAgain => (StatusCode::FORBIDDEN, "provider-failed-not-again"),
            Self::NoTime => (StatusCode::FORBIDDEN, "provider-failed-no-time"),
        }
    }
}

/// Returns the page. Its links lead to other ways to sign in, or a signed-in user back to the profile. The visitor has
/// to choose a link to get to the provider again, so a failure cannot repeat forever.
pub(super) fn show_failure(
    state: &AccountState,
    visitor: &Visitor,
    owner: Option<&SignedInUser>,
    next: Option<&str>,
    failure: &Failure,
) -> PageResult {
    let provider = &provider(state)?.settings.name;
    let l10n = &visitor.localizer(owner);
    let (status, reason) = failure.explain();
    let title = l10n.format(
        "provider-failed-title",
        [("provider", provider.as_str().into())],
    );
    let (expected, found) = match failure {
        Failure::OtherIssuer { expected, found } => (expected.as_str(), found.as_str()),
        _ => ("", ""),
    };
    let values = [
        ("provider", provider.as_str().into()),
        ("expected", expected.into()),
        ("found", found.into()),
    ];
    let body = html! {
        p { (l10n.format(reason, values)) }
        ul.links {
            @if owner.is_some() {
                li { a.row href=(PROFILE_SECURITY) { (l10n.text("provider-back-to-profile")) } }
            } @else {
                li {
                    a.row href=(with_next(SIGN_IN_PROVIDER, next)) { (l10n.text("provider-try-again")) }
                }
                @if state.accounts.has_passwords {
                    li { a.row href=(local_page(next)) { (l10n.text("provider-other-way")) } }
                }
                li { a.row href=(START) { (l10n.text("provider-start")) } }
            }
        }
    };
    let page = Page {
        visitor: owner.map(SignedInUser::username),
        ..Page::new(l10n, &title, door(l10n, &body))
    };
    Ok(page.respond(status))
}

/// Returns the response to a step of a ceremony: the given response, or the page that explains why the step failed.
pub(super) fn respond(
    state: &AccountState,
    visitor: &Visitor,
    owner: Option<&SignedInUser>,
    next: Option<&str>,
    result: Result<Response, CeremonyError>,
) -> PageResult {
    match result {
        Ok(response) => Ok(response),
        Err(CeremonyError::Failed(failure)) => show_failure(state, visitor, owner, next, &failure),
        Err(CeremonyError::Page(error)) => Err(error),
    }
}
