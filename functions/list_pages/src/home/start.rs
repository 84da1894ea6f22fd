//! The landing page of a visitor who is not signed in: what the site does, shown with anime of the catalogue.

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use catalogue::index::{AnimeFilter, Matches};
use catalogue::snapshots::Head;
use futures_util::join;
use maud::{Markup, html};
use page_parts::StoryPagesState;
use page_parts::anime::{StoriesByAnime, read_anime_and_stories};
use page_parts::schedule::{Schedule, airs};
use pages::anime_card::{AnimeRenderer, CardParts, path_of};
use pages::language::Localizer;
use pages::layout::{Page, PageKind, notice};
use pages::paths::{ANIME, CALENDAR, HISTORY, SIGN_UP, SONG, START};
use pages::season::{season_at, season_path};
use pages::sessions::Visitor;
use shared::Result;
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, Season};
use time::Date;

use super::parts::{foot_row, row, season_row};
use crate::calendar::{airing_filter, rated_parts};
use crate::state::ListState;

/// The number of anime in each row of covers.
const COVERS_PER_ROW: usize = 10;

/// The number of airing anime that are read, of which the page shows those that air next.
const AIRING_READ: usize = 40;

/// The numbers of anime in the three panels: entries, airing anime, and covers.
const SHOWN_ENTRIES: usize = 2;
const SHOWN_AIRING: usize = 4;
const SHOWN_COVERS: usize = 8;

