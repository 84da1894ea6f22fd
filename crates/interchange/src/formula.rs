//! Protection of CSV against formulas: a spreadsheet evaluates a cell that begins with certain characters.
//!
//! A spreadsheet that expects another delimiter than the comma divides a text at that delimiter, even within quotation
//! marks. So each part of a text counts as a cell.

use std::borrow::Cow;

/// Characters that end a cell in a spreadsheet that expects another delimiter or does not recognize the quotation
/// marks.
const DELIMITERS: [char; 4] = [';', '\t', '\r', '\n'];

/// Characters that start a formula. Spreadsheets with East Asian settings also know their full-width forms.
const STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Returns a cell with this text, changed so that a spreadsheet evaluates no part of it as a formula: `'=1;'+2`
/// for `=1;+2`. [`restore`] is the inverse.
pub fn neutralize(text: &str) -> Cow<'_, str> {
    let with_apostrophe = |part: &str| [if is_formula(part) { "'" } else { "" }, part].concat();
    change_parts(text, with_apostrophe)
}

/// Returns the text from which [`neutralize`] made this cell.
pub fn restore(cell: &str) -> Cow<'_, str> {
    let without_apostrophe = |part: &str| {
        let text = part.strip_prefix('\'').filter(|text| is_formula(text));
        text.unwrap_or(part).to_owned()
    };
    change_parts(cell, without_apostrophe)
}

fn change_parts(text: &str, change: impl Fn(&str) -> String) -> Cow<'_, str> {
    if text.contains(STARTS) {
        text.split_inclusive(DELIMITERS).map(change).collect()
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns true if a text begins with a character that starts a formula. Apostrophes before that character are ignored,
/// so that a text that begins with `'=` gets a second apostrophe, the only one that [`restore`] removes.
fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(STARTS)
}

#[cfg(test)]
mod tests {
    use super::{neutralize, restore};

    #[test]
    fn formulas_get_an_apostrophe_and_lose_it_again() {
        let formulas = [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "'=1",
            "''-",
            "＝1",
            "＋1",
            "－1",
            "＠SUM(A1)",
        ];
        for text in formulas {
            assert_eq!(neutralize(text), format!("'{text}"));
            assert_eq!(restore(&neutralize(text)), text);
        }
    }

    #[test]
    fn formulas_behind_other_delimiters_get_an_apostrophe() {
        for (text, cell) in [
            ("a;=1+1;b", "a;'=1+1;b"),
            ("a\t=1", "a\t'=1"),
            ("\t=1", "\t'=1"),
            ("a\r\n-1\n- 2", "a\r\n'-1\n'- 2"),
            ("a;'=1;＝2", "a;''=1;'＝2"),
        ] {
            assert_eq!(neutralize(text), cell);
            assert_eq!(restore(cell), text);
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "",
            "'",
            "'til dawn",
            "1=1",
            "ab-c",
            "''",
            "a;b",
            "a; =1",
            "a,=1",
            "\t1",
        ] {
            assert_eq!(neutralize(text), text);
            assert_eq!(restore(text), text);
        }
    }
}
