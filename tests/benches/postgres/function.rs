//! The Lambda function `anime` in a process of its own, behind a small runtime API.

use std::fs;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use bytes::Bytes;
use runtime::{Environment, TABLE_PREFIX};
use tests::engine;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Environment variable with the address of the runtime API.
const RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";

/// Returns true if this process is the function.
pub fn is_function() -> bool {
    std::env::var_os(RUNTIME_API).is_some()
}

/// Runs the function, as its binary does.
pub fn run() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().expect("a runtime");
    match runtime.block_on(runtime::run_api(
        anime::AnimeState::new,
        anime::router,
        anime::warm,
    )) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => panic!("{error}"),
    }
}

/// A process of the function. It is killed when this is dropped.
pub struct Function {
    process: Child,
    events: Sender<Bytes>,
    responses: Mutex<Receiver<Bytes>>,
}

/// The events for the function, and its responses.
struct Queues {
    events: Mutex<Receiver<Bytes>>,
    responses: Sender<Bytes>,
}

impl Function {
    /// Starts this program again as the function, on the tables of `environment`.
    pub async fn start(environment: &Environment) -> Self {
        let (events, receiver) = channel(1);
        let (sender, responses) = channel(1);
        let queues = Arc::new(Queues {
            events: Mutex::new(receiver),
            responses: sender,
        });
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route(
                "/2018-06-01/runtime/invocation/{id}/response",
                post(respond),
            )
            .with_state(queues);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async { axum::serve(listener, router).await });
        let process = Command::new(std::env::current_exe().expect("this program"))
            .env_clear()
            .env(RUNTIME_API, address.to_string())
            .env("AWS_ACCESS_KEY_ID", "EXAMPLE")
            .env("AWS_SECRET_ACCESS_KEY", "example")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ENDPOINT_URL_DYNAMODB", engine::endpoint())
            .env("AWS_LAMBDA_FUNCTION_NAME", "anime")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512")
            .env("PUBLIC_URL", &environment.public_url)
            .env(TABLE_PREFIX, environment.database.tables.of(""))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process of this program");
        Self {
            process,
            events,
            responses: Mutex::new(responses),
        }
    }

    /// Lets the function handle an event. Returns its response.
    pub async fn invoke(&self, event: &Bytes) -> Bytes {
        self.events
            .send(event.clone())
            .await
            .expect("a runtime API");
        let response = self.responses.lock().await.recv().await;
        response.expect("a runtime API")
    }

    /// Returns the processor time that the function's only thread has used.
    pub fn cpu(&self) -> Duration {
        let path = format!("/proc/{}/schedstat", self.process.id());
        let times = fs::read_to_string(path).expect("a running function");
        let used = times.split(' ').next().and_then(|used| used.parse().ok());
        Duration::from_nanos(used.expect("a number of nanoseconds"))
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        if let Err(error) = self.process.kill().and_then(|()| self.process.wait()) {
            eprintln!("cannot stop the function: {error}");
        }
    }
}

async fn next(State(queues): State<Arc<Queues>>) -> ([(&'static str, &'static str); 3], Bytes) {
    let event = queues.events.lock().await.recv().await;
    let headers = [
        (
            "Lambda-Runtime-Aws-Request-Id",
            "00000000-0000-4000-8000-000000000001",
        ),
        // The year 2100, in milliseconds since the Unix epoch.
        ("Lambda-Runtime-Deadline-Ms", "4102444800000"),
        (
            "Lambda-Runtime-Invoked-Function-Arn",
            "arn:aws:lambda:us-east-1:123456789012:function:anime",
        ),
    ];
    (headers, event.expect("another event"))
}

async fn respond(State(queues): State<Arc<Queues>>, body: Bytes) -> StatusCode {
    queues.responses.send(body).await.expect("a benchmark");
    StatusCode::ACCEPTED
}
