//! Published snapshots of the indexes in memory: the store of the table [`super::catalog_snapshot`]
//! (docs/data-model.md, "Snapshots").
//!
//! A publisher draws a version from a counter, reads the catalogue, writes the parts of that version, and
//! then moves the head to this version. The head moves only to a higher version. A publisher draws its version after
//! its own writes to the catalogue and before it reads the catalogue, so a snapshot contains the writes of every
//! publisher with a lower version. Two concurrent publishers do not overwrite each other's parts. The publisher that
//! moves the head deletes the parts of earlier versions.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use dynamo::{
    Condition, Database, Item, as_number, batch_get, number, read, read_all, text, to_error,
    was_written, write,
};
use shared::Result;

use super::catalog_snapshot::Head;
use super::kind_rows::KindRows;

/// The difference between the numbers of the first parts of two successive versions, and so the maximum number of
/// parts of a version. The first part of a version has the number `version * VERSION_STRIDE`. Versions count from 1,
/// because part 0 is the head.
const VERSION_STRIDE: u64 = 1000;

/// The maximum size of a part, in bytes. A row in DynamoDB has at most 400 KB, including the names of its attributes.
const PART_BYTES: usize = 350_000;

/// The maximum number of corrections that wait for their publication. Each takes about 20 bytes of the head, which
/// every function reads every 10 seconds.
const MAX_UNPUBLISHED: u64 = 500;

/// The maximum time that a request waits while another request loads the index or the mapping, or reads the same
/// document.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_millis(1500);

/// The number of parts that one `BatchGetItem` reads. Its response is limited to 16 MB.
const PARTS_PER_READ: usize = 40;

/// A section of a snapshot. A function loads each section when it first needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotSection {
    /// The index without the other sections.
    Index,
    /// The texts for searches.
    Texts,
    /// The titles for exports.
    Titles,
}

/// A snapshot to publish.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The number of the layout of the bytes.
    pub format: u64,
    /// The number of rows in the index.
    pub rows: usize,
    /// The bytes of [`SnapshotSection::Index`].
    pub index: &'a [u8],
    /// The bytes of [`SnapshotSection::Texts`].
    pub texts: &'a [u8],
    /// The bytes of [`SnapshotSection::Titles`].
    pub titles: &'a [u8],
}

/// The published snapshot.
#[derive(Clone, Debug, Default)]
pub struct PublishedSnapshot {
    /// The head; `None` before the first publication.
    pub head: Option<Head>,
    /// The identifiers of the documents whose latest corrections the snapshot may lack. The revisions of these
    /// documents in the snapshot may be outdated.
    pub unpublished: BTreeSet<u64>,
}

/// The version of a new snapshot, drawn from the counter.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// The version.
    pub version: u64,
    /// The marks of corrections that the published snapshot may lack.
    unpublished: Vec<String>,
    /// The marks in `unpublished` whose corrections the new snapshot contains.
    contained: Vec<String>,
    /// The version of the only snapshot that the new snapshot may replace; 0 if the new snapshot must be the first;
    /// `None` if it may replace every earlier snapshot.
    replaced: Option<u64>,
}

impl NewVersion {
    /// Returns the identifiers of the documents whose latest corrections the published snapshot may lack.
    pub fn unpublished(&self) -> BTreeSet<u64> {
        let marks = self.unpublished.iter();
        marks.filter_map(|mark| id_in_mark(mark)).collect()
    }

    /// Records the corrections that the new snapshot contains. `has` returns true for the identifier of a document
    /// whose corrected row is in the new snapshot.
    pub fn mark_contained(&mut self, has: impl Fn(u64) -> bool) {
        self.contained.clone_from(&self.unpublished);
        self.contained
            .retain(|mark| id_in_mark(mark).is_none_or(&has));
    }

    /// Lets the new snapshot replace only the snapshot with this head, from which it was made. The head must have been
    /// read before this version was drawn.
    pub fn replace_only(&mut self, head: Option<Head>) {
        self.replaced = Some(head.map_or(0, |head| head.version));
    }
}

/// The store of the snapshots for one kind of document.
#[derive(Clone, Debug)]
pub struct SnapshotStore(KindRows);

impl SnapshotStore {
    /// Creates the store of the snapshots for this kind of document
    /// ([`crate::rows::document::CatalogueDocument::KIND`]).
    pub fn new(database: &Database, kind: &str) -> Self {
        Self(KindRows::new(database, kind))
    }

