//! Protection of CSV against formulas: a spreadsheet evaluates a cell that begins with certain characters.

/// Returns the text of a cell that a spreadsheet does not evaluate: `'=1` for `=1`. [`restore`] is the inverse.
pub fn neutralize(text: &str) -> String {
    if looks_like_formula(text) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// Returns the text from which [`neutralize`] made this cell.
pub fn restore(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if looks_like_formula(text) => text,
        _ => cell,
    }
}

/// Returns true if a text begins with a character that starts a formula. Apostrophes before it do not count, so that
/// a text that begins with `'=` gets another apostrophe and keeps its own.
fn looks_like_formula(text: &str) -> bool {
    let text = text.trim_start_matches('\'');
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
}

#[cfg(test)]
mod tests {
    use super::{neutralize, restore};

    #[test]
    fn formulas_get_an_apostrophe_and_lose_it_again() {
        let formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-"];
        for text in formulas {
            assert_eq!(neutralize(text), format!("'{text}"));
            assert_eq!(restore(&neutralize(text)), text);
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in ["", "'", "'til dawn", "1=1", "ab-c", "''"] {
            assert_eq!(neutralize(text), text);
            assert_eq!(restore(text), text);
        }
    }
}
