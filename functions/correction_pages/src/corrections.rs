//! The pages on which the fields of an anime or a song are corrected (docs/data-model.md, "Corrections").

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use catalogue::corrections::{CorrectedFields, NewCorrection};
use futures_util::join;
use pages::error::{PageError, PageResult};
use pages::form_page::FormPage;
use pages::guard::check_access;
use pages::sessions::Visitor;
use shared::auth::Action;
use shared::http::ApiError;
use shared::http::response::PathId;
use shared::models::UserId;
use shared::{Error, Result};

use crate::correction_view::ModeratorNames;
use crate::field_view::{self, FieldView, RefusedCorrection};
use crate::row_view::{self, RowView};
use crate::state::CorrectionState;
use crate::subject::CorrectionSubject;

type Id = Result<PathId, ApiError>;

/// `GET /moderation/anime/{id}`, `GET /moderation/song/{id}`
pub(crate) async fn page<R: CorrectionSubject>(
    State(state): State<Arc<CorrectionState>>,
    visitor: Visitor,
    uri: Uri,
    id: Id,
) -> PageResult {
    let id = read_id::<R>(id)?;
    let (songs, page) = join!(
        R::read_songs(&state, id),
        Box::pin(read_row::<R>(&state, visitor, uri, id))
    );
    let (page, row) = page?;
    let page = page.with_confirmation(&[
        ("corrected", "correct-done"),
        ("taken-back", "correct-taken-back"),
    ]);
    let corrections = row.notes.corrections().values();
    let moderators = corrections.map(|correction| correction.by).collect();
    let names = read_names(&state, moderators).await?;
    Ok(row_view::page(&page, &RowView { row, names }, &songs?))
}

/// `GET /moderation/anime/{id}/correct`, `GET /moderation/song/{id}/correct`
pub(crate) async fn form<R: CorrectionSubject>(
    State(state): State<Arc<CorrectionState>>,
    visitor: Visitor,
    uri: Uri,
    id: Id,
) -> PageResult {
    let row = read_row::<R>(&state, visitor, uri, read_id::<R>(id)?);
    let (page, row) = Box::pin(row).await?;
    show(&state, &page, &row, &field_name_of(&page), None).await
}

/// `POST /moderation/anime/{id}/correct`, `POST /moderation/song/{id}/correct`
pub(crate) async fn correct<R: CorrectionSubject>(
    State(state): State<Arc<CorrectionState>>,
    id: Id,
    page: FormPage,
) -> PageResult {
    let access = check_access(&page.owner, Action::CorrectCatalogue)?;
    let (id, field) = (read_id::<R>(id)?, field_name_of(&page));
    let new = NewCorrection {
        field: &field,
        seen: page.forms.sent.value("seen"),
        text: page.forms.sent.value("value"),
        note: page.forms.sent.value("note"),
    };
    let Err(error) = R::desk(&state).correct(&access, id, new).await else {
        return page.redirect_with(&R::path(id), "corrected");
    };
    let refused = RefusedCorrection {
        reason: &error.into_refusal()?,
        value: Some(new.text),
        note: new.note,
    };
    show_refusal::<R>(&state, &page, id, &field, &refused).await
}

/// `POST /moderation/anime/{id}/take-back`, `POST /moderation/song/{id}/take-back`
pub(crate) async fn take_back<R: CorrectionSubject>(
    State(state): State<Arc<CorrectionState>>,
    id: Id,
    page: FormPage,
) -> PageResult {
    let access = check_access(&page.owner, Action::CorrectCatalogue)?;
    let (id, field) = (read_id::<R>(id)?, field_name_of(&page));
    let seen = page.forms.sent.value("seen");
    let taken = R::desk(&state).take_back(&access, id, &field, seen).await;
    let Err(error) = taken else {
        return page.redirect_with(&R::path(id), "taken-back");
    };
    let refused = RefusedCorrection {
        reason: &error.into_refusal()?,
        value: None,
        note: "",
    };
    show_refusal::<R>(&state, &page, id, &field, &refused).await
}

fn read_id<R: CorrectionSubject>(id: Id) -> Result<u64> {
    id.map(|PathId(id)| id)
        .map_err(|_| Error::NotFound(R::MISSING))
}

/// Reads the visitor and a row at the same time. If both fail, the error of the visitor's check is returned, so that
/// a visitor who may not see the row does not learn whether it exists.
async fn read_row<R: CorrectionSubject>(
    state: &CorrectionState,
    visitor: Visitor,
    uri: Uri,
    id: u64,
) -> Result<(FormPage, catalogue::rows::CatalogueRow<R>), PageError> {
    let path = R::path(id);
    let user = state.sessions.require_user(&visitor, &path);
    let (user, stored) = join!(user, R::desk(state).find(id));
    let user = user?;
    check_access(&user, Action::CorrectCatalogue)?;
    let page = FormPage::new(&state.sessions, visitor, user, uri);
    Ok((page, stored?.row))
}

/// Returns the names of these users. Deleted users are left out.
async fn read_names(state: &CorrectionState, mut ids: Vec<UserId>) -> Result<ModeratorNames> {
    ids.sort_unstable();
    ids.dedup();
    let accounts = state.users.accounts(&ids).await?;
    let name = |(id, account): (UserId, accounts::users::Account)| (id, account.user.username);
    Ok(accounts.into_iter().map(name).collect())
}

/// Shows the form of a field. Reads the name of the moderator who has corrected the field, if there is one.
async fn show<R: CorrectionSubject>(
    state: &CorrectionState,
    page: &FormPage,
    row: &catalogue::rows::CatalogueRow<R>,
    name: &str,
    refused: Option<&RefusedCorrection<'_>>,
) -> PageResult {
    let correction = row.notes.corrections().get(name);
    let moderators = correction.map(|correction| correction.by);
    let view = FieldView {
        row,
        name,
        names: read_names(state, moderators.into_iter().collect()).await?,
        refused,
    };
    Ok(field_view::page(page, &view)?)
}

/// Shows the form of a field again, with the reason why the change is refused.
async fn show_refusal<R: CorrectionSubject>(
    state: &CorrectionState,
    page: &FormPage,
    id: u64,
    field: &str,
    refused: &RefusedCorrection<'_>,
) -> PageResult {
    let row = R::desk(state).find(id).await?.row;
    show(state, page, &row, field, Some(refused)).await
}

/// Returns the name of a field: the parameter `field`. If there is a parameter `language`, a period and this
/// localization code follow, as in `titles.en`. Only the form for a text in another language sends `language`.
fn field_name_of(page: &FormPage) -> String {
    let mut params = page.forms.params();
    let field = params.token("field").unwrap_or_default();
    match params.token("language") {
        Some(language) => format!("{field}.{}", language.trim().to_ascii_lowercase()),
        None => field,
    }
}
