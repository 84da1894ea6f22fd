//! template.yaml, read: the one place that names routes, functions and tables.

use std::collections::BTreeMap;

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;

/// The template, as it was when this was built.
const TEMPLATE: &str = include_str!("../../template.yaml");

/// As much of a CloudFormation template as a machine without AWS can use.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Template {
    resources: BTreeMap<String, Resource>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resource {
    r#type: String,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    properties: Value,
}

/// A table's properties (CloudFormation, `AWS::DynamoDB::Table`).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Table {
    /// The name without the stack's.
    #[serde(deserialize_with = "without_stack")]
    pub table_name: String,
    /// Types of the key attributes.
    pub attribute_definitions: Vec<AttributeDefinition>,
    /// The table's key.
    pub key_schema: Vec<KeyElement>,
    /// Its indexes.
    #[serde(default)]
    pub global_secondary_indexes: Vec<Index>,
    /// What makes its rows expire.
    pub time_to_live_specification: Option<TimeToLive>,
}

/// The type of a key attribute.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct AttributeDefinition {
    /// Its name.
    pub attribute_name: String,
    /// `S`, `N` or `B`.
    pub attribute_type: String,
}

/// An attribute of a key.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct KeyElement {
    /// Its name.
    pub attribute_name: String,
    /// `HASH` or `RANGE`.
    pub key_type: String,
}

/// A global secondary index.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Index {
    /// Its name.
    pub index_name: String,
    /// Its key.
    pub key_schema: Vec<KeyElement>,
    /// What it holds beside the keys.
    pub projection: Projection,
}

/// What an index holds beside the keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Projection {
    /// `ALL`, `KEYS_ONLY` or `INCLUDE`.
    pub projection_type: String,
    /// With `INCLUDE`, the names.
    pub non_key_attributes: Option<Vec<String>>,
}

/// Which attribute makes rows expire.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TimeToLive {
    /// Its name; it holds seconds since the Unix epoch.
    pub attribute_name: String,
    /// Whether it does.
    pub enabled: bool,
}

/// A route of API Gateway and the function that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TemplateRoute {
    /// The method, `ANY` for all of them; empty for `$default`.
    pub method: String,
    /// The path; empty for `$default`.
    pub path: String,
    /// The name of the function's binary.
    pub function: String,
}

impl Template {
    /// Reads the template that this was built with.
    ///
    /// # Errors
    /// When it is not a template of this shape.
    pub fn load() -> anyhow::Result<Self> {
        // Without it, `AttributeType: N` would be read as false.
        let options = serde_saphyr::options! { strict_booleans: true };
        serde_saphyr::from_str_with_options(TEMPLATE, options).context("template.yaml")
    }

    /// Every table.
    ///
    /// # Errors
    /// When one is not described the way this reads it.
    pub fn tables(&self) -> anyhow::Result<Vec<Table>> {
        let tables = self.of_type("AWS::DynamoDB::Table");
        tables
            .map(|(name, table)| {
                serde_json::from_value(table.properties.clone())
                    .with_context(|| format!("template.yaml: {name}"))
            })
            .collect()
    }

    /// Every route.
    #[must_use]
    pub fn routes(&self) -> Vec<TemplateRoute> {
        let mut routes = Vec::new();
        for (_, function) in self.of_type("AWS::Serverless::Function") {
            let binary = text(&function.metadata["BuildProperties"]["Binary"]);
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

    /// A property of a resource, by its path in JSON Pointer's form (RFC 6901).
    #[must_use]
    pub fn property(&self, resource: &str, pointer: &str) -> Option<&Value> {
        self.resources.get(resource)?.properties.pointer(pointer)
    }

    fn of_type(&self, kind: &str) -> impl Iterator<Item = (&String, &Resource)> {
        let resources = self.resources.iter();
        resources.filter(move |(_, resource)| resource.r#type == kind)
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The name of a table is written `!Sub ${AWS::StackName}-NAME`.
fn without_stack<'de, D: serde::Deserializer<'de>>(name: D) -> Result<String, D::Error> {
    let name = String::deserialize(name)?;
    let bare = name.strip_prefix("${AWS::StackName}-");
    bare.map(str::to_owned).ok_or_else(|| {
        serde::de::Error::custom("a TableName begins with the stack's name and a dash")
    })
}
