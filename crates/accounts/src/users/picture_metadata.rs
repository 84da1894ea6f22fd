//! Pictures without their metadata, such as the place where a photo was taken. Pixels are not decoded: the parts that
//! show the picture are copied, and all others are left out.

use super::picture_format::PictureFormat;

/// Returns a file with only the parts that show the picture; `None` if it ends too early or contradicts itself. Bytes
/// after its end are left out. The orientation of a JPEG file is metadata, too.
pub(super) fn remove_metadata(format: PictureFormat, file: &[u8]) -> Option<Vec<u8>> {
    match format {
        PictureFormat::Png => clean_png(file),
        PictureFormat::Jpeg => clean_jpeg(file),
        PictureFormat::WebP => clean_webp(file),
        PictureFormat::Gif => clean_gif(file),
    }
}

/// The bytes of a file that are not read yet.
struct Unread<'a>(&'a [u8]);

impl<'a> Unread<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// Returns what was read since `start`, which was unread then.
    fn since(&self, start: &'a [u8]) -> Option<&'a [u8]> {
        start.get(..start.len().checked_sub(self.0.len())?)
    }
}

/// The chunks of PNG files that are kept: those that are needed to show the picture, its colors and its animation.
const PNG_CHUNKS: [[u8; 4]; 12] = [
    *b"IHDR", *b"PLTE", *b"IDAT", *b"IEND", *b"tRNS", *b"gAMA", *b"cHRM", *b"sRGB", *b"iCCP",
    *b"acTL", *b"fcTL", *b"fdAT",
];

/// Cleans a PNG file (PNG, section 5).
fn clean_png(file: &[u8]) -> Option<Vec<u8>> {
    let mut unread = Unread(file);
    let signature = unread.take(8)?;
    let mut kept = signature.to_vec();
    let mut has_data = false;
    loop {
        let start = unread.0;
        let length = u32::from_be_bytes(unread.array()?);
        let kind: [u8; 4] = unread.array()?;
        unread.take(usize::try_from(length).ok()?)?;
        // The checksum.
        unread.take(4)?;
        let is_first = kept.len() == signature.len();
        let is_header = kind == *b"IHDR";
        if is_first != is_header || (is_header && length != 13) {
            return None;
        }
        has_data |= kind == *b"IDAT";
        if PNG_CHUNKS.contains(&kind) {
            kept.extend_from_slice(unread.since(start)?);
        }
        if kind == *b"IEND" {
            return (has_data && length == 0).then_some(kept);
        }
    }
}

/// Cleans a JPEG file (ITU T.81, annex B).
fn clean_jpeg(file: &[u8]) -> Option<Vec<u8>> {
    let mut unread = Unread(file);
    let mut kept = unread.take(2)?.to_vec();
    let mut has_scan = false;
    loop {
        let marker = read_jpeg_marker(&mut unread)?;
        match marker {
            // The end.
            0xd9 => {
                kept.extend([0xff, marker]);
                return has_scan.then_some(kept);
            }
            // Markers without content, which have no place between segments.
            0x00 | 0x01 | 0xd0..=0xd8 => return None,
            _ => {}
        }
        let start = unread.0;
        let length = usize::from(u16::from_be_bytes(unread.array()?));
        let content = unread.take(length.checked_sub(2)?)?;
        if is_kept_in_jpeg(marker, content) {
            kept.extend([0xff, marker]);
            kept.extend_from_slice(unread.since(start)?);
        }
        if marker == 0xda {
            has_scan = true;
            let length = scan_length(unread.0)?;
            kept.extend_from_slice(unread.take(length)?);
        }
    }
}

/// Reads a marker, and the fill bytes before it.
fn read_jpeg_marker(unread: &mut Unread<'_>) -> Option<u8> {
    let [start] = unread.array()?;
    if start != 0xff {
        return None;
    }
    loop {
        let [byte] = unread.array()?;
        if byte != 0xff {
            return Some(byte);
        }
    }
}

/// Returns true for the segments of JPEG files that are needed to show the picture and its colors. Thumbnails, which
/// can show more than the picture, are not among them.
fn is_kept_in_jpeg(marker: u8, content: &[u8]) -> bool {
    match marker {
        // Frames, tables and scans.
        0xc0..=0xcf | 0xda..=0xdf => true,
        // The last two bytes are the sides of a thumbnail.
        0xe0 => content.starts_with(b"JFIF\0") && content.ends_with(b"\0\0") && content.len() == 14,
        0xe2 => content.starts_with(b"ICC_PROFILE\0"),
        // The color space, without which pictures in RGB and CMYK have wrong colors.
        0xee => content.starts_with(b"Adobe") && content.len() == 12,
        _ => false,
    }
}

