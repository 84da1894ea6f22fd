//! Callers behind a reverse proxy: their addresses, from a header that the proxy sets.
//!
//! A caller can send any header itself, and a proxy passes on the headers that it does not know. So the header counts
//! only if the connection comes from a trusted proxy, and only the header that this proxy sets is read. Caddy, nginx
//! and Traefik set `X-Forwarded-For`, and pass on the `Forwarded` header of a caller unchanged. A rule such as
//! "`Forwarded`, or else `X-Forwarded-For`" would let every caller choose an address.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use clap::ValueEnum;
use ipnet::{IpNet, Ipv4Net};
use shared::auth::CallerAddress;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The header in which the trusted proxies pass on the caller's address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProxyHeader {
    /// A list of addresses, as Caddy, nginx and Traefik send.
    #[default]
    XForwardedFor,
    /// The header of RFC 7239, as `HAProxy` sends with `option forwarded`.
    Forwarded,
}

/// The addresses of a trusted proxy: an address, or a network in CIDR notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyNetwork(IpNet);

impl FromStr for ProxyNetwork {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let network = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address),
            Err(_) => text.parse().map_err(
                |_| "must be an address or a network, such as 127.0.0.1, 10.0.0.0/8 or fd00::/8",
            )?,
        };
        if network.addr() != network.network() {
            let network = network.trunc();
            return Err(format!("has bits after its prefix; write {network}"));
        }
        let network = to_canonical(network);
        if network.prefix_len() == 0 {
            // Every caller would count as a proxy, and could choose its address.
            return Err("trusts every address; name the networks of your proxies".to_owned());
        }
        Ok(Self(network))
    }
}

/// Returns the IPv4 network of IPv4-mapped addresses (`::ffff:a.b.c.d`), and any other network unchanged. Addresses are
/// also compared as IPv4.
fn to_canonical(network: IpNet) -> IpNet {
    let mapped = match (network.addr().to_canonical(), network) {
        (IpAddr::V4(address), IpNet::V6(network)) => {
            let prefix = network.prefix_len().checked_sub(96);
            prefix.and_then(|prefix| Ipv4Net::new(address, prefix).ok())
        }
        _ => None,
    };
    mapped.map_or(network, IpNet::V4)
}

/// The trusted proxies, and the header that they set.
#[derive(Clone, Debug)]
pub struct TrustedProxies {
    networks: Arc<[ProxyNetwork]>,
    header: ProxyHeader,
}

impl TrustedProxies {
    /// Returns the proxies in these networks, which all set this header.
    pub fn new(networks: &[ProxyNetwork], header: ProxyHeader) -> Self {
        Self {
            networks: networks.into(),
            header,
        }
    }

    /// Gives each request of a router the address of its caller. `peer`, the address that the connection comes from, is
    /// the extension [`CallerAddress`] of the request, and is replaced.
    pub fn find_callers(self, router: Router) -> Router {
        if self.networks.is_empty() {
            return router;
        }
        router.layer(from_fn_with_state(self, find_caller))
    }

    pub(crate) fn trust(&self, address: IpAddr) -> bool {
        self.networks
            .iter()
            .any(|ProxyNetwork(network)| network.contains(&address))
    }

    /// Returns the rightmost address that is not a trusted proxy: of the header's list, followed by `peer`. Each proxy
    /// appends the address that it saw, so everything to the left of that address may be forged. An entry that is not
    /// an address ends the search at the proxy to its right.
    fn caller_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let name = match self.header {
            ProxyHeader::XForwardedFor => X_FORWARDED_FOR,
            ProxyHeader::Forwarded => header::FORWARDED,
        };
        let lines: Vec<_> = headers.get_all(name).iter().collect();
        // Several lines are one list (RFC 9110, section 5.3).
        let entries = lines.iter().rev().flat_map(|line| {
            // A line that is not ASCII counts as one entry that is not an address.
            split_from_right(line.to_str().unwrap_or("unknown"), b',')
        });
        // Empty elements of a list are skipped (RFC 9110, section 5.6.1.2).
        let entries = entries.map(trim).filter(|entry| !entry.is_empty());
        let mut address = peer.to_canonical();
        for entry in entries {
            if !self.trust(address) {
                break;
            }
            let node = match self.header {
                ProxyHeader::XForwardedFor => Some(entry),
                ProxyHeader::Forwarded => forwarded_for(entry),
            };
            match node.and_then(parse_node) {
                Some(next) => address = next,
                None => break,
            }
        }
        address
    }
}

