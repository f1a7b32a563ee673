//! A connection that notices that its client is gone, which no scene shows.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};

use step02_epoll::{Connection, Epoll, Events, Interest, Progress, Trigger};

fn connect() -> (TcpStream, Connection) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, Connection::new(listener.accept().unwrap().0).unwrap())
}

fn wait_until(connection: &Connection, interest: Interest) {
    let epoll = Epoll::new().unwrap();
    epoll.add(connection, 0, interest, Trigger::Level).unwrap();
    epoll.wait(&mut Events::with_capacity(1), None).unwrap();
}

#[test]
fn a_silent_client_keeps_the_connection_waiting() {
    let (_client, mut connection) = connect();
    assert_eq!(connection.echo(&mut [0; 16]).unwrap(), Progress::Waiting);
    assert!(!connection.wants_to_write());
}

#[test]
fn bytes_are_echoed_and_the_end_finishes() {
    let (mut client, mut connection) = connect();
    client.write_all(b"hello").unwrap();
    wait_until(&connection, Interest::READABLE);
    assert_eq!(connection.echo(&mut [0; 16]).unwrap(), Progress::Echoed);
    let mut answer = [0; 5];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"hello");
    drop(client);
    wait_until(&connection, Interest::READABLE);
    assert_eq!(connection.echo(&mut [0; 16]).unwrap(), Progress::Finished);
}

#[test]
fn after_a_reset_the_next_read_fails() {
    let (mut client, mut connection) = connect();
    client.write_all(b"never mind").unwrap();
    wait_until(&connection, Interest::READABLE);
    connection.echo(&mut [0; 16]).unwrap();
    // Closing with an answer unread resets the connection.
    client.peek(&mut [0]).unwrap();
    drop(client);
    wait_until(&connection, Interest::NONE);
    let error = connection.echo(&mut [0; 16]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[test]
fn after_a_reset_the_next_write_fails() {
    let (mut client, mut connection) = connect();
    client.set_nonblocking(true).unwrap();
    let mut scratch = vec![0; 64 * 1024];
    // Far more often than the buffers can take.
    for _ in 0..100_000 {
        if connection.wants_to_write() {
            break;
        }
        let _ = client.write(&[b'x'; 8192]);
        connection.echo(&mut scratch).unwrap();
    }
    assert!(connection.wants_to_write());
    drop(client);
    wait_until(&connection, Interest::NONE);
    connection.echo(&mut scratch).unwrap_err();
}
