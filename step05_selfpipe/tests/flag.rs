//! The example `flag`, started as the book says: Ctrl-C in its gap stops it only at the next event.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use kit::proc::Stat;
use rustix::process::{Pid, Signal, kill_process};

const IN_THE_GAP: &str =
    "The flag is false, so the loop goes on. In the gap now: press Ctrl-C, then Enter.";

/// The running example, and the lines that it prints.
struct Example {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Example {
    /// Starts the example. Returns `None` in a notebook, whose page doesn't have it.
    fn start() -> Option<Self> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        if !package.join("examples/flag.rs").exists() {
            return None;
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut process = Command::new(cargo)
            .args(["run", "--quiet", "-p", "step05_selfpipe", "--example", "flag"])
            .current_dir(package)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Some(Example { process, lines })
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    fn press_ctrl_c(&self) {
        kill_process(Pid::from_child(&self.process), Signal::INT).unwrap();
    }

    /// Presses Enter, and returns the port that it waits on and its flag.
    fn press_enter(&mut self) -> (u16, String) {
        self.process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let line = self.line();
        let told = line.strip_prefix("Waiting on port ").unwrap();
        let (port, flag) = told.split_once(". The flag is ").unwrap();
        (port.parse().unwrap(), flag.to_owned())
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
    let Some(mut example) = Example::start() else { return };
    assert_eq!(example.line(), IN_THE_GAP);
    example.press_ctrl_c();
    let (port, flag) = example.press_enter();
    assert_eq!(flag, "true.", "the handler has run before the wait");
    example.wait_until_asleep();
    assert!(example.process.try_wait().unwrap().is_none(), "it waits, although its flag is set");
    let _client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    assert_eq!(example.line(), "Awake: 1 event.");
    assert_eq!(example.line(), "The flag is true: stopped.");
    assert!(example.process.wait().unwrap().success());
}

#[test]
fn ctrl_c_during_the_wait_stops_it_at_once() {
    let Some(mut example) = Example::start() else { return };
    assert_eq!(example.line(), IN_THE_GAP);
    let (_, flag) = example.press_enter();
    assert_eq!(flag, "false.");
    example.wait_until_asleep();
    example.press_ctrl_c();
    assert_eq!(example.line(), "Awake: 0 events.");
    assert_eq!(example.line(), "The flag is true: stopped.");
}
