//! Compares what all tests of a run have done with template.yaml. Tests begin in the order of their names, so this
//! module is the last one.

use std::thread;
use std::time::{Duration, Instant};

use tests::recorder::differences_from_the_template;

/// The time within which the tests of other threads should end.
const PATIENCE: Duration = Duration::from_mins(2);

/// The beginnings of the options that leave tests out or change their order.
const SELECTING: [&str; 5] = ["--bench", "--exclude", "--ignored", "--shuffle", "--skip"];

/// The options whose value is the next argument.
const WITH_VALUE: [&str; 5] = ["--color", "--format", "--logfile", "--test-threads", "-Z"];

/// Returns true if a run with these arguments makes all tests, in the order of their names. An argument that is neither
/// an option nor the value of one selects tests by their names.
fn makes_all_tests<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> bool {
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let argument = argument.as_ref();
        let is_selecting = |start: &&str| argument.starts_with(start);
        if !argument.starts_with('-') || SELECTING.iter().any(is_selecting) {
            return false;
        }
        if WITH_VALUE.contains(&argument) {
            arguments.next();
        }
    }
    true
}

#[test]
fn arguments_can_select_tests() {
    let is_whole = |arguments: &str| makes_all_tests(arguments.split_whitespace());
    for whole in ["", "--nocapture", "-q --test-threads 2"] {
        assert!(is_whole(whole), "{whole}");
    }
    for part in ["users", "-q users", "--skip users", "--ignored"] {
        assert!(!is_whole(part), "{part}");
    }
}

#[test]
fn module_is_the_last_one() {
    let mut lines = include_str!("main.rs").lines();
    let last = lines.rfind(|line| line.starts_with("mod "));
    assert_eq!(last, Some("mod whole_run;"));
}

/// The calls of each function, as all tests record them, need exactly the permissions that the template gives it.
#[test]
fn functions_use_exactly_their_permissions() {
    // A part of the tests needs only a part of the permissions.
    if !makes_all_tests(std::env::args().skip(1)) {
        eprintln!("skipped: only a run of all tests records all calls");
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
