//! Records the IAM permissions that DynamoDB calls need, and denies those that template.yaml does not give a
//! function. The mapping from calls to permissions follows the Service Authorization Reference, "Actions, resources,
//! and condition keys for Amazon DynamoDB".

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::BeforeSerializationInterceptorContextMut;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemInput;
use aws_sdk_dynamodb::operation::batch_write_item::BatchWriteItemInput;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemInput;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableInput;
use aws_sdk_dynamodb::operation::get_item::GetItemInput;
use aws_sdk_dynamodb::operation::put_item::PutItemInput;
use aws_sdk_dynamodb::operation::query::QueryInput;
use aws_sdk_dynamodb::operation::scan::ScanInput;
use aws_sdk_dynamodb::operation::transact_get_items::TransactGetItemsInput;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsInput;
use aws_sdk_dynamodb::operation::update_item::UpdateItemInput;
use aws_sdk_dynamodb::types::TransactWriteItem;
use dynamo::TableNames;
use serde_json::Value;

use crate::engine;
use crate::template::Template;

/// Action and resource, for example `dynamodb:Query` and `User/index/ByEmail`.
pub type Permission = (String, String);

/// Records the permission that each call of a client needs.
#[derive(Clone, Debug)]
pub struct Recorder {
    prefix: String,
    seen: Arc<Mutex<BTreeSet<Permission>>>,
    /// The permissions that calls can use; `None` for all.
    allowed: Option<&'static BTreeSet<Permission>>,
}

/// The permissions of a function.
struct Function {
    allowed: BTreeSet<Permission>,
    /// The permissions that calls in this process needed.
    used: Arc<Mutex<BTreeSet<Permission>>>,
}

/// The permissions that the template gives the functions, by the names of their binaries.
static FUNCTIONS: LazyLock<BTreeMap<String, Function>> = LazyLock::new(|| {
    let template = Template::load().unwrap();
    let functions = template.functions().map(|(name, binary)| {
        let statements = template.property(name, "/Policies/0/Statement");
        let function = Function {
            allowed: read_statements(statements.unwrap()),
            used: Arc::default(),
        };
        (binary, function)
    });
    functions.collect()
});

fn read_statements(statements: &Value) -> BTreeSet<Permission> {
    let mut permissions = BTreeSet::new();
    for statement in statements.as_array().unwrap() {
        assert_eq!(statement["Effect"], "Allow");
        for resource in one_or_more(&statement["Resource"]) {
            // The resource is `UserTable.Arn` or `${UserTable.Arn}/index/ByEmail`.
            let resource = resource.replace(['$', '{', '}'], "");
            let resource = resource.replace("Table.Arn", "");
            let actions = one_or_more(&statement["Action"]);
            let actions = actions.filter(|action| action.starts_with("dynamodb:"));
            permissions.extend(actions.map(|action| (action.to_owned(), resource.clone())));
        }
    }
    permissions
}

fn one_or_more(value: &Value) -> impl Iterator<Item = &str> {
    let values = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    values.iter().map(|value| value.as_str().unwrap())
}

/// Returns a client and the recorder of its calls.
pub fn recorded(tables: &TableNames) -> (Client, Recorder) {
    let recorder = Recorder {
        prefix: tables.of(""),
        seen: Arc::default(),
        allowed: None,
    };
    let config = engine::config(engine::endpoint()).interceptor(recorder.clone());
    (Client::from_conf(config.build()), recorder)
}

/// Returns a client whose calls fail if the template does not allow them for the function with this binary. AWS checks
/// permissions; local engines do not.
pub fn of_function(client: &Client, tables: &TableNames, binary: &str) -> Client {
    let function = &FUNCTIONS[binary];
    let recorder = Recorder {
        prefix: tables.of(""),
        seen: Arc::clone(&function.used),
        allowed: Some(&function.allowed),
    };
    let config = client.config().to_builder().interceptor(recorder);
    Client::from_conf(config.build())
}

