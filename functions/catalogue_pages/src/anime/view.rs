//! The page `/anime`.

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use catalogue::index::NameFilter;
use maud::{Markup, html};
use page_parts::StoryPagesState;
use page_parts::anime::StoriesByAnime;
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::form::parameter_errors;
use pages::icon::Icon;
use pages::language::{GENRES, Localizer};
use pages::layout::{Page, PageKind, page_links};
use pages::paths::{ANIME, ANIME_RANDOM};
use pages::season::season_path;
use shared::models::{Anime, Season, WireEnum};

use super::query::{ADULT_PARAMETER, BrowseQuery};
use crate::song::view::FoundSongs;

/// The anime that were found.
pub(super) struct BrowseResults<'a> {
    /// The filters that the visitor wants.
    pub query: &'a BrowseQuery,
    /// The number of matching anime on all pages.
    pub total: usize,
    /// The anime of this page.
    pub anime: &'a [Anime],
    /// The visitor's stories about these anime.
    pub stories: &'a StoriesByAnime,
    /// The songs that the search finds.
    pub songs: FoundSongs<'a>,
    /// The present season and year.
    pub season: (Season, u16),
}

/// Returns the page.
pub(super) fn page(
    state: &StoryPagesState,
    l10n: &Localizer,
    signed_in: Option<&SignedInUser>,
    results: &BrowseResults<'_>,
) -> Response {
    let title = l10n.text("browse-title");
    let renderer = AnimeRenderer::new(state.has_images, l10n);
    let body = html! {
        h1 { (title) }
        (shortcuts(l10n, results))
        (form(l10n, results.query))
        (self::results(renderer, results))
    };
    let status = if results.query.field_errors.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::BAD_REQUEST
    };
    let page = Page {
        current_path: ANIME,
        visitor: signed_in.map(SignedInUser::username),
        kind: PageKind::wide(state.has_images),
        ..Page::new(l10n, &title, body)
    };
    page.respond(status)
}

/// Renders the links to lists that many visitors want.
fn shortcuts(l10n: &Localizer, results: &BrowseResults<'_>) -> Markup {
    let (season, year) = results.season;
    let filter = &results.query.filter;
    let is_season = filter.season == Some(season) && filter.year == Some(year);
    let is_all = !results.query.has_filters() && filter.search.is_none();
    let current = |is_current: bool| is_current.then_some("page");
    html! {
        nav.tabs aria-label=(l10n.text("browse-shortcuts")) {
            ul {
                li { a href=(ANIME) aria-current=[current(is_all)] { (Icon::Star) (l10n.text("browse-top")) } }
                li {
                    a href=(season_path(season, year)) aria-current=[current(is_season)] {
                        (Icon::Calendar) (l10n.text("browse-season"))
                    }
                }
                li { a href=(ANIME_RANDOM) { (Icon::Shuffle) (l10n.text("browse-random")) } }
            }
        }
    }
}

fn form(l10n: &Localizer, query: &BrowseQuery) -> Markup {
    let filter = &query.filter;
    let formats = choices(|format| Some(l10n.anime_format(format)));
    let statuses = choices(|status| Some(l10n.anime_status(status)));
    let seasons = choices(|season| l10n.season(season));
    // A query can have several formats, as in the API. The form offers only one.
    let format = filter.formats.first().map(|format| u8::from(*format));
    let (status, season) = (filter.status.map(u8::from), filter.season.map(u8::from));
    let year = filter.year.map(|year| year.to_string());
    html! {
        form.browse #browse role="search" action=(ANIME) data-live="results" {
            div.search {
                input #search type="search" name="search" value=(query.search)
                    aria-label=(l10n.text("page-search")) placeholder=(l10n.text("browse-placeholder"))
                    maxlength="500" autocomplete="off";
                button type="submit" { (Icon::Search) span { (l10n.text("page-search-button")) } }
            }
            (filter_errors(l10n, query))
            details.filters open[!query.field_errors.is_empty()] {
                summary {
                    (Icon::Filter) (l10n.text("browse-filters"))
                    @if query.has_filters() { " " span.badge { (l10n.text("browse-filters-set")) } }
                }
                div.fields {
                    (select(l10n, "formats", "browse-format", &formats, format))
                    (select(l10n, "status", "browse-status", &statuses, status))
                    (select(l10n, "season", "browse-season-field", &seasons, season))
                    div.field {
                        label for="year" { (l10n.text("browse-year")) }
                        input #year name="year" inputmode="numeric" maxlength="4" autocomplete="off" value=[year];
                    }
                    (names(l10n, "studios", "browse-studio", &filter.studios))
                    (names(l10n, "tags", "browse-tag", &filter.tags))
                }
                (genres(l10n, query))
                div.choices {
                    (flag(l10n, "with_episodes", "browse-with-episodes", filter.with_episodes))
                    (flag(l10n, ADULT_PARAMETER, "browse-adult", !filter.exclude_nsfw))
                }
                p.actions {
                    button type="submit" { (l10n.text("browse-apply")) }
                    a.button.secondary href=(ANIME) { (l10n.text("browse-reset")) }
                }
            }
        }
    }
}

