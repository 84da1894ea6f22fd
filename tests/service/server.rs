//! The HTTP server of `kiroku serve`, tested over TCP connections.

use std::future::pending;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;
use std::time::Duration;

use axum::Router;
use axum::http::{Method, StatusCode};
use cli::http::connections::ConnectionLimits;
use cli::http::proxy::{ProxyHeader, TrustedProxies};
use cli::http::{Accept, WRITE_TIMEOUT};
use cli::serve::metrics::Metrics;
use serde_json::{Value, json};
use tests::engine;
use tests::proxy::{Mode, Proxy};
use tests::service::{Service, call, request};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

/// Serves a router in the way that `kiroku serve` does, until the sender is dropped.
async fn start_server(router: Router) -> (SocketAddr, watch::Sender<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stopping, stopped) = watch::channel(false);
    tokio::spawn(cli::http::serve(
        listener,
        cli::http::with_gateway_checks(router),
        stopped,
    ));
    (address, stopping)
}

struct Response {
    status: StatusCode,
    head: String,
    body: Vec<u8>,
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self
            .head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'));
        let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }

    fn envelope(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Longer than any time limit of the server.
const PATIENCE: Duration = Duration::from_mins(1);

/// Sends a request on a connection and reads the response. Returns `None` if the connection closes first,
/// or if no response comes within [`PATIENCE`].
async fn exchange(connection: &mut TcpStream, request: &str) -> Option<Response> {
    timeout(PATIENCE, send_and_read(connection, request))
        .await
        .ok()
        .flatten()
}

async fn send_and_read(connection: &mut TcpStream, request: &str) -> Option<Response> {
    connection.write_all(request.as_bytes()).await.ok()?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut response = Response {
        status,
        head,
        body: Vec::new(),
    };
    let length = response
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let has_body = !request.starts_with("HEAD");
    response.body.resize(if has_body { length } else { 0 }, 0);
    connection.read_exact(&mut response.body).await.ok()?;
    Some(response)
}

fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// When a handler leaves a body unread, hyper closes the connection and the client's next request fails.
/// The server has to read the rest of the body.
#[tokio::test]
async fn connection_stays_open_after_an_unread_body() {
    let service = Service::empty().await;
    let (address, _stopping) = start_server(service.router.clone()).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    let body = json!({"text": "x".repeat(60_000)}).to_string();
    for _ in 0..5 {
        for (path, expected) in [("/v1/nothing", 404), ("/v1/anime", 405), ("/v1/user", 401)] {
            let response = exchange(&mut connection, &post(path, &body)).await;
            let response = response.expect("an open connection");
            assert_eq!(response.status, expected, "{path}");
            assert_eq!(response.header("connection"), None, "{path}");
        }
    }
    // The body of this request has the chunked encoding.
    let chunked =
        "POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    let pieces = "5\r\nhello\r\n".repeat(100);
    for _ in 0..3 {
        let response = exchange(&mut connection, &format!("{chunked}{pieces}0\r\n\r\n")).await;
        assert_eq!(response.expect("an open connection").status, 404);
    }
}

#[tokio::test]
async fn close_after_a_large_body_is_announced() {
    let service = Service::empty().await;
    let (address, _stopping) = start_server(service.router.clone()).await;
    for (path, length, expected, connection) in [
        ("/v1/auth/login", 65_536, 400, None),
        ("/v1/auth/login", 65_537, 413, Some("close")),
        ("/v1/nothing", 65_537, 404, Some("close")),
    ] {
        let mut open = TcpStream::connect(address).await.unwrap();
        let response = exchange(&mut open, &post(path, &"x".repeat(length)))
            .await
            .unwrap();
        assert_eq!(response.status, expected, "{path} {length}");
        assert_eq!(response.header("connection"), connection, "{path} {length}");
    }
}

/// RFC 9112, section 3.2.
#[tokio::test]
async fn request_needs_exactly_one_host() {
    let service = Service::empty().await;
    let (address, _stopping) = start_server(service.router.clone()).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    for (version, hosts, expected) in [
        ("1.1", &["localhost"][..], 200),
        ("1.1", &["evil.example"], 200),
        ("1.1", &[""], 200),
        ("1.1", &[], 400),
        ("1.1", &["localhost", "localhost"], 400),
        ("1.1", &["localhost", "evil.example"], 400),
        ("1.1", &["not a host"], 400),
        ("1.1", &["localhost/path"], 400),
        ("1.0", &[], 200),
    ] {
        let lines: Vec<String> = hosts
            .iter()
            .map(|host| format!("Host: {host}\r\n"))
            .collect();
        let lines = lines.concat();
        let keep = "Connection: keep-alive\r\n";
        let request = format!("GET /v1/random/anime/1 HTTP/{version}\r\n{lines}{keep}\r\n");
        let response = exchange(&mut connection, &request).await.unwrap();
        assert_eq!(response.status, expected, "{version} {hosts:?}");
        if expected == 400 {
            let envelope = response.envelope();
            assert_eq!(envelope["status_code"], 400);
            let reason = envelope["data"].as_str().unwrap();
            assert!(reason.contains("Host"), "{envelope}");
            assert!(response.header("x-request-id").is_some());
        }
    }
}

#[tokio::test]
async fn head_response_has_no_body() {
    let service = Service::with_sample().await;
    let (address, _stopping) = start_server(service.router.clone()).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    for method in [Method::HEAD, Method::GET, Method::HEAD] {
        let request = format!("{method} /v1/anime HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let response = exchange(&mut connection, &request).await.unwrap();
        assert_eq!(response.status, 200);
        assert_ne!(response.header("content-length"), Some("0"));
    }
}

/// Time is paused, so the clock jumps to the timeout once no other task can run.
#[tokio::test(start_paused = true)]
async fn slow_request_head_times_out() {
    let (address, _stopping) = start_server(Router::new()).await;
    for start in [
        "",
        "GET / HT",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    ] {
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(start.as_bytes()).await.unwrap();
        let started = Instant::now();
        let mut rest = Vec::new();
        let read = connection.read_to_end(&mut rest);
        timeout(PATIENCE, read).await.unwrap().unwrap();
        let waited = started.elapsed();
        assert!(waited >= cli::http::HEAD_TIMEOUT, "{start:?}: {waited:?}");
        assert!(
            waited < 2 * cli::http::HEAD_TIMEOUT,
            "{start:?}: {waited:?}"
        );
    }
}

/// Time is paused.
#[tokio::test(start_paused = true)]
async fn slow_request_body_times_out() {
    let handler =
        axum::routing::post(async |body: axum::body::Body| {
            match shared::http::body::read(body).await {
                Ok(_) => "read".to_owned(),
                Err(error) => axum::response::IntoResponse::into_response(error)
                    .status()
                    .to_string(),
            }
        });
    let (address, _stopping) = start_server(Router::new().route("/", handler)).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    let request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhello";
    let response = exchange(&mut connection, request).await.unwrap();
    assert_eq!(response.body, b"400 Bad Request");
    assert_eq!(response.header("connection"), Some("close"));
}

/// Signs in with a wrong password as `name`. `headers` are lines that a proxy or a forger adds.
async fn fail_to_sign_in(connection: &mut TcpStream, name: &str, headers: &str) -> StatusCode {
    let body = json!({"username": name, "password": "wrong horse battery"}).to_string();
    let request = post("/v1/auth/login", &body).replacen("\r\n", &format!("\r\n{headers}"), 1);
    exchange(connection, &request).await.unwrap().status
}

/// Visitors behind a trusted proxy are counted separately. A visitor cannot change its address by a forged header,
/// because the proxy appends the address that it saw.
#[tokio::test]
async fn visitors_behind_a_trusted_proxy_have_their_own_limits() {
    let service = Service::empty().await;
    let networks = ["127.0.0.1".parse().unwrap()];
    let proxies = TrustedProxies::new(&networks, ProxyHeader::XForwardedFor);
    let (address, _stopping) = start_server(proxies.find_callers(service.router.clone())).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    for number in 0..100_u8 {
        let forged = format!(
            "Forwarded: for=203.0.113.{number}\r\nX-Forwarded-For: 198.51.100.{number}, 192.0.2.1\r\n"
        );
        let status = fail_to_sign_in(&mut connection, &format!("name{number}"), &forged).await;
        assert_eq!(status, 401, "{number}");
    }
    for (headers, expected) in [
        ("X-Forwarded-For: 192.0.2.1\r\n", 429),
        (
            "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 192.0.2.1\r\n",
            429,
        ),
        ("X-Forwarded-For: 192.0.2.2\r\n", 401),
        ("", 401),
    ] {
        let status = fail_to_sign_in(&mut connection, "taki", headers).await;
        assert_eq!(status, expected, "{headers}");
    }
}

#[tokio::test]
async fn forged_header_from_outside_changes_nothing() {
    let service = Service::empty().await;
    let networks = ["192.0.2.0/24".parse().unwrap()];
    for header in [ProxyHeader::XForwardedFor, ProxyHeader::Forwarded] {
        let proxies = TrustedProxies::new(&networks, header);
        let (address, _stopping) = start_server(proxies.find_callers(service.router.clone())).await;
        let mut connection = TcpStream::connect(address).await.unwrap();
        let mut last = StatusCode::OK;
        for number in 0..101_u8 {
            let forged = format!(
                "Forwarded: for=203.0.113.{number}\r\nX-Forwarded-For: 203.0.113.{number}\r\n"
            );
            last = fail_to_sign_in(&mut connection, &format!("name{number}"), &forged).await;
        }
        assert_eq!(last, 429, "{header:?}");
        service.clock.advance(Duration::from_hours(1));
    }
}

/// A health check says if the tables can be read and written, and nothing else about the service.
#[tokio::test]
async fn health_check_reads_and_writes_tables() {
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = Service::with_client(engine::short_timeout_client(&proxy.endpoint)).await;
    let router = cli::serve::health_check::add_route(
        service.router.clone(),
        service.environment.database.clone(),
    );
    let (address, _stopping) = start_server(router).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    let check = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

    let response = exchange(&mut connection, check).await.unwrap();
    assert_eq!(response.status, 503, "no index is published");
    let reason = "No index is published. Run kiroku publish.";
    assert_eq!(response.envelope()["data"], reason);

    service.publish().await;
    let response = exchange(&mut connection, check).await.unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let expected = json!({
        "status_code": 200,
        "message": "Healthy",
        "data": "The tables can be read and written, and the index is published.",
        "version": "1",
    });
    assert_eq!(response.envelope(), expected);

    proxy.set(Mode::Closed);
    let response = exchange(&mut connection, check).await.unwrap();
    assert_eq!(response.status, 503);
    let expected = json!({
        "status_code": 503,
        "message": "Unhealthy",
        "data": "The tables cannot be read. The log has the reason.",
        "version": "1",
    });
    assert_eq!(response.envelope(), expected);

    // Reads succeed, as on a full disk.
    proxy.set(Mode::Conflicting);
    let response = exchange(&mut connection, check).await.unwrap();
    assert_eq!(response.status, 200, "it has written a moment ago");
    service.clock.advance(Duration::from_secs(10));
    let response = exchange(&mut connection, check).await.unwrap();
    assert_eq!(response.status, 503);
    let reason = "The tables cannot be written. The log has the reason.";
    assert_eq!(response.envelope()["data"], reason);

    proxy.set(Mode::Up);
    assert_eq!(exchange(&mut connection, check).await.unwrap().status, 200);
    let wrong = exchange(&mut connection, &post("/health", "{}"))
        .await
        .unwrap();
    assert_eq!(
        (wrong.status.as_u16(), wrong.header("allow")),
        (405, Some("GET,HEAD"))
    );
}

/// The rest of the body is read after the response. If the server closed the connection at once, the system would reset
/// it, and the response could be lost: a proxy then responds with 502.
#[tokio::test]
async fn response_arrives_although_the_client_still_sends() {
    let service = Service::empty().await;
    let (address, _stopping) = start_server(service.router.clone()).await;
    for (path, length, expected) in [
        ("/v1/user_story/import", 4 << 20, 401),
        ("/v1/auth/login", 8 << 20, 413),
        ("/v1/nothing", 32 << 20, 404),
    ] {
        let mut connection = TcpStream::connect(address).await.unwrap();
        let response = exchange(&mut connection, &post(path, &"x".repeat(length))).await;
        let response = response.expect("the whole request is taken");
        assert_eq!(response.status, expected, "{path}");
        assert_eq!(response.header("connection"), Some("close"), "{path}");
        assert_eq!(connection.read(&mut [0]).await.unwrap(), 0, "{path}");
    }
}

/// Accepts one connection in memory. A connection of the system can be slow for a moment, in which a paused clock would
/// jump to the next time limit.
struct InMemory(Mutex<Option<DuplexStream>>);

impl Accept for InMemory {
    type Stream = DuplexStream;

    async fn accept(&self) -> io::Result<(DuplexStream, Option<IpAddr>)> {
        let stream = self.0.lock().unwrap().take();
        match stream {
            Some(stream) => Ok((stream, None)),
            None => pending().await,
        }
    }
}

/// Serves a router in memory in the way that `kiroku serve` does, until the sender is dropped.
fn connect_in_memory(router: Router) -> (DuplexStream, watch::Sender<bool>) {
    let (client, server) = duplex(64 << 10);
    let (stopping, stopped) = watch::channel(false);
    let listener = InMemory(Mutex::new(Some(server)));
    let router = cli::http::with_gateway_checks(router);
    tokio::spawn(cli::http::serve(listener, router, stopped));
    (client, stopping)
}

/// A client that sends for ever is read for a limited time. Time is paused.
#[tokio::test(start_paused = true)]
async fn client_that_never_stops_sending_is_disconnected() {
    let router = Router::new().fallback(async || StatusCode::NOT_FOUND);
    let (mut connection, _stopping) = connect_in_memory(router);
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n";
    connection.write_all(head.as_bytes()).await.unwrap();
    let piece = vec![b'x'; 1 << 20];
    let mut sent = 0;
    let send = async {
        while connection.write_all(&piece).await.is_ok() {
            sent += 1;
            sleep(Duration::from_millis(500)).await;
        }
    };
    timeout(PATIENCE, send).await.expect("a closed connection");
    assert!((1..60).contains(&sent), "{sent} MB");
}

/// Responds to every request with 1 MB.
fn large_responses() -> Router {
    Router::new().fallback(async || vec![b'x'; 1 << 20])
}

/// Time is paused.
#[tokio::test(start_paused = true)]
async fn client_that_pipelines_and_never_reads_is_disconnected() {
    let (mut connection, _stopping) = connect_in_memory(large_responses());
    let requests = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(64);
    connection.write_all(requests.as_bytes()).await.unwrap();
    sleep(2 * WRITE_TIMEOUT).await;
    let mut received = Vec::new();
    let read = connection.read_to_end(&mut received);
    timeout(PATIENCE, read).await.unwrap().unwrap();
    assert!(received.len() < 1 << 20, "{}", received.len());
}

/// A slow client gets all of a response, however long it takes. Time is paused.
#[tokio::test(start_paused = true)]
async fn slow_reader_gets_the_whole_response() {
    let (mut connection, _stopping) = connect_in_memory(large_responses());
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut piece = vec![0; 16 << 10];
    let mut received = 0;
    loop {
        sleep(WRITE_TIMEOUT / 2).await;
        match connection.read(&mut piece).await.unwrap() {
            0 => break,
            read => received += read,
        }
    }
    assert!(received > 1 << 20, "{received}");
}

/// Connects from this address of the loopback network. Returns the connection if the server accepts it.
async fn connect_from(from: &str, to: SocketAddr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(from.parse().unwrap()).unwrap();
    let mut connection = socket.connect(to).await.unwrap();
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let answered = exchange(&mut connection, request).await;
    answered.map(|_| connection)
}

#[tokio::test]
async fn connections_are_limited_in_all_and_for_each_network() {
    let proxies = ["127.0.0.9".parse().unwrap()];
    let limits = ConnectionLimits {
        all: 7,
        per_network: 3,
        proxies: Some(TrustedProxies::new(&proxies, ProxyHeader::XForwardedFor)),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (_stopping, stopped) = watch::channel(false);
    let router = Router::new().fallback(async || StatusCode::NOT_FOUND);
    tokio::spawn(cli::http::serve_within(limits, listener, router, stopped));
    let mut open = Vec::new();
    for _ in 0..3 {
        open.extend(connect_from("127.0.0.2:0", address).await);
    }
    assert_eq!(open.len(), 3);
    assert!(connect_from("127.0.0.2:0", address).await.is_none());
    // A proxy has no limit of its own, because all visitors share its address.
    for _ in 0..4 {
        open.extend(connect_from("127.0.0.9:0", address).await);
    }
    assert_eq!(open.len(), 7);
    for from in ["127.0.0.9:0", "127.0.0.3:0"] {
        assert!(connect_from(from, address).await.is_none(), "{from}");
    }
    // Connections that end make room. The server notices the end a moment later.
    open.clear();
    let connect = async { while connect_from("127.0.0.2:0", address).await.is_none() {} };
    timeout(PATIENCE, connect).await.unwrap();
}

/// Web pages cannot read the metrics by DNS rebinding.
#[tokio::test]
async fn metrics_on_loopback_are_for_local_tools() {
    let service = Service::empty().await;
    let database = || service.environment.database.clone();
    for (is_for_loopback, headers, expected) in [
        (true, &[("host", "127.0.0.1:9464")][..], 200),
        (true, &[("host", "localhost")], 200),
        (true, &[("host", "evil.example:9464")], 403),
        (true, &[], 403),
        (
            true,
            &[("host", "localhost"), ("origin", "https://evil.example")],
            403,
        ),
        // Tools in a private network use names of their own.
        (false, &[("host", "kiroku:9464")], 200),
    ] {
        let router = Metrics::default().router(database(), None, is_for_loopback);
        let page = request(Method::GET, "/metrics", headers, "");
        let answer = call(&router, page).await;
        assert_eq!(answer.status, expected, "{headers:?}");
    }
}

/// hyper refuses such requests itself, with an empty response.
#[tokio::test]
async fn refused_heads_get_the_envelope() {
    let service = Service::empty().await;
    let (address, _stopping) = start_server(service.router.clone()).await;
    let long = |length: usize| "x".repeat(length);
    // The head is as long as hyper reads, so that nothing is left unread when the connection closes.
    let start = "GET /v1/anime HTTP/1.1\r\nX-Long: ";
    let large = format!("{start}{}", long(8192 + 4096 * 100 - start.len()));
    for (request, expected) in [
        (
            format!(
                "GET /v1/anime?search={} HTTP/1.1\r\nHost: localhost\r\n\r\n",
                long(66_000)
            ),
            414,
        ),
        (large, 431),
        (
            "GET /v1/anime HTTP/1.1\r\nHost localhost\r\n\r\n".to_owned(),
            400,
        ),
        ("\u{1f600} / HTTP/1.1\r\n\r\n".to_owned(), 400),
    ] {
        let mut connection = TcpStream::connect(address).await.unwrap();
        let (mut reading, mut writing) = connection.split();
        let mut response = String::new();
        let write = async {
            // The server can close the connection before it has read everything.
            let _ = writing.write_all(request.as_bytes()).await;
        };
        let read = async {
            let _ = timeout(PATIENCE, reading.read_to_string(&mut response)).await;
        };
        tokio::join!(write, read);
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or_default();
        let status_line = format!("HTTP/1.1 {expected} ");
        assert!(head.starts_with(&status_line), "{response:?}");
        let envelope: Value = serde_json::from_str(body).unwrap();
        assert_eq!(envelope["status_code"], expected);
        assert!(
            envelope["data"].as_str().unwrap().ends_with('.'),
            "{envelope}"
        );
    }
    // The address with the longest query reaches the handler.
    let mut connection = TcpStream::connect(address).await.unwrap();
    let path = format!("/v1/anime?x={}", long(65_000));
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let response = exchange(&mut connection, &request).await.unwrap();
    assert!(response.header("x-request-id").is_some());
}

#[tokio::test]
async fn refused_upload_is_not_asked_for() {
    let (service, person) = Service::with_person("taki").await;
    let (address, _stopping) = start_server(service.router.clone()).await;
    let token = format!("Authorization: Bearer {}\r\n", person.token);
    let head = |path: &str, headers: &str, length: usize| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\
             Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n"
        )
    };
    let large = 50 << 20;
    for (path, headers, expected) in [
        ("/v1/user_story/import", "", 401),
        ("/v1/playback", "", 401),
        ("/v1/user_story", "", 401),
        ("/v1/user_story/import", token.as_str(), 413),
        ("/v1/playback", &token, 413),
        ("/v1/user_story", &token, 413),
    ] {
        let mut connection = TcpStream::connect(address).await.unwrap();
        let request = head(path, headers, large);
        let response = exchange(&mut connection, &request).await.unwrap();
        assert_eq!(response.status, expected, "{path}");
        assert_eq!(response.header("connection"), Some("close"), "{path}");
        assert_eq!(response.envelope()["status_code"], expected);
    }
    let mut connection = TcpStream::connect(address).await.unwrap();
    let body = "anime_id,status\n";
    let asked = head("/v1/user_story/import?dry_run=true", &token, body.len());
    let response = exchange(&mut connection, &asked).await.unwrap();
    assert_eq!(response.status, 100);
    let response = exchange(&mut connection, body).await.unwrap();
    assert_ne!(response.status, 401);
    assert!(response.header("x-request-id").is_some());
}
