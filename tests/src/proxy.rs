//! A TCP proxy between the functions and DynamoDB that can simulate faults.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The proxy's behavior for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// Forwards the request.
    Up,
    /// Closes the connection without forwarding the request.
    Closed,
    /// Never responds.
    Silent,
    /// Responds with a throttling error.
    Throttling,
    /// Responds to transactions and updates with a transaction conflict. Forwards all other requests.
    Conflicting,
    /// Forwards the request, then closes the connection instead of returning the response.
    Lost,
}

/// A running proxy. It stops with the runtime of its test.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// The address that the proxy listens on.
    pub endpoint: String,
    mode: Arc<AtomicU8>,
    /// Number of requests to forward before the mode applies.
    grace: Arc<AtomicU32>,
    /// Number of requests that the mode applies to.
    left: Arc<AtomicU32>,
}

impl Proxy {
    /// Starts a proxy for `upstream`, an address that starts with `http://`.
    pub async fn start(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            endpoint: format!("http://{}", listener.local_addr().unwrap()),
            mode: Arc::new(AtomicU8::new(Mode::Up as u8)),
            grace: Arc::default(),
            left: Arc::new(AtomicU32::new(u32::MAX)),
        };
        let upstream = upstream.trim_start_matches("http://").to_owned();
        let running = proxy.clone();
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                tokio::spawn(running.clone().connection(caller, upstream.clone()));
            }
        });
        proxy
    }

    /// Sets the mode, starting with the next request.
    pub fn set(&self, mode: Mode) {
        self.set_after(0, mode);
    }

    /// Sets the mode once `requests` more requests have been forwarded.
    pub fn set_after(&self, requests: u32, mode: Mode) {
        self.left.store(u32::MAX, Ordering::SeqCst);
        self.grace.store(requests, Ordering::SeqCst);
        self.mode.store(mode as u8, Ordering::SeqCst);
    }

    /// Applies the mode to a single request, once `requests` more requests have been forwarded.
    pub fn once_after(&self, requests: u32, mode: Mode) {
        self.set_after(requests, mode);
        self.left.store(1, Ordering::SeqCst);
    }

    /// Responds to the next `transactions` transactions and updates with a transaction conflict.
    pub fn conflict(&self, transactions: u32) {
        self.set(Mode::Conflicting);
        self.left.store(transactions, Ordering::SeqCst);
    }

    fn mode(&self, request: &[u8]) -> Mode {
        let one_less = |left: u32| left.checked_sub(1);
        let take = |from: &AtomicU32| {
            from.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
                .is_ok()
        };
        if take(&self.grace) {
            return Mode::Up;
        }
        let modes = [
            Mode::Closed,
            Mode::Silent,
            Mode::Throttling,
            Mode::Conflicting,
            Mode::Lost,
        ];
        let mode = self.mode.load(Ordering::SeqCst);
        let mode = modes.into_iter().find(|known| *known as u8 == mode);
        match mode {
            Some(Mode::Conflicting) if !meets_transactions(request) || !take(&self.left) => {
                Mode::Up
            }
            Some(Mode::Lost) if !take(&self.left) => Mode::Up,
            mode => mode.unwrap_or(Mode::Up),
        }
    }

    async fn connection(self, mut caller: TcpStream, upstream: String) -> std::io::Result<()> {
        let mut server = TcpStream::connect(upstream).await?;
        let mut buffer = vec![0; 1 << 16];
        let mut answer = vec![0; 1 << 16];
        let mut lost = false;
        loop {
            tokio::select! {
                read = caller.read(&mut buffer) => {
                    let read = read?;
                    if read == 0 {
                        return Ok(());
                    }
                    match self.mode(&buffer[..read]) {
                        Mode::Up => server.write_all(&buffer[..read]).await?,
                        Mode::Lost => {
                            lost = true;
                            server.write_all(&buffer[..read]).await?;
                        }
                        Mode::Closed => return Ok(()),
                        Mode::Silent => std::future::pending().await,
                        Mode::Throttling => caller.write_all(THROTTLED.as_bytes()).await?,
                        Mode::Conflicting => {
                            let conflict = conflict(&buffer[..read]);
                            caller.write_all(conflict.as_bytes()).await?;
                        }
                    }
                }
                read = server.read(&mut answer) => {
                    let read = read?;
                    if read == 0 || lost {
                        return Ok(());
                    }
                    caller.write_all(&answer[..read]).await?;
                }
            }
        }
    }
}

fn meets_transactions(request: &[u8]) -> bool {
    is_for(request, "TransactWriteItems") || is_for(request, "UpdateItem")
}

fn is_for(request: &[u8], operation: &str) -> bool {
    let target = format!("DynamoDB_20120810.{operation}");
    let mut windows = request.windows(target.len());
    windows.any(|window| window == target.as_bytes())
}

/// Returns DynamoDB's response while another transaction holds the row of an update, or the first of the
/// three rows of a transaction.
fn conflict(request: &[u8]) -> String {
    let body = if is_for(request, "TransactWriteItems") {
        "{\"__type\":\"com.amazonaws.dynamodb.v20120810#TransactionCanceledException\",\
        \"Message\":\"Transaction cancelled, please refer cancellation reasons for specific reasons \
        [TransactionConflict, None, None]\",\
        \"CancellationReasons\":[{\"Code\":\"TransactionConflict\",\"Message\":\"Transaction is ongoing for the \
        item\"},{\"Code\":\"None\"},{\"Code\":\"None\"}]}"
    } else {
        "{\"__type\":\"com.amazonaws.dynamodb.v20120810#TransactionConflictException\",\
        \"message\":\"Transaction is ongoing for the item\"}"
    };
    format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// DynamoDB's response when it throttles a request.
const THROTTLED: &str = "HTTP/1.1 400 Bad Request\r\n\
    content-type: application/x-amz-json-1.0\r\n\
    content-length: 109\r\n\r\n\
    {\"__type\":\"com.amazon.coral.availability#ThrottlingException\",\"message\":\"Rate of requests exceeds the limit\"}";