/// Returns the length of the compressed data at the beginning of `data`: up to the next marker, except those that
/// restart the decoder.
fn scan_length(data: &[u8]) -> Option<usize> {
    let mut pairs = data.windows(2);
    pairs.position(|pair| matches!(pair, [0xff, 0x01..=0xcf | 0xd8..=0xfe]))
}

/// The flags of the chunk `VP8X` which state that a WebP file has Exif and XMP metadata (RFC 9649, section 2.7.1).
const WEBP_METADATA: u8 = 0b1100;

/// Cleans a WebP file (RFC 9649, section 2).
fn clean_webp(file: &[u8]) -> Option<Vec<u8>> {
    let mut unread = Unread(file);
    unread.take(4)?;
    let size = u32::from_le_bytes(unread.array()?);
    let mut unread = Unread(unread.take(usize::try_from(size).ok()?)?);
    unread.take(4)?;
    let mut kept = Vec::new();
    let mut has_image = false;
    while !unread.0.is_empty() {
        let start = unread.0;
        let kind: [u8; 4] = unread.array()?;
        let length = usize::try_from(u32::from_le_bytes(unread.array()?)).ok()?;
        let content = unread.take(length)?;
        // Chunks of odd length are padded.
        unread.take(length % 2)?;
        match &kind {
            b"VP8X" => {
                let (flags, others) = content.split_first()?;
                if !kept.is_empty() || length != 10 {
                    return None;
                }
                kept.extend_from_slice(start.get(..8)?);
                kept.push(flags & !WEBP_METADATA);
                kept.extend_from_slice(others);
            }
            b"VP8 " | b"VP8L" | b"ANMF" | b"ANIM" | b"ALPH" | b"ICCP" => {
                has_image |= matches!(&kind, b"VP8 " | b"VP8L" | b"ANMF");
                kept.extend_from_slice(unread.since(start)?);
            }
            _ => {}
        }
    }
    let size = u32::try_from(kept.len().checked_add(4)?).ok()?;
    has_image.then(|| [b"RIFF".as_slice(), &size.to_le_bytes(), b"WEBP", &kept].concat())
}

/// Cleans a GIF file (`GIF89a`, sections 17 to 27).
fn clean_gif(file: &[u8]) -> Option<Vec<u8>> {
    let mut unread = Unread(file);
    unread.take(10)?;
    let [flags, _, _] = unread.array()?;
    skip_gif_colors(&mut unread, flags)?;
    let mut kept = unread.since(file)?.to_vec();
    let mut has_image = false;
    loop {
        let start = unread.0;
        let [kind] = unread.array()?;
        let is_kept = match kind {
            // An image. Its position and its sides come first, and the size of its codes last.
            0x2c => {
                unread.take(8)?;
                let [flags] = unread.array()?;
                skip_gif_colors(&mut unread, flags)?;
                unread.take(1)?;
                has_image = true;
                true
            }
            // An extension: those for the time of a frame and for the count of repetitions are kept.
            0x21 => {
                let [label] = unread.array()?;
                label == 0xf9 || (label == 0xff && unread.0.starts_with(b"\x0bNETSCAPE2.0"))
            }
            // The end.
            0x3b => {
                kept.push(kind);
                return has_image.then_some(kept);
            }
            _ => return None,
        };
        skip_gif_blocks(&mut unread)?;
        if is_kept {
            kept.extend_from_slice(unread.since(start)?);
        }
    }
}

/// Skips a table of colors, if the flags state that there is one.
fn skip_gif_colors(unread: &mut Unread<'_>, flags: u8) -> Option<()> {
    if flags & 0x80 != 0 {
        unread.take(3 << (usize::from(flags & 7) + 1))?;
    }
    Some(())
}

