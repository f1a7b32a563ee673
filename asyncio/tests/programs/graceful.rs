//! `graceful` and a client that doesn't read its answers: they're still sent, and it keeps the server
//! from ending only as long as there's time.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::support::{Program, connect_with_little_room};
use rustix::process::Signal;

const ANSWER: &str = "worked for 0 s\n";

/// Requests that are sent in one go.
const BATCH: usize = 1000;

/// A client that has sent requests, has read nothing, and now sends no more. All the server's buffers
/// in the kernel are full, and the rest of the answers waits in the server's process. That's less than
/// the writer's high-water mark, so the server has finished every request, and the client is idle.
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
        // The last answer may be on its way to a buffer.
        while client.answers * ANSWER.len() <= client.bytes_in_the_kernel() + ANSWER.len() {
            client.asks(BATCH);
            (0..BATCH).for_each(|_| assert_eq!(client.server.line(), "works for 0 s"));
            client.answers += BATCH;
        }
        client.server.until_asleep();
        client
    }

    fn asks(&mut self, count: usize) {
        self.stream.write_all("0\n".repeat(count).as_bytes()).unwrap();
    }

    /// Returns how many bytes wait in the server's socket and in the client's. (Until one is
    /// acknowledged, it can count twice.)
    fn bytes_in_the_kernel(&self) -> usize {
        let (client, server) =
            (self.stream.local_addr().unwrap(), self.stream.peer_addr().unwrap());
        let sockets = fs::read_to_string("/proc/net/tcp").unwrap();
        let queues = |from: SocketAddr, to: SocketAddr| {
            let ends = [from, to].map(|end| format!(":{:04X}", end.port()));
            let fields = sockets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            let of_this = |it: &Vec<&str>| it[1].ends_with(&ends[0]) && it[2].ends_with(&ends[1]);
            let fields = fields.skip(1).find(of_this).unwrap();
            let (to_send, to_read) = fields[4].split_once(':').unwrap();
            [to_send, to_read].map(|bytes| usize::from_str_radix(bytes, 16).unwrap())
        };
        queues(server, client)[0] + queues(client, server)[1]
    }

    /// Sends a signal, and reads on until the server says how many requests are under way.
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
    // The answers are 39 KiB more than the high-water mark, 64 KiB, so the server waits in `drain` even if
    // the kernel, which grows its buffers, has taken some of them.
    client.asks(7 * BATCH);
    // What the server prints after these lines has room in the pipe.
    (0..3 * BATCH).for_each(|_| assert_eq!(client.server.line(), "works for 0 s"));
    client.server.until_asleep();
    client.ends_the_server(1);
    client.server.signal(Signal::TERM);
    client.is_cut_off();
}
