//! What an import or a refresh did, for people.

use std::collections::BTreeMap;
use std::fmt;

/// How many lines of each reason are named.
const EXAMPLES: usize = 3;

/// How much of a title is shown, in characters.
const SHOWN: usize = 60;

/// Why a line is not in the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct Skip {
    /// The reason: the same words for every line that has it.
    pub reason: &'static str,
    /// What the line is about: its title, or what is wrong with its text.
    pub about: String,
}

impl Skip {
    /// A line about `about` that is skipped for this reason.
    #[must_use]
    pub fn new(reason: &'static str, about: impl Into<String>) -> Self {
        Self {
            reason,
            about: about.into(),
        }
    }
}

/// What became of the entries of a source. Displayed, it is a table, and below it the reasons for
/// which entries were skipped with the first of each.
#[derive(Debug, Default)]
pub struct Report {
    /// Entries that were new, and have been written.
    pub added: u64,
    /// Entries whose row said something else, and has been written.
    pub changed: u64,
    /// Entries whose row said the same.
    pub unchanged: u64,
    skipped: BTreeMap<&'static str, Skipped>,
    counted_in: &'static str,
}

#[derive(Debug, Default)]
struct Skipped {
    count: u64,
    first: Vec<(u64, String)>,
}

impl Report {
    /// An empty report of entries that are called this, as `line`.
    #[must_use]
    pub fn of(counted_in: &'static str) -> Self {
        Self {
            counted_in,
            ..Self::default()
        }
    }

    /// Counts an entry that is skipped.
    pub fn skip(&mut self, number: u64, skip: &Skip) {
        let skipped = self.skipped.entry(skip.reason).or_default();
        skipped.count += 1;
        if skipped.first.len() < EXAMPLES {
            skipped.first.push((number, shown(&skip.about)));
        }
    }

    /// How many entries there were: the sum of the other numbers.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.added + self.changed + self.unchanged + self.skipped()
    }

    /// How many entries are not in the catalogue.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped.values().map(|skipped| skipped.count).sum()
    }

    /// How many entries were skipped for this reason.
    #[must_use]
    pub fn skipped_for(&self, reason: &str) -> u64 {
        self.skipped.get(reason).map_or(0, |skipped| skipped.count)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("read", self.read()),
            ("added", self.added),
            ("changed", self.changed),
            ("unchanged", self.unchanged),
            ("skipped", self.skipped()),
        ];
        let table = rows.map(|(name, count)| format!("{name:<9} {:>10}", grouped(count)));
        write!(f, "{}", table.join("\n"))?;
        let mut reasons: Vec<_> = self.skipped.iter().collect();
        reasons.sort_by_key(|(_, skipped)| std::cmp::Reverse(skipped.count));
        for (reason, skipped) in reasons {
            write!(f, "\n{:>20}  {reason}", grouped(skipped.count))?;
            for (number, about) in &skipped.first {
                write!(
                    f,
                    "\n{:22}{} {}: {about}",
                    "",
                    self.counted_in,
                    grouped(*number)
                )?;
            }
        }
        Ok(())
    }
}

/// A number with a comma between thousands.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The beginning of a text, without what a terminal would take as an order.
fn shown(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .filter(|c| !c.is_control())
        .take(SHOWN)
        .collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{Report, Skip, grouped};

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts = [0, 7, 999, 1_000, 12_938, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "12,938", "1,234,567"]);
    }

    #[test]
    fn a_report_adds_up_and_names_the_first_three_of_each_reason() {
        let mut report = Report::of("line");
        report.added = 1_200;
        report.changed = 3;
        report.unchanged = 40;
        for number in 2..7 {
            report.skip(number, &Skip::new("it is old", format!("Title {number}")));
        }
        report.skip(1_001, &Skip::new("it is new", "Other"));
        assert_eq!(report.read(), 1_249);
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
        let mut report = Report::of("entry");
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
