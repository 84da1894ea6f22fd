//! The embedded DynamoDB on a port rejects requests of web pages, and those that are not signed with its key. Its pages
//! and descriptions of tables cost no more than their rows.

use std::fs;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use axum::Router;
use axum::http::Method;
use cli::embedded::access_key::AccessKey;
use dynoxide::{Database, ImportOptions};
use serde_json::{Value, from_value, json};
use shared::clock::Clock;
use shared::random::Random;
use tests::engine;
use tests::service::{Answer, call, request};
use tokio::net::TcpListener;
use tokio::sync::watch;

async fn send_empty_object(router: &Router, method: Method, headers: &[(&str, &str)]) -> Answer {
    call(router, request(method, "/", headers, "{}")).await
}

fn key() -> AccessKey {
    AccessKey::new(&Random::seeded(1))
}

/// Returns a clock that stands at this time, in seconds since the Unix epoch.
fn clock_at(now_s: u64) -> Clock {
    Clock::manual(now_s * 1000)
}

fn router(clock: Clock) -> Router {
    cli::embedded::dynamodb::signed_router(Database::memory().unwrap(), key(), clock)
}

/// The time of the signatures.
const SIGNED_AT: u64 = 1_700_000_000;

/// The same time in `X-Amz-Date`.
const SIGNED_DATE: &str = "20231114T221320Z";

const CALL: [(&str, &str); 3] = [
    ("content-type", "application/x-amz-json-1.0"),
    ("x-amz-target", "DynamoDB_20120810.ListTables"),
    ("x-amz-date", SIGNED_DATE),
];

/// A signature of another key.
const FORGED: &str = "AWS4-HMAC-SHA256 Credential=kiroku/20231114/us-east-1/dynamodb/aws4_request, SignedHeaders=host, \
    Signature=0";

#[tokio::test]
async fn requests_of_web_pages_are_rejected() {
    let router = router(clock_at(SIGNED_AT));
    let of_page = |more: &[(&'static str, &'static str)]| {
        [&CALL[..], &[("authorization", FORGED)], more].concat()
    };
    let here = ("host", "127.0.0.1:8000");
    let from = |origin| (Method::POST, of_page(&[here, ("origin", origin)]));
    for (method, headers) in [
        from("https://evil.example"),
        from("null"),
        from("http://127.0.0.1:9000"),
        // By DNS rebinding, a host name of the page resolves to this machine.
        (Method::POST, of_page(&[("host", "evil.example:8000")])),
        (Method::POST, of_page(&[("host", "localhost.evil.example")])),
        (Method::POST, of_page(&[("host", "127.0.0.1.evil.example")])),
        (Method::POST, of_page(&[("host", "0.0.0.0:8000")])),
        (Method::POST, of_page(&[])),
        (Method::GET, vec![("host", "evil.example")]),
        (
            Method::OPTIONS,
            vec![
                ("host", "127.0.0.1:8000"),
                ("origin", "https://evil.example"),
                ("access-control-request-method", "POST"),
                ("access-control-request-headers", "x-amz-target"),
            ],
        ),
    ] {
        let answer = send_empty_object(&router, method, &headers).await;
        assert_eq!(answer.status, 403, "{headers:?}");
        assert!(
            answer.json()["__type"]
                .as_str()
                .unwrap()
                .ends_with("#AccessDeniedException")
        );
        let names = answer.headers.keys();
        let cors = names.filter(|name| name.as_str().starts_with("access-control-"));
        assert_eq!(cors.count(), 0, "{headers:?}");
    }
}

/// Serves the API on a port as `kiroku serve` does.
async fn serve(router: Router) -> (String, watch::Sender<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (stopping, stopped) = watch::channel(false);
    tokio::spawn(cli::http::serve(listener, router, stopped));
    (endpoint, stopping)
}

fn client(endpoint: &str, id: &str, secret: &str) -> Client {
    let credentials = Credentials::new(id, secret, Some("a session".to_owned()), None, "test");
    let config = engine::config(endpoint).credentials_provider(credentials);
    Client::from_conf(config.build())
}

