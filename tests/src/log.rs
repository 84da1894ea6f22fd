//! What is logged, as Lambda would have it.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Dispatch;
use tracing::subscriber::{DefaultGuard, NoSubscriber, set_default};

/// Collects what this thread logs, until it goes.
pub struct Log {
    lines: Lines,
    _guard: DefaultGuard,
    /// While there is one subscriber alone, tracing decides whether an event is of interest by the
    /// thread that meets it first, which may be another test's, without a subscriber.
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
    /// Begins to collect.
    #[must_use]
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

    /// What was logged so far.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&lines).into_owned()
    }
}
