//! The database, which builds every store.

use aws_sdk_dynamodb::Client;
use shared::clock::Clock;
use shared::random::Random;

use crate::story_list::StoryLists;
use crate::table_names::TableNames;

/// The connection to DynamoDB, and the names of the service's tables. Each store has a method here that returns it;
/// the method is declared in the file of the store. A clone shares the connections, the clock and the randomness.
#[derive(Clone, Debug)]
pub struct Database {
    /// The DynamoDB client.
    pub client: Client,
    /// The names of the tables.
    pub tables: TableNames,
    /// The clock.
    pub clock: Clock,
    /// Randomness, for identifiers, random lists and the pauses between attempts.
    pub random: Random,
    /// The lists of stories in the memory of this process.
    pub lists: StoryLists,
}

impl Database {
    /// Creates the database.
    #[must_use]
    pub fn new(client: Client, tables: TableNames, clock: Clock, random: Random) -> Self {
        Self {
            client,
            tables,
            clock,
            random,
            lists: StoryLists::default(),
        }
    }
}
