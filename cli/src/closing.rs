//! Closing a connection whose client still sends.
//!
//! If a server closes a connection with data that it has not read, the system tells the client to forget the
//! connection, and the client may never see the response. A proxy then responds with 502. So the server says that it
//! sends no more, reads on for a while, and closes last (RFC 9112, section 9.6).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Time for which a closed connection is read.
const LINGER: Duration = Duration::from_secs(10);

/// Maximum size of the data that is read from a closed connection, in bytes: 64 MB.
const MAX_DISCARDED_BYTES: usize = 64 << 20;

/// Size of the pieces in which data is read and thrown away, in bytes.
const PIECE_BYTES: usize = 16 << 10;

/// A stream that reads what the client still sends before it closes, once a response has left a body unread.
pub(crate) struct ClosingStream<S> {
    stream: S,
    has_unread_body: UnreadBody,
    closing: Option<Closing>,
}

/// True once a request of a connection has a body that is not read to its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnreadBody(Arc<AtomicBool>);

impl UnreadBody {
    /// Records that a body is not read to its end.
    pub(crate) fn record(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The end of a stream to which nothing is written any more.
struct Closing {
    deadline: Pin<Box<Sleep>>,
    bytes_left: usize,
}

impl<S> ClosingStream<S> {
    pub(crate) fn new(stream: S, has_unread_body: UnreadBody) -> Self {
        Self {
            stream,
            has_unread_body,
            closing: None,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClosingStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ClosingStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, data)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self {
            stream,
            has_unread_body,
            closing,
        } = &mut *self;
        if closing.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        }
        if !has_unread_body.0.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let closing = closing.get_or_insert_with(|| Closing {
            deadline: Box::pin(sleep(LINGER)),
            bytes_left: MAX_DISCARDED_BYTES,
        });
        while closing.bytes_left > 0 && closing.deadline.as_mut().poll(context).is_pending() {
            let mut piece = [0; PIECE_BYTES];
            let mut piece = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut *stream).poll_read(context, &mut piece))?;
            match piece.filled().len() {
                0 => break,
                read => closing.bytes_left = closing.bytes_left.saturating_sub(read),
            }
        }
        Poll::Ready(Ok(()))
    }
}
