//! Clients for the echo servers of all steps. Each panics if it is not answered as it should be.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

/// Sends a short message and reads it back.
pub(crate) fn ping(server: SocketAddr) {
    let mut client = TcpStream::connect(server).unwrap();
    exchange(&mut client, b"ping");
}

/// Sends one message on an open connection and reads it back.
pub(crate) fn exchange(client: &mut TcpStream, message: &[u8]) {
    client.write_all(message).unwrap();
    let mut answer = vec![0; message.len()];
    client.read_exact(&mut answer).unwrap();
    assert!(answer == message, "the answer is the message");
}

/// Many clients at once, each with many messages of different sizes.
pub(crate) fn several_at_once(server: SocketAddr) {
    let clients: Vec<_> = (0..8)
        .map(|_| {
            thread::spawn(move || {
                let mut client = TcpStream::connect(server).unwrap();
                for size in (1..4000).step_by(37) {
                    exchange(&mut client, &pattern(size));
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
}

/// Sends far more than the socket buffers hold, then says that this was all, and reads the answer.
pub(crate) fn large_and_half_closed(server: SocketAddr) {
    let message = pattern(16 << 20);
    let mut reader = TcpStream::connect(server).unwrap();
    let mut writer = reader.try_clone().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            writer.write_all(&message).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let mut answer = Vec::new();
        reader.read_to_end(&mut answer).unwrap();
        assert!(answer == message, "the answer is the message");
    });
}

/// Leaves with an answer unread, which resets the connection.
pub(crate) fn reset(server: SocketAddr) {
    let mut client = TcpStream::connect(server).unwrap();
    client.write_all(b"never mind").unwrap();
    client.peek(&mut [0]).unwrap();
}

/// Sends until nothing more fits, and does not read: its server must neither grow nor stop.
pub(crate) fn never_reads(server: SocketAddr) -> TcpStream {
    let mut client = TcpStream::connect(server).unwrap();
    client.set_nonblocking(true).unwrap();
    let message = pattern(1 << 20);
    while client.write(&message).is_ok() {}
    client
}

/// Bytes whose order shows.
pub(crate) fn pattern(size: usize) -> Vec<u8> {
    (0_u32..).flat_map(u32::to_le_bytes).take(size).collect()
}

/// Twice as many clients as the server has descriptors for. Those who come too late are answered
/// when others have left.
pub(crate) fn more_than_descriptors(program: &str) {
    let mut server = Command::new("sh")
        .args(["-c", r#"ulimit -n 20; exec "$0" serve"#, program])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let address = address_of(&mut server);
    let clients: Vec<_> = (0..40)
        .map(|_| {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(b"ping").unwrap();
            client
        })
        .collect();
    for mut client in clients {
        client.read_exact(&mut [0; 4]).unwrap();
    }
    server.kill().unwrap();
    server.wait().unwrap();
}

/// What a server says on its first line.
pub(crate) fn address_of(server: &mut Child) -> SocketAddr {
    let mut line = String::new();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ");
    address.expect("the first line says where").parse().unwrap()
}
