//! The example `frozen`, as the chapter shows it: neither its clock nor Ctrl-C gets a turn while a
//! callback sleeps.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use kit::limit_time;
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn its_clock_and_ctrl_c_wait_for_the_callback() {
    limit_time();
    let mut command = kit::example("step07_full_loop", "frozen");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut example = command.spawn().unwrap();
    let mut lines = BufReader::new(example.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "tick");
    writeln!(example.stdin.as_mut().unwrap(), "2").unwrap();
    let works = lines.find(|line| line != "tick").unwrap();
    assert_eq!(works, "works for 2 s");
    kill_process(Pid::from_child(&example), Signal::INT).unwrap();
    // No line comes in between. When the callback is over, the loop learns of the signal.
    assert_eq!(lines.next().unwrap(), "is done");
    assert_eq!(lines.find(|line| line != "tick"), None);
    let output = example.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "Error: Interrupted\n");
}
