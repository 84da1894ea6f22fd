//! Redirect URIs: the addresses to which the service sends authorization responses (docs/oauth.md, "Rule 4").

use std::fmt;
use std::net::Ipv6Addr;

use serde::{Deserialize, Serialize};

/// The maximum length of a redirect URI, in bytes.
const MAX_LENGTH: usize = 500;

/// Loopback addresses, on which a native application listens for the response. Any port is accepted, because the
/// operating system assigns a port when the application starts to listen (RFC 8252, section 7.3).
const LOOPBACK_ADDRESSES: [&str; 2] = ["http://127.0.0.1", "http://[::1]"];

/// The host name of the loopback address. It can also be registered, although RFC 8252, section 8.3, advises against
/// it. Unlike with [`LOOPBACK_ADDRESSES`], a request must have the registered port.
const LOCALHOST: &str = "http://localhost";

/// A redirect URI that a client has registered (RFC 6749, section 3.1.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RedirectUri(String);

impl RedirectUri {
    /// Returns a redirect URI if this text can be registered as one.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        if text.len() > MAX_LENGTH {
            return Err("must have at most 500 characters each");
        }
        if text.contains('#') {
            return Err("must not have a fragment (#)");
        }
        if !text.bytes().all(is_uri_byte) {
            return Err("must contain only the characters of a URI; percent-encode all others");
        }
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(
                "must be an absolute URI with https://, a loopback address or a private-use scheme",
            );
        };
        match scheme {
            "https" => check_host(rest)?,
            "http" if is_loopback(text) => {}
            "http" => {
                return Err("must begin with https://, except on 127.0.0.1, [::1] and localhost");
            }
            _ => check_private_use(scheme, rest)?,
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the URI as it was registered.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if `sent`, the redirect URI in a request, equals this registered URI byte for byte (RFC 9700,
    /// section 2.1). The port may differ if the host is the loopback address `127.0.0.1` or `[::1]`.
    pub fn matches(&self, sent: &str) -> bool {
        if self.0 == sent {
            return true;
        }
        LOOPBACK_ADDRESSES.iter().any(|host| {
            let registered = path_after_host(&self.0, host);
            registered.is_some() && registered == path_after_host(sent, host)
        })
    }
}

impl fmt::Display for RedirectUri {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Returns true for the characters that a URI can contain (RFC 3986, section 2), except `#`.
fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte)
}

/// Checks that the rest of an `https:` URI has a valid host and no user name.
fn check_host(rest: &str) -> Result<(), &'static str> {
    let authority = rest
        .strip_prefix("//")
        .map(|rest| rest.split(['/', '?']).next().unwrap_or_default())
        .unwrap_or_default();
    if authority.contains('@') {
        return Err("must not have a user name (@) before the host");
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_name = !host.is_empty()
        && host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let is_ipv6 = address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    let is_port =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    if (is_name || is_ipv6) && port.is_none_or(is_port) {
        Ok(())
    } else {
        Err("must contain a valid host, as in https://example.com/callback")
    }
}

fn is_loopback(text: &str) -> bool {
    LOOPBACK_ADDRESSES
        .iter()
        .chain([&LOCALHOST])
        .any(|host| path_after_host(text, host).is_some())
}

/// Checks a private-use scheme (RFC 8252, section 7.1). Such a scheme is a domain name in reverse order, so
/// it contains a dot. Schemes that a browser handles itself, such as `javascript` and `data`, contain none.
fn check_private_use(scheme: &str, rest: &str) -> Result<(), &'static str> {
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if is_scheme && scheme.contains('.') && rest.starts_with('/') {
        Ok(())
    } else {
        Err("must begin with https:// or with a private-use scheme like com.example.app:/")
    }
}

/// Returns the part of a URI after its host and port, if the URI begins with `host` and has either no port or a
/// valid port. `host` includes the scheme.
fn path_after_host<'t>(text: &'t str, host: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(host)?;
    let rest = match rest.strip_prefix(':') {
        Some(after) => {
            let end = after
                .find(|character: char| !character.is_ascii_digit())
                .unwrap_or(after.len());
            let (port, rest) = after.split_at(end);
            port.parse::<u16>().ok()?;
            rest
        }
        None => rest,
    };
    (rest.is_empty() || rest.starts_with(['/', '?'])).then_some(rest)
}
