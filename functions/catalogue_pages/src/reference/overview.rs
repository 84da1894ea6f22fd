//! The overview of the reference: the operations by group, and the rules of all operations in short.

use maud::{Markup, html};
use pages::language::Localizer;
use pages::layout::copyable_text;
use pages::paths::{DEVELOPER, OPENAPI, PROFILE_DEVELOPER};

use super::document::Group;
use super::operation::badge;
use super::prose::line;

/// Renders the overview.
pub(super) fn render_overview(groups: &[Group<'_>], public_url: &str) -> Markup {
    html! {
        p.lead {
            "The address of the API is " code { (public_url) } ". Tools and code generators can read the "
            a href=(OPENAPI) { "OpenAPI document" } ", from which these pages are made."
        }
        (examples(public_url))
        (authentication(public_url))
        @for group in groups { (list(group)) }
        (rules())
    }
}

/// Example requests: description and path.
const EXAMPLES: [(&str, &str); 4] = [
    (
        "The three anime that a search with a typing error finds first",
        "/v1/anime?search=cowboy%20bepop&per_page=3",
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

fn examples(public_url: &str) -> Markup {
    html! {
        section aria-labelledby="examples" {
            h2 #examples { "Try it" }
            ul.plain {
                @for (number, (what, path)) in EXAMPLES.iter().enumerate() {
                    @let address = format!("{public_url}{path}");
                    li {
                        a.row href=(address) { (what) }
                        (copyable_text(
                            &Localizer::default(),
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

fn authentication(public_url: &str) -> Markup {
    html! {
        section aria-labelledby="authentication" {
            h2 #authentication { "Authentication" }
            p {
                "The catalogue needs no access token. Requests for the data of a user do. There are three ways \
                 to get one:"
            }
            ul {
                li { "For your own scripts, make one on " a href=(PROFILE_DEVELOPER) { "your profile page" } "." }
                li {
                    "With a username and a password, call "
                    a href="/reference/auth#login" { code { "POST /v1/auth/login" } } "."
                }
                li {
                    "In an application for others, let its users sign in with "
                    a href="/reference/oauth" { "OAuth 2.0" } ". "
                    a href=(DEVELOPER) { "Register the application" } " first. The "
                    a href="/.well-known/oauth-authorization-server" { "authorization server metadata" }
                    " has the addresses."
                }
            }
            p { "Send the token in a header. This request returns the user that the token belongs to:" }
            (copyable_text(
                &Localizer::default(),
                "token-example",
                "the command",
                &format!("curl '{public_url}/v1/auth/me' \\\n  -H \"Authorization: Bearer $TOKEN\""),
            ))
        }
    }
}

fn list(group: &Group<'_>) -> Markup {
    let path = group.path();
    html! {
        section aria-labelledby=(group.name) {
            h2 id=(group.name) { a href=(path) { (group.title) } }
            ul.plain {
                @for operation in &group.operations {
                    li {
                        p.endpoint {
                            a href={ (path) "#" (operation.id()) } {
                                code { strong { (operation.method) } " " (operation.path) }
                            }
                            (badge(operation))
                        }
                        p { (line(operation.title())) }
                    }
                }
            }
        }
    }
}

fn rules() -> Markup {
    html! {
        section aria-labelledby="rules" {
            h2 #rules { "Rules for all operations" }
            dl {
                dt { "Envelope" }
                dd {
                    "Unless an operation says otherwise, a response is JSON in an envelope: "
                    code { "status_code" } " is the HTTP status, " code { "message" } " is a short summary, and "
                    code { "data" } " holds the resource or the list."
                }
                dt { "Errors" }
                dd {
                    code { "data" } " of an error is a sentence that says what to do, or an object with the reason \
                     for each invalid parameter. After a 429 or a 503, wait for the seconds in "
                    code { "Retry-After" } "."
                }
                dt { "Parameters" }
                dd {
                    "Unknown parameters and fields are ignored. A known one with an invalid value is a 400. Bodies \
                     are JSON objects of at most 64 KB. Enumerations are integers."
                }
                dt { "Lists" }
                dd {
                    "A page has " code { "per_page" } " rows, at most 100. The header " code { "Link" }
                    " has the address of the next page. Follow it until it is absent."
                }
                dt { "Caching" }
                dd {
                    "Send the " code { "ETag" } " of a response as " code { "If-None-Match" }
                    ". You get a 304 without a body while nothing has changed."
                }
                dt { "Browsers" }
                dd { "Pages of all origins can call the API (CORS)." }
            }
        }
    }
}
