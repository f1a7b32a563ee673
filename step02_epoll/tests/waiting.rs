//! Properties of waiting that no scene shows.

use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use step01_fd::{pipe, write};
use step02_epoll::{Epoll, Event, Events, Interest, Poll, Trigger, errno};

const NOW: Option<Duration> = Some(Duration::ZERO);

#[test]
fn an_error_names_the_call_and_keeps_kind_and_errno() {
    let (reader, _writer) = pipe().unwrap();
    let epoll = Epoll::new().unwrap();
    epoll.add(&reader, 0, Interest::READABLE, Trigger::Level).unwrap();
    let error = epoll.add(&reader, 0, Interest::READABLE, Trigger::Level).unwrap_err();
    let fd = reader.as_raw_fd();
    let text = format!("epoll_ctl ADD fd {fd}: File exists (os error 17)");
    assert_eq!(error.to_string(), text);
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(errno(&error), Some(libc::EEXIST));
}

#[test]
fn a_capacity_of_zero_still_has_room_for_one() {
    let (reader, writer) = pipe().unwrap();
    let epoll = Epoll::new().unwrap();
    epoll.add(&reader, 7, Interest::READABLE, Trigger::Level).unwrap();
    write(&writer, b"x").unwrap();
    let mut events = Events::with_capacity(0);
    epoll.wait(&mut events, NOW).unwrap();
    assert_eq!(events.len(), 1);
}

#[test]
fn poll_finds_all_that_are_ready_even_with_little_room() {
    let pipes: Vec<_> = (0..3).map(|_| pipe().unwrap()).collect();
    let mut poll = Poll::new();
    for (token, (reader, writer)) in (0..).zip(&pipes) {
        poll.add(reader, token, Interest::READABLE).unwrap();
        write(writer, b"x").unwrap();
    }
    poll.delete(&pipes[1].0).unwrap();
    let mut events = Events::with_capacity(1);
    poll.wait(&mut events, NOW).unwrap();
    let tokens: Vec<_> = events.iter().map(Event::token).collect();
    assert_eq!(tokens, [0, 2]);
}

#[test]
fn poll_deletes_a_closed_descriptor() {
    let (reader, _writer) = pipe().unwrap();
    let mut poll = Poll::new();
    poll.add(&reader, 0, Interest::READABLE).unwrap();
    // A high descriptor, which no other test of this process will use in the meantime.
    // SAFETY: F_DUPFD_CLOEXEC takes an integer and touches no memory of ours.
    let fd = unsafe { libc::fcntl(reader.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 500) };
    assert!(fd >= 500);
    // SAFETY: fcntl succeeded, so the descriptor is open and has no other owner.
    let high = unsafe { <std::os::fd::OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(fd) };
    poll.add(&high, 1, Interest::READABLE).unwrap();
    drop(high);
    let mut events = Events::with_capacity(4);
    poll.wait(&mut events, NOW).unwrap();
    assert!(events.is_empty());
    assert_eq!(format!("{poll:?}"), format!("[{}]", reader.as_raw_fd()));
}

#[test]
fn poll_refuses_what_epoll_refuses() {
    let (reader, _writer) = pipe().unwrap();
    let mut poll = Poll::new();
    assert_eq!(poll.delete(&reader).unwrap_err().kind(), ErrorKind::NotFound);
    let unknown = poll.modify(&reader, 0, Interest::READABLE);
    assert_eq!(unknown.unwrap_err().kind(), ErrorKind::NotFound);
    poll.add(&reader, 0, Interest::READABLE).unwrap();
    let twice = poll.add(&reader, 0, Interest::READABLE);
    assert_eq!(twice.unwrap_err().kind(), ErrorKind::AlreadyExists);
}

#[test]
fn an_interest_is_a_set_of_directions() {
    let (none, read, write) = (Interest::NONE, Interest::READABLE, Interest::WRITABLE);
    let both = read | write;
    assert!(both.contains(read) && both.contains(write) && both.contains(both));
    assert!(!read.contains(both) && !read.contains(write) && read.contains(none));
    assert_eq!(both & read, read);
    assert_eq!(read & write, none);
    assert_eq!(both - read, write);
    assert_eq!(read - write, read);
    assert_eq!(read - read, none);
    assert_eq!(read | read, read);
    let mut growing = none;
    growing |= read;
    assert_eq!(growing, read);
    growing |= write;
    assert_eq!(growing, both);
    assert!(none.is_empty() && !read.is_empty() && !both.is_empty());
    let names = format!("{none:?}, {read:?}, {write:?}, {both:?}");
    assert_eq!(names, "NONE, READABLE, WRITABLE, READABLE | WRITABLE");
}

