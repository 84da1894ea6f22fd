//! Inputs of the fuzz targets. Each target is a binary in `src/bin`; tests/tools/fuzz builds and runs them.

#![expect(
    clippy::expect_used,
    reason = "a fuzz target must stop at an unexpected result"
)]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use libfuzzer_sys::arbitrary::{self, Arbitrary};

/// An edit of valid bytes.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Edit {
    /// Replaces the byte at a position.
    Replace(u16, u8),
    /// Inserts a byte at a position.
    Insert(u16, u8),
    /// Removes up to 255 bytes at a position.
    Remove(u16, u8),
    /// Repeats up to 255 bytes at a position.
    Repeat(u16, u8),
}

/// Bytes, or edits of valid bytes: random bytes alone rarely get past the first check of a decoder.
#[derive(Arbitrary, Debug)]
pub enum Input<'a> {
    /// The bytes themselves.
    Bytes(&'a [u8]),
    /// Edits, which are applied one after the other.
    Edits(Vec<Edit>),
}

impl Input<'_> {
    /// Returns the bytes of the input. Edits are applied to `valid`.
    pub fn bytes(&self, valid: &[u8]) -> Vec<u8> {
        let edits = match self {
            Self::Bytes(bytes) => return bytes.to_vec(),
            Self::Edits(edits) => edits,
        };
        let mut bytes = valid.to_vec();
        for edit in edits {
            let (Edit::Replace(at, _)
            | Edit::Insert(at, _)
            | Edit::Remove(at, _)
            | Edit::Repeat(at, _)) = *edit;
            let at = usize::from(at) % (bytes.len() + 1);
            let range = |count: u8| at..bytes.len().min(at + usize::from(count));
            match *edit {
                Edit::Replace(_, byte) => bytes
                    .iter_mut()
                    .skip(at)
                    .take(1)
                    .for_each(|old| *old = byte),
                Edit::Insert(_, byte) => bytes.insert(at, byte),
                Edit::Remove(_, count) => drop(bytes.drain(range(count))),
                Edit::Repeat(_, count) => {
                    let part = bytes[range(count)].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        bytes
    }

    /// Returns the input as text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self, valid: &str) -> String {
        String::from_utf8_lossy(&self.bytes(valid.as_bytes())).into_owned()
    }
}

/// Returns the result of a future that never waits.
///
/// # Panics
/// The future waits.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
    .expect("a future that does not wait")
}
