//! An operation as HTML: parameters, request body, responses, an example and the form "Try it".

use std::collections::BTreeMap;

use maud::{Markup, html};
use pages::language::Localizer;
use pages::layout::copyable_text;
use serde_json::Value;

use super::document::{OpenApiDocument, Operation, entries, text};
use super::fields::{self, DetailLevel};
use super::prose::{blocks, line};
use super::request;
use super::schema::Schema;

/// The media type of the API.
const JSON_MEDIA_TYPE: &str = "application/json";

/// The places of parameters and the headings of their lists.
const PLACES: [(&str, &str); 3] = [
    ("path", "Path parameters"),
    ("query", "Query parameters"),
    ("header", "Request headers"),
];

/// The parts that the operations of a page share.
#[derive(Debug)]
pub(super) struct PageContext<'d> {
    /// The document.
    pub document: &'d OpenApiDocument,
    /// The public URL of the service, without a trailing slash.
    pub public_url: &'d str,
    /// The error responses of the page.
    pub errors: ErrorResponses<'d>,
    /// The names of the request bodies' schemas, each with the id of the operation that shows its fields.
    pub bodies: BTreeMap<&'d str, &'d str>,
}

/// The distinct error responses of a page. Most operations have the same errors.
#[derive(Debug, Default)]
pub(super) struct ErrorResponses<'d>(Vec<(String, &'d str, &'d Value)>);

