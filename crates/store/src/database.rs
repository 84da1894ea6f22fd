//! The database: all that a store needs to be built.

use aws_sdk_dynamodb::Client;
use shared::random::Random;

use crate::table_names::TableNames;

/// A DynamoDB and the names of the service's tables in it. Its methods return the stores. Each of them is in the
/// file of the store that it returns. A clone shares the connections and the randomness.
#[derive(Clone, Debug)]
pub struct Database {
    /// The DynamoDB client.
    pub client: Client,
    /// The names of the tables.
    pub tables: TableNames,
    /// Randomness, for identifiers, random lists and the pauses between attempts.
    pub random: Random,
}

impl Database {
    /// Creates the database.
    #[must_use]
    pub fn new(client: Client, tables: TableNames, random: Random) -> Self {
        Self {
            client,
            tables,
            random,
        }
    }
}
