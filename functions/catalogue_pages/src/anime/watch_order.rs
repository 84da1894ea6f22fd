//! The story line of an anime as a path: what to watch before and after it.

use maud::{Markup, html};
use pages::anime_card::path_of;
use pages::layout::section_head;
use pages::seal::seal;
use shared::models::{Anime, AnimeFormat};

use super::details_view::AnimeView;

/// An anime of the story line.
struct Knot<'a> {
    anime: &'a Anime,
    /// The number in the story line. Specials and short works have none, and neither has a story line whose beginning
    /// is not shown.
    number: Option<usize>,
}

impl AnimeView<'_> {
    pub(super) fn watch_order(&self) -> Markup {
        let (l10n, related) = (self.l10n, &self.details.related);
        let knots = self.knots();
        let has_sides = knots.iter().any(|knot| is_side(knot.anime));
        let hint = html! {
            @if has_sides { span.soft.small { (l10n.text("anime-order-dashed")) } }
        };
        html! {
            @if knots.len() > 1 {
                section.sec #story-line {
                    (section_head(&l10n.text("anime-order"), &hint))
                    ol.path {
                        @if related.has_earlier { (more(&l10n.text("anime-order-earlier"))) }
                        @for knot in &knots { (self.knot(knot)) }
                        @if related.has_later { (more(&l10n.text("anime-order-later"))) }
                    }
                }
            }
        }
    }

    /// Returns the story line, the first anime first.
    fn knots(&self) -> Vec<Knot<'_>> {
        let related = &self.details.related;
        let before = related.before.iter().rev().map(|anime| &**anime);
        let after = related.after.iter().map(|anime| &**anime);
        let mut count = 0;
        let number = |anime: &Anime| {
            let is_numbered = !related.has_earlier && !is_side(anime);
            count += usize::from(is_numbered);
            is_numbered.then_some(count)
        };
        let all: Vec<&Anime> = before.chain([self.anime]).chain(after).collect();
        let numbers: Vec<_> = all.iter().copied().map(number).collect();
        let knots = all.into_iter().zip(numbers);
        knots
            .map(|(anime, number)| Knot { anime, number })
            .collect()
    }

    fn knot(&self, knot: &Knot<'_>) -> Markup {
        let (l10n, anime) = (self.l10n, knot.anime);
        let is_here = anime.id == self.anime.id;
        let status = if is_here {
            self.details.story.as_ref().map(|story| story.state.status)
        } else {
            self.status_of(anime)
        };
        html! {
            li.here[is_here].side[is_side(anime)] aria-current=[is_here.then_some("true")] {
                span.knot aria-hidden="true" {
                    @if let Some(number) = knot.number { (number) } @else { "–" }
                }
                div.card {
                    @if let Some(status) = status {
                        (seal(Some(status)))
                        span.unseen { (l10n.watch_status(status)) }
                    }
                    div.art {
                        (self.renderer.linked_cover(anime))
                        @if !is_here { @if let Some(actions) = self.actions(anime) { (actions) } }
                    }
                    p.name.clamp { a href=(path_of(anime)) { (self.renderer.title_markup(anime)) } }
                    p { @if is_here { (l10n.text("anime-order-here")) } @else { (self.summary(anime)) } }
                }
            }
        }
    }

    /// Returns the format, the year and the number of episodes of a related anime.
    fn summary(&self, anime: &Anime) -> String {
        let l10n = self.l10n;
        let count = ("count", anime.episodes_count.into());
        let parts = [
            Some(l10n.anime_format(anime.format)),
            anime.season_year.map(|year| year.to_string()),
            (anime.episodes_count > 1).then(|| l10n.format("anime-episode-count", [count])),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

/// Returns true for the formats of works beside the main story.
fn is_side(anime: &Anime) -> bool {
    matches!(
        anime.format,
        AnimeFormat::Special | AnimeFormat::Ova | AnimeFormat::TvShort | AnimeFormat::Music
    )
}

/// Renders the place of anime that are not shown.
fn more(text: &str) -> Markup {
    html! { li.side { span.knot aria-hidden="true" { "…" } p.soft { (text) } } }
}
