//! The parts that the home page and the landing page share.

use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, season_character};
use pages::season::season_path;
use pages::tally::Tally;
use shared::models::{Anime, AnimeStatus, Season};

/// Renders the progress of an entry as numbers and as a tally, after a button.
pub(super) fn foot_row(watched: u32, anime: Option<&Anime>, button: &Markup) -> Markup {
    let released = anime.map_or(0, |anime| anime.episodes_count);
    let has_ended = anime.is_some_and(|anime| {
        matches!(anime.status, AnimeStatus::Finished | AnimeStatus::Cancelled)
    });
    let tally = Tally {
        watched,
        aired: Some(released).filter(|_| !has_ended),
        // The catalogue has only the number of released episodes.
        episodes: if has_ended { released } else { 0 },
    };
    html! {
        div.foot-row {
            (button)
            span.num { (watched) @if released > 0 { " " i { "/ " (released) } } }
            (tally)
        }
    }
}

/// Renders the row of the present season, with the character of the season.
pub(super) fn season_row(
    renderer: AnimeRenderer<'_>,
    (season, year): (Season, u16),
    cards: &[Markup],
) -> Markup {
    let l10n = renderer.l10n;
    let name = l10n.season_of_year(season, Some(year)).unwrap_or_default();
    let heading = html! {
        @if let Some(character) = season_character(season) {
            span.seal-k lang="ja" aria-hidden="true" { (character) } " "
        }
        (name)
    };
    let path = season_path(season, year);
    row(
        "season",
        &heading,
        &path,
        &l10n.text("home-season-all"),
        cards,
    )
}

/// Renders a row of covers, with a link to the whole list.
pub(super) fn row(id: &str, heading: &Markup, path: &str, link: &str, cards: &[Markup]) -> Markup {
    html! {
        @if !cards.is_empty() {
            section.sec aria-labelledby=(id) {
                div.head { h2 id=(id) { (heading) } a href=(path) { (link) } }
                ul.shelf.one-row { @for card in cards { (card) } }
            }
        }
    }
}