/// Requests that an SDK signs with the key are served, and all others refused.
#[tokio::test]
async fn only_signatures_of_the_key_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dynamodb.env");
    let made = AccessKey::read_or_create(&file, &Random::seeded(1)).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().strip_prefix('=').unwrap().to_owned()
    };
    let (id, secret) = (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY"));
    assert!(!format!("{made:?}").contains(&secret));
    let read = AccessKey::read_or_create(&file, &Random::seeded(2)).unwrap();
    let database = Database::memory().unwrap();
    let router = cli::embedded::dynamodb::signed_router(database, read, Clock::system());
    let (endpoint, _stopping) = serve(router).await;

    let tables = client(&endpoint, &id, &secret).list_tables().send().await;
    assert!(tables.unwrap().table_names().is_empty());
    for (id, secret, reason) in [
        (id.as_str(), "local", "the signature does not match"),
        (
            id.as_str(),
            &*secret.to_lowercase(),
            "the signature does not match",
        ),
        ("local", &*secret, "the access key is unknown"),
    ] {
        let refused = client(&endpoint, id, secret).list_tables().send().await;
        let refused = refused.unwrap_err().into_service_error();
        assert_eq!(refused.code(), Some("AccessDeniedException"));
        assert!(refused.message().unwrap().starts_with(reason), "{refused}");
    }
}

/// A signature that was seen once is of no use for another call or at another time.
#[tokio::test]
async fn signature_is_of_one_request_and_time() {
    // `printf` and `openssl` make the same signature of this request with the key.
    let signature = signature_of_list_tables();
    let headers = |signature: &str| -> Vec<(String, String)> {
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential=kiroku/20231114/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=host;x-amz-date;x-amz-target, Signature={signature}"
        );
        let mut headers: Vec<_> = CALL
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        headers.push(("host".to_owned(), "localhost:8000".to_owned()));
        headers.push(("authorization".to_owned(), authorization));
        headers
    };
    let send = async |now: u64, headers: &[(String, String)], body: &'static str| {
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let router = router(clock_at(now));
        call(&router, request(Method::POST, "/", &headers, body)).await
    };
    let right = headers(&signature);
    for now in [SIGNED_AT - 900, SIGNED_AT, SIGNED_AT + 900] {
        let answer = send(now, &right, "{}").await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        assert_eq!(answer.json(), json!({"TableNames": []}));
    }
    for now in [SIGNED_AT - 901, SIGNED_AT + 901] {
        assert_eq!(send(now, &right, "{}").await.status, 400, "{now}");
    }
    assert_eq!(send(SIGNED_AT, &right, r#"{"Limit":1}"#).await.status, 400);
    let changed = |name: &str, value: &str| {
        let mut headers = right.clone();
        headers
            .iter_mut()
            .find(|header| header.0 == name)
            .unwrap()
            .1 = value.to_owned();
        headers
    };
    for (name, value) in [
        ("x-amz-target", "DynamoDB_20120810.DescribeTable"),
        ("x-amz-date", "20231114T221321Z"),
        ("x-amz-date", "yesterday"),
        ("host", "localhost:8001"),
        ("authorization", "Bearer x"),
        ("authorization", FORGED),
        (
            "authorization",
            "AWS4-HMAC-SHA256 Credential=kiroku, SignedHeaders=host, Signature=0",
        ),
    ] {
        let answer = send(SIGNED_AT, &changed(name, value), "{}").await;
        assert_eq!(answer.status, 400, "{name}: {value}");
    }
    let without = |name: &str| {
        let headers = right.iter().filter(|header| header.0 != name).cloned();
        headers.collect::<Vec<_>>()
    };
    for name in ["x-amz-target", "x-amz-date", "authorization"] {
        assert_eq!(
            send(SIGNED_AT, &without(name), "{}").await.status,
            400,
            "{name}"
        );
    }
}

/// Returns the signature of `ListTables` at [`SIGNED_AT`] (AWS General Reference, "Signature Version 4 signing
/// process").
fn signature_of_list_tables() -> String {
    use aws_lc_rs::digest::{SHA256, digest};
    use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};

    let hex = |bytes: &[u8]| {
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = digits.map(|digit| char::from_digit(digit.into(), 16).unwrap());
        digits.collect::<String>()
    };
    let hash = |text: &str| hex(digest(&SHA256, text.as_bytes()).as_ref());
    let request = format!(
        "POST\n/\n\nhost:localhost:8000\nx-amz-date:{SIGNED_DATE}\nx-amz-target:DynamoDB_20120810.ListTables\n\n\
         host;x-amz-date;x-amz-target\n{}",
        hash("{}")
    );
    let scope = "20231114/us-east-1/dynamodb/aws4_request";
    let text = format!(
        "AWS4-HMAC-SHA256\n{SIGNED_DATE}\n{scope}\n{}",
        hash(&request)
    );
    // The secret of `key`.
    let secret = Random::seeded(1).alphanumeric(40);
    let mut key = format!("AWS4{secret}").into_bytes();
    for part in scope.split('/').chain([&*text]) {
        key = sign(&Key::new(HMAC_SHA256, &key), part.as_bytes())
            .as_ref()
            .to_vec();
    }
    hex(&key)
}

