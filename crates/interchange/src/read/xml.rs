//! XML files: their root element, and their records one after another.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::{resolve_xml_entity, unescape};
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::collector::EntryCollector;
use crate::entry::{ListFileError, ReadResult};
use crate::field::{MAX_LIST_TEXT_BYTES, cut};
use crate::values::visible_text;

/// The depth from which a file is rejected.
const MAX_DEPTH: usize = 16;

/// The maximum number of elements. MyAnimeList writes 24 elements for an anime.
const MAX_ELEMENTS: usize = 1_000_000;

/// The maximum number of elements and attributes of an element in the root, because each of these elements becomes a
/// tree in memory. A folder of a list has three elements for each anime.
const MAX_TREE: usize = 200_000;

/// A DTD is rejected, because the entities that it defines could expand to any length.
const DTD_ERROR: &str =
    "The XML has a document type definition (DTD), which anime lists never have.";

const HTML_ERROR: &str =
    "The file is a web page, not a list. Use the export of the service instead of saving its page.";

pub struct Xml<'f> {
    /// The text, in which each `&` that begins no entity is replaced.
    pub text: Cow<'f, str>,
    /// The name of the root element, at most 40 characters.
    pub root: String,
}

#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    /// The attributes, in the order of the file.
    pub attributes: Vec<(String, String)>,
    /// The elements inside this element.
    pub children: Vec<Element>,
    value: XmlValue,
}

impl Element {
    /// Returns the first element with this name in the element.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the elements with this name in the element.
    pub fn children_of<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Returns the text of the element. The text of CDATA is returned exactly, any other text without surrounding white
    /// space.
    pub fn text(&self) -> &str {
        if self.value.has_text || self.value.cdata.is_empty() {
            self.value.text.trim()
        } else {
            &self.value.cdata
        }
    }

    /// Returns the text of the first element with this name in the element.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(Element::text)
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let found = attributes.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Default)]
struct XmlValue {
    text: String,
    cdata: String,
    /// True if there is text beside CDATA and white space.
    has_text: bool,
}

impl XmlValue {
    fn push_text(&mut self, part: &str) {
        self.push(part);
        // White space around CDATA is layout, not content.
        self.has_text |= !part.trim().is_empty();
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
    }

    fn push(&mut self, part: &str) {
        if self.text.len() < MAX_LIST_TEXT_BYTES {
            self.text.push_str(cut(part));
        }
    }
}

impl<'f> Xml<'f> {
    /// Reads the name of the root element of a text that begins with `<`.
    pub fn read(text: &'f str) -> ReadResult<Self> {
        let text = repair(text);
        let mut reader = Reader::from_str(&text);
        let root = loop {
            let event = reader.read_event();
            let event = event.map_err(|_| invalid_xml(&text, reader.error_position()))?;
            match event {
                Event::DocType(name) => {
                    let is_html = name.trim_start().to_ascii_lowercase().starts_with("html");
                    return Err(ListFileError::new(if is_html {
                        HTML_ERROR
                    } else {
                        DTD_ERROR
                    }));
                }
                Event::Start(tag) | Event::Empty(tag) => break visible_text(tag.name().0, 40),
                Event::Eof => break String::new(),
                Event::Text(part) if !part.xml10_content().trim().is_empty() => {
                    return Err(invalid_xml(&text, reader.buffer_position()));
                }
                _ => {}
            }
        };
        if root.eq_ignore_ascii_case("html") {
            return Err(ListFileError::new(HTML_ERROR));
        }
        Ok(Self { text, root })
    }

