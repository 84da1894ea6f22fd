//! A deployed stack can be upgraded from each released template (tests/releases) to the next one, and from the last one
//! to the current template, in one deployment that loses no data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use tests::table::table;
use tests::template::parse;

/// Returns the templates of all releases in their order, each with its version, and the current one.
fn history() -> Vec<(String, Value)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut releases = Vec::new();
    for folder in std::fs::read_dir(tests.join("releases")).unwrap() {
        let folder = folder.unwrap();
        let version = folder.file_name().into_string().unwrap();
        let file = folder.path().join("template.yaml");
        if file.exists() {
            releases.push((version, read(&file)));
        }
    }
    releases.sort_by_key(|(version, _)| number_of(version));
    let present = read(&tests.join("../template.yaml"));
    releases.push(("present".to_owned(), present));
    releases
}

fn number_of(version: &str) -> Vec<u32> {
    let parts = version.split('.');
    parts.map(|part| part.parse().unwrap()).collect()
}

fn read(file: &Path) -> Value {
    parse(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn every_release_can_be_upgraded_in_one_deployment() {
    let history = history();
    assert!(history.len() > 1, "the template of a release is missing");
    for pair in history.windows(2) {
        let [(from, old), (to, new)] = pair else {
            unreachable!()
        };
        let problems = problems(old, new);
        assert!(problems.is_empty(), "{from} to {to}: {problems:#?}");
    }
}

/// The check finds each change that one deployment cannot make, or that loses data.
#[test]
fn changes_that_lose_data_are_found() {
    let (_, template) = history().pop().unwrap();
    let (user, session) = ("/Resources/UserTable/Properties", "/Resources/SessionTable");
    let indexes = format!("{user}/GlobalSecondaryIndexes");
    let keys = "/Resources/SigningSecret/Properties";
    // Each line has the pointer to a value, the new value (null removes the old one), and the problem.
    let changes = format!(
        r#"/Resources/UserTable | null | UserTable: removed
        /Resources/UserTable/Type | "AWS::DynamoDB::GlobalTable" | UserTable: another type
        {user}/TableName | "${{AWS::StackName}}-Users" | UserTable: replaced, because TableName changes
        {user}/KeySchema/0/AttributeName | "email" | UserTable: replaced, because KeySchema changes
        {indexes}/0/Projection/ProjectionType | "ALL" | UserTable: the index ByUsername changes under the same name
        {indexes}/1/KeySchema/0/AttributeName | "username" | UserTable: the index ByEmail changes under the same name
        {indexes} | null | UserTable: 4 indexes are created or deleted, one deployment can do 1
        {indexes}/0/IndexName | "ByName" | UserTable: 2 indexes are created or deleted, one deployment can do 1
        {user}/DeletionProtectionEnabled | false | UserTable: DeletionProtectionEnabled changes
        {user}/PointInTimeRecoverySpecification | null | UserTable: PointInTimeRecoverySpecification changes
        {session}/Properties/TimeToLiveSpecification/AttributeName | "x" | SessionTable: TimeToLiveSpecification changes
        {session}/DeletionPolicy | null | SessionTable: DeletionPolicy is no longer Retain
        {session}/UpdateReplacePolicy | "Delete" | SessionTable: UpdateReplacePolicy is no longer Retain
        {keys}/Name | "keys" | SigningSecret: replaced, because Name changes
        {keys}/GenerateSecretString/PasswordLength | 32 | SigningSecret: new keys, because GenerateSecretString changes
        /Resources/HttpApi | null | HttpApi: removed
        /Outputs/TablePrefix | null | the output TablePrefix is removed
        /Parameters/Architecture/Default | null | the parameter Architecture is required"#
    );
    for [pointer, value, problem] in table(&changes) {
        let value: Value = serde_json::from_str(value).unwrap();
        let mut changed = template.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = changed.pointer_mut(parent).unwrap();
        if value.is_null() {
            assert!(parent.as_object_mut().unwrap().remove(name).is_some());
        } else {
            parent[name] = value;
        }
        assert_eq!(problems(&template, &changed), [problem], "{pointer}");
    }
}

#[test]
fn harmless_changes_are_allowed() {
    let (_, template) = history().pop().unwrap();
    let mut changed = template.clone();
    let resources = changed["Resources"].as_object_mut().unwrap();
    let indexes = "/UserTable/Properties/GlobalSecondaryIndexes";
    let mut table = resources["UserTable"].clone();
    table["Properties"]["TableName"] = "${AWS::StackName}-New".into();
    resources.insert("NewTable".to_owned(), table);
    let indexes = changed["Resources"].pointer_mut(indexes).unwrap();
    indexes.as_array_mut().unwrap().pop();
    changed["Resources"]["ListPagesFunction"]["Properties"]["MemorySize"] = 2048.into();
    changed["Parameters"]["New"] = serde_json::json!({ "Type": "String", "Default": "" });
    assert_eq!(problems(&template, &changed), Vec::<String>::new());
}

/// Returns what one deployment of the new template over the old one cannot do, or would lose.
fn problems(old: &Value, new: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, resource) in named(&old["Resources"]) {
        let kind = resource["Type"].as_str().unwrap_or_default();
        let holds_data = ["AWS::DynamoDB::Table", "AWS::SecretsManager::Secret"].contains(&kind);
        // The address of the API is in the operator's DNS and configuration.
        if !holds_data && kind != "AWS::Serverless::HttpApi" {
            continue;
        }
        let replacement = &new["Resources"][name];
        let found = if replacement.is_null() {
            vec!["removed".to_owned()]
        } else if replacement["Type"] != kind {
            vec!["another type".to_owned()]
        } else if kind == "AWS::DynamoDB::Table" {
            table_problems(resource, replacement)
        } else if kind == "AWS::SecretsManager::Secret" {
            secret_problems(resource, replacement)
        } else {
            Vec::new()
        };
        problems.extend(found.into_iter().map(|found| format!("{name}: {found}")));
    }
    for (name, _) in named(&old["Outputs"]) {
        if new["Outputs"][name].is_null() {
            problems.push(format!("the output {name} is removed"));
        }
    }
    for (name, parameter) in named(&new["Parameters"]) {
        let was_required =
            old["Parameters"][name].is_object() && old["Parameters"][name]["Default"].is_null();
        if parameter["Default"].is_null() && !was_required {
            problems.push(format!("the parameter {name} is required"));
        }
    }
    problems
}

/// Returns the problems of a changed table. The reference of `AWS::DynamoDB::Table` in the `CloudFormation` User Guide
/// says which changes replace a table, and which are made one by one.
fn table_problems(old: &Value, new: &Value) -> Vec<String> {
    let mut problems = retention_problems(old, new);
    let (old, new) = (&old["Properties"], &new["Properties"]);
    for property in ["TableName", "KeySchema"] {
        if old[property] != new[property] {
            problems.push(format!("replaced, because {property} changes"));
        }
    }
    // Without the first two, a deleted table or a mistake cannot be undone. The attribute of the time to live cannot
    // change while it is enabled.
    for property in [
        "DeletionProtectionEnabled",
        "PointInTimeRecoverySpecification",
        "TimeToLiveSpecification",
    ] {
        if !old[property].is_null() && old[property] != new[property] {
            problems.push(format!("{property} changes"));
        }
    }
    let (old, new) = (indexes(old), indexes(new));
    for (name, index) in &old {
        if new.get(name).is_some_and(|new| new != index) {
            problems.push(format!("the index {name} changes under the same name"));
        }
    }
    let names = |indexes: &BTreeMap<String, Value>| -> BTreeSet<String> {
        indexes.keys().cloned().collect()
    };
    let changed = names(&old).symmetric_difference(&names(&new)).count();
    if changed > 1 {
        problems.push(format!(
            "{changed} indexes are created or deleted, one deployment can do 1"
        ));
    }
    problems
}

/// Returns the problems of a changed secret. A changed generator writes a new version of the secret (`CloudFormation`
/// User Guide, `AWS::SecretsManager::Secret`).
fn secret_problems(old: &Value, new: &Value) -> Vec<String> {
    let mut problems = retention_problems(old, new);
    let (old, new) = (&old["Properties"], &new["Properties"]);
    if old["Name"] != new["Name"] {
        problems.push("replaced, because Name changes".to_owned());
    }
    for property in ["GenerateSecretString", "SecretString"] {
        if old[property] != new[property] {
            problems.push(format!("new keys, because {property} changes"));
        }
    }
    problems
}

fn retention_problems(old: &Value, new: &Value) -> Vec<String> {
    let policies = ["DeletionPolicy", "UpdateReplacePolicy"].into_iter();
    let lost = policies.filter(|policy| old[policy] == "Retain" && new[policy] != "Retain");
    lost.map(|policy| format!("{policy} is no longer Retain"))
        .collect()
}

/// Returns the indexes of a table by their names. The order of projected attributes has no meaning.
fn indexes(properties: &Value) -> BTreeMap<String, Value> {
    let indexes = properties["GlobalSecondaryIndexes"].as_array();
    let indexes = indexes.into_iter().flatten().map(|index| {
        let mut index = index.clone();
        if let Some(attributes) = index["Projection"]["NonKeyAttributes"].as_array_mut() {
            attributes.sort_by_key(Value::to_string);
        }
        (index["IndexName"].as_str().unwrap().to_owned(), index)
    });
    indexes.collect()
}

fn named(section: &Value) -> impl Iterator<Item = (&String, &Value)> {
    section.as_object().into_iter().flatten()
}
