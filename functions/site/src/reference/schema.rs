//! A JSON Schema of OpenAPI 3.1. The target of a reference, the members of `allOf`, and the only alternative
//! beside `null` count as parts of the schema that has them.

use std::ptr;

use serde_json::{Value, json};

use super::document::{OpenApiDocument, list, text};

/// The fields of the envelope of responses, in alphabetical order.
const ENVELOPE: [&str; 4] = ["data", "message", "status_code", "version"];

/// The keywords that describe a value itself. A schema without these keywords can consist of conditions only, such
/// as `required`.
const DESCRIBING_KEYWORDS: [&str; 9] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "items",
    "oneOf",
    "properties",
];

/// The maximum depth of an example. Without it, the example of a schema that contains itself would have no end.
const MAX_DEPTH: usize = 6;

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

    /// Returns the parts that all apply: the schema itself, what it refers to, the members of `allOf`, and the only
    /// alternative.
    fn parts(self) -> Vec<&'d Value> {
        let mut parts = Vec::new();
        self.collect_parts(&mut parts);
        parts
    }

    fn collect_parts(self, parts: &mut Vec<&'d Value>) {
        // A schema can refer to itself.
        if parts.iter().any(|part| ptr::eq(*part, self.value)) {
            return;
        }
        parts.push(self.value);
        if let Some(target) = self.document.target(self.value) {
            self.with_value(target).collect_parts(parts);
        }
        for member in list(self.value, "allOf") {
            self.with_value(member).collect_parts(parts);
        }
        if let [only] = alternatives(self.value)[..] {
            self.with_value(only).collect_parts(parts);
        }
    }

    /// Returns the value of a keyword.
    pub fn get(self, keyword: &str) -> Option<&'d Value> {
        self.parts().into_iter().find_map(|part| part.get(keyword))
    }

    /// Returns the part that lists the values.
    pub fn listing(self) -> Option<&'d Value> {
        let mut parts = self.parts().into_iter();
        parts.find(|part| part.get("enum").is_some())
    }

    /// Returns the description.
    pub fn description(self) -> Option<&'d str> {
        self.get("description")?.as_str()
    }

    /// Returns the name of the schema. A schema that repeats a named schema has the name of that schema, because
    /// each envelope in the document repeats the schema of its `data`. A schema that adds fields to a named schema
    /// has no name.
    pub fn name(self) -> Option<&'d str> {
        let mut schemas = self.document.schemas();
        if has_composing_keyword(self.value)
            && let Some((name, _)) = schemas.find(|(_, other)| is_same(self.value, other))
        {
            return Some(name);
        }
        let name = self.parts().into_iter().find_map(referenced_name)?;
        let (_, target) = self.document.schemas().find(|(other, _)| *other == name)?;
        let adds_nothing = self.with_value(target).properties().len() == self.properties().len();
        adds_nothing.then_some(name)
    }

    /// Returns the schemas that this one extends.
    pub fn bases(self) -> Vec<Self> {
        let parts = self.parts().into_iter();
        let members = parts.flat_map(|part| list(part, "allOf"));
        let bases = members
            .filter(|member| referenced_name(member).is_some())
            .map(|member| self.with_value(member));
        let count = self.properties().len();
        bases
            .filter(|base| (1..count).contains(&base.properties().len()))
            .collect()
    }

    /// Returns the types, without `null`.
    pub fn types(self) -> Vec<&'d str> {
        let types = match self.get("type") {
            Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(one)) => vec![one.as_str()],
            _ => self.implied_type().into_iter().collect(),
        };
        types.into_iter().filter(|name| *name != "null").collect()
    }

    /// Returns the type of a schema that does not name it.
    fn implied_type(self) -> Option<&'static str> {
        let value = self.get("const").or_else(|| self.get("enum")?.get(0));
        match value {
            Some(Value::String(_)) => Some("string"),
            Some(Value::Number(_)) => Some("integer"),
            Some(Value::Bool(_)) => Some("boolean"),
            _ if self.get("properties").is_some() => Some("object"),
            _ if self.get("items").is_some() => Some("array"),
            _ if self.get("pattern").is_some() => Some("string"),
            _ => None,
        }
    }

    /// Returns true if the value can be `null`.
    pub fn is_nullable(self) -> bool {
        let is_null = |value: &Value| *value == json!("null") || value.is_null();
        self.parts().into_iter().any(|part| {
            let in_types = list(part, "type").chain(list(part, "enum")).any(is_null);
            let members = list(part, "oneOf").chain(list(part, "anyOf"));
            let mut members = members.filter_map(|member| member.get("type"));
            in_types || part.get("type").is_some_and(is_null) || members.any(is_null)
        })
    }

    /// Returns the alternatives, if there are several.
    pub fn alternatives(self) -> Vec<Self> {
        let mut found = self.parts().into_iter().map(alternatives);
        let found = found.find(|found| found.len() > 1);
        let found = found.unwrap_or_default().into_iter();
        found.map(|value| self.with_value(value)).collect()
    }

    /// Returns sets of fields. An object must have all fields of at least one set.
    pub fn required_sets(self) -> Vec<Vec<&'d str>> {
        let parts = self.parts().into_iter();
        let members = parts.flat_map(|part| list(part, "oneOf").chain(list(part, "anyOf")));
        let conditions = members.filter(|member| !describes(member));
        let sets = conditions.map(|one| list(one, "required").filter_map(Value::as_str).collect());
        sets.filter(|set: &Vec<&str>| !set.is_empty()).collect()
    }

    /// Returns the schema of the values of an array.
    pub fn items(self) -> Option<Self> {
        Some(self.with_value(self.get("items")?))
    }

    /// Returns the schema of the values of an object whose fields have no fixed names.
    pub fn map_values(self) -> Option<Self> {
        let values = self.get("additionalProperties")?;
        let is_map = values.is_object() && self.properties().is_empty();
        is_map.then(|| self.with_value(values))
    }

    /// Returns the fields. Required ones come first, in the order in which the schema requires them, because
    /// the document lists fields alphabetically.
    pub fn properties(self) -> Vec<Property<'d>> {
        let parts = self.parts();
        let required = parts.iter().flat_map(|part| list(part, "required"));
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let mut found: Vec<Property<'d>> = Vec::new();
        for part in parts {
            let fields = part.get("properties").and_then(Value::as_object);
            for (name, value) in fields.into_iter().flatten() {
                if found.iter().all(|field| field.name != name) {
                    found.push(Property {
                        name,
                        schema: self.with_value(value),
                        is_required: required.contains(&name.as_str()),
                    });
                }
            }
        }
        let place = |field: &Property<'_>| required.iter().position(|name| *name == field.name);
        found.sort_by_key(|field| place(field).unwrap_or(usize::MAX));
        found
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

    /// Returns the example that the document has.
    pub fn own_example(self) -> Option<&'d Value> {
        let examples = || self.get("examples")?.get(0);
        self.get("example")
            .or_else(examples)
            .or_else(|| self.get("const"))
    }

    /// Returns an example of a response: all fields, with their examples.
    pub fn example(self) -> Value {
        self.build_example(MAX_DEPTH, |_| true)
    }

    /// Returns an example of a request body: the required fields, and the optional fields that have an example.
    pub fn example_request(self) -> Value {
        self.build_example(MAX_DEPTH, |field| {
            field.is_required || field.schema.own_example().is_some()
        })
    }

    fn build_example(self, depth: usize, includes: fn(&Property<'_>) -> bool) -> Value {
        let first_value = || self.get("enum")?.get(0);
        if let Some(known) = self.own_example().or_else(first_value) {
            return known.clone();
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Value::Null;
        };
        let fields = self.properties();
        if !fields.is_empty() {
            let fields = fields.iter().filter(|field| includes(field));
            let fields = fields.map(|field| {
                (
                    field.name.to_owned(),
                    field.schema.build_example(depth, includes),
                )
            });
            return fields.collect::<serde_json::Map<_, _>>().into();
        }
        if self.is_nullable() {
            return Value::Null;
        }
        if let Some(one) = self.alternatives().first() {
            return one.build_example(depth, includes);
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
                .map(|items| items.build_example(depth, includes))
                .into_iter()
                .collect(),
            _ => json!({}),
        }
    }
}

