//! Requests over HTTP/1.1 whose time and processor time are measured. The client does little besides the transfer.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use rustix::time::{ClockId, clock_gettime};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The size of a read.
const BUFFER: usize = 64 * 1024;

/// Returns true if `cargo bench` runs this program. Any other run only has to show that the program works.
pub fn is_measured() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Serves a router in the way that `kiroku serve` does, until the sender is dropped.
pub async fn serve(router: Router) -> (SocketAddr, watch::Sender<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (running, stopped) = watch::channel(false);
    tokio::spawn(cli::http::serve(listener, router, stopped));
    (address, running)
}

/// Returns the processor time that all threads of this process have used.
fn process_cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).expect("a duration")
}

/// Builds a request. A request with a body is a form that is posted.
pub fn request(path: &str, headers: &[(&str, &str)], form: Option<&str>) -> Vec<u8> {
    let method = if form.is_some() { "POST" } else { "GET" };
    let headers = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    let headers = headers.collect::<Vec<String>>().concat();
    let body = form.map_or_else(String::new, |form| {
        let length = form.len();
        format!("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n")
    });
    let form = form.unwrap_or_default();
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}{body}\r\n{form}").into_bytes()
}

/// A response.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The status line and the headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the value of a header, or an empty string if the header is missing.
    pub fn header(&self, name: &str) -> &str {
        header(&self.head, name).unwrap_or_default()
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A connection that stays open.
#[derive(Debug)]
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

    /// Sends a request, and returns when the whole response has been read.
    pub fn send(&mut self, request: &[u8]) -> Response {
        self.stream.write_all(request).expect("an open connection");
        let mut response = Vec::with_capacity(BUFFER);
        let head = loop {
            self.read_into(&mut response);
            let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n");
            if let Some(end) = end {
                break end + 4;
            }
        };
        let length = header(text(&response[..head]), "content-length")
            .map(|length| head + length.parse::<usize>().expect("a number"));
        // Without a length, the body ends with an empty chunk.
        let is_complete = |response: &[u8]| match length {
            Some(length) => response.len() >= length,
            None => response.ends_with(b"0\r\n\r\n"),
        };
        while !is_complete(&response) {
            self.read_into(&mut response);
        }
        let body = response.split_off(head);
        let head = text(&response).to_owned();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Response {
            status: status.expect("a status"),
            head,
            body,
        }
    }

    /// Sends a request as [`Self::send`] does, and measures it. `others` returns the processor time that other
    /// processes have used so far, which also counts.
    pub fn measure(&mut self, request: &[u8], others: impl Fn() -> Duration) -> (Response, Sample) {
        let (others_before, own_before) = (others(), process_cpu());
        let started = Instant::now();
        let response = self.send(request);
        let time = started.elapsed();
        let own = process_cpu().saturating_sub(own_before);
        let cpu = own + others().saturating_sub(others_before);
        (response, Sample { time, cpu })
    }

    fn read_into(&mut self, response: &mut Vec<u8>) {
        let count = self.stream.read(&mut self.buffer).expect("a response");
        assert!(count > 0, "the service closed the connection");
        response.extend_from_slice(&self.buffer[..count]);
    }
}

fn text(head: &[u8]) -> &str {
    str::from_utf8(head).expect("a head in ASCII")
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim())
}

/// The measurement of a request.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The time until the whole response was read.
    pub time: Duration,
    /// The processor time.
    pub cpu: Duration,
}

/// The measurements of several requests of the same kind.
#[derive(Debug, Default)]
pub struct Samples(Vec<Sample>);

impl Samples {
    /// Adds a measurement.
    pub fn add(&mut self, sample: Sample) {
        self.0.push(sample);
    }

    /// Returns the time within which this share of the requests, in percent, has got a response.
    pub fn time(&self, percent: usize) -> Duration {
        self.percentile(percent, |sample| sample.time)
    }

    /// Returns the median of the processor times.
    pub fn cpu(&self) -> Duration {
        self.percentile(50, |sample| sample.cpu)
    }

    fn percentile(&self, percent: usize, part: impl Fn(&Sample) -> Duration) -> Duration {
        let mut times: Vec<Duration> = self.0.iter().map(part).collect();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        *times.get(last * percent / 100).expect("a sample")
    }
}

/// Sends requests for this time, and returns the number of responses in a second. Each client has a connection, and
/// sends its next request after it has read the response to the last one. The clients also need processor time on the
/// same cores.
pub fn throughput(address: SocketAddr, clients: &[Vec<Vec<u8>>], time: Duration) -> f64 {
    let started = Instant::now();
    let answered: u32 = thread::scope(|scope| {
        let clients = clients.iter().map(|requests| {
            scope.spawn(move || {
                let mut connection = Connection::open(address);
                let mut answered = 0_u32;
                for request in requests.iter().cycle() {
                    let response = connection.send(request);
                    assert_eq!(response.status, 200, "{}", response.text());
                    answered += 1;
                    if started.elapsed() >= time {
                        break;
                    }
                }
                answered
            })
        });
        // All clients start before the test waits for the first.
        let clients: Vec<_> = clients.collect();
        let answered = clients.into_iter();
        let answered = answered.map(|client| client.join().expect("a client"));
        answered.sum()
    });
    f64::from(answered) / started.elapsed().as_secs_f64()
}
