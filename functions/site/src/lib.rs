//! The web pages, the OpenAPI document, and, on API Gateway, the 404 for every path that has no route.

mod answer;
mod assets;
mod developer;
mod form;
mod openapi;
mod password;
mod profile;
mod reference;
mod return_path;
mod sign_in;
mod sign_up;
mod start;
mod text;
mod verify_email;

use std::sync::Arc;

use shared::accounts::links::{RESET_PASSWORD, VERIFY_EMAIL};
use shared::accounts::{Accounts, Links, RESET_FLOOR};
use shared::auth::{Passwords, Sessions, Visitor};
use shared::error::ApiError;
use shared::lambda::{Environment, warm_accounts};
use shared::linking::Linking;
use shared::oauth::Applications;
use shared::routing::ApiRouter;
use shared::store::SnapshotStore;
use utoipa::OpenApi;

/// What the pages work with.
#[derive(Debug)]
pub struct State {
    /// The accounts.
    pub accounts: Arc<Accounts>,
    /// Links that go by mail.
    pub links: Links,
    /// Links accounts at trackers.
    pub linking: Linking,
    /// Who is signed in.
    pub sessions: Sessions,
    /// OAuth clients, and what users have connected.
    pub applications: Applications,
    /// Says how many anime there are.
    pub anime: SnapshotStore,
    /// Says how many songs there are.
    pub songs: SnapshotStore,
}

impl State {
    /// Made out of what Lambda's environment says.
    ///
    /// # Errors
    /// When the environment is short of something.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let passwords = Passwords::new(environment.random.clone());
        let accounts = environment.accounts(environment.tokens()?, passwords);
        let links = Links::new(Arc::clone(&accounts), environment.mailer()?, RESET_FLOOR);
        let trackers = environment.trackers()?;
        let linking = environment.linking(Arc::new(trackers), environment.sealer()?);
        Ok(Self::over(environment, accounts, links, linking))
    }

    /// Made with these accounts, links and trackers.
    #[must_use]
    pub fn over(
        environment: &Environment,
        accounts: Arc<Accounts>,
        links: Links,
        linking: Linking,
    ) -> Arc<Self> {
        let counts =
            |kind| SnapshotStore::new(environment.client.clone(), &environment.tables, kind);
        Arc::new(Self {
            sessions: environment.sessions(),
            applications: environment.applications(),
            accounts,
            links,
            linking,
            anime: counts("anime"),
            songs: counts("song"),
        })
    }

    /// The service's address, as its users see it, without a slash at its end.
    fn public_url(&self) -> &str {
        self.accounts.tokens.public_url()
    }

    /// The name of who is signed in, for a page that everybody may see: it comes even when that cannot
    /// be found out.
    async fn name_of(&self, visitor: &Visitor) -> Option<String> {
        match self.sessions.find(visitor).await {
            Ok(signed_in) => signed_in.map(|signed_in| signed_in.account.user.username),
            Err(error) => {
                tracing::warn!(?error, "a page does not know who sees it");
                None
            }
        }
    }
}

/// Opens the connections that the first request needs.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(state: Arc<State>) -> Result<(), ApiError> {
    warm_accounts(&state.accounts).await
}

/// The pages, and the OpenAPI document.
pub fn router(state: Arc<State>) -> ApiRouter {
    ApiRouter::new()
        .get("/", start::page)
        .get("/reference", reference::page)
        .get(openapi::PATH, openapi::openapi)
        .get("/style.css", assets::style)
        .get("/site.js", assets::script)
        .get("/icon.svg", assets::icon)
        .get(sign_up::PATH, sign_up::page)
        .post(sign_up::PATH, sign_up::sign_up)
        .get(sign_in::PATH, sign_in::page)
        .post(sign_in::PATH, sign_in::sign_in)
        .post("/sign-out", sign_in::sign_out)
        .get(VERIFY_EMAIL, verify_email::page)
        .post(VERIFY_EMAIL, verify_email::verify)
        .get(password::FORGOT, password::forgot_page)
        .post(password::FORGOT, password::forgot)
        .get(RESET_PASSWORD, password::reset_page)
        .post(RESET_PASSWORD, password::reset)
        .get(profile::PATH, profile::page)
        .post("/profile/verification", profile::send_verification)
        .post("/profile/token", profile::make_token)
        .post("/profile/settings", profile::save_settings)
        .post("/profile/password", profile::change_password)
        .get(
            "/profile/trackers/{tracker}/connect",
            profile::trackers::connect,
        )
        .get(
            "/profile/trackers/{tracker}/callback",
            profile::trackers::callback,
        )
        .post(
            "/profile/trackers/{tracker}/disconnect",
            profile::trackers::disconnect,
        )
        .post("/profile/disconnect", profile::disconnect)
        .post("/profile/sign-out-everywhere", profile::sign_out_everywhere)
        .get("/profile/delete", profile::delete_page)
        .post("/profile/delete", profile::delete)
        .get(developer::PATH, developer::page)
        .post(developer::PATH, developer::create)
        .get("/developer/{client_id}", developer::client_page)
        .post("/developer/{client_id}", developer::save)
        .post("/developer/{client_id}/secret", developer::rotate_secret)
        .get("/developer/{client_id}/delete", developer::delete_page)
        .post("/developer/{client_id}/delete", developer::delete)
        .with_state(state)
}

/// What the reference says of the endpoints. Pages are none.
#[derive(Debug, OpenApi)]
#[openapi(paths(openapi::openapi))]
pub struct Reference;
