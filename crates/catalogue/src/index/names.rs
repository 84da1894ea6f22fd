//! A column of the index with the names of a row, such as its genres. Each name is stored once.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use shared::fold::fold;

use super::derived::LazyPart;

/// The names of all rows.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NameColumn {
    names: Vec<String>,
    /// The names of all rows, one row after the other, as positions in `names`.
    positions: Vec<u16>,
    /// For each row, the end of its names in `positions`.
    ends: Vec<u32>,
    #[serde(skip)]
    folded: LazyPart<Vec<String>>,
}

/// Collects the names of rows in order.
#[derive(Debug, Default)]
pub(super) struct NameColumnBuilder {
    column: NameColumn,
    known: HashMap<String, u16>,
}

impl NameColumnBuilder {
    /// Adds a row with these names. Names after the first 65,536 different ones are left out.
    pub fn push(&mut self, names: impl IntoIterator<Item = String>) {
        let column = &mut self.column;
        for name in names {
            let known = self.known.get(&name).copied();
            let position = known.or_else(|| {
                let next = u16::try_from(column.names.len()).ok()?;
                column.names.push(name.clone());
                self.known.insert(name, next);
                Some(next)
            });
            column.positions.extend(position);
        }
        let end = u32::try_from(column.positions.len());
        column.ends.push(end.unwrap_or(u32::MAX));
    }

    /// Returns the column.
    pub fn build(self) -> NameColumn {
        self.column
    }
}

impl NameColumn {
    /// Returns the names of a row.
    pub fn names_of(&self, row: usize) -> Vec<&str> {
        let name = |position: &u16| self.names.get(usize::from(*position));
        let names = self.positions_of(row).iter().filter_map(name);
        names.map(String::as_str).collect()
    }

    /// Returns the name at a position; `None` after the last one.
    pub fn name(&self, position: u16) -> Option<&str> {
        self.names.get(usize::from(position)).map(String::as_str)
    }

    /// Returns the position of a name.
    pub fn position_of(&self, name: &str) -> Option<u16> {
        let position = self.names.iter().position(|known| known == name)?;
        u16::try_from(position).ok()
    }

    /// Returns the wanted names: for each name of the column, whether `is_wanted` returns true for it.
    pub fn select(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<bool> {
        self.names.iter().map(|name| is_wanted(name)).collect()
    }

    /// Returns the wanted names as [`Self::select`] does. `is_wanted` gets each name folded, without a space at its
    /// ends.
    pub fn select_folded(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<bool> {
        let fold_all = || self.names.iter().map(|name| fold(name)).collect();
        let folded: &Vec<String> = self.folded.0.get_or_init(fold_all);
        folded.iter().map(|name| is_wanted(name.trim())).collect()
    }

    /// Returns true if a row has one of the wanted names.
    pub fn has_any(&self, row: usize, wanted: &[bool]) -> bool {
        let is_wanted = |position: &u16| wanted.get(usize::from(*position)) == Some(&true);
        self.positions_of(row).iter().any(is_wanted)
    }

    /// Returns true if the column has this number of rows. If not, its bytes were damaged.
    pub fn is_consistent(&self, rows: usize) -> bool {
        self.ends.len() == rows
    }

    /// Returns the positions of the names of a row.
    pub fn positions_of(&self, row: usize) -> &[u16] {
        let end = |row: usize| self.ends.get(row).map_or(0, |end| *end as usize);
        let start = row.checked_sub(1).map_or(0, end);
        self.positions.get(start..end(row)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{NameColumn, NameColumnBuilder};

    fn column(rows: &[&[&str]]) -> NameColumn {
        let mut builder = NameColumnBuilder::default();
        for names in rows {
            builder.push(names.iter().map(|name| (*name).to_owned()));
        }
        builder.build()
    }

    #[test]
    fn names_are_stored_once_and_found_by_row() {
        let column = column(&[&["Bones", "MAPPA"], &[], &["MAPPA"]]);
        assert_eq!(column.names.len(), 2);
        assert_eq!(column.names_of(0), ["Bones", "MAPPA"]);
        assert!(column.names_of(1).is_empty() && column.names_of(9).is_empty());
        let wanted = column.select(|name| name == "MAPPA");
        let rows = [0, 1, 2, 9].map(|row| column.has_any(row, &wanted));
        assert_eq!(rows, [true, false, true, false]);
        assert!(column.is_consistent(3) && !column.is_consistent(2));
    }

    #[test]
    fn folded_names_have_no_spaces_at_their_ends() {
        let column = column(&[&["feel."], &["Diomedéa"]]);
        let first = column.select_folded(|name| name == "feel");
        assert!(column.has_any(0, &first) && !column.has_any(1, &first));
        let second = column.select_folded(|name| name == "diomedea");
        assert!(column.has_any(1, &second));
    }

    #[test]
    fn names_after_the_last_position_are_left_out() {
        let mut builder = NameColumnBuilder::default();
        builder.push((0..=65_536).map(|number| number.to_string()));
        builder.push(["65536", "65535"].map(str::to_owned));
        assert_eq!(builder.build().names_of(1), ["65535"]);
    }
}
