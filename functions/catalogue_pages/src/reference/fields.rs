//! Schemas as HTML: types, limits and lists of fields.

use maud::{Markup, PreEscaped, html};
use serde_json::Value;
use shared::grouped;

use super::document::text;
use super::prose::blocks;
use super::schema::Schema;

/// The level of detail of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DetailLevel {
    /// For requests: with an example, and with the limits and values even of schemas that have a section.
    Full,
    /// For responses: named schemas are only linked.
    Linked,
}

/// Returns the fragment of the deep link to a schema.
pub(super) fn fragment(name: &str) -> String {
    format!("schema-{name}")
}

/// Schemas that responses of several groups include, each with the group whose page has the schema. The pages of other
/// groups link to that page, because they would be too large with the schema.
const SHARED_SCHEMAS: [(&str, &str); 2] = [("Anime", "anime"), ("Song", "song")];

/// Returns the group whose page has a schema that the pages of other groups link to.
pub(super) fn group_of(name: &str) -> Option<&'static str> {
    let found = SHARED_SCHEMAS.iter().find(|(shared, _)| *shared == name);
    found.map(|(_, group)| *group)
}

/// Renders a link to a schema, on this page or on the page of another group.
pub(super) fn schema_link(name: &str) -> Markup {
    let page = group_of(name).map(|group| format!("/reference/{group}"));
    html! { a href={ (page.unwrap_or_default()) "#" (fragment(name)) } { (name) } }
}

/// Renders the type of a schema. The name of a schema is a link.
pub(super) fn schema_type(schema: Schema<'_>) -> Markup {
    let name = schema.name().filter(|_| schema.has_own_section());
    // The name of an object or a choice replaces its type. The name of any other schema is added after the type.
    let (whole, suffix) = if schema.is_composed() {
        (name, None)
    } else {
        (None, name)
    };
    // The format is left out beside a name, because the name links to a section that states the format.
    let main_type = whole.map_or_else(|| unnamed_type(schema, suffix.is_none()), schema_link);
    html! {
        (main_type)
        @if let Some(name) = suffix { " (" (schema_link(name)) ")" }
        @if schema.is_nullable() {
            @if !main_type.0.is_empty() { " or " }
            "null"
        }
    }
}

/// Renders the types of a schema without its name and without `null`.
fn unnamed_type(schema: Schema<'_>, has_format: bool) -> Markup {
    let types = schema.types();
    let kinds: Vec<Markup> = if types.is_empty() {
        schema.alternatives().into_iter().map(schema_type).collect()
    } else {
        let types = types.into_iter();
        types
            .map(|name| json_type(schema, name, has_format))
            .collect()
    };
    if kinds.is_empty() && !schema.is_nullable() {
        return html! { "any value" };
    }
    join(&kinds, " or ")
}

fn json_type(schema: Schema<'_>, name: &str, has_format: bool) -> Markup {
    let inner = match name {
        "array" => schema.items(),
        "object" => schema.map_values(),
        _ => None,
    };
    let format = schema
        .get("format")
        .and_then(Value::as_str)
        .filter(|_| has_format);
    html! {
        @match (name, inner) {
            ("array", Some(items)) => { "array of " (schema_type(items)) }
            ("object", Some(values)) => { "map of " (schema_type(values)) }
            ("integer" | "number" | "string", _) => {
                (name)
                @if let Some(format) = format { " (" (format) ")" }
            }
            _ => (name),
        }
    }
}

/// Renders the limits, the values and, in full detail, the example of a schema.
fn facts(schema: Schema<'_>, detail: DetailLevel) -> Vec<Markup> {
    let has_section = schema.name().is_some() && schema.has_own_section();
    // The link to the section of the schema is enough.
    if has_section && (schema.is_composed() || detail == DetailLevel::Linked) {
        return Vec::new();
    }
    let mut facts = limits(schema);
    if detail == DetailLevel::Full
        && let Some(example) = schema.get("example")
    {
        facts.push(html! { "Example: " (code(example)) });
    }
    facts
}

/// Renders the conditions that a schema sets for values.
fn limits(schema: Schema<'_>) -> Vec<Markup> {
    let mut facts = values(schema);
    let mut add = |text: Option<String>| facts.extend(text.map(|text| html! { (text) }));
    add(range(schema, ["minimum", "maximum"], ""));
    add(range(schema, ["minLength", "maxLength"], " characters"));
    add(range(schema, ["minItems", "maxItems"], " values"));
    if let Some(pattern) = schema.get("pattern") {
        facts.push(html! { "Pattern: " (code(pattern)) });
    }
    if let Some(items) = schema
        .items()
        .filter(|items| items.name().is_none() || !items.is_composed())
    {
        facts.extend(
            limits(items)
                .iter()
                .map(|fact| html! { "Each value: " (fact) }),
        );
    }
    facts
}

/// Renders the values that a schema lists, with their names if it has them.
fn values(schema: Schema<'_>) -> Vec<Markup> {
    let named: Vec<Markup> = named_values(schema)
        .into_iter()
        .map(|(value, name)| html! { (code(value)) @if let Some(name) = name { " " (name) } })
        .collect();
    if named.is_empty() {
        return Vec::new();
    }
    vec![join(&named, ", ")]
}

