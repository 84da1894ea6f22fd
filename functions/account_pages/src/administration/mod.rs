//! The page for administrators: the state of the service, and invitations.

mod view;

use std::sync::Arc;

use accounts::mail::invitation_link;
use axum::extract::State;
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::guard::check_access;
use pages::paths::ADMINISTRATION;
use shared::auth::Action;
use shared::input::Fields;
use shared::{Error, Result};

use self::view::show;
use crate::state::AccountState;

/// The number of days for which an invitation can be valid.
const DAYS: std::ops::RangeInclusive<u64> = 1..=90;

const DAY_S: u64 = 24 * 60 * 60;

/// `GET /administration`
pub(crate) async fn page(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    check_access(&page.owner, Action::Administer)?;
    let page = page.with_confirmation(&[("revoked", "administration-revoked")]);
    show(&state, &page, None).await
}

/// `POST /administration/invite`: returns the page with the link of a new invitation, which is shown only once.
pub(crate) async fn invite(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let access = check_access(&page.owner, Action::Administer)?;
    let create = async {
        let days = read_days(page.forms.sent.fields())?;
        let (invitations, now) = (&state.accounts.invitations, state.accounts.clock.now_s());
        let code = invitations.invite(Some(&access), days * DAY_S, now);
        Ok::<_, Error>((code.await?, now + days * DAY_S))
    };
    match create.await {
        Ok((code, expires_at)) => {
            let link = invitation_link(state.sessions.public_url(), &code);
            show(&state, &page, Some((&link, expires_at))).await
        }
        Err(error) => show(&state, &page.with_errors(error)?, None).await,
    }
}

/// `POST /administration/revoke`
pub(crate) async fn revoke(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let access = check_access(&page.owner, Action::Administer)?;
    let digest = page.forms.sent.value("invitation");
    match state.accounts.invitations.revoke(&access, digest).await {
        // An invitation that does not exist was revoked or used before, or has expired.
        Ok(()) | Err(Error::NotFound(_)) => page.redirect_with(ADMINISTRATION, "revoked"),
        Err(error) => Err(error.into()),
    }
}

/// Reads the number of days for which an invitation is valid.
fn read_days(mut fields: Fields) -> Result<u64> {
    let days = fields.read_with("days", |text| {
        let days = text.trim().parse().ok().filter(|days| DAYS.contains(days));
        days.ok_or("must be a whole number from 1 to 90")
    });
    fields.finish(days)
}