    /// Calls a function for each element in the root element.
    pub fn for_each(
        &self,
        collector: &mut EntryCollector,
        mut element_is: impl FnMut(&Element, &mut EntryCollector) -> ReadResult,
    ) -> ReadResult {
        let text = self.text.as_ref();
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        // The open elements, the root element first. The root element does not keep its child elements.
        let mut open = Vec::<Element>::new();
        let (mut elements, mut in_tree) = (0, 0);
        loop {
            let event = reader.read_event();
            let event = event.map_err(|_| invalid_xml(text, reader.error_position()))?;
            let depth = open.len();
            match event {
                Event::DocType(_) => return Err(ListFileError::new(DTD_ERROR)),
                Event::Start(tag) => {
                    collector.check_cancelled()?;
                    elements += 1;
                    if elements > MAX_ELEMENTS {
                        return Err(ListFileError::new(
                            "The XML has more than 1,000,000 elements.",
                        ));
                    }
                    if depth + 1 == MAX_DEPTH {
                        return Err(ListFileError::new("The XML is nested too deeply."));
                    }
                    if depth == 0 && elements > 1 {
                        return Err(invalid_xml(text, reader.buffer_position()));
                    }
                    let element = element_of(&tag);
                    in_tree = if depth > 1 { in_tree } else { 0 };
                    in_tree += 1 + element.attributes.len();
                    if in_tree > MAX_TREE {
                        return Err(ListFileError::new(
                            "The XML has an entry with more than 200,000 elements and attributes.",
                        ));
                    }
                    open.push(element);
                }
                Event::End(_) => {
                    let ended = open.pop();
                    match (ended, open.as_mut_slice()) {
                        (Some(element), [_]) => element_is(&element, collector)?,
                        (Some(element), [.., parent]) => parent.children.push(element),
                        _ => {}
                    }
                }
                Event::Text(part) if depth == 0 && !part.xml10_content().trim().is_empty() => {
                    return Err(invalid_xml(text, reader.buffer_position()));
                }
                Event::CData(_) | Event::GeneralRef(_) if depth == 0 => {
                    return Err(invalid_xml(text, reader.buffer_position()));
                }
                Event::Text(part) => {
                    if let Some(element) = open.last_mut() {
                        element.value.push_text(&part.xml10_content());
                    }
                }
                Event::CData(part) => {
                    if let Some(element) = open.last_mut() {
                        element.value.push_cdata(&part.xml10_content());
                    }
                }
                Event::GeneralRef(part) => {
                    let mut utf8 = [0; 4];
                    let resolved = resolve(&part, &mut utf8);
                    let resolved =
                        resolved.ok_or_else(|| invalid_xml(text, reader.buffer_position()))?;
                    if let Some(element) = open.last_mut() {
                        element.value.push_reference(resolved);
                    }
                }
                Event::Eof if depth > 0 => return Err(invalid_xml(text, text.len() as u64)),
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }
}

fn element_of(tag: &BytesStart) -> Element {
    let attributes = tag.attributes().flatten().take(20);
    let attributes = attributes.map(|attribute| {
        let name = cut(attribute.key.0).to_owned();
        // A value with a reference that XML does not define stays unchanged.
        let value = unescape(&attribute.value);
        let value = value.as_deref().unwrap_or(&attribute.value);
        (name, cut(value).to_owned())
    });
    Element {
        name: cut(tag.name().0).to_owned(),
        attributes: attributes.collect(),
        ..Element::default()
    }
}

/// Returns the text, with `&amp;` for each `&` that begins no reference. Programs that write XML without a library
/// forget to escape it.
fn repair(text: &str) -> Cow<'_, str> {
    let mut repaired = String::new();
    // The position up to which the text has been copied, and the position from which it is searched.
    let (mut copied, mut from) = (0, 0);
    while let Some(at) = text[from..].find(['&', '<']).map(|at| from + at) {
        let rest = &text[at..];
        if rest.starts_with("<![CDATA[") {
            from = rest.find("]]>").map_or(text.len(), |end| at + end);
        } else if rest.starts_with('&') && !is_reference(&rest[1..]) {
            repaired.push_str(&text[copied..at]);
            repaired.push_str("&amp;");
            copied = at + 1;
            from = copied;
        } else {
            from = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    repaired.push_str(&text[copied..]);
    Cow::Owned(repaired)
}

/// Returns true if a text begins like the part of a reference after its `&`: a name or a number, and a semicolon.
fn is_reference(text: &str) -> bool {
    let end = text.bytes().take(12).position(|byte| byte == b';');
    let name = end.and_then(|end| text.get(..end)).unwrap_or_default();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric();
    let number = name.strip_prefix('#');
    !name.is_empty() && number.unwrap_or(name).bytes().all(is_name)
}

/// Returns the text for a character reference or one of the five entities that XML has without a DTD.
fn resolve<'t>(reference: &BytesRef, utf8: &'t mut [u8; 4]) -> Option<&'t str> {
    let character = reference.resolve_char_ref().ok().flatten();
    character
        .map(|character| &*character.encode_utf8(utf8))
        .or_else(|| resolve_xml_entity(reference))
}

/// Returns the error for XML that is invalid at a byte.
fn invalid_xml(text: &str, position: u64) -> ListFileError {
    let end = usize::try_from(position)
        .unwrap_or(text.len())
        .min(text.len());
    let lines = text.as_bytes()[..end].split(|byte| *byte == b'\n');
    let line = lines.count();
    ListFileError::new(format!(
        "The XML is invalid or ends too early near line {line}."
    ))
}

#[cfg(test)]
mod tests {
    use super::repair;

    #[test]
    fn lone_ampersands_are_repaired() {
        for (text, repaired) in [
            ("<a>Tom & Jerry</a>", "<a>Tom &amp; Jerry</a>"),
            ("<a>&</a>", "<a>&amp;</a>"),
            ("<a>R&D; &amp; &#38;</a>", "<a>R&D; &amp; &#38;</a>"),
            ("<a>&#x26; &</a>", "<a>&#x26; &amp;</a>"),
            ("<![CDATA[a & b]]> & </a>", "<![CDATA[a & b]]> &amp; </a>"),
            ("<a>é&é;</a>", "<a>é&amp;é;</a>"),
        ] {
            assert_eq!(repair(text), repaired);
        }
    }
}
