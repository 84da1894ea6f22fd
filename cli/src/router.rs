//! The endpoints of all functions, merged for a process that serves all of them.

use runtime::Environment;
use shared::http::routing::ApiRouter;
use shared::models::Song;

/// Builds the router of the whole service.
///
/// # Errors
/// A setting is missing or invalid.
pub fn router(environment: &Environment) -> anyhow::Result<ApiRouter> {
    build(environment).map_err(anyhow::Error::from_boxed)
}

fn build(environment: &Environment) -> Result<ApiRouter, Box<dyn std::error::Error + Send + Sync>> {
    Ok(site::router(site::SiteState::new(environment)?)
        .merge(anime::router(anime::AnimeState::new(environment)?))
        .merge(song::router(environment.catalogue::<Song>()?))
        .merge(auth::router(auth::AuthState::new(environment)?))
        .merge(oauth::router(oauth::OAuthState::new(environment)?))
        .merge(playback::router(playback::PlaybackState::new(environment)?))
        .merge(user::router(user::UserState::new(environment)?))
        .merge(user_story::router(user_story::UserStoryState::new(
            environment,
        )?)))
}