#[tokio::test]
async fn health_check_of_tools_needs_no_signature() {
    let router = router(clock_at(SIGNED_AT));
    for host in "127.0.0.1:8000 localhost:8000 LOCALHOST [::1]:8000 127.8.9.10".split(' ') {
        let answer = send_empty_object(&router, Method::GET, &[("host", host)]).await;
        assert_eq!(answer.status, 200, "{host}");
    }
    let preflight = send_empty_object(&router, Method::OPTIONS, &[("host", "localhost")]).await;
    assert_eq!(preflight.status, 405);
}

/// Creates a table with an index and rows of one user.
fn database_with_rows(rows: usize) -> Database {
    let database = Database::memory().unwrap();
    let request = json!({
        "TableName": "Rows",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "user", "AttributeType": "N"},
            {"AttributeName": "number", "AttributeType": "N"},
        ],
        "KeySchema": [
            {"AttributeName": "user", "KeyType": "HASH"},
            {"AttributeName": "number", "KeyType": "RANGE"},
        ],
        "GlobalSecondaryIndexes": [{
            "IndexName": "ByNumber",
            "KeySchema": [{"AttributeName": "number", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]},
        }],
    });
    database.create_table(from_value(request).unwrap()).unwrap();
    let row = |number: usize| json!({"user": {"N": "1"}, "number": {"N": number.to_string()}});
    let rows = (0..rows).map(|number| from_value(row(number)).unwrap());
    let rows = rows.collect();
    let options = ImportOptions::default();
    database.import_items("Rows", rows, options).unwrap();
    database
}

async fn run_operation(
    router: &Router,
    operation: &str,
    headers: &[(&str, &str)],
    body: Value,
) -> Value {
    let target = format!("DynamoDB_20120810.{operation}");
    let headers = [headers, &[("x-amz-target", &*target)]].concat();
    let answer = call(
        router,
        request(Method::POST, "/", &headers, body.to_string()),
    )
    .await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

/// The engine reads all rows that are left before it ends a page, so a long list would cost the square of its length.
#[tokio::test]
async fn page_without_a_limit_has_at_most_2000_rows() {
    let router = cli::embedded::dynamodb::router(database_with_rows(2500));
    let query = json!({
        "TableName": "Rows",
        "KeyConditionExpression": "#user = :user",
        "ExpressionAttributeNames": {"#user": "user"},
        "ExpressionAttributeValues": {":user": {"N": "1"}},
    });
    for (operation, body) in [("Query", query), ("Scan", json!({"TableName": "Rows"}))] {
        let first = run_operation(&router, operation, &[], body.clone()).await;
        assert_eq!(first["Count"], 2000, "{operation}");
        let mut next = body.clone();
        next["ExclusiveStartKey"] = first["LastEvaluatedKey"].clone();
        let second = run_operation(&router, operation, &[], next).await;
        assert_eq!(second["Count"], 500, "{operation}");
        assert_eq!(second["LastEvaluatedKey"], Value::Null, "{operation}");
        let mut limited = body;
        limited["Limit"] = 2400.into();
        let limited = run_operation(&router, operation, &[], limited).await;
        assert_eq!(limited["Count"], 2400, "{operation}");
    }
}

/// `kiroku serve` compares the tables with the template at every start, and must not count their rows for that.
#[tokio::test]
async fn description_without_counts_has_the_definition_of_the_table() {
    let router = cli::embedded::dynamodb::router(database_with_rows(3));
    let describe = async |headers: &[(&str, &str)]| {
        let body = json!({"TableName": "Rows"});
        run_operation(&router, "DescribeTable", headers, body).await["Table"].clone()
    };
    let full = describe(&[]).await;
    let short = describe(&[("x-kiroku-without-counts", "true")]).await;
    assert_eq!(full["ItemCount"], 3);
    assert_eq!(short["ItemCount"], Value::Null);
    for field in "TableName TableStatus KeySchema AttributeDefinitions".split(' ') {
        assert_eq!(short[field], full[field], "{field}");
    }
    let [short, full] = [&short, &full].map(|table| &table["GlobalSecondaryIndexes"][0]);
    for field in ["IndexName", "IndexStatus", "KeySchema", "Projection"] {
        assert_eq!(short[field], full[field], "{field}");
    }
}
