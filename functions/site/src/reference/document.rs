//! The OpenAPI document, as the reference reads it. A part of an unknown form counts as absent, so that no change to
//! the document can break the pages.

use std::sync::LazyLock;

use pages::paths::REFERENCE;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use shared::Error;

use crate::openapi::OPENAPI;

/// The methods of a path, in the order in which the reference lists them.
const METHODS: [&str; 8] = [
    "get", "put", "post", "patch", "delete", "head", "options", "trace",
];

/// The characters of a group's name that are encoded in a path.
const ENCODED_IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// The group of operations without a tag.
const UNTAGGED: &str = "other";

/// The maximum number of references that are followed one after the other.
const MAX_REFERENCES: usize = 16;

/// An OpenAPI document.
#[derive(Debug)]
pub(super) struct OpenApiDocument(Value);

/// The operations with the same tag.
#[derive(Debug)]
pub(super) struct Group<'d> {
    /// The tag.
    pub name: &'d str,
    /// The heading.
    pub title: &'d str,
    /// The operations, ordered by path and method.
    pub operations: Vec<Operation<'d>>,
}

/// A method of a path.
#[derive(Debug)]
pub(super) struct Operation<'d> {
    document: &'d OpenApiDocument,
    /// The method, in upper case.
    pub method: String,
    /// The path, with parameters in braces.
    pub path: &'d str,
    /// The JSON of the operation.
    pub value: &'d Value,
    /// The parameters of the operation, and those that all methods of its path share.
    pub parameters: Vec<&'d Value>,
}

impl OpenApiDocument {
    /// Parses a document.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        Ok(Self(serde_json::from_str(json)?))
    }

    /// Returns the document of this service. It is parsed on first use.
    pub fn of_this_service() -> Result<&'static Self, Error> {
        static DOCUMENT: LazyLock<Result<OpenApiDocument, serde_json::Error>> =
            LazyLock::new(|| OpenApiDocument::parse(OPENAPI));
        DOCUMENT.as_ref().map_err(Error::internal)
    }

    /// Returns the part that a `$ref` refers to, if it is one of this document.
    pub fn target(&self, value: &Value) -> Option<&Value> {
        self.0.pointer(text(value, "$ref")?.strip_prefix('#')?)
    }

    /// Follows references, at most [`MAX_REFERENCES`], and returns the part that they lead to.
    pub fn follow<'d>(&'d self, value: &'d Value) -> &'d Value {
        let mut value = value;
        for _ in 0..MAX_REFERENCES {
            match self.target(value) {
                Some(target) => value = target,
                None => break,
            }
        }
        value
    }

    /// Returns the named schemas.
    pub fn schemas(&self) -> impl Iterator<Item = (&str, &Value)> {
        entries(&self.0["components"], "schemas")
    }

    /// Returns the groups: first the tags that the document declares, in its order, then all other tags. A group
    /// without operations is left out.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = list(&self.0, "tags")
            .filter_map(|tag| {
                let name = text(tag, "name")?;
                Some(Group::new(name, text(tag, "description")))
            })
            .collect();
        for (path, item) in entries(&self.0, "paths") {
            let item = self.follow(item);
            for method in METHODS {
                let Some(value) = item.get(method).filter(|value| value.is_object()) else {
                    continue;
                };
                let mut tags: Vec<&str> = list(value, "tags").filter_map(Value::as_str).collect();
                if tags.is_empty() {
                    tags.push(UNTAGGED);
                }
                for tag in tags {
                    let operation = self.operation(method, path, item, value);
                    match groups.iter_mut().find(|group| group.name == tag) {
                        Some(group) => group.operations.push(operation),
                        None => groups.push(Group {
                            operations: vec![operation],
                            ..Group::new(tag, None)
                        }),
                    }
                }
            }
        }
        groups.retain(|group| !group.operations.is_empty());
        groups
    }

    fn operation<'d>(
        &'d self,
        method: &str,
        path: &'d str,
        item: &'d Value,
        value: &'d Value,
    ) -> Operation<'d> {
        let read = |value| list(value, "parameters").map(|each| self.follow(each));
        let mut parameters: Vec<&Value> = read(value).collect();
        let of_operation = parameters.clone();
        let is_overridden = |shared: &&Value| {
            let is_same = |one: &&Value| one["name"] == shared["name"] && one["in"] == shared["in"];
            of_operation.iter().any(is_same)
        };
        parameters.extend(read(item).filter(|shared| !is_overridden(shared)));
        Operation {
            document: self,
            method: method.to_uppercase(),
            path,
            value,
            parameters,
        }
    }
}

impl<'d> Group<'d> {
    fn new(name: &'d str, title: Option<&'d str>) -> Self {
        Self {
            name,
            title: title.unwrap_or(name),
            operations: Vec::new(),
        }
    }

    /// Returns the path of the page.
    pub fn path(&self) -> String {
        let name = utf8_percent_encode(self.name, ENCODED_IN_PATH);
        format!("{REFERENCE}/{name}")
    }
}

impl<'d> Operation<'d> {
    /// Returns the identifier, which is also the fragment of deep links.
    pub fn id(&self) -> String {
        match text(self.value, "operationId") {
            Some(id) => id.to_owned(),
            None => format!("{}{}", self.method, self.path).replace(['/', '{', '}'], "-"),
        }
    }

    /// Returns the heading: the summary without its period, or the path.
    pub fn title(&self) -> &'d str {
        let summary = text(self.value, "summary").unwrap_or(self.path);
        summary.trim_end_matches('.')
    }

    /// Returns the request body.
    pub fn body(&self) -> Option<&'d Value> {
        let body = self.value.get("requestBody")?;
        Some(self.document.follow(body))
    }

    /// Returns the responses by status.
    pub fn responses(&self) -> impl Iterator<Item = (&'d str, &'d Value)> {
        let responses = entries(self.value, "responses");
        responses.map(|(status, response)| (status, self.document.follow(response)))
    }

    /// Returns the ways to authenticate, of which one is enough. An empty way means that a request needs no
    /// authentication.
    pub fn security(&self) -> impl Iterator<Item = &'d Map<String, Value>> {
        let is_set = self.value.get("security").is_some();
        let source = if is_set { self.value } else { &self.document.0 };
        list(source, "security").filter_map(Value::as_object)
    }

    /// Returns true if a request without an access token is refused.
    pub fn needs_token(&self) -> bool {
        let mut ways = self.security().peekable();
        ways.peek().is_some() && ways.all(|way| !way.is_empty())
    }
}

/// Returns the text in a field of an object.
pub(super) fn text<'d>(value: &'d Value, name: &str) -> Option<&'d str> {
    value.get(name)?.as_str()
}

/// Returns the values of the list in a field of an object.
pub(super) fn list<'d>(value: &'d Value, name: &str) -> impl Iterator<Item = &'d Value> {
    let list = value.get(name).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// Returns the names and values of the object in a field of an object.
pub(super) fn entries<'d>(
    value: &'d Value,
    name: &str,
) -> impl Iterator<Item = (&'d str, &'d Value)> {
    let object = value.get(name).and_then(Value::as_object);
    let entries = object.into_iter().flatten();
    entries.map(|(name, value)| (name.as_str(), value))
}

/// Returns the example of a parameter or a media type.
pub(super) fn example(value: &Value) -> Option<&Value> {
    let first = || entries(value, "examples").find_map(|(_, example)| example.get("value"));
    value.get("example").or_else(first)
}
