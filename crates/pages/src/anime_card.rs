//! Covers, and the cards of anime in lists.

use maud::{Markup, html};
use shared::models::Anime;

use crate::icon::Icon;
use crate::language::Localizer;
use crate::paths::ANIME;

/// The size of a cover, in CSS pixels. Most covers of the sources have this size.
const COVER_SIZE: (u16, u16) = (230, 325);

/// The colors in place of a cover without an image. White text is legible on all of them.
const PLACEHOLDER_COLORS: [&str; 8] = [
    "#3b5b8c", "#7a4b8f", "#8c4a5b", "#8a5a2b", "#4f7a3a", "#2f7a72", "#5a5f8f", "#7a6a2f",
];

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

    /// Renders the cover: the image above the initial of the title, which is visible until the image is loaded, and if
    /// it cannot be loaded. The color behind the initial is the main color of the image, or else a color that depends
    /// on the identifier of the anime. The cover has no text for screen readers, because the title is beside it.
    pub fn cover(self, anime: &Anime) -> Markup {
        let color = anime.cover_color.as_deref().filter(|color| is_color(color));
        let address = self.loadable_address(&anime.cover_image);
        let color = color
            .filter(|_| address.is_some())
            .unwrap_or_else(|| placeholder_color(anime));
        let title = self.title(anime);
        let initial = title.chars().find(|character| character.is_alphanumeric());
        html! {
            span.cover aria-hidden="true" {
                // The policy of the pages permits no inline styles, so the color is an attribute of SVG.
                svg color=(color) viewBox="0 0 230 325" {
                    text x="115" y="200" { @if let Some(initial) = initial { (initial.to_uppercase()) } }
                }
                @if let Some(address) = address {
                    img src=(address) alt="" width=(COVER_SIZE.0) height=(COVER_SIZE.1) loading="lazy"
                        decoding="async" referrerpolicy="no-referrer";
                }
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

    /// Renders an anime as an item of a list: cover, title, original title, score, year and format. `caption` is a
    /// text on the cover, such as the visitor's status.
    pub fn card(self, anime: &Anime, caption: Option<&str>) -> Markup {
        let l10n = self.l10n;
        let year = anime.season_year.map(|year| year.to_string());
        let format = l10n.anime_format(anime.format);
        html! {
            li.card {
                (self.cover(anime))
                @if let Some(caption) = caption { span.note { (caption) } }
                a href=(path_of(anime)) { (self.title_markup(anime)) }
                @if let Some(original) = l10n.original_title(&anime.titles) {
                    span.original lang=(original.lang()) dir="auto" { (original.text) }
                }
                span.meta {
                    (self.score(anime))
                    (year.map_or_else(|| format.clone(), |year| format!("{year} · {format}")))
                }
            }
        }
    }

    /// Renders the score, if the anime has one.
    pub fn score(self, anime: &Anime) -> Markup {
        html! {
            @if anime.score.hundredths() > 0 {
                span.score {
                    (Icon::Star)
                    span.unseen { (self.l10n.text("story-score")) " " }
                    (self.l10n.average_score(anime.score))
                }
                " "
            }
        }
    }
}

/// Returns the path of an anime's page.
pub fn path_of(anime: &Anime) -> String {
    format!("{ANIME}/{}", anime.id.get())
}

fn placeholder_color(anime: &Anime) -> &'static str {
    // The identifiers of most anime are even (docs/api.md, "Identifiers"), so the lowest bit is dropped. Otherwise most
    // anime would share half of the colors.
    let number = usize::try_from(anime.id.get() / 2).unwrap_or_default();
    PLACEHOLDER_COLORS[number % PLACEHOLDER_COLORS.len()]
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
