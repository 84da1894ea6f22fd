//! The OpenAPI document: the file in the repository, and the agreement of the service with it.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Value, json};
use shared::models::TimeZone;
use tests::assertions::AssertText;
use tests::people::Person;
use tests::service::Service;

#[test]
fn openapi_file_is_up_to_date() {
    let file = include_str!("../../functions/catalogue_pages/openapi.json");
    assert!(
        file == cli::openapi::to_json().unwrap(),
        "after a change: cargo run -- openapi > functions/catalogue_pages/openapi.json"
    );
}

#[tokio::test]
async fn openapi_document_is_served_and_linked_from_the_root() {
    let service = Service::with_catalogue(&[], &[]).await;
    let path = "/v1/openapi.json";
    let root = service.get("/").await.text();
    root.assert_has("href=\"/reference\"");
    assert!(service.get("/reference").await.text().contains(path));
    let answer = service.get(path).await;
    let document: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["title"], "Kiroku");
}

/// Returns a service with the sample catalogue, and its first user, who has a story and a public profile. The
/// examples of the document refer to these.
pub(crate) async fn sample_with_story() -> (Service, Person) {
    let service = Service::with_sample().await;
    let person = service.person("mitsuha").await;
    let anime = cli::import::sample::anime().unwrap();
    let anime = anime.iter().find(|anime| anime.id.get() == 2).unwrap();
    assert_eq!(service.create_story(&person, anime, 3).await.status, 200);
    // The curl commands of operations with an optional token have no token.
    let settings = json!({"id": person.id, "gender": 0, "public_profile": true});
    let updated = service.post_as(&person.token, "/v1/user", &settings);
    assert_eq!(updated.await.status, 200);
    (service, person)
}

/// Returns a request body made of the examples of its schema's fields.
fn example_body(document: &Value, endpoint: &Value) -> Option<Value> {
    let content = &endpoint["requestBody"]["content"]["application/json"];
    // The fields of some bodies exclude each other, so these have an example as a whole.
    if let Some(example) = content.get("example") {
        return Some(example.clone());
    }
    let schema = &content["schema"];
    let fields = resolved(document, schema)["properties"].as_object()?;
    let mut body = serde_json::Map::new();
    for (name, field) in fields {
        assert!(
            field["description"].is_string()
                || field.get("$ref").is_some()
                || field.get("oneOf").is_some()
                || field.get("allOf").is_some(),
            "{name}"
        );
        if let Some(example) = field.get("example") {
            body.insert(name.clone(), example.clone());
        }
    }
    // Fields that are enums have no example, because no tool keeps an example next to a `$ref`.
    for (name, value) in [("status", 0), ("gender", 1)] {
        if fields.contains_key(name) {
            body.entry(name).or_insert(value.into());
        }
    }
    Some(body.into())
}