/// Returns the numbers and names of an enumeration's values that have a name.
fn choices<E: WireEnum + Into<u8>>(name: impl Fn(E) -> Option<String>) -> Vec<(u8, String)> {
    let values = E::ALL.iter().map(|(value, _)| *value);
    let named = values.filter_map(|value| name(value).map(|name| (value.into(), name)));
    named.collect()
}

/// Renders a list of choices, of which at most one is selected.
fn select(
    l10n: &Localizer,
    name: &str,
    label: &str,
    choices: &[(u8, String)],
    selected: Option<u8>,
) -> Markup {
    html! {
        div.field {
            label for=(name) { (l10n.text(label)) }
            select id=(name) name=(name) {
                option value="" { (l10n.text("browse-any")) }
                @for (number, text) in choices {
                    option value=(number) selected[selected == Some(*number)] { (text) }
                }
            }
        }
    }
}

/// Renders the choice of genres: the usual genres, and the other genres of the query.
fn genres(l10n: &Localizer, query: &BrowseQuery) -> Markup {
    let selected = &query.filter.genres;
    let usual = || GENRES.iter().map(|(name, _)| *name);
    let others = selected.iter().map(|genre| genre.0.as_str());
    let others = others.filter(|name| usual().all(|usual| usual != *name));
    html! {
        fieldset.genres {
            legend { (l10n.text("browse-genres")) }
            @for name in usual().chain(others) {
                label.choice {
                    input type="checkbox" name="genres" value=(name)
                        checked[selected.iter().any(|genre| genre.0 == name)];
                    span { (l10n.genre(name)) }
                }
            }
        }
    }
}

/// Renders a field for names, which are separated by commas.
fn names(l10n: &Localizer, name: &str, label: &str, wanted: &[NameFilter]) -> Markup {
    let wanted: Vec<&str> = wanted.iter().map(NameFilter::name).collect();
    html! {
        div.field {
            label for=(name) { (l10n.text(label)) }
            input id=(name) name=(name) maxlength="500" autocomplete="off" value=(wanted.join(", "));
        }
    }
}

fn flag(l10n: &Localizer, name: &str, label: &str, is_set: bool) -> Markup {
    html! {
        label.choice {
            input type="checkbox" name=(name) value="true" checked[is_set];
            span { (l10n.text(label)) }
        }
    }
}

/// Renders the errors of invalid filters.
fn filter_errors(l10n: &Localizer, query: &BrowseQuery) -> Markup {
    let label = |name: &str| match name {
        "search" => l10n.text("page-search"),
        "formats" => l10n.text("browse-format"),
        "status" => l10n.text("browse-status"),
        "season" => l10n.text("browse-season-field"),
        "year" => l10n.text("browse-year"),
        "genres" => l10n.text("browse-genres"),
        "studios" => l10n.text("browse-studio"),
        "tags" => l10n.text("browse-tag"),
        name => name.to_owned(),
    };
    parameter_errors(l10n, &query.field_errors, label)
}

/// Renders the wanted studios and tags, each as a link to the list without it. The closed form would hide them from a
/// visitor who has followed such a link on the page of an anime.
fn wanted_names(l10n: &Localizer, query: &BrowseQuery) -> Markup {
    let (studios, tags) = (&query.filter.studios, &query.filter.tags);
    html! {
        @if !(studios.is_empty() && tags.is_empty()) {
            ul.chips aria-label=(l10n.text("browse-wanted")) {
                (wanted(l10n, query, "studios", "browse-wanted-studio", studios))
                (wanted(l10n, query, "tags", "browse-wanted-tag", tags))
            }
        }
    }
}

fn wanted(
    l10n: &Localizer,
    query: &BrowseQuery,
    parameter: &str,
    message: &str,
    names: &[NameFilter],
) -> Markup {
    html! {
        @for (position, name) in names.iter().enumerate() {
            @let filter = l10n.format(message, [("name", name.name().into())]);
            @let label = l10n.format("browse-remove", [("filter", filter.as_str().into())]);
            li {
                a href={ (ANIME) (query.query_without(parameter, names, position)) } aria-label=(label) {
                    (filter) (Icon::Close)
                }
            }
        }
    }
}

/// Renders the anime. The script replaces this part while the visitor types.
fn results(renderer: AnimeRenderer<'_>, results: &BrowseResults<'_>) -> Markup {
    let l10n = renderer.l10n;
    let BrowseResults { query, total, .. } = *results;
    let parts = |anime: &Anime| CardParts {
        status: results
            .stories
            .get(&anime.id)
            .map(|story| story.state.status),
        ..CardParts::default()
    };
    html! {
        section.results #results aria-label=(l10n.text("browse-results")) {
            @if query.field_errors.is_empty() {
                (wanted_names(l10n, query))
                p.hint role="status" {
                    (l10n.format("browse-count", [("count", total.into())]))
                    (results.songs.link(l10n))
                }
            }
            @if !results.anime.is_empty() {
                ul.shelf {
                    @for anime in results.anime { (renderer.card(anime, parts(anime))) }
                }
            } @else if query.field_errors.is_empty() {
                p { (l10n.text("browse-nothing")) }
            }
            (page_links(l10n, query.page, BrowseQuery::last_page(total), |page| {
                format!("{ANIME}{}", query.query_of_page(page))
            }))
            (results.songs.section(l10n))
        }
    }
}
