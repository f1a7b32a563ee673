//! The fate of a slow client's answers when the server stops.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{BorrowedFd, RawFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt::{set_socket_recv_buffer_size, set_socket_send_buffer_size};
use rustix::net::{AddressFamily, SocketAddrAny, SocketType, connect, getpeername, socket};
use step05_selfpipe::{EchoServer, ServerHandle};

/// Fits into an ordinary receive buffer, but not into the small ones below.
static MESSAGE: [u8; 48 * 1024] = [7; 48 * 1024];

/// A server in its own thread.
struct Running {
    address: SocketAddr,
    handle: ServerHandle,
    thread: thread::JoinHandle<io::Result<()>>,
}

fn start() -> Running {
    let server = EchoServer::bind(0).unwrap();
    let (address, handle) = (server.local_addr().unwrap(), server.handle());
    Running { address, handle, thread: thread::spawn(move || server.run()) }
}

/// Connects a client whose answer the server can't send: its message has arrived, and there's
/// little room for the way back.
fn slow_client(server: SocketAddr) -> TcpStream {
    let client = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    // Before the connection, because the client then announces its room.
    set_socket_recv_buffer_size(&client, 1).unwrap();
    connect(&client, &server).unwrap();
    let mut client = TcpStream::from(client);
    let its_end = until(|| other_end(&client));
    // SAFETY: the server keeps its end open until the client is gone or the server is stopped, and
    // neither happens here.
    let its_end = unsafe { BorrowedFd::borrow_raw(its_end) };
    set_socket_send_buffer_size(its_end, 1).unwrap();
    client.write_all(&MESSAGE).unwrap();
    until(|| (unsent(&client) == 0).then_some(()));
    client
}

/// Finds the descriptor of the server's end, which is in this process.
fn other_end(client: &TcpStream) -> Option<RawFd> {
    let wanted = SocketAddrAny::from(client.local_addr().unwrap());
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let open = entries.map(|entry| entry.unwrap().file_name().to_str().unwrap().parse());
    open.map(Result::unwrap).find(|&fd: &RawFd| {
        // SAFETY: the descriptor is only asked for its peer, and a closed descriptor has no peer.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        getpeername(fd).is_ok_and(|peer| peer.is_some_and(|peer| peer == wanted))
    })
}

/// Returns the number of bytes that the kernel still has to send: `tx_queue` in `/proc/net/tcp`.
fn unsent(client: &TcpStream) -> usize {
    let port = format!(":{:04X}", client.local_addr().unwrap().port());
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let mut rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let row = rows.find(|row| row.get(1).is_some_and(|local| local.ends_with(&port)));
    let (queued, _) = row.unwrap()[4].split_once(':').unwrap();
    usize::from_str_radix(queued, 16).unwrap()
}

/// Waits until `look` returns a value, for ten seconds at most.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "not within ten seconds");
        thread::yield_now();
    }
}

#[test]
fn a_slow_client_can_read_all_of_its_answer_after_the_stop() {
    let server = start();
    let mut client = slow_client(server.address);
    server.handle.stop();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    assert_eq!(answer.len(), MESSAGE.len());
    server.thread.join().unwrap().unwrap();
}

#[test]
fn a_client_that_never_reads_its_answer_does_not_hold_the_server_forever() {
    let server = start();
    let _client = slow_client(server.address);
    let began = Instant::now();
    server.handle.stop();
    server.thread.join().unwrap().unwrap();
    assert!(began.elapsed() >= Duration::from_secs(5), "it was given its time");
}
