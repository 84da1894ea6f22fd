//! Creation and upgrade of the tables in a DynamoDB that CloudFormation does not manage.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Context;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::types::{
    self, BillingMode, GlobalSecondaryIndex, GlobalSecondaryIndexDescription,
    GlobalSecondaryIndexUpdate, IndexStatus, KeySchemaElement, KeyType, ProjectionType,
    ScalarAttributeType, TableDescription, TimeToLiveSpecification, TimeToLiveStatus,
};
use dynamo::{CallError, Index, Projection, Table, TableNames, Type};
use tokio::time::{sleep, timeout};

use crate::data::schema::TABLES;
use crate::embedded::dynamodb::WITHOUT_COUNTS;

/// Maximum time to wait until DynamoDB has created or deleted a table or an index.
const TABLE_CHANGE_TIMEOUT: Duration = Duration::from_mins(10);

/// Interval between two looks at an index that is being created or deleted.
const INDEX_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The tables of a service, compared with their declarations ([`TABLES`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundTables {
    /// There is no table yet.
    None,
    /// A table is missing or differs.
    Outdated,
    /// All tables are as they are declared.
    Current,
}

/// Compares the tables with their declarations.
pub async fn find(client: &Client, names: &TableNames) -> anyhow::Result<FoundTables> {
    let (mut existing, mut current) = (0, 0);
    for table in TABLES {
        if let Some(described) = describe(client, &names.of(table.name)).await? {
            existing += 1;
            let (deleted, created) = find_index_changes(&described, table)?;
            let has_indexes = deleted.is_empty() && created.is_empty();
            current += usize::from(has_indexes && has_key_of(&described, table)?);
        }
    }
    Ok(match existing {
        0 => FoundTables::None,
        _ if current == TABLES.len() => FoundTables::Current,
        _ => FoundTables::Outdated,
    })
}

/// Creates missing tables with their indexes and time to live. In a table of an earlier version, indexes that are not
/// declared are deleted, and missing indexes are created from the table's rows. A table with another key is deleted and
/// created again if it is empty. Returns the names of the created tables, without the prefix.
///
/// If it is interrupted, the next call does the rest.
///
/// # Errors
/// When a table with another key has rows.
pub async fn create_missing(client: &Client, names: &TableNames) -> anyhow::Result<Vec<String>> {
    let mut created = Vec::new();
    for table in TABLES {
        let name = names.of(table.name);
        if let Some(described) = describe(client, &name).await? {
            if has_key_of(&described, table)? {
                change_indexes(client, &name, &described, table).await?;
                set_time_to_live(client, &name, table).await?;
                continue;
            }
            anyhow::ensure!(
                is_empty(client, &name).await?,
                "the table {name} was made by another version of Kiroku and has rows: \
                 use another data folder or table prefix"
            );
            delete(client, &name).await?;
        }
        create(client, &name, table).await?;
        // On AWS, a new table cannot be changed until it is active.
        let active = client.wait_until_table_exists().table_name(&name);
        active
            .wait(TABLE_CHANGE_TIMEOUT)
            .await
            .with_context(|| format!("the table {name} does not become active"))?;
        set_time_to_live(client, &name, table).await?;
        created.push(table.name.to_owned());
    }
    Ok(created)
}

fn has_key_of(described: &TableDescription, table: &Table) -> anyhow::Result<bool> {
    Ok(described.key_schema() == build_key_schema(table.key)?)
}

/// Returns the names of the indexes to delete, and the indexes to create. An index whose key or projection differs from
/// the declaration is in both lists.
fn find_index_changes(
    described: &TableDescription,
    table: &Table,
) -> anyhow::Result<(Vec<String>, Vec<&'static Index>)> {
    let mut existing = BTreeMap::new();
    for index in described.global_secondary_indexes() {
        let name = index.index_name().unwrap_or_default().to_owned();
        let projection = read_projection(index.projection());
        existing.insert(name, (index.key_schema().to_vec(), projection));
    }
    let mut created = Vec::new();
    for index in table.indexes {
        let expected = build_index(index)?;
        let projection = read_projection(expected.projection());
        let expected = (expected.key_schema().to_vec(), projection);
        if existing.get(index.name) == Some(&expected) {
            existing.remove(index.name);
        } else {
            created.push(index);
        }
    }
    Ok((existing.into_keys().collect(), created))
}

/// Changes the indexes of a table to the declared ones, one after the other: `UpdateTable` changes one index at a time
/// (DynamoDB API Reference).
async fn change_indexes(
    client: &Client,
    name: &str,
    described: &TableDescription,
    table: &Table,
) -> anyhow::Result<()> {
    let (deleted, created) = find_index_changes(described, table)?;
    for index in deleted {
        delete_index(client, name, &index).await?;
        wait_for_indexes(client, name).await?;
    }
    for index in created {
        add_index(client, name, table, index).await?;
        wait_for_indexes(client, name).await?;
    }
    Ok(())
}

/// Waits until no index of the table is being created or deleted.
async fn wait_for_indexes(client: &Client, name: &str) -> anyhow::Result<()> {
    let wait = async {
        loop {
            let described = describe(client, name).await?;
            let indexes = described
                .iter()
                .flat_map(TableDescription::global_secondary_indexes);
            let is_active = |index: &GlobalSecondaryIndexDescription| {
                index.index_status() == Some(&IndexStatus::Active)
            };
            if indexes.into_iter().all(is_active) {
                return Ok(());
            }
            sleep(INDEX_POLL_INTERVAL).await;
        }
    };
    timeout(TABLE_CHANGE_TIMEOUT, wait)
        .await
        .with_context(|| format!("an index of the table {name} does not become active"))?
}

/// Returns true if a table with this full name exists.
pub(crate) async fn exists(client: &Client, name: &str) -> anyhow::Result<bool> {
    Ok(describe(client, name).await?.is_some())
}

/// Returns the description of a table without the number of its rows, if it exists.
async fn describe(client: &Client, name: &str) -> anyhow::Result<Option<TableDescription>> {
    let request = client.describe_table().table_name(name).customize();
    let request = request.mutate_request(|request| {
        request.headers_mut().insert(WITHOUT_COUNTS, "true");
    });
    match request.send().await {
        Ok(described) => Ok(described.table),
        Err(error)
            if error
                .as_service_error()
                .is_some_and(DescribeTableError::is_resource_not_found_exception) =>
        {
            Ok(None)
        }
        Err(error) => {
            Err(CallError::new(error)).with_context(|| format!("cannot describe the table {name}"))
        }
    }
}

/// Returns a configuration with a long timeout: the embedded engine responds when it has built the index.
fn patient() -> aws_sdk_dynamodb::config::Builder {
    let timeouts = TimeoutConfig::builder().operation_attempt_timeout(TABLE_CHANGE_TIMEOUT);
    aws_sdk_dynamodb::config::Builder::new().timeout_config(timeouts.build())
}

async fn delete_index(client: &Client, name: &str, index: &str) -> anyhow::Result<()> {
    let action = types::DeleteGlobalSecondaryIndexAction::builder()
        .index_name(index)
        .build()?;
    let update = GlobalSecondaryIndexUpdate::builder().delete(action).build();
    let request = client.update_table().table_name(name);
    let updated = request.global_secondary_index_updates(update).customize();
    let updated = updated.config_override(patient()).send().await;
    updated
        .map_err(CallError::new)
        .with_context(|| format!("cannot delete the index {index} of the table {name}"))?;
    Ok(())
}

/// Adds an index to a table. The table may already have rows.
async fn add_index(
    client: &Client,
    name: &str,
    table: &Table,
    index: &Index,
) -> anyhow::Result<()> {
    let described = build_index(index)?;
    let action = types::CreateGlobalSecondaryIndexAction::builder()
        .index_name(index.name)
        .set_key_schema(Some(described.key_schema))
        .set_projection(described.projection)
        .build()?;
    let request = client.update_table().table_name(name);
    let request = request.set_attribute_definitions(Some(build_definitions(table, index.key)?));
    let update = GlobalSecondaryIndexUpdate::builder().create(action).build();
    let updated = request.global_secondary_index_updates(update).customize();
    let updated = updated.config_override(patient()).send().await;
    updated
        .map_err(CallError::new)
        .with_context(|| format!("cannot add an index to the table {name}"))?;
    Ok(())
}

/// Returns the definitions of the attributes of keys.
fn build_definitions<'n>(
    table: &Table,
    keys: impl IntoIterator<Item = &'n &'n str>,
) -> anyhow::Result<Vec<types::AttributeDefinition>> {
    let keys: BTreeSet<&str> = keys.into_iter().copied().collect();
    let attributes = table.attributes.iter();
    let attributes = attributes.filter(|(name, _)| keys.contains(name));
    let definition = |(name, kind): &(&str, Type)| {
        let kind = match kind {
            Type::N => ScalarAttributeType::N,
            Type::S => ScalarAttributeType::S,
            Type::B => ScalarAttributeType::B,
            _ => anyhow::bail!("{name} of the table {} cannot be a key", table.name),
        };
        let definition = types::AttributeDefinition::builder().attribute_name(*name);
        Ok(definition.attribute_type(kind).build()?)
    };
    attributes.map(definition).collect()
}

/// Returns the type of a projection and its attributes. The order of the attributes has no meaning, so they are a set.
fn read_projection(projection: Option<&types::Projection>) -> (Option<String>, BTreeSet<String>) {
    let kind = projection.and_then(types::Projection::projection_type);
    let attributes = projection.map(types::Projection::non_key_attributes);
    (
        kind.map(|kind| kind.as_str().to_owned()),
        attributes.unwrap_or_default().iter().cloned().collect(),
    )
}

async fn is_empty(client: &Client, name: &str) -> anyhow::Result<bool> {
    let found = client.scan().table_name(name).limit(1).send().await;
    let found = found.map_err(CallError::new)?;
    Ok(found.count == 0)
}

async fn delete(client: &Client, name: &str) -> anyhow::Result<()> {
    let deleted = client.delete_table().table_name(name).send().await;
    deleted.map_err(CallError::new)?;
    // On AWS, the name is free only once the table is gone.
    let gone = client.wait_until_table_not_exists().table_name(name);
    gone.wait(TABLE_CHANGE_TIMEOUT)
        .await
        .with_context(|| format!("the table {name} is not deleted"))?;
    Ok(())
}

async fn create(client: &Client, name: &str, table: &Table) -> anyhow::Result<()> {
    let index_keys = table.indexes.iter().flat_map(|index| index.key);
    let definitions = build_definitions(table, index_keys.chain(table.key))?;
    let mut request = client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .set_key_schema(Some(build_key_schema(table.key)?))
        .set_attribute_definitions(Some(definitions));
    for index in table.indexes {
        request = request.global_secondary_indexes(build_index(index)?);
    }
    let created = request.send().await.map(drop).map_err(CallError::new);
    created.with_context(|| format!("cannot create the table {name}"))
}

fn build_index(index: &Index) -> anyhow::Result<GlobalSecondaryIndex> {
    let projection = types::Projection::builder();
    let projection = match index.projection {
        Projection::All => projection.projection_type(ProjectionType::All),
        Projection::KeysOnly => projection.projection_type(ProjectionType::KeysOnly),
        Projection::Include(attributes) => {
            let attributes = attributes.iter().map(|name| (*name).to_owned()).collect();
            let projection = projection.projection_type(ProjectionType::Include);
            projection.set_non_key_attributes(Some(attributes))
        }
    };
    Ok(GlobalSecondaryIndex::builder()
        .index_name(index.name)
        .set_key_schema(Some(build_key_schema(index.key)?))
        .projection(projection.build())
        .build()?)
}

/// Returns the elements of a key: the partition key, and the sort key if there is one.
fn build_key_schema(key: &[&str]) -> anyhow::Result<Vec<KeySchemaElement>> {
    let element = |(name, kind): (&&str, KeyType)| {
        let element = KeySchemaElement::builder().attribute_name(*name);
        Ok(element.key_type(kind).build()?)
    };
    let kinds = [KeyType::Hash, KeyType::Range];
    key.iter().zip(kinds).map(element).collect()
}

/// Sets the time to live of a table, if it is not set yet.
async fn set_time_to_live(client: &Client, name: &str, table: &Table) -> anyhow::Result<()> {
    let Some(attribute) = table.expires_at else {
        return Ok(());
    };
    let described = client.describe_time_to_live().table_name(name).send().await;
    let described = described.map_err(CallError::new)?.time_to_live_description;
    let status = described.and_then(|described| described.time_to_live_status);
    if matches!(
        status,
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling)
    ) {
        return Ok(());
    }
    let specification = TimeToLiveSpecification::builder()
        .attribute_name(attribute)
        .enabled(true)
        .build()?;
    let request = client.update_time_to_live().table_name(name);
    let request = request.time_to_live_specification(specification);
    let updated = request.send().await.map(drop).map_err(CallError::new);
    updated.with_context(|| format!("cannot set the time to live of the table {name}"))
}
