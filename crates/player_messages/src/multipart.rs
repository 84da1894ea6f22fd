//! Finds the part with the message in a form (`multipart/form-data`, RFC 7578). A form can also have a picture, so
//! nothing is copied.

use memchr::memmem::Finder;

use crate::message::MessageError;

/// The names of the part with the message: of Plex and of Emby.
const NAMES: [&str; 2] = ["payload", "data"];

/// The maximum number of parts that are read. Plex sends two.
const MAX_PARTS: usize = 20;

const NO_BOUNDARY: MessageError = MessageError::Malformed(
    "The form has no boundary: Content-Type must be multipart/form-data with a boundary of 1 to 70 characters.",
);
const INCOMPLETE: MessageError =
    MessageError::Malformed("The form is malformed or ends too early.");
const NO_MESSAGE: MessageError =
    MessageError::Malformed("The form must have a part with the name payload or data.");
const TOO_MANY_PARTS: MessageError = MessageError::Malformed(
    "The form must have the part payload or data among its first 20 parts.",
);

/// Returns true for the content type of a form with parts.
pub fn is_multipart(content_type: &str) -> bool {
    let start = content_type.trim_start().get(..10);
    start.is_some_and(|start| start.eq_ignore_ascii_case("multipart/"))
}

/// Returns the content of the first part that has one of the [`NAMES`]. Later parts are not read.
pub fn find_message<'b>(content_type: &str, body: &'b [u8]) -> Result<&'b [u8], MessageError> {
    let boundary = find_boundary(content_type).ok_or(NO_BOUNDARY)?;
    let delimiter = format!("\r\n--{boundary}");
    let finder = Finder::new(&delimiter);
    // The first delimiter needs no line break if nothing comes before it.
    let start = if body.starts_with(&delimiter.as_bytes()[2..]) {
        delimiter.len() - 2
    } else {
        finder.find(body).ok_or(INCOMPLETE)? + delimiter.len()
    };
    let mut rest = &body[start..];
    for _ in 0..MAX_PARTS {
        if rest.starts_with(b"--") {
            return Err(NO_MESSAGE);
        }
        // The line break belongs to the part, because a part without headers begins with the empty line.
        let end = finder.find(rest).ok_or(INCOMPLETE)?;
        if let Some(content) = read_part(&rest[..end]) {
            return Ok(content);
        }
        rest = &rest[end + delimiter.len()..];
    }
    Err(TOO_MANY_PARTS)
}

fn find_boundary(content_type: &str) -> Option<&str> {
    let parts = content_type.split(';');
    let mut parameters = parts.filter_map(|part| part.split_once('='));
    let (_, boundary) =
        parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"))?;
    let boundary = boundary.trim().trim_matches('"');
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// Returns the content of a part if it has one of the [`NAMES`]. Emby writes names without quotation marks.
fn read_part(part: &[u8]) -> Option<&[u8]> {
    let end = memchr::memmem::find(part, b"\r\n\r\n")?;
    let headers = str::from_utf8(&part[..end]).ok()?;
    let mut headers = headers.lines().filter_map(|line| line.split_once(':'));
    let (_, disposition) =
        headers.find(|(name, _)| name.trim().eq_ignore_ascii_case("content-disposition"))?;
    let mut parameters = disposition.split(';').map(str::trim);
    let name = parameters.find_map(|parameter| parameter.strip_prefix("name="))?;
    let is_message = NAMES.contains(&name.trim_matches('"'));
    is_message.then(|| &part[end + 4..])
}
