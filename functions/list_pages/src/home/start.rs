//! The start page of a visitor who is not signed in: the catalogue at a glance.

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use catalogue::index::{AnimeFilter, Matches};
use catalogue::snapshots::Head;
use futures_util::join;
use maud::{Markup, html};
use page_parts::StoryPagesState;
use page_parts::anime::{StoriesByAnime, read_anime_and_stories};
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Page, PageKind};
use pages::paths::{ANIME, SIGN_UP, START};
use pages::season::{season_at, season_path};
use pages::sessions::Visitor;
use shared::Result;
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, Season};

use crate::state::ListState;

/// The number of anime in each row of covers.
const COVERS_PER_ROW: usize = 12;

/// Returns the page. If the catalogue or the numbers of anime and songs cannot be read, it is shown without them.
pub(crate) async fn page(
    state: &StoryPagesState,
    lists: &ListState,
    visitor: &Visitor,
) -> Response {
    let (season, year) = season_at(state.clock.now_s());
    let of_season = season_filter(season, year);
    let best = AnimeFilter {
        exclude_nsfw: true,
        ..AnimeFilter::default()
    };
    let (of_season, best) = join!(find_first(state, &of_season), find_first(state, &best));
    let rows = [of_season.rows, best.rows];
    let mut all = rows.concat();
    all.sort_unstable_by_key(|row| row.id);
    all.dedup_by_key(|row| row.id);
    let (found, anime_head, song_head) = join!(
        Box::pin(read_anime_and_stories(state, visitor, &all)),
        lists.anime_snapshot.head(),
        lists.song_snapshot.head(),
    );
    let (signed_in, anime, stories) = match found {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "the start page is shown without covers");
            (
                state.sessions.find_if_readable(visitor).await,
                Vec::new(),
                StoriesByAnime::new(),
            )
        }
    };
    let of_row = |row: usize| -> Vec<&Anime> {
        let listed = rows[row].iter();
        let found = listed.filter_map(|row| anime.iter().find(|anime| anime.id.get() == row.id));
        found.collect()
    };
    let l10n = visitor.localizer(signed_in.as_ref());
    let covers = Covers {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        stories: &stories,
    };
    let counts = [
        ("start-anime-count", row_count(anime_head)),
        ("start-song-count", row_count(song_head)),
    ];
    let title = l10n.text("start-title");
    let body = html! {
        div.welcome {
            h1 { (title) }
            p.lead { (l10n.text("start-lead")) }
            (search_form(&l10n))
            (known_counts(&l10n, &counts))
            @if signed_in.is_none() && l10n.has_sign_up() {
                p.actions { a.button href=(SIGN_UP) { (Icon::Plus) (l10n.text("sign-in-sign-up")) } }
            }
        }
        (covers.row("season", "start-season", &season_path(season, year), &of_row(0)))
        (covers.row("best", "browse-top", ANIME, &of_row(1)))
    };
    let page = Page {
        current_path: START,
        visitor: signed_in.as_ref().map(SignedInUser::username),
        kind: PageKind::wide(state.has_images),
        ..Page::new(&l10n, &title, body)
    };
    page.respond(StatusCode::OK)
}

/// Returns the filter of the anime of a season.
pub(crate) fn season_filter(season: Season, year: u16) -> AnimeFilter {
    AnimeFilter {
        season: Some(season),
        year: Some(year),
        exclude_nsfw: true,
        ..AnimeFilter::default()
    }
}

/// Returns the first anime that pass a filter, or none if the catalogue cannot be read.
pub(crate) async fn find_first(state: &StoryPagesState, filter: &AnimeFilter) -> Matches {
    let page = PageRequest {
        per_page: COVERS_PER_ROW,
        start: PageStart::First,
    };
    let found = state.catalogue.list(filter, page).await;
    found.unwrap_or_else(|error| {
        tracing::warn!(%error, "the start page is shown without some covers");
        Matches::default()
    })
}

/// Returns the number of anime or songs in the catalogue, if it is known.
fn row_count(head: Result<Option<Head>>) -> Option<u64> {
    match head {
        Ok(head) => head?.rows,
        Err(error) => {
            tracing::warn!(%error, "the start page is shown without a count");
            None
        }
    }
}

fn search_form(l10n: &Localizer) -> Markup {
    html! {
        form.search.large role="search" action=(ANIME) {
            input type="search" name="search" aria-label=(l10n.text("page-search"))
                placeholder=(l10n.text("browse-placeholder")) maxlength="500" required;
            button type="submit" { (Icon::Search) span { (l10n.text("page-search-button")) } }
        }
    }
}

fn known_counts(l10n: &Localizer, counts: &[(&str, Option<u64>)]) -> Markup {
    let known = || counts.iter().filter_map(|(id, rows)| Some((*id, (*rows)?)));
    html! {
        @if known().next().is_some() {
            ul.counts {
                @for (id, rows) in known() { li { (l10n.format(id, [("count", rows.into())])) } }
            }
        }
    }
}

/// The rows of covers.
pub(crate) struct Covers<'a> {
    /// Renders the anime.
    pub(crate) renderer: AnimeRenderer<'a>,
    /// The visitor's stories, for the status on the covers.
    pub(crate) stories: &'a StoriesByAnime,
}

impl Covers<'_> {
    /// Renders a row of covers, with a link to the whole list.
    pub(crate) fn row(&self, id: &str, heading: &str, path: &str, anime: &[&Anime]) -> Markup {
        let l10n = self.renderer.l10n;
        let parts = |anime: &Anime| CardParts {
            status: self.stories.get(&anime.id).map(|story| story.state.status),
            ..CardParts::default()
        };
        html! {
            @if !anime.is_empty() {
                section.plain-section aria-labelledby=(id) {
                    h2 id=(id) { a href=(path) { (l10n.text(heading)) } }
                    ul.shelf.one-row { @for anime in anime { (self.renderer.card(anime, parts(anime))) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pages::language::Localizer;

    use super::known_counts;

    #[test]
    fn unknown_counts_are_left_out() {
        let l10n = Localizer::default();
        let counts = [
            ("start-anime-count", Some(12_938)),
            ("start-song-count", None),
        ];
        let html = known_counts(&l10n, &counts).into_string();
        assert_eq!(html, "<ul class=\"counts\"><li>12,938 anime</li></ul>");
        assert_eq!(known_counts(&l10n, &counts[1..]).into_string(), "");
    }
}
