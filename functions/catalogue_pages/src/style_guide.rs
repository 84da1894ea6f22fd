//! The style guide: the components of the pages, for people who add pages.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use page_parts::StoryPagesState;
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Control, Field, Page, PageKind, field, notice};
use pages::paths::STYLE_GUIDE;
use pages::sessions::Visitor;
use shared::models::{Anime, AnimeFormat, AnimeId};

/// `GET /style-guide`. It is in English only, like all documentation for developers.
pub(crate) async fn page(State(state): State<Arc<StoryPagesState>>, visitor: Visitor) -> Response {
    let name = state.sessions.name_if_readable(&visitor).await;
    let l10n = Localizer::default();
    let body = html! {
        h1 { "Style guide" }
        p.lead {
            "The components of these pages. They are in crates/pages/src (layout.rs, form.rs, icon.rs and \
             anime_card.rs), with their style in crates/pages/assets/style.css."
        }
        (colors())
        (text_samples())
        (buttons())
        (forms(&l10n))
        (icons())
        (cards(&l10n))
        (rules())
    };
    let page = Page {
        current_path: STYLE_GUIDE,
        visitor: name.as_deref(),
        kind: PageKind::wide(false),
        ..Page::new(&l10n, "Style guide", body)
    };
    page.respond(StatusCode::OK)
}

/// Renders a section with this identifier and heading.
fn section(id: &str, heading: &str, content: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) { h2 id=(id) { (heading) } (content) }
    }
}

fn colors() -> Markup {
    let names = [
        "paper", "sheet", "ink", "faint", "line", "edge", "accent", "tint", "danger",
    ];
    let content = html! {
        p { "Variables of the style sheet. Each has a value for light and one for dark." }
        ul.swatches {
            @for name in names { li { span class={ "swatch " (name) } {} code { "--" (name) } } }
        }
    };
    section("colors", "Colors", &content)
}

fn text_samples() -> Markup {
    let content = html! {
        p.lead { "Lead paragraph: the first words of a page." }
        p { "Text with a " a href="#text" { "link" } ", " strong { "strong words" } " and " code { "code" } "." }
        p.hint { "A hint, in smaller and fainter letters." }
        p { span.badge { "Badge" } }
        ul.chips { li { a href="#text" { "Chip" } } li { a href="#text" { "Another chip" } } }
        (notice("A confirmation at the top of a page."))
        div.faults { p { "An error that the visitor can correct." } }
    };
    section("text", "Text", &content)
}

fn buttons() -> Markup {
    let content = html! {
        p.actions {
            button type="button" { "Main action" }
            button.secondary type="button" { (Icon::Edit) "Secondary" }
            button.danger type="button" { (Icon::Delete) "Deletes" }
            a.button href="#buttons" { (Icon::Next) "Link as a button" }
        }
        p { "A page has one main action. Everything that can be pressed is at least 44 px high." }
    };
    section("buttons", "Buttons", &content)
}

fn forms(l10n: &Localizer) -> Markup {
    let choices = [("a", "First"), ("b", "Second")];
    let choices = choices.map(|(value, label)| (value.into(), label.to_owned()));
    let of = |name, label: &str, control, hint: &str| Field {
        name,
        label: label.to_owned(),
        control,
        value: "a",
        hint: hint.to_owned(),
    };
    let content = html! {
        (field(l10n, &of("words", "A line of text", Control::TextLine, "A hint below the label."), None))
        @let wrong = of("wrong", "A line with an error", Control::TextLine, "");
        (field(l10n, &wrong, Some("must have at least 3 characters")))
        (field(l10n, &of("select", "A list", Control::Select(choices.to_vec()), ""), None))
        (field(l10n, &of("radio", "A choice", Control::Radio(choices.to_vec()), ""), None))
        (field(l10n, &of("check", "Yes or no", Control::Checkbox, ""), None))
    };
    section("forms", "Forms", &content)
}

fn icons() -> Markup {
    let content = html! {
        p { "An icon stands beside a text, because screen readers skip it." }
        ul.swatches {
            @for (icon, name) in Icon::ALL { li { (icon) code { (name) } } }
        }
    };
    section("icons", "Icons", &content)
}

fn cards(l10n: &Localizer) -> Markup {
    let titles = [
        ("Kiroku no Hako", "#2c4a9a"),
        (
            "A title that is so long that it takes several lines on the card",
            "#a3212b",
        ),
        ("מסע אל הכוכבים", "#3b7a57"),
    ];
    let renderer = AnimeRenderer {
        l10n,
        has_images: false,
    };
    let anime = titles
        .into_iter()
        .zip(1..)
        .filter_map(|((title, color), id)| {
            let mut anime = Anime::new(AnimeId::new(id)?, AnimeFormat::Tv);
            anime.titles.insert("en".to_owned(), title.to_owned());
            anime.cover_color = Some(color.to_owned());
            anime.season_year = Some(2026);
            Some(anime)
        });
    let content = html! {
        p { "Without an image, a card shows the initial of the title on a color that depends on the anime." }
        ul.shelf { @for anime in anime { (renderer.card(&anime, CardParts { status: Some(shared::models::WatchStatus::Current), ..CardParts::default() })) } }
    };
    section("cards", "Cards", &content)
}

fn rules() -> Markup {
    let content = html! {
        ul {
            li { "Write each sentence as a message, in all four files of crates/pages/messages." }
            li {
                "Give titles and other texts of the catalogue or of users " code { "lang" } " and "
                code { "dir=\"auto\"" } "."
            }
            li { "Show every page at 320 px, at 200 % text size, in light and dark, and without the script." }
            li { "Use no color alone to say something." }
        }
    };
    section("rules", "Rules", &content)
}
