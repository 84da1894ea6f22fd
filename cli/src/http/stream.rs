//! The stream of a connection to a server. It adds a body to the error responses of hyper ([`with_envelope`]), and
//! closes connections whose client is still sending.
//!
//! If a server closes a connection with data that it has not read, the system tells the client to forget the
//! connection, and the client may never see the response. A proxy then responds with 502. So the server first closes
//! its sending side, continues to read for a while, and then closes the connection (RFC 9112, section 9.6).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::http::refusals::with_envelope;

/// Time for which a closed connection is read.
const LINGER: Duration = Duration::from_secs(10);

/// Maximum size of the data that is read from a closed connection, in bytes: 64 MB.
const MAX_DISCARDED_BYTES: usize = 64 << 20;

/// Size of the pieces in which data is read and discarded, in bytes.
const PIECE_BYTES: usize = 16 << 10;

/// The stream of a connection. Once a response has left a body unread, it reads what the client still sends before it
/// closes.
pub(crate) struct ServerStream<S> {
    stream: S,
    /// The unsent rest of a response that replaces a response of hyper.
    unsent: Vec<u8>,
    has_unread_body: UnreadBody,
    closing: Option<Closing>,
}

/// True once the connection has had a request whose body was not read to its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnreadBody(Arc<AtomicBool>);

impl UnreadBody {
    /// Records that a body is not read to its end.
    pub(crate) fn record(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The state of a stream that is closed for writing.
struct Closing {
    deadline: Pin<Box<Sleep>>,
    bytes_left: usize,
}

impl<S> ServerStream<S> {
    pub(crate) fn new(stream: S, has_unread_body: UnreadBody) -> Self {
        Self {
            stream,
            unsent: Vec::new(),
            has_unread_body,
            closing: None,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> ServerStream<S> {
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

    /// Closes the stream for writing. Then reads for a while, if a body is unread.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closing.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        }
        if !self.has_unread_body.0.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let closing = self.closing.get_or_insert_with(|| Closing {
            deadline: Box::pin(sleep(LINGER)),
            bytes_left: MAX_DISCARDED_BYTES,
        });
        while closing.bytes_left > 0 && closing.deadline.as_mut().poll(context).is_pending() {
            let mut piece = [0; PIECE_BYTES];
            let mut piece = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut piece))?;
            match piece.filled().len() {
                0 => break,
                read => closing.bytes_left = closing.bytes_left.saturating_sub(read),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ServerStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ServerStream<S> {
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
        this.poll_close(context)
    }
}
