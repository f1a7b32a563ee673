//! Every system call of the network fails in turn, with every error that's likely: either nothing is
//! lost, or one connection ends with an error that names the call, and the server lives.
//!
//! The result is a table, which the book prints: `book/measured/robustness.md`. After a change on
//! purpose, write it again:
//!
//! ```text
//! cargo --config 'env.INSTA_UPDATE.value="always"' test -p step07_full_loop --test robustness
//! ```
//!
//! What a kernel never does is left out. A `close(2)` that fails has closed its descriptor, and a
//! refused one hasn't. A `connect` that's interrupted goes on, and a refused one doesn't. And no read or
//! write would block if there's something to read or room to write: after such an answer, what's
//! edge-triggered rightly waits for the next event. (A wait of the loop that fails is its end:
//! `tests/refused.rs`.)

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod stage;
mod table;

use std::sync::{Mutex, MutexGuard, PoisonError};

use kit::{Observer, Refusal, limit_time};
use stage::Kind::{self, Protocols, Streams};
use step01_fd::open_descriptors;
use table::{Outcome, Row};

const ERRORS: [(i32, &str); 11] = [
    (libc::EINTR, "EINTR"),
    (libc::EAGAIN, "EAGAIN"),
    (libc::ENOMEM, "ENOMEM"),
    (libc::EMFILE, "EMFILE"),
    (libc::ENFILE, "ENFILE"),
    (libc::ENOSPC, "ENOSPC"),
    (libc::ECONNABORTED, "ECONNABORTED"),
    (libc::ENOBUFS, "ENOBUFS"),
    (libc::EPROTO, "EPROTO"),
    (libc::ECONNRESET, "ECONNRESET"),
    (libc::EPIPE, "EPIPE"),
];

/// Of the calls of one kind, so many fail in turn: a long answer takes many writes, which are alike.
const OCCURRENCES: usize = 4;

/// A system call, and how an error names it.
#[derive(Clone, Copy)]
struct Call {
    name: &'static str,
    number: libc::c_long,
    /// The second argument, if it matters.
    argument: Option<i32>,
    says: &'static str,
}

const fn call(name: &'static str, number: libc::c_long, says: &'static str) -> Call {
    Call { name, number, argument: None, says }
}

const fn epoll_ctl(name: &'static str, operation: i32) -> Call {
    Call { name, number: libc::SYS_epoll_ctl, argument: Some(operation), says: name }
}

const ADD: Call = epoll_ctl("epoll_ctl ADD", libc::EPOLL_CTL_ADD);
const MOD: Call = epoll_ctl("epoll_ctl MOD", libc::EPOLL_CTL_MOD);
const DEL: Call = epoll_ctl("epoll_ctl DEL", libc::EPOLL_CTL_DEL);
const ACCEPT: Call = call("accept4", libc::SYS_accept4, "accept fd ");
const READ: Call = call("read", libc::SYS_read, "read fd ");
const WRITE: Call = call("write", libc::SYS_write, "write fd ");
const SHUTDOWN: Call = call("shutdown", libc::SYS_shutdown, "shutdown SHUT_WR");
const FCNTL: Call = call("fcntl", libc::SYS_fcntl, "fcntl ");
const SETSOCKOPT: Call = call("setsockopt", libc::SYS_setsockopt, "setsockopt TCP_NODELAY");
const GETPEERNAME: Call = call("getpeername", libc::SYS_getpeername, "");
const SOCKET: Call = call("socket", libc::SYS_socket, "socket");
const BIND: Call = call("bind", libc::SYS_bind, "bind to 127.0.0.1:0");
const LISTEN: Call = call("listen", libc::SYS_listen, "listen fd ");
const REUSE: Call = Call { says: "bind to 127.0.0.1:0", ..SETSOCKOPT };
const CONNECT: Call = call("connect", libc::SYS_connect, "connect to 127.0.0.1:");
const VERDICT: Call = call("getsockopt", libc::SYS_getsockopt, "connect to 127.0.0.1:");
/// The attempt's registration stays, and so the connection's is refused.
const DEL_OF_AN_ATTEMPT: Call = Call { says: "epoll_ctl ADD fd ", ..DEL };
const PEER: Call = Call { says: "connect to 127.0.0.1:", ..GETPEERNAME };

/// Lets a test have the descriptors of the process to itself.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    limit_time();
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The calls for a client that's served.
fn calls_of_serving(kind: Kind) -> &'static [Call] {
    match kind {
        Streams => &[ACCEPT, SETSOCKOPT, ADD, READ, WRITE, SHUTDOWN, DEL],
        Protocols => {
            &[ACCEPT, FCNTL, SETSOCKOPT, GETPEERNAME, ADD, READ, WRITE, MOD, SHUTDOWN, DEL]
        }
    }
}

fn calls_of_connecting(kind: Kind) -> &'static [Call] {
    match kind {
        Streams => &[SOCKET, CONNECT, ADD, VERDICT, PEER, DEL_OF_AN_ATTEMPT, SETSOCKOPT],
        Protocols => &[SOCKET, CONNECT, ADD, VERDICT, PEER, DEL_OF_AN_ATTEMPT, FCNTL, SETSOCKOPT],
    }
}

const CALLS_OF_LISTENING: [Call; 6] = [SOCKET, REUSE, BIND, LISTEN, ADD, DEL];