/// Returns the schema that a reference leads to.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str() {
        Some(path) => document.pointer(path.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// Checks that each operation responds to the examples of its parameters and fields with 200, and
/// documents an example of each error and a schema of each response.
#[tokio::test]
async fn examples_of_the_document_are_valid_requests() {
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    let (mut service, mut person) = sample_with_story().await;
    let mut used = false;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, endpoint) in methods.as_object().unwrap() {
            // The OAuth flow needs generated codes, and has tests of its own.
            let is_login = path.starts_with("/v1/oauth");
            let mut address = path.clone();
            let mut query = Vec::new();
            for parameter in endpoint["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                assert!(parameter["description"].is_string(), "{path} {name}");
                let Some(example) = parameter.get("example") else {
                    assert!(
                        is_login || ["cursor", "since", "If-Match", "email"].contains(&name),
                        "{path} {name}: only generated values and optional alternatives have no example"
                    );
                    continue;
                };
                let texts = |value: &Value| value.to_string().replace('"', "");
                let value = match example.as_array() {
                    Some(list) => list.iter().map(texts).collect::<Vec<_>>().join(","),
                    None => texts(example),
                };
                match parameter["in"].as_str() {
                    Some("path") => address = address.replace(&format!("{{{name}}}"), &value),
                    _ => query.push(format!("{name}={}", value.replace(' ', "+"))),
                }
            }
            if used {
                (service, person) = sample_with_story().await;
            }
            used = method != "get";
            let address = format!("{address}?{}", query.join("&"));
            let verb = method.to_uppercase().parse::<Method>().unwrap();
            let secured = endpoint.get("security").is_some();
            let token = secured.then_some(person.token.as_str());
            let file = &endpoint["requestBody"]["content"]["application/octet-stream"]["example"];
            let answer = match (example_body(&document, endpoint), token) {
                _ if file.is_string() => {
                    let bearer = format!("Bearer {}", token.unwrap());
                    let file = file.as_str().unwrap().to_owned();
                    let headers = [("authorization", bearer.as_str())];
                    service.send_body(verb, &address, &headers, file).await
                }
                (Some(body), token) => service.json(verb, &address, token, &body).await,
                (None, Some(token)) => service.with_token(verb, &address, token).await,
                (None, None) => service.send(verb, &address, &[]).await,
            };
            // The token in a mailed link is also generated.
            let is_link = method == "post" && path.ends_with("/confirm");
            let expected = match (is_login, path.as_str(), method.as_str()) {
                (true, "/v1/oauth", "get") => 400,
                // The document describes a form, and this test sends none.
                (true, "/v1/oauth", _) => 415,
                (true, ..) => 401,
                _ if is_link => 400,
                // No import has the identifier of the example, and no player the secret.
                _ if path.ends_with("/undo") || path.ends_with("/{secret}") => 404,
                _ => 200,
            };
            assert_eq!(answer.status, expected, "{method} {address}");
            if path == "/v1/anime" || path == "/v1/song" {
                assert_eq!(
                    answer.ids().len(),
                    1,
                    "the examples match one row of the sample"
                );
            }
            assert_eq!(
                secured,
                endpoint["responses"].get("401").is_some()
                    && !path.ends_with("/login")
                    && !is_login
            );
            for (status, answer) in endpoint["responses"].as_object().unwrap() {
                let content = &answer["content"];
                if content.get("text/html").is_some() {
                    continue;
                }
                let content = &content["application/json"];
                let is_error = status.starts_with(['4', '5']);
                assert_eq!(content["example"].is_object(), is_error, "{path} {status}");
                assert_eq!(
                    content["schema"].is_object(),
                    !["303", "304"].contains(&status.as_str()),
                    "{path} {status}"
                );
            }
        }
    }
}

/// The fields of each resource are the properties of its schema. All of them are required, except the time zone.
#[tokio::test]
async fn schemas_list_the_fields_of_the_resources() {
    let (service, person) = sample_with_story().await;
    let zone = TimeZone::new("Asia/Tokyo").unwrap();
    let users = service.users();
    users.set_first_time_zone(person.id, zone).await.unwrap();
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    for (name, path) in [
        ("Anime", "/v1/anime/2"),
        ("Song", "/v1/song/2048"),
        ("User", "/v1/user/1"),
        ("OwnUser", "/v1/auth/me"),
        ("UserStory", "/v1/user_story/33554434"),
    ] {
        let schema = &document["components"]["schemas"][name];
        let resource = service.get_as(&person.token, path).await.data();
        let names = |object: &Value| -> BTreeSet<String> {
            object.as_object().unwrap().keys().cloned().collect()
        };
        let fields = names(&resource);
        assert_eq!(fields, names(&schema["properties"]));
        let optional = usize::from(name == "OwnUser");
        assert_eq!(
            schema["required"].as_array().unwrap().len(),
            fields.len() - optional
        );
    }
}

