//! Progress of an import or a refresh: a bar on a terminal, otherwise plain lines.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shared::clock::Clock;
use shared::grouped;

/// Number of entries between plain lines.
const PLAIN_EVERY: u64 = 5_000;

/// Number of entries between updates of the bar's text.
const BAR_EVERY: u64 = 100;

/// The bar of a file. Its position is in bytes, because the number of entries is not known in advance.
const BYTES_BAR: &str = "{wide_bar} {bytes} of {total_bytes}, {eta} left, {msg}";

/// The bar of a stage whose unit means nothing to the operator.
const SHARE_BAR: &str = "{wide_bar} {percent} %, {eta} left, {msg}";

/// The length of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Bytes of a file.
    Bytes(u64),
    /// Units of any kind, shown as a percentage.
    Share(u64),
}

/// Shows the progress of an import or a refresh on standard error.
#[derive(Debug)]
pub struct Progress {
    clock: Clock,
    show: Show,
}

#[derive(Debug)]
enum Show {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    /// Shows a bar if standard error is a terminal, otherwise a line every 5,000 entries.
    #[must_use]
    pub fn new() -> Self {
        let show = if std::io::stderr().is_terminal() {
            Show::Bar(ProgressBar::with_draw_target(
                None,
                // The bar appears when a stage starts.
                ProgressDrawTarget::hidden(),
            ))
        } else {
            Show::Lines
        };
        Self::with(Clock::system(), show)
    }

    /// Shows nothing.
    #[must_use]
    pub fn hidden() -> Self {
        Self::with(Clock::manual(0), Show::Nothing)
    }

    fn with(clock: Clock, show: Show) -> Self {
        Self { clock, show }
    }

    /// Prints the name of a phase.
    pub(crate) fn phase(&self, text: &str) {
        if !matches!(self.show, Show::Nothing) {
            eprintln!("{text}");
        }
    }

    /// Starts a stage of this length.
    pub(crate) fn start(&self, length: Length) -> Running<'_> {
        if let Show::Bar(bar) = &self.show {
            let (length, template) = match length {
                Length::Bytes(bytes) => (bytes, BYTES_BAR),
                Length::Share(units) => (units, SHARE_BAR),
            };
            bar.reset();
            bar.set_length(length);
            // The templates are constants of this file. An invalid one only changes how the bar looks.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        Running {
            progress: self,
            started_ms: self.clock.now_ms(),
            entries: AtomicU64::new(0),
        }
    }
}

/// The progress of one file, or of one stage.
#[derive(Debug)]
pub struct Running<'a> {
    progress: &'a Progress,
    started_ms: u64,
    entries: AtomicU64,
}

impl Running<'_> {
    /// Sets the number of entries read so far, and the position within the length.
    pub(crate) fn advance(&self, entries: u64, position: u64) {
        match &self.progress.show {
            Show::Bar(bar) => {
                bar.set_position(position);
                if self.passes(entries, BAR_EVERY) {
                    bar.set_message(self.text(entries));
                }
            }
            Show::Lines if self.passes(entries, PLAIN_EVERY) => eprintln!("{}", self.text(entries)),
            Show::Lines | Show::Nothing => {}
        }
    }

    /// Returns true if the count has passed a multiple of `every` since the last call.
    fn passes(&self, entries: u64, every: u64) -> bool {
        let before = self.entries.swap(entries, Ordering::Relaxed);
        before / every < entries / every
    }

    fn text(&self, entries: u64) -> String {
        let now_ms = self.progress.clock.now_ms();
        let passed_ms = now_ms.saturating_sub(self.started_ms);
        let rate = entries.saturating_mul(1_000) / passed_ms.max(1);
        let [entries, seconds, rate] = [entries, passed_ms / 1_000, rate].map(grouped);
        format!("read {entries} entries, {seconds} s, {rate} a second")
    }
}

impl Drop for Running<'_> {
    /// Removes the bar, so that the report or error after it starts on a clean line.
    fn drop(&mut self) {
        if let Show::Bar(bar) = &self.progress.show {
            bar.finish_and_clear();
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use shared::clock::Clock;

    use super::{Length, Progress, Show};

    #[test]
    fn plain_line_shows_count_time_and_rate() {
        let clock = Clock::manual(1_000);
        let progress = Progress::with(clock.clone(), Show::Lines);
        let running = progress.start(Length::Bytes(100));
        clock.advance(Duration::from_secs(2));
        assert_eq!(
            running.text(5_000),
            "read 5,000 entries, 2 s, 2,500 a second"
        );
    }

    #[test]
    fn line_is_due_when_a_multiple_is_passed() {
        let progress = Progress::hidden();
        let running = progress.start(Length::Share(9));
        let due = [0, 49, 50, 99, 101, 151, 350].map(|entries| running.passes(entries, 50));
        assert_eq!(due, [false, false, true, false, true, true, true]);
    }

    #[test]
    fn rate_without_elapsed_time_does_not_divide_by_zero() {
        assert_eq!(
            Progress::hidden().start(Length::Share(0)).text(3),
            "read 3 entries, 0 s, 3,000 a second"
        );
    }
}
