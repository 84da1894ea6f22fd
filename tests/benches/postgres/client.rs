//! HTTP/1.1 clients that do little besides the transfer, so that the measurements are about the services.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rustix::time::{ClockId, clock_gettime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The size of a read.
const BUFFER: usize = 64 * 1024;

/// A response.
#[derive(Debug)]
pub struct Answer {
    /// The status line and the headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the value of a header, or an empty string if the header is missing.
    pub fn header(&self, name: &str) -> &str {
        header(&self.head, name).unwrap_or_default()
    }
}

/// A connection that stays open.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Opens a connection.
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("an open connection");
        Self {
            stream,
            buffer: vec![0; BUFFER],
        }
    }

    /// Sends a GET request, and returns the time until the whole response has been read, and the response.
    pub fn get(&mut self, path: &str) -> (Duration, Answer) {
        let request = request(path);
        let mut response = Vec::with_capacity(BUFFER);
        let started = Instant::now();
        self.stream.write_all(&request).expect("an open connection");
        let (head, length) = loop {
            let count = self.stream.read(&mut self.buffer).expect("a response");
            assert!(count > 0, "the service closed the connection");
            response.extend_from_slice(&self.buffer[..count]);
            if let Some(head) = end_of_head(&response) {
                break (head, head + content_length(&response[..head]));
            }
        };
        while response.len() < length {
            let count = self.stream.read(&mut self.buffer).expect("a response");
            assert!(count > 0, "the service closed the connection");
            response.extend_from_slice(&self.buffer[..count]);
        }
        let time = started.elapsed();
        let body = response.split_off(head);
        let head = String::from_utf8(response).expect("a head in ASCII");
        (time, Answer { head, body })
    }
}

/// The result of [`load`].
pub struct Load {
    /// The duration of the whole run.
    pub time: Duration,
    /// Processor time of this thread, which sends the requests.
    pub own_cpu: Duration,
    /// Processor time of all other threads of this process.
    pub other_cpu: Duration,
}

/// Sends GET requests for `path` from this thread, `each` over each of `connections` connections, which stay
/// open. A connection sends its next request when it has read the response to the last one.
pub fn load(address: SocketAddr, path: &str, connections: u32, each: u32) -> Load {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().expect("a runtime");
    let request = request(path);
    runtime.block_on(async {
        let opened = (0..connections).map(|_| tokio::net::TcpStream::connect(address));
        let opened = join_all(opened).await;
        let (own, all) = (thread_cpu(), process_cpu());
        let started = Instant::now();
        let sent = opened
            .into_iter()
            .map(|stream| send(stream.expect("a connection"), &request, each));
        join_all(sent).await;
        let time = started.elapsed();
        let own_cpu = thread_cpu().saturating_sub(own);
        Load {
            time,
            own_cpu,
            other_cpu: process_cpu().saturating_sub(all + own_cpu),
        }
    })
}

async fn send(mut stream: tokio::net::TcpStream, request: &[u8], times: u32) {
    let mut buffer = vec![0; BUFFER];
    for _ in 0..times {
        stream.write_all(request).await.expect("an open connection");
        let mut filled = 0;
        let mut missing = loop {
            let count = stream
                .read(&mut buffer[filled..])
                .await
                .expect("a response");
            assert!(count > 0, "the service closed the connection");
            filled += count;
            if let Some(head) = end_of_head(&buffer[..filled]) {
                assert!(buffer.starts_with(b"HTTP/1.1 200 "), "a failed request");
                break head + content_length(&buffer[..head]) - filled;
            }
        };
        while missing > 0 {
            let count = stream.read(&mut buffer).await.expect("a response");
            assert!(count > 0, "the service closed the connection");
            missing -= count;
        }
    }
}

fn request(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// Returns the length of the head, with the empty line after it.
fn end_of_head(response: &[u8]) -> Option<usize> {
    let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    end.map(|end| end + 4)
}

fn content_length(head: &[u8]) -> usize {
    let head = str::from_utf8(head).expect("a head in ASCII");
    let length = header(head, "content-length").expect("a response with a length");
    length.parse().expect("a number")
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim())
}

/// Returns the processor time that this thread has used.
pub fn thread_cpu() -> Duration {
    cpu(ClockId::ThreadCPUTime)
}

fn process_cpu() -> Duration {
    cpu(ClockId::ProcessCPUTime)
}

fn cpu(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).expect("a duration")
}
