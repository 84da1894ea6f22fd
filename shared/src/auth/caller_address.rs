//! The network address of a caller.

use std::net::{IpAddr, Ipv6Addr};

/// The IP address that a request came from, as API Gateway or `kiroku serve` saw it when it accepted the connection;
/// `None` if it is unknown. A caller can send any header, so the address is read from a header only if the connection
/// comes from a reverse proxy that the operator trusts (`kiroku serve --trusted-proxy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallerAddress(pub Option<IpAddr>);

impl CallerAddress {
    /// Returns the network under which attempts from this address are counted (docs/api.md, "Rate limits").
    /// For IPv4 it is the address itself. For IPv6 it is the first 64 bits, the part that a provider assigns
    /// to one customer. An IPv4 address written as IPv6 (`::ffff:a.b.c.d`) counts as the IPv4 address:
    /// otherwise all such addresses would share one network, because their first 64 bits are the same. All
    /// requests without a known address share the network `unknown`.
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
