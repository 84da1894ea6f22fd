//! Bitmaps with few colors, and their form as PNG files (W3C PNG Specification). Digits are strokes, so that no
//! typeface is needed.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use shared::{Error, Result};

/// The number of steps in which a curve is drawn.
const CURVE_STEPS: u8 = 48;

/// The highest shade: the color of strokes. Shade 0 is the background.
const FULL_SHADE: u8 = 15;

/// The width of a stroke and the distance of two digits, relative to the height of digits.
const STROKE: f32 = 0.15;
const ADVANCE: f32 = 0.7;

/// A color: red, green and blue.
pub(super) type Rgb = [u8; 3];

/// A point, in pixels or relative to the height of a digit.
type Point = (f32, f32);

/// A bitmap.
pub(super) struct Bitmap {
    width: usize,
    /// The colors: first the shades from the background to the strokes, then the other colors.
    palette: Vec<Rgb>,
    /// The positions of the colors in the palette, row by row.
    pixels: Vec<u8>,
}

impl Bitmap {
    /// Creates a bitmap of one color, on which strokes have another color.
    pub(super) fn new((width, height): (usize, usize), background: Rgb, strokes: Rgb) -> Self {
        let mix = |shade: u8| {
            let mut color = background;
            for (part, stroke) in color.iter_mut().zip(strokes) {
                let (from, to) = (u16::from(*part), u16::from(stroke));
                let (shade, full) = (u16::from(shade), u16::from(FULL_SHADE));
                let mixed = (from * (full - shade) + to * shade) / full;
                *part = u8::try_from(mixed).unwrap_or(u8::MAX);
            }
            color
        };
        Self {
            width,
            palette: (0..=FULL_SHADE).map(mix).collect(),
            pixels: vec![0; width * height],
        }
    }

    /// Fills a rectangle: its left edge, its upper edge, its width and its height in pixels.
    pub(super) fn fill(&mut self, [left, top, width, height]: [usize; 4], color: Rgb) {
        let known = self.palette.iter().position(|known| *known == color);
        let number = known.unwrap_or_else(|| {
            self.palette.push(color);
            self.palette.len() - 1
        });
        // A picture has far fewer than 256 colors.
        let number = u8::try_from(number).unwrap_or(FULL_SHADE);
        let rows = self.pixels.chunks_exact_mut(self.width);
        for row in rows.skip(top).take(height) {
            if let Some(part) = row.get_mut(left..left + width) {
                part.fill(number);
            }
        }
    }

    /// Draws a number with digits of this height, from this upper left corner on.
    pub(super) fn write_number(&mut self, number: u16, (left, top): Point, height: f32) {
        let mut left = left;
        for letter in number.to_string().bytes() {
            for stroke in strokes_of(letter) {
                let points = stroke.into_iter();
                let points = points.map(|(x, y)| (left + x * height, top + y * height));
                self.draw(&points.collect::<Vec<_>>(), STROKE * height / 2.0);
            }
            left += ADVANCE * height;
        }
    }

    /// Draws a line through these points. Its width is twice the radius.
    fn draw(&mut self, points: &[Point], radius: f32) {
        for pair in points.windows(2) {
            if let [from, to] = pair {
                self.draw_segment(*from, *to, radius);
            }
        }
    }

    fn draw_segment(&mut self, (from_x, from_y): Point, (to_x, to_y): Point, radius: f32) {
        let (width, height) = (to_x - from_x, to_y - from_y);
        let square = width * width + height * height;
        let reach = radius + 1.0;
        let columns = pixel(from_x.min(to_x) - reach)..=pixel(from_x.max(to_x) + reach);
        let rows = pixel(from_y.min(to_y) - reach)..=pixel(from_y.max(to_y) + reach);
        for row in rows {
            for column in columns.clone() {
                let (x, y) = (
                    f32::from(column) + 0.5 - from_x,
                    f32::from(row) + 0.5 - from_y,
                );
                let along = if square > 0.0 {
                    ((x * width + y * height) / square).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let distance = (x - along * width).hypot(y - along * height);
                let shade = shade(radius + 0.5 - distance);
                let position = usize::from(row) * self.width + usize::from(column);
                if let Some(pixel) = self.pixels.get_mut(position) {
                    *pixel = shade.max(*pixel);
                }
            }
        }
    }

    /// Returns the bitmap as a PNG file.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let height = self.pixels.len() / self.width.max(1);
        let side = |length: usize| u32::try_from(length).unwrap_or_default().to_be_bytes();
        // 8 bits for each pixel, which is a position in the palette.
        let header = [&side(self.width)[..], &side(height)[..], &[8, 3, 0, 0, 0]].concat();
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        for row in self.pixels.chunks_exact(self.width.max(1)) {
            // Each row begins with the number of its filter: none.
            encoder.write_all(&[0]).map_err(Error::internal)?;
            encoder.write_all(row).map_err(Error::internal)?;
        }
        let rows = encoder.finish().map_err(Error::internal)?;
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        for (kind, data) in [
            (b"IHDR", header),
            (b"PLTE", self.palette.concat()),
            (b"IDAT", rows),
            (b"IEND", Vec::new()),
        ] {
            add_chunk(&mut file, *kind, &data);
        }
        Ok(file)
    }
}

/// Adds a chunk to a PNG file: its length, its kind, its data, and the checksum of kind and data.
fn add_chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).unwrap_or_default();
    let mut checksum = Crc::new();
    checksum.update(&kind);
    checksum.update(data);
    file.extend(length.to_be_bytes());
    file.extend(kind);
    file.extend(data);
    file.extend(checksum.sum().to_be_bytes());
}

