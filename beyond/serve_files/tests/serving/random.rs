//! Sends random and mutated requests. None of them may make the server panic, each has to get the
//! answer that the model expects, and afterwards the server has to find the beginning of the next
//! request or close the connection.
//!
//! `SERVE_FILES_CASES=100000 cargo test --release -p serve_files --test serving random` tries
//! 100,000 requests of each kind.

use std::net::SocketAddr;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use crate::model::{Expected, expected};
use crate::support::{Client, start};

const MARKER: &[u8] = b"GET /marker.txt HTTP/1.1\r\nHost: x\r\n\r\n";

fn check_all(name: &str, requests: impl Strategy<Value = Vec<u8>>) {
    let address = start(name);
    let cases = std::env::var("SERVE_FILES_CASES").ok().and_then(|count| count.parse().ok());
    let config =
        Config { cases: cases.unwrap_or(1000), failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&requests, |bytes| check(address, bytes));
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// Sends the bytes, followed by a valid request, and compares the answers with those that the model
/// expects.
fn check(address: SocketAddr, mut bytes: Vec<u8>) -> Result<(), TestCaseError> {
    bytes.extend(MARKER);
    let mut client = Client::connect(address);
    client.send(&bytes);
    client.end();
    let shown = bytes.escape_ascii().to_string();
    for expected in expected(&bytes) {
        check_answer(&mut client, &expected, &shown)?;
    }
    prop_assert_eq!(client.rest(), b"", "after the last answer to {}", shown);
    Ok(())
}

fn check_answer(client: &mut Client, expected: &Expected, sent: &str) -> Result<(), TestCaseError> {
    let (expected_status, expected_body, to_head) = match expected {
        Expected::Answer { status, body, to_head } | Expected::Last { status, body, to_head } => {
            (Some(*status), body.as_deref(), *to_head)
        }
        Expected::Refused | Expected::Nothing => (None, None, false),
    };
    let Some(answer) = client.next(to_head) else {
        prop_assert_eq!(expected, &Expected::Nothing, "no answer to {}", sent);
        return Ok(());
    };
    let refusals = [400, 414, 431, 505];
    match expected_status {
        Some(status) => prop_assert_eq!(answer.status, status, "to {}", sent),
        None => prop_assert!(refusals.contains(&answer.status), "{answer:?} to {sent}"),
    }
    let closes = !matches!(expected, Expected::Answer { .. });
    prop_assert_eq!(answer.says_close(), closes, "{:?} to {}", answer, sent);
    if let Some(body) = expected_body.filter(|_| !to_head) {
        prop_assert_eq!(&*answer.body, body, "to {}", sent);
    }
    Ok(())
}

/// Generates requests from parts. Most of them are well-formed, and some nearly are.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let method =
        prop_oneof![8 => Just("GET"), 3 => Just("HEAD"), 1 => Just("POST"), 1 => Just("X-Y")];
    let target = select(vec![
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
    ]);
    let version = prop_oneof![8 => Just("HTTP/1.1"), 2 => Just("HTTP/1.0"), 1 => Just("HTTP/3.0")];
    let field = select(vec![
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
    ]);
    let fields = vec(field, 0..3);
    (method, target, version, fields, 0..16_u8).prop_map(
        |(method, target, version, fields, dice)| {
            let host = if dice == 0 { "" } else { "Host: x\r\n" };
            let fields = fields.iter().flat_map(|field| [field, "\r\n"]).collect::<String>();
            format!("{method} {target} {version}\r\n{host}{fields}\r\n").into_bytes()
        },
    )
}

fn requests() -> impl Strategy<Value = Vec<u8>> {
    vec(request(), 1..4).prop_map(|requests| requests.concat())
}

#[derive(Debug, Clone)]
enum Mutation {
    Replace(Index, u8),
    Insert(Index, &'static [u8]),
    Remove(Index, usize),
    Repeat(Index, usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let pieces: Vec<&'static [u8]> = vec![
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
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(place, byte)| Mutation::Replace(place, byte)),
        (any::<Index>(), select(pieces)).prop_map(|(place, piece)| Mutation::Insert(place, piece)),
        (any::<Index>(), 1..20_usize).prop_map(|(place, count)| Mutation::Remove(place, count)),
        (any::<Index>(), 1..30_usize, prop_oneof![9 => 1..4_usize, 1 => 500..2000_usize])
            .prop_map(|(place, length, times)| Mutation::Repeat(place, length, times)),
    ]
}

fn mutate(mut bytes: Vec<u8>, mutations: &[Mutation]) -> Vec<u8> {
    for mutation in mutations {
        if bytes.is_empty() {
            break;
        }
        match mutation {
            Mutation::Replace(place, byte) => *place.get_mut(&mut bytes) = *byte,
            Mutation::Insert(place, piece) => {
                let place = place.index(bytes.len());
                bytes.splice(place..place, piece.iter().copied());
            }
            Mutation::Remove(place, count) => {
                let place = place.index(bytes.len());
                bytes.drain(place..bytes.len().min(place + count));
            }
            Mutation::Repeat(place, length, times) => {
                let place = place.index(bytes.len());
                let piece = bytes[place..bytes.len().min(place + length)].repeat(*times);
                bytes.splice(place..place, piece);
            }
        }
    }
    bytes
}

#[test]
fn random_requests() {
    check_all("random_requests", requests());
}

#[test]
fn mutated_requests() {
    let mutated = (requests(), vec(mutation(), 1..4));
    check_all("mutated_requests", mutated.prop_map(|(bytes, mutations)| mutate(bytes, &mutations)));
}

#[test]
fn random_bytes() {
    let pieces: Vec<&'static [u8]> = vec![
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
    let texts = vec(select(pieces), 0..30).prop_map(|pieces| pieces.concat());
    check_all("random_bytes", prop_oneof![texts, vec(any::<u8>(), 0..200)]);
}
