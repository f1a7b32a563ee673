//! Clients for the echo servers of steps 02 to 07. Each client panics if the server doesn't answer
//! as it should.

#![allow(clippy::unwrap_used, reason = "a client is part of a test, which fails by panicking")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};

use crate::proc::Stat;

/// Declares the tests that the echo servers of steps 02 to 07 all have to pass.
#[macro_export]
macro_rules! echo_server_tests {
    ($program:expr) => {
        #[test]
        fn several_clients_are_answered_at_once() {
            $crate::clients::several_at_once($program);
        }

        #[test]
        fn a_message_larger_than_all_buffers_comes_back_whole_after_a_half_close() {
            $crate::clients::large_and_half_closed($program);
        }

        #[test]
        fn a_client_that_resets_ends_no_other() {
            $crate::clients::reset($program);
        }

        #[test]
        fn a_client_that_never_reads_delays_no_other() {
            $crate::clients::one_never_reads($program);
        }

        #[test]
        fn clients_without_a_descriptor_wait_until_others_have_left() {
            $crate::clients::more_than_descriptors($program);
        }

        #[test]
        fn a_server_out_of_descriptors_sleeps_and_accepts_again_when_there_are_some() {
            $crate::clients::room_comes_back($program);
        }

        #[test]
        fn silent_clients_are_accepted_at_once() {
            $crate::clients::silent_clients($program);
        }
    };
}

/// A server in a separate process. The process is killed when this value is dropped, even if the
/// test panics.
#[derive(Debug)]
pub struct Server {
    /// The process. We've read its standard output up to the address and then closed the stream.
    pub process: Child,
    /// The address that the server listens on.
    pub address: SocketAddr,
}

impl Server {
    /// Starts a step's program as a server. The server obeys SIGINT even if a script runs the tests
    /// in the background, where shells make programs ignore that signal.
    pub fn start(program: &str) -> Self {
        Server::from(Command::new("env").args(["--default-signal=INT", program, "serve-on", "0"]))
    }

    /// Starts any program that prints its address on its first line, as the echo servers do.
    pub fn from(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let address = address_of(&mut process);
        Server { process, address }
    }

    /// Sends a signal to the process.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Returns true if this descriptor is open in the process.
    fn has(&self, fd: u64) -> bool {
        fs::symlink_metadata(format!("/proc/{}/fd/{fd}", self.process.id())).is_ok()
    }

