//! Folded texts are in a normal form, in which a part of a text is found.

#![no_main]

use catalogue::index::SearchQuery;
use libfuzzer_sys::fuzz_target;
use shared::fold::fold;

fuzz_target!(|texts: (&str, &str)| {
    let (first, second) = texts;
    let folded = fold(first);
    assert_eq!(fold(&folded), folded, "folding again changes nothing");
    assert!(!folded.contains(char::is_control), "{folded:?}");
    assert!(!folded.contains("  "), "{folded:?}");
    let whole = fold(&format!("{first} {second}"));
    assert!(whole.contains(folded.trim()), "{whole:?} has {folded:?}");
    // A text without a letter or digit is not a query.
    assert!(SearchQuery::new(first).is_none() || !folded.trim().is_empty());
});
