//! The types that make up the declaration of a table.

/// A DynamoDB table.
#[derive(Debug)]
pub struct Table {
    /// The name without the stack's prefix.
    pub name: &'static str,
    /// The partition key, and the sort key if there is one.
    pub key: &'static [&'static str],
    /// The global secondary indexes.
    pub indexes: &'static [Index],
    /// The attribute with the time at which a row expires (time to live), in seconds since the Unix epoch;
    /// `None` if rows do not expire.
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
    /// The attributes that the index contains, besides the keys.
    pub projection: Projection,
}

/// The attributes that an index contains, besides the keys.
#[derive(Debug)]
pub enum Projection {
    /// All attributes.
    All,
    /// No other attributes.
    KeysOnly,
    /// These attributes.
    Include(&'static [&'static str]),
}

/// An attribute: its name and its type.
pub type Attribute = (&'static str, Type);

/// The type of an attribute (DynamoDB Developer Guide, "Data types").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number.
    N,
    /// A string.
    S,
    /// Bytes.
    B,
    /// A Boolean.
    Bool,
    /// A list.
    L,
    /// A map.
    M,
    /// A set of numbers.
    Ns,
    /// A set of strings.
    Ss,
}