    /// Returns the number of descriptors that the process has open.
    fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.process.id())).unwrap().count()
    }

    /// Returns true if the process's main thread is asleep.
    fn is_asleep(&self) -> bool {
        let dir = format!("/proc/{}", self.process.id());
        Stat::of(Path::new(&dir)).unwrap().is_asleep()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error only means that the process has already exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Connects to a server, sends a short message and reads it back.
pub fn ping(server: SocketAddr) {
    let mut client = TcpStream::connect(server).unwrap();
    exchange(&mut client, b"ping");
}

/// Sends one message on an open connection and reads it back.
pub fn exchange(client: &mut TcpStream, message: &[u8]) {
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    client.write_all(message).unwrap();
    let mut answer = vec![0; message.len()];
    client.read_exact(&mut answer).unwrap();
    assert!(answer == message, "the answer is the message");
}

/// Connects eight clients at once. Each client sends messages of many sizes and reads them back.
pub fn several_at_once(program: &str) {
    let server = Server::start(program);
    let address = server.address;
    let clients: Vec<_> = (0..8)
        .map(|_| {
            thread::spawn(move || {
                let mut client = TcpStream::connect(address).unwrap();
                for size in (1..4000).step_by(37) {
                    exchange(&mut client, &pattern(size));
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
}

/// Sends far more than socket buffers usually hold and then shuts down the sending side. Meanwhile,
/// reads the answer to the end and compares it with the message.
pub fn large_and_half_closed(program: &str) {
    let server = Server::start(program);
    let message = pattern(16 << 20);
    let mut reader = TcpStream::connect(server.address).unwrap();
    let mut writer = reader.try_clone().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            writer.write_all(&message).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let mut answer = Vec::new();
        reader.read_to_end(&mut answer).unwrap();
        assert!(answer == message, "the answer is the message");
    });
}

/// Resets a connection by closing it while the answer is there but unread. Then checks that the
/// server answers the next client.
pub fn reset(program: &str) {
    let server = Server::start(program);
    let mut client = TcpStream::connect(server.address).unwrap();
    client.write_all(b"never mind").unwrap();
    client.peek(&mut [0]).unwrap();
    drop(client);
    ping(server.address);
}

/// Checks that the server answers a client while another client sends and never reads.
pub fn one_never_reads(program: &str) {
    let server = Server::start(program);
    let _greedy = never_reads(server.address);
    ping(server.address);
}

/// Connects and sends until a write would block, without reading. Returns the connection, so that
/// the caller can check how the server copes.
pub fn never_reads(server: SocketAddr) -> TcpStream {
    let mut client = TcpStream::connect(server).unwrap();
    client.set_nonblocking(true).unwrap();
    let message = pattern(1 << 20);
    while client.write(&message).is_ok() {}
    client
}

/// Returns the first `size` bytes of a sequence of ascending four-byte numbers. If bytes arrive in
/// the wrong order, a comparison detects the error.
pub fn pattern(size: usize) -> Vec<u8> {
    (0_u32..).flat_map(u32::to_le_bytes).take(size).collect()
}

/// Connects twice as many clients as the server has descriptors. Clients for which the server has
/// no descriptor at first must be answered once other clients have left.
pub fn more_than_descriptors(program: &str) {
    let script = r#"ulimit -n 20; exec "$0" serve-on 0"#;
    let server = Server::from(Command::new("sh").args(["-c", script, program]));
    let clients: Vec<_> = (0..40)
        .map(|_| {
            let mut client = TcpStream::connect(server.address).unwrap();
            client.write_all(b"ping").unwrap();
            client
        })
        .collect();
    for mut client in clients {
        client.read_exact(&mut [0; 4]).unwrap();
    }
}

/// Checks that a server sleeps while it's out of descriptors and accepts clients again once
/// descriptors are free. Clients that the server accepted early send nothing until the later
/// clients have been answered.
pub fn room_comes_back(program: &str) {
    const ROOM: u64 = 20;
    let server = Server::start(program);
    let before = prlimit(Some(server.pid()), Resource::Nofile, limit(ROOM)).unwrap();
    let clients: Vec<_> = (0..ROOM).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    until("all descriptors are taken", || (0..ROOM).all(|fd| server.has(fd)));
    until("it is asleep", || server.is_asleep());

    let wide = limit(before.maximum.unwrap_or(ROOM * 10));
    prlimit(Some(server.pid()), Resource::Nofile, wide).unwrap();
    // Go through the clients in reverse order, because a message from a client that the server has
    // already accepted would wake the server.
    for mut client in clients.into_iter().rev() {
        exchange(&mut client, b"ping");
    }
}

/// Returns this soft limit with the current hard limit, which an unprivileged process couldn't
/// raise again.
fn limit(current: u64) -> Rlimit {
    Rlimit { current: Some(current), maximum: getrlimit(Resource::Nofile).maximum }
}

/// Connects silent clients one by one and checks that the server accepts each of them without a
/// pause.
pub fn silent_clients(program: &str) {
    let server = Server::start(program);
    let empty = server.descriptors();
    let began = Instant::now();
    let mut clients = Vec::new();
    for count in 1..=12 {
        clients.push(TcpStream::connect(server.address).unwrap());
        until("the client is accepted", || server.descriptors() == empty + count);
    }
    assert!(
        began.elapsed() < Duration::from_secs(6),
        "12 clients took 6 s: the server pauses before it accepts"
    );
}

/// Checks that a silent client is disconnected, but not before `limit` has passed.
pub fn silent_for_too_long(server: SocketAddr, limit: Duration) {
    let began = Instant::now();
    let mut client = TcpStream::connect(server).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0, "the client reads the end of the stream");
    assert!(began.elapsed() >= limit);
}

/// Waits until the kernel refuses connections to this address. That may take a moment, because a
/// process that another test is starting holds all our descriptors until `execve` closes them.
pub fn until_nobody_listens(address: SocketAddr) {
    until("nobody is listening any more", || TcpStream::connect(address).is_err());
}

/// Waits until a condition is true. Panics if that takes more than ten seconds.
fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < Duration::from_secs(10), "not within ten seconds: {what}");
        thread::yield_now();
    }
}

/// Reads the address that a server prints on its first line.
fn address_of(server: &mut Child) -> SocketAddr {
    let mut line = String::new();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ");
    address.expect("an address on the first line").parse().unwrap()
}
