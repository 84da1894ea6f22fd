//! The frame of the pages for signing in and up: the forms, and beside them a few books and a sentence about the
//! service.

use maud::{Markup, html};
use pages::language::Localizer;
use shared::models::AnimeFormat;

/// A bound book beside the forms.
struct Book {
    /// The title.
    title: &'static str,
    /// The color of the cloth.
    color: &'static str,
    /// The class of the pattern of the cloth; empty for stripes.
    cloth: &'static str,
    /// The class of the size of the title; empty for a short title.
    size: &'static str,
    /// The character of the season on the stamp.
    season: &'static str,
    /// The format on the stamp.
    format: AnimeFormat,
}

const BOOKS: [Book; 6] = [
    Book {
        title: "ヨコハマ買い出し紀行",
        color: "#3f7f6f",
        cloth: "",
        size: "m",
        season: "",
        format: AnimeFormat::Ova,
    },
    Book {
        title: "蟲師",
        color: "#4a6b3f",
        cloth: "aki",
        size: "",
        season: "秋",
        format: AnimeFormat::Tv,
    },
    Book {
        title: "銀魂゜",
        color: "#3f6fae",
        cloth: "haru",
        size: "",
        season: "春",
        format: AnimeFormat::Tv,
    },
    Book {
        title: "鉄コン筋クリート",
        color: "#c2702a",
        cloth: "",
        size: "m",
        season: "",
        format: AnimeFormat::Movie,
    },
    Book {
        title: "銀河英雄伝説",
        color: "#8a2f3a",
        cloth: "fuyu",
        size: "",
        season: "冬",
        format: AnimeFormat::Ova,
    },
    Book {
        title: "月がきれい",
        color: "#3a4a7a",
        cloth: "natsu",
        size: "",
        season: "夏",
        format: AnimeFormat::Tv,
    },
];

/// Renders the content of a page for signing in or up below its heading. The books are only decoration, and small
/// windows do not show them.
pub fn door(l10n: &Localizer, forms: &Markup) -> Markup {
    html! {
        div.door {
            div { (forms) }
            figure {
                figcaption { (l10n.text("door-word")) }
                ul.shelf aria-hidden="true" { @for book in &BOOKS { li { (cover(l10n, book)) } } }
            }
        }
    }
}

fn cover(l10n: &Localizer, book: &Book) -> Markup {
    html! {
        span class={ "cover book " (book.cloth) } {
            // The cloth is darker than its color, as on all bound books.
            svg viewBox="0 0 1 1" preserveAspectRatio="none" {
                path fill=(book.color) d="M0 0h1v1H0z" {}
                path fill="#14161c" fill-opacity=".22" d="M0 0h1v1H0z" {}
            }
            span class={ "slip " (book.size) } lang="ja" { (book.title) }
            span.stamp { (book.season) small { (l10n.anime_format(book.format)) } }
        }
    }
}