/// Returns the name of the schema that a `$ref` refers to.
fn referenced_name(value: &Value) -> Option<&str> {
    text(value, "$ref")?.strip_prefix("#/components/schemas/")
}

/// Returns true for a schema with fields or with a combination of schemas. Only such a schema is compared with the
/// named schemas.
pub(super) fn has_composing_keyword(value: &Value) -> bool {
    let keywords = ["properties", "allOf", "oneOf", "anyOf"];
    keywords.iter().any(|keyword| value.get(keyword).is_some())
}

/// Returns true if two schemas are equal, except for their own descriptions.
fn is_same(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else {
        return false;
    };
    let keywords = |schema: &'_ serde_json::Map<String, Value>| {
        schema
            .keys()
            .filter(|keyword| *keyword != "description")
            .count()
    };
    let mut compared = one.iter().filter(|(keyword, _)| *keyword != "description");
    keywords(one) == keywords(other)
        && compared.all(|(keyword, value)| other.get(keyword) == Some(value))
}

/// Returns the members of `oneOf` and `anyOf` that describe a value other than `null`.
fn alternatives(value: &Value) -> Vec<&Value> {
    let members = list(value, "oneOf").chain(list(value, "anyOf"));
    let is_null = |member: &Value| text(member, "type") == Some("null");
    members
        .filter(|member| describes(member) && !is_null(member))
        .collect()
}

/// Returns false for a schema that only adds conditions to an object, such as required fields.
fn describes(value: &Value) -> bool {
    let is_condition = value.get("required").is_some() || value.get("not").is_some();
    let is_object = value.get("type").is_none_or(|name| name == "object");
    let has_form = DESCRIBING_KEYWORDS
        .iter()
        .any(|keyword| value.get(keyword).is_some());
    !(is_condition && is_object) || has_form
}