async fn find_caller(
    State(proxies): State<TrustedProxies>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(CallerAddress(Some(peer))) = request.extensions().get().copied() {
        let address = proxies.caller_address(peer, request.headers());
        request
            .extensions_mut()
            .insert(CallerAddress(Some(address)));
    }
    next.run(request).await
}

/// Splits a text at a separator outside of quoted strings, from right to left. In that direction, an open quote in a
/// forged part cannot hide the elements that a proxy has appended to it.
fn split_from_right(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let bytes = text.as_bytes();
        let mut is_quoted = false;
        for (at, byte) in bytes.iter().enumerate().rev() {
            if *byte == b'"' {
                let backslashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\');
                // A quote after an odd number of backslashes is part of the quoted string.
                is_quoted ^= backslashes.count() % 2 == 0;
            } else if *byte == separator && !is_quoted {
                rest = Some(&text[..at]);
                return Some(&text[at + 1..]);
            }
        }
        rest.take()
    })
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// Returns the node of the parameter `for` in an element of `Forwarded` (RFC 7239, section 4), without its quotes;
/// `None` if there is not exactly one.
fn forwarded_for(element: &str) -> Option<&str> {
    let mut nodes = split_from_right(element, b';').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        trim(name).eq_ignore_ascii_case("for").then(|| trim(value))
    });
    let node = nodes.next()?;
    if nodes.next().is_some() {
        return None;
    }
    let quoted = node
        .strip_prefix('"')
        .and_then(|node| node.strip_suffix('"'));
    Some(quoted.unwrap_or(node))
}

