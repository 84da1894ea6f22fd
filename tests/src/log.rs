//! Captures log output in the format that Lambda receives.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Dispatch;
use tracing::subscriber::{DefaultGuard, NoSubscriber, set_default};

/// Captures the log output of the current thread until it is dropped.
pub struct Log {
    lines: Lines,
    _guard: DefaultGuard,
    /// A second dispatcher, which receives nothing. With a single dispatcher, `tracing` remembers for each
    /// call site if the first thread that reaches it has a subscriber. If that thread belongs to another
    /// test without a subscriber, the events of this test would be lost.
    _second: Dispatch,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Starts to capture.
    pub fn begin() -> Self {
        let second = Dispatch::new(NoSubscriber::new());
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = runtime::observability::subscriber(move || writer.clone());
        Self {
            lines,
            _guard: set_default(subscriber),
            _second: second,
        }
    }

    /// Returns the output captured so far.
    pub fn text(&self) -> String {
        let lines = self.lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&lines).into_owned()
    }
}
