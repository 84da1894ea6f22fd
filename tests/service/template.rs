//! template.yaml is the single source for routes. Everything else that lists routes or tables is compared with it. Its
//! alarms cover every function.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use axum::body::Body;
use axum::http::Request;
use axum::routing::get;
use cli::data::schema::TABLES;
use cli::data::tables::FoundTables;
use dynamo::Projection;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::http::ApiError;
use shared::http::layers::{LayerSettings, cors};
use shared::random::Random;
use tests::assertions::AssertText;
use tests::engine;
use tests::log::Log;
use tests::recorder::written_tables;
use tests::service::{PUBLIC_URL, Service, call};
use tests::template::{KeyElement, Template};

/// The function that has the route `$default`: it answers every request that no other route leads elsewhere.
const DEFAULT: &str = "catalogue_pages";

/// Paths and the names of their functions.
type Routes = BTreeSet<(String, String)>;

fn template() -> Template {
    Template::load().unwrap()
}

/// Returns true for a path of the API. Other paths are pages and their files.
fn is_api(path: &str) -> bool {
    path.starts_with("/v1/") || path.starts_with("/.well-known/")
}

/// Returns the routes of the template without `$default`, which takes every other path.
fn template_routes() -> Routes {
    let routes = template().routes();
    let (default, routes): (Vec<_>, Vec<_>) =
        routes.into_iter().partition(|route| route.path.is_empty());
    assert_eq!(default.len(), 1, "$default");
    assert_eq!(default[0].function, DEFAULT);
    for route in &routes {
        // A route for GET only would reject HEAD.
        assert_eq!(route.method, "ANY", "{}", route.path);
    }
    let paths: BTreeSet<&str> = routes.iter().map(|route| route.path.as_str()).collect();
    assert_eq!(paths.len(), routes.len(), "each path has one route");
    routes
        .into_iter()
        .map(|route| (route.path, route.function))
        .collect()
}

/// Returns the paths of all functions' routers.
fn paths_of_the_functions(service: &Service) -> Routes {
    let functions = cli::serve::router::FUNCTIONS.into_iter();
    let paths = functions.flat_map(|(name, build)| {
        let router = build(&service.environment).unwrap();
        let paths = router.routes.iter();
        let paths = paths.map(|(_, path)| (path.to_string(), name.to_owned()));
        paths.collect::<Vec<_>>()
    });
    paths.collect()
}

#[tokio::test]
async fn routes_of_the_functions_match_the_template() {
    let service = Service::empty().await;
    let api = |routes: Routes| -> Routes {
        let routes = routes.into_iter();
        routes.filter(|(path, _)| is_api(path)).collect()
    };
    let routes = paths_of_the_functions(&service);
    assert_eq!(api(routes), api(template_routes()));
}

/// Each page reaches its function by a route of the template, some of which lead all paths with the same beginning, or
/// by `$default`. Every route leads to at least one page.
#[tokio::test]
async fn pages_are_led_to_their_functions() {
    let service = Service::empty().await;
    let is_page = |(path, _): &(String, String)| !is_api(path);
    let led: Routes = template_routes().into_iter().filter(is_page).collect();
    let mut router = matchit::Router::new();
    for route in &led {
        let path = route.0.replace("{proxy+}", "{*proxy}");
        router.insert(path, route).unwrap();
    }
    let mut used = Routes::new();
    let pages = paths_of_the_functions(&service).into_iter();
    for (path, function) in pages.filter(is_page) {
        match router.at(&path) {
            Ok(found) => {
                assert_eq!(found.value.1, function, "{path}");
                used.insert((*found.value).clone());
            }
            Err(_) => assert_eq!(function, DEFAULT, "{path}"),
        }
    }
    assert_eq!(used, led);
}

/// A mistake in a function can damage only a part of the data. The sweep, which only deletes, is the exception.
#[test]
fn no_function_writes_more_than_seven_tables() {
    let written = written_tables();
    for (function, tables) in &written {
        let is_sweep = *function == "account_sweep";
        assert!(is_sweep || tables.len() <= 7, "{function}: {tables:?}");
    }
    let of_visitors: Vec<&String> = written[DEFAULT].iter().collect();
    assert_eq!(
        of_visitors,
        ["Session"],
        "pages for visitors change nothing"
    );
}