/// Returns the number of the pixel at a distance from the edge.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 10000 once it is clamped"
)]
fn pixel(distance: f32) -> u16 {
    distance.clamp(0.0, 10_000.0) as u16
}

/// Returns the shade of a pixel of which this part, from 0 to 1, is covered.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 15 once it is clamped"
)]
fn shade(covered: f32) -> u8 {
    (covered.clamp(0.0, 1.0) * f32::from(FULL_SHADE)).round() as u8
}

/// Returns the points of an arc, given its center, its radii and its angles in degrees, clockwise from the right.
fn arc(center: Point, radii: Point, (begin, end): Point) -> Vec<Point> {
    let steps = 0..=CURVE_STEPS;
    let point = |step: u8| {
        let part = f32::from(step) / f32::from(CURVE_STEPS);
        let angle = (begin + (end - begin) * part).to_radians();
        (
            center.0 + radii.0 * angle.cos(),
            center.1 + radii.1 * angle.sin(),
        )
    };
    steps.map(point).collect()
}

/// Returns the strokes of a digit in a box with the height 1 and the width 0.6.
fn strokes_of(digit: u8) -> Vec<Vec<Point>> {
    let circle = (0.0, 360.0);
    match digit {
        b'0' => vec![arc((0.3, 0.5), (0.205, 0.415), circle)],
        b'1' => vec![vec![(0.13, 0.26), (0.34, 0.1), (0.34, 0.915)]],
        b'2' => {
            let mut stroke = arc((0.3, 0.295), (0.2, 0.21), (185.0, 395.0));
            stroke.extend([(0.1, 0.915), (0.52, 0.915)]);
            vec![stroke]
        }
        b'3' => vec![
            arc((0.285, 0.285), (0.195, 0.2), (200.0, 450.0)),
            arc((0.285, 0.7), (0.215, 0.215), (-90.0, 155.0)),
        ],
        b'4' => vec![vec![(0.54, 0.67), (0.07, 0.67), (0.4, 0.1), (0.4, 0.915)]],
        b'5' => {
            let mut stroke = vec![(0.48, 0.085), (0.15, 0.085), (0.12, 0.46)];
            stroke.extend(arc((0.285, 0.655), (0.215, 0.26), (228.0, 510.0)));
            vec![stroke]
        }
        b'6' => {
            let stem = arc((0.6, 0.69), (0.5, 0.62), (180.0, 251.0));
            vec![arc((0.3, 0.69), (0.2, 0.225), circle), stem]
        }
        b'7' => vec![vec![(0.085, 0.085), (0.515, 0.085), (0.235, 0.915)]],
        b'8' => vec![
            arc((0.3, 0.285), (0.175, 0.2), circle),
            arc((0.3, 0.7), (0.21, 0.215), circle),
        ],
        b'9' => {
            let turn = |(x, y): Point| (0.6 - x, 1.0 - y);
            let strokes = strokes_of(b'6').into_iter();
            strokes
                .map(|stroke| stroke.into_iter().map(turn).collect())
                .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::ZlibDecoder;

    use super::{Bitmap, FULL_SHADE, strokes_of};

    const WHITE: [u8; 3] = [255; 3];
    const BLACK: [u8; 3] = [0; 3];

    #[test]
    fn file_has_the_pixels() {
        let mut bitmap = Bitmap::new((3, 2), WHITE, BLACK);
        bitmap.fill([1, 1, 2, 1], [200, 0, 0]);
        bitmap.fill([2, 0, 1, 1], BLACK);
        // A part outside of the bitmap is left out.
        bitmap.fill([2, 0, 5, 9], WHITE);
        let file = bitmap.encode().unwrap();
        let (head, rest) = file.split_at(8 + 12 + 13);
        assert_eq!(&head[..16], b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR");
        assert_eq!(head[16..29], [0_u8, 0, 0, 3, 0, 0, 0, 2, 8, 3, 0, 0, 0]);
        let palette = 17 * 3;
        assert_eq!(rest[..8], [0, 0, 0, palette, b'P', b'L', b'T', b'E']);
        assert_eq!(rest[8..11], WHITE);
        let data = &rest[12 + usize::from(palette)..];
        assert_eq!(&data[4..8], b"IDAT");
        let mut rows = Vec::new();
        ZlibDecoder::new(&data[8..]).read_to_end(&mut rows).unwrap();
        assert_eq!(rows, [0, 0, 0, FULL_SHADE, 0, 0, 16, 16]);
        assert!(file.ends_with(b"\0\0\0\0IEND\xaeB`\x82"));
    }

    #[test]
    fn digits_stay_in_their_boxes() {
        for digit in b'0'..=b'9' {
            let strokes = strokes_of(digit);
            assert!(!strokes.is_empty());
            for (x, y) in strokes.into_iter().flatten() {
                assert!(
                    (0.05..0.56).contains(&x) && (0.07..0.93).contains(&y),
                    "{digit} {x} {y}"
                );
            }
        }
    }

    #[test]
    fn strokes_are_smooth() {
        let mut bitmap = Bitmap::new((40, 40), WHITE, BLACK);
        bitmap.write_number(1, (0.0, 0.0), 40.0);
        let count = |shades: std::ops::RangeInclusive<u8>| {
            let pixels = bitmap.pixels.iter();
            pixels.filter(|pixel| shades.contains(pixel)).count()
        };
        assert!(count(FULL_SHADE..=FULL_SHADE) > 100);
        assert!(count(1..=14) > 20);
        assert!(count(0..=0) > 1000);
    }
}
