//! A proxy between the service and DynamoDB in which a share of all calls fails. The faults follow from a seed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::sleep;

/// The time for which [`Fault::Stall`] holds a response back. It is longer than the functions wait for one attempt.
const STALL: Duration = Duration::from_millis(2500);

/// A fault of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Sends a 500 before the call takes effect.
    ErrorBefore,
    /// Sends a 500 after the call has taken effect.
    ErrorAfter,
    /// Sends a throttling error before the call takes effect.
    Throttling,
    /// Closes the connection before the call takes effect.
    CutBefore,
    /// Closes the connection after the call has taken effect.
    CutAfter,
    /// Sends the response late.
    Stall,
    /// Sends half of the body of the response.
    Truncated,
}

impl Fault {
    const ALL: [Self; 7] = [
        Self::ErrorBefore,
        Self::ErrorAfter,
        Self::Throttling,
        Self::CutBefore,
        Self::CutAfter,
        Self::Stall,
        Self::Truncated,
    ];
}

/// A running proxy. It stops with the runtime of its test.
#[derive(Clone, Debug)]
pub struct FaultProxy {
    /// The address that the proxy listens on.
    pub endpoint: String,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    rng: Mutex<StdRng>,
    /// The share of calls that fail, in percent.
    percent: AtomicU32,
    /// The number of calls that failed.
    failed: AtomicU32,
    /// The number of calls that the engine works on.
    running: AtomicU32,
    /// True if the index `Listed` lags behind its table.
    lags: AtomicBool,
    /// True if the table has no index `Listed`.
    lacks_index: AtomicBool,
    /// True if responses to writing transactions are held back.
    holds_transactions: AtomicBool,
    /// Notified when a response to a transaction is held back.
    transaction_held: Notify,
    /// The rows of the index, each as in the last response that has it.
    index: Mutex<BTreeMap<String, Value>>,
}

impl FaultProxy {
    /// Starts a proxy for `upstream`, an address that starts with `http://`. No call fails until
    /// [`FaultProxy::fail`].
    pub async fn start(upstream: &str, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            endpoint: format!("http://{}", listener.local_addr().unwrap()),
            state: Arc::new(State {
                rng: Mutex::new(StdRng::seed_from_u64(seed)),
                percent: AtomicU32::new(0),
                failed: AtomicU32::new(0),
                running: AtomicU32::new(0),
                lags: AtomicBool::new(false),
                lacks_index: AtomicBool::new(false),
                holds_transactions: AtomicBool::new(false),
                transaction_held: Notify::new(),
                index: Mutex::default(),
            }),
        };
        let upstream = upstream.trim_start_matches("http://").to_owned();
        let state = Arc::clone(&proxy.state);
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                tokio::spawn(connection(Arc::clone(&state), caller, upstream.clone()));
            }
        });
        proxy
    }

    /// Sets the share of calls that fail, in percent.
    pub fn fail(&self, percent: u32) {
        self.state.percent.store(percent, Ordering::SeqCst);
    }

    /// With true, only some queries of the index `Listed` see a later change of a row. The service must have one user.
    pub fn lag(&self, lags: bool) {
        self.state.lags.store(lags, Ordering::SeqCst);
    }

    /// With true, queries of the index `Listed` get the response that they get before the index exists.
    pub fn lack_index(&self, lacks_index: bool) {
        self.state.lacks_index.store(lacks_index, Ordering::SeqCst);
    }

    /// With true, transactions that write take effect, but their responses are held back.
    pub fn hold_transactions(&self, holds: bool) {
        self.state.holds_transactions.store(holds, Ordering::SeqCst);
    }

    /// Waits until a transaction has taken effect and its response is held back.
    pub async fn transaction_held(&self) {
        self.state.transaction_held.notified().await;
    }

    /// Returns the number of calls that failed.
    pub fn failed(&self) -> u32 {
        self.state.failed.load(Ordering::SeqCst)
    }

    /// Waits until the outcome of calls that the service no longer waits for is certain. Tokio's clock must be paused:
    /// it only moves when no task can continue.
    pub async fn settle(&self) {
        loop {
            sleep(Duration::from_millis(1)).await;
            if self.state.running.load(Ordering::SeqCst) == 0 {
                return;
            }
        }
    }
}

impl State {
    fn draw(&self) -> Option<Fault> {
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        let percent = self.percent.load(Ordering::SeqCst);
        let is_failing = rng.random_range(0..100) < percent;
        let fault = Fault::ALL[rng.random_range(0..Fault::ALL.len())];
        is_failing.then(|| {
            self.failed.fetch_add(1, Ordering::SeqCst);
            fault
        })
    }
}

