//! The connection to `DynamoDB`.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::Client;
use shared::clock::Clock;
use shared::random::Random;

/// The connection to `DynamoDB`, and what every store also needs: the names of the tables, the clock, randomness, and
/// caches in memory. A clone shares all of them.
#[derive(Clone, Debug)]
pub struct Database {
    /// The `DynamoDB` client.
    pub client: Client,
    /// The names of the tables.
    pub tables: TableNames,
    /// The clock.
    pub clock: Clock,
    /// Randomness, for identifiers, random lists and the pauses between attempts.
    pub random: Random,
    caches: Caches,
}

impl Database {
    /// Creates the database.
    pub fn new(client: Client, tables: TableNames, clock: Clock, random: Random) -> Self {
        Self {
            client,
            tables,
            clock,
            random,
            caches: Caches::default(),
        }
    }

    /// Returns the cache of this type that this process keeps about the database. The stores that ask for the same type
    /// share one.
    pub fn cache<T: Any + Clone + Default + Send + Sync>(&self) -> T {
        let mut caches = self.caches.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cache = caches
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Box::new(T::default()));
        cache.downcast_ref::<T>().cloned().unwrap_or_default()
    }
}

/// The names of the tables: the names in their declarations ([`crate::Table`]) with a prefix. On AWS, `template.yaml`
/// sets the prefix to the stack's name and a dash.
#[derive(Clone, Debug, Default)]
pub struct TableNames {
    prefix: String,
}

impl TableNames {
    /// Creates the names with this prefix, which may be empty.
    pub fn with_prefix(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
        }
    }

    /// Returns the full name of a table, given its name in the declaration.
    pub fn of(&self, table: &str) -> String {
        format!("{}{table}", self.prefix)
    }
}

/// The caches by their types.
#[derive(Clone, Default)]
struct Caches(Arc<Mutex<HashMap<TypeId, Box<dyn Any + Send + Sync>>>>);

impl fmt::Debug for Caches {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Caches")
    }
}
