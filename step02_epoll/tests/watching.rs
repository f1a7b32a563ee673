//! The registrations of the echo server at each moment, according to the kernel.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use step01_fd::{Kind, open_descriptors};
use step02_epoll::{EchoServer, Events};

/// Each of these tests needs to be the only one in its process.
static ALONE: Mutex<()> = Mutex::new(());

const TO_READ: u32 = (libc::EPOLLIN | libc::EPOLLRDHUP).cast_unsigned();
const TO_WRITE: u32 = libc::EPOLLOUT.cast_unsigned();

/// Returns the directions of each entry of the process's only epoll object.
fn watched() -> Vec<u32> {
    let open = open_descriptors().unwrap();
    let is_epoll = |kind: &Kind| *kind == Kind::AnonInode("eventpoll".to_string());
    let (epoll, _) = open.iter().find(|(_, kind)| is_epoll(kind)).unwrap();
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{epoll}")).unwrap();
    let entries = info.lines().filter(|line| line.starts_with("tfd:"));
    let mask = |line: &str| {
        let after = line.split_once("events:").unwrap().1;
        u32::from_str_radix(after.split_whitespace().next().unwrap(), 16).unwrap()
    };
    entries.map(|line| mask(line) & (TO_READ | TO_WRITE)).collect()
}

fn set_limit(soft: libc::rlim_t) -> libc::rlim_t {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` has room for the answer.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) }, 0);
    let before = std::mem::replace(&mut limit.rlim_cur, soft);
    // SAFETY: `limit` is a valid rlimit.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    before
}

#[test]
fn the_listener_is_registered_except_for_a_pause_when_descriptors_run_out() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut server = EchoServer::bind(0).unwrap();
    let mut events = Events::with_capacity(8);
    let address = server.local_addr().unwrap();
    assert_eq!(watched(), [TO_READ]);

    let mut first = TcpStream::connect(address).unwrap();
    server.turn(&mut events).unwrap();
    assert_eq!(watched(), [TO_READ, TO_READ], "the listener and the first client");

    let mut second = TcpStream::connect(address).unwrap();
    let lowest_free = File::open("/dev/null").unwrap().as_raw_fd();
    let before = set_limit(lowest_free.unsigned_abs().into());
    server.turn(&mut events).unwrap();
    let paused = Instant::now();
    // A client is waiting to be accepted, but the listener isn't registered.
    server.turn(&mut events).unwrap();
    let pause = paused.elapsed();
    set_limit(before);
    assert!(pause >= Duration::from_secs(1), "{pause:?}");
    assert_eq!(watched(), [TO_READ, TO_READ], "the listener is back");

    server.turn(&mut events).unwrap();
    assert_eq!(watched(), [TO_READ, TO_READ, TO_READ], "the second client is accepted");
    for client in [&mut first, &mut second] {
        client.write_all(b"hello").unwrap();
        server.turn(&mut events).unwrap();
        client.read_exact(&mut [0; 5]).unwrap();
    }
    drop(first);
    server.turn(&mut events).unwrap();
    assert_eq!(watched(), [TO_READ, TO_READ], "the first client has left");
}

#[test]
fn a_connection_waits_for_one_direction_at_a_time() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut server = EchoServer::bind(0).unwrap();
    let mut client = TcpStream::connect(server.local_addr().unwrap()).unwrap();
    client.set_nonblocking(true).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut events = Events::with_capacity(8);
            while !stop.load(SeqCst) {
                server.turn(&mut events).unwrap();
            }
        });
        let mut sent = 0;
        let waits_to_write = (0..100_000).any(|_| {
            sent += client.write(&[b'x'; 8192]).unwrap_or(0) as u64;
            watched().contains(&TO_WRITE)
        });
        let waits_for_both = watched().contains(&(TO_READ | TO_WRITE));
        client.set_nonblocking(false).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let answer = std::io::copy(&mut (&client).take(sent), &mut std::io::sink());
        let waits_to_read = (0..100_000).any(|_| {
            thread::yield_now();
            watched() == [TO_READ, TO_READ]
        });
        // Stop the thread before any of the checks can fail.
        stop.store(true, SeqCst);
        drop(client);
        assert!(waits_to_write && !waits_for_both && waits_to_read);
        assert_eq!(answer.unwrap(), sent);
    });
}

#[test]
fn a_turn_that_leaves_something_unsent_waits_for_room_at_once() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut server = EchoServer::bind(0).unwrap();
    let mut events = Events::with_capacity(8);
    let mut client = TcpStream::connect(server.local_addr().unwrap()).unwrap();
    client.set_nonblocking(true).unwrap();
    server.turn(&mut events).unwrap();
    // The client sends, never reads, and gives the server a turn each time.
    let has_unsent = |server: &EchoServer| !format!("{server:?}").contains("unsent: []");
    for _ in 0..100_000 {
        if has_unsent(&server) {
            break;
        }
        assert_eq!(watched(), [TO_READ, TO_READ]);
        let _ = client.write(&vec![b'x'; 64 * 1024]);
        server.turn(&mut events).unwrap();
    }
    assert_eq!(watched().iter().filter(|mask| **mask == TO_WRITE).count(), 1);
}