impl State {
    /// Returns the response that the index gives while it lags behind the table.
    fn lagging(&self, response: Vec<u8>) -> Vec<u8> {
        let head = head_length(&response).unwrap_or_default();
        let Ok(mut body) = serde_json::from_slice::<Value>(&response[head..]) else {
            return response;
        };
        let Some(items) = body["Items"].as_array() else {
            return response;
        };
        let rows = items
            .iter()
            .map(|row| (row["anime_id"].to_string(), row.clone()));
        let present: BTreeMap<String, Value> = rows.collect();
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.lags.load(Ordering::SeqCst) {
            *index = present;
            return response;
        }
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        let keys: Vec<String> = index.keys().chain(present.keys()).cloned().collect();
        for key in keys {
            if rng.random_range(0..3) > 0 {
                continue;
            }
            match present.get(&key) {
                Some(row) => index.insert(key, row.clone()),
                None => index.remove(&key),
            };
        }
        body["Count"] = json!(index.len());
        body["ScannedCount"] = json!(index.len());
        body["Items"] = index.values().cloned().collect();
        let body = serde_json::to_vec(&body).unwrap();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        [head.into_bytes(), body].concat()
    }
}

fn is_query_of_listed(request: &[u8]) -> bool {
    let head = head_length(request).unwrap_or_default();
    let body: Value = serde_json::from_slice(&request[head..]).unwrap_or_default();
    body["IndexName"] == "Listed" && body["KeyConditionExpression"].is_string()
}

fn is_transaction(request: &[u8]) -> bool {
    let head = head_length(request).unwrap_or_default();
    String::from_utf8_lossy(&request[..head]).contains(".TransactWriteItems")
}

async fn connection(
    state: Arc<State>,
    mut caller: TcpStream,
    upstream: String,
) -> std::io::Result<()> {
    let mut engine = TcpStream::connect(upstream).await?;
    let mut pending = Vec::new();
    while let Some(request) = message(&mut caller, &mut pending).await? {
        let fault = state.draw();
        match fault {
            Some(Fault::CutBefore) => return Ok(()),
            Some(Fault::ErrorBefore) => {
                caller.write_all(FAILED).await?;
                continue;
            }
            Some(Fault::Throttling) => {
                caller.write_all(THROTTLED).await?;
                continue;
            }
            _ => {}
        }
        let is_query = is_query_of_listed(&request);
        if is_query && state.lacks_index.load(Ordering::SeqCst) {
            caller.write_all(NO_INDEX).await?;
            continue;
        }
        state.running.fetch_add(1, Ordering::SeqCst);
        let response = call(&mut engine, &request).await;
        state.running.fetch_sub(1, Ordering::SeqCst);
        let mut response = response?;
        if is_query {
            response = state.lagging(response);
        }
        if state.holds_transactions.load(Ordering::SeqCst) && is_transaction(&request) {
            state.transaction_held.notify_one();
            return std::future::pending().await;
        }
        match fault {
            Some(Fault::CutAfter) => return Ok(()),
            Some(Fault::ErrorAfter) => caller.write_all(FAILED).await?,
            Some(Fault::Truncated) => {
                let head = head_length(&response).unwrap_or_default();
                let half = head + (response.len() - head) / 2;
                return caller.write_all(&response[..half]).await;
            }
            Some(Fault::Stall) => {
                sleep(STALL).await;
                caller.write_all(&response).await?;
            }
            _ => caller.write_all(&response).await?,
        }
    }
    Ok(())
}

async fn call(engine: &mut TcpStream, request: &[u8]) -> std::io::Result<Vec<u8>> {
    engine.write_all(request).await?;
    let response = message(engine, &mut Vec::new()).await?;
    response.ok_or_else(|| std::io::ErrorKind::UnexpectedEof.into())
}

/// Reads a whole request or response; `None` if the connection has ended. `pending` has the bytes after it.
async fn message(from: &mut TcpStream, pending: &mut Vec<u8>) -> std::io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(head) = head_length(pending) {
            let length = head + body_length(&pending[..head]);
            if pending.len() >= length {
                let rest = pending.split_off(length);
                return Ok(Some(std::mem::replace(pending, rest)));
            }
        }
        if from.read_buf(pending).await? == 0 {
            return Ok(None);
        }
    }
}

fn head_length(message: &[u8]) -> Option<usize> {
    let end = message.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(end + 4)
}

fn body_length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let length = lines.find(|(name, _)| *name == "content-length");
    length.map_or(0, |(_, length)| length.trim().parse().unwrap())
}

/// DynamoDB's response after an internal error.
const FAILED: &[u8] = b"HTTP/1.1 500 Internal Server Error\r\n\
    content-type: application/x-amz-json-1.0\r\n\
    content-length: 94\r\n\r\n\
    {\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\",\"message\":\"Internal failure\"}";

/// DynamoDB's response to a query of the index `Listed` if the table does not have it.
const NO_INDEX: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\
    content-type: application/x-amz-json-1.0\r\n\
    content-length: 122\r\n\r\n\
    {\"__type\":\"com.amazon.coral.validate#ValidationException\",\
    \"message\":\"The table does not have the specified index: Listed\"}";

/// DynamoDB's response when it throttles a request.
const THROTTLED: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\
    content-type: application/x-amz-json-1.0\r\n\
    content-length: 109\r\n\r\n\
    {\"__type\":\"com.amazon.coral.availability#ThrottlingException\",\"message\":\"Rate of requests exceeds the limit\"}";
