//! Recognition of the sender.

use serde_json::Value;

use crate::message::{Message, MessageError};
use crate::{kiroku, kodi, multipart, servers};

/// The maximum length of a body, in bytes: 1 MB. Plex sends a picture of several 100 KB with some messages.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The maximum number of messages in a list of this service's own JSON.
pub const MAX_MESSAGES: usize = 500;

/// The maximum number of commas and opening brackets in a body, which bounds the memory of its values. Messages of
/// senders have up to 1,000, and a full list of our own JSON has 6,000.
const MAX_VALUES: usize = 20_000;

const NOT_UTF8: MessageError = MessageError::Malformed("The message must be encoded in UTF-8.");
const INVALID_JSON: MessageError = MessageError::Malformed(
    "The message is not valid JSON, ends too early, or is nested more than 127 levels deep.",
);
const TOO_MANY_VALUES: MessageError =
    MessageError::Malformed("The message must have at most 20,000 values.");
const WRONG_LENGTH: MessageError =
    MessageError::Malformed("A list of messages must have 1 to 500 messages.");
const UNKNOWN: MessageError = MessageError::Malformed(
    "The sender is unknown. Send a message of Jellyfin, Plex, Emby, Tautulli or Kodi, or JSON with anime_id, ids, \
     title or file.",
);

/// Reads the messages of a request. The sender is recognized by the message. The content type is used only to find the
/// message in a form. Only this service's own JSON can have several messages.
///
/// # Errors
/// If the body is too long, malformed, of an unknown sender, or has an invalid field in this service's own JSON.
pub fn read(content_type: Option<&str>, body: &[u8]) -> Result<Vec<Message>, MessageError> {
    if body.len() > MAX_BYTES {
        return Err(MessageError::TooLong);
    }
    let message = match content_type.filter(|name| multipart::is_multipart(name)) {
        Some(content_type) => multipart::find_message(content_type, body)?,
        None => body,
    };
    let text = str::from_utf8(message).map_err(|_| NOT_UTF8)?;
    let message = parse(text.trim_start_matches('\u{feff}'))?;
    let Value::Array(messages) = message else {
        return read_one(&message).map(|message| vec![message]);
    };
    if !(1..=MAX_MESSAGES).contains(&messages.len()) {
        return Err(WRONG_LENGTH);
    }
    let messages = (1..).zip(&messages).map(|(position, message)| {
        kiroku::read(message).map_err(|errors| MessageError::Invalid {
            position: Some(position),
            errors,
        })
    });
    messages.collect()
}

fn read_one(message: &Value) -> Result<Message, MessageError> {
    let has = |name: &str| message.get(name).is_some();
    if has("NotificationType") {
        Ok(servers::read_jellyfin(message))
    } else if has("Event") && ["Item", "User", "Server"].into_iter().any(has) {
        Ok(servers::read_emby(message))
    } else if has("event") && ["Metadata", "Account", "Server"].into_iter().any(has) {
        Ok(servers::read_plex(message))
    } else if has("tautulli") {
        Ok(servers::read_tautulli(message))
    } else if kodi::is_kodi(message) {
        Ok(kodi::read(message))
    } else if kiroku::NAMES.into_iter().any(has) {
        kiroku::read(message).map_err(|errors| MessageError::Invalid {
            position: None,
            errors,
        })
    } else {
        Err(UNKNOWN)
    }
}

fn parse(text: &str) -> Result<Value, MessageError> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Err(UNKNOWN);
    }
    if text.bytes().filter(|byte| b",[{".contains(byte)).count() > MAX_VALUES {
        return Err(TOO_MANY_VALUES);
    }
    let parsed = serde_json::from_str(text).or_else(|error| {
        // Only the official plugin of Jellyfin fills in a template, which can produce invalid JSON.
        if text.contains("\"NotificationType\"") {
            serde_json::from_str(&repair(text))
        } else {
            Err(error)
        }
    });
    parsed.map_err(|_| INVALID_JSON)
}

/// Escapes the characters in the values of a JSON text that a template has copied there unescaped: backslashes,
/// quotation marks and control characters. The values are strings, and the names of fields have no such characters.
fn repair(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len() + text.len() / 8);
    let mut is_in_string = false;
    let mut is_value = false;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        let rest = &text[at + character.len_utf8()..];
        match (character, is_in_string) {
            ('"', true) if is_value && !ends_value(rest) => repaired.push_str("\\\""),
            ('"', _) => {
                is_in_string = !is_in_string;
                repaired.push('"');
            }
            // The plugin escapes the quotation marks within a value, but a value can also end with a backslash.
            ('\\', true) if rest.starts_with('"') && !ends_value(&rest[1..]) => {
                characters.next();
                repaired.push_str("\\\"");
            }
            ('\\', true) => repaired.push_str("\\\\"),
            (other, true) if other.is_control() => repaired.push(' '),
            (other, true) => repaired.push(other),
            (other, false) => {
                if matches!(other, ':' | ',') {
                    is_value = other == ':';
                }
                repaired.push(other);
            }
        }
    }
    repaired
}

/// Returns true if `rest` can follow a value: the next name and a colon, or the end. A comma is not enough, because a
/// value can contain commas.
fn ends_value(rest: &str) -> bool {
    let is_closing = |c: char| c.is_whitespace() || matches!(c, '}' | ']');
    let rest = rest.trim_start_matches(is_closing);
    let next = rest.strip_prefix(',').map(str::trim_start);
    let next = next.and_then(|next| next.strip_prefix('"')?.split_once('"'));
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    rest.is_empty()
        || next.is_some_and(|(name, rest)| is_name(name) && rest.trim_start().starts_with(':'))
}
