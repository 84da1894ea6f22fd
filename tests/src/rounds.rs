//! Counts the rounds of DynamoDB calls: calls that run at the same time are one round.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::{
    BeforeSerializationInterceptorContextRef, FinalizerInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;

use crate::engine;
use crate::service::Service;

/// Counts rounds of calls. A round begins with a call that is made while no other call runs. On a slow engine, the
/// first call of a round can begin before all calls of the round before have ended. Both then count as one round.
#[derive(Clone, Debug, Default)]
pub struct Rounds(Arc<Mutex<Counted>>);

#[derive(Debug, Default)]
struct Counted {
    running: u32,
    rounds: u32,
}

/// Returns a client and the counter of its rounds.
pub fn counted() -> (Client, Rounds) {
    let rounds = Rounds::default();
    let config = engine::config(engine::endpoint()).interceptor(rounds.clone());
    (Client::from_conf(config.build()), rounds)
}

impl Service {
    /// Counts the rounds of calls of the functions, which have nothing in memory.
    pub fn with_rounds(self) -> (Self, Rounds) {
        let (client, rounds) = counted();
        (self.with_functions_client(client), rounds)
    }
}

impl Rounds {
    /// Returns the number of rounds since the last call of this function.
    pub fn take(&self) -> u32 {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut counted.rounds)
    }
}

impl Intercept for Rounds {
    fn name(&self) -> &'static str {
        "Rounds"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.running == 0 {
            counted.rounds += 1;
        }
        counted.running += 1;
        Ok(())
    }

    fn read_after_execution(
        &self,
        _: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .running -= 1;
        Ok(())
    }
}
