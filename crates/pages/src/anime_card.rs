//! Covers, and the cards of anime in lists.

use maud::{Markup, html};
use shared::models::{Anime, Season, WatchStatus};

use crate::language::Localizer;
use crate::paths::ANIME;
use crate::seal::seal;
use crate::tally::Tally;

/// The size of a cover, in CSS pixels. Most covers of the sources have this size.
const COVER_SIZE: (u16, u16) = (230, 325);

/// The number of characters that a title slip has room for.
const MAX_SLIP: usize = 90;

/// The number of characters on the slip of a small cover.
const SMALL_SLIP: usize = 16;

/// The colors of bound books whose anime has no color of its own.
const CLOTH_COLORS: [&str; 8] = [
    "#3d6f8f", "#7a4f8a", "#8c4a5b", "#8a5a2b", "#4f7a3a", "#2f7a72", "#2f3f6a", "#7a6a2f",
];

/// The parts of a card besides cover and title.
#[derive(Debug, Default)]
pub struct CardParts {
    /// The visitor's status, as a seal over the corner of the cover.
    pub status: Option<WatchStatus>,
    /// The visitor's progress.
    pub tally: Option<Tally>,
    /// The text below the title, in place of score, year and format.
    pub line: Option<Markup>,
    /// The controls that put the anime on the list (`page_parts::story::quick_actions`).
    pub actions: Option<Markup>,
}

/// Renders anime in the language of the page, with or without images.
#[derive(Clone, Copy, Debug)]
pub struct AnimeRenderer<'a> {
    /// The language of the page.
    pub l10n: &'a Localizer,
    /// True if images are loaded from the servers of the catalogue's sources.
    pub has_images: bool,
}

impl<'a> AnimeRenderer<'a> {
    /// Returns the renderer of a page in this language.
    pub fn new(has_images: bool, l10n: &'a Localizer) -> Self {
        Self { l10n, has_images }
    }

    /// Returns the title that the visitor reads. If the anime has no title, returns a text with its identifier.
    pub fn title(self, anime: &Anime) -> String {
        let title = self.l10n.title(&anime.titles);
        title.map_or_else(
            || {
                let id = anime.id.get().to_string();
                self.l10n.format("anime-untitled", [("id", id.into())])
            },
            |title| title.text.to_owned(),
        )
    }

    /// Renders the cover: the image, or a bound book with the title. The cover has no text for screen readers, because
    /// the title is beside it.
    pub fn cover(self, anime: &Anime) -> Markup {
        let address = self.loadable_address(&anime.cover_image);
        html! {
            span class=(cover_class(anime, address)) aria-hidden="true" { (self.cover_content(anime, address)) }
        }
    }

    /// Renders the cover as a link to the page of the anime. The title beside it must be a link, too: neither the
    /// keyboard nor screen readers stop at the cover.
    pub fn linked_cover(self, anime: &Anime) -> Markup {
        let address = self.loadable_address(&anime.cover_image);
        html! {
            a class=(cover_class(anime, address)) href=(path_of(anime)) tabindex="-1" aria-hidden="true" {
                (self.cover_content(anime, address))
            }
        }
    }

    /// Renders [`Self::linked_cover`] for a row of a list. A small cover needs no color below its image, and a small
    /// bound book has room only for the beginning of the title.
    pub fn small_cover(self, anime: &Anime) -> Markup {
        let address = self.loadable_address(&anime.cover_image);
        let japanese = anime.titles.get("jp").map(String::as_str);
        let title = japanese.map_or_else(|| self.title(anime), str::to_owned);
        let start: String = title.chars().take(SMALL_SLIP).collect();
        html! {
            a class=(cover_class(anime, address)) href=(path_of(anime)) tabindex="-1" aria-hidden="true" {
                @if let Some(address) = address {
                    // A page has 50 of these, so they have no attributes that the style sheet and the headers of the
                    // page make superfluous.
                    img src=(address) alt="" loading="lazy";
                } @else {
                    svg viewBox="0 0 1 1" preserveAspectRatio="none" {
                        path fill=(color_of(anime)) d="M0 0h1v1H0z" {}
                        path d="M0 0h1v1H0z" fill="#14161c" fill-opacity=".22" {}
                    }
                    span.slip.lat[japanese.is_none()] lang=[japanese.map(|_| "ja")] { (start) }
                }
            }
        }
    }

    fn cover_content(self, anime: &Anime, address: Option<&str>) -> Markup {
        html! {
            // The policy of the pages permits no inline styles, so the color is an attribute of SVG.
            svg viewBox="0 0 1 1" preserveAspectRatio="none" {
                path fill=(color_of(anime)) d="M0 0h1v1H0z" {}
                @if address.is_none() { path d="M0 0h1v1H0z" fill="#14161c" fill-opacity=".22" {} }
            }
            @if let Some(address) = address {
                img src=(address) alt="" width=(COVER_SIZE.0) height=(COVER_SIZE.1) loading="lazy"
                    decoding="async" referrerpolicy="no-referrer";
            } @else {
                (self.book(anime))
            }
        }
    }

