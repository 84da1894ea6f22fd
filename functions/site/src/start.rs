//! The start page: a description of the service, and examples.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::join;
use maud::{Markup, html};
use shared::{Error, grouped};
use store::Head;

use crate::layout::{Page, copyable};
use crate::paths::{DEVELOPER, OPENAPI, PROFILE, SIGN_IN, SIGN_UP};
use crate::sessions::Visitor;
use crate::state::SiteState;

/// Example requests: description and path.
const EXAMPLES: [(&str, &str); 4] = [
    (
        "The three best-rated anime with Gundam in their title",
        "/v1/anime?title=gundam&per_page=3",
    ),
    (
        "Science fiction or mystery, safe for work",
        "/v1/anime?genres=Sci-Fi,Mystery&nsfw=true&per_page=3",
    ),
    (
        "Songs by the Seatbelts",
        "/v1/song?artist=seatbelts&per_page=3",
    ),
    ("Two random anime", "/v1/random/anime/2"),
];

/// `GET /`
pub(crate) async fn page(State(state): State<Arc<SiteState>>, visitor: Visitor) -> Response {
    let name = state.name_of(&visitor);
    let (name, anime, songs) = join!(
        name,
        state.anime_snapshot.head(),
        state.song_snapshot.head()
    );
    let counts = [("anime", rows(anime)), ("songs", rows(songs))];
    let body = html! {
        p.lead {
            "Kiroku is a catalogue of anime and their opening and ending songs. It also records what you \
             watch: what you plan, how far you are, and what you have finished. It has an open HTTP API. \
             You do not need an account to use the catalogue."
        }
        (counted(&counts))
        (ways_in(name.as_deref()))
        (examples(state.public_url()))
        (for_applications())
    };
    let page = Page {
        title: "Anime, their songs, and what you have watched",
        current_path: "",
        visitor: name.as_deref(),
        may_redirect_away: false,
        body,
    };
    page.answer(StatusCode::OK)
}

/// Returns the number of anime or songs in the catalogue, if it is known. The page works without it.
fn rows(head: Result<Option<Head>, Error>) -> Option<u64> {
    match head {
        Ok(head) => head?.rows,
        Err(error) => {
            tracing::warn!(%error, "the start page is shown without a count");
            None
        }
    }
}

fn counted(counts: &[(&str, Option<u64>)]) -> Markup {
    let known = || {
        let counts = counts.iter();
        counts.filter_map(|(what, rows)| rows.map(|rows| (what, rows)))
    };
    html! {
        @if known().next().is_some() {
            ul.counts {
                @for (what, rows) in known() {
                    li { strong { (grouped(rows)) } " " (what) }
                }
            }
        }
    }
}

fn ways_in(name: Option<&str>) -> Markup {
    html! {
        p.actions {
            @if name.is_some() {
                a.button href=(PROFILE) { "Your profile" }
            } @else {
                a.button href=(SIGN_UP) { "Create an account" }
                a.button.secondary href=(SIGN_IN) { "Sign in" }
            }
        }
    }
}

fn examples(public_url: &str) -> Markup {
    html! {
        section aria-labelledby="try" {
            h2 #try { "Try it" }
            p { "All these requests return JSON in the same envelope." }
            ul.plain {
                @for (number, (what, path)) in EXAMPLES.iter().enumerate() {
                    @let address = format!("{public_url}{path}");
                    li {
                        a.row href=(address) { (what) }
                        (copyable(
                            &format!("example-{number}"),
                            "the command",
                            &format!("curl '{address}'"),
                        ))
                    }
                }
            }
        }
    }
}

fn for_applications() -> Markup {
    html! {
        section aria-labelledby="applications" {
            h2 #applications { "For applications" }
            p {
                "Applications that only read the catalogue need no registration. To use watch histories, \
                 an application lets its users sign in here with OAuth 2.0: the authorization code \
                 grant with PKCE or, if it needs that, the implicit grant. It never sees a password, \
                 and users can disconnect it at any time."
            }
            ul.links {
                li { a.row href=(DEVELOPER) { "Register an application" } }
                li { a.row href="/reference" { "API endpoints" } }
                li { a.row href=(OPENAPI) { "OpenAPI document" } }
                li {
                    a.row href="/.well-known/oauth-authorization-server" {
                        "Authorization server metadata"
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn unknown_counts_are_left_out() {
        let html = counted(&[("anime", Some(12_938)), ("songs", None)]).into_string();
        assert_eq!(
            html,
            "<ul class=\"counts\"><li><strong>12,938</strong> anime</li></ul>"
        );
        assert_eq!(counted(&[("anime", None)]).into_string(), "");
    }
}
