//! The formats of list files, one in each file of this folder.
//!
//! To add a format, copy a file, for example `mal_load.rs`, change its `FORMAT`, and add it to [`FORMATS`]. The table
//! in docs/list-files.md describes the formats.

mod anidb;
mod anilist;
mod anime_planet;
mod annict;
mod bangumi;
mod csv;
mod hianime;
mod imdb;
mod kiroku;
mod kitsu;
mod letterboxd;
mod mal_api;
mod mal_load;
mod mal_xml;
mod malsync;
mod netflix;
mod objects;
mod prelude;
mod ryot;
mod shikimori;
mod simkl;
#[cfg(test)]
pub mod tests;
mod trakt;
mod tv_time;
mod unsupported;
mod watcharr;
mod work_facts;
mod yamtrack;

use super::archive::Archive;
use super::content::Content;
use super::json::Json;
use super::table::TextTable;
use super::xml::Xml;
use crate::collector::EntryCollector;
use crate::entry::{ListFileError, ListFormat, ReadResult};

/// A format of list files, recognized by their content.
///
/// The first value is the format in reports. The second one is a function that returns true if the content has the
/// signature of the format: the smallest one that no other format has. It must be cheap, because it is called for each
/// file. The third one is a function that adds the entries and the watched episodes.
pub enum Format {
    Archive(
        ListFormat,
        fn(&Archive) -> bool,
        fn(&Archive, &mut EntryCollector) -> ReadResult,
    ),
    Json(
        ListFormat,
        fn(&Json) -> bool,
        fn(&Json, &mut EntryCollector) -> ReadResult,
    ),
    Table(
        ListFormat,
        fn(&TextTable) -> bool,
        fn(&TextTable, &mut EntryCollector) -> ReadResult,
    ),
    Xml(
        ListFormat,
        fn(&Xml) -> bool,
        fn(&Xml, &mut EntryCollector) -> ReadResult,
    ),
}

impl Format {
    pub fn kind(&self) -> ListFormat {
        let (Self::Archive(kind, ..)
        | Self::Json(kind, ..)
        | Self::Table(kind, ..)
        | Self::Xml(kind, ..)) = self;
        *kind
    }

    pub fn recognizes(&self, content: &Content) -> bool {
        match (self, content) {
            (Self::Archive(_, recognize, _), Content::Archive(archive)) => recognize(archive),
            (Self::Json(_, recognize, _), Content::Json(json)) => recognize(json),
            (Self::Table(_, recognize, _), Content::Table(table)) => recognize(table),
            (Self::Xml(_, recognize, _), Content::Xml(xml)) => recognize(xml),
            _ => false,
        }
    }

    pub fn read(&self, content: &Content, collector: &mut EntryCollector) -> ReadResult {
        match (self, content) {
            (Self::Archive(.., read), Content::Archive(archive)) => read(archive, collector),
            (Self::Json(.., read), Content::Json(json)) => read(json, collector),
            (Self::Table(.., read), Content::Table(table)) => read(table, collector),
            (Self::Xml(.., read), Content::Xml(xml)) => read(xml, collector),
            _ => Err(wrong_shape()),
        }
    }
}

/// The formats in the order in which they are tried. The first format that recognizes a file reads it, so formats with
/// unmistakable signatures come first, and generic ones last.
pub const FORMATS: &[&Format] = &[
    &kiroku::FORMAT,
    // Formats of services and programs, in alphabetical order.
    &anidb::CSV,
    &anidb::XML,
    &anime_planet::FORMAT,
    &annict::FORMAT,
    &bangumi::CSV,
    &bangumi::JSON,
    &hianime::JSON,
    &hianime::TEXT,
    &hianime::XML,
    &imdb::FORMAT,
    &kitsu::API,
    &kitsu::BACKUP,
    &letterboxd::ARCHIVE,
    &letterboxd::CSV,
    &mal_api::FORMAT,
    &mal_load::FORMAT,
    &malsync::FORMAT,
    &netflix::ACTIVITY,
    &netflix::ARCHIVE,
    &netflix::HISTORY,
    &ryot::FORMAT,
    &shikimori::FORMAT,
    &simkl::CSV,
    &simkl::JSON,
    &trakt::CSV,
    &trakt::JSON,
    &trakt::ZIP,
    &tv_time::CSV,
    &tv_time::JSON,
    &tv_time::ZIP,
    &unsupported::NOTIFY_MOE,
    &unsupported::TAIGA,
    &watcharr::FORMAT,
    &yamtrack::FORMAT,
    // Generic formats.
    &anilist::FORMAT,
    &mal_xml::FORMAT,
    &csv::FORMAT,
];

/// Returns the error for a file whose content does not fit its signature.
pub fn wrong_shape() -> ListFileError {
    ListFileError::new("The file has another shape than its format.")
}

#[cfg(test)]
mod document {
    use super::FORMATS;

    #[test]
    fn each_format_has_a_row_in_the_document() {
        let document = include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/list-files.md"
        ));
        let rows: Vec<&str> = document
            .lines()
            .filter(|line| line.starts_with("| "))
            .collect();
        for format in FORMATS {
            let title = format.kind().title();
            let name = title.split(' ').next().unwrap_or(title);
            assert!(rows.iter().any(|row| row.contains(name)), "{title}");
        }
    }
}
