//! Clients for the echo servers of all steps. Each panics if it is not answered as it should be.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

/// A server in a process of its own, which ends with the test, whatever becomes of that.
pub(crate) struct Server(pub(crate) Child);

impl Server {
    pub(crate) fn start(command: &mut Command) -> Self {
        Server(command.stdout(Stdio::piped()).spawn().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // If it has ended by itself, there is nobody to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a short message and reads it back.
pub(crate) fn ping(server: SocketAddr) {
    let mut client = TcpStream::connect(server).unwrap();
    exchange(&mut client, b"ping");
}

/// Sends one message on an open connection and reads it back.
pub(crate) fn exchange(client: &mut TcpStream, message: &[u8]) {
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    client.write_all(message).unwrap();
    let mut answer = vec![0; message.len()];
    client.read_exact(&mut answer).unwrap();
    assert!(answer == message, "the answer is the message");
}

/// Many clients at once, each with many messages of different sizes.
pub(crate) fn several_at_once(server: SocketAddr) {
    let clients: Vec<_> = (0..8)
        .map(|_| {
            thread::spawn(move || {
                let mut client = TcpStream::connect(server).unwrap();
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
pub(crate) fn large_and_half_closed(server: SocketAddr) {
    let message = pattern(16 << 20);
    let mut reader = TcpStream::connect(server).unwrap();
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
pub(crate) fn reset(server: SocketAddr) {
    let mut client = TcpStream::connect(server).unwrap();
    client.write_all(b"never mind").unwrap();
    client.peek(&mut [0]).unwrap();
}

/// Sends until nothing more fits, and does not read: its server must neither grow nor stop.
pub(crate) fn never_reads(server: SocketAddr) -> TcpStream {
    let mut client = TcpStream::connect(server).unwrap();
    client.set_nonblocking(true).unwrap();
    let message = pattern(1 << 20);
    while client.write(&message).is_ok() {}
    client
}

/// Bytes whose order shows.
pub(crate) fn pattern(size: usize) -> Vec<u8> {
    (0_u32..).flat_map(u32::to_le_bytes).take(size).collect()
}

/// Twice as many clients as the server has descriptors for. Those who come too late are answered
/// when others have left.
pub(crate) fn more_than_descriptors(program: &str) {
    let script = r#"ulimit -n 20; exec "$0" serve"#;
    let mut server = Server::start(Command::new("sh").args(["-c", script, program]));
    let address = address_of(&mut server.0);
    let clients: Vec<_> = (0..40)
        .map(|_| {
            let mut client = TcpStream::connect(address).unwrap();
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
pub(crate) fn room_comes_back(program: &str) {
    const ROOM: u64 = 20;
    let mut server = Server::start(Command::new(program).arg("serve"));
    let address = address_of(&mut server.0);
    let before = prlimit(Some(Pid::from_child(&server.0)), Resource::Nofile, limit(ROOM)).unwrap();
    let clients: Vec<_> = (0..ROOM).map(|_| TcpStream::connect(address).unwrap()).collect();
    until("all numbers are taken", || (0..ROOM).all(|number| has(&server.0, number)));
    until("it is asleep", || state(&server.0) == "S");

    let wide = limit(before.maximum.unwrap_or(ROOM * 10));
    prlimit(Some(Pid::from_child(&server.0)), Resource::Nofile, wide).unwrap();
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
pub(crate) fn silent_clients(program: &str) {
    let mut server = Server::start(Command::new(program).arg("serve"));
    let address = address_of(&mut server.0);
    let empty = descriptors(&server.0);
    let began = Instant::now();
    let mut clients = Vec::new();
    for count in 1..=12 {
        clients.push(TcpStream::connect(address).unwrap());
        until("the client is let in", || descriptors(&server.0) == empty + count);
    }
    assert!(began.elapsed() < Duration::from_secs(6), "half a second each is a pause");
}

/// Waits until something is so, for ten seconds at most.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(10), "not within ten seconds: {what}");
        thread::yield_now();
    }
}

/// Whether a descriptor of this number is open in a process.
fn has(process: &Child, number: u64) -> bool {
    fs::symlink_metadata(format!("/proc/{}/fd/{number}", process.id())).is_ok()
}

/// How many descriptors a process has open.
fn descriptors(process: &Child) -> u64 {
    fs::read_dir(format!("/proc/{}/fd", process.id())).unwrap().count() as u64
}

/// What a process does: `S` is asleep, `R` runs. See `proc_pid_stat(5)`.
fn state(process: &Child) -> String {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    let (_, rest) = stat.rsplit_once(") ").unwrap();
    rest[..1].to_string()
}

/// What a server says on its first line.
pub(crate) fn address_of(server: &mut Child) -> SocketAddr {
    let mut line = String::new();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ");
    address.expect("the first line says where").parse().unwrap()
}