/// The accounts of an environment are built with both key rings, whether or not a function uses them.
#[test]
fn functions_with_accounts_name_both_key_rings() {
    let template = include_str!("../../template.yaml");
    let sources = [
        (
            "AuthFunction",
            include_str!("../../functions/auth/src/lib.rs"),
        ),
        (
            "OAuthFunction",
            include_str!("../../functions/oauth/src/state.rs"),
        ),
        (
            "AccountPagesFunction",
            include_str!("../../functions/account_pages/src/state.rs"),
        ),
        (
            "ListPagesFunction",
            include_str!("../../functions/list_pages/src/state.rs"),
        ),
        (
            "UserFunction",
            include_str!("../../functions/user/src/lib.rs"),
        ),
    ];
    for (function, source) in sources {
        assert!(source.contains("environment.accounts()"), "{function}");
        let resource = template.between(&format!("\n  {function}:\n"), "\n\n");
        for secret in ["SIGNING_SECRET_ARN:", "ENCRYPTION_SECRET_ARN:"] {
            assert!(resource.contains(secret), "{function} has no {secret}");
        }
    }
}

#[test]
fn cargo_lambda_watch_routes_like_the_template() {
    let manifest: toml::Table = toml::from_str(include_str!("../../Cargo.toml")).unwrap();
    let routes = &manifest["workspace"]["metadata"]["lambda"]["watch"]["router"];
    let mut router = matchit::Router::new();
    for (path, function) in routes.as_table().unwrap() {
        // A route without a method takes every method.
        router.insert(path, function.as_str().unwrap()).unwrap();
    }
    let mut expected = template_routes();
    // The route `$default` takes every other path.
    for path in ["/anime/{id}", "/nothing", "/v2"] {
        expected.insert((path.to_owned(), DEFAULT.to_owned()));
    }
    for (path, function) in expected {
        assert_eq!(*router.at(&path).unwrap().value, function, "{path}");
    }
}

/// Returns the methods and paths of the OpenAPI document.
pub(crate) fn described_endpoints() -> BTreeSet<(String, String)> {
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    let mut endpoints = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            endpoints.insert((method.to_uppercase(), path.clone()));
        }
    }
    endpoints
}

#[tokio::test]
async fn paths_of_the_openapi_document_match_the_routes() {
    // The reference does not list web pages.
    let service = Service::empty().await;
    let router = cli::serve::router::router(&service.environment).unwrap();
    let expected = router.routes.iter();
    let expected = expected
        .filter(|(_, path)| is_api(path))
        .map(|(method, path)| ((*method).to_owned(), path.to_string()));
    assert_eq!(described_endpoints(), expected.collect());
}

#[test]
fn cors_settings_of_api_gateway_match_the_functions() {
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
    assert_eq!(list("ExposeHeaders"), cors::RESPONSE_HEADERS);
    let age = template.property("HttpApi", "/CorsConfiguration/MaxAge");
    assert_eq!(age.and_then(Value::as_u64), Some(cors::MAX_AGE_S));
    let stage = template.property("HttpApi", "/StageName").unwrap();
    assert_eq!(stage, "$default", "another stage would be part of the path");
}

