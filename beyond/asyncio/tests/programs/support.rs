//! Runs one of the programs in `examples/` as a user would: with arguments, signals and sockets.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use kit::limit_time;
use kit::loopback::small_segments;
use kit::proc::Stat;
use rustix::net::sockopt::set_socket_recv_buffer_size;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, socket_with};
use rustix::process::{Pid, Signal, kill_process};

/// The names of all programs.
pub(crate) const ALL: [&str; 6] = ["echo", "chat", "crawl", "graceful", "blocked", "resolver"];

/// Connects a client for which the kernel keeps few unread bytes, tens of KiB, so that the buffer
/// is soon full.
pub(crate) fn connect_with_little_room(address: SocketAddr) -> TcpStream {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None).unwrap();
    set_socket_recv_buffer_size(&socket, 4096).unwrap();
    small_segments(&socket).unwrap();
    connect(&socket, &address).unwrap();
    TcpStream::from(socket)
}

/// A running program, which ends with the test.
pub(crate) struct Program {
    process: Child,
    output: BufReader<ChildStdout>,
}

/// The end of a program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) code: Option<i32>,
    /// The output since the last line that was read.
    pub(crate) rest: String,
    pub(crate) errors: String,
}

impl Program {
    pub(crate) fn start(name: &str, arguments: &[&str]) -> Self {
        Program::start_by(kit::example("asyncio", name), arguments)
    }

    /// Starts a program like a shell that ignores this signal, such as SIGINT in the background.
    pub(crate) fn start_ignoring(signal: &str, name: &str, arguments: &[&str]) -> Self {
        let mut shell = kit::as_in_a_terminal("sh");
        shell.args(["-c", &format!(r#"trap "" {signal}; exec "$0" "$@""#)]);
        shell.arg(kit::example_program("asyncio", name));
        Program::start_by(shell, arguments)
    }

    fn start_by(mut command: Command, arguments: &[&str]) -> Self {
        limit_time();
        // The input is closed: no program needs any.
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Program { process, output }
    }

    /// Returns the next line that the program prints, without its end.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the program has ended: {:?}", self.end());
        line.trim_end().to_owned()
    }

    /// Returns the address in the next line, on which the program listens.
    pub(crate) fn address(&mut self) -> SocketAddr {
        self.line().strip_prefix("listening on ").unwrap().parse().unwrap()
    }

    /// Reads until the program has printed this text, which can be a part of a line.
    pub(crate) fn reads_up_to(&mut self, text: &str) {
        let mut printed = Vec::new();
        while !printed.ends_with(text.as_bytes()) {
            let mut byte = [0];
            self.output.read_exact(&mut byte).unwrap();
            printed.push(byte[0]);
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }

    /// Returns when the program sleeps, in its loop's wait or because its output isn't read.
    pub(crate) fn until_asleep(&self) {
        let directory = format!("/proc/{}", self.process.id());
        while !Stat::of(Path::new(&directory)).unwrap().is_asleep() {
            thread::yield_now();
        }
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// Waits until the program has ended.
    pub(crate) fn end(&mut self) -> End {
        let (mut rest, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        self.process.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        End { code: self.process.wait().unwrap().code(), rest, errors }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
