//! The part of the profile about connections: trackers, players and connected applications.

use std::sync::Arc;

use accounts::applications::is_client_id;
use axum::extract::State;
use axum::http::Uri;
use futures_util::try_join;
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::paths::PROFILE_CONNECTIONS;
use pages::profile_part::ProfilePart;
use pages::sessions::Visitor;
use shared::auth::Action;
use shared::{Error, Missing};

use super::connections_view::ConnectionsView;
use super::trackers;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 5] = [
    ("linked-a", "profile-done-linked-a"),
    ("linked-b", "profile-done-linked-b"),
    ("unlinked-a", "profile-done-unlinked-a"),
    ("unlinked-b", "profile-done-unlinked-b"),
    ("disconnected", "profile-done-disconnected"),
];

/// `GET /profile/connections`. If there are connected applications, their names need a second round of reads.
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let read = async |user| {
        try_join!(
            state.linking.links.list(user),
            state.applications.list_connected(user)
        )
    };
    let sessions = &state.sessions;
    let (owner, (links, connected)) = sessions
        .require_user_and(&visitor, PROFILE_CONNECTIONS, read)
        .await?;
    let not_linked = trackers::failure_message(&uri);
    let page = FormPage::new(sessions, visitor, owner, uri).with_confirmation(&DONE);
    let view = ConnectionsView {
        forms: &page.forms,
        not_linked,
        links: &links,
        trackers: &state.linking.trackers,
        connected: &connected,
    };
    let title = page.forms.l10n.text(ProfilePart::Connections.message());
    Ok(page.respond(ProfilePart::Connections.page(&page, &title, &view.body())))
}

/// `POST /profile/connections/disconnect`
pub(crate) async fn disconnect(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    let client_id = page.forms.sent.value("client_id");
    if !is_client_id(client_id) {
        return Err(Error::NotFound(Missing::Application).into());
    }
    let access = page.owner.access(Action::Connect);
    match state.accounts.users.disconnect(&access, client_id).await {
        // An application that is not connected is not an error: the button may have been pressed twice, or in two tabs.
        Ok(()) | Err(Error::NotFound(_)) => page.redirect_with(PROFILE_CONNECTIONS, "disconnected"),
        Err(error) => Err(error.into()),
    }
}
