//! The page for administrators: the state of the service, and invitations.

mod view;

use std::sync::Arc;

use accounts::links::invitation_link;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SignedInForm};
use pages::paths::ADMINISTRATION;
use pages::response::{confirmation_message, see_notice};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::Action;
use shared::input::Fields;

use self::view::{AdministrationView, InvitationOutcome, show};
use crate::moderation::guard::check_access;
use crate::state::AdministrationState;

/// The number of days for which an invitation can be valid.
const DAYS: std::ops::RangeInclusive<u64> = 1..=90;

const DAY_S: u64 = 24 * 60 * 60;

/// `GET /administration`
pub(crate) async fn page(
    State(state): State<Arc<AdministrationState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let user = state
        .sessions
        .require_user(&visitor, ADMINISTRATION)
        .await?;
    check_access(&user, Action::Administer)?;
    let done = confirmation_message(&uri, &[("revoked", "administration-revoked")]);
    let outcome = InvitationOutcome::Done(done);
    show(&state, &AdministrationView::new(&visitor, &user, outcome)).await
}

/// `POST /administration/invite`: returns the page with the link of a new invitation, which is shown only once.
pub(crate) async fn invite(
    State(state): State<Arc<AdministrationState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let access = check_access(&posted.owner, Action::Administer)?;
    let made = async {
        let days = read_days(posted.form.fields())?;
        let now = state.clock.now_s();
        let code = state.invitations.invite(Some(&access), days * DAY_S, now);
        Ok::<_, Error>((code.await?, now + days * DAY_S))
    };
    let outcome = match made.await {
        Ok((code, expires_at)) => {
            let link = invitation_link(state.sessions.public_url(), &code);
            InvitationOutcome::Made { link, expires_at }
        }
        Err(error) => InvitationOutcome::Refused(FormErrors::of(error)?, &posted.form),
    };
    let view = AdministrationView::new(&posted.visitor, &posted.owner, outcome);
    show(&state, &view).await
}

/// `POST /administration/revoke`
pub(crate) async fn revoke(
    State(state): State<Arc<AdministrationState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let access = check_access(&posted.owner, Action::Administer)?;
    let digest = posted.form.value("invitation");
    match state.invitations.revoke(&access, digest).await {
        // An invitation that does not exist was revoked or used before, or has expired.
        Ok(()) | Err(Error::NotFound(_)) => {
            see_notice(&state.sessions, &format!("{ADMINISTRATION}?done=revoked"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads the number of days for which an invitation is valid.
fn read_days(mut fields: Fields) -> Result<u64, Error> {
    let days = fields.read_with("days", |text| {
        let days = text.trim().parse().ok().filter(|days| DAYS.contains(days));
        days.ok_or("must be a whole number from 1 to 90")
    });
    fields.finish(days)
}
