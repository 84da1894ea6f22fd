//! The outline of a list file, by which its format is recognized.

use super::archive::Archive;
use super::json::Json;
use super::table::TextTable;
use super::xml::Xml;
use crate::entry::{ListFileError, ReadResult};

pub enum Content<'f> {
    /// JSON, whose top-level fields or elements are known and not parsed yet.
    Json(Json<'f>),
    /// XML, whose root element is known.
    Xml(Xml<'f>),
    /// Any other text. Its first line can be the header of a table.
    Table(TextTable<'f>),
    Archive(&'f Archive<'f>),
}

impl<'f> Content<'f> {
    pub fn of(text: &'f str) -> ReadResult<Self> {
        match text.trim_start().chars().next() {
            None => Err(ListFileError::new("The file is empty.")),
            Some('<') => Xml::read(text).map(Self::Xml),
            Some('{' | '[') => Json::read(text).map(Self::Json),
            Some(_) => TextTable::read(text).map(Self::Table),
        }
    }

    /// Returns the error for a file of an unknown format, which names some of its contents.
    pub fn unknown(&self) -> ListFileError {
        ListFileError::new(match self {
            Self::Json(json) if json.is_empty_array() => {
                "The list in the file is empty.".to_owned()
            }
            Self::Json(json) => match json.some_names() {
                names if names.is_empty() => "The format of this JSON is not known.".to_owned(),
                names => {
                    format!("The format of this JSON is not known. Its first fields are {names}.")
                }
            },
            Self::Xml(xml) if xml.root.is_empty() => "The XML has no elements.".to_owned(),
            Self::Xml(xml) => format!(
                "The XML is of no format that is known. The root element of anime lists is myanimelist, and that of \
                 the file is {:?}.",
                xml.root
            ),
            Self::Table(table) => format!(
                "The file is not an XML, JSON or CSV file that can be imported. The first line of CSV must name the \
                 columns: status, and anime_id, anilist_id, mal_id or title. Its first cells are {}.",
                table.some_names()
            ),
            Self::Archive(archive) => format!(
                "The archive is not of a list that is known. Its files are {}.",
                archive.some_names()
            ),
        })
    }
}
