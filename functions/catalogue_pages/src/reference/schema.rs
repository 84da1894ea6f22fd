//! A JSON Schema of OpenAPI 3.1. The target of a reference, and a single alternative to `null`, count as parts of the
//! schema.

use std::iter;

use serde_json::{Value, json};

use super::document::{OpenApiDocument, entries, list, text};

/// The fields of the envelope of responses, in alphabetical order.
const ENVELOPE: [&str; 4] = ["data", "message", "status_code", "version"];

/// A schema of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema<'d> {
    document: &'d OpenApiDocument,
    value: &'d Value,
}

/// A field of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property<'d> {
    /// The name.
    pub name: &'d str,
    /// The schema of its values.
    pub schema: Schema<'d>,
    /// False if the field can be missing.
    pub is_required: bool,
}

impl<'d> Schema<'d> {
    /// Returns the schema that a JSON value describes.
    pub fn new(document: &'d OpenApiDocument, value: &'d Value) -> Self {
        Self { document, value }
    }

    fn with_value(self, value: &'d Value) -> Self {
        Self { value, ..self }
    }

    /// Returns the schema, and the schemas that it stands for: those that it refers to, or its only alternative.
    fn parts(self) -> impl Iterator<Item = &'d Value> {
        iter::successors(Some(self.value), move |&value| {
            let target = self.document.target(value);
            target.or_else(|| match alternatives(value)[..] {
                [only] => Some(only),
                _ => None,
            })
        })
    }

    /// Returns the value of a keyword.
    pub fn get(self, keyword: &str) -> Option<&'d Value> {
        self.parts().find_map(|part| part.get(keyword))
    }

    /// Returns the part that has a keyword.
    pub fn part_with(self, keyword: &str) -> Option<&'d Value> {
        self.parts().find(|part| part.get(keyword).is_some())
    }

    /// Returns the description.
    pub fn description(self) -> Option<&'d str> {
        self.get("description")?.as_str()
    }

    /// Returns the name of the schema.
    pub fn name(self) -> Option<&'d str> {
        self.parts().find_map(referenced_name)
    }

    /// Returns the types, without `null`.
    pub fn types(self) -> Vec<&'d str> {
        let types = match self.get("type") {
            Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(one)) => vec![one.as_str()],
            _ => Vec::new(),
        };
        types.into_iter().filter(|name| *name != "null").collect()
    }

    /// Returns true if the value can be `null`.
    pub fn is_nullable(self) -> bool {
        self.parts().any(|part| {
            let alternatives = list(part, "oneOf").filter_map(|one| one.get("type"));
            list(part, "type")
                .chain(alternatives)
                .any(|name| name == "null")
        })
    }

    /// Returns the alternatives, if there are several.
    pub fn alternatives(self) -> Vec<Self> {
        let found = self.parts().map(alternatives).find(|found| found.len() > 1);
        let found = found.unwrap_or_default().into_iter();
        found.map(|value| self.with_value(value)).collect()
    }

    /// Returns the schema of the values of an array.
    pub fn items(self) -> Option<Self> {
        Some(self.with_value(self.get("items")?))
    }

    /// Returns the schema of the values of an object whose fields have no fixed names.
    pub fn map_values(self) -> Option<Self> {
        Some(self.with_value(self.get("additionalProperties")?))
    }

    /// Returns the fields. Required ones come first, in the order in which the schema requires them, because
    /// the document lists fields alphabetically.
    pub fn properties(self) -> Vec<Property<'d>> {
        let Some(object) = self.part_with("properties") else {
            return Vec::new();
        };
        let required: Vec<&str> = list(object, "required").filter_map(Value::as_str).collect();
        let place = |name: &str| required.iter().position(|required| *required == name);
        let fields = entries(object, "properties").map(|(name, value)| Property {
            name,
            schema: self.with_value(value),
            is_required: place(name).is_some(),
        });
        let mut fields: Vec<_> = fields.collect();
        fields.sort_by_key(|field| place(field.name).unwrap_or(usize::MAX));
        fields
    }

    /// Returns the schema of `data`, if this is an envelope.
    pub fn envelope_data(self) -> Option<Self> {
        let fields = self.properties();
        let mut names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        names.sort_unstable();
        let data = fields.iter().find(|field| field.name == "data")?;
        (names == ENVELOPE).then_some(data.schema)
    }

    /// Returns false for envelopes, lists and maps, which the reference always describes where they are used. Any
    /// other schema has a section of its own, if it has a name.
    pub fn has_own_section(self) -> bool {
        let is_list = self.types() == ["array"] || self.map_values().is_some();
        self.envelope_data().is_none() && !is_list
    }

    /// Returns true for an object with fields, or a choice of alternatives.
    pub fn is_composed(self) -> bool {
        !self.properties().is_empty() || !self.alternatives().is_empty()
    }

    /// Returns an example of a response: all fields, with their examples.
    pub fn example(self) -> Value {
        self.build_example(|_| true)
    }

    /// Returns an example of a request body: the required fields, and the optional fields that have an example.
    pub fn example_request(self) -> Value {
        self.build_example(|field| field.is_required || field.schema.get("example").is_some())
    }

    fn build_example(self, includes: fn(&Property<'_>) -> bool) -> Value {
        let first_value = || self.get("enum")?.get(0);
        if let Some(known) = self.get("example").or_else(first_value) {
            return known.clone();
        }
        let fields = self.properties();
        if !fields.is_empty() {
            let fields = fields.iter().filter(|field| includes(field));
            let fields =
                fields.map(|field| (field.name.to_owned(), field.schema.build_example(includes)));
            return fields.collect::<serde_json::Map<_, _>>().into();
        }
        if self.is_nullable() {
            return Value::Null;
        }
        if let Some(one) = self.alternatives().first() {
            return one.build_example(includes);
        }
        match (self.types().first().copied(), self.get("format")) {
            (Some("integer" | "number"), _) => self.get("minimum").cloned().unwrap_or(json!(0)),
            (Some("boolean"), _) => json!(true),
            (Some("string"), Some(format)) if format == "date-time" => {
                json!("2026-01-31T12:00:00Z")
            }
            (Some("string"), _) => json!("..."),
            (Some("array"), _) => self
                .items()
                .map(|items| items.build_example(includes))
                .into_iter()
                .collect(),
            _ => json!({}),
        }
    }
}

/// Returns the name of the schema that a `$ref` refers to.
pub(super) fn referenced_name(value: &Value) -> Option<&str> {
    text(value, "$ref")?.strip_prefix("#/components/schemas/")
}

/// Returns the members of `oneOf` other than `null`.
fn alternatives(value: &Value) -> Vec<&Value> {
    let members = list(value, "oneOf");
    members
        .filter(|member| text(member, "type") != Some("null"))
        .collect()
}
