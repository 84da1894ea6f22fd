//! The XML of MyAnimeList's export, and the variants that other trackers write.

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesDecl, BytesRef, Event};
use shared::models::WatchStatus;

use crate::collector::{EntryCollector, MANGA_LIST, ScoreScale};
use crate::entry::{ListFile, ListFormat, ReadError};
use crate::field::{FieldName, FieldTexts, MAX_LIST_TEXT_BYTES, cut};
use crate::values::StatusNumbers;

/// MyAnimeList's numbers of statuses. No status has the number 5.
const STATUS_NUMBERS: &StatusNumbers = &[
    ("1", WatchStatus::Current),
    ("2", WatchStatus::Completed),
    ("3", WatchStatus::Paused),
    ("4", WatchStatus::Dropped),
    ("6", WatchStatus::Planning),
];

/// The depth of the elements `anime`.
const ANIME_DEPTH: usize = 2;

/// The depth of the fields of an anime.
const FIELD_DEPTH: usize = 3;

/// The depth from which a file is rejected.
const MAX_DEPTH: usize = 16;

/// The maximum number of elements. MyAnimeList writes 24 elements for an anime.
const MAX_ELEMENTS: usize = 1_000_000;

const ROOT_ERROR: &str = "The XML is not an anime list: its root element must be myanimelist.";

/// A DTD is rejected, because the entities that it defines could expand to any length.
const DTD_ERROR: &str =
    "The XML has a document type definition (DTD), which anime lists never have.";

/// Reads a list.
pub fn read(text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<ListFile, ReadError> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut collector = EntryCollector::new(STATUS_NUMBERS, is_cancelled);
    let (mut depth, mut elements, mut has_root) = (0, 0, false);
    let mut anime = None;
    let (mut name, mut value) = (String::new(), Value::default());
    loop {
        let event = reader.read_event();
        let event = event.map_err(|_| invalid_xml(text, reader.error_position()))?;
        match event {
            Event::Decl(declaration) => check_encoding(&declaration)?,
            Event::DocType(_) => return Err(ReadError::new(DTD_ERROR)),
            Event::Start(tag) => {
                collector.check_cancelled()?;
                if depth == 0 && has_root {
                    return Err(invalid_xml(text, reader.buffer_position()));
                }
                depth += 1;
                elements += 1;
                if elements > MAX_ELEMENTS {
                    return Err(ReadError::new("The XML has more than 1,000,000 elements."));
                }
                match (depth, tag.name().0) {
                    (1, "myanimelist") => has_root = true,
                    (1, _) => return Err(ReadError::new(ROOT_ERROR)),
                    (ANIME_DEPTH, "anime") => anime = Some(FieldTexts::default()),
                    (ANIME_DEPTH, "manga") => return Err(ReadError::new(MANGA_LIST)),
                    (FIELD_DEPTH, field) => {
                        field.clone_into(&mut name);
                        value = Value::default();
                    }
                    (MAX_DEPTH, _) => {
                        return Err(ReadError::new("The XML is nested too deeply."));
                    }
                    _ => {}
                }
            }
            Event::End(_) => {
                match (depth, &mut anime) {
                    (FIELD_DEPTH, Some(texts)) => {
                        set_field(&mut collector, texts, &name, value.take_text());
                    }
                    (FIELD_DEPTH, None)
                        if name == "user_export_type" && value.take_text().trim() == "2" =>
                    {
                        return Err(ReadError::new(MANGA_LIST));
                    }
                    (ANIME_DEPTH, Some(texts)) => {
                        collector.add(texts)?;
                        anime = None;
                    }
                    _ => {}
                }
                depth = depth.saturating_sub(1);
            }
            Event::Text(part) if depth == 0 && !part.xml10_content().trim().is_empty() => {
                return Err(invalid_xml(text, reader.buffer_position()));
            }
            Event::CData(_) | Event::GeneralRef(_) if depth == 0 => {
                return Err(invalid_xml(text, reader.buffer_position()));
            }
            Event::Text(part) if depth == FIELD_DEPTH => value.push_text(&part.xml10_content()),
            Event::CData(part) if depth == FIELD_DEPTH => value.push_cdata(&part.xml10_content()),
            Event::GeneralRef(part) => {
                let mut utf8 = [0; 4];
                let resolved = resolve(&part, &mut utf8);
                let resolved =
                    resolved.ok_or_else(|| invalid_xml(text, reader.buffer_position()))?;
                if depth == FIELD_DEPTH {
                    value.push_reference(resolved);
                }
            }
            Event::Eof if depth > 0 => return Err(invalid_xml(text, text.len() as u64)),
            Event::Eof if !has_root => return Err(ReadError::new(ROOT_ERROR)),
            Event::Eof => return collector.finish(ListFormat::MalXml, ScoreScale::OfFormat(10.0)),
            _ => {}
        }
    }
}

/// Sets a field of an anime.
fn set_field(collector: &mut EntryCollector, texts: &mut FieldTexts, name: &str, text: String) {
    match FieldName::of(name) {
        FieldName::Known(field) => texts.set(field, text),
        FieldName::Unknown if !matches!(text.trim(), "" | "0") => collector.add_unknown_field(name),
        _ => {}
    }
}

/// The text of an element.
#[derive(Debug, Default)]
struct Value {
    text: String,
    cdata: String,
    has_cdata: bool,
    has_text: bool,
}

impl Value {
    fn push_text(&mut self, part: &str) {
        self.push(part);
        // White space around CDATA is layout, not content.
        self.has_text = self.has_text || !part.trim().is_empty();
    }

    fn push_reference(&mut self, part: &str) {
        self.push(part);
        self.has_text = true;
    }

    fn push_cdata(&mut self, part: &str) {
        self.push(part);
        if self.cdata.len() < MAX_LIST_TEXT_BYTES {
            self.cdata.push_str(cut(part));
        }
        self.has_cdata = true;
    }

    fn push(&mut self, part: &str) {
        if self.text.len() < MAX_LIST_TEXT_BYTES {
            self.text.push_str(cut(part));
        }
    }

    /// Takes the text of the element. The text of CDATA is taken exactly, any other text without surrounding white
    /// space.
    fn take_text(&mut self) -> String {
        let value = std::mem::take(self);
        if value.has_cdata && !value.has_text {
            value.cdata
        } else {
            value.text.trim().to_owned()
        }
    }
}

fn check_encoding(declaration: &BytesDecl) -> Result<(), ReadError> {
    match declaration.encoding() {
        None => Ok(()),
        Some(Ok(name)) if ["utf-8", "utf8"].contains(&name.to_lowercase().as_str()) => Ok(()),
        Some(_) => Err(ReadError::new(
            "The XML declares another encoding than UTF-8. Save it as UTF-8.",
        )),
    }
}

/// Returns the text for a character reference or one of the five entities that XML has without a DTD.
fn resolve<'t>(reference: &BytesRef, utf8: &'t mut [u8; 4]) -> Option<&'t str> {
    let character = reference.resolve_char_ref().ok().flatten();
    character
        .map(|character| &*character.encode_utf8(utf8))
        .or_else(|| resolve_xml_entity(reference))
}

/// Returns the error for XML that is invalid at a byte.
fn invalid_xml(text: &str, position: u64) -> ReadError {
    let end = usize::try_from(position)
        .unwrap_or(text.len())
        .min(text.len());
    let lines = text.as_bytes()[..end].split(|byte| *byte == b'\n');
    let line = lines.count();
    ReadError::new(format!(
        "The XML is invalid or ends too early near line {line}."
    ))
}
