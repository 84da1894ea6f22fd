//! The page `/profile/players/{id}`: the address of a player, its instructions, messages and settings.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use futures_util::try_join;
use maud::{Markup, html};
use pages::error::{PageError, PageResult};
use pages::form_page::FormPage;
use pages::layout::Page;
use pages::paths::PLAYERS;
use pages::profile_part::ProfilePart;
use pages::response::see_notice;
use player_messages::MAX_CHARACTERS;
use shared::auth::Action;
use shared::input::Form;
use shared::models::UserId;
use shared::{Error, Missing, Result};
use stories::errors::NO_PLAYER;
use stories::players::{MAX_LIBRARIES, Player, PlayerChange, PlayerSettings, SeriesName};

use super::player_view::PlayerView;
use super::reports::REPORT;
use super::{AnimeById, read_player_name, read_plays, series_address};
use crate::state::ListState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 3] = [
    ("added", "players-done-added"),
    ("saved", "players-done-saved"),
    ("renewed", "players-done-renewed"),
];

/// The lowest and the highest part of a video after which it counts as watched, in percent.
const FINISHED_PERCENT: std::ops::RangeInclusive<u8> = 50..=100;

/// The time after which a browser without the script reloads the page while it waits for the first message.
const RELOADED_S: u8 = 10;

/// The path parameter `{id}`. A malformed identifier is rejected without reading the database.
pub(crate) struct PlayerId(u8);

impl<S: Send + Sync> FromRequestParts<S> for PlayerId {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let path = Path::<u8>::from_request_parts(parts, state).await.ok();
        path.map(|Path(id)| Self(id))
            .ok_or_else(|| NO_PLAYER.into())
    }
}

/// `GET /profile/players/{id}`
pub(crate) async fn page(
    State(state): State<Arc<ListState>>,
    PlayerId(id): PlayerId,
    page: FormPage,
) -> PageResult {
    let page = page.with_confirmation(&DONE);
    let player = find_player(&state, page.owner.account.user.id, id).await?;
    let is_edited = page.forms.params().token("edit").is_some();
    show(&state, &page, &player, is_edited).await
}

/// `POST /profile/players/{id}`: saves the settings. If they name a user of the server, the messages that were kept for
/// this user are applied.
pub(crate) async fn save(
    State(state): State<Arc<ListState>>,
    PlayerId(id): PlayerId,
    page: FormPage,
) -> PageResult {
    let user = page.owner.account.user.id;
    let save = async {
        let present = find_player(&state, user, id).await?;
        let settings = read_settings(&page.forms.sent, &present)?;
        let has_user = settings.server_user.is_some();
        let change = PlayerChange {
            secret: None,
            settings: Some(settings),
        };
        let access = page.owner.access(Action::ManageTokens);
        state.players.change(&access, id, &change).await?;
        if has_user {
            let player = find_player(&state, user, id).await?;
            Box::pin(state.receiver.receive_kept(&player)).await?;
        }
        Ok(())
    };
    match save.await {
        Ok(()) => page.redirect_with(&format!("{PLAYERS}/{id}"), "saved"),
        Err(error) => {
            let page = page.with_errors(error)?;
            let player = find_player(&state, user, id).await?;
            show(&state, &page, &player, true).await
        }
    }
}

/// `POST /profile/players/{id}/address`: gives the player a new address.
pub(crate) async fn renew(
    State(state): State<Arc<ListState>>,
    PlayerId(id): PlayerId,
    page: FormPage,
) -> PageResult {
    let access = page.owner.access(Action::ManageTokens);
    let account = &page.owner.account;
    state.addresses.renew(&access, account, id).await?;
    page.redirect_with(&format!("{PLAYERS}/{id}"), "renewed")
}

/// `POST /profile/players/{id}/wrong`: takes back the changes of a match that is wrong according to the user, and
/// redirects to the page on which the user chooses the anime.
pub(crate) async fn reject(
    State(state): State<Arc<ListState>>,
    PlayerId(id): PlayerId,
    page: FormPage,
) -> PageResult {
    let access = page.owner.access(Action::ManageTokens);
    let player = find_player(&state, page.owner.account.user.id, id).await?;
    let number = page.forms.sent.value(REPORT).parse().ok();
    let number = number.ok_or(Error::NotFound(Missing::Message))?;
    let rejected = Box::pin(state.receiver.reject(&access, &player, number)).await?;
    let SeriesName { title, season } = &rejected.series;
    let address = series_address(title, season, rejected.episode);
    let done = if rejected.is_undone {
        "rejected"
    } else {
        "kept"
    };
    see_notice(&state.sessions, &format!("{address}&done={done}"))
}

