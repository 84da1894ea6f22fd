//! QR codes as SVG.

use std::fmt::Write;

use maud::{Markup, html};
use qrcode::{Color, EcLevel, QrCode};

/// The width of the empty margin around a code, in modules (ISO/IEC 18004, section 9.1).
const MARGIN: usize = 4;

/// The width of a module, in CSS pixels.
const MODULE_PX: usize = 4;

/// Renders a text as a QR code; `None` if the text is too long. The background is also white in dark mode, because not
/// all apps read inverted codes. The lowest level of error correction is enough on a screen, and makes the modules
/// larger.
pub(super) fn qr_code(text: &str, label: &str) -> Option<Markup> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let width = code.width();
    let mut path = String::new();
    for (y, row) in code.to_colors().chunks(width).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|left, right| left == right) {
            if run.first() == Some(&Color::Dark) {
                let _ = write!(path, "M{x} {y}h{}", run.len());
            }
            x += run.len();
        }
    }
    let side = width + 2 * MARGIN;
    let size = side * MODULE_PX;
    // The path is drawn as horizontal lines with a width of 1, which begin half a module above their position.
    Some(html! {
        svg.qr role="img" aria-label=(label) width=(size) height=(size) shape-rendering="crispEdges"
            viewBox={ "-" (MARGIN) " -" (MARGIN) ".5 " (side) " " (side) } {
            rect x={ "-" (MARGIN) } y={ "-" (MARGIN) ".5" } width=(side) height=(side) fill="#fff" {}
            path stroke="#000" d=(path) {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::qr_code;

    #[test]
    fn code_has_its_finder_patterns_and_no_style() {
        let svg = qr_code(&"x".repeat(200), "QR code").unwrap().into_string();
        // The first row begins and ends with the 7 dark modules of a finder pattern.
        assert!(svg.contains("d=\"M0 0h7"), "{svg}");
        let (_, first_row) = svg.split_once("d=\"").unwrap();
        let (first_row, _) = first_row.split_once(" 1h").unwrap();
        assert!(first_row.contains("M46 0h7"), "{first_row}");
        assert!(svg.contains("viewBox=\"-4 -4.5 61 61\""), "{svg}");
        assert!(!svg.contains("style="), "{svg}");
        assert!(svg.len() < 12_000, "{}", svg.len());
        assert!(qr_code(&"x".repeat(4000), "").is_none());
    }
}
