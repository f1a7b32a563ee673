//! Properties of select(2) that no scene shows.
//!
//! These tests take turns, so that no other test reuses a descriptor that they close.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::ErrorKind;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use step01_fd::{pipe, socketpair, write};
use step02_epoll::{Events, Interest, Select};

const NOW: Option<Duration> = Some(Duration::ZERO);

static TURN: Mutex<()> = Mutex::new(());

fn my_turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Returns the events of a wait that doesn't sleep: token, readable, writable.
fn look(select: &mut Select) -> Vec<(u64, bool, bool)> {
    let mut events = Events::with_capacity(1);
    select.wait(&mut events, NOW).unwrap();
    events.iter().map(|it| (it.token(), it.is_readable(), it.is_writable())).collect()
}

#[test]
fn the_directions_are_independent() {
    let _turn = my_turn();
    let (near, far) = socketpair().unwrap();
    let mut select = Select::new();
    select.add(&near, 7, Interest::READABLE | Interest::WRITABLE).unwrap();
    assert_eq!(look(&mut select), [(7, false, true)]);
    write(&far, b"x").unwrap();
    assert_eq!(look(&mut select), [(7, true, true)]);
    select.modify(&near, 8, Interest::READABLE).unwrap();
    assert_eq!(look(&mut select), [(8, true, false)]);
    select.modify(&near, 9, Interest::WRITABLE).unwrap();
    assert_eq!(look(&mut select), [(9, false, true)]);
    select.wait(&mut Events::with_capacity(1), Some(Duration::MAX)).unwrap();
    select.delete(&near).unwrap();
    assert_eq!(look(&mut select), []);
}

#[test]
fn the_list_refuses_what_epoll_refuses() {
    let _turn = my_turn();
    let (reader, writer) = pipe().unwrap();
    let mut select = Select::new();
    assert_eq!(select.delete(&reader).unwrap_err().kind(), ErrorKind::NotFound);
    select.add(&writer, 1, Interest::READABLE).unwrap();
    let unknown = select.modify(&reader, 2, Interest::READABLE).unwrap_err();
    assert!(unknown.to_string().starts_with("select list, modify fd "), "{unknown}");
    assert!(unknown.to_string().ends_with("No such file or directory (os error 2)"), "{unknown}");
    let again = select.add(&writer, 2, Interest::READABLE).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::AlreadyExists);
    select.delete(&writer).unwrap();
    select.add(&writer, 3, Interest::WRITABLE).unwrap();
    assert_eq!(look(&mut select), [(3, false, true)]);
}

#[test]
fn the_room_grows_if_more_are_ready() {
    let _turn = my_turn();
    let pairs: Vec<_> = (0..100).map(|_| socketpair().unwrap()).collect();
    let mut select = Select::new();
    for (token, (near, _)) in (0..).zip(&pairs) {
        select.add(near, token, Interest::WRITABLE).unwrap();
    }
    let tokens: Vec<u64> = look(&mut select).into_iter().map(|(token, ..)| token).collect();
    assert_eq!(tokens, (0..100).collect::<Vec<_>>());
}

#[test]
fn a_closed_descriptor_is_deleted_and_the_others_are_found() {
    let _turn = my_turn();
    let (gone, _gone_writer) = pipe().unwrap();
    let (quiet, _quiet_writer) = pipe().unwrap();
    let (reader, writer) = pipe().unwrap();
    let mut select = Select::new();
    for (token, fd) in [(1, &gone), (2, &quiet), (3, &reader)] {
        select.add(fd, token, Interest::READABLE).unwrap();
    }
    drop(gone);
    // No descriptor is ready, but the wait returns all the same, without sleeping.
    select.wait(&mut Events::with_capacity(1), None).unwrap();
    write(&writer, b"x").unwrap();
    assert_eq!(look(&mut select), [(3, true, false)]);
}

#[test]
fn a_wait_ends_neither_early_nor_much_too_late() {
    let _turn = my_turn();
    let mut select = Select::new();
    for wanted in [Duration::from_nanos(1), Duration::from_micros(1500), Duration::from_millis(20)]
    {
        let started = Instant::now();
        select.wait(&mut Events::with_capacity(1), Some(wanted)).unwrap();
        let took = started.elapsed();
        assert!(took >= wanted && took < wanted + Duration::from_secs(5), "{wanted:?}: {took:?}");
    }
}

#[test]
fn many_short_waits_are_not_rounded_up_to_seconds() {
    let _turn = my_turn();
    let mut select = Select::new();
    let started = Instant::now();
    for _ in 0..20 {
        select.wait(&mut Events::with_capacity(1), Some(Duration::from_micros(1))).unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(10));
}
