//! Tests connections: several requests on one connection, many connections at once, and the effect
//! of one client on the others.

use std::fs;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use crate::support::{Client, HUGE, LARGE, large, serve, site, start};
use serve_files::{FileServer, Limits};

const MARKER: &[u8] = b"this is the marker";

#[test]
fn requests_sent_at_once_are_answered_in_order() {
    let mut client = Client::connect(start("connections_pipelined"));
    let targets = ["/a.txt", "/nothing", "/sub", "/marker.txt", "/large.bin"];
    let requests: String =
        targets.map(|target| format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")).concat();
    for _ in 0..5 {
        client.send(&requests);
        let answers = targets.map(|_| client.answer());
        assert_eq!(answers.each_ref().map(|it| it.status), [200, 404, 301, 200, 200]);
        assert_eq!(answers[3].body, MARKER);
        assert!(answers[4].body == large());
    }
}

#[test]
fn a_request_can_arrive_byte_by_byte() {
    let mut client = Client::connect(start("connections_bytes"));
    for _ in 0..2 {
        for byte in b"\r\nGET /marker.txt HTTP/1.1\r\nHost: x\r\n\r\n" {
            client.send([*byte]);
        }
        assert_eq!(client.answer().body, MARKER);
    }
}

#[test]
fn a_client_that_has_ended_its_side_gets_its_answers() {
    let mut client = Client::connect(start("connections_half_closed"));
    client.send(
        "GET /marker.txt HTTP/1.1\r\nHost: x\r\n\r\nGET /large.bin HTTP/1.1\r\nHost: x\r\n\r\nGET",
    );
    client.end();
    assert_eq!(client.answer().body, MARKER);
    assert!(client.answer().body == large());
    assert_eq!(client.rest(), b"", "a part of a request has no answer");
}

/// Closing at once would reset the connection, since most of the body is unread, and the client's
/// kernel would discard the answer.
#[test]
fn a_client_that_sends_a_large_body_still_gets_its_answer() {
    let mut client = Client::connect(start("connections_linger"));
    client.send("PUT /a.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
    client.send(vec![b'x'; 1_000_000]);
    assert_eq!(client.answer().status, 405);
    client.end();
    assert_eq!(client.rest(), b"");
}

#[test]
fn a_client_that_does_not_read_delays_no_other() {
    let address = start("connections_slow_reader");
    let mut slow: Vec<Client> = (0..2).map(|_| Client::connect(address)).collect();
    for slow in &mut slow {
        slow.send("GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n".repeat(4));
    }
    let mut other = Client::connect(address);
    for _ in 0..100 {
        assert_eq!(other.get("/marker.txt").body, MARKER);
    }
    let large = large();
    for slow in &mut slow {
        for _ in 0..4 {
            assert!(slow.answer().body == large);
        }
    }
}

#[test]
fn two_thousand_idle_clients_cost_an_active_one_nothing() {
    // This process has both ends of each connection, so it needs twice as many descriptors.
    if step01_fd::raise_descriptor_limit().unwrap() < 4200 {
        eprintln!("skipped: the limit of descriptors is too low");
        return;
    }
    let address = start("connections_idle");
    let mut idle = Vec::new();
    for number in 0..2000 {
        let mut client = Client::connect(address);
        if number % 2 == 0 {
            assert_eq!(client.get("/marker.txt").body, MARKER);
        }
        idle.push(client);
    }
    let mut active = Client::connect(address);
    for _ in 0..1000 {
        assert_eq!(active.get("/marker.txt").body, MARKER);
    }
    for client in &mut idle {
        assert_eq!(client.get("/marker.txt").body, MARKER, "the connection is still there");
    }
}

/// Returns true if this process, which includes the server, has the file open.
fn is_open(path: &std::path::Path) -> bool {
    let descriptors = fs::read_dir("/proc/self/fd").unwrap();
    descriptors.flatten().any(|fd| fs::read_link(fd.path()).is_ok_and(|file| file == path))
}

#[test]
fn a_reset_in_the_middle_of_a_file_ends_that_answer_alone() {
    let site = site("connections_reset");
    let address = serve(&site, Limits::default());
    let file = site.join("large.bin").canonicalize().unwrap();
    for _ in 0..50 {
        let mut client = Client::connect(address);
        client.send("GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
        client.stream.read_exact(&mut [0; 1000]).unwrap();
        // The rest is unread, so dropping the client resets the connection.
        drop(client);
        assert_eq!(Client::connect(address).get("/marker.txt").body, MARKER);
    }
    while is_open(&file) {
        thread::yield_now();
    }
}

/// Returns limits that are short enough for a test.
fn short() -> Limits {
    let short = Duration::from_millis(300);
    Limits { idle: short, head: short, piece: short, linger: short, grace: short }
}

#[test]
fn a_request_that_takes_too_long_is_answered_with_408() {
    let address = serve(&site("connections_408"), Limits { idle: Duration::MAX, ..short() });
    for begin in ["G", "GET / HTTP/1.1\r\nHost: x\r\n"] {
        let mut client = Client::connect(address);
        client.send(begin);
        assert!(!client.hears_within(Duration::from_millis(200)), "it has some time");
        let answer = client.answer();
        assert_eq!((answer.status, answer.says_close()), (408, true));
        assert_eq!(client.rest(), b"");
    }
}

#[test]
fn a_byte_now_and_then_does_not_extend_the_time() {
    let limits = Limits { head: Duration::from_secs(1), ..Limits::default() };
    let mut client = Client::connect(serve(&site("connections_slow"), limits));
    client.send("GET / HTTP/1.1\r\nHost: x\r\na: ");
    let mut sent = 0;
    while !client.hears_within(Duration::from_millis(20)) {
        client.send("a");
        sent += 1;
        assert!(sent < 200, "4 seconds for one request");
    }
    assert_eq!(client.answer().status, 408);
}

#[test]
fn an_idle_connection_is_closed_without_a_word() {
    let address = serve(&site("connections_idle_limit"), short());
    let mut new = Client::connect(address);
    let mut used = Client::connect(address);
    assert_eq!(used.get("/marker.txt").body, MARKER);
    // Empty lines before a request don't count as a request.
    used.send("\r\n\r\n");
    assert_eq!((new.rest(), used.rest()), (vec![], vec![]));
}

/// Returns true while the server's end of a connection is open; see `proc_pid_net(5)`.
fn is_established(client: SocketAddr, server: SocketAddr) -> bool {
    const ESTABLISHED: &str = "01";
    let (local, remote) = (format!(":{:04X}", server.port()), format!(":{:04X}", client.port()));
    fs::read_to_string("/proc/net/tcp").unwrap().lines().any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields[1].ends_with(&local) && fields[2].ends_with(&remote) && fields[3] == ESTABLISHED
    })
}

#[test]
fn a_client_that_does_not_read_is_closed_in_the_end() {
    let address = serve(&site("connections_never_reads"), short());
    let mut client = Client::connect(address);
    client.send("GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(client.hears_within(Duration::from_secs(10)));
    while is_established(client.stream.local_addr().unwrap(), address) {
        thread::yield_now();
    }
    let mut received = 0;
    let mut buffer = vec![0; 1 << 20];
    while let Ok(count @ 1..) = client.stream.read(&mut buffer) {
        received += count as u64;
    }
    assert!(received < HUGE, "it was closed before it had all");
}

#[test]
fn a_client_that_reads_slowly_but_steadily_gets_it_all() {
    let address = serve(&site("connections_steady"), short());
    let mut client = Client::connect(address);
    client.send("GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut received = 0;
    let mut buffer = vec![0; 256 * 1024];
    while received < LARGE {
        assert!(client.hears_within(Duration::from_secs(10)));
        received += client.stream.read(&mut buffer).unwrap();
    }
    client.stream.write_all(b"GET /marker.txt HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert!(client.hears_within(Duration::from_secs(10)));
}

/// An empty line before a request has no meaning, so it doesn't prolong a connection's wait,
/// either.
#[test]
fn an_empty_line_now_and_then_does_not_keep_a_connection() {
    let limits = Limits { idle: Duration::from_secs(1), ..Limits::default() };
    let address = serve(&site("connections_empty_lines"), limits);
    for used in [false, true] {
        let mut client = Client::connect(address);
        if used {
            assert_eq!(client.get("/marker.txt").body, MARKER);
        }
        let mut sent = 0;
        while !client.hears_within(Duration::from_millis(20)) {
            // The connection may already be closed.
            let _ = client.stream.write_all(b"\r\n");
            sent += 1;
            assert!(sent < 200, "4 seconds without a request");
        }
        let mut end = Vec::new();
        // Bytes sent after the end of the connection reset it.
        let _ = client.stream.read_to_end(&mut end);
        assert!(end.is_empty(), "it's closed without a word");
    }
}

/// Serves a site with at most this many connections at once. Returns the server's address.
fn serve_few(name: &str, connections: usize, limits: Limits) -> SocketAddr {
    kit::limit_time();
    let server = FileServer::bind(&site(name), "127.0.0.1:0").unwrap();
    let server = server.with_limits(limits).with_connections(connections);
    let address = server.local_addr().unwrap();
    thread::spawn(|| asyncio::run(server.serve()).unwrap());
    address
}

#[test]
fn a_client_for_whom_there_is_no_place_waits_until_another_leaves() {
    let address = serve_few("connections_few", 2, Limits::default());
    let mut first = Client::connect(address);
    let answer = first.get("/marker.txt");
    assert_eq!((answer.says_close(), answer.body), (false, MARKER.to_vec()));
    let second = Client::connect(address);
    let mut third = Client::connect(address);
    third.send("GET /a.txt HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(!third.hears_within(Duration::from_millis(200)), "there's no place");
    drop(second);
    // All places are taken again, so the third connection closes after its answer and makes room
    // for the next client.
    let answer = third.answer();
    assert_eq!((answer.says_close(), &*answer.body), (true, &b"0123456789"[..]));
    assert_eq!(third.rest(), b"");
    drop(third);
    let mut fourth = Client::connect(address);
    assert_eq!(fourth.get("/marker.txt").body, MARKER);
}

#[test]
fn an_idle_connection_gives_its_place_back() {
    let address = serve_few("connections_idle_place", 1, short());
    let mut idle = Client::connect(address);
    let mut other = Client::connect(address);
    assert_eq!(other.get("/marker.txt").body, MARKER);
    assert_eq!(idle.rest(), b"");
}

#[test]
fn there_is_always_a_place_for_one_and_any_number_is_a_limit() {
    for connections in [0, usize::MAX] {
        let address = serve_few("connections_any_number", connections, Limits::default());
        for _ in 0..3 {
            assert_eq!(Client::connect(address).get("/marker.txt").body, MARKER);
        }
    }
}
