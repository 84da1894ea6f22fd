//! The reference: an overview of the API, and a page for each group of operations, from the OpenAPI document.
//!
//! This service renders the pages itself, because the usual viewers need a script of a megabyte and show nothing
//! without it. Rendering them when the program is compiled would need the same code, and would add as much to the
//! binary as the document itself.

mod document;
mod fields;
mod operation;
mod overview;
mod prose;
mod request;
mod schema;

use std::collections::BTreeMap;
use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use pages::assets::REFERENCE_SCRIPT;
use pages::error::PageResult;
use pages::layout::Page;
use pages::paths::REFERENCE;
use pages::sessions::{PageSessions, Visitor};
use serde_json::Value;
use shared::http::ApiError;

use self::document::{Group, OpenApiDocument};
use self::fields::DetailLevel;
use self::operation::{ErrorResponses, PageContext};
use self::prose::line;
use self::schema::{Schema, referenced_name};

/// `GET /reference`
pub(crate) async fn page(
    State(sessions): State<Arc<PageSessions>>,
    visitor: Visitor,
) -> PageResult {
    let groups = OpenApiDocument::of_this_service()?.groups();
    let body = html! {
        (navigation(&groups, None))
        (overview::render_overview(&groups, sessions.public_url()))
    };
    Ok(respond_with_page(
        &sessions,
        &visitor,
        "API reference",
        Markup::default(),
        body,
    )
    .await)
}

/// `GET /reference/{group}`
pub(crate) async fn group_page(
    State(sessions): State<Arc<PageSessions>>,
    visitor: Visitor,
    name: Result<Path<String>, PathRejection>,
) -> PageResult {
    let document = OpenApiDocument::of_this_service()?;
    let groups = document.groups();
    let group = name
        .ok()
        .and_then(|Path(name)| groups.iter().find(|group| group.name == name));
    let group = group.ok_or(ApiError::UnknownPath)?;
    let body = html! {
        (navigation(&groups, Some(group.name)))
        (sections(document, group, sessions.public_url()))
    };
    let script = html! { script src=(REFERENCE_SCRIPT.address()) defer {} };
    Ok(respond_with_page(&sessions, &visitor, group.title, script, body).await)
}

async fn respond_with_page(
    sessions: &PageSessions,
    visitor: &Visitor,
    title: &str,
    head: Markup,
    body: Markup,
) -> Response {
    let signed_in = sessions.find_if_readable(visitor).await;
    let l10n = visitor.localizer(signed_in.as_ref()).in_english();
    let page = Page {
        current_path: REFERENCE,
        visitor: signed_in.as_ref().map(SignedInUser::username),
        head,
        ..Page::new(&l10n, title, body)
    };
    page.respond(StatusCode::OK)
}

/// Renders the links to all pages of the reference.
fn navigation(groups: &[Group<'_>], current: Option<&str>) -> Markup {
    let mark = |is_current: bool| is_current.then_some("page");
    html! {
        nav.index aria-label="Reference" {
            ul {
                li { a href=(REFERENCE) aria-current=[mark(current.is_none())] { "Overview" } }
                @for group in groups {
                    li {
                        a href=(group.path()) aria-current=[mark(current == Some(group.name))] {
                            (group.name)
                        }
                    }
                }
            }
        }
    }
}

/// Renders the operations of a group, their errors and the schemas that they use.
fn sections(document: &OpenApiDocument, group: &Group<'_>, public_url: &str) -> Markup {
    // The schemas of requests are shown in full detail.
    let (mut used, mut used_in_requests) = (Vec::new(), Vec::new());
    for operation in &group.operations {
        for part in ["parameters", "requestBody"] {
            collect_names(
                document,
                group,
                &operation.value[part],
                &mut used_in_requests,
            );
        }
        collect_names(document, group, operation.value, &mut used);
    }
    used.extend(&used_in_requests);
    let context = PageContext {
        document,
        public_url,
        errors: ErrorResponses::of(&group.operations),
        bodies: collect_bodies(document, group),
    };
    let all = document.schemas();
    let schemas = all.filter(|(name, _)| used.contains(name) && !context.bodies.contains_key(name));
    let schemas: Vec<_> = schemas
        .map(|(name, value)| (name, Schema::new(document, value)))
        .filter(|(_, schema)| schema.has_own_section())
        .collect();
    html! {
        ul.links {
            @for operation in &group.operations {
                li {
                    a.row href={ "#" (operation.id()) } { (line(operation.title())) }
                    " " code { (operation.method) " " (operation.path) }
                }
            }
        }
        @for operation in &group.operations { (operation::section(&context, operation)) }
        (context.errors.section(document))
        @if !schemas.is_empty() {
            section aria-labelledby="schemas" {
                h2 #schemas { "Schemas" }
                @for (name, schema) in schemas {
                    @let is_sent = used_in_requests.contains(&name);
                    (fields::named_schema(name, schema, if is_sent { DetailLevel::Full } else { DetailLevel::Linked }))
                }
            }
        }
    }
}

/// Collects the names of the schemas that a part of the document uses, directly and through other schemas. Leaves out
/// those that are on the page of another group.
fn collect_names<'d>(
    document: &'d OpenApiDocument,
    group: &Group<'d>,
    value: &'d Value,
    names: &mut Vec<&'d str>,
) {
    let children: Vec<&Value> = match value {
        Value::Array(values) => values.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => return,
    };
    if let Some(name) = referenced_name(value) {
        if names.contains(&name) || fields::group_of(name).is_some_and(|home| home != group.name) {
            return;
        }
        names.push(name);
    }
    for child in children.into_iter().chain(document.target(value)) {
        collect_names(document, group, child, names);
    }
}