    /// Returns the head of the published snapshot, by a strongly consistent read; `None` before the first
    /// publication. Costs one read unit, or up to three while hundreds of corrections wait for their publication.
    pub async fn head(&self) -> Result<Option<Head>> {
        Ok(self.published().await?.head)
    }

    /// Returns the head, and the identifiers of the documents with unpublished corrections. Costs as much as
    /// [`SnapshotStore::head`].
    pub async fn published(&self) -> Result<PublishedSnapshot> {
        let row = self.0.get_first().await?.unwrap_or_default();
        let unpublished = marks_in(&row);
        let unpublished = unpublished
            .iter()
            .filter_map(|mark| id_in_mark(mark))
            .collect();
        // Until the first snapshot is complete, the row has no version.
        let head = Some(row).filter(|row| row.contains_key("version"));
        Ok(PublishedSnapshot {
            head: head.map(read).transpose()?,
            unpublished,
        })
    }

    /// Returns the action that marks a document as corrected, for the transaction that writes the document's new
    /// row with this revision. The action is refused if [`MAX_UNPUBLISHED`] corrections are not published yet.
    pub(crate) fn mark_action(&self, id: u64, revision: u32) -> Result<TransactWriteItem> {
        let mark = AttributeValue::Ss(vec![format!("{id}@{revision}")]);
        Condition::new("attribute_not_exists(unpublished) OR size(unpublished) < :most")
            .value("most", number(MAX_UNPUBLISHED))
            .value("mark", mark)
            .update(&self.0.table, self.0.key(0), "ADD unpublished :mark")
    }

    /// Returns the bytes of a section of a snapshot. Returns `None` if a part is missing, because a newer snapshot has
    /// replaced the snapshot or an eventually consistent read did not find the part yet.
    pub async fn load(
        &self,
        head: Head,
        section: SnapshotSection,
        consistent: bool,
    ) -> Result<Option<Vec<u8>>> {
        let numbers: Vec<u64> = part_numbers(head, section).collect();
        let mut parts = HashMap::with_capacity(numbers.len());
        for wanted in numbers.chunks(PARTS_PER_READ) {
            let keys = wanted.iter().map(|part| self.0.key(*part)).collect();
            let items = batch_get(&self.0.client, &self.0.table, keys, consistent).await?;
            parts.extend(items.iter().filter_map(read_part));
        }
        let in_order = numbers.iter().map(|part| parts.remove(part));
        let whole: Option<Vec<Vec<u8>>> = in_order.collect();
        Ok(whole.map(|parts| parts.concat()))
    }

    /// Returns a section of a snapshot, decoded. Returns `None` without a head, or if the section cannot be read.
    pub async fn read<T>(
        &self,
        head: Option<Head>,
        section: SnapshotSection,
        decode: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(head) = head else {
            return Ok(None);
        };
        // An eventually consistent read costs half as much, but can miss a part that has just been written. Then the
        // section is read again with strong consistency.
        for consistent in [false, true] {
            let bytes = self.load(head, section, consistent).await?;
            if let Some(read) = bytes.and_then(|bytes| decode(&bytes)) {
                return Ok(Some(read));
            }
        }
        Ok(None)
    }

    /// Draws the version of a new snapshot. Must be called before the catalogue is read.
    pub async fn draw_version(&self) -> Result<NewVersion> {
        let (version, row) = self.0.count("last_drawn").await?;
        Ok(NewVersion {
            version,
            unpublished: marks_in(&row),
            contained: Vec::new(),
            replaced: None,
        })
    }

