//! Measures the capacity that DynamoDB calls consume.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::Client;
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

use crate::engine;

/// Adds up the capacity that calls consume, by setting `ReturnConsumedCapacity` on each of them.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Consumed>>);

/// Consumed capacity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Consumed {
    /// Number of calls.
    pub calls: u32,
    /// Read and write capacity units of the calls that succeeded. DynamoDB also charges for a write whose condition
    /// fails, but does not say how much.
    pub units: f64,
}

/// Returns a client and the meter of its calls.
#[must_use]
pub fn metered() -> (Client, Meter) {
    let meter = Meter::default();
    let config = engine::config(engine::endpoint()).interceptor(meter.clone());
    (Client::from_conf(config.build()), meter)
}

impl Meter {
    /// Returns the capacity consumed since the last call of this function.
    #[must_use]
    pub fn take(&self) -> Consumed {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, capacity: &[ConsumedCapacity]) {
        let mut consumed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        consumed.calls += 1;
        let units = capacity.iter().filter_map(ConsumedCapacity::capacity_units);
        consumed.units += units.sum::<f64>();
    }
}

impl Intercept for Meter {
    fn name(&self) -> &'static str {
        "Meter"
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
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(Ok(output)) = context.output_or_error() else {
            self.add(&[]);
            return Ok(());
        };
        macro_rules! read {
            ($($output:ty),+) => {
                $(if let Some(output) = output.downcast_ref::<$output>() {
                    self.add(output.consumed_capacity.as_slice());
                })+
            };
        }
        macro_rules! read_several {
            ($($output:ty),+) => {
                $(if let Some(output) = output.downcast_ref::<$output>() {
                    self.add(output.consumed_capacity());
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
        Ok(())
    }
}
