//! Measures the capacity that DynamoDB calls consume.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::Client;
use cli::serve::call_meter::{CallMeter, RecordCall};

use crate::engine;
use crate::service::Service;

/// Adds up the capacity that calls consume.
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
pub fn metered() -> (Client, Meter) {
    let meter = Meter::default();
    let config = engine::config(engine::endpoint()).interceptor(CallMeter(meter.clone()));
    (Client::from_conf(config.build()), meter)
}

impl Service {
    /// Measures the calls of the functions, which have nothing in memory.
    pub fn metered(self) -> (Self, Meter) {
        let (client, meter) = metered();
        (self.with_functions_client(client), meter)
    }
}

impl Meter {
    /// Returns the capacity consumed since the last call of this function.
    pub fn take(&self) -> Consumed {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl RecordCall for Meter {
    fn record(&self, _: &str, _: bool, units: f64) {
        let mut consumed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        consumed.calls += 1;
        consumed.units += units;
    }
}
