//! The error responses that hyper makes itself, such as those to a head that it cannot parse. They have no body, so
//! this module adds the envelope of all other errors.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::http::StatusCode;
use shared::http::{Envelope, ErrorData};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection whose empty error responses get the envelope.
#[derive(Debug)]
pub struct WithEnvelopes<S> {
    stream: S,
    /// The rest of a response in place of one that hyper has written.
    unsent: Vec<u8>,
}

impl<S> WithEnvelopes<S> {
    /// Wraps a connection.
    #[must_use]
    pub fn new(stream: S) -> Self {
        Self {
            stream,
            unsent: Vec::new(),
        }
    }
}

/// Returns the response with the envelope, if this is a response that hyper has made itself. Only such a response has
/// neither a body nor an identifier of the request.
fn with_envelope(written: &[u8]) -> Option<Vec<u8>> {
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

impl<S: AsyncWrite + Unpin> WithEnvelopes<S> {
    fn poll_unsent(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(context, &self.unsent))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unsent.drain(..sent);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WithEnvelopes<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WithEnvelopes<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_unsent(context))?;
        if let Some(response) = with_envelope(bytes) {
            this.unsent = response;
            // The rest is sent by the flush that follows each response.
            return match this.poll_unsent(context) {
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                _ => Poll::Ready(Ok(bytes.len())),
            };
        }
        Pin::new(&mut this.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // hyper writes its own responses in one part.
        let mut filled = parts.iter().filter(|part| !part.is_empty());
        if let (Some(only), None) = (filled.next(), filled.next()) {
            return Pin::new(this).poll_write(context, only);
        }
        ready!(this.poll_unsent(context))?;
        Pin::new(&mut this.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_unsent(context))?;
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_unsent(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
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
