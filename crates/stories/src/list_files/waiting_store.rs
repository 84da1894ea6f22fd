//! Entries of imports that wait for their anime: the store of the table [`super::waiting_list`].

use accounts::users::UserStore;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{
    Condition, Database, Item, ListPage, Outcome, WriteAttempts, get, read, text, to_error, write,
};
use shared::auth::Access;
use shared::models::UserId;
use shared::random::Random;
use shared::{Error, Result};

use super::waiting_list::{self, WaitingList, key};

/// The attribute with [`WaitingList::contents`]. This store reads and writes it as binary, because `serde_dynamo` would
/// write a list of numbers.
const CONTENTS: &str = "contents";

/// The store of waiting entries.
#[derive(Clone, Debug)]
pub struct WaitingStore {
    client: Client,
    users: UserStore,
    waiting: String,
    random: Random,
}

/// An operation of [`WaitingStore::edit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitingOperation {
    /// Does not change the row.
    Keep,
    /// Replaces the row.
    Put {
        /// The new [`WaitingList::contents`].
        contents: Vec<u8>,
        /// The new [`WaitingList::entry_count`].
        entry_count: u64,
        /// The new [`WaitingList::expires_at`].
        expires_at: u64,
    },
    /// Deletes the row.
    Delete,
}

impl WaitingStore {
    /// Creates the store of the entries of imports that wait for their anime.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
            client: database.client.clone(),
            waiting: database.tables.of(waiting_list::TABLE.name),
            random: database.random.clone(),
        }
    }

    /// Returns the waiting entries of a user, by a strongly consistent read. The entries may have expired.
    pub async fn find(&self, user: UserId) -> Result<Option<WaitingList>> {
        let row = get(&self.client, &self.waiting, key(user)).await?;
        row.map(read_row).transpose()
    }

    /// Changes the waiting entries of a user. `decide` returns the edit for the current row. It is called again with
    /// the new row if another writer has changed the row in the meantime. Nothing is stored for a deleted user.
    pub async fn edit(
        &self,
        user: UserId,
        mut decide: impl FnMut(Option<&WaitingList>) -> Result<WaitingOperation>,
    ) -> Result<()> {
        let mut attempts = WriteAttempts::new(&self.random);
        loop {
            attempts.next().await?;
            let present = self.find(user).await?;
            let unchanged = match &present {
                Some(row) => Condition::new("#version = :version")
                    .name("version")
                    .value("version", text(&row.version)),
                None => Condition::new("attribute_not_exists(user_id)"),
            };
            let mut writes = self.users.transaction();
            let user_check = match decide(present.as_ref())? {
                WaitingOperation::Keep => return Ok(()),
                WaitingOperation::Put {
                    contents,
                    entry_count,
                    expires_at,
                } => {
                    let row = write_row(WaitingList {
                        user_id: user,
                        version: self.random.short_id(),
                        expires_at,
                        entry_count,
                        contents,
                    })?;
                    writes.add(unchanged.put(&self.waiting, row)?);
                    Some(self.users.add_existence_check(&mut writes, user)?)
                }
                WaitingOperation::Delete => {
                    writes.add(unchanged.delete(&self.waiting, key(user))?);
                    None
                }
            };
            match writes.try_commit().await? {
                Some(Outcome::Written) => return Ok(()),
                // The user was deleted.
                Some(Outcome::Refused(refused)) if refused.has(user_check) => return Ok(()),
                Some(Outcome::Refused(_)) | None => {}
            }
        }
    }

    /// Deletes the waiting entries of a user.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the user does not exist.
    pub async fn delete(&self, access: &Access, user: UserId) -> Result<()> {
        let delete = Condition::default().delete(&self.waiting, key(user))?;
        let mut writes = self.users.begin_on(access, user).await?;
        writes.add(delete);
        writes.commit().await?.or(Error::Changed)
    }

    /// Returns a part of the table, at most 1 MB: the rows after the row of the user `after`, or the first rows. The
    /// read is eventually consistent. Costs half a read unit for every 4 KB.
    pub async fn page(&self, after: Option<UserId>) -> Result<ListPage<WaitingList, UserId>> {
        let scan = self.client.scan().table_name(&self.waiting);
        let scan = scan.set_exclusive_start_key(after.map(key));
        let page = scan.send().await.map_err(to_error)?;
        let rows = page.items.unwrap_or_default().into_iter().map(read_row);
        let next = page
            .last_evaluated_key
            .map(read::<WaitingKey>)
            .transpose()?;
        Ok(ListPage {
            rows: rows.collect::<Result<_, _>>()?,
            next: next.map(|key| key.user_id),
        })
    }
}

#[derive(serde::Deserialize)]
struct WaitingKey {
    user_id: UserId,
}

fn read_row(mut row: Item) -> Result<WaitingList> {
    let contents = match row.remove(CONTENTS) {
        Some(AttributeValue::B(contents)) => contents.into_inner(),
        _ => Vec::new(),
    };
    let list: WaitingList = read(row)?;
    Ok(WaitingList { contents, ..list })
}

fn write_row(list: WaitingList) -> Result<Item> {
    let mut row = write(&list)?;
    let contents = Blob::new(list.contents);
    row.insert(CONTENTS.to_owned(), AttributeValue::B(contents));
    Ok(row)
}
