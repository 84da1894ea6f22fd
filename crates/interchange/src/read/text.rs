//! The encodings of texts, and files that are not lists at all.

use std::borrow::Cow;

use encoding_rs::{Encoding, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::entry::{ListFileError, ReadResult};

const PICKLE: &str = "The file is a pickle of Python, as Trackma writes it. It could contain any code, so it is not \
                      read. Export the list from the service that Trackma works with.";

/// The sentence for the files of spreadsheet programs.
pub(super) const WORKBOOK: &str =
    "The file is a workbook of a spreadsheet program. Save it as CSV, and send that.";

/// The beginnings of files that are not texts, with the error message for each.
const KNOWN_BYTES: [(&[u8], &str); 16] = [
    // The protocols 2 (of Trackma) to 5.
    (b"\x80\x02", PICKLE),
    (b"\x80\x03", PICKLE),
    (b"\x80\x04", PICKLE),
    (b"\x80\x05", PICKLE),
    // A list or a dictionary in the protocol 0, which is a text.
    (b"(lp0\n", PICKLE),
    (b"(dp0\n", PICKLE),
    (
        b"7z\xbc\xaf\x27\x1c",
        "The file is a 7z archive. Unpack it and send the list that it contains.",
    ),
    (
        b"Rar!",
        "The file is a RAR archive. Unpack it and send the list that it contains.",
    ),
    (
        b"\xfd7zXZ\0",
        "The file is compressed with xz. Unpack it, or compress it with gzip instead.",
    ),
    (
        b"BZh91AY&SY",
        "The file is compressed with bzip2. Unpack it, or compress it with gzip instead.",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "The file is compressed with zstd. Unpack it, or compress it with gzip instead.",
    ),
    (
        b"SQLite format 3",
        "The file is a database. Export the list from the program that wrote it.",
    ),
    (b"\xd0\xcf\x11\xe0", WORKBOOK),
    (b"%PDF", "The file is a PDF document, not a list."),
    (b"\x89PNG", "The file is a picture, not a list."),
    (b"\xff\xd8\xff", "The file is a picture, not a list."),
];

/// Rejects files of kinds that are known not to be lists.
pub fn refuse_known_bytes(file: &[u8]) -> ReadResult {
    let known = KNOWN_BYTES
        .iter()
        .find(|(start, _)| file.starts_with(start));
    known.map_or(Ok(()), |(_, sentence)| Err(ListFileError::new(*sentence)))
}

/// Returns the text of bytes in UTF-8, in UTF-16 ("Unicode text" of Excel), or in Windows-1252 or `Shift_JIS` (CSV of
/// Excel), without its byte order marks.
pub fn decode(bytes: &[u8]) -> ReadResult<Cow<'_, str>> {
    let text = match Encoding::for_bom(bytes) {
        Some((encoding, length)) if encoding != encoding_rs::UTF_8 => {
            decode_as(encoding, &bytes[length..])?
        }
        _ => match str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Cow::Borrowed(text),
            _ => decode_as(guess_encoding(bytes)?, bytes)?,
        },
    };
    // Some programs add a byte order mark to a text that already has one.
    Ok(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches('\u{feff}')),
        Cow::Owned(text) => Cow::Owned(text.trim_start_matches('\u{feff}').to_owned()),
    })
}

/// Returns the encoding of bytes that are not UTF-8.
fn guess_encoding(bytes: &[u8]) -> ReadResult<&'static Encoding> {
    // In UTF-16, every other byte of Latin letters is 0. No other encoding of a list has such bytes.
    match bytes {
        [0, second, ..] if *second != 0 => Ok(UTF_16BE),
        [first, 0, ..] if *first != 0 => Ok(UTF_16LE),
        _ if bytes.contains(&0) => Err(ListFileError::new(
            "The file is not a text file: it has NUL bytes.",
        )),
        // Other control characters show that it is not a text in Windows-1252 either.
        _ if bytes.iter().any(|byte| *byte < 9) => {
            Err(ListFileError::new("The file is not a text file."))
        }
        _ => Ok(declared_encoding(bytes).unwrap_or_else(|| {
            if is_shift_jis(bytes) {
                SHIFT_JIS
            } else {
                WINDOWS_1252
            }
        })),
    }
}

/// The number of kana that shows that a text is Japanese. The first byte of kana is a rare character in Windows-1252.
const MIN_KANA: usize = 3;

/// Returns true for the encoding in which a Japanese Excel saves CSV.
fn is_shift_jis(bytes: &[u8]) -> bool {
    let (text, has_errors) = SHIFT_JIS.decode_without_bom_handling(bytes);
    let kana = text
        .chars()
        .filter(|character| matches!(character, 'ぁ'..='ヶ'));
    !has_errors && kana.take(MIN_KANA).count() == MIN_KANA
}

/// Returns the encoding that the declaration of XML states.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.strip_prefix(b"<?xml")?;
    let start = String::from_utf8_lossy(&start[..start.len().min(200)]).into_owned();
    let (declaration, _) = start.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let name = value.split(['"', '\'']).nth(1)?;
    Encoding::for_label(name.as_bytes())
}

fn decode_as<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> ReadResult<Cow<'b, str>> {
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    if has_errors || text.contains('\0') {
        let name = encoding.name();
        return Err(ListFileError::new(format!(
            "The file is neither a text in UTF-8 nor in {name:?}. Save it as UTF-8."
        )));
    }
    Ok(text)
}
