//! The style guide: the components of the pages, for people who add pages. docs/design.md says why they look so.

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use page_parts::StoryPagesState;
use page_parts::story::{StoryKey, quick_actions};
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Control, Field, Page, PageKind, field, section_head};
use pages::paths::STYLE_GUIDE;
use pages::seal::{STATUSES, seal, sealed};
use pages::sessions::Visitor;
use pages::tally::Tally;
use shared::models::{Anime, AnimeFormat, AnimeId, Season, WatchStatus};

/// `GET /style-guide`. It is in English only, like all documentation for developers.
pub(crate) async fn page(State(state): State<Arc<StoryPagesState>>, visitor: Visitor) -> Response {
    let signed_in = state.sessions.find_if_readable(&visitor).await;
    let l10n = visitor.localizer(signed_in.as_ref()).in_english();
    let body = html! {
        h1 { "Style guide" }
        p.prose.sec0 {
            "The components of these pages. They are in crates/pages/src (layout.rs, anime_card.rs, seal.rs, tally.rs, \
             form.rs and icon.rs), with their style in crates/pages/assets/style. docs/design.md has the reasons."
        }
        (colors())
        (text_samples())
        (statuses(&l10n))
        (buttons())
        (cards(&l10n))
        (ledger(&l10n))
        (forms(&l10n))
        (notices())
        (icons())
        (rules())
    };
    let page = Page {
        current_path: STYLE_GUIDE,
        visitor: signed_in.as_ref().map(SignedInUser::username),
        kind: PageKind::wide(false),
        ..Page::new(&l10n, "Style guide", body)
    };
    page.respond(StatusCode::OK)
}

/// Renders a section with this identifier and heading.
fn section(id: &str, heading: &str, content: &Markup) -> Markup {
    html! {
        section.sec id=(id) { (section_head(heading, &Markup::default())) (content) }
    }
}

fn colors() -> Markup {
    let names = [
        ("paper", "the ground"),
        ("sheet", "a slip to write on: the record, menus, the date"),
        ("wash", "the row below the pointer, and what is chosen"),
        ("ink", "text, and the double rule"),
        (
            "soft",
            "secondary text, but never a score, a time or progress",
        ),
        ("rule", "hairlines, and the strokes of episodes to come"),
        ("edge", "lines to write on, and edges of controls"),
        (
            "seal",
            "the one accent: +1, the main action, the current page, today",
        ),
        ("on-seal", "text on the accent"),
    ];
    let content = html! {
        p { "Variables of the style sheet. Each has a value for light and one for dark." }
        table {
            tbody {
                @for (name, purpose) in names {
                    tr {
                        td {
                            svg width="64" height="32" aria-hidden="true" {
                                path fill={ "var(--" (name) ")" } stroke="var(--edge)" d="M.5.5h63v31H.5z" {}
                            }
                        }
                        th scope="row" { code { "--" (name) } }
                        td { (purpose) }
                    }
                }
            }
        }
    };
    section("colors", "Colors", &content)
}

fn text_samples() -> Markup {
    let content = html! {
        p { "Headings and all figures have the display face, and everything else has the sans of the system." }
        h3 { "A heading within a section" }
        p.prose { "Text to read, such as the story of an anime: larger, and at most 42 rem wide." }
        p { "Text with a " a href="#text" { "link" } ", " strong { "strong words" } " and " code { "code" } "." }
        p.small.soft { "A label or a hint." }
        p { span.num { "86.5" } " is a figure, and " span.num { "1,012" } " is another." }
        ul.chips {
            li { a href="#text" { "Chip" } }
            li { a.on href="#text" { "Active" } }
            li { a.not href="#text" { "Excluded" } }
        }
    };
    section("text", "Text", &content)
}

fn statuses(l10n: &Localizer) -> Markup {
    let tally = |watched, aired, episodes| Tally {
        watched,
        aired,
        episodes,
    };
    let tallies = [
        ("watch", "6 / 12", tally(6, Some(8), 12)),
        ("done", "25 / 25", tally(25, None, 25)),
        ("pause", "41 / 110", tally(41, None, 110)),
        ("watch", "1,129 / ?", tally(1129, None, 0)),
    ];
    let content = html! {
        p {
            "A seal stands for a status. It is filled once an entry has begun. A word is always beside it, or unseen \
             text on a cover."
        }
        ul.key {
            li { span.sealed { (seal(None)) "The whole list" } }
            @for status in STATUSES { li { (sealed(l10n, status)) } }
        }
        p {
            "A tally has a stroke for each episode, up to 52. Episodes that have aired and were not watched stand out \
             lightly. The numbers are always beside it."
        }
        table.bars {
            tbody {
                @for (class, figures, tally) in tallies {
                    tr { td { span.num { (figures) } } td { div class=(class) { (tally) } } }
                }
            }
        }
    };
    section("seals", "Seals and tallies", &content)
}