/// `POST /profile/players/{id}/remove`
pub(crate) async fn remove(
    State(state): State<Arc<ListState>>,
    PlayerId(id): PlayerId,
    page: FormPage,
) -> PageResult {
    let access = page.owner.access(Action::ManageTokens);
    state.players.remove(&access, id).await?;
    page.redirect_with(PLAYERS, "removed")
}

/// Returns a player of a user.
///
/// # Errors
/// [`Error::NotFound`] if the user has no such player.
async fn find_player(state: &ListState, user: UserId, id: u8) -> Result<Player> {
    let players = state.players.list(user).await?;
    let mut players = players.into_iter();
    players.find(|player| player.id() == id).ok_or(NO_PLAYER)
}

/// Reads the settings. A form without the field `plays` leaves this setting unchanged.
fn read_settings(form: &Form, present: &Player) -> Result<PlayerSettings> {
    let mut fields = form.fields();
    let name = read_player_name(&mut fields, form.value("name"));
    let server_user = form.value("server_user").trim();
    if server_user.chars().count() > MAX_CHARACTERS {
        fields.fail("server_user", "must have at most 1000 characters");
    } else if server_user.contains(char::is_control) {
        fields.fail("server_user", "must not contain invisible characters");
    }
    let percent = fields.read_with("finished_percent", |percent| {
        let percent = percent.trim().parse().ok();
        let percent = percent.filter(|percent| FINISHED_PERCENT.contains(percent));
        percent.ok_or("must be a whole number from 50 to 100")
    });
    let plays = read_plays(&mut fields).unwrap_or(present.settings.plays);
    let libraries = form.value("libraries").lines().map(str::trim);
    let libraries = libraries.filter(|library| !library.is_empty());
    let libraries: Vec<String> = libraries.map(str::to_owned).collect();
    if libraries.len() > MAX_LIBRARIES {
        fields.fail("libraries", "must have at most 20 lines");
    } else if libraries
        .iter()
        .any(|name| name.chars().count() > MAX_CHARACTERS)
    {
        fields.fail("libraries", "must have at most 1000 characters");
    } else if libraries.iter().any(|name| name.contains(char::is_control)) {
        fields.fail("libraries", "must not contain invisible characters");
    }
    let (name, finished_percent) = fields.finish(name.zip(percent))?;
    Ok(PlayerSettings {
        plays,
        libraries,
        takes_back: form.has("takes_back"),
        takes_ratings: form.has("takes_ratings"),
        only_listed: form.has("only_listed"),
        name,
        server_user: Some(server_user.to_owned()).filter(|user| !user.is_empty()),
        finished_percent,
        makes_private: form.has("makes_private"),
        starts_again: form.has("starts_again"),
    })
}

/// Returns the page of a player. `is_edited` is true if the settings are shown as a form while the page waits for the
/// first message. Such a page does not reload itself, because that would discard what the user types.
async fn show(state: &ListState, page: &FormPage, player: &Player, is_edited: bool) -> PageResult {
    let (reports, secret) = try_join!(
        state.players.reports(player),
        state.addresses.read_secret(&page.owner.account, player)
    )?;
    let ids = reports.iter().filter_map(|report| report.anime_id);
    let ids = ids.collect();
    let anime = AnimeById::read(&state.catalogue, ids).await?;
    let public_url = state.sessions.public_url();
    let is_waiting = player.report_count == 0 && !is_edited && secret.is_some();
    let view = PlayerView {
        forms: &page.forms,
        player,
        has_proof: page.has_fresh_proof(),
        address: secret.map(|secret| format!("{public_url}/v1/playback/{secret}")),
        reports: &reports,
        anime: &anime,
        is_waiting,
    };
    Ok(page.respond(Page {
        head: if is_waiting {
            let base_path = state.sessions.base_path();
            reload(&format!("{base_path}{PLAYERS}/{}", player.id()))
        } else {
            Markup::default()
        },
        ..ProfilePart::Connections.sub_page(page, &player.settings.name, &view.body())
    }))
}

/// Renders the element that makes a browser without the script reload the page.
fn reload(path: &str) -> Markup {
    html! { noscript { meta http-equiv="refresh" content={ (RELOADED_S) "; url=" (path) }; } }
}
