//! Records the IAM permissions that DynamoDB calls need. The mapping from calls to permissions follows
//! the Service Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB".

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

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
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsInput;
use aws_sdk_dynamodb::operation::update_item::UpdateItemInput;
use aws_sdk_dynamodb::types::TransactWriteItem;
use store::TableNames;

use crate::engine;

/// Action and resource, for example `dynamodb:Query` and `User/index/ByEmail`.
pub type Permission = (String, String);

/// Records the permission that each call of a client needs. Ignores `TransactGetItems`, which the functions do
/// not call.
#[derive(Clone, Debug)]
pub struct Recorder {
    prefix: String,
    seen: Arc<Mutex<BTreeSet<Permission>>>,
}

/// Returns a client and the recorder of its calls.
#[must_use]
pub fn recorded(tables: &TableNames) -> (Client, Recorder) {
    let recorder = Recorder {
        prefix: tables.of(""),
        seen: Arc::default(),
    };
    let config = engine::config(engine::endpoint()).interceptor(recorder.clone());
    (Client::from_conf(config.build()), recorder)
}

impl Recorder {
    /// Returns the permissions recorded so far.
    #[must_use]
    pub fn seen(&self) -> BTreeSet<Permission> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn note(&self, action: &str, table: Option<&str>, index: Option<&str>) {
        let table = table.unwrap_or_default().trim_start_matches(&self.prefix);
        let resource = match index {
            Some(index) => format!("{table}/index/{index}"),
            None => table.to_owned(),
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert((format!("dynamodb:{action}"), resource));
    }

    /// Records the permissions of one part of a transaction. DynamoDB has no permission for a transaction
    /// itself: it checks those of the parts.
    fn note_action(&self, action: &TransactWriteItem) {
        if let Some(check) = action.condition_check() {
            self.note("ConditionCheckItem", Some(check.table_name()), None);
        }
        if let Some(put) = action.put() {
            self.note("PutItem", Some(put.table_name()), None);
        }
        if let Some(update) = action.update() {
            self.note("UpdateItem", Some(update.table_name()), None);
        }
        if let Some(delete) = action.delete() {
            self.note("DeleteItem", Some(delete.table_name()), None);
        }
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
        macro_rules! note {
            ($($input:ty, $action:literal);+) => {
                $(if let Some(input) = input.downcast_ref::<$input>() {
                    self.note($action, input.table_name(), None);
                })+
            };
        }
        note!(
            GetItemInput, "GetItem";
            PutItemInput, "PutItem";
            UpdateItemInput, "UpdateItem";
            DeleteItemInput, "DeleteItem";
            DescribeTableInput, "DescribeTable"
        );
        if let Some(scan) = input.downcast_ref::<ScanInput>() {
            self.note("Scan", scan.table_name(), scan.index_name());
        }
        if let Some(query) = input.downcast_ref::<QueryInput>() {
            self.note("Query", query.table_name(), query.index_name());
        }
        if let Some(get) = input.downcast_ref::<BatchGetItemInput>() {
            for table in get
                .request_items()
                .into_iter()
                .flat_map(|tables| tables.keys())
            {
                self.note("BatchGetItem", Some(table), None);
            }
        }
        if let Some(write) = input.downcast_ref::<BatchWriteItemInput>() {
            for table in write
                .request_items()
                .into_iter()
                .flat_map(|tables| tables.keys())
            {
                self.note("BatchWriteItem", Some(table), None);
            }
        }
        if let Some(transaction) = input.downcast_ref::<TransactWriteItemsInput>() {
            for action in transaction.transact_items() {
                self.note_action(action);
            }
        }
        Ok(())
    }
}