/// Refuses a call in each of its occurrences, and returns the worst outcome of all. `play` says also
/// whether a call was refused.
fn worst(call: Call, errno: i32, play: impl Fn(&[Refusal], usize) -> (Outcome, bool)) -> Outcome {
    let argument = call.argument.map(|argument| (1, argument.cast_unsigned()));
    let refusal = Refusal { call: call.number, argument, errno };
    let mut outcomes = Vec::new();
    for spared in 0..OCCURRENCES {
        let before = open_descriptors().unwrap().len();
        let (outcome, has_refused) = play(&[refusal], spared);
        let after = open_descriptors().unwrap().len();
        assert_eq!(before, after, "descriptors after {} has failed with {errno}", call.name);
        if !has_refused {
            break;
        }
        outcomes.push(outcome);
    }
    outcomes.into_iter().max().unwrap_or_else(|| panic!("{} isn't called", call.name))
}

/// Serves one client while a call is refused, and then another one.
fn serve(
    observer: &Observer,
    kind: Kind,
    call: Call,
    refusals: &[Refusal],
    spared: usize,
) -> (Outcome, bool) {
    let (address, _) = observer.calls_of(|| stage::open(kind));
    let first = stage::client_of(address);
    let serve = || (stage::serve(first), stage::take_notes());
    let ((is_answered, notes), _) = observer.refusing(refusals, spared, serve);
    let has_refused = observer.has_refused();
    let second = stage::client_of(address);
    let close = || (stage::serve(second), stage::close(), stage::take_notes());
    let (rest, _) = observer.calls_of(close);
    let when = format!("{kind:?}: {refusals:?} after {spared}: {notes:?}");
    assert_eq!(rest, (true, true, vec![]), "{when}: the server lives, and nothing of it is left");
    let is_named = notes.iter().any(|note| note.contains(call.says));
    assert!(is_named || (is_answered && notes.is_empty()), "{when}: it names the call");
    let outcome = match is_answered {
        false => Outcome::Ends,
        true if notes.is_empty() => Outcome::GoesOn,
        true if notes[0].starts_with("socket.accept() out of system resource") => Outcome::Pauses,
        true => Outcome::Reports,
    };
    (outcome, has_refused)
}

/// Does something twice that returns its error, the first time while a call is refused.
fn try_twice(
    observer: &Observer,
    call: Call,
    (refusals, spared): (&[Refusal], usize),
    make: impl Fn() -> Result<(), String> + Sync,
) -> (Outcome, bool) {
    observer.calls_of(stage::open_loop);
    // A protocol hears of some errors only after it's connected.
    let try_it = || make().err().into_iter().chain(stage::take_notes()).collect::<Vec<String>>();
    let (first, _) = observer.refusing(refusals, spared, try_it);
    let has_refused = observer.has_refused();
    let again = || (make(), stage::take_notes(), stage::close_loop());
    let ((second, notes, ()), _) = observer.calls_of(again);
    assert_eq!((second, notes), (Ok(()), vec![]), "{refusals:?} after {spared}: the next one");
    let is_named = first.iter().any(|error| error.contains(call.says));
    assert!(is_named || first.is_empty(), "{refusals:?} after {spared}: {first:?}");
    let outcome = if first.is_empty() { Outcome::GoesOn } else { Outcome::Ends };
    (outcome, has_refused)
}

fn row(
    doing: &'static str,
    call: Call,
    play: impl Fn(&[Refusal], usize) -> (Outcome, bool),
) -> Row {
    let errors = ERRORS.iter().filter(|(errno, _)| match call.name {
        "connect" => *errno != libc::EINTR,
        "read" | "write" => *errno != libc::EAGAIN,
        _ => true,
    });
    let outcomes = errors.map(|&(errno, name)| (name, worst(call, errno, &play))).collect();
    Row { doing, call: call.name, outcomes }
}

#[test]
fn each_call_that_fails_harms_one_connection_at_most() {
    let _alone = alone();
    let observer = Observer::new().unwrap();
    let mut rows = Vec::new();
    for (kind, doing) in [(Streams, "serving a stream"), (Protocols, "serving a protocol")] {
        for &call in calls_of_serving(kind) {
            rows.push(row(doing, call, |refusals, spared| {
                serve(&observer, kind, call, refusals, spared)
            }));
        }
    }
    let destination = stage::destination();
    let address = destination.local_addr().unwrap();
    for (kind, doing) in [(Streams, "connecting a stream"), (Protocols, "connecting a protocol")] {
        for &call in calls_of_connecting(kind) {
            rows.push(row(doing, call, |refusals, spared| {
                try_twice(&observer, call, (refusals, spared), || {
                    let connected = stage::connect(kind, address);
                    stage::hang_up(&destination);
                    connected
                })
            }));
        }
    }
    for call in CALLS_OF_LISTENING {
        rows.push(row("starting a server", call, |refusals, spared| {
            try_twice(&observer, call, (refusals, spared), || stage::listen(Streams))
        }));
    }
    table::check(&rows);
}

#[test]
fn a_server_that_cannot_end_its_pause_tries_again_a_second_later() {
    let _alone = alone();
    let observer = Observer::new().unwrap();
    let (address, _) = observer.calls_of(|| stage::open(Streams));
    let client = stage::client_of(address);
    let accept = Refusal { call: libc::SYS_accept4, argument: None, errno: libc::EMFILE };
    observer.refusing(&[accept], 0, || stage::serve_for(500));
    let add = Some((1, libc::EPOLL_CTL_ADD.cast_unsigned()));
    let epoll_ctl = Refusal { call: libc::SYS_epoll_ctl, argument: add, errno: libc::ENOSPC };
    observer.refusing(&[epoll_ctl], 0, || stage::serve_for(1000));
    assert!(observer.has_refused());
    let close = || (stage::serve(client), stage::close(), stage::take_notes());
    let ((is_answered, is_over, notes), _) = observer.calls_of(close);
    assert!(is_answered && is_over, "{notes:?}");
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("socket.accept() out of system resource: accept fd "));
    assert!(notes[1].starts_with("a listener couldn't be registered again: epoll_ctl ADD fd "));
}