/// Returns the page. If the catalogue or the numbers of anime and songs cannot be read, it is shown without them.
/// `is_offline` is true if the page takes the place of a user's home page, because that cannot be read.
pub(crate) async fn page(
    state: &StoryPagesState,
    lists: &ListState,
    visitor: &Visitor,
    is_offline: bool,
) -> Response {
    let now_ms = state.clock.now_ms();
    let season = season_at(now_ms / 1000);
    let of_season = season_filter(season.0, season.1);
    let best = AnimeFilter {
        exclude_nsfw: true,
        ..AnimeFilter::default()
    };
    let airing = airing_filter();
    let (of_season, best, airing) = join!(
        find_first(state, &of_season, COVERS_PER_ROW),
        find_first(state, &best, COVERS_PER_ROW),
        find_first(state, &airing, AIRING_READ),
    );
    let rows = [of_season.rows, best.rows, airing.rows];
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
    let [of_season, best, airing] = rows.map(|rows| -> Vec<&Anime> {
        let found = rows
            .iter()
            .filter_map(|row| anime.iter().find(|anime| anime.id.get() == row.id));
        found.collect()
    });
    let l10n = visitor.localizer(signed_in.as_ref());
    let zone = signed_in.as_ref().map(|user| user.account.time_zone());
    let zone = zone.or_else(|| visitor.time_zone());
    let view = Landing {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        stories: &stories,
        today: zone.unwrap_or_default().date_of(now_ms),
        season,
        of_season,
        best,
        airing,
        counts: [row_count(anime_head), row_count(song_head)],
        // If the session cannot be read either, the layout says so.
        is_offline: is_offline && signed_in.is_some(),
        has_account: signed_in.is_some() || l10n.has_unreadable_account(),
    };
    let title = l10n.text("landing-title");
    let page = Page {
        current_path: START,
        visitor: signed_in.as_ref().map(SignedInUser::username),
        kind: PageKind::wide(state.has_images),
        ..Page::new(&l10n, &title, view.body(&title))
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
async fn find_first(state: &StoryPagesState, filter: &AnimeFilter, limit: usize) -> Matches {
    let page = PageRequest {
        per_page: limit,
        start: PageStart::First,
    };
    let found = state.catalogue.list(filter, page).await;
    found.unwrap_or_else(|error| {
        tracing::warn!(%error, "the start page is shown without some covers");
        Matches::default()
    })
}

/// Returns [`find_first`] for a row of covers.
pub(crate) async fn find_row(state: &StoryPagesState, filter: &AnimeFilter) -> Matches {
    find_first(state, filter, COVERS_PER_ROW).await
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

/// The content of the landing page.
struct Landing<'a> {
    renderer: AnimeRenderer<'a>,
    /// The visitor's stories, for the seals on the covers.
    stories: &'a StoriesByAnime,
    today: Date,
    season: (Season, u16),
    of_season: Vec<&'a Anime>,
    best: Vec<&'a Anime>,
    /// The best rated anime that air now.
    airing: Vec<&'a Anime>,
    /// The numbers of anime and songs, if they are known.
    counts: [Option<u64>; 2],
    /// True if the page takes the place of a home page that cannot be read.
    is_offline: bool,
    has_account: bool,
}

impl Landing<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    fn body(&self, title: &str) -> Markup {
        let l10n = self.l10n();
        html! {
            @if self.is_offline { (notice(&l10n.text("home-offline"))) }
            section.open {
                div {
                    h1 { (title) }
                    p { (l10n.text("landing-lead")) }
                    (self.actions())
                    (known_counts(l10n, self.counts))
                }
                span.hanko lang="ja" aria-hidden="true" { "記録" }
            }
            div.three {
                (self.panel("tally", ["landing-tally", "landing-tally-lead"], &self.entries()))
                (self.panel("week", ["landing-week", "landing-week-lead"], &self.week()))
                (self.panel("year", ["landing-year", "landing-year-lead"], &self.covers()))
            }
            (season_row(self.renderer, self.season, &self.cards(&self.of_season)))
            (self.best_row())
        }
    }

    fn best_row(&self) -> Markup {
        let l10n = self.l10n();
        let (heading, link) = (l10n.text("home-best"), l10n.text("home-best-all"));
        row(
            "best",
            &html! { (heading) },
            ANIME,
            &link,
            &self.cards(&self.best),
        )
    }

    fn actions(&self) -> Markup {
        let l10n = self.l10n();
        let can_sign_up = !self.has_account && l10n.has_sign_up();
        html! {
            div.acts {
                @if can_sign_up { a.button href=(SIGN_UP) { (l10n.text("landing-begin")) } }
                a.button.secondary[can_sign_up] href=(season_path(self.season.0, self.season.1)) {
                    (l10n.text("landing-browse"))
                }
                @if can_sign_up { a href={ (SIGN_UP) "?next=" (HISTORY) } { (l10n.text("landing-import")) } }
            }
        }
    }

    /// Renders a panel with the messages `heading` and `lead`.
    fn panel(&self, id: &str, [heading, lead]: [&str; 2], content: &Markup) -> Markup {
        let l10n = self.l10n();
        html! {
            section aria-labelledby=(id) {
                div.head { h2 id=(id) { (l10n.text(heading)) } }
                p { (l10n.text(lead)) }
                (content)
            }
        }
    }

    /// Renders examples of entries, with half of the episodes watched.
    fn entries(&self) -> Markup {
        let renderer = self.renderer;
        let all = self.of_season.iter().chain(&self.best);
        let mut shown: Vec<&Anime> = Vec::new();
        for anime in all.filter(|anime| anime.episodes_count > 1) {
            if shown.len() < SHOWN_ENTRIES && shown.iter().all(|other| other.id != anime.id) {
                shown.push(anime);
            }
        }
        html! {
            @if !shown.is_empty() {
                ol.go {
                    @for anime in shown {
                        li {
                            (renderer.linked_cover(anime))
                            div {
                                h3.clamp { a href=(path_of(anime)) { (renderer.title_markup(anime)) } }
                                p.small.soft { (self.next_day(anime)) }
                                (foot_row(anime.episodes_count / 2, Some(anime), &Markup::default()))
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the anime that air next.
    fn week(&self) -> Markup {
        let next = |anime: &&Anime| Schedule::of(anime, self.today)?.next_from(self.today);
        let mut airing: Vec<(Date, &Anime)> = self
            .airing
            .iter()
            .filter_map(|anime| Some((next(anime)?, *anime)))
            .collect();
        airing.sort_by_key(|(day, _)| *day);
        html! {
            @if !airing.is_empty() {
                ol.times {
                    @for (_, anime) in airing.into_iter().take(SHOWN_AIRING) {
                        li { (rated_parts(self.renderer, anime, &self.next_day(anime))) }
                    }
                }
                p.sec0 { a href=(CALENDAR) { (self.l10n().text("home-calendar")) } }
            }
        }
    }

    fn next_day(&self, anime: &Anime) -> Markup {
        let l10n = self.l10n();
        let season = || l10n.season_of_year(anime.season_period, anime.season_year);
        airs(l10n, anime, self.today).unwrap_or_else(|| html! { (season().unwrap_or_default()) })
    }

    /// Renders covers without links. The titles of these anime are in the row of the best rated ones.
    fn covers(&self) -> Markup {
        html! {
            div.shelf.panel aria-hidden="true" {
                @for anime in self.best.iter().take(SHOWN_COVERS) { (self.renderer.cover(anime)) }
            }
        }
    }

    fn cards(&self, anime: &[&Anime]) -> Vec<Markup> {
        let parts = |anime: &Anime| CardParts {
            status: self.stories.get(&anime.id).map(|story| story.state.status),
            ..CardParts::default()
        };
        let cards = anime.iter();
        cards
            .map(|anime| self.renderer.card(anime, parts(anime)))
            .collect()
    }
}

/// Renders links to all anime and songs with their numbers, as far as they are known.
fn known_counts(l10n: &Localizer, [anime, songs]: [Option<u64>; 2]) -> Markup {
    let counts = [
        ("start-anime-count", ANIME, anime),
        ("start-song-count", SONG, songs),
    ];
    let known: Vec<_> = counts
        .into_iter()
        .filter_map(|(id, path, count)| Some((id, path, count?)))
        .collect();
    html! {
        @if !known.is_empty() {
            ul.acts {
                @for (id, path, count) in known {
                    li { a href=(path) { (l10n.format(id, [("count", count.into())])) } }
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
        let html = known_counts(&l10n, [Some(12_938), None]).into_string();
        let expected = "<ul class=\"acts\"><li><a href=\"/anime\">12,938 anime</a></li></ul>";
        assert_eq!(html, expected);
        assert_eq!(known_counts(&l10n, [None, None]).into_string(), "");
    }
}
