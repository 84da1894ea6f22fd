//! The page `/profile/players/series`, on which the user chooses the anime of a season of a series, or of a movie. The
//! buttons of `/profile/players` also send their answers to this address.

use std::sync::Arc;

use axum::extract::State;
use catalogue::index::{AnimeFilter, SearchQuery};
use catalogue::{Catalogue, parse_documents};
use maud::{Markup, html};
use pages::anime_card::AnimeRenderer;
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::{FormPage, PageForms};
use pages::language::Localizer;
use pages::layout::{Control, Field, YES};
use pages::paths::{PLAYERS, PLAYERS_SERIES};
use pages::profile_part::ProfilePart;
use player_messages::MAX_EPISODE;
use shared::auth::Action;
use shared::input::{Form, MAX_PATTERN, PageRequest, PageStart};
use shared::models::{Anime, AnimeId, UserId};
use shared::{Error, FieldErrors, Missing, Result};
use stories::lists::highest_episode;
use stories::players::{SeriesAnswer, SeriesName};

use super::{EPISODES, place};
use crate::state::ListState;
use crate::story::action::TOO_FAR;

/// The field with the number of the episode in the season.
pub(super) const IN_SEASON: &str = "in_season";

/// The button of a guess. Its value is the identifier of the anime, a colon and the number of the episode.
pub(super) const GUESS: &str = "guess";

/// The button for a series that is not an anime.
pub(super) const NOT_AN_ANIME: &str = "not_an_anime";

/// The button that takes a choice back.
pub(super) const TAKE_BACK: &str = "take_back";

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 2] = [
    ("rejected", "players-done-rejected"),
    ("kept", "players-done-kept"),
];

/// The number of anime that the search shows.
const MAX_FOUND: usize = 10;

/// The request for the page.
struct SeriesRequest {
    series: SeriesName,
    /// The number of the episode in the season, from 1.
    in_season: u32,
    /// The text of the search. The title of the series if the user has not searched for another text.
    search: String,
}

impl SeriesRequest {
    /// Reads the request from the texts of the query or of the form.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the wrong parameters.
    fn read(title: &str, season: &str, episode: &str, search: &str) -> Result<Self> {
        let mut errors = FieldErrors::new();
        if SeriesName::read(title, "none").is_none() {
            errors.insert("title", "must have 1 to 200 characters".to_owned());
        }
        if SeriesName::read("title", season).is_none() {
            let reason = "must be the number of a season, movie or none";
            errors.insert("season", reason.to_owned());
        }
        let in_season = read_episode(if episode.is_empty() { "1" } else { episode });
        if in_season.is_none() {
            errors.insert("episode", OUT_OF_RANGE.to_owned());
        }
        let read = SeriesName::read(title, season).zip(in_season);
        let Some((series, in_season)) = read else {
            return Err(Error::Invalid(errors));
        };
        let search: String = search.trim().chars().take(MAX_PATTERN).collect();
        Ok(Self {
            search: if search.is_empty() {
                title.to_owned()
            } else {
                search
            },
            series,
            in_season,
        })
    }
}

/// The error for an episode number that no episode can have.
const OUT_OF_RANGE: &str = "must be a whole number from 1 to 20000";

fn read_episode(text: &str) -> Option<u32> {
    let episode = text.trim().parse().ok();
    episode.filter(|episode| (1..=MAX_EPISODE).contains(episode))
}

/// `GET /profile/players/series`
pub(crate) async fn page(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let mut params = page.forms.params();
    let [title, season, episode, search] =
        ["title", "season", "episode", "q"].map(|name| params.token(name).unwrap_or_default());
    let request = SeriesRequest::read(&title, &season, &episode, &search)?;
    show(&state, &page.with_confirmation(&DONE), &request).await
}

