//! The names of the tables.

/// The names of the tables: the names in [`crate::schema`] with a prefix. On AWS, `template.yaml` sets the
/// prefix to the stack's name and a dash.
#[derive(Clone, Debug, Default)]
pub struct TableNames {
    prefix: String,
}

impl TableNames {
    /// Creates the names with this prefix, which may be empty.
    #[must_use]
    pub fn with_prefix(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
        }
    }

    /// Returns the full name of a table, given its name in the schema.
    #[must_use]
    pub fn of(&self, table: &str) -> String {
        format!("{}{table}", self.prefix)
    }
}
