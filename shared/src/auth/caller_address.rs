//! The network address of a caller.

use std::net::{IpAddr, Ipv6Addr};

/// The address that a request came from, as whoever accepted its connection saw it: API Gateway, or
/// the server on a developer's machine. Never out of a header, where a caller writes what it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub Option<IpAddr>);

impl CallerAddress {
    /// The name under which attempts from this address are counted. For IPv6 these are the first 64 bits,
    /// which one customer of a provider has alone. An IPv4 address written as IPv6 (`::ffff:a.b.c.d`)
    /// counts as the IPv4 address: the first 64 bits of all of those are the same.
    #[must_use]
    pub fn network(self) -> String {
        match self.0.map(|address| address.to_canonical()) {
            None => "unknown".to_owned(),
            Some(IpAddr::V4(address)) => address.to_string(),
            Some(IpAddr::V6(address)) => {
                let network = address.to_bits() >> 64 << 64;
                Ipv6Addr::from_bits(network).to_string()
            }
        }
    }
}
