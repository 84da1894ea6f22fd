//! The reference page: the endpoints of the API, from the OpenAPI document.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use shared::Error;

use crate::error::PageError;
use crate::layout::Page;
use crate::openapi::{self, Document, Operation, Tag};
use crate::paths::OPENAPI;
use crate::sessions::Visitor;
use crate::state::SiteState;

/// `GET /reference`
pub(crate) async fn page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let document = openapi::document().map_err(Error::internal)?;
    let name = state.name_of(&visitor).await;
    let body = html! {
        p {
            "Most responses are JSON in an envelope: " code { "status_code" } " is the HTTP status, "
            code { "message" } " is a short summary, and " code { "data" }
            " holds the result, or the reasons for an error."
        }
        p {
            "Send access tokens in the header " code { "Authorization: Bearer" } ". Parameters, fields and \
             examples are in the " a href=(OPENAPI) { "OpenAPI document" } ", which most API tools \
             can read."
        }
        @for tag in &document.tags {
            (group(document, tag))
        }
    };
    let page = Page {
        title: "Reference",
        current_path: "/reference",
        visitor: name.as_deref(),
        may_redirect_away: false,
        body,
    };
    Ok(page.answer(StatusCode::OK))
}

fn group(document: &Document, tag: &Tag) -> Markup {
    let of_path = document.paths.iter();
    let all = of_path.flat_map(|(path, methods)| methods.iter().map(move |each| (path, each)));
    let own = all.filter(|(_, (_, operation))| operation.tags.contains(&tag.name));
    html! {
        section aria-labelledby=(tag.name) {
            h2 id=(tag.name) { (tag.description.as_ref().unwrap_or(&tag.name)) }
            ul.plain {
                @for (path, (method, operation)) in own {
                    li {
                        p.endpoint {
                            code { strong { (method.to_uppercase()) } " " (path) }
                            @if let Some(token) = token(operation) { " " span.badge { (token) } }
                        }
                        p { (sentences(operation)) }
                    }
                }
            }
        }
    }
}

/// Returns the badge of an endpoint that accepts an access token.
fn token(operation: &Operation) -> Option<&'static str> {
    let ways = &operation.security;
    if ways.is_empty() {
        return None;
    }
    let is_optional = ways.iter().any(BTreeMap::is_empty);
    Some(if is_optional {
        "token optional"
    } else {
        "token required"
    })
}

/// Renders the summary of an endpoint. Text between backticks is shown as code.
fn sentences(operation: &Operation) -> Markup {
    let description = operation.description.as_deref().map(first_sentence);
    let text = operation.summary.as_deref().or(description);
    let parts = text.unwrap_or_default().split('`').enumerate();
    html! {
        @for (number, part) in parts {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn first_sentence(text: &str) -> &str {
    text.split_inclusive(". ").next().unwrap_or(text).trim_end()
}

#[cfg(test)]
mod tests {
    use super::{first_sentence, group, sentences, token};
    use crate::openapi::{Operation, document};

    fn operation(json: &str) -> Operation {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_endpoint_is_listed() {
        let document = document().unwrap();
        let groups = document
            .tags
            .iter()
            .map(|tag| group(document, tag).into_string());
        let html: String = groups.collect();
        for (path, methods) in &document.paths {
            for method in methods.keys() {
                let endpoint = format!("<strong>{}</strong> {path}<", method.to_uppercase());
                assert_eq!(html.matches(&endpoint).count(), 1, "{endpoint}");
            }
        }
        assert!(html.len() < 25_000, "{}", html.len());
    }

    #[test]
    fn tokens() {
        assert_eq!(token(&operation("{}")), None);
        let needed = operation(r#"{"security": [{"bearer": []}]}"#);
        assert_eq!(token(&needed), Some("token required"));
        let optional = operation(r#"{"security": [{}, {"bearer": []}]}"#);
        assert_eq!(token(&optional), Some("token optional"));
    }

    #[test]
    fn code_is_marked() {
        let html = sentences(&operation(r#"{"summary": "With `If-Match` <only>."}"#));
        assert_eq!(
            html.into_string(),
            "With <code>If-Match</code> &lt;only&gt;."
        );
        let html = sentences(&operation(r#"{"description": "One. Two."}"#));
        assert_eq!(html.into_string(), "One.");
        assert_eq!(first_sentence("One"), "One");
    }
}
