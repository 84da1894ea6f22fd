//! The error responses that hyper makes itself, such as those to a head that it cannot parse. They have no body, so
//! this module adds the envelope of all other errors.

use axum::http::StatusCode;
use shared::http::{Envelope, ErrorData};

/// Returns the response with the envelope, if this is a response that hyper has made itself. Only such a response has
/// neither a body nor a request identifier.
pub(crate) fn with_envelope(written: &[u8]) -> Option<Vec<u8>> {
    const EMPTY: &str = "content-length: 0\r\n";
    if !written.starts_with(b"HTTP/1.") {
        return None;
    }
    let head = std::str::from_utf8(written).ok()?;
    let (line, headers) = head.strip_suffix("\r\n\r\n")?.split_once("\r\n")?;
    let status: u16 = line.split(' ').nth(1)?.parse().ok()?;
    let status = StatusCode::from_u16(status).ok()?;
    let (message, sentence) = match status {
        StatusCode::BAD_REQUEST => ("Malformed request", "Send a valid HTTP/1.1 request."),
        StatusCode::URI_TOO_LONG => (
            "Address too long",
            "The address is too long. Use at most 65,534 characters.",
        ),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => (
            "Headers too large",
            "The address and the headers are too long together. Use at most 400 KB.",
        ),
        _ => return None,
    };
    let headers = format!("{headers}\r\n");
    if !headers.contains(EMPTY) || headers.contains("x-request-id:") {
        return None;
    }
    let envelope = Envelope::with_status(status, message, ErrorData::from(sentence));
    let body = serde_json::to_string(&envelope).ok()?;
    let length = body.len();
    let described = format!(
        "content-type: application/json\r\ncache-control: no-store\r\ncontent-length: {length}\r\n"
    );
    let headers = headers.replace(EMPTY, &described);
    Some(format!("{line}\r\n{headers}\r\n{body}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::with_envelope;

    #[test]
    fn only_responses_of_hyper_itself_get_the_envelope() {
        let long = b"HTTP/1.1 414 URI Too Long\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let changed = String::from_utf8(with_envelope(long).unwrap()).unwrap();
        let (head, body) = changed.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 414 URI Too Long\r\nconnection: close\r\n"));
        assert!(
            head.ends_with(&format!("content-length: {}", body.len())),
            "{head}"
        );
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(
            (&body["status_code"], &body["version"]),
            (&414.into(), &"1".into())
        );
        for other in [
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\nx-request-id: a\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 414 URI Too Long\r\ncontent-length: 2\r\n\r\n{}",
            "{\"data\": 414}",
        ] {
            assert_eq!(with_envelope(other.as_bytes()), None, "{other}");
        }
    }
}
