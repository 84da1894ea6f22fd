//! A cursor returns the position that it was made of, for the same list and filters only. No other text is a cursor.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use shared::input::cursor::{self, CursorPosition};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    list: &'a str,
    filters: &'a str,
    other: &'a str,
    number: u128,
    text: &'a str,
    bytes: &'a [u8],
    cursor: &'a str,
}

/// Any bytes, as a caller could put into a forged cursor.
struct Forged<'a>(&'a [u8]);

impl CursorPosition for Forged<'_> {
    fn to_bytes(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    fn from_bytes(_: &[u8]) -> Option<Self> {
        None
    }
}

fn check<P: CursorPosition + PartialEq>(case: &Case, text: &str) {
    let Case { list, filters, .. } = case;
    if let Some(position) = cursor::decode::<P>(list, filters, text) {
        assert!(cursor::encode(list, filters, &position) == text, "{text}");
        assert!(*list == case.other || cursor::decode::<P>(case.other, filters, text).is_none());
        assert!(*filters == case.other || cursor::decode::<P>(list, case.other, text).is_none());
    }
}

fuzz_target!(|case: Case| {
    let Case { list, filters, .. } = case;
    // The service chooses the name of a list.
    if list.contains('\0') || case.other.contains('\0') || filters.contains('\0') {
        return;
    }
    let number = cursor::encode(list, filters, &case.number);
    let is_sortable = case.number < 10_u128.pow(38);
    let expected = is_sortable.then_some(case.number);
    assert_eq!(cursor::decode(list, filters, &number), expected);
    let text = cursor::encode(list, filters, &case.text.to_owned());
    let is_sortable = (1..1024).contains(&case.text.len());
    let expected = is_sortable.then(|| case.text.to_owned());
    assert_eq!(cursor::decode(list, filters, &text), expected);
    let forged = cursor::encode(list, filters, &Forged(case.bytes));
    for text in [case.cursor, &number, &text, &forged] {
        check::<u128>(&case, text);
        check::<String>(&case, text);
    }
});
