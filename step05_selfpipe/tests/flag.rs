//! The example `flag`, started as the book says: Ctrl-C in its gap stops it only at the next event.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use kit::proc::Stat;
use rustix::process::{Pid, Signal, kill_process};

const IN_THE_GAP: &str = "The flag is false. Now the gap: press Enter to go on to the wait.";

/// The running example, and the lines that it prints.
struct Example {
    process: Child,
    address: String,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Example {
    fn start() -> Self {
        let mut process = kit::example("step05_selfpipe", "flag")
            .arg("127.0.0.1:0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let address = line.strip_prefix("listening on ").unwrap().to_owned();
        Example { process, address, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    fn press_ctrl_c(&self) {
        kill_process(Pid::from_child(&self.process), Signal::INT).unwrap();
    }

    fn press_enter(&mut self) {
        self.process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    fn wait_until_asleep(&self) {
        let proc = Path::new("/proc").join(self.process.id().to_string());
        while !Stat::of(&proc).unwrap().is_asleep() {
            std::thread::yield_now();
        }
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn ctrl_c_in_the_gap_is_noticed_only_at_the_next_event() {
    let mut example = Example::start();
    assert_eq!(example.line(), IN_THE_GAP);
    example.press_ctrl_c();
    example.press_enter();
    assert_eq!(example.line(), "Waiting. The flag is true.");
    example.wait_until_asleep();
    assert!(example.process.try_wait().unwrap().is_none(), "it waits, although its flag is set");
    let _client = TcpStream::connect(&example.address).unwrap();
    assert_eq!(example.line(), "Awake. Events: 1.");
    assert_eq!(example.line(), "Stopped, because the flag is true.");
    assert!(example.process.wait().unwrap().success());
}

#[test]
fn ctrl_c_during_the_wait_stops_it_at_once() {
    let mut example = Example::start();
    assert_eq!(example.line(), IN_THE_GAP);
    example.press_enter();
    assert_eq!(example.line(), "Waiting. The flag is false.");
    example.wait_until_asleep();
    example.press_ctrl_c();
    assert_eq!(example.line(), "Awake. Events: 0.");
    assert_eq!(example.line(), "Stopped, because the flag is true.");
}
