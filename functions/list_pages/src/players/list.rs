//! The page `/profile/players`: the players, the series whose anime is not known, and the user's choices.

use std::sync::Arc;

use accounts::mail::SecurityEvent;
use axum::extract::State;
use futures_util::future::try_join_all;
use futures_util::try_join;
use pages::error::PageResult;
use pages::form::NOT_LISTED;
use pages::form_page::FormPage;
use pages::paths::PLAYERS;
use pages::profile_part::ProfilePart;
use shared::Result;
use shared::auth::Action;
use shared::input::Form;
use shared::models::{PlayerContent, PlayerKind};
use stories::players::MAX_KEPT_EPISODES;

use super::list_view::{CHOICES_PER_PAGE, PlayersView, SHOWN_UNMATCHED};
use super::{AnimeById, EPISODES, read_player_name, read_plays};
use crate::state::ListState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 5] = [
    ("applied", "players-done-applied"),
    ("chosen", "players-done-chosen"),
    ("not-an-anime", "players-done-not-an-anime"),
    ("taken-back", "players-done-taken-back"),
    ("removed", "players-done-removed"),
];

/// `GET /profile/players`
pub(crate) async fn page(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    show(&state, &page.with_confirmation(&DONE)).await
}

/// `POST /profile/players`: adds a player, and leads to its page.
pub(crate) async fn add(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let add = async {
        let (name, kind, plays) = read_new_player(&page.forms.sent)?;
        let access = page.owner.access(Action::ManageTokens);
        let account = &page.owner.account;
        let id = state
            .addresses
            .add(&access, account, name.clone(), kind, plays);
        let id = id.await?;
        let event = SecurityEvent::PlayerAdded(&name);
        state.account_service.notify(account, event).await;
        Ok(id)
    };
    match add.await {
        Ok(id) => page.redirect_with(&format!("{PLAYERS}/{id}"), "added"),
        Err(error) => show(&state, &page.with_errors(error)?).await,
    }
}

fn read_new_player(form: &Form) -> Result<(String, PlayerKind, PlayerContent)> {
    let mut fields = form.fields();
    let name = read_player_name(&mut fields, form.value("name"));
    let kind = fields.read_with("kind", |kind| PlayerKind::from_name(kind).ok_or(NOT_LISTED));
    let plays = read_plays(&mut fields).unwrap_or_default();
    let (name, kind) = fields.finish(name.zip(kind))?;
    Ok((name, kind, plays))
}

async fn show(state: &ListState, page: &FormPage) -> PageResult {
    let (user, store) = (page.owner.account.user.id, &state.players);
    let (players, unmatched, mut choices) =
        try_join!(store.list(user), store.unmatched(user), store.choices(user))?;
    // The other series are probably not anime.
    let (questions, others): (Vec<_>, Vec<_>) =
        unmatched.into_iter().partition(|series| series.is_question);
    let latest = try_join_all(players.iter().map(|player| store.latest_report(player))).await?;
    choices.sort_by(|one, other| one.series.cmp(&other.series));
    let mut params = page.forms.params();
    // The address has the number of episodes only if there are several.
    let episodes = params.token(EPISODES).and_then(|count| count.parse().ok());
    let episodes: usize = episodes.unwrap_or(1).clamp(1, MAX_KEPT_EPISODES);
    let pages = choices.len().div_ceil(CHOICES_PER_PAGE).max(1);
    let number = params.token("page").and_then(|number| number.parse().ok());
    let number = number.unwrap_or(1).clamp(1, pages);
    let shown = choices.iter().skip((number - 1) * CHOICES_PER_PAGE);
    let shown: Vec<_> = shown.take(CHOICES_PER_PAGE).collect();
    let guessed = questions.iter().take(SHOWN_UNMATCHED);
    let guessed = guessed.flat_map(|series| series.guesses.iter().map(|guess| guess.anime_id));
    let chosen = shown.iter().flat_map(|choice| &choice.parts);
    let ids = guessed.chain(chosen.map(|part| part.anime_id)).collect();
    let anime = AnimeById::read(&state.catalogue, ids).await?;
    let view = PlayersView {
        forms: &page.forms,
        episodes,
        players: players.iter().zip(&latest).collect(),
        questions: &questions,
        others: &others,
        choices: &shown,
        page: (number, pages),
        anime: &anime,
        has_proof: page.has_fresh_proof(),
    };
    let title = page.forms.l10n.text("players-title");
    Ok(page.respond(ProfilePart::Connections.sub_page(page, &title, &view.body())))
}
