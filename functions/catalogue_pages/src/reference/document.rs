//! The OpenAPI document, as the reference reads it. It has only the forms that docs/testing.md lists ("Generated
//! clients"). Tests check that each of its parts is on a page.

use std::sync::LazyLock;

use pages::paths::REFERENCE;
use serde_json::{Map, Value};
use shared::{Error, Result};

use crate::openapi::OPENAPI;

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
    /// The method, in upper case.
    pub method: String,
    /// The path, with parameters in braces.
    pub path: &'d str,
    /// The JSON of the operation.
    pub value: &'d Value,
}

impl OpenApiDocument {
    /// Parses a document.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        Ok(Self(serde_json::from_str(json)?))
    }

    /// Returns the document of this service. It is parsed on first use.
    pub fn of_this_service() -> Result<&'static Self> {
        static DOCUMENT: LazyLock<Result<OpenApiDocument, serde_json::Error>> =
            LazyLock::new(|| OpenApiDocument::parse(OPENAPI));
        DOCUMENT.as_ref().map_err(Error::internal)
    }

    /// Returns the part that a `$ref` refers to.
    pub fn target(&self, value: &Value) -> Option<&Value> {
        self.0.pointer(text(value, "$ref")?.strip_prefix('#')?)
    }

    /// Returns the named schemas.
    pub fn schemas(&self) -> impl Iterator<Item = (&str, &Value)> {
        entries(&self.0["components"], "schemas")
    }

    /// Returns the groups: the tags that the document declares, in its order.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let groups = list(&self.0, "tags").filter_map(|tag| {
            let name = text(tag, "name")?;
            let operations = self.operations();
            Some(Group {
                name,
                title: text(tag, "description").unwrap_or(name),
                operations: operations
                    .filter(|one| one.value["tags"][0] == name)
                    .collect(),
            })
        });
        groups.collect()
    }

    fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        entries(&self.0, "paths").flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, value)| Operation {
                method: method.to_uppercase(),
                path,
                value,
            })
        })
    }
}

impl Group<'_> {
    /// Returns the path of the page.
    pub fn path(&self) -> String {
        format!("{REFERENCE}/{}", self.name)
    }
}

impl<'d> Operation<'d> {
    /// Returns the identifier, which is also the fragment of deep links.
    pub fn id(&self) -> &'d str {
        text(self.value, "operationId").unwrap_or_default()
    }

    /// Returns the heading: the summary without its period, or the path.
    pub fn title(&self) -> &'d str {
        let summary = text(self.value, "summary").unwrap_or(self.path);
        summary.trim_end_matches('.')
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &'d Value> + use<'d> {
        list(self.value, "parameters")
    }

    /// Returns the contents of the request body by media type.
    pub fn body_contents(&self) -> impl Iterator<Item = (&'d str, &'d Value)> + use<'d> {
        entries(&self.value["requestBody"], "content")
    }

    /// Returns the responses by status.
    pub fn responses(&self) -> impl Iterator<Item = (&'d str, &'d Value)> + use<'d> {
        entries(self.value, "responses")
    }

    /// Returns the ways to authenticate, of which one is enough. An empty entry means that a request needs no
    /// authentication.
    pub fn security(&self) -> impl Iterator<Item = &'d Map<String, Value>> + use<'d> {
        list(self.value, "security").filter_map(Value::as_object)
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
