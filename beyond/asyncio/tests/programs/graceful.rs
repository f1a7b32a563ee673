//! `graceful` and a client that doesn't read its answers: the server still sends them, and the
//! client delays the server's end only until the time is up.

use std::fs;
use std::io::{Read, Write};
use std::mem;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use crate::support::{Program, connect_with_little_room};
use rustix::process::Signal;

const ANSWER: &str = "worked for 0 s\n";

/// Requests that are sent in one go.
const BATCH: usize = 1000;

/// The time between two looks at the kernel's queues. A look makes the kernel list all sockets, and
/// the kernel's probes come a fifth of a second apart, so looks without a break would keep a core
/// busy for seconds.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// A client that has sent requests, has read nothing, and now sends no more. All the server's
/// buffers in the kernel are full, and the rest of the answers, one to two batches, waits in the
/// server's process. That's less than the writer's high-water mark, so the server has finished
/// every request and the client is idle.
struct Idle {
    server: Program,
    stream: TcpStream,
    answers: usize,
}

impl Idle {
    fn client(grace: &str) -> Self {
        let mut server = Program::start("graceful", &["--port", "0", "--grace", grace]);
        let stream = connect_with_little_room(server.address());
        let mut client = Idle { server, stream, answers: 0 };
        let (mut next_probe, mut has_answered) = (None, false);
        loop {
            client.until_all_is_read();
            let queues = client.server_to_client();
            let in_the_kernel = queues.to_send + queues.to_read;
            if client.answers * ANSWER.len() < in_the_kernel + BATCH * ANSWER.len() {
                client.asks(BATCH);
                client.reads_what_it_prints(BATCH);
                client.answers += BATCH;
                (next_probe, has_answered) = (None, false);
                continue;
            }
            // The kernel makes the server's full buffer larger, but not before the client's side
            // acknowledges something. The client's own buffer is full, so it only answers probes:
            // we wait for an answered probe and check once more whether the server has room.
            if has_answered {
                break;
            }
            let before = mem::replace(&mut next_probe, queues.next_probe);
            has_answered = before.is_some() && next_probe > before;
            thread::sleep(BETWEEN_LOOKS);
        }
        client
    }

    fn asks(&mut self, count: usize) {
        self.stream.write_all("0\n".repeat(count).as_bytes()).unwrap();
    }

    fn reads_what_it_prints(&mut self, lines: usize) {
        (0..lines).for_each(|_| assert_eq!(self.server.line(), "works for 0 s"));
    }

    /// Returns when no request is on its way and the server sleeps. Its output has room in the
    /// pipe.
    fn until_all_is_read(&self) {
        let [client, server] = self.addresses();
        let is_on_its_way = |queues: Queues| queues.to_send + queues.to_read > 0;
        while is_on_its_way(Queues::between(client, server)) {
            thread::sleep(BETWEEN_LOOKS);
        }
        self.server.until_asleep();
    }

    fn server_to_client(&self) -> Queues {
        let [client, server] = self.addresses();
        Queues::between(server, client)
    }

    fn addresses(&self) -> [SocketAddr; 2] {
        [self.stream.local_addr().unwrap(), self.stream.peer_addr().unwrap()]
    }

    /// Sends a signal and reads on until the server prints the number of requests under way.
    fn ends_the_server(&mut self, under_way: usize) {
        self.server.signal(Signal::TERM);
        let news = loop {
            let line = self.server.line();
            if line.starts_with("no more clients") {
                break line;
            }
        };
        assert!(news.ends_with(&format!(" s for what's under way: {under_way}")), "{news}");
    }

    fn is_cut_off(&mut self) {
        let end = self.server.end();
        assert_eq!(end.code, Some(1), "{end:?}");
        assert_eq!(end.errors, "error: requests that were cut off: 1\n");
    }
}

/// The bytes in the kernel that are on their way from one end of a connection to the other.
struct Queues {
    /// The number of bytes that wait in the sender's socket.
    to_send: usize,
    /// The number in the receiver's socket. Unacknowledged bytes can count twice.
    to_read: usize,
    /// The ticks until the sender asks again whether the receiver has room. At first and after each
    /// negative answer, that's a larger number than before. `None` if the sender isn't going to
    /// ask, or has asked and has no answer yet.
    next_probe: Option<u64>,
}

