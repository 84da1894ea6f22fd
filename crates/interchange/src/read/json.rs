//! The outline of a JSON file: its top-level fields or elements, which are not parsed yet.
//!
//! Only one element at a time becomes a tree of values, so that a file needs little more memory than its text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::collector::{MAX_ROWS, too_many_entries};
use crate::entry::{ListFileError, ReadResult};
use crate::numbers::whole_number;
use crate::values::{quoted, watched_at};

/// The maximum length of an element that becomes a tree of values. A series with all its episodes is one element, and
/// the longest series have a few thousand episodes.
const MAX_ELEMENT_BYTES: usize = 2 * 1024 * 1024;

/// The number of elements at which recognizers look.
const SAMPLES: usize = 5;

/// An object as a tree of values.
pub type Object = Map<String, Value>;

pub struct Json<'f> {
    top: JsonRoot<'f>,
    /// The first objects of the file's top-level array.
    samples: Vec<Object>,
}

enum JsonRoot<'f> {
    Object(BTreeMap<Cow<'f, str>, &'f RawValue>),
    Array(RawElements<'f>),
}

impl<'f> Json<'f> {
    /// Reads the outline of a text that begins with a bracket.
    pub fn read(text: &'f str) -> ReadResult<Self> {
        let top = if text.trim_start().starts_with('[') {
            serde_json::from_str(text).map(JsonRoot::Array)
        } else {
            serde_json::from_str(text).map(|RawFields(fields)| JsonRoot::Object(fields))
        };
        let top = top.map_err(|error| invalid_json(&error))?;
        let samples = match &top {
            JsonRoot::Array(elements) => elements.samples(),
            JsonRoot::Object(_) => Vec::new(),
        };
        Ok(Self { top, samples })
    }

    /// Returns a field of the file's top-level object.
    pub fn field(&self, name: &str) -> Option<&'f RawValue> {
        match &self.top {
            JsonRoot::Object(fields) => fields.get(name).copied(),
            JsonRoot::Array(_) => None,
        }
    }

    /// Returns true if the file is an object with all these fields.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.field(name).is_some())
    }

    /// Returns the fields of a file that is an object, by their names. An array has none.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &'f RawValue)> {
        let fields = match &self.top {
            JsonRoot::Object(fields) => Some(fields),
            JsonRoot::Array(_) => None,
        };
        let fields = fields.into_iter().flatten();
        fields.map(|(name, value)| (name.as_ref(), *value))
    }

    /// Returns the elements of an array: of the file itself if `name` is empty, otherwise of this field. No elements if
    /// there is no such array.
    pub fn array(&self, name: &str) -> ReadResult<Vec<&'f RawValue>> {
        match (&self.top, name) {
            (JsonRoot::Array(elements), "") => elements.clone().all(),
            _ => self.field(name).map_or(Ok(Vec::new()), elements_of),
        }
    }

    /// Returns true if the file is an array, and one of its first objects meets a condition.
    pub fn any_element(&self, is_met: impl Fn(&Object) -> bool) -> bool {
        self.samples.iter().any(is_met)
    }

    /// Returns true if the file is an array, and one of its first objects has all these fields.
    pub fn elements_have(&self, names: &[&str]) -> bool {
        self.any_element(|object| names.iter().all(|name| object.contains_key(*name)))
    }

    /// Returns true if a field is an array, and one of its first objects meets a condition.
    pub fn any_in(&self, name: &str, is_met: impl Fn(&Object) -> bool) -> bool {
        let array = self.field(name).map(RawElements::of).unwrap_or_default();
        array.samples().iter().any(is_met)
    }

    pub fn has_array(&self, name: &str) -> bool {
        self.field(name)
            .is_some_and(|value| value.get().starts_with('['))
    }

    pub fn is_empty_array(&self) -> bool {
        matches!(&self.top, JsonRoot::Array(elements) if elements.first.is_empty())
    }

    /// Returns the names of some fields, of the file or of its first object, for the error about an unknown format.
    pub fn some_names(&self) -> String {
        match &self.top {
            JsonRoot::Object(fields) => quoted(fields.keys().take(8), 40),
            JsonRoot::Array(_) => {
                let first = self.samples.iter().take(1);
                quoted(first.flat_map(Map::keys).take(8), 40)
            }
        }
    }
}

struct RawFields<'f>(BTreeMap<Cow<'f, str>, &'f RawValue>);

impl<'de: 'f, 'f> Deserialize<'de> for RawFields<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawFieldsVisitor)
    }
}

struct RawFieldsVisitor;

