//! The OpenAPI document: the file in the repository, and what the service does of it.

use serde_json::Value;
use tests::service::Service;

#[test]
fn the_file_in_the_repository_is_what_the_code_says() {
    let file = include_str!("../../functions/site/openapi.json");
    assert_eq!(
        file,
        cli::openapi::to_json().unwrap(),
        "after a change: cargo run -- openapi > functions/site/openapi.json"
    );
}

#[tokio::test]
async fn it_is_served_and_the_root_says_where() {
    let service = Service::with(&[], &[]).await;
    let path = service.get("/").await.data()["reference"]
        .as_str()
        .unwrap()
        .to_owned();
    let answer = service.get(&path).await;
    let document: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["title"], "Kiroku");
}

/// Each endpoint answers the example of each of its parameters with 200, has an example in each
/// error, and a schema for each answer.
#[tokio::test]
async fn its_examples_work() {
    let service = Service::with_sample().await;
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let endpoint = &methods["get"];
        let mut address = path.clone();
        let mut query = Vec::new();
        for parameter in endpoint["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            assert!(parameter["description"].is_string(), "{path} {name}");
            let Some(example) = parameter.get("example") else {
                assert_eq!(name, "cursor", "only a cursor cannot be made up");
                continue;
            };
            let texts = |value: &Value| value.to_string().replace('"', "");
            let value = match example.as_array() {
                Some(list) => list.iter().map(texts).collect::<Vec<_>>().join(","),
                None => texts(example),
            };
            match parameter["in"].as_str() {
                Some("path") => address = address.replace(&format!("{{{name}}}"), &value),
                _ => query.push(format!("{name}={value}")),
            }
        }
        let answer = service.get(&format!("{address}?{}", query.join("&"))).await;
        assert_eq!(answer.status, 200, "{address}?{query:?}");
        if path == "/v1/anime" || path == "/v1/song" {
            assert_eq!(
                answer.ids().len(),
                1,
                "the examples are of one row of the sample"
            );
        }
        for (status, answer) in endpoint["responses"].as_object().unwrap() {
            let content = &answer["content"]["application/json"];
            let is_error = status.starts_with(['4', '5']);
            assert_eq!(content["example"].is_object(), is_error, "{path} {status}");
            assert_eq!(
                content["schema"].is_object(),
                status != "304",
                "{path} {status}"
            );
        }
    }
}

/// Every field that a resource has is in its schema, as required, and the other way round.
#[tokio::test]
async fn its_schemas_have_every_field() {
    let service = Service::with_sample().await;
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    for (name, path) in [("Anime", "/v1/anime/2"), ("Song", "/v1/song/2048")] {
        let schema = &document["components"]["schemas"][name];
        let resource = service.get(path).await.data();
        let fields: Vec<&String> = resource.as_object().unwrap().keys().collect();
        let described: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(fields, described);
        assert_eq!(schema["required"].as_array().unwrap().len(), fields.len());
    }
}
