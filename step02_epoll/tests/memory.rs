//! The memory of an idle client: nothing but its connection.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use kit::memory::{Counting, Memory};
use step02_epoll::{Connection, Progress};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn in_use() -> isize {
    Memory::until_now().in_use
}

#[test]
fn an_idle_client_owns_no_buffer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    client.set_nonblocking(true).unwrap();
    let mut connection = Connection::new(listener.accept().unwrap().0).unwrap();
    let mut scratch = vec![0; Connection::SCRATCH_SIZE];
    let message = vec![b'x'; 64 * 1024];
    let mut answer = vec![0; 64 * 1024];
    let idle = in_use();
    // The client sends and doesn't read, until the connection has to keep some bytes.
    for _ in 0..100_000 {
        if connection.wants_to_write() {
            break;
        }
        let _ = client.write(&message);
        connection.echo(&mut scratch).unwrap();
    }
    assert!(in_use() > idle, "what's unsent is kept");
    // Now it reads, until everything is answered.
    for _ in 0..100_000 {
        if !connection.wants_to_write() {
            break;
        }
        while client.read(&mut answer).is_ok() {}
        assert_ne!(connection.echo(&mut scratch).unwrap(), Progress::Finished);
    }
    assert_eq!(in_use(), idle, "an idle client owns no more than before");
}