/// Every schema that the document refers to exists, and clients are generated with readable names of types.
#[test]
fn references_lead_to_schemas_with_plain_names() {
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in schemas.keys() {
        assert!(!name.contains('_'), "{name}");
    }
    let text = document.to_string();
    for (path, _) in text.match_indices("\"#/components/") {
        let reference = &text[path + 2..];
        let reference = &reference[..reference.find('"').unwrap()];
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
    let data = |envelope: &str| schemas[envelope]["properties"]["data"].clone();
    let song = serde_json::json!({"$ref": "#/components/schemas/Song"});
    assert_eq!(data("SongEnvelope"), song);
    assert_eq!(data("SongListEnvelope")["items"], song);
}

fn openapi_file() -> Value {
    serde_json::from_str(include_str!("../../functions/catalogue_pages/openapi.json")).unwrap()
}

/// Visits a value and all values inside it, each with its path.
fn walk<'d>(value: &'d Value, path: &str, visit: &mut impl FnMut(&'d Value, &str)) {
    visit(value, path);
    match value {
        Value::Object(fields) => {
            // Examples are not schemas.
            let fields = fields
                .iter()
                .filter(|(name, _)| !name.starts_with("example"));
            fields.for_each(|(name, field)| walk(field, &format!("{path}/{name}"), visit));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| walk(item, &format!("{path}/{index}"), visit));
        }
        _ => {}
    }
}

/// Generators of clients lose fields or nulls of other schemas, or stop at them (docs/testing.md, "Generated
/// clients").
#[test]
fn schemas_are_those_that_generators_of_clients_support() {
    let document = openapi_file();
    let is_reference = |schema: &Value| schema["$ref"].is_string();
    let is_null = |schema: &Value| schema["type"] == "null";
    walk(&document, "", &mut |schema, path| {
        for keyword in ["allOf", "anyOf", "not", "if"] {
            let is_property = path.ends_with("/properties");
            assert!(
                is_property || schema.get(keyword).is_none(),
                "{path}: {keyword}"
            );
        }
        if let Some(types) = schema["type"].as_array() {
            assert!(types.len() == 2 && types[1] == "null", "{path}: {types:?}");
        }
        assert!(
            !is_null(schema) || path.ends_with("/oneOf/1"),
            "{path}: only null"
        );
        let Some(alternatives) = schema["oneOf"].as_array() else {
            return;
        };
        assert!(
            schema.get("properties").is_none(),
            "{path}: fields beside oneOf"
        );
        assert!(is_reference(&alternatives[0]), "{path}");
        if alternatives.len() == 2 && is_null(&alternatives[1]) {
            return;
        }
        assert_eq!(
            path.matches('/').count(),
            3,
            "{path}: oneOf in a schema without a name"
        );
        for alternative in alternatives {
            assert_eq!(
                alternative.as_object().unwrap().len(),
                1,
                "{path}: {alternative}"
            );
            assert!(is_reference(alternative), "{path}: {alternative}");
            let target = resolved(&document, alternative);
            assert!(target.get("oneOf").is_none(), "{path}: oneOf in oneOf");
        }
    });
}

/// If a field can have several types, some generators use the fields of one type for all. A client can do without the
/// values of errors.
#[test]
fn only_errors_have_values_of_several_types() {
    let document = openapi_file();
    let mut waiting = Vec::new();
    walk(&document["paths"], "", &mut |value, path| {
        if value["schema"].is_object()
            && !path.contains("/responses/4")
            && !path.contains("/responses/5")
        {
            waiting.push(&value["schema"]);
        }
    });
    let mut seen = BTreeSet::new();
    while let Some(schema) = waiting.pop() {
        walk(schema, "", &mut |part, _| {
            let alternatives = part["oneOf"].as_array().into_iter().flatten();
            let count = alternatives.filter(|one| one["type"] != "null").count();
            assert!(count < 2, "{part}");
            if let Some(name) = part["$ref"].as_str()
                && seen.insert(name)
            {
                waiting.push(resolved(&document, part));
            }
        });
    }
    assert!(seen.len() > 50, "{seen:?}");
}

/// If a response can have several types, most generators use the first type for all. A client reads `binary` as it is.
#[test]
fn first_type_of_a_response_with_several_is_binary() {
    let document = openapi_file();
    let mut count = 0;
    walk(&document["paths"], "", &mut |value, path| {
        let types = value["content"].as_object();
        if let Some(types) = types.filter(|types| types.len() > 1) {
            let (_, first) = types.iter().next().unwrap();
            assert_eq!(
                resolved(&document, &first["schema"])["format"],
                "binary",
                "{path}"
            );
            count += 1;
        }
    });
    assert!(count > 0);
}
