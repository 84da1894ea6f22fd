//! Example requests as curl commands.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use shared::http::body::FORM_MEDIA_TYPE;

use super::document::{OpenApiDocument, Operation, text};
use super::fields::plain;
use super::schema::Schema;

/// The characters that are encoded in a value. A comma is not encoded, because it separates the values of a list.
const ENCODED_IN_VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b',');

/// Returns the schema of a parameter, a header or a content.
pub(super) fn schema_of<'d>(document: &'d OpenApiDocument, part: &'d Value) -> Schema<'d> {
    Schema::new(document, &part["schema"])
}

/// Returns the example of a parameter, as a request has it.
pub(super) fn parameter_example(document: &OpenApiDocument, parameter: &Value) -> Option<String> {
    let of_schema = || schema_of(document, parameter).get("example");
    Some(parameter_text(parameter.get("example").or_else(of_schema)?))
}

fn parameter_text(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        value => plain(value),
    }
}

/// Returns a command that sends an example request. It has the required parameters, and a body with the required
/// fields and the fields that have an example. The variable `TOKEN` of the shell holds the access token.
pub(super) fn curl_command(
    document: &OpenApiDocument,
    operation: &Operation<'_>,
    public_url: &str,
) -> String {
    let mut address = format!("{public_url}{}", operation.path);
    let mut query = Vec::new();
    let mut options = Vec::new();
    if operation.method != "GET" {
        options.push(format!("-X {}", operation.method));
    }
    if operation.needs_token() {
        options.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    }
    for parameter in operation.parameters() {
        let name = text(parameter, "name").unwrap_or_default();
        let place = text(parameter, "in").unwrap_or_default();
        if place != "path" && parameter.get("required") != Some(&Value::Bool(true)) {
            continue;
        }
        let value = parameter_example(document, parameter)
            .unwrap_or_else(|| parameter_text(&schema_of(document, parameter).example()));
        let encoded = utf8_percent_encode(&value, ENCODED_IN_VALUE);
        match place {
            "path" => address = address.replace(&format!("{{{name}}}"), &encoded.to_string()),
            "query" => query.push(format!("{name}={encoded}")),
            "header" => options.push(format!("-H {}", quote(&format!("{name}: {value}")))),
            _ => {}
        }
    }
    options.extend(body_options(document, operation));
    if !query.is_empty() {
        address = format!("{address}?{}", query.join("&"));
    }
    options.insert(0, format!("curl {}", quote(&address)));
    options.join(" \\\n  ")
}

fn body_options(document: &OpenApiDocument, operation: &Operation<'_>) -> Vec<String> {
    let Some((media_type, media)) = operation.body_contents().next() else {
        return Vec::new();
    };
    let schema = schema_of(document, media);
    let example = media.get("example").cloned();
    let body = example.unwrap_or_else(|| schema.example_request());
    if media_type == FORM_MEDIA_TYPE {
        return form_options(&body, schema);
    }
    // A body that is a text is the content of a file, not JSON.
    let data = match &body {
        Value::String(file) => format!("--data-binary {}", quote(file)),
        body => format!("-d {}", quote(&format_json(body))),
    };
    vec![
        format!("-H {}", quote(&format!("Content-Type: {media_type}"))),
        data,
    ]
}

fn form_options(example: &Value, schema: Schema<'_>) -> Vec<String> {
    let option =
        |name: &str, value: &str| format!("--data-urlencode {}", quote(&format!("{name}={value}")));
    let fields = example.as_object().into_iter().flatten();
    let options: Vec<String> = fields
        .map(|(name, value)| option(name, &parameter_text(value)))
        .collect();
    if !options.is_empty() {
        return options;
    }
    // If no field has an example, the names in capitals stand for the values.
    let fields = schema.properties().into_iter();
    fields
        .map(|field| option(field.name, &field.name.to_uppercase()))
        .collect()
}

/// Returns a value in JSON, on one line if it is short.
fn format_json(value: &Value) -> String {
    let short = value.to_string();
    if short.len() <= 60 {
        return short;
    }
    serde_json::to_string_pretty(value).unwrap_or(short)
}

/// Quotes an argument for a shell.
fn quote(argument: &str) -> String {
    format!("'{}'", argument.replace('\'', "'\\''"))
}
