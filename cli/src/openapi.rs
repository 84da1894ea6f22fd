//! The OpenAPI document of the whole service.

use std::collections::BTreeMap;

use shared::http::openapi::complete_operation;
use shared::http::{Envelope, ErrorData};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ArrayBuilder, Object, ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{Modify, OpenApi};

/// The parts of the document that all functions share.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Kiroku",
        version = "1",
        description = "Anime catalogue and watch history. Except where an endpoint says otherwise, a JSON \
            response is an envelope: `status_code` equals the HTTP status, `message` is short and fixed, and `data` \
            holds the resource, the list, or the details of an error. Unknown query parameters are \
            ignored. A known query parameter with an invalid value gets a 400 that names it. When \
            a route is called too often, API Gateway responds with a 429 that has no envelope. \
            Requests for a user's data need an access token: `Authorization: Bearer <token>`. \
            A token in the query string is refused.",
    ),
    servers((url = "/")),
    tags(
        (name = "auth", description = "Accounts and sign-in"),
        (name = "oauth", description = "OAuth 2.0 for applications that act for users"),
        (name = "user", description = "Users"),
        (name = "user_data", description = "Everything that is stored about a user"),
        (name = "user_statistics", description = "Statistics of users' watch histories"),
        (name = "user_suggestions", description = "What users can watch next"),
        (name = "user_story", description = "Watch histories of users"),
        (name = "user_story_sync", description = "Batches, change feed and change history of watch histories"),
        (name = "user_story_file", description = "Imports and exports of watch histories as list files"),
        (name = "playback", description = "Messages of media servers, players and scripts about what was watched"),
        (name = "anime", description = "Anime catalogue"),
        (name = "song", description = "Opening and ending songs of anime"),
        (name = "site", description = "This document"),
    ),
    components(schemas(Envelope<ErrorData>, ErrorData)),
    modifiers(&BearerScheme),
)]
struct Service;

/// Adds the security scheme for access tokens.
struct BearerScheme;

impl Modify for BearerScheme {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .description(Some("An access token, in one header: `Authorization: Bearer eyJ0eXAi...`. It expires after \
                30 days."));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme.build()));
    }
}

/// Merges the documents of all functions.
pub fn document() -> utoipa::openapi::OpenApi {
    let mut document = Service::openapi();
    for part in [
        auth::Reference::openapi(),
        oauth::Reference::openapi(),
        playback::Reference::openapi(),
        user::Reference::openapi(),
        user_story::Reference::openapi(),
        anime::Reference::openapi(),
        song::Reference::openapi(),
        catalogue_pages::Reference::openapi(),
    ] {
        document.merge(part);
    }
    for (path, operation) in operations(&mut document) {
        complete_operation(path, operation);
    }
    name_envelopes(&mut document);
    name_alternatives(&mut document);
    flatten_compositions(&mut document);
    flatten_optional_bodies(&mut document);
    document
}

/// The beginning of the names of envelopes that `utoipa` derives, such as `Envelope_Vec_Anime`.
const DERIVED_PREFIX: &str = "Envelope_";

/// The name of the schema of a sentence that says why a request failed.
const ERROR_REASON: &str = "ErrorReason";

/// The name of the schema of errors by field.
const FIELD_ERRORS: &str = "FieldErrors";

/// Names envelopes after their data, such as `AnimeListEnvelope`, and makes them refer to the schema of their data. The
/// derived envelopes repeat the schema instead, and a generated client would then have two types for each resource.
fn name_envelopes(document: &mut utoipa::openapi::OpenApi) {
    let schemas = &mut document.components.get_or_insert_default().schemas;
    for (derived, mut schema) in std::mem::take(schemas) {
        let Some(data) = derived.strip_prefix(DERIVED_PREFIX) else {
            schemas.insert(derived, schema);
            continue;
        };
        if let RefOr::T(Schema::Object(envelope)) = &mut schema {
            let name = "data".to_owned();
            let item = data.strip_prefix("Vec_").unwrap_or(data);
            let reference = RefOr::Ref(Ref::from_schema_name(item));
            match data {
                "String" => {
                    let empty = ObjectBuilder::new().schema_type(Type::String);
                    let empty = empty.max_length(Some(0)).description(Some("Always empty."));
                    envelope.properties.insert(name, empty.into());
                }
                _ if data == item => {
                    envelope.properties.insert(name, reference);
                }
                _ => {
                    let list = ArrayBuilder::new().items(reference);
                    envelope.properties.insert(name, list.into());
                }
            }
        }
        schemas.insert(envelope_name(data), schema);
    }
    let responses =
        operations(document).flat_map(|(_, operation)| operation.responses.responses.values_mut());
    for response in responses {
        let RefOr::T(response) = response else {
            continue;
        };
        for content in response.content.values_mut() {
            if let RefOr::T(content) = content
                && let Some(RefOr::Ref(reference)) = &mut content.schema
                && let Some((_, data)) = reference.ref_location.split_once(DERIVED_PREFIX)
            {
                *reference = Ref::from_schema_name(envelope_name(data));
            }
        }
    }
}

