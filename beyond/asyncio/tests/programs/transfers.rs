//! The example `transfers`, as the chapter shows it: its progress, and its end with the fix.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use kit::limit_time;

fn example() -> Command {
    limit_time();
    kit::example("asyncio", "transfers")
}

/// The example, which ends with the test.
struct Example(Child);

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn it_hangs_after_two_lines() {
    let mut example = Example(example().stdout(Stdio::piped()).spawn().unwrap());
    let lines = BufReader::new(example.0.stdout.take().unwrap()).lines();
    let lines: Vec<String> = lines.take(2).map(|line| line.unwrap()).collect();
    assert_eq!(lines, ["Ann pays 10 to Bob", "Bob pays 20 to Ann"]);
    thread::sleep(Duration::from_millis(500));
    assert!(example.0.try_wait().unwrap().is_none());
}

#[test]
fn it_ends_if_both_lock_in_one_order() {
    let output = example().arg("in-order").output().unwrap();
    let expected = "Ann pays 10 to Bob\n\
                    Bob has been paid\n\
                    Bob pays 20 to Ann\n\
                    Ann has been paid\n\
                    Ann has 110, and Bob has 40.\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}
