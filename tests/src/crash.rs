//! Simulates a process that ends in the middle of its work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::BeforeSerializationInterceptorContextMut;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;

use crate::engine;

/// Returns a client whose first `calls` calls succeed and whose later calls all fail, as if the process
/// had ended.
pub fn client_failing_after(calls: u32) -> Client {
    let crash = Crash(Arc::new(AtomicU32::new(calls)));
    let config = engine::config(engine::endpoint()).interceptor(crash);
    Client::from_conf(config.build())
}

#[derive(Debug)]
struct Crash(Arc<AtomicU32>);

impl Intercept for Crash {
    fn name(&self) -> &'static str {
        "Crash"
    }

    fn modify_before_serialization(
        &self,
        _: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let one_less = |left: u32| left.checked_sub(1);
        let taken = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        taken
            .map(|_| ())
            .map_err(|_| "the process has ended".into())
    }
}