/// Skips blocks up to an empty one. Each begins with its length.
fn skip_gif_blocks(unread: &mut Unread<'_>) -> Option<()> {
    loop {
        match unread.array()? {
            [0] => return Some(()),
            [length] => unread.take(usize::from(length))?,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{PictureFormat, remove_metadata};

    fn join(parts: &[&[u8]]) -> Vec<u8> {
        parts.concat()
    }

    /// Checks that a file loses its metadata and what follows its end, and that no beginning of it is accepted.
    fn check(format: PictureFormat, file: &[u8], expected: &[u8]) {
        assert_eq!(remove_metadata(format, file).as_deref(), Some(expected));
        let again = remove_metadata(format, expected);
        assert_eq!(again.as_deref(), Some(expected));
        let trailing = [file, b"GPS"].concat();
        let cleaned = remove_metadata(format, &trailing);
        assert_eq!(cleaned.as_deref(), Some(expected));
        for length in 0..file.len() {
            assert!(
                remove_metadata(format, &file[..length]).is_none(),
                "{length}"
            );
        }
    }

    /// Returns a chunk of a PNG file. The checksum is not checked.
    fn png_chunk(kind: &str, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).unwrap().to_be_bytes();
        join(&[&length, kind.as_bytes(), content, b"sums"])
    }

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

    #[test]
    fn png_files_lose_their_texts() {
        let header = png_chunk("IHDR", &[1; 13]);
        let color = png_chunk("gAMA", b"abcd");
        let data = png_chunk("IDAT", b"data");
        let end = png_chunk("IEND", b"");
        let text = png_chunk("tEXt", b"Author\0Taki");
        let exif = png_chunk("eXIf", b"GPS");
        let file = join(&[PNG, &header, &text, &color, &exif, &data, &text, &end]);
        let expected = join(&[PNG, &header, &color, &data, &end]);
        check(PictureFormat::Png, &file, &expected);
    }

    #[test]
    fn png_files_that_contradict_themselves_are_refused() {
        let header = png_chunk("IHDR", &[1; 13]);
        let data = png_chunk("IDAT", b"data");
        let end = png_chunk("IEND", b"");
        for parts in [
            [&*header, &end, &[]],
            [&*data, &header, &end],
            [&*header, &header, &end],
            [&*header, &data, &png_chunk("IEND", b"GPS")],
            [&*png_chunk("IHDR", &[1; 14]), &data, &end],
            [&*header, b"\xff\xff\xff\xffIDAT", &end],
        ] {
            let file = join(&[PNG, &parts.concat()]);
            assert!(remove_metadata(PictureFormat::Png, &file).is_none());
        }
    }

    fn jpeg_segment(marker: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
        join(&[&[0xff, marker], &length, content])
    }

    #[test]
    fn jpeg_files_lose_their_metadata() {
        let jfif = jpeg_segment(0xe0, b"JFIF\0\x01\x02\x00\x00\x01\x00\x01\x00\x00");
        let thumbnail = jpeg_segment(0xe0, b"JFXX\0\x13\x01\x01rgb");
        let exif = jpeg_segment(0xe1, b"Exif\0\0GPS");
        let profile = jpeg_segment(0xe2, b"ICC_PROFILE\0\x01\x01profile");
        let pictures = jpeg_segment(0xe2, b"MPF\0");
        let photoshop = jpeg_segment(0xed, b"Photoshop 3.0\0");
        let colors = jpeg_segment(0xee, b"Adobe\0\x64\0\0\0\0\x01");
        let comment = jpeg_segment(0xfe, b"Taki");
        let frame = jpeg_segment(0xc2, b"\x08\x00\x01\x00\x01\x01\x01\x11\x00");
        let tables = jpeg_segment(0xc4, b"\0");
        // The data has a stuffed byte and a marker that restarts the decoder.
        let scan = join(&[
            &jpeg_segment(0xda, b"\x01\x01\0\0\x3f\0"),
            b"a\xff\0b\xff\xd0c",
        ]);
        let file = join(&[
            b"\xff\xd8",
            &jfif,
            &thumbnail,
            &exif,
            &profile,
            &pictures,
            &photoshop,
            &colors,
            &comment,
            b"\xff\xff",
            &frame,
            &tables,
            &scan,
            &comment,
            &tables,
            &scan,
            b"\xff\xd9",
        ]);
        let expected = join(&[
            b"\xff\xd8",
            &jfif,
            &profile,
            &colors,
            &frame,
            &tables,
            &scan,
            &tables,
            &scan,
            b"\xff\xd9",
        ]);
        check(PictureFormat::Jpeg, &file, &expected);
    }

    #[test]
    fn jpeg_files_that_contradict_themselves_are_refused() {
        for content in [
            b"\xff\xd9".as_slice(),
            b"\xff\xda\0\x02data\xff\xd8\xff\xd9",
            b"\xff\xda\0\x02data\xff\x01\xff\xd9",
            b"\xff\xda\0\x01data\xff\xd9",
            b"\xff\xfe\0\0\xff\xda\0\x02data\xff\xd9",
            b"\xff\xfe\0\x03a?\xff\xda\0\x02data\xff\xd9",
            b"\xff\0\0\x02\xff\xda\0\x02data\xff\xd9",
        ] {
            let file = join(&[b"\xff\xd8", content]);
            let cleaned = remove_metadata(PictureFormat::Jpeg, &file);
            assert!(cleaned.is_none(), "{content:?}");
        }
    }

    fn webp_chunk(kind: &str, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).unwrap().to_le_bytes();
        let padding = vec![0; content.len() % 2];
        join(&[kind.as_bytes(), &length, content, &padding])
    }

    fn webp(chunks: &[&[u8]]) -> Vec<u8> {
        let chunks = chunks.concat();
        let size = u32::try_from(chunks.len() + 4).unwrap().to_le_bytes();
        join(&[b"RIFF", &size, b"WEBP", &chunks])
    }

    #[test]
    fn webp_files_lose_their_metadata() {
        let flags = |flags: u8| webp_chunk("VP8X", &[flags, 0, 0, 0, 9, 0, 0, 9, 0, 0]);
        let profile = webp_chunk("ICCP", b"profile");
        let alpha = webp_chunk("ALPH", b"alpha");
        let image = webp_chunk("VP8 ", b"image");
        let exif = webp_chunk("EXIF", b"GPS");
        let xmp = webp_chunk("XMP ", b"<x/>");
        let other = webp_chunk("note", b"Taki");
        let before = flags(0b0011_1100);
        let file = webp(&[&before, &profile, &other, &alpha, &image, &exif, &xmp]);
        let expected = webp(&[&flags(0b0011_0000), &profile, &alpha, &image]);
        check(PictureFormat::WebP, &file, &expected);
        let simple = webp(&[&image]);
        check(PictureFormat::WebP, &simple, &simple);
    }

    #[test]
    fn webp_files_that_contradict_themselves_are_refused() {
        let header = webp_chunk("VP8X", &[0; 10]);
        let image = webp_chunk("VP8L", b"data");
        let short = webp_chunk("VP8X", &[]);
        let long = webp_chunk("VP8X", &[0; 12]);
        let wrong: [&[&[u8]]; 7] = [
            &[],
            &[&header],
            &[&image, &header],
            &[&short, &image],
            &[&long, &image],
            &[&header, &image, b"VP8L\xff\xff\xff\xff"],
            &[&header, &image, b"VP8L\x01\0\0\0a"],
        ];
        for chunks in wrong {
            let file = webp(chunks);
            let cleaned = remove_metadata(PictureFormat::WebP, &file);
            assert!(cleaned.is_none(), "{file:?}");
        }
    }

    const GIF: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0rgbRGB";

    const IMAGE: &[u8] = b"\x2c\0\0\0\0\x01\0\x01\0\x80rgbRGB\x02\x02\x44\x01\0";

    #[test]
    fn gif_files_lose_their_comments() {
        let frame = b"\x21\xf9\x04\0\x0a\0\0\0";
        let repeat = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0";
        let xmp = b"\x21\xff\x0bXMP DataXMP\x03<x>\0";
        let comment = b"\x21\xfe\x04Taki\x01!\0";
        let text = b"\x21\x01\x0cabcdefghijkl\x02me\0";
        let file = join(&[
            GIF, repeat, xmp, comment, frame, IMAGE, text, frame, IMAGE, b";",
        ]);
        let expected = join(&[GIF, repeat, frame, IMAGE, frame, IMAGE, b";"]);
        check(PictureFormat::Gif, &file, &expected);
    }

    #[test]
    fn gif_files_that_contradict_themselves_are_refused() {
        for content in [b";".as_slice(), b"\x21\xfe\x04Taki\0;", b"\x2c;", b"\0\0;"] {
            let file = join(&[GIF, content]);
            let cleaned = remove_metadata(PictureFormat::Gif, &file);
            assert!(cleaned.is_none(), "{content:?}");
        }
        let unknown = join(&[GIF, IMAGE, b"\x22\0;"]);
        assert!(remove_metadata(PictureFormat::Gif, &unknown).is_none());
    }
}