/// Returns the values that a schema lists. Their names are in its description, as in `0 (TV), 1 (MOVIE)`.
pub(super) fn named_values(schema: Schema<'_>) -> Vec<(&Value, Option<&str>)> {
    let listing = schema.part_with("enum");
    let values = listing.and_then(|part| part.get("enum")?.as_array());
    let names = listing
        .and_then(|part| text(part, "description"))
        .unwrap_or_default();
    let name_of = |value: &Value| {
        let mut names = names.split(", ");
        names.find_map(|name| {
            name.strip_prefix(&plain(value))?
                .strip_prefix(" (")?
                .strip_suffix(')')
        })
    };
    let values = values.into_iter().flatten();
    values.map(|value| (value, name_of(value))).collect()
}

fn range(schema: Schema<'_>, [least, most]: [&str; 2], unit: &str) -> Option<String> {
    let of = |keyword| schema.get(keyword).and_then(number);
    let units = |count: &str| match count {
        "1" => format!("1{}", unit.trim_end_matches('s')),
        _ => format!("{count}{unit}"),
    };
    match (of(least), of(most)) {
        (Some(least), Some(most)) if least == most => Some(format!("Exactly {}", units(&least))),
        (Some(least), Some(most)) => Some(format!("{least} to {}", units(&most))),
        (Some(least), None) => Some(format!("At least {}", units(&least))),
        (None, Some(most)) => Some(format!("At most {}", units(&most))),
        (None, None) => None,
    }
}

fn number(value: &Value) -> Option<String> {
    let text = value.as_number()?.to_string();
    let large = value.as_u64().filter(|number| *number >= 10_000);
    Some(large.map_or(text, grouped))
}

/// Returns a value as a request has it: a text without quotes.
pub(super) fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn code(value: &Value) -> Markup {
    html! { code { (plain(value)) } }
}

fn join(parts: &[Markup], separator: &str) -> Markup {
    let parts: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
    PreEscaped(parts.join(separator))
}

/// Renders the type of a parameter or a field. In a request, the label marks required fields. In a response, it
/// marks optional fields, because most fields are always there.
pub(super) fn label(schema: Schema<'_>, is_required: bool, detail: DetailLevel) -> Markup {
    html! {
        span.kind {
            (schema_type(schema))
            @match (detail, is_required) {
                (DetailLevel::Full, true) => { ", " strong { "required" } }
                (DetailLevel::Linked, false) => ", optional",
                _ => {}
            }
        }
    }
}

/// Renders the type of a value that is not a field.
pub(super) fn value_label(schema: Schema<'_>) -> Markup {
    html! { span.kind { (schema_type(schema)) } }
}

/// Renders what an object or a choice is composed of: the fields, or the alternatives.
fn composition(schema: Schema<'_>, detail: DetailLevel) -> Markup {
    let (fields, alternatives) = (schema.properties(), schema.alternatives());
    let details = |one| details(one, description_besides_values(one), &[], detail);
    let is_described = |one: &Schema<'_>| one.description().is_some() || one.is_composed();
    html! {
        @if !fields.is_empty() {
            dl.fields {
                @for field in &fields {
                    dt { code { (field.name) } " " (label(field.schema, field.is_required, detail)) }
                    dd { (details(field.schema)) }
                }
            }
        }
        @if alternatives.iter().any(is_described) {
            ul {
                @for one in alternatives { li { (value_label(one)) (details(one)) } }
            }
        }
    }
}

/// Renders the description and the limits of a value, and the fields of its objects if their schemas have no section
/// of their own.
pub(super) fn details(
    schema: Schema<'_>,
    description: Option<&str>,
    notes: &[Markup],
    detail: DetailLevel,
) -> Markup {
    let facts = [&facts(schema, detail), notes].concat();
    html! {
        @if let Some(text) = description { (blocks(text)) }
        @if !facts.is_empty() { p.kind { (join(&facts, ". ")) "." } }
        (nested_fields(schema, detail))
    }
}

fn nested_fields(schema: Schema<'_>, detail: DetailLevel) -> Markup {
    if schema.name().is_some() && schema.has_own_section() {
        return Markup::default();
    }
    if let Some(values) = schema.items().or_else(|| schema.map_values()) {
        return nested_fields(values, detail);
    }
    composition(schema, detail)
}

/// Returns the description of a schema, unless it only lists the values with their names.
fn description_besides_values(schema: Schema<'_>) -> Option<&str> {
    let description = schema.description()?;
    let values = named_values(schema);
    let has_names = !values.is_empty() && values.iter().all(|(_, name)| name.is_some());
    let listing = schema.part_with("enum");
    let lists = listing.and_then(|part| text(part, "description"));
    (!has_names || lists != Some(description)).then_some(description)
}

/// Renders a schema with a name.
pub(super) fn named_schema(name: &str, schema: Schema<'_>, detail: DetailLevel) -> Markup {
    html! {
        h3 id=(fragment(name)) { (name) }
        @if !schema.is_composed() { p.kind { (unnamed_type(schema, true)) } }
        @if let Some(text) = description_besides_values(schema) { (blocks(text)) }
        (schema_body(schema, detail))
    }
}

/// Renders the fields, the alternatives and the limits of a schema, even if the schema has a section that could be
/// linked.
pub(super) fn schema_body(schema: Schema<'_>, detail: DetailLevel) -> Markup {
    let limits = limits(schema);
    html! {
        (composition(schema, detail))
        @if !limits.is_empty() { p.kind { (join(&limits, ". ")) "." } }
    }
}