/// Returns the names of the request bodies' schemas, each with the id of the first operation that has it.
fn collect_bodies<'d>(
    document: &'d OpenApiDocument,
    group: &Group<'d>,
) -> BTreeMap<&'d str, &'d str> {
    let mut bodies = BTreeMap::new();
    for operation in &group.operations {
        for (_, media) in operation.body_contents() {
            if let Some(name) = request::schema_of(document, media).name() {
                bodies.entry(name).or_insert(operation.id());
            }
        }
    }
    bodies
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::document::OpenApiDocument;
    use super::sections;

    /// Renders the group `g` of a document with these parts.
    fn page(paths: &Value, schemas: &Value) -> String {
        let document = json!({ "tags": [{ "name": "g" }], "paths": paths, "components": { "schemas": schemas } });
        let document = OpenApiDocument::parse(&document.to_string()).unwrap();
        let groups = document.groups();
        sections(&document, &groups[0], "https://kiroku.example").into_string()
    }

    /// Renders an operation with a request body of this schema.
    fn body(schema: &Value, schemas: &Value) -> String {
        let content = json!({ "application/json": { "schema": schema } });
        let operation = json!({
            "tags": ["g"], "operationId": "op", "requestBody": { "content": content, "required": true }
        });
        page(&json!({ "/a": { "post": operation } }), schemas)
    }

    fn assert_contains(html: &str, parts: &[&str]) {
        for part in parts {
            assert!(html.contains(part), "no {part} in {html}");
        }
    }

    #[test]
    fn json_schema_keywords_are_rendered() {
        let html = body(
            &json!({
                "type": "object", "required": ["a"],
                "properties": {
                    "a": { "type": ["string", "null"], "minLength": 3, "pattern": "^<a>$", "format": "email" },
                    "b": { "type": "array", "minItems": 1, "maxItems": 100, "items": { "type": "integer", "maximum": 33_554_431 } },
                    "c": { "oneOf": [{ "$ref": "#/components/schemas/Kind", "description": "Kind `c`." }, { "type": "null" }] },
                    "d": { "type": "object", "additionalProperties": { "type": "number" } },
                    "e": { "type": "array", "items": { "$ref": "#/components/schemas/Base" } },
                    "f": { "$ref": "#/components/schemas/Choice" },
                    "g": { "type": "string", "enum": ["x", "y"], "example": "y" },
                    "h": { "type": "string", "minLength": 26, "maxLength": 26 },
                    "i": {}
                }
            }),
            &json!({
                "Kind": { "type": "integer", "enum": [0, 1], "description": "0 (TV), 1 (MOVIE)" },
                "Base": { "type": "object", "properties": { "base": { "type": "string" } } },
                "Choice": { "oneOf": [{ "$ref": "#/components/schemas/Kind" }, { "$ref": "#/components/schemas/Base" }] }
            }),
        );
        assert_contains(
            &html,
            &[
                "<code>a</code> <span class=\"kind\">string (email) or null, <strong>required</strong></span>",
                "At least 3 characters. Pattern: <code>^&lt;a&gt;$</code>.",
                "array of integer</span>",
                "1 to 100 values. Each value: At most 33,554,431.",
                "integer (<a href=\"#schema-Kind\">Kind</a>) or null</span>",
                "<p>Kind <code>c</code>.</p><p class=\"kind\"><code>0</code> TV, <code>1</code> MOVIE.</p>",
                "map of number",
                "array of <a href=\"#schema-Base\">Base</a>",
                "<code>f</code> <span class=\"kind\"><a href=\"#schema-Choice\">Choice</a></span>",
                "<code>x</code>, <code>y</code>. Example: <code>y</code>.",
                "Exactly 26 characters",
                "<code>i</code> <span class=\"kind\">any value</span>",
                "<h3 id=\"schema-Kind\">Kind</h3><p class=\"kind\">integer</p><p class=\"kind\"><code>0</code> TV",
                "<h3 id=\"schema-Base\">",
            ],
        );
    }

    #[test]
    fn examples_of_commands_are_quoted() {
        let operation = json!({
            "tags": ["g"], "operationId": "op", "security": [{ "token": [] }],
            "parameters": [
                { "name": "id", "in": "path", "example": "a/b" },
                { "name": "q", "in": "query", "required": true, "schema": { "type": "array" }, "example": ["x y", "é"] },
                { "name": "optional", "in": "query", "example": 1 },
                { "name": "If-Match", "in": "header", "required": true, "example": "\"1\"" }
            ],
            "requestBody": { "content": { "application/x-www-form-urlencoded": { "schema": {
                "properties": { "code": { "example": "it's" }, "optional": {} }
            } } } }
        });
        let html = page(&json!({ "/a/{id}": { "delete": operation } }), &json!({}));
        assert_contains(
            &html,
            &[
                "curl 'https://kiroku.example/a/a%2Fb?q=x%20y,%C3%A9' \\\n  -X DELETE \\\n  \
                 -H &quot;Authorization: Bearer $TOKEN&quot; \\\n  -H 'If-Match: &quot;1&quot;' \\\n  \
                 --data-urlencode 'code=it'\\''s'</code>",
            ],
        );
    }
}