/// Parses an address with an optional port (RFC 7239, section 6): `192.0.2.1`, `192.0.2.1:8080`, `2001:db8::1`,
/// `[2001:db8::1]`, `[2001:db8::1]:8080`. Returns `None` for anything else, such as `unknown` and obfuscated nodes.
fn parse_node(node: &str) -> Option<IpAddr> {
    if let Ok(address) = node.parse::<IpAddr>() {
        return Some(address.to_canonical());
    }
    let (address, port) = if let Some(rest) = node.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        (IpAddr::V6(address.parse().ok()?), port)
    } else {
        let (address, _) = node.split_once(':')?;
        (IpAddr::V4(address.parse().ok()?), &node[address.len()..])
    };
    let is_port = |port: &str| {
        // A port may also be obfuscated: `_` and letters, digits, `.`, `_` or `-`.
        let is_obfuscated = port.starts_with('_') && port.len() > 1;
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        port.parse::<u16>().is_ok() || (is_obfuscated && port.bytes().all(is_allowed))
    };
    let has_valid_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    has_valid_port.then(|| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use axum::http::{HeaderMap, HeaderValue, header};

    use super::{ProxyHeader, ProxyNetwork, TrustedProxies, X_FORWARDED_FOR};

    const TRUSTED: [&str; 3] = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"];

    fn caller(header: ProxyHeader, peer: &str, headers: &HeaderMap) -> IpAddr {
        let networks = TRUSTED.map(|text| text.parse().unwrap());
        let proxies = TrustedProxies::new(&networks, header);
        proxies.caller_address(peer.parse().unwrap(), headers)
    }

    #[test]
    fn caller_is_the_rightmost_untrusted_address() {
        // Peer, lines of X-Forwarded-For, address of the caller.
        let cases: &[(&str, &[&str], &str)] = &[
            ("127.0.0.1", &["192.0.2.1"], "192.0.2.1"),
            ("::ffff:127.0.0.1", &["192.0.2.1"], "192.0.2.1"),
            ("fd12::1", &["2001:db8::1"], "2001:db8::1"),
            ("127.0.0.1", &["192.0.2.1:8080"], "192.0.2.1"),
            ("127.0.0.1", &["[2001:db8::1]:8080"], "2001:db8::1"),
            ("127.0.0.1", &["[2001:db8::1]"], "2001:db8::1"),
            ("127.0.0.1", &["::ffff:192.0.2.1"], "192.0.2.1"),
            // The request comes through two proxies.
            ("127.0.0.1", &["192.0.2.1, 10.1.2.3"], "192.0.2.1"),
            ("127.0.0.1", &["192.0.2.1,\t10.1.2.3 ,, "], "192.0.2.1"),
            ("127.0.0.1", &["192.0.2.1", "10.1.2.3"], "192.0.2.1"),
            ("127.0.0.1", &["192.0.2.1, ::ffff:10.1.2.3"], "192.0.2.1"),
            // The caller is inside of the trusted network.
            ("127.0.0.1", &["10.9.9.9, 10.1.2.3"], "10.9.9.9"),
            // Forged entries are to the left of the proxies' entries.
            ("127.0.0.1", &["203.0.113.9, 192.0.2.1"], "192.0.2.1"),
            ("127.0.0.1", &["203.0.113.9", "192.0.2.1"], "192.0.2.1"),
            ("127.0.0.1", &["10.0.0.1, 192.0.2.1, 10.1.2.3"], "192.0.2.1"),
            ("127.0.0.1", &["\", 192.0.2.1"], "192.0.2.1"),
            // From an untrusted peer, the header is ignored.
            ("198.51.100.7", &["192.0.2.1"], "198.51.100.7"),
            ("::ffff:198.51.100.7", &["192.0.2.1"], "198.51.100.7"),
            ("11.0.0.1", &["192.0.2.1"], "11.0.0.1"),
            ("127.0.0.2", &["192.0.2.1"], "127.0.0.2"),
            ("::1", &["192.0.2.1"], "::1"),
            // Without an address, it is that of the last proxy.
            ("127.0.0.1", &[], "127.0.0.1"),
            ("127.0.0.1", &[""], "127.0.0.1"),
            ("127.0.0.1", &["unknown"], "127.0.0.1"),
            ("127.0.0.1", &["192.0.2.1, unknown, 10.1.2.3"], "10.1.2.3"),
            ("127.0.0.1", &["192.0.2.1, 10.1.2"], "127.0.0.1"),
            ("127.0.0.1", &["192.0.2.1 10.1.2.3"], "127.0.0.1"),
            ("127.0.0.1", &["192.0.2.1:"], "127.0.0.1"),
            ("127.0.0.1", &["192.0.2.1:65536"], "127.0.0.1"),
            ("127.0.0.1", &["192.0.2.256"], "127.0.0.1"),
            ("127.0.0.1", &["[192.0.2.1]"], "127.0.0.1"),
            ("127.0.0.1", &["[2001:db8::1"], "127.0.0.1"),
            ("127.0.0.1", &["[2001:db8::1]x"], "127.0.0.1"),
            ("127.0.0.1", &["for=192.0.2.1"], "127.0.0.1"),
            ("127.0.0.1", &["fe80::1%eth0"], "127.0.0.1"),
        ];
        for (peer, lines, expected) in cases {
            let mut headers = HeaderMap::new();
            // Caddy and nginx pass on the caller's `Forwarded`.
            headers.insert(
                header::FORWARDED,
                HeaderValue::from_static("for=203.0.113.66"),
            );
            for line in *lines {
                headers.append(X_FORWARDED_FOR, line.parse().unwrap());
            }
            let address = caller(ProxyHeader::XForwardedFor, peer, &headers);
            assert_eq!(address.to_string(), *expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn forwarded_is_read_as_rfc_7239_describes_it() {
        let cases: &[(&[&str], &str)] = &[
            (&["for=192.0.2.1"], "192.0.2.1"),
            (&["For=192.0.2.1;proto=https;by=10.0.0.1"], "192.0.2.1"),
            (&["proto=https; for=\"192.0.2.1:47011\""], "192.0.2.1"),
            (&["for=\"192.0.2.1:_port\""], "192.0.2.1"),
            (&["for=\"[2001:db8:cafe::17]:4711\""], "2001:db8:cafe::17"),
            (&["for=\"[2001:db8:cafe::17]\""], "2001:db8:cafe::17"),
            (&["for=192.0.2.1, for=10.1.2.3"], "192.0.2.1"),
            (&["for=192.0.2.1", "for=10.1.2.3"], "192.0.2.1"),
            (&["for=203.0.113.9, for=192.0.2.1"], "192.0.2.1"),
            // A comma or semicolon in quotes separates nothing.
            (&["for=192.0.2.1;host=\"a, for=203.0.113.9\""], "192.0.2.1"),
            (
                &[r#"for=192.0.2.1;host="a\", for=203.0.113.9;b=\"""#],
                "192.0.2.1",
            ),
            (
                &[r#"for=192.0.2.1;host="a;for=203.0.113.9\\""#],
                "192.0.2.1",
            ),
            // An open quote hides nothing to its right.
            (&["for=\"203.0.113.9, for=192.0.2.1"], "192.0.2.1"),
            (&["for=\"203.0.113.9", "for=192.0.2.1"], "192.0.2.1"),
            (&[r#"for="203.0.113.9\, for=192.0.2.1"#], "192.0.2.1"),
            (&["for=unknown"], "127.0.0.1"),
            (&["for=_hidden"], "127.0.0.1"),
            (&["for=192.0.2.1, for=_proxy, for=10.1.2.3"], "10.1.2.3"),
            (&["for=192.0.2.1, by=10.0.0.1, for=10.1.2.3"], "10.1.2.3"),
            (&["for=192.0.2.1;for=192.0.2.2"], "127.0.0.1"),
            (&["for="], "127.0.0.1"),
            (&["for"], "127.0.0.1"),
            (&["192.0.2.1"], "127.0.0.1"),
            (&["for=\"192.0.2.1"], "127.0.0.1"),
            (&["for=\"192.0.2.1:_\""], "127.0.0.1"),
            (&["for=192.0.2.1 for=192.0.2.2"], "127.0.0.1"),
            (&["for=2001:db8::g"], "127.0.0.1"),
            (&[], "127.0.0.1"),
        ];
        for (lines, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(X_FORWARDED_FOR, HeaderValue::from_static("203.0.113.66"));
            for line in *lines {
                headers.append(header::FORWARDED, line.parse().unwrap());
            }
            let address = caller(ProxyHeader::Forwarded, "127.0.0.1", &headers);
            assert_eq!(address.to_string(), *expected, "{lines:?}");
        }
    }

    #[test]
    fn line_that_is_not_ascii_is_not_an_address() {
        let mut headers = HeaderMap::new();
        let line = HeaderValue::from_bytes(b"192.0.2.1, \xff").unwrap();
        headers.append(X_FORWARDED_FOR, line);
        let address = caller(ProxyHeader::XForwardedFor, "127.0.0.1", &headers);
        assert_eq!(address.to_string(), "127.0.0.1");
    }

    #[test]
    fn network_is_an_address_or_in_cidr_notation() {
        for (text, expected) in [
            ("127.0.0.1", "127.0.0.1/32"),
            (" 10.0.0.0/8 ", "10.0.0.0/8"),
            ("::1", "::1/128"),
            ("2001:db8::/32", "2001:db8::/32"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
            ("::ffff:10.0.0.1", "10.0.0.1/32"),
        ] {
            let network: ProxyNetwork = text.parse().unwrap();
            assert_eq!(network.0.to_string(), expected);
        }
        for (text, reason) in [
            ("", "must be an address or a network"),
            ("10.0.0.0/33", "must be an address or a network"),
            ("10.0.0/8", "must be an address or a network"),
            ("proxy.example", "must be an address or a network"),
            ("10.0.0.1/8", "write 10.0.0.0/8"),
            ("0.0.0.0/0", "trusts every address"),
            ("::/0", "trusts every address"),
            ("::ffff:0:0/96", "trusts every address"),
        ] {
            let error = text.parse::<ProxyNetwork>().unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
