//! The head of the page of an anime: its cover, its titles, the facts in a line, and the visitor's own entry.

use maud::{Markup, html};
use page_parts::story::{FavoriteChoice, StoryRecord, record_invitation};
use pages::language::LocalizedText;
use pages::season::season_path;
use shared::models::AnimeStatus;
use time::OffsetDateTime;

use super::details_view::{AnimeView, list_address};

/// The maximum number of characters of a title that stands vertically beside the head.
const MAX_VERTICAL: usize = 40;

/// A longer vertical title has smaller letters.
const LONG_VERTICAL: usize = 12;

impl AnimeView<'_> {
    pub(super) fn hero(&self) -> Markup {
        let (l10n, anime) = (self.l10n, self.anime);
        let original = l10n.original_title(&anime.titles);
        let vertical = original.filter(|title| can_be_vertical(*title));
        html! {
            div.work {
                (self.renderer.cover(anime))
                div.ttl {
                    h1 itemprop="name" { (self.renderer.title_markup(anime)) }
                    @if let Some(original) = original {
                        // On wide screens, the vertical title takes its place.
                        p.soft.flat[vertical.is_some()] itemprop="alternateName" lang=(original.lang()) dir="auto" {
                            (original.text)
                        }
                    }
                    ul.facts { @for fact in self.facts() { li { (fact) } } }
                }
                @if let Some(signed_in) = &self.details.signed_in {
                    (StoryRecord {
                        l10n,
                        csrf: self.csrf,
                        anime,
                        story: self.details.story.as_ref(),
                        favorite: FavoriteChoice::of(&signed_in.account, anime.id),
                    })
                } @else {
                    (record_invitation(l10n, anime))
                }
                @if let Some(title) = vertical {
                    p.vert.m[title.text.chars().count() > LONG_VERTICAL] lang=(title.lang()) { (title.text) }
                }
            }
        }
    }

    /// Returns the facts: format, season, episodes, studios, release, dates, audience and score.
    fn facts(&self) -> Vec<Markup> {
        let (l10n, anime) = (self.l10n, self.anime);
        let text = |text: String| html! { (text) };
        let season = l10n.season_of_year(anime.season_period, anime.season_year);
        let address = anime
            .season_year
            .map(|year| season_path(anime.season_period, year));
        let season = season.map(|season| {
            html! {
                @if let Some(address) = &address { a href=(address) { (season) } } @else { (season) }
            }
        });
        let release = match anime.status {
            AnimeStatus::Finished => None,
            status => Some(text(l10n.anime_status(status))),
        };
        let score = (anime.score.hundredths() > 0).then(|| {
            let score = html! { b { (l10n.average_score(anime.score)) } };
            l10n.markup("anime-scored", [("score", score)])
        });
        let facts = [
            Some(html! { b { (l10n.anime_format(anime.format)) } }),
            season,
            self.episodes().map(text),
            self.studios(),
            release,
            self.dates().map(text),
            anime.nsfw.then(|| text(l10n.text("anime-adult"))),
            score,
        ];
        facts.into_iter().flatten().collect()
    }

    /// Returns the number of episodes and their length.
    fn episodes(&self) -> Option<String> {
        let (l10n, anime) = (self.l10n, self.anime);
        let count = ("count", anime.episodes_count.into());
        match (anime.episodes_count, anime.episode_duration) {
            (0 | 1, Some(minutes)) => {
                Some(l10n.format("anime-minutes", [("count", minutes.into())]))
            }
            (0, None) => None,
            (_, None) => Some(l10n.format("anime-episode-count", [count])),
            (_, Some(minutes)) => {
                Some(l10n.format("anime-episodes-of", [count, ("minutes", minutes.into())]))
            }
        }
    }

    fn studios(&self) -> Option<Markup> {
        let studios = &self.anime.studios;
        (!studios.is_empty()).then(|| {
            html! {
                @for (position, studio) in studios.iter().enumerate() {
                    @if position > 0 { ", " }
                    a href=(list_address("studios", studio)) itemprop="productionCompany" { (studio) }
                }
            }
        })
    }

    fn dates(&self) -> Option<String> {
        let (l10n, anime) = (self.l10n, self.anime);
        let date = |date: OffsetDateTime| l10n.date(date.date());
        match (anime.start_date, anime.end_date) {
            (Some(start), Some(end)) if start != end => {
                Some(format!("{} – {}", date(start), date(end)))
            }
            (Some(start), _) if anime.status == AnimeStatus::Finished => Some(date(start)),
            (Some(start), _) => Some(l10n.format("anime-since", [("date", date(start).into())])),
            (None, _) => None,
        }
    }
}

/// Returns true if a title is Japanese, in its own script, and short enough to stand vertically.
fn can_be_vertical(title: LocalizedText<'_>) -> bool {
    let is_japanese =
        |letter: char| matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    title.lang() == "ja"
        && title.text.chars().any(is_japanese)
        && title.text.chars().count() <= MAX_VERTICAL
}
