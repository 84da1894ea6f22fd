//! XML files of bounded depth, without a document type definition (DTD).

use std::io::{self, BufRead};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::errors::IllFormedError;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use shared::grouped;

use super::input::{Input, incomplete, invalid};

/// The maximum depth of elements. The root is at depth 1, and the deepest useful elements are at depth 4.
const MAX_DEPTH: usize = 16;

/// A kind of XML file.
pub struct XmlKind {
    /// The name in messages, with its article.
    pub name: &'static str,
    /// The name of the root element.
    pub root: &'static str,
}

/// The content of an XML file, in its order.
pub trait XmlHandler {
    /// Handles the start of an element. The root is at depth 1.
    fn start(&mut self, depth: usize, tag: &BytesStart) -> io::Result<()>;

    /// Handles a part of the text of an element at this depth.
    fn text(&mut self, depth: usize, part: &str);

    /// Handles the end of an element at this depth.
    fn end(&mut self, depth: usize) -> io::Result<()>;
}

/// Reads an XML file to its end.
///
/// # Errors
/// If reading fails, the file is incomplete, is not XML, has another root element or a DTD, or is nested more than 15
/// levels deep, or if the handler returns an error. The message says what is wrong with the file, and does not name it.
pub fn read_xml(input: Input, kind: &XmlKind, handler: &mut impl XmlHandler) -> io::Result<()> {
    let piece_limit = input.piece_limit();
    let mut reader = Reader::from_reader(input);
    reader.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    let mut depth = 0;
    loop {
        piece_limit.start_piece();
        buffer.clear();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(error) => return Err(xml_error(&error, &mut reader)),
        };
        match event {
            Event::Start(tag) => {
                depth += 1;
                if depth == 1 && tag.name().0 != kind.root {
                    let XmlKind { name, root } = kind;
                    return Err(invalid(format!(
                        "it is not {name}: its root element is not {root}"
                    )));
                }
                if depth == MAX_DEPTH {
                    return Err(invalid("its elements are nested too deeply"));
                }
                handler.start(depth, &tag)?;
            }
            Event::End(_) => {
                handler.end(depth)?;
                depth -= 1;
            }
            Event::Text(part) => handler.text(depth, &part),
            Event::CData(part) => handler.text(depth, &part),
            Event::GeneralRef(part) => handler.text(depth, resolve(&part, &mut [0; 4])?),
            // A DTD could define entities that expand to any length.
            Event::DocType(_) => {
                return Err(invalid(format!(
                    "it has a document type definition (DTD), which {} never has",
                    kind.name
                )));
            }
            Event::Eof if depth > 0 => return Err(incomplete()),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Returns the value of an attribute, or an empty text. References in it are not resolved, because numbers and
/// codes have none.
pub fn find_attribute(tag: &BytesStart, name: &str) -> String {
    // Attributes are not checked for duplicates, because the check takes quadratic time.
    let mut attributes = tag.attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    let found = attributes.find(|attribute| attribute.key.0 == name);
    found.map_or_else(String::new, |attribute| attribute.value.into_owned())
}

/// Returns the text for a character reference or one of the five entities that XML has without a DTD.
fn resolve<'t>(reference: &BytesRef, utf8: &'t mut [u8; 4]) -> io::Result<&'t str> {
    let character = reference.resolve_char_ref().ok().flatten();
    character
        .map(|character| &*character.encode_utf8(utf8))
        .or_else(|| resolve_xml_entity(reference))
        .ok_or_else(|| invalid("it refers to an unknown entity"))
}

fn xml_error(error: &quick_xml::Error, reader: &mut Reader<Input>) -> io::Error {
    let is_at_end = reader.get_mut().fill_buf().is_ok_and(<[u8]>::is_empty);
    match error {
        quick_xml::Error::Io(error) => io::Error::new(error.kind(), Arc::clone(error)),
        quick_xml::Error::Syntax(_)
        | quick_xml::Error::IllFormed(IllFormedError::UnclosedReference)
            if is_at_end =>
        {
            incomplete()
        }
        _ => {
            let position = grouped(reader.error_position());
            invalid(format!("it is not valid XML near byte {position}"))
        }
    }
}
