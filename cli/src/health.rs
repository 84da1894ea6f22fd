//! `kiroku health`: asks a running server for its health, for health checks of containers.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use anyhow::{Context, bail};
use axum::http::Uri;
use clap::Args;

use crate::serve::health_check::PATH;

/// Time for connecting, and for each wait for more of the response.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Longest response that is read. The rest is left out.
const MAX_RESPONSE_BYTES: u64 = 64 * 1024;

/// Options of `health`.
#[derive(Args, Debug)]
pub struct HealthArgs {
    /// Address to ask: http://, a host, and optionally a port and a path. Default: /health of the service on this
    /// machine.
    pub url: Option<Uri>,

    /// Port of the service on this machine.
    #[arg(long, env = "KIROKU_PORT", default_value_t = 9000)]
    pub port: u16,

    /// Address that the service on this machine listens on.
    #[arg(long, env = "KIROKU_HOST", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub host: IpAddr,
}

impl HealthArgs {
    /// Returns the address to ask.
    pub fn address(&self) -> anyhow::Result<Uri> {
        if let Some(url) = &self.url {
            return Ok(url.clone());
        }
        let host = match self.host {
            IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            host => host,
        };
        let address = SocketAddr::from((host, self.port));
        Ok(format!("http://{address}{PATH}").parse()?)
    }
}

/// Sends a GET request to the address. Returns the body of the response.
///
/// # Errors
/// When the address does not begin with http://, or there is no response with a status from 200 to 299. The message has
/// the status and the body.
pub fn check(url: &Uri) -> anyhow::Result<String> {
    let (Some("http"), Some(host)) = (url.scheme_str(), url.host()) else {
        bail!("{url}: must begin with http:// and a host");
    };
    let response = get(url, host).with_context(|| format!("no response from {url}"))?;
    let (head, body) = response
        .split_once("\r\n\r\n")
        .unwrap_or((response.as_str(), ""));
    // The first line is like "HTTP/1.0 200 OK".
    let status = head.split_whitespace().nth(1).unwrap_or_default();
    let body = body.trim();
    if !status.starts_with('2') {
        bail!("{url} responded with status {status}: {body}");
    }
    Ok(body.to_owned())
}

fn get(url: &Uri, host: &str) -> anyhow::Result<String> {
    // An IPv6 address is in brackets in a URL, but not in an address to connect to.
    let name = host.trim_matches(['[', ']']);
    let mut addresses = (name, url.port_u16().unwrap_or(80)).to_socket_addrs()?;
    let address = addresses.next().context("the host has no address")?;
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    // The response to a request of HTTP 1.0 ends with the connection and is not split into chunks.
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut response = Vec::new();
    stream.take(MAX_RESPONSE_BYTES).read_to_end(&mut response)?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}
