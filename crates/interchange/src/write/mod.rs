//! Writing of list files.

mod csv;
mod json;
mod story;
mod xml;

use std::io::{self, Write};

pub use json::write_entries;
pub use story::{ExportedStory, LeftOut};

/// A format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// MyAnimeList's XML.
    MalXml,
    /// CSV with a header row.
    Csv,
    /// This service's own JSON, which has everything.
    Json,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::MalXml, Self::Csv, Self::Json];

    /// Returns the name in parameters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MalXml => "mal_xml",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Returns the format with this name in parameters.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the extension of file names.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::MalXml => "xml",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Returns the media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::MalXml => "application/xml",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
        }
    }
}

/// Writes stories to `output`. `exported_at_ms` is the time in milliseconds since the Unix epoch.
///
/// # Errors
/// If writing to `output` fails.
pub fn write(
    format: ExportFormat,
    username: &str,
    exported_at_ms: u64,
    stories: &[ExportedStory],
    mut output: impl Write,
) -> io::Result<LeftOut> {
    match format {
        ExportFormat::MalXml => return xml::write(username, stories, &mut output),
        ExportFormat::Csv => csv::write(stories, &mut output)?,
        ExportFormat::Json => json::write(username, exported_at_ms, stories, &mut output)?,
    }
    Ok(LeftOut::default())
}
