//! The names of the tables.

/// The names of the tables: those of [`schema`] behind a prefix, which template.yaml sets to the
/// stack's name and a dash.
#[derive(Clone, Debug, Default)]
pub struct TableNames {
    prefix: String,
}

impl TableNames {
    /// Returns the names with this prefix, which may be empty.
    #[must_use]
    pub fn with_prefix(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
        }
    }

    /// Returns the full name of a table.
    #[must_use]
    pub fn of(&self, table: &str) -> String {
        format!("{}{table}", self.prefix)
    }
}