#[test]
fn events_are_those_of_the_last_wait() {
    let (reader, writer) = pipe().unwrap();
    let epoll = Epoll::new().unwrap();
    epoll.add(&reader, 7, Interest::READABLE, Trigger::Level).unwrap();
    epoll.add(&writer, 8, Interest::WRITABLE, Trigger::Level).unwrap();
    let mut events = Events::with_capacity(4);
    assert!(events.is_empty());
    write(&writer, b"x").unwrap();
    epoll.wait(&mut events, NOW).unwrap();
    assert!(!events.is_empty());
    assert_eq!(events.len(), 2);
    let mut lines: Vec<String> = events.iter().map(|event| format!("{event:?}")).collect();
    let together = format!("[{}]", lines.join(", "));
    assert_eq!(format!("{events:?}"), together);
    assert_eq!(format!("{:?}", events.iter()), together);
    lines.sort();
    assert_eq!(lines, ["Event { token: 7, bits: IN }", "Event { token: 8, bits: OUT }"]);
    epoll.delete(&reader).unwrap();
    epoll.delete(&writer).unwrap();
    epoll.wait(&mut events, NOW).unwrap();
    assert_eq!((events.len(), events.iter().count()), (0, 0));
}

#[test]
fn each_bit_has_its_method() {
    let (reader, writer) = pipe().unwrap();
    let epoll = Epoll::new().unwrap();
    let mut events = Events::with_capacity(1);
    epoll.add(&writer, 0, Interest::WRITABLE, Trigger::Level).unwrap();
    epoll.wait(&mut events, NOW).unwrap();
    let event = events.iter().next().unwrap();
    assert!(event.is_writable() && !event.is_readable());
    assert!(!event.is_hangup() && !event.is_read_hangup() && !event.is_error());
    drop(reader);
    epoll.wait(&mut events, NOW).unwrap();
    let event = events.iter().next().unwrap();
    assert!(event.is_error() && event.is_readable() && event.is_writable());
    assert!(!event.is_hangup() && !event.is_read_hangup());
}

#[test]
fn poll_modifies_only_the_given_descriptor() {
    let pipes: Vec<_> = (0..2).map(|_| pipe().unwrap()).collect();
    let mut poll = Poll::new();
    for (token, (reader, writer)) in (0..).zip(&pipes) {
        poll.add(reader, token, Interest::READABLE).unwrap();
        write(writer, b"x").unwrap();
    }
    poll.modify(&pipes[0].0, 10, Interest::WRITABLE).unwrap();
    let mut events = Events::with_capacity(4);
    poll.wait(&mut events, NOW).unwrap();
    assert_eq!(events.iter().map(Event::token).collect::<Vec<_>>(), [1]);
    poll.modify(&pipes[0].0, 11, Interest::READABLE).unwrap();
    poll.wait(&mut events, NOW).unwrap();
    assert_eq!(events.iter().map(Event::token).collect::<Vec<_>>(), [11, 1]);
}

#[test]
fn a_wait_in_nanoseconds_finds_the_same_events_and_never_ends_early() {
    let (reader, writer) = pipe().unwrap();
    let epoll = Epoll::new().unwrap();
    epoll.add(&reader, 7, Interest::READABLE, Trigger::Level).unwrap();
    let mut events = Events::with_capacity(1);
    let asked = Duration::from_micros(200);
    for _ in 0..20 {
        let started = Instant::now();
        epoll.wait_precisely(&mut events, Some(asked)).unwrap();
        assert!(started.elapsed() >= asked);
        assert!(events.is_empty());
    }
    write(&writer, b"x").unwrap();
    for timeout in [NOW, None, Some(Duration::MAX)] {
        epoll.wait_precisely(&mut events, timeout).unwrap();
        assert_eq!(events.iter().map(Event::token).collect::<Vec<_>>(), [7]);
    }
}
