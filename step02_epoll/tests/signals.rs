//! A signal during a wait isn't an error: the wait ends with nothing ready.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io;

use step01_fd::pipe;
use step02_epoll::{Epoll, Events, Interest, Poll, Select, Trigger};

use kit::{Sleeper, count_signals};

/// Returns the outcome of a wait without a timeout that a signal interrupts.
fn interrupted(wait: impl FnOnce(&mut Events) -> io::Result<()> + Send + 'static) -> String {
    let sleeper = Sleeper::start(move || {
        let mut events = Events::with_capacity(4);
        let came_back = wait(&mut events).map(|()| events.len());
        format!("{came_back:?}")
    });
    let sleeper = sleeper.unwrap();
    sleeper.wait_until_asleep().unwrap();
    sleeper.interrupt().unwrap();
    sleeper.join().unwrap()
}

#[test]
fn a_signal_ends_each_kind_of_wait_with_nothing_ready() {
    count_signals().unwrap();
    let (reader, _writer) = pipe().unwrap();
    let epoll = Epoll::new().unwrap();
    epoll.add(&reader, 0, Interest::READABLE, Trigger::Level).unwrap();
    assert_eq!(interrupted(move |events| epoll.wait(events, None)), "Ok(0)");
    let epoll = Epoll::new().unwrap();
    epoll.add(&reader, 0, Interest::READABLE, Trigger::Level).unwrap();
    assert_eq!(interrupted(move |events| epoll.wait_precisely(events, None)), "Ok(0)");
    let mut poll = Poll::new();
    poll.add(&reader, 0, Interest::READABLE).unwrap();
    assert_eq!(interrupted(move |events| poll.wait(events, None)), "Ok(0)");
    let mut select = Select::new();
    select.add(&reader, 0, Interest::READABLE).unwrap();
    assert_eq!(interrupted(move |events| select.wait(events, None)), "Ok(0)");
}