/// Names the alternatives of each schema that is a choice. A generated client has a named type only for a named schema,
/// and some generators stop at a text without a name, or at a reference with a description.
fn name_alternatives(document: &mut utoipa::openapi::OpenApi) {
    let schemas = &mut document.components.get_or_insert_default().schemas;
    let mut named = Vec::new();
    for schema in schemas.values_mut() {
        let RefOr::T(Schema::OneOf(one_of)) = schema else {
            continue;
        };
        for alternative in &mut one_of.items {
            let name = match alternative {
                RefOr::Ref(reference) => {
                    reference.description.clear();
                    continue;
                }
                RefOr::T(Schema::Object(object)) if object.schema_type == Type::String.into() => {
                    object.description = Some("The reason, and what to do about it.".to_owned());
                    ERROR_REASON
                }
                RefOr::T(_) => FIELD_ERRORS,
            };
            let reference = Ref::from_schema_name(name).into();
            named.push((name.to_owned(), std::mem::replace(alternative, reference)));
        }
    }
    schemas.extend(named);
}

/// Replaces each schema that adds fields to another schema by one object with all fields. Many generators lose fields
/// or nulls of a composed schema.
fn flatten_compositions(document: &mut utoipa::openapi::OpenApi) {
    let schemas = &mut document.components.get_or_insert_default().schemas;
    let composed: Vec<String> = schemas
        .iter()
        .filter(|(_, schema)| matches!(schema, RefOr::T(Schema::AllOf(_))))
        .map(|(name, _)| name.clone())
        .collect();
    for name in composed {
        let Some(RefOr::T(Schema::AllOf(all_of))) = schemas.get(&name) else {
            continue;
        };
        let mut merged = ObjectBuilder::new().schema_type(Type::Object).build();
        for part in &all_of.items {
            merge(&mut merged, part, schemas);
        }
        merged.description.clone_from(&all_of.description);
        schemas.insert(name, merged.into());
    }
}

type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Adds the fields of a schema to an object.
fn merge(merged: &mut Object, part: &RefOr<Schema>, schemas: &Schemas) {
    match part {
        RefOr::Ref(reference) => {
            let name = reference.ref_location.rsplit('/').next();
            if let Some(target) = name.and_then(|name| schemas.get(name)) {
                merge(merged, target, schemas);
            }
        }
        RefOr::T(Schema::AllOf(all_of)) => {
            for part in &all_of.items {
                merge(merged, part, schemas);
            }
        }
        RefOr::T(Schema::Object(object)) => {
            merged.properties.extend(object.properties.clone());
            merged.required.extend(object.required.iter().cloned());
        }
        RefOr::T(_) => {}
    }
}

/// Replaces the schema of an optional body by the schema of the body itself. The derived schema also allows null, which
/// has no meaning for a form.
fn flatten_optional_bodies(document: &mut utoipa::openapi::OpenApi) {
    for (_, operation) in operations(document) {
        let Some(RefOr::T(body)) = &mut operation.request_body else {
            continue;
        };
        for content in body.content.values_mut() {
            if let RefOr::T(content) = content
                && let Some(RefOr::T(Schema::OneOf(alternatives))) = &content.schema
            {
                content.schema = alternatives.items.first().cloned();
            }
        }
    }
}

/// Returns the operations, each with its path.
fn operations(
    document: &mut utoipa::openapi::OpenApi,
) -> impl Iterator<Item = (&str, &mut Operation)> {
    let paths = document.paths.paths.iter_mut();
    paths.flat_map(|(path, item)| {
        let methods = [
            &mut item.get,
            &mut item.put,
            &mut item.post,
            &mut item.delete,
        ];
        let operations = methods.into_iter().flatten();
        operations.map(|operation| (path.as_str(), operation))
    })
}

/// Returns the name of the envelope for data whose schema has this name.
fn envelope_name(data: &str) -> String {
    match (data, data.strip_prefix("Vec_")) {
        ("String", _) => "EmptyEnvelope".to_owned(),
        ("ErrorData", _) => "ErrorEnvelope".to_owned(),
        (_, Some(item)) => format!("{item}ListEnvelope"),
        (_, None) => format!("{data}Envelope"),
    }
}

/// Returns the document as it is stored in `functions/catalogue_pages/openapi.json`.
pub fn to_json() -> anyhow::Result<String> {
    Ok(format!("{}\n", document().to_pretty_json()?))
}
