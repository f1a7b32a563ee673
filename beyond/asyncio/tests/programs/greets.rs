//! The example `greets`, as the chapter shows it: two names, and one name in pieces.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use crate::support::Program;

/// Starts the example and connects to it.
fn connected(arguments: &[&str]) -> (Program, TcpStream) {
    let mut program = Program::start("greets", &[&["0"], arguments].concat());
    let client = TcpStream::connect(program.address()).unwrap();
    (program, client)
}

/// Sends a piece and returns the answer, which has this length.
fn ask(client: &mut TcpStream, piece: &str, length: usize) -> String {
    client.write_all(piece.as_bytes()).unwrap();
    let mut answer = vec![0; length];
    client.read_exact(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn a_read_is_no_name() {
    let (_program, mut client) = connected(&[]);
    assert_eq!(ask(&mut client, "Ann\nBob\n", 16), "Hello, Ann\nBob!\n");
    assert_eq!(ask(&mut client, "An", 11), "Hello, An!\n");
    assert_eq!(ask(&mut client, "n\n", 10), "Hello, n!\n");
}

#[test]
fn a_line_is_a_name() {
    let (_program, mut client) = connected(&["lines"]);
    assert_eq!(ask(&mut client, "Ann\nBob\nAn", 24), "Hello, Ann!\nHello, Bob!\n");
    assert_eq!(ask(&mut client, "n\n", 12), "Hello, Ann!\n");
    client.shutdown(Shutdown::Write).unwrap();
    let mut rest = String::new();
    client.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}
