//! Compares what all tests of a run have done with template.yaml. Tests begin in the order of their names, so this
//! module is the last one.

use std::thread;
use std::time::{Duration, Instant};

use tests::recorder::differences_from_the_template;

/// The time that the tests of other threads get to end.
const PATIENCE: Duration = Duration::from_mins(2);

/// The calls of each function, as all tests record them, need exactly the permissions that the template gives it.
#[test]
fn functions_use_exactly_their_permissions() {
    // Arguments can select some of the tests, which use some of the permissions.
    if std::env::args().len() > 1 {
        return;
    }
    let begin = Instant::now();
    let mut differences = differences_from_the_template();
    while !differences.is_empty() && begin.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(100));
        differences = differences_from_the_template();
    }
    assert!(differences.is_empty(), "{differences:#?}");
}
