//! The picture of the user: its upload and its removal.

use std::sync::Arc;

use accounts::users::Picture;
use axum::extract::State;
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::paths::PROFILE;
use pages::upload::{Upload, UploadFields};
use shared::auth::Action;
use shared::{Error, Result};

use super::account_view::{FILE, show};
use crate::state::AccountState;

/// The reason for refusing a file.
const UNFIT: &str =
    "must be a PNG, JPEG, WebP or GIF image of at most 200 KB and 1024 pixels on each side";

/// `POST /profile/picture`
pub(crate) async fn upload(State(state): State<Arc<AccountState>>, upload: Upload) -> PageResult {
    let Upload { page, fields } = upload;
    let save = async {
        let picture = read(&fields)?;
        let access = page.owner.access(Action::UpdateUser);
        state.accounts.users.set_picture(&access, &picture).await
    };
    match Box::pin(save).await {
        Ok(_) => page.redirect_with(PROFILE, "picture"),
        Err(error) => Ok(show(&page.with_errors(error)?)),
    }
}

/// `POST /profile/picture/remove`
pub(crate) async fn remove(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let access = page.owner.access(Action::UpdateUser);
    Box::pin(state.accounts.users.remove_picture(&access)).await?;
    page.redirect_with(PROFILE, "picture-removed")
}

fn read(fields: &UploadFields) -> Result<Picture> {
    if !fields.has(FILE) {
        return Err(Error::invalid(FILE, "is required"));
    }
    // A file above the limit of all forms is too large for a picture, too.
    let file = fields.file(FILE).ok();
    let picture = file.and_then(|file| Picture::read(&file));
    picture.ok_or_else(|| Error::invalid(FILE, UNFIT))
}
