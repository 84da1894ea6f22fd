//! The objects of a JSON file, one after another.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::collector::EntryCollector;
use crate::entry::ReadResult;
use crate::field::MAX_LIST_TEXT_BYTES;
use crate::read::json::{Object, array, object};

/// Adds the elements of an array by a function. Elements that are not objects are skipped.
pub fn add_each(
    collector: &mut EntryCollector,
    elements: &[&RawValue],
    mut add: impl FnMut(&mut EntryCollector, &Object) -> ReadResult,
) -> ReadResult {
    for element in elements {
        collector.check_cancelled()?;
        match object(element) {
            Some(object) => add(collector, &object)?,
            None => collector.skip(None, "the entry is not a JSON object")?,
        }
    }
    Ok(())
}

/// Adds an element like [`add_each`]. An element of more than 100 KB is also skipped.
pub fn add_short(
    collector: &mut EntryCollector,
    element: &RawValue,
    add: impl FnMut(&mut EntryCollector, &Object) -> ReadResult,
) -> ReadResult {
    if element.get().len() > MAX_LIST_TEXT_BYTES {
        return collector.skip(None, "the entry is longer than 100 KB");
    }
    add_each(collector, &[element], add)
}

/// Returns the objects of the array at a path.
pub fn objects<'v>(object: &'v Object, path: &str) -> impl DoubleEndedIterator<Item = &'v Object> {
    array(object, path).iter().filter_map(Value::as_object)
}
