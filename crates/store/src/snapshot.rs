//! Published snapshots of the indexes in memory: the store of the table [`crate::schema::catalog_snapshot`]
//! (docs/data-model.md, "Snapshots").
//!
//! A publisher draws a version from a counter, reads the catalogue, writes the parts of that version, and
//! then moves the head to it. The head moves only to a higher version. A publisher with a higher version
//! began to read the catalogue later, so of two concurrent publishers the one with the newer data wins.
//! Neither overwrites the parts of the other. The publisher that moves the head deletes the parts of earlier
//! versions.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use shared::Error;

use crate::batch::batch_get;
use crate::errors::{failed, was_written};
use crate::get::get;
use crate::item::{Item, as_number, number, read};
use crate::listing::all;
use crate::schema::catalog_snapshot::{Head, TABLE, key};
use crate::table_names::TableNames;

/// The maximum number of parts of a version: they are numbered from `version * VERSION_STRIDE`. The head is
/// part 0, and versions count from 1.
const VERSION_STRIDE: u64 = 1000;

/// The size of a part, in bytes. A row in DynamoDB has at most 400 KB, with the names of its attributes.
const PART_BYTES: usize = 350_000;

/// The number of parts that one `BatchGetItem` reads. Its response is limited to 16 MB.
const PARTS_PER_READ: usize = 40;

/// A section of a snapshot. A function loads each when it first needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The index without the texts for searches.
    Index,
    /// The texts for searches.
    Texts,
}

/// A snapshot to publish.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The number of the layout of the bytes.
    pub format: u64,
    /// The number of rows in the index.
    pub rows: usize,
    /// The bytes of [`Section::Index`].
    pub index: &'a [u8],
    /// The bytes of [`Section::Texts`].
    pub texts: &'a [u8],
}

/// The store of the snapshots for one kind of document.
#[derive(Clone, Debug)]
pub struct SnapshotStore {
    client: Client,
    table: String,
    kind: &'static str,
}

