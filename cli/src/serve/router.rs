//! The endpoints of all functions, merged for a process that serves all of them.

use runtime::Environment;
use shared::http::routing::ApiRouter;
use shared::models::Song;

type BuildError = Box<dyn std::error::Error + Send + Sync>;

/// Builds the router of a function. A setting can be missing or invalid.
pub type BuildRouter = fn(&Environment) -> Result<ApiRouter, BuildError>;

/// The functions that serve HTTP, by the names of their binaries.
pub const FUNCTIONS: [(&str, BuildRouter); 11] = [
    ("catalogue_pages", |environment| {
        let state = catalogue_pages::CataloguePagesState::new(environment)?;
        Ok(catalogue_pages::router(state))
    }),
    ("list_pages", |environment| {
        let state = list_pages::ListPagesState::new(environment)?;
        Ok(list_pages::router(state))
    }),
    ("account_pages", |environment| {
        let state = account_pages::AccountPagesState::new(environment)?;
        Ok(account_pages::router(state))
    }),
    ("correction_pages", |environment| {
        let state = correction_pages::CorrectionPagesState::new(environment)?;
        Ok(correction_pages::router(state))
    }),
    ("anime", |environment| {
        Ok(anime::router(anime::AnimeState::new(environment)?))
    }),
    ("song", |environment| {
        Ok(song::router(environment.catalogue::<Song>()?))
    }),
    ("auth", |environment| {
        Ok(auth::router(auth::AuthState::new(environment)?))
    }),
    ("oauth", |environment| {
        Ok(oauth::router(oauth::OAuthState::new(environment)?))
    }),
    ("playback", |environment| {
        Ok(playback::router(playback::PlaybackState::new(environment)?))
    }),
    ("user", |environment| {
        Ok(user::router(user::UserState::new(environment)?))
    }),
    ("user_story", |environment| {
        let state = user_story::UserStoryState::new(environment)?;
        Ok(user_story::router(state))
    }),
];

/// Builds the router of the whole service.
///
/// # Errors
/// A setting is missing or invalid.
pub fn router(environment: &Environment) -> anyhow::Result<ApiRouter> {
    let mut merged = ApiRouter::new();
    for (_, build) in FUNCTIONS {
        merged = merged.merge(build(environment).map_err(anyhow::Error::from_boxed)?);
    }
    Ok(merged)
}