/// Compares each table in the engine with its definition in the template.
#[tokio::test]
async fn local_tables_match_the_template() {
    let client = engine::client(engine::endpoint());
    let names = engine::created_tables(&client).await;
    let tables = template().tables().unwrap();
    assert_eq!(tables.len(), 15);
    for table in tables {
        let name = names.of(&table.table_name);
        let made = client
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
        let wanted = |schema: &[KeyElement]| {
            let key = |key: &KeyElement| (key.attribute_name.clone(), key.key_type.clone());
            schema.iter().map(key).collect::<Vec<_>>()
        };
        assert_eq!(keys(made.key_schema()), wanted(&table.key_schema), "{name}");
        assert_eq!(
            made.global_secondary_indexes().len(),
            table.global_secondary_indexes.len()
        );
        for index in &table.global_secondary_indexes {
            let existing = made.global_secondary_indexes().iter();
            let existing = existing
                .clone()
                .find(|existing| existing.index_name() == Some(&index.index_name));
            let existing = existing.unwrap();
            assert_eq!(keys(existing.key_schema()), wanted(&index.key_schema));
            let projection = existing.projection().unwrap();
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
        let ttl = client
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
async fn existing_tables_are_not_created_again() {
    let service = Service::empty().await;
    let created = cli::data::tables::create_missing(&service.client, &service.tables)
        .await
        .unwrap();
    assert_eq!(created, Vec::<String>::new());
}

/// In a data folder of another version, empty tables are created again, and tables with rows cause an
/// error.
#[tokio::test]
async fn outdated_tables_are_replaced_only_if_empty() {
    use aws_sdk_dynamodb::types::AttributeValue;
    let service = Service::empty().await;
    let (client, name) = (&service.client, service.tables.of("User"));
    let create_outdated = async || {
        client
            .delete_table()
            .table_name(&name)
            .send()
            .await
            .unwrap();
        let key = KeySchemaElement::builder()
            .attribute_name("number")
            .key_type(KeyType::Hash);
        let number = AttributeDefinition::builder()
            .attribute_name("number")
            .attribute_type(ScalarAttributeType::N);
        let request = client.create_table().table_name(&name);
        let request = request
            .billing_mode(BillingMode::PayPerRequest)
            .key_schema(key.build().unwrap())
            .attribute_definitions(number.build().unwrap());
        request.send().await.unwrap();
    };
    create_outdated().await;
    let created = cli::data::tables::create_missing(client, &service.tables).await;
    assert_eq!(created.unwrap(), ["User"]);
    assert_eq!(service.register("taki").await.status, 200);

    create_outdated().await;
    let request = client.put_item().table_name(&name);
    let row = request.item("number", AttributeValue::N("1".to_owned()));
    row.send().await.unwrap();
    let refused = cli::data::tables::create_missing(client, &service.tables).await;
    let refused = refused.unwrap_err().to_string();
    refused.assert_has("made by another version");
}

/// A table of a version that did not have an index yet keeps its rows, and gets the index.
#[tokio::test]
async fn missing_index_is_added() {
    use aws_sdk_dynamodb::types::AttributeValue;
    let service = Service::empty().await;
    let (client, name) = (&service.client, service.tables.of("Session"));
    let request = client.delete_table().table_name(&name);
    request.send().await.unwrap();
    let key = KeySchemaElement::builder()
        .attribute_name("id_hash")
        .key_type(KeyType::Hash);
    let id_hash = AttributeDefinition::builder()
        .attribute_name("id_hash")
        .attribute_type(ScalarAttributeType::S);
    let request = client.create_table().table_name(&name);
    let request = request
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(key.build().unwrap())
        .attribute_definitions(id_hash.build().unwrap());
    request.send().await.unwrap();
    let number = |number: u64| AttributeValue::N(number.to_string());
    let row = client.put_item().table_name(&name);
    let row = row
        .item("id_hash", AttributeValue::S("a".to_owned()))
        .item("user_id", number(1))
        .item("begun_at", number(2));
    row.send().await.unwrap();
    for _ in 0..2 {
        let created = cli::data::tables::create_missing(client, &service.tables).await;
        assert_eq!(created.unwrap(), Vec::<String>::new());
    }
    let described = client.describe_table().table_name(&name).send().await;
    let table = described.unwrap().table.unwrap();
    let indexes = table.global_secondary_indexes().iter();
    let names: Vec<&str> = indexes.filter_map(|index| index.index_name()).collect();
    assert_eq!(names, ["ByUser", "ByProviderSession"]);
    // DynamoDB Local fills an index after the response, and fails to read it until then.
    if !engine::is_embedded() {
        return;
    }
    let query = client.query().table_name(&name).index_name("ByUser");
    let query = query
        .key_condition_expression("user_id = :user_id")
        .expression_attribute_values(":user_id", number(1));
    assert_eq!(query.send().await.unwrap().count, 1);
}

/// An index that projects other attributes is built again from the rows: rows read from it would lack attributes. An
/// index that the template does not have is deleted.
#[tokio::test]
async fn indexes_of_another_version_are_replaced() {
    use aws_sdk_dynamodb::types::{GlobalSecondaryIndex, Projection, ProjectionType};
    // DynamoDB Local never ends the deletion of a table's last index, so the next change of an index waits for it.
    if !engine::is_embedded() {
        return;
    }
    let service = Service::empty().await;
    let (client, name) = (&service.client, service.tables.of("UserStory"));
    let element = |name: &str, kind: KeyType| {
        let element = KeySchemaElement::builder().attribute_name(name);
        element.key_type(kind).build().unwrap()
    };
    let request = client.delete_table().table_name(&name);
    request.send().await.unwrap();
    let projection = Projection::builder().projection_type(ProjectionType::KeysOnly);
    let index = |name: &str| {
        let index = GlobalSecondaryIndex::builder()
            .index_name(name)
            .key_schema(element("user_id", KeyType::Hash))
            .key_schema(element("creation_order", KeyType::Range))
            .projection(projection.clone().build());
        index.build().unwrap()
    };
    let mut request = client
        .create_table()
        .table_name(&name)
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(element("user_id", KeyType::Hash))
        .key_schema(element("anime_id", KeyType::Range))
        .global_secondary_indexes(index("ByCreation"))
        .global_secondary_indexes(index("Unknown"));
    for attribute in ["user_id", "anime_id", "creation_order"] {
        let definition = AttributeDefinition::builder()
            .attribute_name(attribute)
            .attribute_type(ScalarAttributeType::N);
        request = request.attribute_definitions(definition.build().unwrap());
    }
    request.send().await.unwrap();
    let number = |number: u64| aws_sdk_dynamodb::types::AttributeValue::N(number.to_string());
    let request = client.put_item().table_name(&name);
    let row = ["user_id", "anime_id", "creation_order", "score"].into_iter();
    let request = row.fold(request, |row, name| row.item(name, number(1)));
    request.send().await.unwrap();
    let find = async || {
        cli::data::tables::find(client, &service.tables)
            .await
            .unwrap()
    };
    assert_eq!(find().await, FoundTables::Outdated);
    let created = cli::data::tables::create_missing(client, &service.tables).await;
    assert_eq!(created.unwrap(), Vec::<String>::new());
    assert_eq!(find().await, FoundTables::Current);
    let query = client.query().table_name(&name).index_name("ByCreation");
    let query = query
        .key_condition_expression("user_id = :user_id")
        .expression_attribute_values(":user_id", number(1));
    let rows = query.send().await.unwrap().items.unwrap_or_default();
    assert_eq!(rows[0]["score"], number(1));
}

/// A table of a version that did not let its rows expire keeps its rows, and they expire from now on.
#[tokio::test]
async fn missing_time_to_live_is_added() {
    let service = Service::empty().await;
    let (client, name) = (&service.client, service.tables.of("UserStory"));
    engine::disable_time_to_live(client, &service.tables).await;
    let attribute = async || {
        let request = client.describe_time_to_live().table_name(&name);
        let described = request.send().await.unwrap().time_to_live_description;
        described.and_then(|described| described.attribute_name)
    };
    assert_eq!(attribute().await, None);
    let created = cli::data::tables::create_missing(client, &service.tables).await;
    assert_eq!(created.unwrap(), Vec::<String>::new());
    assert_eq!(attribute().await.as_deref(), Some("expires_at"));
}

/// The tables of the template are those that the crates declare: keys, indexes, projections, TTL and the
/// types of key attributes.
#[test]
fn tables_are_those_of_the_schema() {
    let names = |elements: &[KeyElement]| {
        let names = elements
            .iter()
            .map(|element| element.attribute_name.clone());
        names.collect::<Vec<_>>()
    };
    let mut templates: BTreeMap<String, _> = template()
        .tables()
        .unwrap()
        .into_iter()
        .map(|table| (table.table_name.clone(), table))
        .collect();
    for table in TABLES {
        let template = templates.remove(table.name).expect(table.name);
        assert_eq!(names(&template.key_schema), table.key, "{}", table.name);
        let expires_at = template
            .time_to_live_specification
            .map(|ttl| ttl.attribute_name);
        assert_eq!(expires_at.as_deref(), table.expires_at, "{}", table.name);
        for definition in &template.attribute_definitions {
            let declared = table
                .attributes
                .iter()
                .find(|(name, _)| *name == definition.attribute_name);
            let (_, kind) = declared.expect(&definition.attribute_name);
            assert_eq!(format!("{kind:?}"), definition.attribute_type);
        }
        let indexes = &template.global_secondary_indexes;
        assert_eq!(indexes.len(), table.indexes.len(), "{}", table.name);
        for (index, expected) in indexes.iter().zip(table.indexes) {
            assert_eq!(index.index_name, expected.name);
            assert_eq!(names(&index.key_schema), expected.key, "{}", expected.name);
            let projection = &index.projection;
            let (kind, attributes) = match expected.projection {
                Projection::All => ("ALL", None),
                Projection::KeysOnly => ("KEYS_ONLY", None),
                Projection::Include(attributes) => ("INCLUDE", Some(attributes)),
            };
            assert_eq!(projection.projection_type, kind, "{}", expected.name);
            let included = projection.non_key_attributes.as_deref();
            let included = included.map(|names| names.iter().collect::<BTreeSet<_>>());
            let attributes = attributes.map(|names| names.iter().collect::<BTreeSet<_>>());
            assert_eq!(
                included.map(|names| names.into_iter().map(String::as_str).collect::<Vec<_>>()),
                attributes.map(|names| names.into_iter().copied().collect::<Vec<_>>()),
                "{}",
                expected.name
            );
        }
    }
    assert!(templates.is_empty(), "{:?}", templates.keys());
}

/// Returns the lines that the layers log for responses with 200, 500 and 503.
async fn request_lines() -> Vec<Value> {
    let log = Log::begin();
    let routes = axum::Router::new()
        .route("/", get(async || "fine"))
        .route("/defect", get(async || ApiError::internal("a defect")))
        .route(
            "/unavailable",
            get(async || ApiError::from(shared::Error::Unavailable("throttled".into()))),
        );
    let edge = LayerSettings::new(PUBLIC_URL, Clock::manual(0), Random::seeded(1));
    let router = shared::http::layers::layers(routes, None, edge);
    for path in ["/", "/defect", "/unavailable"] {
        call(&router, Request::get(path).body(Body::empty()).unwrap()).await;
    }
    let log = log.text();
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Evaluates a pattern of a metric filter (CloudWatch Logs User Guide, "Filter pattern syntax") with the part of its
/// syntax that the template uses.
fn selects(pattern: &str, line: &Value) -> bool {
    let conditions = pattern.strip_prefix("{ ").unwrap().strip_suffix(" }");
    conditions.unwrap().split(" && ").all(|condition| {
        let parts: Vec<&str> = condition.split(' ').collect();
        let [field, operator, value] = parts[..] else {
            panic!("{condition}");
        };
        let field = &line[field.strip_prefix("$.").unwrap()];
        let value: Value = serde_json::from_str(value).unwrap();
        match operator {
            "=" => *field == value,
            ">" => field.as_u64() > value.as_u64(),
            _ => panic!("{condition}"),
        }
    })
}

/// Each function has an alarm on its crashes. That of a function behind the API includes its responses with 5xx, which
/// Lambda does not count as errors.
#[tokio::test]
async fn each_function_has_an_alarm_on_its_errors() {
    let template = template();
    let lines = request_lines().await;
    for function in template.names("AWS::Serverless::Function") {
        let name = function.strip_suffix("Function").unwrap();
        let alarm = format!("{name}Errors");
        let crashes = json!({
            "Namespace": "AWS/Lambda",
            "MetricName": "Errors",
            "Dimensions": [{"Name": "FunctionName", "Value": {"Ref": function}}],
        });
        let of_alarm = |pointer: &str| template.property(&alarm, pointer).expect(&alarm);
        assert_eq!(*of_alarm("/Threshold"), 1, "{alarm}");
        assert_eq!(
            *of_alarm("/ComparisonOperator"),
            "GreaterThanOrEqualToThreshold"
        );
        let events = template.property(function, "/Events").unwrap();
        let mut events = events.as_object().unwrap().values();
        if !events.any(|event| event["Type"] == "HttpApi") {
            for (field, value) in crashes.as_object().unwrap() {
                assert_eq!(of_alarm(&format!("/{field}")), value, "{alarm}");
            }
            continue;
        }
        let metrics = of_alarm("/Metrics").as_array().unwrap();
        let expression = "FILL(crashes, 0) + FILL(status500, 0) + FILL(status503, 0) / 5";
        assert_eq!(metrics[0]["Expression"], expression, "{alarm}");
        let metric = |id: &str| {
            let metric = metrics.iter().find(|metric| metric["Id"] == id).unwrap();
            assert_eq!(metric["ReturnData"], false, "{alarm}");
            assert_eq!(metric["MetricStat"]["Stat"], "Sum", "{alarm}");
            metric["MetricStat"]["Metric"].clone()
        };
        assert_eq!(metric("crashes"), crashes, "{alarm}");
        for status in [500, 503] {
            let filter = format!("{name}Status{status}");
            let of_filter = |pointer: &str| template.property(&filter, pointer).expect(&filter);
            let log_group = template.property(function, "/LoggingConfig/LogGroup");
            assert_eq!(of_filter("/LogGroupName/Ref"), log_group.unwrap());
            let pattern = of_filter("/FilterPattern").as_str().unwrap();
            let counted = lines.iter().filter(|line| selects(pattern, line));
            let counted: Vec<&Value> = counted.map(|line| &line["status"]).collect();
            assert_eq!(counted, [status], "{filter}");
            let written = of_filter("/MetricTransformations/0");
            let read = metric(&format!("status{status}"));
            assert_eq!(written["MetricValue"], "1", "{filter}");
            assert_eq!(written["MetricNamespace"], read["Namespace"], "{filter}");
            assert_eq!(written["MetricName"], read["MetricName"], "{filter}");
        }
    }
}