impl SnapshotStore {
    /// Creates the store for this kind of document ([`crate::Document::KIND`]).
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, kind: &'static str) -> Self {
        Self {
            client,
            table: tables.of(TABLE.name),
            kind,
        }
    }

    /// Returns the head of the published snapshot as it is at this moment, if there is one. Costs one read
    /// unit.
    pub async fn head(&self) -> Result<Option<Head>, Error> {
        let row = get(&self.client, &self.table, self.key(0)).await?;
        // Until the first snapshot is complete, the row holds only the counter of versions.
        let row = row.filter(|row| row.contains_key("version"));
        row.map(read).transpose()
    }

    /// Returns the bytes of a section of a snapshot. Returns `None` if a part is missing: a newer snapshot has
    /// replaced it, or an eventually consistent read did not find it yet.
    pub async fn load(
        &self,
        head: Head,
        section: Section,
        consistent: bool,
    ) -> Result<Option<Vec<u8>>, Error> {
        let numbers: Vec<u64> = part_numbers(head, section).collect();
        let mut parts = HashMap::with_capacity(numbers.len());
        for wanted in numbers.chunks(PARTS_PER_READ) {
            let keys = wanted.iter().map(|part| self.key(*part)).collect();
            let items = batch_get(&self.client, &self.table, keys, consistent).await?;
            parts.extend(items.iter().filter_map(part_of));
        }
        let in_order = numbers.iter().map(|part| parts.remove(part));
        let whole: Option<Vec<Vec<u8>>> = in_order.collect();
        Ok(whole.map(|parts| parts.concat()))
    }

    /// Returns a section of a snapshot, decoded. Returns `None` without a head, or if the section cannot be read.
    pub async fn read<T>(
        &self,
        head: Option<Head>,
        section: Section,
        decode: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(head) = head else {
            return Ok(None);
        };
        // An eventually consistent read costs half, but can miss a part that has just been written. If so,
        // read again.
        for consistent in [false, true] {
            let bytes = self.load(head, section, consistent).await?;
            if let Some(read) = bytes.and_then(|bytes| decode(&bytes)) {
                return Ok(Some(read));
            }
        }
        Ok(None)
    }

    /// Draws the version of a new snapshot. Must be called before the catalogue is read.
    pub async fn next_version(&self) -> Result<u64, Error> {
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(self.key(0)))
            .update_expression("ADD last_drawn :one")
            .expression_attribute_values(":one", number(1))
            .return_values(ReturnValue::UpdatedNew)
            .send()
            .await
            .map_err(failed)?;
        let drawn = answer
            .attributes
            .as_ref()
            .and_then(|new| new.get("last_drawn"));
        drawn.and_then(as_number).ok_or_else(|| {
            Error::internal("the update of the counter `last_drawn` returned no number")
        })
    }

    /// Publishes a snapshot under a version from [`SnapshotStore::next_version`]. Returns false if a later
    /// version, with data at least as new, has been published in the meantime.
    ///
    /// # Errors
    /// An error before the head moves leaves the earlier snapshot in place. An error after it leaves outdated
    /// parts, which the next publication deletes.
    pub async fn publish(&self, version: u64, snapshot: Snapshot<'_>) -> Result<bool, Error> {
        let head = Head {
            version,
            parts: snapshot.index.chunks(PART_BYTES).len() as u64,
            text_parts: snapshot.texts.chunks(PART_BYTES).len() as u64,
            format: snapshot.format,
            rows: Some(snapshot.rows as u64),
        };
        let index = part_numbers(head, Section::Index).zip(snapshot.index.chunks(PART_BYTES));
        let texts = part_numbers(head, Section::Texts).zip(snapshot.texts.chunks(PART_BYTES));
        for (part, chunk) in index.chain(texts) {
            self.client
                .put_item()
                .table_name(&self.table)
                .set_item(Some(self.key(part)))
                .item("data", AttributeValue::B(Blob::new(chunk)))
                .send()
                .await
                .map_err(failed)?;
        }
        let moved = self.move_head(head).await?;
        // A publisher that lost the race deletes its own parts.
        let outdated = if moved {
            1..version * VERSION_STRIDE
        } else {
            version * VERSION_STRIDE..(version + 1) * VERSION_STRIDE
        };
        self.delete_parts(outdated).await?;
        Ok(moved)
    }

    async fn move_head(&self, head: Head) -> Result<bool, Error> {
        let moved = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(self.key(0)))
            .update_expression(
                "SET #version = :version, #parts = :parts, text_parts = :text_parts, \
                 #format = :format, #rows = :rows",
            )
            .condition_expression("attribute_not_exists(#version) OR #version < :version")
            .expression_attribute_names("#version", "version")
            .expression_attribute_names("#parts", "parts")
            .expression_attribute_names("#format", "format")
            .expression_attribute_names("#rows", "rows")
            .expression_attribute_values(":version", number(head.version))
            .expression_attribute_values(":parts", number(head.parts))
            .expression_attribute_values(":text_parts", number(head.text_parts))
            .expression_attribute_values(":format", number(head.format))
            .expression_attribute_values(":rows", number(head.rows.unwrap_or_default()))
            .send()
            .await;
        was_written(moved)
    }

    async fn delete_parts(&self, parts: std::ops::Range<u64>) -> Result<(), Error> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("#kind = :kind AND #part BETWEEN :from AND :to")
            .projection_expression("#kind, #part")
            .expression_attribute_names("#kind", "kind")
            .expression_attribute_names("#part", "part")
            .expression_attribute_values(":kind", AttributeValue::S(self.kind.into()))
            .expression_attribute_values(":from", number(parts.start))
            .expression_attribute_values(":to", number(parts.end - 1));
        for key in all(query, Ok).await? {
            let request = self.client.delete_item().table_name(&self.table);
            request.set_key(Some(key)).send().await.map_err(failed)?;
        }
        Ok(())
    }

    fn key(&self, part: u64) -> Item {
        key(self.kind, part)
    }
}

fn part_numbers(head: Head, section: Section) -> impl Iterator<Item = u64> {
    let (first, count) = match section {
        Section::Index => (0, head.parts),
        Section::Texts => (head.parts, head.text_parts),
    };
    let start = head.version * VERSION_STRIDE + first;
    start..start + count
}

fn part_of(item: &Item) -> Option<(u64, Vec<u8>)> {
    let part = as_number(item.get("part")?)?;
    let data = item.get("data")?.as_b().ok()?;
    Some((part, data.as_ref().to_vec()))
}
