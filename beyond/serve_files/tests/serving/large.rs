//! Tests large files, which the server sends without reading them, whatever the client's pace and
//! whatever happens to the file in the meantime.

use std::fs::{self, File};
use std::io::Read;
use std::net::SocketAddr;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::support::{Client, LARGE, directory, large, serve, start};
use rustix::net::sockopt::set_socket_recv_buffer_size;
use serve_files::Limits;

/// Connects a client that takes only a few bytes at a time, so that the server runs out of room in
/// the middle of each call.
fn connect_with_a_small_window(address: SocketAddr) -> Client {
    let client = Client::connect(address);
    set_socket_recv_buffer_size(&client.stream, 64 * 1024).unwrap();
    client
}

#[test]
fn parts_of_all_sizes_arrive_whole_however_little_room_there_is() {
    let mut client = connect_with_a_small_window(start("large_parts"));
    // The server reads and sends up to 64 KiB in one call, and a piece has up to 1 MiB.
    let parts = [65_535, 65_536, 65_537, 600_000, 1_048_575, 1_048_576, 1_048_577]
        .into_iter()
        .flat_map(|length| [(0, length), (LARGE - length, length), (123_457, length)]);
    let parts: Vec<_> = parts.chain([(0, LARGE)]).collect();
    for (first, length) in &parts {
        let last = first + length - 1;
        client.send(format!(
            "GET /large.bin HTTP/1.1\r\nHost: x\r\nRange: bytes={first}-{last}\r\n\r\n"
        ));
    }
    for (first, length) in parts {
        let answer = client.answer();
        assert_eq!(answer.status, 206);
        assert!(answer.body == large()[first..first + length], "{length} bytes from {first}");
    }
}

/// The number of copies: more than all the buffers between the server and a client with a small
/// window can hold, so the server has to continue the answer later.
const COPIES: usize = 4;

/// Serves a single file that contains several copies of the large file. The server has no time
/// limit, so a test hangs if the server waits for an event that never comes.
fn serve_copies(name: &str) -> (PathBuf, SocketAddr) {
    let directory = directory(name);
    let path = directory.join("copies.bin");
    fs::write(&path, large().repeat(COPIES)).unwrap();
    let address = serve(&directory, Limits { piece: Duration::MAX, ..Limits::default() });
    (path, address)
}

fn without_head(mut received: Vec<u8>) -> Vec<u8> {
    let head_ends = received.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    received.split_off(head_ends)
}

#[test]
fn a_file_that_is_replaced_meanwhile_arrives_as_it_was() {
    let (path, address) = serve_copies("large_replaced");
    let mut client = connect_with_a_small_window(address);
    client.send("GET /copies.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(client.hears_within(Duration::from_secs(30)));
    let new = path.with_extension("new");
    fs::write(&new, b"new").unwrap();
    fs::rename(&new, &path).unwrap();
    assert!(client.answer().body == large().repeat(COPIES));
    assert_eq!(client.get("/copies.bin").body, b"new");
}

#[test]
fn a_file_that_becomes_shorter_meanwhile_ends_the_connection_where_it_ends() {
    for (name, left) in [("large_shorter", 3 * LARGE), ("large_shorter_within_a_piece", 12_000_000)]
    {
        let (path, address) = serve_copies(name);
        let mut client = connect_with_a_small_window(address);
        client.send("GET /copies.bin HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(client.hears_within(Duration::from_secs(30)));
        File::options().write(true).open(path).unwrap().set_len(left as u64).unwrap();
        let body = without_head(client.rest());
        assert!(body == large().repeat(COPIES)[..left], "{} bytes of {left}", body.len());
    }
}

/// Empties the file, as a program that rewrites it from scratch does. If a program cuts off only a
/// part of the file, some bytes that are already on their way turn into zeros, because they still
/// belong to the file.
#[test]
fn a_file_that_is_emptied_at_any_moment_sends_nothing_that_it_never_had() {
    let directory = directory("large_emptied");
    let address = serve(&directory, Limits { piece: Duration::MAX, ..Limits::default() });
    let path = directory.join("emptied.bin");
    for moment in 0..50 {
        // Remove the old file, so that each round has a new one.
        let _ = fs::remove_file(&path);
        fs::write(&path, large()).unwrap();
        let mut client = connect_with_a_small_window(address);
        client.send("GET /emptied.bin HTTP/1.0\r\n\r\n");
        let mut received = vec![0; 1000 + moment * LARGE / 50];
        client.stream.read_exact(&mut received).unwrap();
        fs::write(&path, []).unwrap();
        received.extend(client.rest());
        let body = without_head(received);
        assert!(large().starts_with(&body), "{} bytes", body.len());
    }
}

/// The server checks whether a piece is in memory, then sends it. In between, or in the middle of
/// the call, the file can become shorter. The server mustn't wait for room then: the kernel reports
/// no event for a socket that already has room.
#[test]
fn a_file_whose_end_comes_and_goes_delays_no_client() {
    const SHORTER: u64 = LARGE as u64 - 4096;
    let directory = directory("large_comes_and_goes");
    let address = serve(&directory, Limits { piece: Duration::MAX, ..Limits::default() });
    let path = directory.join("hole.bin");
    let file = File::create_new(&path).unwrap();
    file.set_len(LARGE as u64).unwrap();
    let reading = File::open(path).unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                file.set_len(SHORTER).unwrap();
                file.set_len(LARGE as u64).unwrap();
                // Read the file, so that it's in memory. These reads also prolong this state of the
                // file, and the server is most likely to find the state that lasts longest.
                for _ in 0..10 {
                    reading.read_exact_at(&mut [0], LARGE as u64 - 1).unwrap();
                }
            }
        });
        for _ in 0..200 {
            let mut client = Client::connect(address);
            let request = "GET /hole.bin HTTP/1.1\r\nHost: x\r\nRange: bytes=5000000-\r\n\r\n";
            client.send(request.repeat(20));
            client.end();
            assert!(client.rest().starts_with(b"HTTP/1.1 206 Partial Content\r\n"));
        }
        is_over.store(true, Relaxed);
    });
}
