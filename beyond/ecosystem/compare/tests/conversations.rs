//! Holds random conversations with the server on the loop and the server on tokio, with pipelined
//! requests, chunked bodies, pauses at any point, and an end at any point.
//!
//! A client that sends everything and waits gets the same answers from both servers. A client that
//! stops in the middle gets only the beginning of these answers; how much it gets depends on when
//! the server notices the end.

mod server;

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use fastrand::Rng;

use server::Server;

const CONVERSATIONS: u64 = 300;

/// A client's actions: pieces to send, with short pauses between them, and then the end.
struct Conversation {
    pieces: Vec<Vec<u8>>,
    /// For each request, true if it asks for a head only.
    heads: Vec<bool>,
    /// The number of bytes after which the client stops and closes its sending side.
    stops_after: Option<usize>,
}

#[test]
fn both_servers_answer_alike() {
    let (on_loop, on_tokio) = (Server::start("loop"), Server::start("tokio"));
    for seed in 0..CONVERSATIONS {
        let mut conversation = Conversation::random(&mut Rng::with_seed(seed));
        let stops_after = conversation.stops_after.take();
        let expected = conversation.answers_of(on_tokio.address);
        let ours = conversation.answers_of(on_loop.address);
        assert_eq!(shown(&ours), shown(&expected), "conversation {seed}");
        assert!(ours == expected, "conversation {seed}: the bodies differ");
        assert!(!expected.is_empty(), "conversation {seed} has no answer");
        conversation.stops_after = stops_after;
        if stops_after.is_some() {
            for address in [on_loop.address, on_tokio.address] {
                let begun = conversation.answers_of(address);
                let is_beginning = is_beginning(&begun, &expected);
                assert!(is_beginning, "{seed} stopped after {stops_after:?}: {}", shown(&begun));
            }
        }
    }
}

impl Conversation {
    fn random(random: &mut Rng) -> Self {
        let (mut bytes, mut heads) = (Vec::new(), Vec::new());
        let count = random.usize(1..=6);
        for number in 0..count {
            let is_last = number + 1 == count;
            heads.push(request(random, is_last, &mut bytes));
        }
        let stops_after = random.bool().then(|| random.usize(0..bytes.len()));
        let mut pieces = vec![bytes];
        for _ in 0..random.usize(0..=5) {
            let last = pieces.pop().unwrap_or_default();
            let (before, after) = last.split_at(random.usize(0..=last.len()));
            pieces.extend([before.to_vec(), after.to_vec()]);
        }
        Conversation { pieces, heads, stops_after }
    }

    /// Holds the conversation and returns the answers.
    fn answers_of(&self, address: SocketAddr) -> Vec<Answer> {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        let mut left = self.stops_after.unwrap_or(usize::MAX);
        for piece in &self.pieces {
            let piece = &piece[..piece.len().min(left)];
            left -= piece.len();
            // This fails if the server has already closed the connection.
            if stream.write_all(piece).is_err() {
                break;
            }
            // Pause so that the server sees separate pieces: otherwise most conversations would
            // arrive whole.
            thread::sleep(Duration::from_millis(1));
        }
        if self.stops_after.is_some() {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        answers(&bytes, &self.heads)
    }
}

/// Adds a request and returns true if it asks for a head only. The last request makes the server
/// close the connection, because the request either asks for that or isn't valid HTTP.
fn request(random: &mut Rng, is_last: bool, bytes: &mut Vec<u8>) -> bool {
    if is_last && random.u8(0..6) == 0 {
        let nonsense: [&[u8]; 4] = [
            b"nonsense\r\n\r\n",
            b"GET / HTTP/7.0\r\n\r\n",
            b"GET  / HTTP/1.1\r\n\r\n",
            b"POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: minus\r\n\r\n",
        ];
        bytes.extend_from_slice(nonsense[random.usize(0..nonsense.len())]);
        return false;
    }
    let body: String = (0..random.usize(0..3000)).map(|_| random.alphanumeric()).collect();
    let (method, path, has_body) = match random.u8(0..9) {
        0 => ("GET", "/".to_owned(), false),
        1 => ("HEAD", "/".to_owned(), false),
        2 => ("GET", format!("/json/{}", random.u32(..)), false),
        3 => ("GET", "/json/none".to_owned(), false),
        4 => ("GET", format!("/pieces/{}", random.u8(0..20)), false),
        5 => ("GET", "/nowhere".to_owned(), false),
        6 => ("DELETE", "/echo".to_owned(), false),
        7 => ("POST", "/echo".to_owned(), true),
        _ => ("POST", "/stream".to_owned(), true),
    };
    bytes.extend_from_slice(format!("{method} {path} HTTP/1.1\r\nhost: here\r\n").as_bytes());
    for number in 0..random.u8(0..4) {
        bytes.extend_from_slice(format!("x-number-{number}: {}\r\n", random.u8(..)).as_bytes());
    }
    if is_last {
        bytes.extend_from_slice(b"connection: close\r\n");
    }
    if !has_body {
        bytes.extend_from_slice(b"\r\n");
    } else if random.bool() {
        bytes.extend_from_slice(format!("content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    } else {
        bytes.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
        let mut rest = body.as_bytes();
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(random.usize(1..=rest.len()));
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
            rest = after;
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
    }
    method == "HEAD"
}

/// An answer as a client understands it: a chunked body is reduced to its bytes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answer {
    head: String,
    body: Vec<u8>,
    is_whole: bool,
}

fn answers(mut bytes: &[u8], heads: &[bool]) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut heads = heads.iter();
    while let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        bytes = &bytes[end + 4..];
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
        let has_body = !heads.next().copied().unwrap_or_default();
        let (body, is_whole) = if !has_body {
            (Vec::new(), true)
        } else if field("transfer-encoding: chunked").is_some() {
            chunked(&mut bytes)
        } else {
            let length = field("content-length: ").and_then(|text| text.trim().parse().ok());
            let length: usize = length.unwrap_or(0);
            let (body, after) = bytes.split_at(length.min(bytes.len()));
            bytes = after;
            (body.to_vec(), body.len() == length)
        };
        answers.push(Answer { head, body, is_whole });
    }
    answers
}

/// Takes a chunked body from `bytes`. Returns the body and a flag that's true if the body is
/// complete.
fn chunked(bytes: &mut &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") else {
            return (body, false);
        };
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length = usize::from_str_radix(&text, 16).unwrap_or(0);
        let chunk = &bytes[end + 2..];
        body.extend_from_slice(&chunk[..length.min(chunk.len())]);
        if chunk.len() < length + 2 {
            return (body, false);
        }
        *bytes = &chunk[length + 2..];
        if length == 0 {
            return (body, true);
        }
    }
}

/// Returns true if `begun` is a beginning of `whole`. The last answer in `begun` may be cut short.
fn is_beginning(begun: &[Answer], whole: &[Answer]) -> bool {
    let Some((last, before)) = begun.split_last() else { return true };
    let Some(whole_last) = whole.get(before.len()) else { return false };
    let is_complaint = last.head.starts_with("http/1.1 400");
    whole.starts_with(before)
        && (is_complaint
            || last == whole_last
            || (last.head == whole_last.head && whole_last.body.starts_with(&last.body)))
}

fn shown(answers: &[Answer]) -> String {
    let lines = answers.iter().map(|Answer { head, body, is_whole }| {
        format!("{head:?} {} bytes, whole: {is_whole}\n", body.len())
    });
    lines.collect()
}
