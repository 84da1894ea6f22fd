//! The page `/anime`.

use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, Render, html};
use page_parts::anime::StoriesByAnime;
use page_parts::story::{ReturnPage, StoryKey, quick_actions, quick_form};
use pages::anime_card::{AnimeRenderer, CardParts, season_character};
use pages::language::Localizer;
use pages::layout::{Page, PageKind, page_links, section_head};
use pages::open_graph::OpenGraph;
use pages::paths::{ANIME, ANIME_RANDOM, SONG};
use pages::season::season_path;
use shared::models::{Anime, AnimeFormat, Season};

use super::filters;
use super::find::{FoundAnime, GROUPS};
use super::query::{
    ADULT_PARAMETER, BrowseQuery, SCORE_PARAMETER, UNLISTED_PARAMETER, WITHOUT_PARAMETER,
};
use crate::song::path_of_search;
use crate::song::view::{FoundSongs, count as song_count};

/// The visitor who is signed in.
pub(super) struct Owner<'a> {
    /// The name.
    pub name: &'a str,
    /// The CSRF token.
    pub csrf: String,
    /// The notice about the change that the visitor has just made; empty without one.
    pub notice: Markup,
}

/// The anime that were found.
pub(super) struct BrowseResults<'a> {
    /// The filters that the visitor wants.
    pub query: &'a BrowseQuery,
    /// The numbers of anime, and the page.
    pub found: &'a FoundAnime,
    /// The anime of this page.
    pub anime: &'a [Anime],
    /// The visitor's stories about these anime.
    pub stories: &'a StoriesByAnime,
    /// The songs that the search finds.
    pub songs: FoundSongs<'a>,
    /// The present season and year.
    pub season: (Season, u16),
    /// The visitor, if signed in.
    pub owner: Option<&'a Owner<'a>>,
    /// This page, to which the forms of the cards lead back.
    pub back: &'a ReturnPage,
}

/// Returns the page.
pub(super) fn page(
    renderer: AnimeRenderer<'_>,
    public_url: &str,
    results: &BrowseResults<'_>,
) -> Response {
    let l10n = renderer.l10n;
    let title = title(l10n, results.query);
    let body = html! {
        @if let Some(owner) = results.owner { (owner.notice) }
        (head(l10n, &title, results))
        (filters::form(l10n, results.query, results.owner.is_some()))
        (self::results(renderer, results))
    };
    let page = Page {
        current_path: ANIME,
        visitor: results.owner.map(|owner| owner.name),
        kind: PageKind::wide(renderer.has_images),
        head: metadata(l10n, public_url, &title, results),
        ..Page::new(l10n, &title, body)
    };
    page.respond(StatusCode::OK)
}

/// Returns the heading: the season, the search or the name of the page.
fn title(l10n: &Localizer, query: &BrowseQuery) -> String {
    let season = query
        .season()
        .and_then(|(season, year)| l10n.season_of_year(season, Some(year)));
    let search = || {
        let text = query
            .filter
            .search
            .as_ref()
            .map(|_| query.search.as_str())?;
        Some(l10n.format("browse-search-title", [("text", text.into())]))
    };
    let title = search().or(season);
    title.unwrap_or_else(|| l10n.text("browse-title"))
}

fn metadata(
    l10n: &Localizer,
    public_url: &str,
    title: &str,
    results: &BrowseResults<'_>,
) -> Markup {
    let BrowseResults { query, found, .. } = results;
    let description = l10n.format("browse-count", [("count", found.total.into())]);
    let metadata = OpenGraph {
        kind: "website",
        title,
        address: &format!("{public_url}{ANIME}{}", query.query_of_page(found.page)),
        description: Some(&description),
        image: results
            .anime
            .first()
            .map(|anime| anime.cover_image.as_str()),
    };
    metadata.render()
}

