//! Progress of an import or a refresh: a bar on a terminal, otherwise plain lines. Each stage, such as the reading of
//! a file, has its own bar.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shared::clock::Clock;
use shared::grouped;

/// Number of entries between two plain lines.
const ENTRIES_PER_LINE: u64 = 5_000;

/// Number of entries between updates of the bar's text.
const ENTRIES_PER_BAR_UPDATE: u64 = 100;

/// The bar of a file. Its position is in bytes, because the number of entries is not known in advance.
const BYTES_BAR: &str = "{wide_bar} {bytes} of {total_bytes}, {eta} left, {msg}";

/// The bar of a download.
const DOWNLOAD_BAR: &str = "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";

/// The bar of a stage whose unit of length is meaningless to the operator.
const SHARE_BAR: &str = "{wide_bar} {percent} %, {eta} left, {msg}";

/// The length of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageLength {
    /// Bytes of a file.
    Bytes(u64),
    /// Bytes of a file that is being downloaded. It has no entries.
    Download(u64),
    /// Units of any kind, shown as a percentage.
    Share(u64),
}

/// Shows the progress of an import or a refresh on standard error.
#[derive(Debug)]
pub struct Progress {
    clock: Clock,
    output: Output,
}

#[derive(Debug)]
enum Output {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    /// Shows a bar if standard error is a terminal, otherwise a line every 5,000 entries.
    pub fn new() -> Self {
        let output = if std::io::stderr().is_terminal() {
            Output::Bar(ProgressBar::with_draw_target(
                None,
                // The bar appears when a stage starts.
                ProgressDrawTarget::hidden(),
            ))
        } else {
            Output::Lines
        };
        Self::create(Clock::system(), output)
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self::create(Clock::manual(0), Output::Nothing)
    }

    fn create(clock: Clock, output: Output) -> Self {
        Self { clock, output }
    }

    /// Prints the name of a stage.
    pub(crate) fn print_stage(&self, text: &str) {
        if !matches!(self.output, Output::Nothing) {
            eprintln!("{text}");
        }
    }

    /// Starts a stage of this length.
    pub(crate) fn start(&self, length: StageLength) -> RunningStage<'_> {
        if let Output::Bar(bar) = &self.output {
            let (length, template) = match length {
                StageLength::Bytes(bytes) => (bytes, BYTES_BAR),
                StageLength::Download(bytes) => (bytes, DOWNLOAD_BAR),
                StageLength::Share(units) => (units, SHARE_BAR),
            };
            bar.reset();
            bar.set_length(length);
            // The templates are constants of this file. An invalid one only changes how the bar looks.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        RunningStage {
            progress: self,
            started_ms: self.clock.now_ms(),
            entries: AtomicU64::new(0),
        }
    }
}

/// The progress of a stage that has started.
#[derive(Debug)]
pub struct RunningStage<'a> {
    progress: &'a Progress,
    started_ms: u64,
    entries: AtomicU64,
}

impl RunningStage<'_> {
    /// Sets the number of entries read so far, and the position within the length.
    pub(crate) fn advance(&self, entries: u64, position: u64) {
        match &self.progress.output {
            Output::Bar(bar) => {
                bar.set_position(position);
                if self.passes_multiple(entries, ENTRIES_PER_BAR_UPDATE) {
                    bar.set_message(self.text(entries));
                }
            }
            Output::Lines if self.passes_multiple(entries, ENTRIES_PER_LINE) => {
                eprintln!("{}", self.text(entries));
            }
            Output::Lines | Output::Nothing => {}
        }
    }

    /// Returns true if the count has passed a multiple of `every` for the first time. Entries that are worked on at
    /// the same time can be counted in another order.
    fn passes_multiple(&self, entries: u64, every: u64) -> bool {
        let before = self.entries.fetch_max(entries, Ordering::Relaxed);
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

impl Drop for RunningStage<'_> {
    /// Removes the bar, so that the report or error after it starts on a clean line.
    fn drop(&mut self) {
        if let Output::Bar(bar) = &self.progress.output {
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

    use super::{Output, Progress, StageLength};

    #[test]
    fn plain_line_shows_count_time_and_rate() {
        let clock = Clock::manual(1_000);
        let progress = Progress::create(clock.clone(), Output::Lines);
        let running = progress.start(StageLength::Bytes(100));
        clock.advance(Duration::from_secs(2));
        assert_eq!(
            running.text(5_000),
            "read 5,000 entries, 2 s, 2,500 a second"
        );
    }

    #[test]
    fn line_is_due_when_a_multiple_is_passed() {
        let progress = Progress::hidden();
        let running = progress.start(StageLength::Share(9));
        let counts = [0, 49, 50, 49, 51, 99, 101, 151, 350];
        let due = counts.map(|entries| running.passes_multiple(entries, 50));
        let is_due = [false, false, true, false, false, false, true, true, true];
        assert_eq!(due, is_due);
    }

    #[test]
    fn rate_without_elapsed_time_does_not_divide_by_zero() {
        assert_eq!(
            Progress::hidden().start(StageLength::Share(0)).text(3),
            "read 3 entries, 0 s, 3,000 a second"
        );
    }
}