    /// Renders the title slip and the stamp of a bound book. Japanese titles are vertical.
    fn book(self, anime: &Anime) -> Markup {
        let japanese = anime.titles.get("jp").map(String::as_str);
        let title = japanese.map_or_else(|| self.title(anime), str::to_owned);
        let kanji = season_character(anime.season_period);
        html! {
            span class={ "slip" (slip_size(&title, japanese.is_some())) } lang=[japanese.map(|_| "ja")] {
                (shortened(&title))
            }
            span.stamp {
                @if let Some(kanji) = kanji { span lang="ja" { (kanji) } }
                small { (self.l10n.anime_format(anime.format)) }
            }
        }
    }

    /// Renders the banner, if there is one.
    pub fn banner(self, anime: &Anime) -> Markup {
        let address = anime
            .banner_image
            .as_deref()
            .and_then(|address| self.loadable_address(address));
        html! {
            @if let Some(address) = address {
                // The alternative text is empty, because the banner shows nothing that the title does not say.
                img.banner src=(address) alt="" width="1900" height="400" loading="lazy" decoding="async"
                    referrerpolicy="no-referrer";
            }
        }
    }

    /// Returns the address of an image if pages may load the image.
    fn loadable_address(self, address: &str) -> Option<&str> {
        (self.has_images && address.starts_with("https://")).then_some(address)
    }

    /// Renders a title with its language and direction.
    pub fn title_markup(self, anime: &Anime) -> Markup {
        html! {
            @if let Some(title) = self.l10n.title(&anime.titles) {
                span lang=(title.lang()) dir="auto" { (title.text) }
            } @else {
                (self.title(anime))
            }
        }
    }

    /// Renders an anime as an item of a shelf: cover, title, and a line with score, year and format, or `parts.line`.
    pub fn card(self, anime: &Anime, parts: CardParts) -> Markup {
        let l10n = self.l10n;
        let line = parts.line.unwrap_or_else(|| {
            let format = l10n.anime_format(anime.format);
            html! {
                (self.score(anime))
                (anime.season_year.map_or_else(|| format.clone(), |year| format!("{year} · {format}")))
            }
        });
        html! {
            li.card {
                @if let Some(status) = parts.status {
                    (seal(Some(status)))
                    span.unseen { (l10n.watch_status(status)) }
                }
                div.art {
                    (self.linked_cover(anime))
                    @if let Some(actions) = parts.actions { (actions) }
                }
                p.name.clamp { a href=(path_of(anime)) { (self.title_markup(anime)) } }
                p { (line) }
                @if let Some(tally) = parts.tally { (tally) }
            }
        }
    }

    /// Renders the score and a dot, if the anime has a score.
    pub fn score(self, anime: &Anime) -> Markup {
        html! {
            @if anime.score.hundredths() > 0 {
                span.unseen { (self.l10n.text("story-score")) " " }
                span.num { (self.l10n.average_score(anime.score)) }
                " · "
            }
        }
    }
}

/// Returns the path of an anime's page.
pub fn path_of(anime: &Anime) -> String {
    format!("{ANIME}/{}", anime.id.get())
}

fn cover_class(anime: &Anime, address: Option<&str>) -> &'static str {
    if address.is_some() {
        return "cover";
    }
    // Each season has its traditional cloth.
    match anime.season_period {
        Season::Winter => "cover book fuyu",
        Season::Spring => "cover book haru",
        Season::Summer => "cover book natsu",
        Season::Fall => "cover book aki",
        Season::Unknown => "cover book",
    }
}

/// Returns the character of a season.
pub fn season_character(season: Season) -> Option<&'static str> {
    Some(match season {
        Season::Winter => "冬",
        Season::Spring => "春",
        Season::Summer => "夏",
        Season::Fall => "秋",
        Season::Unknown => return None,
    })
}

/// Returns the classes of a title slip: its letters are the smaller, the more there are.
fn slip_size(title: &str, is_vertical: bool) -> &'static str {
    match (is_vertical, title.chars().count()) {
        (true, ..=7) => "",
        (true, ..=10) => " m",
        (true, ..=13) => " s",
        (true, ..=24) => " l",
        (true, _) => " xl",
        (false, ..=14) => " lat",
        (false, ..=26) => " lat m",
        (false, ..=50) => " lat l",
        (false, _) => " lat xl",
    }
}

/// Returns as much of a title as a slip has room for.
fn shortened(title: &str) -> &str {
    let end = title.char_indices().nth(MAX_SLIP).map(|(end, _)| end);
    &title[..end.unwrap_or(title.len())]
}

/// Returns the main color of the cover, or else a color that depends on the identifier.
pub fn color_of(anime: &Anime) -> &str {
    let color = anime.cover_color.as_deref().filter(|color| is_color(color));
    // The identifiers of most anime are even (docs/api.md, "Identifiers"), so the lowest bit is dropped. Otherwise most
    // anime would share half of the colors.
    let number = usize::try_from(anime.id.get() / 2).unwrap_or_default();
    color.unwrap_or(CLOTH_COLORS[number % CLOTH_COLORS.len()])
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