/// Renders the heading, and the links to the seasons before and after, or to lists that many visitors want.
fn head(l10n: &Localizer, title: &str, results: &BrowseResults<'_>) -> Markup {
    let query = results.query;
    let season = query.season();
    let character = season.and_then(|(season, _)| season_character(season));
    let is_search = query.filter.search.is_some();
    html! {
        div.seasons #head {
            h1 {
                @if let Some(character) = character.filter(|_| !is_search) {
                    span.kan lang="ja" aria-hidden="true" { (character) }
                }
                (title)
            }
            span.soft { (count(l10n, results)) }
            nav aria-label=(l10n.text("browse-shortcuts")) {
                @if let Some(season) = season {
                    @for (season, rel, before, after) in [
                        (previous_season(season), "prev", "‹ ", ""),
                        (next_season(season), "next", "", " ›"),
                    ] {
                        @if let Some(name) = l10n.season_of_year(season.0, Some(season.1)) {
                            a href={ (ANIME) (query.query_of_season(season)) } rel=(rel) {
                                span aria-hidden="true" { (before) } (name) span aria-hidden="true" { (after) }
                            }
                        }
                    }
                    a href=(ANIME) { (l10n.text("browse-all")) }
                } @else {
                    @let (season, year) = results.season;
                    a href=(season_path(season, year)) { (l10n.text("browse-season")) }
                    a href=(SONG) { (l10n.text("anime-songs")) }
                    a href=(ANIME_RANDOM) { (l10n.text("browse-random")) }
                }
            }
        }
    }
}

/// Renders the number of anime, and how many of them the visitor's list has if all are on this page.
fn count(l10n: &Localizer, results: &BrowseResults<'_>) -> Markup {
    let total = results.found.total;
    let listed = results.stories.len();
    let is_whole = results.owner.is_some() && listed > 0 && results.anime.len() == total;
    html! {
        (l10n.format("browse-count", [("count", total.into())]))
        @if is_whole { ", " (l10n.format("browse-count-own", [("count", listed.into())])) }
    }
}

fn previous_season((season, year): (Season, u16)) -> (Season, u16) {
    match season {
        Season::Winter => (Season::Fall, year.saturating_sub(1)),
        Season::Spring => (Season::Winter, year),
        Season::Summer => (Season::Spring, year),
        Season::Fall | Season::Unknown => (Season::Summer, year),
    }
}

fn next_season((season, year): (Season, u16)) -> (Season, u16) {
    match season {
        Season::Winter => (Season::Spring, year),
        Season::Spring => (Season::Summer, year),
        Season::Summer => (Season::Fall, year),
        Season::Fall | Season::Unknown => (Season::Winter, year.saturating_add(1)),
    }
}

/// Renders the anime. The script replaces this part while the visitor types.
fn results(renderer: AnimeRenderer<'_>, results: &BrowseResults<'_>) -> Markup {
    let l10n = renderer.l10n;
    let BrowseResults { query, found, .. } = *results;
    let last = BrowseQuery::last_page(found.total);
    html! {
        div #results {
            (ignored_filters(l10n, query))
            // A screen reader announces the number after each change of the form.
            p.unseen role="status" {
                (count(l10n, results))
                @if results.songs.total > 0 { ", " (song_count(l10n, results.songs.total)) }
            }
            @if let Some(owner) = results.owner { (quick_form(&owner.csrf, results.back)) }
            @if results.anime.is_empty() {
                (nothing(l10n, query))
            } @else if let Some(groups) = found.groups {
                (self::groups(renderer, results, groups))
            } @else {
                section {
                    (section_head(&l10n.text("browse-results"), &results.songs.link(l10n)))
                    (shelf(renderer, results, results.anime))
                }
            }
            (page_links(l10n, found.page, last, |page| format!("{ANIME}{}", query.query_of_page(page))))
            (results.songs.section(renderer))
        }
    }
}

