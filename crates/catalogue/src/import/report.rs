//! The report of an import or a refresh, as a text for the operator.

use std::collections::BTreeMap;
use std::fmt;

use shared::grouped;

use super::write::WriteCounts;

/// The maximum number of skipped entries that are shown for each reason.
const MAX_EXAMPLES: usize = 3;

/// The maximum number of characters of an entry's title that are shown.
const MAX_ABOUT_CHARACTERS: usize = 60;

/// A skipped entry.
#[derive(Debug, PartialEq, Eq)]
pub struct Skip {
    /// The reason. Entries with the same reason are counted together.
    pub reason: &'static str,
    /// The title of the entry, or the parser's message if the entry could not be parsed.
    pub about: String,
}

impl Skip {
    /// Creates a skipped entry.
    pub fn new(reason: &'static str, about: impl Into<String>) -> Self {
        Self {
            reason,
            about: about.into(),
        }
    }
}

/// The report about the entries of a source. Its [`Display`](fmt::Display) output is a table of the counts,
/// followed by the reasons for skipping, each with its first three entries.
#[derive(Debug, Default)]
pub struct MergeReport {
    /// The number of new entries that were written.
    pub added: u64,
    /// The number of entries whose facts changed an existing row.
    pub changed: u64,
    /// The number of entries whose facts changed nothing.
    pub unchanged: u64,
    /// The skipped entries.
    pub skips: Skips,
}

/// The skipped entries of a source, by reason. The [`Display`](fmt::Display) output has a line for each reason, and
/// one for each of its first three entries, each after a line break.
#[derive(Debug, Default)]
pub struct Skips {
    skipped: BTreeMap<&'static str, SkippedEntries>,
    unit: &'static str,
}

#[derive(Debug, Default)]
struct SkippedEntries {
    count: u64,
    examples: Vec<(u64, String)>,
}

impl Skips {
    /// Creates an empty list. `unit` is the word before the number of a skipped entry, for example `line`.
    pub fn new(unit: &'static str) -> Self {
        Self {
            unit,
            ..Self::default()
        }
    }

    /// Adds the entry with this number, for example the number of its line.
    pub fn add(&mut self, number: u64, skip: &Skip) {
        let skipped = self.skipped.entry(skip.reason).or_default();
        skipped.count += 1;
        if skipped.examples.len() < MAX_EXAMPLES {
            skipped
                .examples
                .push((number, printable_start(&skip.about)));
        }
    }

    /// Returns the number of skipped entries.
    pub fn count(&self) -> u64 {
        self.skipped.values().map(|skipped| skipped.count).sum()
    }
}

impl fmt::Display for Skips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reasons: Vec<_> = self.skipped.iter().collect();
        reasons.sort_by_key(|(_, skipped)| std::cmp::Reverse(skipped.count));
        for (reason, skipped) in reasons {
            write!(f, "\n{:>20}  {reason}", grouped(skipped.count))?;
            for (number, about) in &skipped.examples {
                write!(f, "\n{:22}{} {}: {about}", "", self.unit, grouped(*number))?;
            }
        }
        Ok(())
    }
}

impl MergeReport {
    /// Creates an empty report. `unit` is the word before the number of a skipped entry, for example `line`.
    pub fn new(unit: &'static str) -> Self {
        Self::from(Skips::new(unit))
    }

    /// Counts the entry with this number, for example the number of its line, as skipped.
    pub fn skip(&mut self, number: u64, skip: &Skip) {
        self.skips.add(number, skip);
    }

    /// Adds the numbers of documents that a writer has added, changed and left unchanged.
    pub fn add_written(&mut self, written: WriteCounts) {
        self.added += written.added;
        self.changed += written.changed;
        self.unchanged += written.unchanged;
    }

    /// Returns the number of entries that were read, whether added, changed, unchanged or skipped.
    pub fn read_count(&self) -> u64 {
        self.added + self.changed + self.unchanged + self.skipped_count()
    }

    /// Returns the number of skipped entries.
    pub fn skipped_count(&self) -> u64 {
        self.skips.count()
    }

    /// Returns the number of entries that were skipped for this reason.
    pub fn skipped_for(&self, reason: &str) -> u64 {
        let skipped = self.skips.skipped.get(reason);
        skipped.map_or(0, |skipped| skipped.count)
    }
}

/// A report with only skipped entries.
impl From<Skips> for MergeReport {
    fn from(skips: Skips) -> Self {
        Self {
            skips,
            ..Self::default()
        }
    }
}

impl fmt::Display for MergeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("read", self.read_count()),
            ("added", self.added),
            ("changed", self.changed),
            ("unchanged", self.unchanged),
            ("skipped", self.skipped_count()),
        ];
        let table = rows.map(|(name, count)| format!("{name:<9} {:>10}", grouped(count)));
        write!(f, "{}{}", table.join("\n"), self.skips)
    }
}

/// Returns the beginning of a text without control characters, which a terminal could interpret.
fn printable_start(text: &str) -> String {
    let mut characters = text.chars().filter(|c| !c.is_control());
    let mut shown: String = characters.by_ref().take(MAX_ABOUT_CHARACTERS).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{MergeReport, Skip};

    #[test]
    fn a_report_adds_up_and_names_the_first_three_of_each_reason() {
        let mut report = MergeReport::new("line");
        report.added = 1_200;
        report.changed = 3;
        report.unchanged = 40;
        for number in 2..7 {
            report.skip(number, &Skip::new("it is old", format!("Title {number}")));
        }
        report.skip(1_001, &Skip::new("it is new", "Other"));
        assert_eq!(report.read_count(), 1_249);
        assert_eq!(report.skipped_for("it is old"), 5);
        let expected = "\
read           1,249
added          1,200
changed            3
unchanged         40
skipped            6
                   5  it is old
                      line 2: Title 2
                      line 3: Title 3
                      line 4: Title 4
                   1  it is new
                      line 1,001: Other";
        assert_eq!(report.to_string(), expected);
    }

    #[test]
    fn a_long_title_is_cut_and_escapes_do_not_reach_the_terminal() {
        let mut report = MergeReport::new("entry");
        report.skip(
            1,
            &Skip::new("why", "\u{1b}[2J".to_owned() + &"あ".repeat(90)),
        );
        let text = report.to_string();
        assert!(!text.contains('\u{1b}'));
        assert!(text.contains("entry 1: [2J"));
        assert!(text.ends_with('…'));
    }
}
