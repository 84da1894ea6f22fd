//! The check of ports for tools on this machine, which no web page may use.

use std::net::IpAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};

/// Returns the reason for refusing a request that can come from a web page: it has an `Origin`, as CORS preflights
/// have, or its `Host` is neither `localhost` nor a loopback address. The host name of a web page can be made to
/// resolve to 127.0.0.1 (DNS rebinding). Such a request can lack an `Origin`.
pub fn refusal(headers: &HeaderMap) -> Option<&'static str> {
    if headers.contains_key(header::ORIGIN) {
        Some("Web pages cannot use this port: the request has an Origin header.")
    } else if is_for_loopback(headers) {
        None
    } else {
        Some("Host must be localhost or a loopback address.")
    }
}

fn is_for_loopback(headers: &HeaderMap) -> bool {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let Some(authority) = host.and_then(|host| host.parse::<Authority>().ok()) else {
        return false;
    };
    let host = authority.host();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
