//! Tests the program: its output and its shutdown.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod support;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kit::proc::Stat;
use rustix::process::{Pid, Signal, kill_process};
use support::{Client, HUGE, LARGE, site};

/// The running program, which is killed when this value is dropped, even after a panic.
struct Program {
    process: Child,
    address: SocketAddr,
}

impl Program {
    fn start(site: &Path) -> Self {
        Program::start_by(&mut kit::as_in_a_terminal(env!("CARGO_BIN_EXE_serve_files")), site)
    }

    /// Starts the program from a shell that ignores these signals, as when a script starts a
    /// program in the background with SIGINT ignored.
    fn start_ignoring(signals: &str, site: &Path) -> Self {
        let mut shell = kit::as_in_a_terminal("sh");
        let script = format!(r#"trap "" {signals}; exec "$0" "$@""#);
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_serve_files")]);
        Program::start_by(&mut shell, site)
    }

    fn start_by(command: &mut Command, site: &Path) -> Self {
        kit::limit_time();
        let mut process = command.arg(site).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.expect("it says where it serves").parse().unwrap();
        Program { process, address }
    }

    /// Returns once the program is asleep. It sleeps only in its loop's wait.
    fn until_asleep(&self) {
        let directory = format!("/proc/{}", self.process.id());
        while !Stat::of(Path::new(&directory)).unwrap().is_asleep() {
            thread::yield_now();
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }

    /// Returns true as long as the program would handle a first signal.
    fn handles(&self, signal: Signal) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
        caught & 1 << (signal.as_raw() - 1) != 0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // If the program has already exited, there's nothing to kill.
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
fn a_signal_that_is_ignored_when_it_starts_stays_ignored() {
    let site = site("program_ignores");
    for (ignored, signals) in [
        ("INT", &[Signal::INT][..]),
        ("TERM", &[Signal::TERM]),
        ("INT TERM HUP", &[Signal::INT, Signal::TERM, Signal::HUP]),
    ] {
        let mut program = Program::start_ignoring(ignored, &site);
        // The program is serving, so all its handlers have been set.
        let mut client = Client::connect(program.address);
        assert_eq!(client.get("/marker.txt").status, 200);
        for &signal in signals {
            assert!(!program.handles(signal), "{signal:?}");
            program.signal(signal);
        }
        assert_eq!(client.get("/marker.txt").status, 200, "it was told to end by {ignored}");
        assert_eq!(Client::connect(program.address).get("/marker.txt").status, 200);
        let other = [Signal::TERM, Signal::INT].into_iter().find(|it| !signals.contains(it));
        if let Some(other) = other {
            program.signal(other);
            assert!(program.process.wait().unwrap().success(), "after {other:?}");
        }
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

/// The server doesn't keep bytes for which a client has no room. It reads them again once there's
/// room.
#[test]
fn clients_that_do_not_read_cost_hardly_any_memory() {
    const CLIENTS: usize = 300;
    let program = Program::start(&site("program_memory"));
    let anonymous_kib = || {
        let status = format!("/proc/{}/status", program.process.id());
        let status = fs::read_to_string(status).unwrap();
        let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap()
    };
    let stuck = |_| {
        let mut client = Client::connect(program.address);
        client.send("GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(client.hears_within(Duration::from_secs(10)));
        client
    };
    let _first = stuck(0);
    let before = anonymous_kib();
    let _clients: Vec<Client> = (1..CLIENTS).map(stuck).collect();
    let each = anonymous_kib().saturating_sub(before) / CLIENTS;
    assert!(each < 16, "{each} KiB for each");
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

#[test]
fn a_port_that_is_taken_is_named() {
    let site = site("program_taken");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_serve_files"));
    let output = command.arg(&site).args(["--port", &port]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(message.contains(&format!("on port {port}: ")), "{message}");
    assert!(message.ends_with("Address already in use (os error 98)\n"), "{message}");
}

#[test]
fn an_output_without_room_is_an_error_and_one_that_nothing_reads_is_none() {
    let site = site("program_output");
    let run = |output: Stdio, argument: &OsStr| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_serve_files"));
        let output = command.arg(argument).stdout(output).stderr(Stdio::piped()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let error = "error: write to the standard output: No space left on device (os error 28)\n";
    for argument in [OsStr::new("--help"), site.as_os_str()] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(run(full.into(), argument), (Some(1), error.to_owned()));
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(run(writer.into(), OsStr::new("--help")), (Some(0), String::new()));
}

/// Returns the names of the system calls that a server makes for a client's requests, in order, or
/// `None` if strace can't be used.
fn system_calls(program: Program, requests: impl FnOnce()) -> Option<Vec<String>> {
    program.until_asleep();
    let mut strace = Command::new("strace");
    strace.args(["-p", &program.process.id().to_string()]).stderr(Stdio::piped());
    let Ok(mut strace) = strace.spawn() else {
        eprintln!("skipped: strace isn't installed");
        return None;
    };
    let mut trace = BufReader::new(strace.stderr.take().unwrap());
    let mut first = String::new();
    trace.read_line(&mut first).unwrap();
    let is_attached = first.contains("attached");
    if is_attached {
        requests();
        // After the last answer, the server closes the last file and goes back to waiting.
        program.until_asleep();
    } else {
        eprintln!("skipped: {first}");
    }
    drop(program);
    let lines = trace.lines().map(Result::unwrap);
    let names = lines.filter_map(|line| Some(line.split_once('(')?.0.to_owned())).collect();
    let _ = strace.wait();
    is_attached.then_some(names)
}

/// On a connection that stays open, a small answer costs a recv, an open, a stat, a read, a send
/// and a close. No descriptor is registered again.
#[test]
fn a_small_answer_takes_six_system_calls_and_a_wait() {
    const REQUESTS: usize = 50;
    let program = Program::start(&site("program_calls"));
    let mut client = Client::connect(program.address);
    assert_eq!(client.get("/a.txt").status, 200);
    let ask = || (0..REQUESTS).for_each(|_| assert_eq!(client.get("/a.txt").status, 200));
    let Some(calls) = system_calls(program, ask) else { return };
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    for name in ["recvfrom", "openat2", "fstat", "preadv2", "close", "sendto"] {
        assert_eq!(count(name), REQUESTS, "{name} in {calls:?}");
    }
    let waits = count("epoll_wait") + count("epoll_pwait2");
    // The wait during which strace attaches to the server may count as well.
    assert!((REQUESTS..=REQUESTS + 1).contains(&waits), "{calls:?}");
    for name in ["epoll_ctl", "openat", "futex", "mmap", "munmap"] {
        assert_eq!(count(name), 0, "{name} in {calls:?}");
    }
}

/// No matter how fast a client reads, the loop checks on the other clients after each piece.
#[test]
fn a_large_answer_lets_others_have_their_turn_after_each_piece() {
    let program = Program::start(&site("program_turns"));
    let mut client = Client::connect(program.address);
    let ask = || assert_eq!(client.get("/large.bin").body.len(), LARGE);
    let Some(calls) = system_calls(program, ask) else { return };
    let count = |calls: &[String], name: &str| calls.iter().filter(|call| *call == name).count();
    assert!(count(&calls, "sendfile") >= LARGE / (1024 * 1024), "{calls:?}");
    for tick in calls.split(|call| call.starts_with("epoll_")) {
        // Before sending a piece, the server checks whether its first and last bytes are in memory.
        assert!(count(tick, "preadv2") <= 2, "{tick:?} in {calls:?}");
    }
}