impl<'d> ErrorResponses<'d> {
    /// Returns the error responses of some operations.
    pub fn of(operations: &[Operation<'d>]) -> Self {
        let mut errors = Self::default();
        for (status, response) in operations.iter().flat_map(Operation::responses) {
            if is_error(status) && errors.id(status, response).is_none() {
                let same = errors.0.iter().filter(|(_, other, _)| *other == status);
                let id = match same.count() {
                    0 => format!("error-{status}"),
                    others => format!("error-{status}-{}", others + 1),
                };
                errors.0.push((id, status, response));
            }
        }
        errors.0.sort_by_key(|(_, status, _)| *status);
        errors
    }

    fn id(&self, status: &str, response: &Value) -> Option<&str> {
        let mut errors = self.0.iter();
        let found = errors.find(|(_, other, value)| *other == status && *value == response)?;
        Some(&found.0)
    }

    /// Renders the section with the details of all error responses.
    pub fn section(&self, document: &OpenApiDocument) -> Markup {
        // Nearly all errors have the same schema, so it is shown once.
        let schema = self
            .0
            .iter()
            .find_map(|(_, _, response)| json_schema(response));
        let described = schema.map(|schema| Schema::new(document, schema));
        html! {
            @if !self.0.is_empty() {
                section aria-labelledby="errors" {
                    h2 #errors { "Errors" }
                    @if let Some(schema) = described { (content_schema(JSON_MEDIA_TYPE, schema)) }
                    dl.fields {
                        @for (id, status, response) in &self.0 {
                            dt id=(id) { (status) }
                            dd {
                                (description_and_headers(document, response))
                                @for (media_type, media) in entries(response, "content") {
                                    @if media.get("schema") != schema { (content_of(document, media_type, media)) }
                                    @if let Some(example) = media.get("example") {
                                        pre { code { (format!("{example:#}")) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn json_schema(response: &Value) -> Option<&Value> {
    response.get("content")?.get(JSON_MEDIA_TYPE)?.get("schema")
}

fn is_error(status: &str) -> bool {
    status.starts_with(['4', '5'])
}

/// Renders whether an access token is required or optional. Renders nothing for an operation that accepts no token.
pub(super) fn badge(operation: &Operation<'_>) -> Markup {
    let has_token = operation.security().any(|way| !way.is_empty());
    html! {
        @if has_token {
            " "
            span.badge {
                @if operation.needs_token() { "token required" } @else { "token optional" }
            }
        }
    }
}

/// Renders an operation.
pub(super) fn section(context: &PageContext<'_>, operation: &Operation<'_>) -> Markup {
    let id = operation.id();
    let curl = request::curl_command(context.document, operation, context.public_url);
    html! {
        section.operation aria-labelledby=(id) {
            h2 id=(id) { a href={ "#" (id) } { (line(operation.title())) } }
            p.endpoint {
                code { strong { (operation.method) } " " (operation.path) }
                (badge(operation))
            }
            @if let Some(text) = text(operation.value, "description") { (blocks(text)) }
            (copyable_text(&Localizer::default(), &format!("curl-{id}"), "the command", &curl))
            (parameters(context.document, operation))
            (render_request_body(context, operation))
            (responses(context, operation))
            @if can_be_tried(operation) {
                div.try data-path=(operation.path) data-token[operation.security().next().is_some()] {}
            }
        }
    }
}

fn parameters(document: &OpenApiDocument, operation: &Operation<'_>) -> Markup {
    html! {
        @for (place, heading) in PLACES {
            @let mut placed = operation.parameters().filter(|one| text(one, "in") == Some(place)).peekable();
            @if placed.peek().is_some() {
                h3 { (heading) }
                dl.fields data-in=(place) {
                    @for parameter in placed { (self::parameter(document, parameter)) }
                }
            }
        }
    }
}

fn parameter(document: &OpenApiDocument, parameter: &Value) -> Markup {
    let schema = request::schema_of(document, parameter);
    let is_required = parameter.get("required") == Some(&Value::Bool(true));
    let example = request::parameter_example(document, parameter);
    let own_example = example
        .as_deref()
        .filter(|_| parameter.get("example").is_some());
    let mut notes = Vec::new();
    if schema.items().is_some() && parameter.get("explode") == Some(&Value::Bool(false)) {
        notes.push(html! { "Separated by commas" });
    }
    if let Some(example) = own_example {
        notes.push(html! { "Example: " code { (example) } });
    }
    html! {
        dt data-example=[example.as_deref()] data-required[is_required] data-values=[choices(schema)] {
            code { (text(parameter, "name").unwrap_or_default()) }
            " " (fields::label(schema, is_required, DetailLevel::Full))
        }
        dd { (fields::details(schema, text(parameter, "description"), &notes, DetailLevel::Full)) }
    }
}

/// Returns the values that a parameter can have, separated by commas, if it is a choice. The name of a value
/// follows after a space.
fn choices(schema: Schema<'_>) -> Option<String> {
    if schema.types() == ["boolean"] {
        return Some("true,false".to_owned());
    }
    let values = fields::named_values(schema);
    let texts = values.iter().map(|(value, name)| {
        let value = fields::plain(value);
        name.map_or_else(|| value.clone(), |name| format!("{value} {name}"))
    });
    (!values.is_empty()).then(|| texts.collect::<Vec<_>>().join(","))
}

fn render_request_body(context: &PageContext<'_>, operation: &Operation<'_>) -> Markup {
    let body = &operation.value["requestBody"];
    let is_required = body.get("required") == Some(&Value::Bool(true));
    html! {
        @for (media_type, media) in operation.body_contents() {
            @let schema = request::schema_of(context.document, media);
            @let place = schema.name().and_then(|name| context.bodies.get_key_value(name));
            @let here = place.filter(|(_, place)| **place == operation.id()).map(|(name, _)| fields::fragment(name));
            h3 id=[here.as_ref()] {
                "Request body: " code { (media_type) }
                @if !is_required { ", optional" }
            }
            @if let Some(text) = text(body, "description").or_else(|| schema.description()) { (blocks(text)) }
            @if place.is_some() && here.is_none() {
                p { (fields::schema_type(schema)) }
            } @else if schema.items().is_some() {
                p { (fields::value_label(schema)) }
                (fields::details(schema, None, &[], DetailLevel::Full))
            } @else {
                (fields::schema_body(schema, DetailLevel::Full))
            }
        }
    }
}

fn responses(context: &PageContext<'_>, operation: &Operation<'_>) -> Markup {
    html! {
        h3 { "Responses" }
        dl.responses {
            @for (status, response) in operation.responses() {
                @if is_error(status) && let Some(id) = context.errors.id(status, response) {
                    dt { a href={ "#" (id) } { (status) } }
                    dd { p { (line(text(response, "description").unwrap_or_default())) } }
                } @else {
                    dt { (status) }
                    dd {
                        (description_and_headers(context.document, response))
                        @for (media_type, media) in entries(response, "content") {
                            (content_of(context.document, media_type, media))
                            (example_of(context.document, media_type, media))
                        }
                    }
                }
            }
        }
    }
}

fn description_and_headers(document: &OpenApiDocument, response: &Value) -> Markup {
    html! {
        @if let Some(text) = text(response, "description") { (blocks(text)) }
        @for (name, header) in entries(response, "headers") {
            p {
                "Header " code { (name) } " " (fields::value_label(request::schema_of(document, header)))
                @if let Some(text) = text(header, "description") { ": " (line(text)) }
            }
        }
    }
}

fn content_of(document: &OpenApiDocument, media_type: &str, media: &Value) -> Markup {
    html! {
        @if let Some(schema) = media.get("schema") { (content_schema(media_type, Schema::new(document, schema))) }
    }
}

/// Renders the schema of a response. If the response is an envelope (docs/api.md), this is the schema of `data`.
fn content_schema(media_type: &str, schema: Schema<'_>) -> Markup {
    let (name, schema) = schema
        .envelope_data()
        .map_or((media_type, schema), |data| ("data", data));
    html! {
        p { code { (name) } " " (fields::value_label(schema)) }
        (fields::details(schema, None, &[], DetailLevel::Linked))
    }
}

/// Renders the example of a successful response, which is built from the examples of the fields' schemas.
fn example_of(document: &OpenApiDocument, media_type: &str, media: &Value) -> Markup {
    html! {
        @if media_type == JSON_MEDIA_TYPE && let Some(schema) = media.get("schema") {
            details {
                summary { "Example of the response" }
                pre tabindex="0" { code { (format!("{:#}", Schema::new(document, schema).example())) } }
            }
        }
    }
}

/// Returns true for an operation that the form "Try it" can send: a GET with a response in JSON.
fn can_be_tried(operation: &Operation<'_>) -> bool {
    let is_json = |(status, response): (&str, &Value)| {
        status.starts_with('2') && response["content"].get(JSON_MEDIA_TYPE).is_some()
    };
    operation.method == "GET" && operation.responses().any(is_json)
}
