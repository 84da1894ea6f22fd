//! Requests that are refused as a whole.

use player_messages::{MAX_BYTES, MessageError, read};

use super::{FORM, PLEX, form};

fn error(content_type: &str, body: impl AsRef<[u8]>) -> String {
    let read = read(Some(content_type), body.as_ref());
    read.unwrap_err().to_string()
}

#[test]
fn unknown_and_broken_bodies_are_refused() {
    let error = |body: &[u8]| error("application/json", body);
    let unknown = "The sender is unknown. Send a message of Jellyfin, Plex, Emby, Tautulli or Kodi, or JSON with \
        anime_id, ids, title or file.";
    let bodies = r#" | <!doctype html> | file=x | {} | {"Event": "x"} | {"event": 1} | 7"#;
    for body in bodies.split(" | ") {
        assert_eq!(error(body.as_bytes()), unknown, "{body}");
    }
    let invalid =
        "The message is not valid JSON, ends too early, or is nested more than 127 levels deep.";
    for body in [
        r#"{"file": "x"#,
        r#"{"file": "C:\x"}"#,
        r#"{"NotificationType": "x""#,
        &"[".repeat(9999),
    ] {
        assert_eq!(error(body.as_bytes()), invalid, "{body}");
    }
    let expected = "The message must be encoded in UTF-8.";
    assert_eq!(error(b"{\"file\": \"Amenc\xe9e\"}"), expected);
    let expected = Err(MessageError::TooLong);
    assert_eq!(read(None, &vec![b' '; MAX_BYTES + 1]), expected);
}

#[test]
fn malformed_forms_are_refused() {
    let valid = form("payload", PLEX);
    let no_boundary = "The form has no boundary: Content-Type must be multipart/form-data with a boundary of 1 to 70 \
        characters.";
    let long = format!("multipart/form-data; boundary={}", "b".repeat(71));
    let empty = "Multipart/Form-Data; boundary=\"\"";
    for content_type in ["multipart/form-data", empty, &long] {
        assert_eq!(error(content_type, &valid), no_boundary);
    }
    let quoted = "multipart/form-data; charset=utf-8; Boundary=\"----b0\"";
    assert!(read(Some(quoted), &valid).is_ok());
    let incomplete = "The form is malformed or ends too early.";
    let other = "multipart/form-data; boundary=other";
    assert_eq!(error(other, &valid), incomplete);
    assert_eq!(error(quoted, &valid[..valid.len() - 20]), incomplete);
    let missing = "The form must have a part with the name payload or data.";
    assert_eq!(error(quoted, form("thumb", "{}")), missing);
    let many = "The form must have the part payload or data among its first 20 parts.";
    assert_eq!(error(quoted, "------b0\r\n\r\nx\r\n".repeat(1000)), many);
}

#[test]
fn memory_for_large_bodies_is_bounded() {
    let chain = format!("{}{},", "[".repeat(100), "]".repeat(100));
    for body in [
        format!("[{}1]", chain.repeat(5000)),
        format!("[{}1]", "[],".repeat(300_000)),
        format!(r#"{{"NotificationType": {}"#, r#"{"\""#.repeat(200_000)),
        format!(r#"{{"NotificationType": "{}""#, "\\".repeat(1_000_000)),
        "------b0\r\n\r\nx\r\n".repeat(1000),
    ] {
        let memory = allocation_counter::measure(|| {
            for content_type in [None, FORM] {
                assert!(read(content_type, body.as_bytes()).is_err());
            }
        });
        let is_bounded = body.len() <= MAX_BYTES && memory.bytes_max < 6 << 20;
        assert!(is_bounded, "{memory:?}");
    }
}
