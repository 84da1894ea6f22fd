//! Measures the request units that calls of DynamoDB use.

use std::fmt::Debug;

use aws_sdk_dynamodb::config::interceptors::{
    BeforeSerializationInterceptorContextMut, FinalizerInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::batch_get_item::{BatchGetItemInput, BatchGetItemOutput};
use aws_sdk_dynamodb::operation::batch_write_item::{BatchWriteItemInput, BatchWriteItemOutput};
use aws_sdk_dynamodb::operation::delete_item::{DeleteItemInput, DeleteItemOutput};
use aws_sdk_dynamodb::operation::get_item::{GetItemInput, GetItemOutput};
use aws_sdk_dynamodb::operation::put_item::{PutItemInput, PutItemOutput};
use aws_sdk_dynamodb::operation::query::{QueryInput, QueryOutput};
use aws_sdk_dynamodb::operation::scan::{ScanInput, ScanOutput};
use aws_sdk_dynamodb::operation::transact_write_items::{
    TransactWriteItemsInput, TransactWriteItemsOutput,
};
use aws_sdk_dynamodb::operation::update_item::{UpdateItemInput, UpdateItemOutput};
use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity};
use aws_smithy_runtime_api::client::orchestrator::Metadata;

/// Takes the measurements of calls.
pub trait RecordCall: Debug + Send + Sync + 'static {
    /// Records a call. `units` are the read and write request units of a call that succeeded. DynamoDB also charges for
    /// a write whose condition fails, but does not say how much.
    fn record(&self, operation: &str, is_success: bool, units: f64);
}

/// An interceptor that asks for the units of each call.
#[derive(Clone, Debug)]
pub struct CallMeter<R>(pub R);

impl<R: RecordCall> Intercept for CallMeter<R> {
    fn name(&self) -> &'static str {
        "CallMeter"
    }

    fn modify_before_serialization(
        &self,
        context: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let total = Some(ReturnConsumedCapacity::Total);
        let input = context.input_mut();
        macro_rules! ask {
            ($($input:ty),+) => {
                $(if let Some(input) = input.downcast_mut::<$input>() {
                    input.return_consumed_capacity = total.clone();
                })+
            };
        }
        ask!(
            GetItemInput,
            BatchGetItemInput,
            QueryInput,
            ScanInput,
            BatchWriteItemInput,
            PutItemInput,
            UpdateItemInput,
            DeleteItemInput,
            TransactWriteItemsInput
        );
        Ok(())
    }

    fn read_after_execution(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let operation = config.load::<Metadata>().map_or("unknown", Metadata::name);
        let output = context.output_or_error().and_then(Result::ok);
        let mut units = 0.0;
        macro_rules! read {
            ($($output:ty),+) => {
                $(if let Some(output) = output.and_then(|output| output.downcast_ref::<$output>()) {
                    units += sum(output.consumed_capacity.as_slice());
                })+
            };
        }
        macro_rules! read_several {
            ($($output:ty),+) => {
                $(if let Some(output) = output.and_then(|output| output.downcast_ref::<$output>()) {
                    units += sum(output.consumed_capacity());
                })+
            };
        }
        read!(
            GetItemOutput,
            QueryOutput,
            ScanOutput,
            PutItemOutput,
            UpdateItemOutput,
            DeleteItemOutput
        );
        read_several!(
            BatchGetItemOutput,
            BatchWriteItemOutput,
            TransactWriteItemsOutput
        );
        self.0.record(operation, output.is_some(), units);
        Ok(())
    }
}

fn sum(capacity: &[ConsumedCapacity]) -> f64 {
    let units = capacity.iter().filter_map(ConsumedCapacity::capacity_units);
    units.sum()
}