/// Returns the tables that each function can write, by the names of the functions' binaries.
pub fn written_tables() -> BTreeMap<&'static str, BTreeSet<String>> {
    let writes = ["BatchWriteItem", "DeleteItem", "PutItem", "UpdateItem"];
    let functions = FUNCTIONS.iter().map(|(binary, function)| {
        let allowed = function.allowed.iter();
        let written =
            allowed.filter(|(action, _)| writes.iter().any(|write| action.ends_with(write)));
        let tables = written.map(|(_, table)| table.clone());
        (binary.as_str(), tables.collect())
    });
    functions.collect()
}

/// Describes the permissions that a function needed but does not have, and those that it has but no call in this
/// process needed.
pub fn differences_from_the_template() -> Vec<String> {
    let mut differences = Vec::new();
    for (binary, function) in &*FUNCTIONS {
        let used = function.used.lock().unwrap_or_else(PoisonError::into_inner);
        for (action, resource) in used.symmetric_difference(&function.allowed) {
            let is_used = used.contains(&(action.clone(), resource.clone()));
            let difference = if is_used { "not allowed" } else { "not used" };
            differences.push(format!("{binary}: {action} of {resource} is {difference}"));
        }
    }
    differences
}

impl Recorder {
    /// Returns the permissions recorded so far.
    pub fn seen(&self) -> BTreeSet<Permission> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn record(&self, action: &str, table: &str, index: Option<&str>) -> Result<(), BoxError> {
        let table = table.trim_start_matches(&self.prefix);
        let resource = match index {
            Some(index) => format!("{table}/index/{index}"),
            None => table.to_owned(),
        };
        let permission = (format!("dynamodb:{action}"), resource);
        let is_allowed = self
            .allowed
            .is_none_or(|allowed| allowed.contains(&permission));
        let denied = || format!("{permission:?} is missing in template.yaml").into();
        let result = if is_allowed { Ok(()) } else { Err(denied()) };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(permission);
        result
    }

    /// Records the permissions of one part of a transaction. DynamoDB has no permission for a transaction
    /// itself: it checks those of the parts.
    fn record_action(&self, action: &TransactWriteItem) -> Result<(), BoxError> {
        if let Some(check) = action.condition_check() {
            self.record("ConditionCheckItem", check.table_name(), None)?;
        }
        if let Some(put) = action.put() {
            self.record("PutItem", put.table_name(), None)?;
        }
        if let Some(update) = action.update() {
            self.record("UpdateItem", update.table_name(), None)?;
        }
        if let Some(delete) = action.delete() {
            self.record("DeleteItem", delete.table_name(), None)?;
        }
        Ok(())
    }
}

impl Intercept for Recorder {
    fn name(&self) -> &'static str {
        "Recorder"
    }

    fn modify_before_serialization(
        &self,
        context: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let input = context.input();
        macro_rules! record {
            ($($input:ty, $action:literal $(, $index:ident)?);+) => {
                $(if let Some(input) = input.downcast_ref::<$input>() {
                    let index = None$(.or(input.$index()))?;
                    self.record($action, input.table_name().unwrap_or_default(), index)?;
                })+
            };
        }
        record!(
            GetItemInput, "GetItem";
            PutItemInput, "PutItem";
            UpdateItemInput, "UpdateItem";
            DeleteItemInput, "DeleteItem";
            DescribeTableInput, "DescribeTable";
            ScanInput, "Scan", index_name;
            QueryInput, "Query", index_name
        );
        if let Some(get) = input.downcast_ref::<BatchGetItemInput>() {
            for table in get.request_items().into_iter().flat_map(HashMap::keys) {
                self.record("BatchGetItem", table, None)?;
            }
        }
        if let Some(write) = input.downcast_ref::<BatchWriteItemInput>() {
            for table in write.request_items().into_iter().flat_map(HashMap::keys) {
                self.record("BatchWriteItem", table, None)?;
            }
        }
        if let Some(transaction) = input.downcast_ref::<TransactWriteItemsInput>() {
            for action in transaction.transact_items() {
                self.record_action(action)?;
            }
        }
        if input.downcast_ref::<TransactGetItemsInput>().is_some() {
            return Err("the permissions of TransactGetItems are not recorded yet".into());
        }
        Ok(())
    }
}
