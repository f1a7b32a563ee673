//! The program: what it prints, and how it ends.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use support::{Client, HUGE, LARGE, site};

/// The program, which is killed when the test ends, even by a panic.
struct Program {
    process: Child,
    address: SocketAddr,
}

impl Program {
    fn start(site: &Path) -> Self {
        kit::limit_time();
        let mut command = Command::new(env!("CARGO_BIN_EXE_serve_files"));
        let mut process = command.arg(site).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.expect("it says where it serves").parse().unwrap();
        Program { process, address }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }

    /// Returns true while a first signal would be caught.
    fn handles(&self, signal: Signal) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
        caught & 1 << (signal.as_raw() - 1) != 0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // If it has ended by itself, there's nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_signal_ends_it_at_once_if_nothing_is_under_way() {
    let site = site("program_idle");
    for signal in [Signal::INT, Signal::TERM] {
        let mut program = Program::start(&site);
        let mut idle = Client::connect(program.address);
        assert_eq!(idle.get("/a.txt").status, 200);
        let began = Instant::now();
        program.signal(signal);
        assert!(program.process.wait().unwrap().success(), "after {signal:?}");
        assert!(began.elapsed() < Duration::from_secs(4), "no grace is needed");
        assert_eq!(idle.rest(), b"");
        assert!(TcpStream::connect(program.address).is_err());
    }
}

#[test]
fn an_answer_under_way_is_finished() {
    let site = site("program_finishes");
    for signal in [Signal::INT, Signal::TERM] {
        let mut program = Program::start(&site);
        let mut client = Client::connect(program.address);
        client.send(
            "GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\nGET /a.txt HTTP/1.1\r\nHost: x\r\n\r\n",
        );
        assert!(client.hears_within(Duration::from_secs(10)));
        program.signal(signal);
        while program.handles(signal) {
            thread::yield_now();
        }
        assert_eq!(client.answer().body.len() as u64, HUGE);
        assert_eq!(client.rest(), b"", "no other request is answered");
        drop(client);
        assert!(program.process.wait().unwrap().success());
    }
}

#[test]
fn a_client_that_does_not_read_delays_the_end_for_five_seconds_and_a_second_signal_ends_that() {
    let site = site("program_grace");
    let stuck = || {
        let program = Program::start(&site);
        let mut client = Client::connect(program.address);
        client.send("GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(client.hears_within(Duration::from_secs(10)));
        program.signal(Signal::TERM);
        while program.handles(Signal::TERM) {
            thread::yield_now();
        }
        (program, client)
    };
    let (mut patient, _client) = stuck();
    let began = Instant::now();
    let (mut impatient, _other_client) = stuck();
    impatient.signal(Signal::TERM);
    let ended = impatient.process.wait().unwrap();
    assert_eq!(ended.signal(), Some(Signal::TERM.as_raw()));
    assert!(patient.process.wait().unwrap().success());
    assert!(began.elapsed() >= Duration::from_secs(4), "{:?}", began.elapsed());
}

#[test]
fn a_mistake_on_the_command_line_is_explained() {
    let site = site("program_mistakes");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_serve_files"));
        let output = command.args(arguments).current_dir(&site).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run(&["--help"]).0, Some(0));
    assert_eq!(run(&[]).0, Some(2));
    assert_eq!(run(&[".", "--port", "x"]).0, Some(2));
    for (directory, why) in [("nothing", "No such file"), ("a.txt", "Not a directory")] {
        let (code, message) = run(&[directory]);
        assert_eq!(code, Some(1));
        assert!(message.contains(directory) && message.contains(why), "{message}");
    }
}

/// A small answer on a connection that stays open costs a read, an open, a stat, a read and a write,
/// and a close; and nothing is registered anew.
#[test]
fn a_small_answer_takes_six_system_calls() {
    let site = site("program_calls");
    if Command::new("strace").arg("-V").stdout(Stdio::null()).spawn().is_err() {
        eprintln!("skipped: strace isn't installed");
        return;
    }
    let program = Program::start(&site);
    let mut client = Client::connect(program.address);
    assert_eq!(client.get("/a.txt").status, 200);
    let mut strace = Command::new("strace");
    strace.args(["-p", &program.process.id().to_string()]).stderr(Stdio::piped());
    let mut strace = strace.spawn().unwrap();
    let mut trace = BufReader::new(strace.stderr.take().unwrap());
    let mut line = String::new();
    trace.read_line(&mut line).unwrap();
    if !line.contains("attached") {
        let _ = strace.wait();
        eprintln!("skipped: {line}");
        return;
    }
    for _ in 0..50 {
        assert_eq!(client.get("/a.txt").status, 200);
    }
    assert_eq!(client.get("/large.bin").body.len(), LARGE);
    drop(program);
    let mut rest = String::new();
    trace.read_to_string(&mut rest).unwrap();
    let _ = strace.wait();
    let small = rest.split("\"GET /large.bin").next().unwrap();
    let count =
        |name: &str| small.lines().filter(|line| line.starts_with(&format!("{name}("))).count();
    for name in ["openat2", "fstat", "preadv2", "close", "write"] {
        assert_eq!(count(name), 50, "{name} in\n{small}");
    }
    assert_eq!(count("read"), 51, "in\n{small}");
    // One wait per request; a restarted one has another name.
    assert!((50..=52).contains(&(count("epoll_wait") + count("epoll_pwait2"))), "in\n{small}");
    for name in ["epoll_ctl", "openat", "futex", "mmap", "munmap"] {
        assert_eq!(count(name), 0, "{name} in\n{small}");
    }
}