impl Queues {
    /// Reads `/proc/net/tcp`, a line per socket: see the kernel's `proc_net_tcp.txt`.
    fn between(sender: SocketAddr, receiver: SocketAddr) -> Self {
        let sockets = fs::read_to_string("/proc/net/tcp").unwrap();
        let fields_of = |from: SocketAddr, to: SocketAddr| {
            let ends = [from, to].map(|end| format!(":{:04X} ", end.port()));
            let of_this = |line: &&str| {
                let [from, to] = ends.each_ref().map(|end| line.find(end));
                from.is_some() && from < to
            };
            let line = sockets.lines().find(of_this).unwrap();
            line.split_whitespace().collect::<Vec<_>>()
        };
        let bytes = |digits: &str| usize::from_str_radix(digits, 16).unwrap();
        let (sending, receiving) = (fields_of(sender, receiver), fields_of(receiver, sender));
        Queues {
            to_send: bytes(sending[4].split(':').next().unwrap()),
            to_read: bytes(receiving[4].split(':').nth(1).unwrap()),
            // The timer of these probes has the number 4.
            next_probe: sending[5].strip_prefix("04:").and_then(|ticks| {
                let unanswered = sending[8];
                (unanswered == "0").then(|| u64::from_str_radix(ticks, 16).unwrap())
            }),
        }
    }
}

#[test]
fn an_idle_client_is_sent_what_it_has_not_read() {
    let mut client = Idle::client("60");
    client.ends_the_server(0);
    let mut received = String::new();
    client.stream.read_to_string(&mut received).unwrap();
    assert!(received == ANSWER.repeat(client.answers), "{} bytes", received.len());
    let end = client.server.end();
    assert_eq!((end.code, end.rest.as_str()), (Some(0), "everything is finished\n"), "{end:?}");
}

#[test]
fn the_end_of_the_time_cuts_off_an_idle_client_that_does_not_read() {
    let mut client = Idle::client("0");
    client.ends_the_server(0);
    client.is_cut_off();
}

#[test]
fn a_second_signal_cuts_off_a_busy_client_that_does_not_read() {
    let mut client = Idle::client("600");
    // Even if the kernel still takes some of the answers, the rest is more than the high-water
    // mark, 64 KiB. So the server waits in `drain`.
    client.asks(7 * BATCH);
    client.reads_what_it_prints(BATCH);
    client.until_all_is_read();
    client.ends_the_server(1);
    client.server.signal(Signal::TERM);
    client.is_cut_off();
}

#[test]
fn a_signal_that_is_ignored_when_it_starts_stays_ignored() {
    for (ignored, signal, other) in
        [("INT", Signal::INT, Signal::TERM), ("TERM", Signal::TERM, Signal::INT)]
    {
        let mut server = Program::start_ignoring(ignored, "graceful", &["--port", "0"]);
        let mut client = TcpStream::connect(server.address()).unwrap();
        server.signal(signal);
        client.write_all(b"0\n").unwrap();
        client.read_exact(&mut [0; ANSWER.len()]).unwrap();
        server.signal(other);
        let end = server.end();
        let name = if other == Signal::INT { "SIGINT" } else { "SIGTERM" };
        let says =
            format!("works for 0 s\n{name}\nno more clients; 10 s for what's under way: 0\n");
        assert_eq!((end.code, end.rest), (Some(0), says + "everything is finished\n"));
    }
}

/// Programs that leave the end to `run` leave SIGINT alone, too.
#[test]
fn a_program_that_is_started_without_sigint_does_not_end_by_it() {
    let mut server = Program::start_ignoring("INT", "echo", &["--port", "0"]);
    let mut client = TcpStream::connect(server.address()).unwrap();
    server.signal(Signal::INT);
    client.write_all(b"hello\n").unwrap();
    let mut answer = [0; 6];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"hello\n");
}