impl<'de> Visitor<'de> for RawFieldsVisitor {
    type Value = RawFields<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some((Name(name), value)) = map.next_entry()? {
            if fields.len() == MAX_ROWS {
                return Err(serde::de::Error::custom("too many fields"));
            }
            if fields.insert(name, value).is_some() {
                return Err(serde::de::Error::custom("a field occurs twice"));
            }
        }
        Ok(RawFields(fields))
    }
}

/// A name that borrows from the text if it can.
#[derive(Deserialize)]
struct Name<'f>(#[serde(borrow)] Cow<'f, str>);

/// The first [`MAX_ROWS`] elements of an array, not parsed yet. `has_more` is true if the array has more elements.
#[derive(Clone, Default)]
struct RawElements<'f> {
    first: Vec<&'f RawValue>,
    has_more: bool,
}

impl<'f> RawElements<'f> {
    /// Returns the elements of an array; no elements for other values.
    fn of(value: &'f RawValue) -> Self {
        serde_json::from_str(value.get()).unwrap_or_default()
    }

    fn all(self) -> ReadResult<Vec<&'f RawValue>> {
        if self.has_more {
            return Err(too_many_entries());
        }
        Ok(self.first)
    }

    fn samples(&self) -> Vec<Object> {
        let objects = self.first.iter().take(SAMPLES);
        objects.filter_map(|element| object(element)).collect()
    }
}

/// Returns the elements of an array; no elements for other values.
pub fn elements_of(value: &RawValue) -> ReadResult<Vec<&RawValue>> {
    RawElements::of(value).all()
}

/// Returns a field of a value that is an object.
pub fn field_of<'f>(value: &'f RawValue, name: &str) -> Option<&'f RawValue> {
    let RawFields(mut fields) = serde_json::from_str(value.get()).ok()?;
    fields.remove(name)
}

/// Returns an element as a tree of values. `None` if it is not an object, or is longer than any in a list.
pub fn object(element: &RawValue) -> Option<Object> {
    let text = element.get();
    let is_short = text.len() <= MAX_ELEMENT_BYTES;
    is_short.then(|| serde_json::from_str(text).ok()).flatten()
}

impl<'de: 'f, 'f> Deserialize<'de> for RawElements<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RawElementsVisitor)
    }
}

struct RawElementsVisitor;

impl<'de> Visitor<'de> for RawElementsVisitor {
    type Value = RawElements<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let (mut first, mut has_more) = (Vec::new(), false);
        while first.len() < MAX_ROWS {
            match array.next_element()? {
                Some(element) => first.push(element),
                None => return Ok(RawElements { first, has_more }),
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {
            has_more = true;
        }
        Ok(RawElements { first, has_more })
    }
}

/// Returns the value at a path such as `show.ids.tmdb`.
pub fn at<'v>(object: &'v Object, path: &str) -> Option<&'v Value> {
    let mut names = path.split('.');
    let first = object.get(names.next()?)?;
    names.try_fold(first, |value, name| value.get(name))
}

/// Returns the text, number or boolean at a path as a text. `None` for null or another value.
pub fn text(object: &Object, path: &str) -> Option<String> {
    at(object, path).and_then(plain_text)
}

/// Returns a plain value as a text. `None` for null, objects and arrays.
pub fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns the whole number at a path. It can also be written as a text.
pub fn number<T: TryFrom<u64>>(object: &Object, path: &str) -> Option<T> {
    whole_number(&text(object, path)?)
}

/// Returns the time of watching at a path.
pub fn time(object: &Object, path: &str) -> Option<u64> {
    watched_at(&text(object, path)?)
}

pub fn object_at<'v>(object: &'v Object, path: &str) -> Option<&'v Object> {
    at(object, path).and_then(Value::as_object)
}

/// Returns true if the value at a path is `true`, 1, or a text that means true.
pub fn is_true(object: &Object, path: &str) -> bool {
    text(object, path).is_some_and(|text| matches!(text.as_str(), "true" | "1" | "True"))
}

/// Returns the array at a path; an empty one if there is none.
pub fn array<'v>(object: &'v Object, path: &str) -> &'v [Value] {
    let array = at(object, path).and_then(Value::as_array);
    array.map_or(&[], Vec::as_slice)
}

fn invalid_json(error: &serde_json::Error) -> ListFileError {
    let (line, column) = (error.line(), error.column());
    if error.is_data() {
        return ListFileError::new("The JSON has a field twice, or too many fields.");
    }
    ListFileError::new(format!(
        "The JSON is invalid or ends too early at line {line}, column {column}."
    ))
}
