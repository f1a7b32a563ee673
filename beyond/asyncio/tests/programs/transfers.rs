//! The example `transfers`, as the chapter shows it: its progress, and its end with the fix.

use std::thread;
use std::time::Duration;

use crate::support::Program;

#[test]
fn it_hangs_after_two_lines() {
    let mut program = Program::start("transfers", &[]);
    assert_eq!([program.line(), program.line()], ["Ann pays 10 to Bob", "Bob pays 20 to Ann"]);
    thread::sleep(Duration::from_millis(500));
    assert!(program.is_running());
}

#[test]
fn it_ends_if_both_lock_in_one_order() {
    let end = Program::start("transfers", &["in-order"]).end();
    let expected = "Ann pays 10 to Bob\n\
                    Bob has been paid\n\
                    Bob pays 20 to Ann\n\
                    Ann has been paid\n\
                    Ann has 110, and Bob has 40.\n";
    assert_eq!(end.rest, expected);
}
