//! Limits of the connections to a server.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shared::auth::CallerAddress;
use tokio::time::Instant;

use crate::http::proxy::TrustedProxies;

/// Maximum number of connections at the same time. It is half of the number of files that a process can usually have
/// open.
pub const MAX_CONNECTIONS: usize = 500;

/// Maximum number of connections from one network of callers at the same time. Trusted proxies are exempt.
pub const MAX_CONNECTIONS_PER_NETWORK: usize = 200;

/// Interval between two warnings about refused connections.
const WARNING_INTERVAL: Duration = Duration::from_mins(1);

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of connections.
    pub all: usize,
    /// Maximum number of connections from one network, if `proxies` is set.
    pub per_network: usize,
    /// The proxies, whose connections carry the requests of all visitors. `None` if networks have no limit of their
    /// own.
    pub proxies: Option<TrustedProxies>,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            all: MAX_CONNECTIONS,
            per_network: MAX_CONNECTIONS_PER_NETWORK,
            proxies: None,
        }
    }
}

/// The open connections of a server.
pub(crate) struct OpenConnections {
    limits: ConnectionLimits,
    counts: Arc<Mutex<Counts>>,
    warned_at: Option<Instant>,
}

#[derive(Default)]
struct Counts {
    all: usize,
    by_network: HashMap<String, usize>,
}

/// A connection that counts until it is dropped.
pub(crate) struct CountedConnection {
    counts: Arc<Mutex<Counts>>,
    network: Option<String>,
}

impl OpenConnections {
    pub(crate) fn new(limits: ConnectionLimits) -> Self {
        Self {
            limits,
            counts: Arc::default(),
            warned_at: None,
        }
    }

    /// Counts a connection from this address; `None` if there are already too many. Connections without an address come
    /// from the user of this process.
    pub(crate) fn count(&mut self, peer: Option<IpAddr>) -> Option<CountedConnection> {
        let proxies = self.limits.proxies.as_ref();
        let limited =
            peer.filter(|peer| proxies.is_some_and(|proxies| !proxies.trust(peer.to_canonical())));
        let network = limited.map(|peer| CallerAddress(Some(peer)).network());
        let mut counts = lock(&self.counts);
        let of_network = network.as_ref().map(|network| {
            let count = counts.by_network.get(network);
            count.copied().unwrap_or_default()
        });
        let ConnectionLimits {
            all, per_network, ..
        } = self.limits;
        if counts.all >= all || of_network.is_some_and(|count| count >= per_network) {
            let open = counts.all;
            drop(counts);
            self.warn(open);
            return None;
        }
        counts.all += 1;
        if let Some(network) = &network {
            *counts.by_network.entry(network.clone()).or_default() += 1;
        }
        Some(CountedConnection {
            counts: Arc::clone(&self.counts),
            network,
        })
    }

    fn warn(&mut self, open: usize) {
        let now = Instant::now();
        let is_due = |at: Instant| now.duration_since(at) >= WARNING_INTERVAL;
        if self.warned_at.is_none_or(is_due) {
            self.warned_at = Some(now);
            tracing::warn!(open, "connections are refused: a limit is reached");
        }
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        counts.all = counts.all.saturating_sub(1);
        if let Some(network) = &self.network
            && let Some(count) = counts.by_network.get_mut(network)
        {
            *count -= 1;
            if *count == 0 {
                counts.by_network.remove(network);
            }
        }
    }
}

fn lock(counts: &Mutex<Counts>) -> MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}
