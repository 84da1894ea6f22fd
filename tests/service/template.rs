//! template.yaml is the one place that names routes and tables: what else speaks of them is held
//! equal to it.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use cli::template::Template;
use serde_json::Value;
use shared::http::layers::cors;
use shared::http::routing::ApiRouter;
use shared::models::{Anime, Song};
use tests::service::Service;

/// The function of each path.
type Routes = BTreeSet<(String, String)>;

fn template() -> Template {
    Template::load().unwrap()
}

/// The routes of the template but `$default`, which takes every other path.
fn template_routes() -> Routes {
    let routes = template().routes();
    let (default, routes): (Vec<_>, Vec<_>) =
        routes.into_iter().partition(|route| route.path.is_empty());
    assert_eq!(default.len(), 1, "$default");
    assert_eq!(default[0].function, "site");
    for route in &routes {
        // A route for GET alone would refuse HEAD.
        assert_eq!(route.method, "ANY", "{}", route.path);
    }
    let paths: BTreeSet<&str> = routes.iter().map(|route| route.path.as_str()).collect();
    assert_eq!(paths.len(), routes.len(), "each path has one route");
    routes
        .into_iter()
        .map(|route| (route.path, route.function))
        .collect()
}

fn of_router(function: &str, router: &ApiRouter) -> Routes {
    let routes = router.routes().iter();
    routes
        .map(|(_, path)| ((*path).to_owned(), function.to_owned()))
        .collect()
}

#[tokio::test]
async fn the_functions_routers_have_its_routes() {
    let service = Service::empty().await;
    let mut routes = of_router("anime", &anime::router(service.catalogue::<Anime>()));
    routes.extend(of_router(
        "song",
        &song::router(service.catalogue::<Song>()),
    ));
    routes.extend(of_router(
        "site",
        &site::router(::site::SiteState::new(&service.environment).unwrap()),
    ));
    routes.extend(of_router(
        "oauth",
        &oauth::router(::oauth::OAuthState::new(&service.environment).unwrap()),
    ));
    routes.extend(of_router(
        "auth",
        &auth::router(::auth::AuthState::new(&service.environment).unwrap()),
    ));
    routes.extend(of_router(
        "user",
        &user::router(::user::UserState::new(&service.environment).unwrap()),
    ));
    let user_story =
        user_story::router(::user_story::StoryState::new(&service.environment).unwrap());
    routes.extend(of_router("user_story", &user_story));
    assert_eq!(routes, template_routes());
}

#[tokio::test]
async fn the_one_process_server_has_its_routes() {
    let service = Service::empty().await;
    let router = cli::router::router(&service.environment).unwrap();
    let path = |(path, _): (String, String)| path;
    let routes: BTreeSet<_> = of_router("", &router).into_iter().map(path).collect();
    assert_eq!(routes, template_routes().into_iter().map(path).collect());
}

#[test]
fn the_router_of_cargo_lambda_watch_has_its_routes() {
    let manifest: toml::Table = toml::from_str(include_str!("../../Cargo.toml")).unwrap();
    let router = &manifest["workspace"]["metadata"]["lambda"]["watch"]["router"];
    let routes = router.as_table().unwrap().iter();
    // A function's name alone stands for every method.
    let routes =
        routes.map(|(path, function)| (path.clone(), function.as_str().unwrap().to_owned()));
    assert_eq!(routes.collect::<Routes>(), template_routes());
}

#[tokio::test]
async fn the_reference_has_its_routes() {
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    let mut routes = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            routes.insert((method.to_uppercase(), path.clone()));
        }
    }
    // Pages are for people: they have no reference.
    let is_api = |path: &str| path.starts_with("/v1/") || path.starts_with("/.well-known/");
    let service = Service::empty().await;
    let router = cli::router::router(&service.environment).unwrap();
    let expected = router.routes().iter();
    let expected = expected
        .filter(|(_, path)| is_api(path))
        .map(|(method, path)| ((*method).to_owned(), (*path).to_owned()));
    assert_eq!(routes, expected.collect());
}