/// Renders the anime of this page in groups of one format each.
fn groups(
    renderer: AnimeRenderer<'_>,
    results: &BrowseResults<'_>,
    counts: [u32; GROUPS.len()],
) -> Markup {
    let l10n = renderer.l10n;
    let parts = results
        .anime
        .chunk_by(|one, next| one.format == next.format);
    let groups = parts.filter_map(|part| {
        let format = part.first()?.format;
        let position = GROUPS.iter().position(|group| *group == format)?;
        Some((format, counts[position], part))
    });
    html! {
        @for (position, (format, count, part)) in groups.enumerate() {
            section.sec[position > 0] {
                (section_head(&group_name(l10n, format), &html! { span.soft { (l10n.number(count)) } }))
                (shelf(renderer, results, part))
            }
        }
    }
}

fn group_name(l10n: &Localizer, format: AnimeFormat) -> String {
    l10n.text(match format {
        AnimeFormat::Tv => "browse-group-tv",
        AnimeFormat::TvShort => "browse-group-tv-short",
        AnimeFormat::Ona => "browse-group-ona",
        AnimeFormat::Movie => "browse-group-movie",
        AnimeFormat::Ova => "browse-group-ova",
        AnimeFormat::Special => "browse-group-special",
        AnimeFormat::Music => "browse-group-music",
    })
}

/// Renders anime as cards. A visitor who is signed in can put them on the list.
fn shelf(renderer: AnimeRenderer<'_>, results: &BrowseResults<'_>, anime: &[Anime]) -> Markup {
    let parts = |anime: &Anime| {
        let story = results.stories.get(&anime.id).map(|story| &story.state);
        let actions = results.owner.map(|_| {
            let key = StoryKey::of(anime.id, story);
            quick_actions(renderer.l10n, &key, &renderer.title(anime))
        });
        CardParts {
            status: story.map(|state| state.status),
            actions,
            ..CardParts::default()
        }
    };
    html! {
        ul.shelf { @for anime in anime { (renderer.card(anime, parts(anime))) } }
    }
}

/// Renders what else can be tried if no anime matches.
fn nothing(l10n: &Localizer, query: &BrowseQuery) -> Markup {
    html! {
        p { (l10n.text("browse-nothing")) }
        p.acts {
            @if query.has_filters() {
                a href={ (ANIME) (query.query_of_search()) } { (l10n.text("browse-reset")) }
            }
            @if query.filter.search.is_some() {
                a href=(path_of_search(&query.search)) { (l10n.text("browse-songs")) }
            }
            a href=(ANIME_RANDOM) { (l10n.text("browse-random")) }
        }
    }
}

/// Renders a sentence about each filter that has an invalid value and is ignored.
fn ignored_filters(l10n: &Localizer, query: &BrowseQuery) -> Markup {
    let label = |name: &str| match name {
        "search" => l10n.text("page-search-button"),
        "title" => l10n.text("browse-title-field"),
        "formats" => l10n.text("browse-format"),
        "status" => l10n.text("browse-status"),
        "season" => l10n.text("browse-season-field"),
        "year" => l10n.text("browse-year"),
        "genres" => l10n.text("browse-genres"),
        "studios" => l10n.text("browse-studio"),
        "tags" => l10n.text("browse-tag"),
        "with_episodes" => l10n.text("browse-with-episodes"),
        WITHOUT_PARAMETER => l10n.text("browse-exclude"),
        SCORE_PARAMETER => l10n.text("browse-min-score"),
        UNLISTED_PARAMETER => l10n.text("browse-unlisted"),
        ADULT_PARAMETER => l10n.text("browse-adult"),
        name => name.to_owned(),
    };
    html! {
        @if !query.field_errors.is_empty() {
            div.faults role="alert" {
                ul {
                    @for name in query.field_errors.keys() {
                        li { (l10n.format("browse-ignored", [("field", label(name).into())])) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::models::Season;

    use super::{next_season, previous_season};

    #[test]
    fn seasons_follow_each_other_across_years() {
        let seasons = [
            (Season::Fall, 2025),
            (Season::Winter, 2026),
            (Season::Spring, 2026),
            (Season::Summer, 2026),
            (Season::Fall, 2026),
            (Season::Winter, 2027),
        ];
        for pair in seasons.windows(2) {
            assert_eq!(next_season(pair[0]), pair[1]);
            assert_eq!(previous_season(pair[1]), pair[0]);
        }
    }
}
