//! Writing of list files.

mod csv;
mod json;
mod story;
mod xml;

use std::io::{self, Write};

use shared::named_values;

pub use json::write_entries;
pub use story::{ExportedStory, OmittedStories};

named_values! {
    /// A format of an export.
    #[schema(
        as = StoryFileFormat,
        description = "The values of the parameter `format`, for the OpenAPI document."
    )]
    pub enum ExportFormat {
        /// MyAnimeList's XML.
        MalXml = "mal_xml",
        /// CSV with a header row.
        Csv = "csv",
        /// This service's own JSON, with every field of a story.
        Json = "json",
    }
}

impl ExportFormat {
    /// Returns the extension of file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::MalXml => "xml",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::MalXml => "application/xml",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
        }
    }
}

/// Writes stories to `output`, and returns the numbers of stories that the format leaves out. `exported_at_ms` is the
/// time of the export, in milliseconds since the Unix epoch.
///
/// # Errors
/// If writing to `output` fails.
pub fn write(
    format: ExportFormat,
    username: &str,
    exported_at_ms: u64,
    stories: &[ExportedStory],
    mut output: impl Write,
) -> io::Result<OmittedStories> {
    match format {
        ExportFormat::MalXml => return xml::write(username, stories, &mut output),
        ExportFormat::Csv => csv::write(stories, &mut output)?,
        ExportFormat::Json => json::write(username, exported_at_ms, stories, &mut output)?,
    }
    Ok(OmittedStories::default())
}