fn buttons() -> Markup {
    let content = html! {
        div.acts {
            button.button type="button" { "Main action" }
            button.button.secondary type="button" { (Icon::Edit) "Secondary" }
            a.button.secondary href="#buttons" { (Icon::Next) "Link as a button" }
            button.plus type="button" aria-label="+1: watched episode 7" { "+1" }
            a href="#buttons" { "A link beside buttons" }
        }
        p { "A view has one main action. Targets are 44 px high on touch, and 34 px with a mouse." }
    };
    section("buttons", "Buttons", &content)
}

/// Returns the anime of the samples, with and without a Japanese title.
fn samples() -> impl Iterator<Item = Anime> {
    let titles = [
        (
            "Records of the Harbor",
            "港の記録",
            "#3d6f8f",
            Season::Winter,
        ),
        ("Evening Bell", "夕べの鐘", "#8a2f3f", Season::Fall),
        (
            "A title that is so long that it takes several lines on its slip",
            "",
            "#3a7a6a",
            Season::Summer,
        ),
        ("מסע אל הכוכבים", "", "#7a4f8a", Season::Spring),
    ];
    titles
        .into_iter()
        .zip(1..)
        .filter_map(|((title, japanese, color, season), id)| {
            let mut anime = Anime::new(AnimeId::new(id)?, AnimeFormat::Tv);
            anime.titles.insert("en".to_owned(), title.to_owned());
            if !japanese.is_empty() {
                anime.titles.insert("jp".to_owned(), japanese.to_owned());
            }
            anime.cover_color = Some(color.to_owned());
            anime.season_period = season;
            anime.season_year = Some(2026);
            Some(anime)
        })
}

fn cards(l10n: &Localizer) -> Markup {
    let renderer = AnimeRenderer::new(false, l10n);
    let card = |anime: &Anime, status: Option<WatchStatus>| {
        let title = renderer.title(anime);
        let parts = CardParts {
            status,
            tally: status.map(|_| Tally {
                watched: 4,
                aired: None,
                episodes: 12,
            }),
            actions: Some(quick_actions(l10n, &StoryKey::of(anime.id, None), &title)),
            ..CardParts::default()
        };
        renderer.card(anime, parts)
    };
    let statuses = [Some(WatchStatus::Current), None, None, None];
    let content = html! {
        p {
            "An anime without an image is a bound book: its title on a slip, vertical in Japanese, with the cloth of \
             its season. The actions open on hover, on focus, and with the button on touch."
        }
        ul.shelf { @for (anime, status) in samples().zip(statuses) { (card(&anime, status)) } }
    };
    section("cards", "Covers and cards", &content)
}

fn ledger(l10n: &Localizer) -> Markup {
    let renderer = AnimeRenderer::new(false, l10n);
    let content = html! {
        p { "A row of the list is 52 px high with a mouse. Its number turns into a check box below the pointer." }
        ol.ledger {
            @for (anime, number) in samples().zip(1..3) {
                li {
                    label.pick {
                        input type="checkbox" aria-label={ "Select " (renderer.title(&anime)) };
                        span.no aria-hidden="true" { (number) }
                    }
                    (renderer.linked_cover(&anime))
                    div.name {
                        h3.clamp { (renderer.title_markup(&anime)) }
                        @if let Some(original) = l10n.original_title(&anime.titles) {
                            p lang=(original.lang()) { (original.text) }
                        }
                    }
                    div.meta {
                        span.st.due { "Airs today" }
                        span.fy.soft { "TV · Winter 2026" }
                        span.pr.watch {
                            span.num { "6" i { " / 12" } }
                            (Tally { watched: 6, aired: Some(8), episodes: 12 })
                        }
                    }
                    button.plus type="button" aria-label={ "+1: " (renderer.title(&anime)) } { "+1" }
                }
            }
        }
    };
    section("ledger", "Ledger", &content)
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
        p { "A field is one line to write on." }
        div.text {
            (field(l10n, &of("words", "A line of text", Control::TextLine, "A hint below the label."), None))
            @let wrong = of("wrong", "A line with an error", Control::TextLine, "");
            (field(l10n, &wrong, Some("must have at least 3 characters")))
            (field(l10n, &of("select", "A list", Control::Select(choices.to_vec()), ""), None))
            (field(l10n, &of("radio", "A choice", Control::Radio(choices.to_vec()), ""), None))
            (field(l10n, &of("check", "Yes or no", Control::Checkbox, ""), None))
            p.actions {
                button type="button" { "Save" }
                button.secondary type="button" { "Secondary" }
                button.danger type="button" { (Icon::Delete) "Deletes" }
            }
        }
    };
    section("forms", "Forms", &content)
}

fn notices() -> Markup {
    let content = html! {
        p.notice role="status" { "A confirmation at the top of a page." }
        div.faults { p { "An error that the visitor can correct." } }
    };
    section("notices", "Notices", &content)
}

fn icons() -> Markup {
    let content = html! {
        p { "An icon stands beside a text, because screen readers skip it." }
        ul.key { @for (icon, name) in Icon::ALL { li { (icon) " " code { (name) } } } }
    };
    section("icons", "Icons", &content)
}

fn rules() -> Markup {
    let content = html! {
        ul.plain {
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
