//! The description of a table.

/// A DynamoDB table.
#[derive(Debug)]
pub struct Table {
    /// The name without the stack's prefix.
    pub name: &'static str,
    /// The partition key, and the sort key if there is one.
    pub key: &'static [&'static str],
    /// The global secondary indexes.
    pub indexes: &'static [Index],
    /// The attribute that expires rows (TTL): seconds since the Unix epoch.
    pub expires_at: Option<&'static str>,
    /// Every attribute that a row can have.
    pub attributes: &'static [Attribute],
}

/// A global secondary index.
#[derive(Debug)]
pub struct Index {
    /// The name.
    pub name: &'static str,
    /// The partition key, and the sort key if there is one.
    pub key: &'static [&'static str],
    /// The attributes that it holds beside the keys.
    pub projection: Projection,
}

/// The attributes that an index holds beside the keys.
#[derive(Debug)]
pub enum Projection {
    /// All of them.
    All,
    /// None.
    KeysOnly,
    /// These.
    Include(&'static [&'static str]),
}

/// An attribute: its name and its type.
pub type Attribute = (&'static str, Type);

/// The type of an attribute (DynamoDB Developer Guide, "Data types").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number.
    N,
    /// A text.
    S,
    /// Bytes.
    B,
    /// True or false.
    Bool,
    /// A list.
    L,
    /// A map.
    M,
    /// A set of numbers.
    Ns,
    /// A set of texts.
    Ss,
}