    /// Publishes a snapshot under a version from [`SnapshotStore::draw_version`]. Returns false if a snapshot with a
    /// higher version has been published in the meantime, or, after [`NewVersion::replace_only`], any other snapshot.
    ///
    /// # Errors
    /// After an error before the head moves, the earlier snapshot stays published. After a later error, outdated parts
    /// are left, and the next publication deletes them.
    pub async fn publish(&self, new_version: NewVersion, snapshot: Snapshot<'_>) -> Result<bool> {
        let version = new_version.version;
        let head = Head {
            version,
            parts: snapshot.index.chunks(PART_BYTES).len() as u64,
            text_parts: snapshot.texts.chunks(PART_BYTES).len() as u64,
            title_parts: snapshot.titles.chunks(PART_BYTES).len() as u64,
            format: snapshot.format,
            rows: Some(snapshot.rows as u64),
        };
        let sections = [
            (SnapshotSection::Index, snapshot.index),
            (SnapshotSection::Texts, snapshot.texts),
            (SnapshotSection::Titles, snapshot.titles),
        ];
        let parts = sections
            .into_iter()
            .flat_map(|(section, bytes)| part_numbers(head, section).zip(bytes.chunks(PART_BYTES)));
        for (part, chunk) in parts {
            self.0
                .client
                .put_item()
                .table_name(&self.0.table)
                .set_item(Some(self.0.key(part)))
                .item("data", AttributeValue::B(Blob::new(chunk)))
                .send()
                .await
                .map_err(to_error)?;
        }
        let moved = self.move_head(head, new_version).await?;
        // A publisher that has not moved the head deletes its own parts.
        let outdated = if moved {
            1..version * VERSION_STRIDE
        } else {
            version * VERSION_STRIDE..(version + 1) * VERSION_STRIDE
        };
        self.delete_parts(outdated).await?;
        Ok(moved)
    }

    /// Moves the head, and removes the marks of the corrections that the new snapshot contains.
    async fn move_head(&self, head: Head, new_version: NewVersion) -> Result<bool> {
        let condition = match new_version.replaced {
            None => "attribute_not_exists(#version) OR #version < :version",
            Some(0) => "attribute_not_exists(#version)",
            Some(_) => "#version = :replaced",
        };
        let published = new_version.contained;
        let removed = if published.is_empty() {
            ""
        } else {
            " DELETE unpublished :published"
        };
        let values = write(&head)?;
        let sets: Vec<String> = values
            .keys()
            .map(|name| format!("#{name} = :{name}"))
            .collect();
        let update = format!("SET {}{removed}", sets.join(", "));
        let mut request = self.0.update(update).condition_expression(condition);
        for (name, value) in values {
            request = request
                .expression_attribute_names(format!("#{name}"), &name)
                .expression_attribute_values(format!(":{name}"), value);
        }
        if let Some(replaced) = new_version.replaced.filter(|replaced| *replaced > 0) {
            request = request.expression_attribute_values(":replaced", number(replaced));
        }
        if !published.is_empty() {
            request =
                request.expression_attribute_values(":published", AttributeValue::Ss(published));
        }
        was_written(request.send().await)
    }

    async fn delete_parts(&self, parts: std::ops::Range<u64>) -> Result<()> {
        let query = self
            .0
            .client
            .query()
            .table_name(&self.0.table)
            .key_condition_expression("#kind = :kind AND #part BETWEEN :from AND :to")
            .projection_expression("#kind, #part")
            .expression_attribute_names("#kind", "kind")
            .expression_attribute_names("#part", "part")
            .expression_attribute_values(":kind", text(&self.0.kind))
            .expression_attribute_values(":from", number(parts.start))
            .expression_attribute_values(":to", number(parts.end - 1));
        for key in read_all(query, Ok).await? {
            let request = self.0.client.delete_item().table_name(&self.0.table);
            request.set_key(Some(key)).send().await.map_err(to_error)?;
        }
        Ok(())
    }
}

/// Returns the marks of corrections in the head's row. A mark is the identifier of a document, `@`, and the revision
/// of the corrected row. So a later correction of the same document has another mark.
fn marks_in(row: &Item) -> Vec<String> {
    let marks = row.get("unpublished").and_then(|marks| marks.as_ss().ok());
    marks.cloned().unwrap_or_default()
}

/// Returns the identifier in a mark.
fn id_in_mark(mark: &str) -> Option<u64> {
    mark.split_once('@')?.0.parse().ok()
}

fn part_numbers(head: Head, section: SnapshotSection) -> impl Iterator<Item = u64> {
    let (first, count) = match section {
        SnapshotSection::Index => (0, head.parts),
        SnapshotSection::Texts => (head.parts, head.text_parts),
        SnapshotSection::Titles => (head.parts + head.text_parts, head.title_parts),
    };
    let start = head.version * VERSION_STRIDE + first;
    start..start + count
}

fn read_part(item: &Item) -> Option<(u64, Vec<u8>)> {
    let part = as_number(item.get("part")?)?;
    let data = item.get("data")?.as_b().ok()?;
    Some((part, data.as_ref().to_vec()))
}
