//! Reads template.yaml, which defines the routes, functions and tables of the service.

use std::collections::BTreeMap;

use anyhow::Context;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The text of the template.
const TEMPLATE: &str = include_str!("../../template.yaml");

/// The resources of a CloudFormation template.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Template {
    #[serde(deserialize_with = "expand_resources")]
    resources: BTreeMap<String, TemplateResource>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TemplateResource {
    r#type: String,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    properties: Value,
}

/// A table's properties (CloudFormation, `AWS::DynamoDB::Table`).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TemplateTable {
    /// The name without the stack's prefix.
    #[serde(deserialize_with = "strip_stack_prefix")]
    pub table_name: String,
    /// Types of the key attributes.
    pub attribute_definitions: Vec<AttributeDefinition>,
    /// The table's key.
    pub key_schema: Vec<KeyElement>,
    /// The table's indexes.
    #[serde(default)]
    pub global_secondary_indexes: Vec<TemplateIndex>,
    /// The attribute that makes rows expire; `None` if rows never expire.
    pub time_to_live_specification: Option<TimeToLive>,
}

/// The type of a key attribute.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct AttributeDefinition {
    /// The attribute's name.
    pub attribute_name: String,
    /// `S`, `N` or `B`.
    pub attribute_type: String,
}

/// An attribute of a key.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct KeyElement {
    /// The attribute's name.
    pub attribute_name: String,
    /// `HASH` or `RANGE`.
    pub key_type: String,
}

/// A global secondary index.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TemplateIndex {
    /// The index's name.
    pub index_name: String,
    /// The index's key.
    pub key_schema: Vec<KeyElement>,
    /// The attributes that the index holds beside the keys.
    pub projection: TemplateProjection,
}

/// The attributes that an index holds beside the keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TemplateProjection {
    /// `ALL`, `KEYS_ONLY` or `INCLUDE`.
    pub projection_type: String,
    /// The attributes' names, for `INCLUDE`.
    pub non_key_attributes: Option<Vec<String>>,
}

/// The attribute that makes rows expire.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TimeToLive {
    /// The attribute's name. It holds seconds since the Unix epoch.
    pub attribute_name: String,
    /// True if rows expire.
    pub enabled: bool,
}

/// A route of API Gateway and its function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TemplateRoute {
    /// The method: `ANY` for all methods, empty for `$default`.
    pub method: String,
    /// The path; empty for `$default`.
    pub path: String,
    /// The name of the function's binary.
    pub function: String,
}

impl Template {
    /// Parses the template.
    ///
    /// # Errors
    /// When the template does not have the structure of [`Template`].
    pub fn load() -> anyhow::Result<Self> {
        parse(TEMPLATE)
    }

    /// Returns all tables.
    ///
    /// # Errors
    /// When a table's properties do not have the structure of [`TemplateTable`].
    pub fn tables(&self) -> anyhow::Result<Vec<TemplateTable>> {
        let tables = self.resources_of_type("AWS::DynamoDB::Table");
        tables
            .map(|(name, table)| {
                serde_json::from_value(table.properties.clone())
                    .with_context(|| format!("template.yaml: {name}"))
            })
            .collect()
    }

    /// Returns all routes, sorted.
    pub fn routes(&self) -> Vec<TemplateRoute> {
        let mut routes = Vec::new();
        for (name, binary) in self.functions() {
            let function = &self.resources[name];
            let events = function.properties["Events"].as_object();
            let events = events.into_iter().flat_map(serde_json::Map::values);
            for event in events.filter(|event| event["Type"] == "HttpApi") {
                routes.push(TemplateRoute {
                    method: text(&event["Properties"]["Method"]),
                    path: text(&event["Properties"]["Path"]),
                    function: binary.clone(),
                });
            }
        }
        routes.sort_unstable();
        routes
    }

    /// Returns the names of the functions, and of their binaries.
    pub fn functions(&self) -> impl Iterator<Item = (&str, String)> {
        let functions = self.resources_of_type("AWS::Serverless::Function");
        functions.map(|(name, function)| {
            let binary = text(&function.metadata["BuildProperties"]["Binary"]);
            (name.as_str(), binary)
        })
    }

    /// Returns the names of all resources of this type, sorted.
    pub fn names(&self, kind: &str) -> impl Iterator<Item = &str> {
        self.resources_of_type(kind).map(|(name, _)| name.as_str())
    }

    /// Returns a property of a resource by its JSON Pointer (RFC 6901).
    pub fn property(&self, resource: &str, pointer: &str) -> Option<&Value> {
        self.resources.get(resource)?.properties.pointer(pointer)
    }

    fn resources_of_type(&self, kind: &str) -> impl Iterator<Item = (&String, &TemplateResource)> {
        let resources = self.resources.iter();
        resources.filter(move |(_, resource)| resource.r#type == kind)
    }
}

/// Parses a template. The tags of functions such as `!Sub` are dropped.
///
/// # Errors
/// When the text is not YAML, or has another structure than `T`.
pub fn parse<T: DeserializeOwned>(template: &str) -> anyhow::Result<T> {
    // YAML 1.1 booleans include `N`, so `AttributeType: N` would be read as false.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(template, options).context("template.yaml")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reads the resources. The resources in a `Fn::ForEach` are copied for each value in its list.
fn expand_resources<'de, D: serde::Deserializer<'de>>(
    resources: D,
) -> Result<BTreeMap<String, TemplateResource>, D::Error> {
    use serde::de::Error;
    let mut expanded = BTreeMap::new();
    for (name, resource) in BTreeMap::<String, Value>::deserialize(resources)? {
        if !name.starts_with("Fn::ForEach::") {
            let resource = serde_json::from_value(resource).map_err(D::Error::custom)?;
            expanded.insert(name, resource);
            continue;
        }
        let (variable, values, copied): (String, Vec<String>, Value) =
            serde_json::from_value(resource).map_err(D::Error::custom)?;
        let copied = copied.to_string();
        for value in values {
            let copy = copied.replace(&format!("${{{variable}}}"), &value);
            let copy: BTreeMap<String, TemplateResource> =
                serde_json::from_str(&copy).map_err(D::Error::custom)?;
            expanded.extend(copy);
        }
    }
    Ok(expanded)
}

/// Removes the stack's prefix from a table name, which the template writes as
/// `!Sub ${AWS::StackName}-NAME`.
fn strip_stack_prefix<'de, D: serde::Deserializer<'de>>(name: D) -> Result<String, D::Error> {
    let name = String::deserialize(name)?;
    let bare = name.strip_prefix("${AWS::StackName}-");
    bare.map(str::to_owned)
        .ok_or_else(|| serde::de::Error::custom("TableName must start with ${AWS::StackName}-"))
}
