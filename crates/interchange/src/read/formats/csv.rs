//! CSV with a header row, of this service, of people who keep a list, and of programs that no other format is for.

use super::{Format, wrong_shape};
use crate::collector::{EntryCollector, ScoreScale};
use crate::entry::{ListFormat, ReadError};
use crate::field::{EntryField, FieldName, FieldTexts};
use crate::formula::restore;
use crate::read::content::Content;
use crate::read::table::Table;

pub const FORMAT: Format = Format {
    kind: ListFormat::Csv,
    recognize: |content| content.is_table(has_columns),
    read,
};

const IDENTITIES: [EntryField; 4] = [
    EntryField::AnimeId,
    EntryField::AniListId,
    EntryField::MalId,
    EntryField::Title,
];

fn has_columns(table: &Table) -> bool {
    let columns: Vec<FieldName> = table.header.iter().map(|name| FieldName::of(name)).collect();
    let has = |field| columns.contains(&FieldName::Known(field));
    has(EntryField::Status) && IDENTITIES.into_iter().any(has)
}

/// Columns that tell that the numbers in `media_id` are not, or not all, those of AniList.
const OTHER_SOURCES: [&str; 5] = ["source", "media_type", "service", "site", "provider"];

fn read(content: &Content, collector: &mut EntryCollector) -> Result<(), ReadError> {
    let table = content.table().ok_or_else(wrong_shape)?;
    let mut columns: Vec<FieldName> = table.header.iter().map(|name| FieldName::of(name)).collect();
    if table.has_any(&OTHER_SOURCES) {
        // The column names the service of each number, which no format here knows.
        for (column, name) in columns.iter_mut().zip(&table.header) {
            let is_plain = FieldName::of(name) == FieldName::Known(EntryField::AniListId)
                && !name.to_lowercase().contains("anilist");
            if is_plain {
                *column = FieldName::Unknown;
            }
        }
    }
    // Only this service's own export has a column anime_id. Its scores are from 0 to 100.
    if columns.contains(&FieldName::Known(EntryField::AnimeId)) {
        collector.scale = ScoreScale::OfFormat(100.0);
    }
    // Services number the statuses differently, so a status must be a word here, not a number.
    table.for_each(collector, |row, collector| {
        let mut texts = FieldTexts::default();
        for ((cell, column), name) in row.cells.iter().zip(&mut columns).zip(&table.header) {
            match column {
                FieldName::Known(field) => texts.set(*field, restore(cell)),
                FieldName::Unknown if !cell.trim().is_empty() => {
                    collector.add_unknown_field(name);
                    // The name is added only once, not for each of the column's cells.
                    *column = FieldName::Ignored;
                }
                _ => {}
            }
        }
        collector.add_texts(texts)
    })
}
