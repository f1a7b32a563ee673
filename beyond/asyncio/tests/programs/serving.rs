//! The programs that serve clients: `echo`, `chat` and `graceful`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use crate::support::{Program, connect_with_little_room};
use rustix::net::sockopt::{set_socket_linger, set_socket_recv_buffer_size};
use rustix::process::Signal;

/// A client that sends and receives lines.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr) -> Self {
        Client(BufReader::new(TcpStream::connect(address).unwrap()))
    }

    fn says(&mut self, line: &str) {
        writeln!(self.0.get_mut(), "{line}").unwrap();
    }

    fn hears(&mut self, expected: &str) {
        assert_eq!(self.line(), expected);
    }

    /// Returns the next line, without its end.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

/// Returns the number behind `before` in a line.
fn number_behind(line: &str, before: &str) -> usize {
    let behind = line.split_once(before).unwrap_or_else(|| panic!("no {before:?} in {line:?}")).1;
    behind.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// More than the buffers of the kernel hold for a connection.
const MUCH: usize = 32 << 20;

#[test]
fn echo_takes_no_more_from_a_client_that_does_not_read_and_then_sends_everything_back() {
    let mut echo = Program::start("echo", &["--port", "0"]);
    let mut client = TcpStream::connect(echo.address()).unwrap();
    assert!(echo.line().ends_with(" is here"));
    client.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut sent = 0;
    while let Ok(count) = client.write(&vec![b'!'; 65536]) {
        sent += count;
        assert!(sent < MUCH, "it takes everything");
    }
    client.shutdown(Shutdown::Write).unwrap();
    let mut received = Vec::new();
    client.read_to_end(&mut received).unwrap();
    assert!(received.len() == sent && received.iter().all(|&byte| byte == b'!'));
    let left = echo.line();
    assert_eq!(number_behind(&left, "has left: "), sent);
    // The high-water mark, and the bytes that a read can add.
    assert!(number_behind(&left, "at most ") <= 2 * 64 * 1024, "{left}");
}

#[test]
fn echo_without_drain_keeps_whatever_a_client_does_not_read() {
    let mut echo = Program::start("echo", &["--port", "0", "--without-drain"]);
    let mut client = TcpStream::connect(echo.address()).unwrap();
    echo.line();
    // The server takes all of this although the client reads nothing.
    client.write_all(&vec![b'!'; MUCH]).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let left = echo.line();
    assert_eq!(number_behind(&left, "has left: "), MUCH);
    assert!(number_behind(&left, "at most ") > MUCH / 2, "{left}");
}

#[test]
fn echo_says_who_is_gone_when_it_is_interrupted() {
    let mut echo = Program::start("echo", &["--port", "0"]);
    let mut client = Client::connect(echo.address());
    client.says("hello");
    client.hears("hello");
    echo.line();
    echo.signal(Signal::INT);
    let end = echo.end();
    assert!(end.rest.contains("is gone (cancelled): 6 bytes received"), "{end:?}");
    assert_eq!(end.code, Some(130));
}

/// Closes a connection so that the peer's next call on it fails, with `ECONNRESET`.
fn reset(stream: TcpStream) {
    set_socket_linger(&stream, Some(Duration::ZERO)).unwrap();
}

#[test]
fn clients_that_send_rubbish_or_leave_at_once_are_no_error() {
    for (name, greeting, code) in
        [("echo", "", 130), ("chat", "* your name?", 130), ("graceful", "", 0)]
    {
        let mut server = Program::start(name, &["--port", "0"]);
        let address = server.address();
        for _ in 0..20 {
            reset(TcpStream::connect(address).unwrap());
        }
        // Half a line, bytes that are no text, a line that's too long, and false numbers.
        let long = "x".repeat(200_000);
        let numbers = b"99999999999999999999\n-1\nten\n";
        for rubbish in [&b"x"[..], b"\xff\xfe\0\n\n", long.as_bytes(), numbers] {
            let mut client = TcpStream::connect(address).unwrap();
            // The client may have been disconnected by then.
            let _ = client.write_all(rubbish);
            reset(client);
        }
        let mut client = Client::connect(address);
        if !greeting.is_empty() {
            client.hears(greeting);
        }
        client.says("1");
        assert!(client.line().contains('1'), "{name}");
        drop(client);
        server.signal(Signal::INT);
        let end = server.end();
        assert_eq!((end.code, end.errors.as_str()), (Some(code), ""), "{name}: {}", end.rest);
    }
}

#[test]
fn chat_hands_lines_to_all_and_survives_those_who_leave() {
    let mut chat = Program::start("chat", &["--port", "0"]);
    let address = chat.address();
    let mut ann = Client::connect(address);
    ann.hears("* your name?");
    ann.says("Ann");
    ann.hears("* Ann is here");
    let mut bob = Client::connect(address);
    bob.says("Bob");
    bob.hears("* your name?");
    bob.hears("* Bob is here");
    ann.hears("* Bob is here");
    ann.says("hello\nand again");
    for client in [&mut ann, &mut bob] {
        client.hears("Ann: hello");
        client.hears("Ann: and again");
    }
    // The connection is reset, because there's a line that the client hasn't read.
    ann.says("bye");
    ann.hears("Ann: bye");
    bob.0.get_ref().peek(&mut [0]).unwrap();
    drop(bob);
    ann.hears("* Bob has left");
    chat.signal(Signal::INT);
    let end = chat.end();
    assert_eq!((end.code, end.errors.as_str()), (Some(130), ""));
}

/// The number at the end of a line: it's all zeros before.
fn number_in(line: &str) -> usize {
    line.trim_end().rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn what_follows_a_missed_line_is_missed_until_the_client_knows() {
    let mut chat = Program::start("chat", &["--port", "0", "--room", "40"]);
    let address = chat.address();
    let mut slow = Client::connect(address);
    // So the kernel holds less for this client than ten of these lines.
    set_socket_recv_buffer_size(slow.0.get_ref(), 64 * 1024).unwrap();
    slow.says("slow");
    slow.hears("* your name?");
    slow.hears("* slow is here");
    let mut ann = Client::connect(address);
    ann.says("Ann");
    ann.hears("* your name?");
    ann.hears("* Ann is here");
    slow.hears("* Ann is here");
    let mut say = |number: usize| {
        let line = format!("{number:050000}");
        ann.says(&line);
        ann.hears(&format!("Ann: {line}"));
    };
    // Ten lines for the kernel, forty for the queue, and ten that are missed.
    (1..=60).for_each(&mut say);
    let mut received: Vec<usize> = (0..10).map(|_| number_in(&slow.line())).collect();
    // Now there's room in the queue. But a line there would come before the news.
    say(61);
    let lost = loop {
        let line = slow.line();
        if line.starts_with('!') {
            break number_behind(&line, "too slow: ");
        }
        received.push(number_in(&line));
    };
    assert_eq!(received, (1..=61 - lost).collect::<Vec<_>>());
    say(62);
    assert_eq!(number_in(&slow.line()), 62);
}

#[test]
fn a_patient_chat_goes_on_when_the_client_it_waits_for_leaves() {
    let mut chat = Program::start("chat", &["--port", "0", "--patient", "--room", "1"]);
    let address = chat.address();
    let mut slow = Client(BufReader::new(connect_with_little_room(address)));
    slow.says("slow");
    let mut ann = Client::connect(address);
    slow.hears("* your name?");
    slow.hears("* slow is here");
    ann.says("Ann");
    ann.hears("* your name?");
    ann.hears("* Ann is here");
    let stream = ann.0.get_ref().try_clone().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let lines = format!("{:0>50000}\n", 7).repeat(50);
    let talking = thread::spawn(move || {
        writer.write_all(lines.as_bytes()).unwrap();
        writer.write_all(b"the end\n").unwrap();
    });
    let mut heard = String::new();
    while ann.0.read_line(&mut heard).is_ok() {
        assert!(!heard.contains("the end"), "it waits for no one");
        heard.clear();
    }
    stream.set_read_timeout(None).unwrap();
    drop(slow);
    while !heard.ends_with("the end\n") {
        ann.0.read_line(&mut heard).unwrap();
    }
    talking.join().unwrap();
    assert!(heard.contains("* slow has left\n"));
}

#[test]
fn a_chat_with_room_for_any_number_of_lines_loses_none() {
    let end = Program::start("chat", &["--demo", "--room", "0"]).end();
    assert_eq!((end.code, end.errors.as_str()), (Some(0), ""), "{}", end.rest);
    assert_eq!(number_behind(&end.rest, "receives "), 1980);
}

#[test]
fn a_client_of_chat_that_does_not_read_hurts_no_other() {
    let mut chat = Program::start("chat", &["--demo"]);
    let end = chat.end();
    assert_eq!((end.code, end.errors.as_str()), (Some(0), ""), "{}", end.rest);
    assert!(end.rest.contains("each of them has received all 1980 lines"), "{}", end.rest);
    let received = number_behind(&end.rest, "receives ");
    let lost = number_behind(&end.rest, "too slow: ");
    assert!(lost > 0 && received + lost == 1980, "{}", end.rest);
}

#[test]
fn a_client_of_a_patient_chat_that_does_not_read_stops_all() {
    let mut chat = Program::start("chat", &["--demo", "--patient"]);
    let end = chat.end();
    assert_eq!((end.code, end.errors.as_str()), (Some(0), ""), "{}", end.rest);
    assert!(end.rest.contains("none of them has received everything"), "{}", end.rest);
}

#[test]
fn graceful_finishes_what_is_under_way() {
    let mut server = Program::start("graceful", &["--port", "0", "--grace", "60"]);
    let address = server.address();
    let mut idle = Client::connect(address);
    idle.says("0");
    idle.hears("worked for 0 s");
    assert_eq!(server.line(), "works for 0 s");
    let mut busy = Client::connect(address);
    busy.says("4");
    assert_eq!(server.line(), "works for 4 s");
    server.signal(Signal::TERM);
    assert_eq!(server.line(), "SIGTERM");
    assert_eq!(server.line(), "no more clients; 60 s for what's under way: 1");
    idle.hears("");
    assert!(TcpStream::connect(address).is_err());
    busy.hears("worked for 4 s");
    busy.hears("");
    let end = server.end();
    assert_eq!((end.code, end.rest.as_str()), (Some(0), "everything is finished\n"), "{end:?}");
}

#[test]
fn a_second_signal_cuts_off_what_is_under_way() {
    let mut server = Program::start("graceful", &["--port", "0"]);
    let mut client = Client::connect(server.address());
    client.says("600");
    assert_eq!(server.line(), "works for 600 s");
    server.signal(Signal::INT);
    assert_eq!(server.line(), "SIGINT");
    assert_eq!(server.line(), "no more clients; 10 s for what's under way: 1");
    server.signal(Signal::TERM);
    let end = server.end();
    assert_eq!((end.code, end.rest.as_str()), (Some(1), "SIGTERM\n"), "{end:?}");
    assert_eq!(end.errors, "error: requests that were cut off: 1\n");
    client.hears("");
}

#[test]
fn so_does_the_end_of_the_time() {
    let mut server = Program::start("graceful", &["--port", "0", "--grace", "0"]);
    let mut client = Client::connect(server.address());
    client.says("600");
    assert_eq!(server.line(), "works for 600 s");
    server.signal(Signal::INT);
    let end = server.end();
    assert!(end.rest.ends_with("the time is up\n"), "{end:?}");
    assert_eq!(end.errors, "error: requests that were cut off: 1\n");
}
