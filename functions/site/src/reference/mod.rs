//! The reference: an overview of the API, and a page for each group of operations, from the OpenAPI document.

mod document;
mod fields;
mod operation;
mod overview;
mod prose;
mod request;
mod schema;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use pages::assets::REFERENCE_SCRIPT;
use pages::error::PageError;
use pages::language::Localizer;
use pages::layout::{Page, PageKind};
use pages::paths::REFERENCE;
use pages::sessions::{PageSessions, Visitor};
use serde_json::Value;
use shared::http::ApiError;

use self::document::{Group, OpenApiDocument, entries};
use self::fields::DetailLevel;
use self::operation::{ErrorResponses, PageContext};
use self::prose::line;
use self::schema::{Schema, has_composing_keyword};

/// `GET /reference`
pub(crate) async fn page(
    State(sessions): State<Arc<PageSessions>>,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let groups = OpenApiDocument::of_this_service()?.groups();
    let body = html! {
        (navigation(&groups, None))
        (overview::body(&groups, sessions.public_url()))
    };
    let (title, kind) = ("API reference", PageKind::Text);
    Ok(respond_with_page(&sessions, &visitor, title, kind, Markup::default(), body).await)
}

/// `GET /reference/{group}`
pub(crate) async fn group_page(
    State(sessions): State<Arc<PageSessions>>,
    visitor: Visitor,
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, PageError> {
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
    // The forms "Try it" call the API.
    let kind = PageKind::CallsApi;
    let script = html! { script src=(REFERENCE_SCRIPT.address()) defer {} };
    Ok(respond_with_page(&sessions, &visitor, group.title, kind, script, body).await)
}

async fn respond_with_page(
    sessions: &PageSessions,
    visitor: &Visitor,
    title: &str,
    kind: PageKind,
    head: Markup,
    body: Markup,
) -> Response {
    let name = sessions.name_if_readable(visitor).await;
    let l10n = Localizer::default();
    let page = Page {
        current_path: REFERENCE,
        visitor: name.as_deref(),
        kind,
        head,
        ..Page::new(&l10n, title, body)
    };
    page.respond(StatusCode::OK)
}

/// Renders the links to all pages of the reference.
fn navigation(groups: &[Group<'_>], current: Option<&str>) -> Markup {
    let mark = |is_current: bool| is_current.then_some("page");
    html! {
        nav.groups aria-label="Reference" {
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
        for part in operation.parameters.iter().copied().chain(operation.body()) {
            collect_names(document, group, part, &mut used_in_requests);
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
    let target = document.target(value);
    let is_schema = target.is_some() || has_composing_keyword(value);
    let name = is_schema
        .then(|| Schema::new(document, value).name())
        .flatten();
    let home = name.and_then(fields::group_of);
    if home.is_some_and(|home| home != group.name) {
        return;
    }
    let is_known = |names: &[&str]| name.is_some_and(|name| names.contains(&name));
    // A reference is added before its target is read, because a schema can refer to itself. A schema that is
    // not itself a reference can have the name of a schema that it refers to (`Schema::name`). Its name is added last:
    // if it were known already, that reference would not be followed.
    if target.is_some() {
        if is_known(names) {
            return;
        }
        names.extend(name);
    }
    for child in children.into_iter().chain(target) {
        collect_names(document, group, child, names);
    }
    if !is_known(names) {
        names.extend(name);
    }
}

/// Returns the names of the request bodies' schemas, each with the id of the first operation that has it.
fn collect_bodies<'d>(
    document: &'d OpenApiDocument,
    group: &Group<'d>,
) -> BTreeMap<&'d str, String> {
    let mut bodies = BTreeMap::new();
    for operation in &group.operations {
        let contents = operation
            .body()
            .into_iter()
            .flat_map(|body| entries(body, "content"));
        let schemas = contents.filter_map(|(_, media)| media.get("schema"));
        for name in schemas.filter_map(|schema| Schema::new(document, schema).name()) {
            bodies.entry(name).or_insert_with(|| operation.id());
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
        let document = json!({ "paths": paths, "components": { "schemas": schemas } });
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
    fn unknown_and_missing_parts_are_left_out() {
        let html = page(
            &json!({
                "x-note": 1,
                "/a/{b}": {
                    "summary": "All", "servers": [], "parameters": [{ "name": "b", "in": "path" }, 3],
                    "get": {
                        "x": [], "tags": "wrong", "parameters": [
                            { "name": "<q>", "in": "query", "schema": true, "x": 1 },
                            { "name": "r", "in": "elsewhere" },
                            { "$ref": "#/components/parameters/none" }
                        ],
                        "responses": { "default": {}, "2XX": { "content": { "a/b": {} } }, "x": 1 }
                    },
                    "post": {}, "other": {}
                }
            }),
            &json!([]),
        );
        assert_contains(
            &html,
            &[
                "<strong>GET</strong> /a/{b}",
                "<strong>POST</strong> /a/{b}",
                "<code>&lt;q&gt;</code> <span class=\"kind\">any value</span>",
                "<code>b</code>",
                "<a href=\"#error-default\">default</a>",
                "<dt>2XX</dt>",
            ],
        );
        assert_eq!(
            page(&json!({ "/a": { "get": { "requestBody": 1 } } }), &json!(1))
                .matches("<h2")
                .count(),
            1
        );
    }

    #[test]
    fn schemas_that_contain_themselves_are_links() {
        let tree = json!({
            "type": "object", "required": ["next"],
            "properties": { "next": { "$ref": "#/components/schemas/Tree" }, "loop": { "$ref": "#/components/schemas/Loop" } }
        });
        let schemas = json!({ "Tree": tree, "Loop": { "$ref": "#/components/schemas/Loop" } });
        let html = body(&json!({ "$ref": "#/components/schemas/Tree" }), &schemas);
        assert_contains(
            &html,
            &[
                "<h3 id=\"schema-Tree\">",
                "<a href=\"#schema-Tree\">Tree</a>, <strong>required",
            ],
        );
    }

    #[test]
    fn json_schema_keywords_are_rendered() {
        let html = body(
            &json!({
                "type": "object",
                "anyOf": [{ "required": ["a"] }, { "required": ["b", "c"] }],
                "properties": {
                    "a": { "type": ["string", "null"], "minLength": 3, "pattern": "^<a>$", "format": "email", "default": "x" },
                    "b": { "type": "array", "minItems": 1, "maxItems": 100, "uniqueItems": true, "items": { "type": "integer", "exclusiveMinimum": 0, "maximum": 33_554_431 } },
                    "c": { "oneOf": [{ "const": "all" }, { "type": "integer", "multipleOf": 5 }] },
                    "d": { "anyOf": [{ "$ref": "#/components/schemas/Kind" }, { "type": "null" }], "description": "Kind `d`." },
                    "e": { "type": "object", "additionalProperties": { "type": "number" } },
                    "f": { "allOf": [{ "$ref": "#/components/schemas/Base" }, { "properties": { "own": { "type": "boolean" } }, "required": ["own"] }] },
                    "g": { "type": "array", "items": { "oneOf": [
                        { "type": "object", "description": "Put.", "properties": { "op": { "const": "put" } } },
                        { "$ref": "#/components/schemas/Base" }
                    ] } },
                    "h": { "type": "string", "enum": ["x", "y"], "deprecated": true, "examples": ["y"] },
                    "i": { "type": "string", "minLength": 26, "maxLength": 26 }
                }
            }),
            &json!({
                "Kind": { "type": "integer", "enum": [0, 1], "description": "0 (TV), 1 (MOVIE)" },
                "Base": { "type": "object", "properties": { "base": { "type": "string" } } }
            }),
        );
        assert_contains(
            &html,
            &[
                "Required: <code>a</code> or <code>b</code> and <code>c</code>.",
                "<code>a</code> <span class=\"kind\">string (email) or null</span>",
                "At least 3 characters. Pattern: <code>^&lt;a&gt;$</code>. Default: <code>x</code>.",
                "array of integer</span>",
                "1 to 100 values. No value twice. Each value: At most 33,554,431. Each value: More than 0.",
                "<code>c</code> <span class=\"kind\">string or integer</span>",
                "string: Always <code>all</code>. integer: A multiple of 5.",
                "integer (<a href=\"#schema-Kind\">Kind</a>) or null</span>",
                "<p>Kind <code>d</code>.</p><p class=\"facts\"><code>0</code> TV, <code>1</code> MOVIE.</p>",
                "map of number",
                "<code>own</code> <span class=\"kind\">boolean, <strong>required</strong></span>",
                "<code>base</code>",
                "array of object or <a href=\"#schema-Base\">Base</a>",
                "<p>Put.</p>",
                "Always <code>put</code>",
                "string, deprecated</span>",
                "<code>x</code>, <code>y</code>. Example: <code>y</code>.",
                "Exactly 26 characters",
                "<h3 id=\"schema-Kind\">Kind</h3><p class=\"kind\">integer</p><p class=\"facts\"><code>0</code> TV",
                "<h3 id=\"schema-Base\">",
            ],
        );
    }

    #[test]
    fn examples_of_commands_are_quoted() {
        let operation = json!({
            "tags": ["g"], "operationId": "op", "security": [{ "token": ["write"] }],
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
                "scope <code>write</code>",
            ],
        );
    }
}
