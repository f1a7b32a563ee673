//! Clients for the echo servers of all steps. Each panics if it is not answered as it should be.

#![allow(clippy::unwrap_used, reason = "a client is a test, and may fail by panic")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};

use crate::proc::Stat;

/// What every echo server must stand, from step 02 to step 07: tests for a program of a step.
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
        fn a_client_that_resets_ends_nobody_else() {
            $crate::clients::reset($program);
        }

        #[test]
        fn a_client_that_never_reads_holds_up_nobody_else() {
            $crate::clients::one_never_reads($program);
        }

        #[test]
        fn clients_for_whom_there_is_no_descriptor_wait_until_others_have_left() {
            $crate::clients::more_than_descriptors($program);
        }

        #[test]
        fn a_server_without_descriptors_sleeps_and_lets_clients_in_when_there_is_room_again() {
            $crate::clients::room_comes_back($program);
        }

        #[test]
        fn clients_are_let_in_at_once_though_nobody_says_a_word() {
            $crate::clients::silent_clients($program);
        }
    };
}
/// A server in a process of its own, which ends with the test, whatever becomes of that.
#[derive(Debug)]
pub struct Server {
    /// The process; its standard output has been read up to the address.
    pub process: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Starts the program of a step as a server.
    pub fn start(program: &str) -> Self {
        Server::from(Command::new(program).arg("serve"))
    }

    fn from(command: &mut Command) -> Self {
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

    /// Whether a descriptor of this number is open in the process.
    fn has(&self, number: u64) -> bool {
        fs::symlink_metadata(format!("/proc/{}/fd/{number}", self.process.id())).is_ok()
    }

    /// How many descriptors the process has open.
    fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.process.id())).unwrap().count()
    }

    /// Returns true if the process sleeps in a system call.
    fn is_asleep(&self) -> bool {
        let dir = format!("/proc/{}", self.process.id());
        Stat::of(Path::new(&dir)).unwrap().is_asleep()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // If it has ended by itself, there is nobody to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a short message and reads it back.
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

/// Many clients at once, each with many messages of different sizes.
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

/// Sends far more than the socket buffers hold, then says that this was all, and reads the answer.
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

/// Leaves with an answer unread, which resets the connection.
pub fn reset(program: &str) {
    let server = Server::start(program);
    let mut client = TcpStream::connect(server.address).unwrap();
    client.write_all(b"never mind").unwrap();
    client.peek(&mut [0]).unwrap();
    drop(client);
    ping(server.address);
}

/// One client sends and does not read; another one is answered.
pub fn one_never_reads(program: &str) {
    let server = Server::start(program);
    let _greedy = never_reads(server.address);
    ping(server.address);
}

/// Sends until nothing more fits, and does not read: its server must neither grow nor stop.
pub fn never_reads(server: SocketAddr) -> TcpStream {
    let mut client = TcpStream::connect(server).unwrap();
    client.set_nonblocking(true).unwrap();
    let message = pattern(1 << 20);
    while client.write(&message).is_ok() {}
    client
}

/// Bytes whose order shows.
pub fn pattern(size: usize) -> Vec<u8> {
    (0_u32..).flat_map(u32::to_le_bytes).take(size).collect()
}

/// Twice as many clients as the server has descriptors for. Those who come too late are answered
/// when others have left.
pub fn more_than_descriptors(program: &str) {
    let script = r#"ulimit -n 20; exec "$0" serve"#;
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

/// A server that runs out of descriptors goes to sleep, and takes clients in again when there is
/// room, though none of those it has says a word.
pub fn room_comes_back(program: &str) {
    const ROOM: u64 = 20;
    let server = Server::start(program);
    let before = prlimit(Some(server.pid()), Resource::Nofile, limit(ROOM)).unwrap();
    let clients: Vec<_> = (0..ROOM).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    until("all numbers are taken", || (0..ROOM).all(|number| server.has(number)));
    until("it is asleep", || server.is_asleep());

    let wide = limit(before.maximum.unwrap_or(ROOM * 10));
    prlimit(Some(server.pid()), Resource::Nofile, wide).unwrap();
    // From the last to the first: those that are in would wake the server.
    for mut client in clients.into_iter().rev() {
        exchange(&mut client, b"ping");
    }
}

/// A soft limit. The hard one stays as it is, since nobody could raise it again.
fn limit(current: u64) -> Rlimit {
    Rlimit { current: Some(current), maximum: getrlimit(Resource::Nofile).maximum }
}

/// One after the other is let in at once, though none of those before says a word.
pub fn silent_clients(program: &str) {
    let server = Server::start(program);
    let empty = server.descriptors();
    let began = Instant::now();
    let mut clients = Vec::new();
    for count in 1..=12 {
        clients.push(TcpStream::connect(server.address).unwrap());
        until("the client is let in", || server.descriptors() == empty + count);
    }
    assert!(began.elapsed() < Duration::from_secs(6), "half a second each is a pause");
}

/// A client that keeps silent is sent away, and not before its time.
pub fn silent_for_too_long(server: SocketAddr, limit: Duration) {
    let began = Instant::now();
    let mut client = TcpStream::connect(server).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0, "the client reads the end");
    assert!(began.elapsed() >= limit);
}

/// Waits until something is so, for ten seconds at most.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(10), "not within ten seconds: {what}");
        thread::yield_now();
    }
}

/// What a server says on its first line.
fn address_of(server: &mut Child) -> SocketAddr {
    let mut line = String::new();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ");
    address.expect("the first line says where").parse().unwrap()
}
