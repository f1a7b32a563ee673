//! Sends random and mutated requests. None of them may make the server panic, each has to get the
//! answer that the model expects, and afterwards the server has to find the beginning of the next
//! request or close the connection.
//!
//! `SERVE_FILES_CASES=100000 cargo test --release -p serve_files --test serving random` tries
//! 100,000 requests of each kind.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fastrand::Rng;

use crate::model::{Expected, expected};
use crate::support::{Client, start};

const MARKER: &[u8] = b"GET /marker.txt HTTP/1.1\r\nHost: x\r\n\r\n";

/// Checks requests that a generator makes of pieces. If one fails, we leave out pieces, fewer
/// and fewer at a time, as long as the rest still fails.
fn check_all(name: &str, generate: impl Fn(&mut Rng) -> Vec<Vec<u8>>) {
    let address = start(name);
    let cases = std::env::var("SERVE_FILES_CASES").ok().and_then(|count| count.parse().ok());
    // Other requests in each run; whoever repeats a failure has its bytes.
    let mut random = Rng::with_seed(RandomState::new().hash_one(name));
    for _ in 0..cases.unwrap_or(1000) {
        let mut pieces = generate(&mut random);
        let fails = |pieces: &[Vec<u8>]| {
            catch_unwind(AssertUnwindSafe(|| check(address, pieces.concat()))).err()
        };
        let Some(mut failure) = fails(&pieces) else { continue };
        let mut size = pieces.len() / 2;
        while size > 0 {
            let mut place = 0;
            while place < pieces.len() {
                let mut fewer = pieces.clone();
                fewer.drain(place..pieces.len().min(place + size));
                match fails(&fewer) {
                    Some(another) => (pieces, failure) = (fewer, another),
                    None => place += size,
                }
            }
            size /= 2;
        }
        resume_unwind(failure);
    }
}

/// Sends the bytes, followed by a valid request, and compares the answers with those that the model
/// expects.
fn check(address: SocketAddr, mut bytes: Vec<u8>) {
    bytes.extend(MARKER);
    let mut client = Client::connect(address);
    client.send(&bytes);
    client.end();
    let shown = bytes.escape_ascii().to_string();
    for expected in expected(&bytes) {
        check_answer(&mut client, &expected, &shown);
    }
    assert_eq!(client.rest(), b"", "after the last answer to {shown}");
}

fn check_answer(client: &mut Client, expected: &Expected, sent: &str) {
    let (expected_status, expected_body, to_head) = match expected {
        Expected::Answer { status, body, to_head } | Expected::Last { status, body, to_head } => {
            (Some(*status), body.as_deref(), *to_head)
        }
        Expected::Refused | Expected::Nothing => (None, None, false),
    };
    let Some(answer) = client.next(to_head) else {
        assert_eq!(expected, &Expected::Nothing, "no answer to {sent}");
        return;
    };
    let refusals = [400, 414, 431, 505];
    match expected_status {
        Some(status) => assert_eq!(answer.status, status, "to {sent}"),
        None => assert!(refusals.contains(&answer.status), "{answer:?} to {sent}"),
    }
    let closes = !matches!(expected, Expected::Answer { .. });
    assert_eq!(answer.says_close(), closes, "{answer:?} to {sent}");
    if let Some(body) = expected_body.filter(|_| !to_head) {
        assert_eq!(&*answer.body, body, "to {sent}");
    }
}