/// `POST /profile/players/series`: stores the answer, and applies it to the episodes that were kept.
pub(crate) async fn answer(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let [title, season, in_season, search] =
        ["title", "season", IN_SEASON, "q"].map(|name| page.forms.sent.value(name));
    let request = SeriesRequest::read(title, season, in_season, search)?;
    let access = page.owner.access(Action::ManageTokens);
    let apply = async {
        let answer = read_answer(&state, &page.forms.sent, &request).await?;
        let receiver = &state.receiver;
        let changes = Box::pin(receiver.answer(&access, &request.series, answer)).await?;
        Ok(match answer {
            _ if changes > 1 => format!("applied&{EPISODES}={changes}"),
            _ if changes == 1 => "applied".to_owned(),
            SeriesAnswer::Anime { .. } => "chosen".to_owned(),
            SeriesAnswer::NotAnAnime => "not-an-anime".to_owned(),
            SeriesAnswer::TakeBack => "taken-back".to_owned(),
        })
    };
    match apply.await {
        Ok(done) => page.redirect_with(PLAYERS, &done),
        Err(error) => show(&state, &page.with_errors(error)?, &request).await,
    }
}

/// Reads the answer from the form.
///
/// # Errors
/// [`Error::Invalid`] for a missing anime and for an episode that the anime does not have, [`Error::NotFound`] if the
/// anime does not exist.
async fn read_answer(
    state: &ListState,
    form: &Form,
    request: &SeriesRequest,
) -> Result<SeriesAnswer> {
    if form.has(TAKE_BACK) {
        return Ok(SeriesAnswer::TakeBack);
    }
    if form.has(NOT_AN_ANIME) {
        return Ok(SeriesAnswer::NotAnAnime);
    }
    let guess = form.value(GUESS).split_once(':');
    let (anime, episode) =
        guess.unwrap_or_else(|| (form.value("anime_id"), form.value("anime_episode")));
    let mut errors = FieldErrors::new();
    if anime.is_empty() {
        errors.insert("anime_id", "is required".to_owned());
    }
    let episode = read_episode(episode);
    if episode.is_none() {
        errors.insert("anime_episode", OUT_OF_RANGE.to_owned());
    }
    let Some(episode) = episode.filter(|_| errors.is_empty()) else {
        return Err(Error::Invalid(errors));
    };
    let anime_id = anime.parse().ok().and_then(AnimeId::new);
    let index = state.catalogue.index().await?;
    let anime = anime_id.and_then(|id| index.indexed_anime(id));
    let Some((anime, anime_id)) = anime.zip(anime_id) else {
        return Err(Error::NotFound(Missing::Anime));
    };
    if episode > highest_episode(None, anime.episodes_count, anime.status) {
        return Err(Error::invalid("anime_episode", TOO_FAR));
    }
    Ok(SeriesAnswer::Anime {
        in_season: request.in_season,
        anime_id,
        episode,
    })
}

/// Returns the most probable episode number in the anime: that of the first guess, or the number in the season.
async fn guess_episode(state: &ListState, user: UserId, request: &SeriesRequest) -> Result<u32> {
    let (players, key) = (&state.players, request.series.key());
    let kept = players.find_unmatched(user, &key).await?;
    let kept = kept.filter(|kept| kept.last().0 == request.in_season);
    let guess = kept.and_then(|kept| kept.guesses.first().map(|guess| guess.episode));
    Ok(guess.unwrap_or(request.in_season))
}

/// Returns the anime that the search for a text finds, best first.
pub(crate) async fn search(catalogue: &Catalogue<Anime>, text: &str) -> Result<Vec<Anime>> {
    let Some(query) = SearchQuery::new(text) else {
        // A text without letters and digits is in no title.
        return Ok(Vec::new());
    };
    let filter = AnimeFilter {
        search: Some(query),
        ..AnimeFilter::default()
    };
    let best = PageRequest {
        per_page: MAX_FOUND,
        start: PageStart::First,
    };
    let found = catalogue.list(&filter, best).await?;
    parse_documents(&catalogue.documents(&found.rows).await?)
}

