//! A `watch` in progress, for tests.

#![allow(dead_code, reason = "each test file is a program of its own, and uses a part")]

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use kit::proc::threads_of;
use rustix::process::{Pid, Signal, kill_process};

/// The maximum time for a verdict on a busy machine, including compilation.
pub(crate) const LIMIT: Duration = Duration::from_mins(4);

/// The end of each verdict.
const END: &str = "press Ctrl-C.";

pub(crate) struct Watcher {
    runner: Child,
    verdicts: Receiver<String>,
}

impl Watcher {
    /// Starts `watch` with its output in a pipe. Its time limit doesn't stop a scene that hangs.
    pub(crate) fn begin(mut command: Command) -> Watcher {
        let (reader, writer) = std::io::pipe().expect("make a pipe");
        command.stdout(writer.try_clone().expect("duplicate the pipe")).stderr(writer);
        let runner = command.env("WORKBOOK_PATIENCE", "600").spawn().expect("start watch");
        drop(command);
        Watcher { runner, verdicts: verdicts(reader) }
    }

    /// Starts `watch` in a terminal whose other end we hold.
    pub(crate) fn in_a_terminal(mut command: Command, terminal: File, keyboard: File) -> Watcher {
        let again = || Stdio::from(terminal.try_clone().expect("duplicate the terminal"));
        command.stdin(again()).stdout(again()).stderr(again());
        let runner = command.spawn().expect("start watch");
        Watcher { runner, verdicts: verdicts(keyboard) }
    }

    /// Returns the next verdict.
    #[track_caller]
    pub(crate) fn verdict(&self) -> String {
        self.verdicts.recv_timeout(LIMIT).expect("a verdict")
    }

    /// Waits for a verdict that contains a text, skipping other verdicts. If two files are written
    /// one after the other, there can be a separate verdict after the first.
    #[track_caller]
    pub(crate) fn verdict_with(&self, text: &str) -> String {
        let deadline = Instant::now() + LIMIT;
        loop {
            let verdict = self.verdict();
            if verdict.contains(text) {
                return verdict;
            }
            assert!(Instant::now() < deadline, "{verdict}");
        }
    }

    /// Returns the processes that `watch` has started and that are still running.
    pub(crate) fn children(&self) -> Vec<String> {
        let pid = self.runner.id();
        let children = format!("/proc/{pid}/task/{pid}/children");
        let children = fs::read_to_string(children).expect("list its children");
        children.split_whitespace().map(str::to_owned).collect()
    }

    /// Returns all descendants of `watch`: judges, cargo, compilers, and scenes.
    pub(crate) fn descendants(&self) -> Vec<String> {
        let mut found = self.children();
        let mut next = 0;
        while let Some(process) = found.get(next) {
            let below = threads_of(&Path::new("/proc").join(process));
            let below = below.iter().filter_map(|it| fs::read_to_string(it.join("children")).ok());
            let below: Vec<String> = below.collect();
            found.extend(below.join(" ").split_whitespace().map(str::to_owned));
            next += 1;
        }
        found
    }

    /// Stops `watch` with a signal and returns its exit code.
    pub(crate) fn end(mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.runner), signal).expect("send the signal");
        self.runner.wait().expect("wait for watch").code()
    }

    /// Waits until `watch` exits by itself and returns its exit code and its last output.
    pub(crate) fn wait(mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + LIMIT;
        let mut said = String::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.verdicts.recv_timeout(left) {
                Ok(text) => said += &text,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it doesn't end: {said}"),
            }
        }
        (self.runner.wait().expect("wait for watch").code(), said)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // A failing test shouldn't leave a process behind.
        if let Ok(None) = self.runner.try_wait() {
            let _ = kill_process(Pid::from_child(&self.runner), Signal::TERM);
            let _ = self.runner.wait();
        }
    }
}

/// Reads the output in a thread and splits it after each verdict.
fn verdicts(mut output: impl Read + Send + 'static) -> Receiver<String> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            bytes.extend(&buffer[..count]);
            let text = String::from_utf8_lossy(&bytes).replace('\r', "");
            let text = text.replace("press\nCtrl-C.", END);
            if let Some(at) = text.rfind(END) {
                let _ = tell.send(text[..at + END.len()].to_owned());
                bytes = text.as_bytes()[at + END.len()..].to_vec();
            }
        }
        let _ = tell.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    told
}
