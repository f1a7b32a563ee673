//! The programs that serve clients: `echo`, `chat` and `graceful`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod program_support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use program_support::Program;
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
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), expected);
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
    // The high-water mark, and what a read can add.
    assert!(number_behind(&left, "at most ") <= 2 * 64 * 1024, "{left}");
}

#[test]
fn echo_without_drain_keeps_whatever_a_client_does_not_read() {
    let mut echo = Program::start("echo", &["--port", "0", "--without-drain"]);
    let mut client = TcpStream::connect(echo.address()).unwrap();
    echo.line();
    // All of this is taken although nothing is read.
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
    // Its connection is reset, because there's a line that it hasn't read.
    ann.says("bye");
    ann.hears("Ann: bye");
    bob.0.get_ref().peek(&mut [0]).unwrap();
    drop(bob);
    ann.hears("* Bob has left");
    chat.signal(Signal::INT);
    let end = chat.end();
    assert_eq!((end.code, end.errors.as_str()), (Some(130), ""));
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