async fn show(state: &ListState, page: &FormPage, request: &SeriesRequest) -> PageResult {
    let guess = guess_episode(state, page.owner.account.user.id, request);
    let (found, guess) = futures_util::try_join!(search(&state.catalogue, &request.search), guess)?;
    let (l10n, form) = (&page.forms.l10n, &page.forms.sent);
    let guess = guess.to_string();
    let episode = if form.has("anime_episode") {
        form.value("anime_episode")
    } else {
        &guess
    };
    let series = &request.series;
    let body = html! {
        (page.forms.notice())
        p.lead {
            strong dir="auto" { (series.title) } " "
            (place(l10n, &series.season, Some(request.in_season)))
        }
        p { (l10n.text("players-series-explanation")) }
        (search_form(l10n, request))
        section aria-labelledby="results" {
            h2 #results { (l10n.text("players-anime")) }
            (answer_form(&page.forms, request, &found, (form.value("anime_id"), episode)))
        }
        p { a.row href=(PLAYERS) { (l10n.text("players-back")) } }
    };
    let title = l10n.text("players-series-title");
    Ok(page.respond(ProfilePart::Connections.sub_page(page, &title, &body)))
}

fn search_form(l10n: &Localizer, request: &SeriesRequest) -> Markup {
    let SeriesName { title, season } = &request.series;
    let label = l10n.text("page-search");
    html! {
        form.search role="search" aria-label=(l10n.text("players-series-title")) action=(PLAYERS_SERIES) {
            input type="hidden" name="title" value=(title);
            input type="hidden" name="season" value=(season);
            input type="hidden" name="episode" value=(request.in_season);
            input type="search" name="q" aria-label=(label) value=(request.search) maxlength=(MAX_PATTERN);
            button type="submit" { (l10n.text("page-search-button")) }
        }
    }
}

/// Renders the form with the anime that were found. `sent` is the anime and the episode in it.
fn answer_form(
    forms: &PageForms,
    request: &SeriesRequest,
    found: &[Anime],
    sent: (&str, &str),
) -> Markup {
    let l10n = &forms.l10n;
    let SeriesName { title, season } = &request.series;
    let in_season = request.in_season.to_string();
    let choices = found.iter().map(|anime| {
        let id = anime.id.get().to_string();
        (id.into(), describe(l10n, anime))
    });
    let (choices, in_anime) = (Control::Radio(choices.collect()), "players-anime-episode");
    let hint = match season.as_str() {
        "movie" => l10n.text("players-movie-is-episode"),
        _ => l10n.format(
            "players-is-episode",
            [("episode", request.in_season.into())],
        ),
    };
    let fields = [
        Field::new(l10n, "anime_id", choices, "players-anime").with_value(sent.0),
        Field::new(l10n, "anime_episode", Control::Digits, in_anime)
            .with_hint(hint)
            .with_value(sent.1),
    ];
    let form = PostForm {
        hidden: vec![
            ("title", title),
            ("season", season),
            (IN_SEASON, &in_season),
            ("q", &request.search),
        ],
        ..forms.post(PLAYERS_SERIES, "")
    };
    let not = l10n.text("players-not-an-anime");
    if found.is_empty() {
        let mut form = form;
        form.hidden.push((NOT_AN_ANIME, YES));
        form.button = not;
        return html! { p { (l10n.text("players-results-none")) } (form) };
    }
    html! {
        (PostForm {
            fields: &fields,
            button: l10n.text("form-save"),
            other_button: Some((&not, NOT_AN_ANIME)),
            ..form
        })
    }
}

/// Returns the title, the format, the year and the number of episodes of an anime.
fn describe(l10n: &Localizer, anime: &Anime) -> String {
    let title = AnimeRenderer::new(false, l10n).title(anime);
    format!("{title} · {}", facts(l10n, anime))
}

/// Returns the format, the year and the number of episodes of an anime.
pub(crate) fn facts(l10n: &Localizer, anime: &Anime) -> String {
    let mut parts = vec![l10n.anime_format(anime.format)];
    parts.extend(anime.season_year.map(|year| year.to_string()));
    if anime.episodes_count > 0 {
        let count = [("count", anime.episodes_count.into())];
        parts.push(l10n.format("players-episodes", count));
    }
    parts.join(" · ")
}
