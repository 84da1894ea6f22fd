//! The embedded DynamoDB over HTTP rejects requests of web pages.

use axum::Router;
use axum::http::Method;
use dynoxide::Database;
use serde_json::json;
use tests::service::{Answer, call, request};

const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=local/20231114/us-east-1/dynamodb/aws4_request, SignedHeaders=host, \
    Signature=0";

async fn send_empty_object(router: &Router, method: Method, headers: &[(&str, &str)]) -> Answer {
    call(router, request(method, "/", headers, "{}")).await
}

fn router() -> Router {
    cli::dynamodb::router(Database::memory().unwrap())
}

const CALL: [(&str, &str); 4] = [
    ("content-type", "application/x-amz-json-1.0"),
    ("x-amz-target", "DynamoDB_20120810.ListTables"),
    ("x-amz-date", "20231114T221320Z"),
    ("authorization", SIGNED),
];

#[tokio::test]
async fn requests_of_web_pages_are_rejected() {
    let router = router();
    let of_page = |more: &[(&'static str, &'static str)]| [&CALL[..], more].concat();
    for (method, headers) in [
        (
            Method::POST,
            of_page(&[
                ("host", "127.0.0.1:8000"),
                ("origin", "https://evil.example"),
            ]),
        ),
        (
            Method::POST,
            of_page(&[("host", "127.0.0.1:8000"), ("origin", "null")]),
        ),
        (
            Method::POST,
            of_page(&[
                ("host", "127.0.0.1:8000"),
                ("origin", "http://127.0.0.1:9000"),
            ]),
        ),
        // DNS rebinding: a host name of the page that resolves to this machine.
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

#[tokio::test]
async fn local_tools_are_served() {
    let router = router();
    for host in [
        "127.0.0.1:8000",
        "localhost:8000",
        "LOCALHOST",
        "[::1]:8000",
        "127.8.9.10",
    ] {
        let headers = [&CALL[..], &[("host", host)]].concat();
        let answer = send_empty_object(&router, Method::POST, &headers).await;
        assert_eq!(answer.status, 200, "{host}");
        assert_eq!(answer.json(), json!({"TableNames": []}));
        assert_eq!(
            send_empty_object(&router, Method::GET, &[("host", host)])
                .await
                .status,
            200
        );
    }
    let preflight = send_empty_object(&router, Method::OPTIONS, &[("host", "localhost")]).await;
    assert_eq!(preflight.status, 405);
    let mut unknown = [&CALL[..], &[("host", "localhost")]].concat();
    unknown[1].1 = "DynamoDB_20120810.DropEverything";
    let answer = send_empty_object(&router, Method::POST, &unknown).await;
    assert_eq!(answer.status, 400);
    let mut unsigned = [&CALL[..3], &[("host", "localhost")]].concat();
    assert_eq!(
        send_empty_object(&router, Method::POST, &unsigned)
            .await
            .status,
        400
    );
    unsigned.push(("authorization", SIGNED));
    assert_eq!(
        send_empty_object(&router, Method::POST, &unsigned)
            .await
            .status,
        200
    );
}