const TARGETS: [&str; 17] = [
    "/",
    "/a.txt",
    "/empty.txt",
    "/sub",
    "/sub/",
    "/sub/b%20c.txt",
    "/marker.txt?a=b",
    "/nothing",
    "//a.txt",
    "/./sub/.",
    "http://x/a.txt",
    "/..",
    "/%2e%2e/a.txt",
    "/a%2ftxt",
    "/%00",
    "/%4",
    "*",
];
const FIELDS: [&str; 27] = [
    "Connection: close",
    "Connection: keep-alive",
    "Connection: a, b",
    "Accept: */*",
    "If-Match: *",
    "If-Match: \"a\"",
    "If-Match: ,",
    "If-None-Match: *",
    "If-None-Match: \"a\"",
    "Range: bytes=1-3",
    "Range: bytes=-2",
    "Range: bytes=5-",
    "Range: bytes=10-",
    "Range: bytes=3-1",
    "Range: lines=1-2",
    "If-Range: \"a\"",
    "Content-Length: 0",
    "Content-Length: 10",
    "Content-Length: 1, 1",
    "Content-Length: -1",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip",
    "Host: y",
    "Host : y",
    " folded",
    "a:",
    "A-Long-Name-With-Much-Of-Nothing: and its value",
];
/// What's inserted into a request.
const INSERTED: [&[u8]; 18] = [
    b"\n",
    b"\r",
    b"\r\n",
    b"\r\n\r\n",
    b" ",
    b"\t",
    b":",
    b"\0",
    b"%",
    b"/",
    b"..",
    b"chunked",
    b",",
    b"0",
    b"\x7f",
    b"\xff",
    b"Content-Length: 3\r\n",
    b"Transfer-Encoding: chunked\r\n",
];
/// What nearly makes a request, or doesn't at all.
const FRAGMENTS: [&[u8]; 21] = [
    b"GET",
    b"HEAD",
    b" ",
    b"/",
    b"a.txt",
    b"HTTP/1.1",
    b"HTTP/1.",
    b"\r\n",
    b"\r\n",
    b"\n",
    b"\r",
    b"Host:",
    b"x",
    b":",
    b"Content-Length",
    b"Range: bytes=",
    b"-",
    b"9",
    b"%41",
    b"%",
    b"\xc3\xa4",
];

fn one_of<T: Copy>(random: &mut Rng, those: &[T]) -> T {
    those[random.usize(..those.len())]
}

/// Adds the pieces of a request: its lines. Most requests are well-formed, and some nearly are.
fn add_request(random: &mut Rng, pieces: &mut Vec<Vec<u8>>) {
    let method = match random.u8(..13) {
        0..8 => "GET",
        8..11 => "HEAD",
        11 => "POST",
        _ => "X-Y",
    };
    let version = match random.u8(..11) {
        0..8 => "HTTP/1.1",
        8..10 => "HTTP/1.0",
        _ => "HTTP/3.0",
    };
    let target = one_of(random, &TARGETS);
    pieces.push(format!("{method} {target} {version}\r\n").into_bytes());
    if random.u8(..16) != 0 {
        pieces.push(b"Host: x\r\n".to_vec());
    }
    for _ in 0..random.u8(..3) {
        pieces.push(format!("{}\r\n", one_of(random, &FIELDS)).into_bytes());
    }
    pieces.push(b"\r\n".to_vec());
}

fn requests(random: &mut Rng) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    for _ in 0..random.u8(1..4) {
        add_request(random, &mut pieces);
    }
    pieces
}

/// Replaces, inserts, removes or repeats bytes somewhere.
fn mutate(random: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let place = random.usize(..bytes.len());
    let up_to = |count: usize| place..bytes.len().min(place + count);
    match random.u8(..4) {
        0 => bytes[place] = random.u8(..),
        1 => drop(bytes.splice(place..place, one_of(random, &INSERTED).iter().copied())),
        2 => drop(bytes.drain(up_to(random.usize(1..20)))),
        _ => {
            let times = if random.u8(..10) == 0 { 500..2000 } else { 1..4 };
            let piece = bytes[up_to(random.usize(1..30))].repeat(random.usize(times));
            bytes.splice(place..place, piece);
        }
    }
}

#[test]
fn random_requests() {
    check_all("random_requests", requests);
}

#[test]
fn mutated_requests() {
    check_all("mutated_requests", |random| {
        let mut bytes = requests(random).concat();
        for _ in 0..random.u8(1..4) {
            mutate(random, &mut bytes);
        }
        // Each byte for itself: what's shrunk must stay mutated.
        bytes.into_iter().map(|byte| vec![byte]).collect()
    });
}

#[test]
fn random_bytes() {
    check_all("random_bytes", |random| {
        if random.bool() {
            return (0..random.u8(..30)).map(|_| one_of(random, &FRAGMENTS).to_vec()).collect();
        }
        (0..random.u8(..200)).map(|_| vec![random.u8(..)]).collect()
    });
}
