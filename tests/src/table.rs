//! Tables of cases, written as text, which is easier to read.

/// Returns the rows of a table that has a line for each row, and `|` between the columns.
///
/// # Panics
/// If a row has another number of columns.
pub fn table<const COLUMNS: usize>(text: &str) -> Vec<[&str; COLUMNS]> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let rows = lines.map(|line| {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let row = columns.try_into();
        row.unwrap_or_else(|_| panic!("not {COLUMNS} columns: {line}"))
    });
    rows.collect()
}