#[test]
fn api_gateway_has_the_cors_headers_of_the_functions() {
    let template = template();
    let list = |name: &str| {
        let pointer = format!("/CorsConfiguration/{name}");
        let values = template
            .property("HttpApi", &pointer)
            .and_then(Value::as_array);
        let values = values
            .unwrap()
            .iter()
            .map(|value| value.as_str().unwrap().to_owned());
        values.collect::<Vec<_>>()
    };
    assert_eq!(list("AllowOrigins"), ["*"]);
    assert_eq!(list("AllowMethods"), cors::METHODS);
    assert_eq!(list("AllowHeaders"), cors::REQUEST_HEADERS);
    assert_eq!(list("ExposeHeaders"), cors::ANSWER_HEADERS);
    let age = template.property("HttpApi", "/CorsConfiguration/MaxAge");
    assert_eq!(age.and_then(Value::as_u64), Some(cors::MAX_AGE));
    let stage = template.property("HttpApi", "/StageName").unwrap();
    assert_eq!(stage, "$default", "routes match in no other stage");
}

/// What the engine says of each table is what the template says.
#[tokio::test]
async fn local_tables_are_its_tables() {
    let service = Service::empty().await;
    let tables = template().tables().unwrap();
    assert_eq!(tables.len(), 12);
    for table in tables {
        let name = service.tables.of(&table.table_name);
        let made = service
            .client
            .describe_table()
            .table_name(&name)
            .send()
            .await
            .unwrap();
        let made = made.table.unwrap();
        let keys = |schema: &[aws_sdk_dynamodb::types::KeySchemaElement]| {
            let key = |key: &aws_sdk_dynamodb::types::KeySchemaElement| {
                (
                    key.attribute_name().to_owned(),
                    key.key_type().as_str().to_owned(),
                )
            };
            schema.iter().map(key).collect::<Vec<_>>()
        };
        let wanted = |schema: &[cli::template::KeyElement]| {
            let key = |key: &cli::template::KeyElement| {
                (key.attribute_name.clone(), key.key_type.clone())
            };
            schema.iter().map(key).collect::<Vec<_>>()
        };
        assert_eq!(keys(made.key_schema()), wanted(&table.key_schema), "{name}");
        assert_eq!(
            made.global_secondary_indexes().len(),
            table.global_secondary_indexes.len()
        );
        for index in &table.global_secondary_indexes {
            let there = made.global_secondary_indexes().iter();
            let there = there
                .clone()
                .find(|there| there.index_name() == Some(&index.index_name));
            let there = there.unwrap();
            assert_eq!(keys(there.key_schema()), wanted(&index.key_schema));
            let projection = there.projection().unwrap();
            let kind = projection.projection_type().unwrap().as_str();
            assert_eq!(kind, index.projection.projection_type);
            let mut projected = projection.non_key_attributes().to_vec();
            let mut wanted = index
                .projection
                .non_key_attributes
                .clone()
                .unwrap_or_default();
            projected.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(projected, wanted);
        }
        let ttl = service
            .client
            .describe_time_to_live()
            .table_name(&name)
            .send()
            .await
            .unwrap();
        let ttl = ttl
            .time_to_live_description
            .and_then(|ttl| ttl.attribute_name);
        assert_eq!(
            ttl,
            table
                .time_to_live_specification
                .map(|ttl| ttl.attribute_name)
        );
    }
}

#[tokio::test]
async fn tables_are_made_once() {
    let service = Service::empty().await;
    let created = cli::tables::create_missing(&service.client, &service.tables)
        .await
        .unwrap();
    assert_eq!(created, Vec::<String>::new());
}

/// A folder that another version made: its empty tables are made anew, and no row is touched.
#[tokio::test]
async fn tables_of_another_version() {
    use aws_sdk_dynamodb::types::AttributeValue;
    let service = Service::empty().await;
    let (client, name) = (&service.client, service.tables.of("User"));
    let make_other = async || {
        client
            .delete_table()
            .table_name(&name)
            .send()
            .await
            .unwrap();
        let key = KeySchemaElement::builder()
            .attribute_name("id")
            .key_type(KeyType::Hash);
        let id = AttributeDefinition::builder()
            .attribute_name("id")
            .attribute_type(ScalarAttributeType::N);
        let request = client.create_table().table_name(&name);
        let request = request
            .billing_mode(BillingMode::PayPerRequest)
            .key_schema(key.build().unwrap())
            .attribute_definitions(id.build().unwrap());
        request.send().await.unwrap();
    };
    make_other().await;
    let created = cli::tables::create_missing(client, &service.tables).await;
    assert_eq!(created.unwrap(), ["User"]);
    assert_eq!(service.register("taki").await.status, 200);

    make_other().await;
    let request = client.put_item().table_name(&name);
    let row = request.item("id", AttributeValue::N("1".to_owned()));
    row.send().await.unwrap();
    let refused = cli::tables::create_missing(client, &service.tables).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("made by another version"), "{refused}");
}
