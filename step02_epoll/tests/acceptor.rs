//! The errors of accept(2) that stop a server, and those that don't.
//!
//! These tests change the process's descriptors, so they take turns.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::mem::ManuallyDrop;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use step01_fd::{errno, open_descriptors, pipe};
use step02_epoll::Acceptor;

static TURN: Mutex<()> = Mutex::new(());

fn my_turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(count: usize, address: SocketAddr) -> Vec<TcpStream> {
    (0..count).map(|_| TcpStream::connect(address).unwrap()).collect()
}

#[test]
fn without_clients_there_is_nothing_to_accept_and_no_reason_to_pause() {
    let _turn = my_turn();
    let accepted = Acceptor::bind(0).unwrap().accept().unwrap();
    assert!(accepted.streams.is_empty() && !accepted.must_pause);
}

#[test]
fn a_hundred_clients_are_accepted_in_one_go_and_the_rest_in_the_next() {
    let _turn = my_turn();
    let acceptor = Acceptor::bind(0).unwrap();
    let _clients = connect(103, acceptor.local_addr().unwrap());
    let accepted = acceptor.accept().unwrap();
    assert_eq!(accepted.streams.len(), 100);
    assert!(!accepted.must_pause, "there may be more, but nothing has run out");
    assert_eq!(acceptor.accept().unwrap().streams.len(), 3);
}

#[test]
fn clients_accepted_before_descriptors_ran_out_are_kept() {
    let _turn = my_turn();
    let acceptor = Acceptor::bind(0).unwrap();
    let _clients = connect(5, acceptor.local_addr().unwrap());
    let before = getrlimit(Resource::Nofile);
    let current = Some(limit_with_room_for_two());
    setrlimit(Resource::Nofile, Rlimit { current, maximum: before.maximum }).unwrap();
    let accepted = acceptor.accept();
    setrlimit(Resource::Nofile, before).unwrap();
    let accepted = accepted.unwrap();
    assert_eq!(accepted.streams.len(), 2);
    assert!(accepted.must_pause);
    let rest = acceptor.accept().unwrap();
    assert_eq!(rest.streams.len(), 3, "no client has been lost");
    assert!(!rest.must_pause);
}

/// Returns the lowest limit below which two descriptors are free.
fn limit_with_room_for_two() -> u64 {
    let open = open_descriptors().unwrap();
    let is_free = |fd: &i32| open.iter().all(|(open, _)| open != fd);
    let last = (0..).filter(is_free).nth(1).unwrap();
    u64::from(last.unsigned_abs()) + 1
}

#[test]
fn a_broken_listener_stops_the_server_instead_of_pausing_it() {
    let _turn = my_turn();
    let acceptor = Acceptor::bind(0).unwrap();
    let (reader, _writer) = pipe().unwrap();
    // SAFETY: the listener's descriptor stays open and isn't closed here.
    let listener = unsafe { OwnedFd::from_raw_fd(acceptor.as_fd().as_raw_fd()) };
    let mut listener = ManuallyDrop::new(listener);
    // From here on the acceptor's descriptor names a pipe.
    rustix::io::dup2(&reader, &mut listener).unwrap();
    assert_eq!(errno(&acceptor.accept().unwrap_err()), Some(libc::ENOTSOCK));
}
