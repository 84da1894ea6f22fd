//! How far an import or a refresh is: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};

use catalogue::import::grouped;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shared::clock::Clock;

/// After how many entries a plain line is written.
const PLAIN_EVERY: u64 = 5_000;

/// After how many entries the bar's text changes.
const BAR_EVERY: u64 = 100;

/// The bar of a file. Its position is in bytes: how many entries there are is not known before.
const BYTES_BAR: &str = "{wide_bar} {bytes} of {total_bytes}, {eta} left, {msg}";

/// The bar of what has no measure that says something to people.
const SHARE_BAR: &str = "{wide_bar} {percent} %, {eta} left, {msg}";

/// How much there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many bytes of a file.
    Bytes(u64),
    /// So many units, whatever they are.
    Share(u64),
}

/// Tells on stderr how far an import or a refresh is.
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
    /// A bar with rate and time left when stderr is a terminal, else a line every 5,000 entries.
    #[must_use]
    pub fn new() -> Self {
        let show = if std::io::stderr().is_terminal() {
            Show::Bar(ProgressBar::with_draw_target(
                None,
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

    /// A phase without a measure begins.
    pub(crate) fn phase(&self, text: &str) {
        if !matches!(self.show, Show::Nothing) {
            eprintln!("{text}");
        }
    }

    /// What is of this length begins.
    pub(crate) fn start(&self, length: Length) -> Running<'_> {
        if let Show::Bar(bar) = &self.show {
            let (length, template) = match length {
                Length::Bytes(bytes) => (bytes, BYTES_BAR),
                Length::Share(units) => (units, SHARE_BAR),
            };
            bar.reset();
            bar.set_length(length);
            // The template is this file's own; a mistake in it would cost no more than the looks.
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
    /// So many entries have been read, and so much of the length.
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

    /// Whether a multiple of `every` is behind that was not when this was asked before.
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
    /// The bar goes, so that what comes next, a report or an error, stands alone.
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
    fn a_plain_line_tells_count_time_and_rate() {
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
    fn a_line_is_due_when_a_multiple_is_passed_however_entries_come() {
        let progress = Progress::hidden();
        let running = progress.start(Length::Share(9));
        let due = [0, 49, 50, 99, 101, 151, 350].map(|entries| running.passes(entries, 50));
        assert_eq!(due, [false, false, true, false, true, true, true]);
    }

    #[test]
    fn no_time_passed_is_no_division_by_zero() {
        assert_eq!(
            Progress::hidden().start(Length::Share(0)).text(3),
            "read 3 entries, 0 s, 3,000 a second"
        );
    }
}
