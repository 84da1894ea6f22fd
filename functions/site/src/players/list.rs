//! The page `/profile/players`: the players, the series whose anime is not known, and the user's choices.

use std::sync::Arc;

use accounts::SecurityEvent;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use futures_util::future::try_join_all;
use futures_util::try_join;
use pages::error::PageError;
use pages::form::{FormErrors, SignedInForm};
use pages::paths::PLAYERS;
use pages::response::{confirmation_message, respond_with_forms, see_notice};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::Action;
use shared::input::{Form, Params};
use shared::models::{PlayerContent, PlayerKind};
use store::MAX_KEPT_EPISODES;

use super::list_view::{CHOICES_PER_PAGE, PlayersView, SHOWN_UNMATCHED};
use super::{EPISODES, KnownAnime, read_player_name, read_plays};
use crate::profile::Part;
use crate::state::PlayersState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 5] = [
    ("applied", "players-done-applied"),
    ("chosen", "players-done-chosen"),
    ("not-an-anime", "players-done-not-an-anime"),
    ("taken-back", "players-done-taken-back"),
    ("removed", "players-done-removed"),
];

/// `GET /profile/players`
pub(crate) async fn page(
    State(state): State<Arc<PlayersState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let owner = state.sessions.require_user(&visitor, PLAYERS).await?;
    let posted = SignedInForm::unsent(visitor, owner);
    show(&state, &posted, &uri, None).await
}

/// `POST /profile/players`: adds a player, and leads to its page.
pub(crate) async fn add(
    State(state): State<Arc<PlayersState>>,
    uri: Uri,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let added = async {
        let (name, kind, plays) = read_new_player(&posted.form)?;
        let access = posted.owner.access(Action::ManageTokens);
        let account = &posted.owner.account;
        let id = state
            .addresses
            .add(&access, account, name.clone(), kind, plays);
        let id = id.await?;
        let event = SecurityEvent::PlayerAdded(&name);
        state.mail_links.notify(account, event).await;
        Ok(id)
    };
    match added.await {
        Ok(id) => see_notice(&state.sessions, &format!("{PLAYERS}/{id}?done=added")),
        Err(error) => {
            let errors = FormErrors::of(error)?;
            show(&state, &posted, &uri, Some(&errors)).await
        }
    }
}

fn read_new_player(form: &Form) -> Result<(String, PlayerKind, PlayerContent), Error> {
    let mut fields = form.fields();
    let name = read_player_name(&mut fields, form.value("name"));
    let kind = fields.read_with("kind", |kind| {
        PlayerKind::parse(kind).ok_or("must be one of the listed options")
    });
    let plays = read_plays(&mut fields).unwrap_or_default();
    let (name, kind) = fields.finish(name.zip(kind))?;
    Ok((name, kind, plays))
}

/// Returns the page. `request` has the values of the form for a new player, which are empty before it was sent.
async fn show(
    state: &PlayersState,
    request: &SignedInForm,
    uri: &Uri,
    errors: Option<&FormErrors>,
) -> Result<Response, PageError> {
    let SignedInForm {
        visitor,
        owner,
        form,
    } = request;
    let (user, store) = (owner.account.user.id, &state.receiver.players);
    let (players, unmatched, mut choices) =
        try_join!(store.list(user), store.unmatched(user), store.choices(user))?;
    // The others are probably no anime.
    let (questions, others): (Vec<_>, Vec<_>) =
        unmatched.into_iter().partition(|series| series.is_question);
    let latest = try_join_all(players.iter().map(|player| store.latest_report(player))).await?;
    choices.sort_by(|one, other| (&one.title, &one.season).cmp(&(&other.title, &other.season)));
    let mut params = Params::parse(uri.query().unwrap_or_default());
    // Only several episodes have their number in the address.
    let episodes = params.token(EPISODES).and_then(|count| count.parse().ok());
    let episodes: usize = episodes.unwrap_or(1).clamp(1, MAX_KEPT_EPISODES);
    let pages = choices.len().div_ceil(CHOICES_PER_PAGE).max(1);
    let page = params.token("page").and_then(|page| page.parse().ok());
    let page = page.unwrap_or(1).clamp(1, pages);
    let shown = choices.iter().skip((page - 1) * CHOICES_PER_PAGE);
    let shown: Vec<_> = shown.take(CHOICES_PER_PAGE).collect();
    let guessed = questions.iter().take(SHOWN_UNMATCHED);
    let guessed = guessed.flat_map(|series| series.guesses.iter().map(|guess| guess.anime_id));
    let chosen = shown.iter().flat_map(|choice| &choice.parts);
    let ids = guessed.chain(chosen.map(|part| part.anime_id)).collect();
    let anime = KnownAnime::read(&state.receiver.catalogue, ids).await?;
    let l10n = visitor.localizer(Some(owner));
    let csrf = state.sessions.csrf(visitor);
    let view = PlayersView {
        l10n: &l10n,
        csrf: &csrf.token,
        done: confirmation_message(uri, &DONE).map(|message| (message, episodes)),
        players: players.iter().zip(&latest).collect(),
        questions: &questions,
        others: &others,
        choices: &shown,
        page: (page, pages),
        anime: &anime,
        has_proof: owner.has_fresh_proof(state.receiver.clock.now_s()),
        form,
        errors,
    };
    let title = l10n.text("players-title");
    let page = Part::Connections.sub_page(&l10n, &title, owner, &view.body());
    Ok(respond_with_forms(page, csrf, errors))
}
