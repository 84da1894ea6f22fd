//! How far an import is: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shared::catalogue_import::grouped;
use shared::clock::Clock;

/// After how many entries a plain line is written.
const PLAIN_EVERY: u64 = 5_000;

/// After how many entries the bar's text changes.
const BAR_EVERY: u64 = 100;

/// The bar. Its position is in bytes of the file: how many entries it has is not known before.
const BAR: &str = "{wide_bar} {bytes} of {total_bytes}, {eta} left, {msg}";

/// Tells on stderr how far an import is.
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
    pub(super) fn phase(&self, text: &str) {
        if !matches!(self.show, Show::Nothing) {
            eprintln!("{text}");
        }
    }

    /// A file of so many bytes begins.
    pub(super) fn start(&self, bytes: u64) -> Running<'_> {
        if let Show::Bar(bar) = &self.show {
            bar.reset();
            bar.set_length(bytes);
            // The template is this file's own; a mistake in it would cost no more than the looks.
            if let Ok(style) = ProgressStyle::with_template(BAR) {
                bar.set_style(style);
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        Running {
            progress: self,
            started_ms: self.clock.now_ms(),
        }
    }
}

/// The progress of one file.
#[derive(Debug)]
pub(super) struct Running<'a> {
    progress: &'a Progress,
    started_ms: u64,
}

impl Running<'_> {
    /// So many entries have been read, and so many bytes of the file.
    pub(super) fn advance(&self, entries: u64, bytes: u64) {
        match &self.progress.show {
            Show::Bar(bar) => {
                bar.set_position(bytes);
                if entries.is_multiple_of(BAR_EVERY) {
                    bar.set_message(self.text(entries));
                }
            }
            Show::Lines if entries > 0 && entries.is_multiple_of(PLAIN_EVERY) => {
                eprintln!("{}", self.text(entries));
            }
            Show::Lines | Show::Nothing => {}
        }
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

    use super::{Progress, Show};

    #[test]
    fn a_plain_line_tells_count_time_and_rate() {
        let clock = Clock::manual(1_000);
        let progress = Progress::with(clock.clone(), Show::Lines);
        let running = progress.start(100);
        clock.advance(Duration::from_secs(2));
        assert_eq!(
            running.text(5_000),
            "read 5,000 entries, 2 s, 2,500 a second"
        );
    }

    #[test]
    fn no_time_passed_is_no_division_by_zero() {
        assert_eq!(
            Progress::hidden().start(0).text(3),
            "read 3 entries, 0 s, 3,000 a second"
        );
    }
}
