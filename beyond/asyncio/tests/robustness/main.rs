//! Every system call of the network fails in turn, with every error that's likely: either nothing
//! is lost, or one connection ends with an error that names the call, and the server lives.
//!
//! The result is a table, which the book prints: `book/measured/robustness.md`. After a change on
//! purpose, write it again:
//!
//! ```text
//! cargo --config 'env.INSTA_UPDATE.value="always"' test -p asyncio --test robustness
//! ```
//!
//! Errors that a kernel never gives are left out. A `close(2)` that fails has closed its
//! descriptor; a refused one hasn't. A `connect` that's interrupted goes on; a refused one doesn't.
//! And no read or write would block if there's something to read or room to write: after such an
//! answer, an edge-triggered descriptor rightly waits for the next event. `calls.rs` has these
//! exceptions. A failed wait of the loop ends the loop: `tests/refused.rs`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod calls;
mod stage;
mod table;

use std::sync::{Mutex, MutexGuard, PoisonError};

use calls::Call;
use kit::{Observer, Refusal, limit_time};
use stage::{Destination, Kind};
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

/// The number of calls of one kind that fail in turn: a long answer takes many writes, which are
/// alike.
const OCCURRENCES: usize = 4;

const SERVING: [(Kind, &str); 6] = [
    (Kind::Streams, "serving a stream"),
    (Kind::StreamsAtPath, "serving a stream"),
    (Kind::Protocols, "serving a protocol"),
    (Kind::Tcp, "serving from a `TcpListener` or a `UnixListener`"),
    (Kind::Unix, "serving from a `TcpListener` or a `UnixListener`"),
    (Kind::Sock, "serving with `sock_accept`"),
];
const CONNECTING: [(Kind, &str); 6] = [
    (Kind::Streams, "connecting a stream or a `TcpStream`"),
    (Kind::Tcp, "connecting a stream or a `TcpStream`"),
    (Kind::Protocols, "connecting a protocol"),
    (Kind::StreamsAtPath, "connecting to a path"),
    (Kind::Unix, "connecting to a path"),
    (Kind::Sock, "`sock_connect`"),
];
const LISTENING: [(Kind, &str); 4] = [
    (Kind::Streams, "starting a server"),
    (Kind::StreamsAtPath, "starting a server"),
    (Kind::Tcp, "binding a `TcpListener` or a `UnixListener`"),
    (Kind::Unix, "binding a `TcpListener` or a `UnixListener`"),
];

/// Lets a test have the descriptors of the process to itself.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    limit_time();
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses a call in each of its occurrences and returns the worst outcome of all. `play` also says
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

/// Serves one client while a call is refused, and then another client.
fn serve(
    observer: &Observer,
    kind: Kind,
    call: Call,
    refusals: &[Refusal],
    spared: usize,
) -> (Outcome, bool) {
    let (place, _) = observer.calls_of(|| stage::open(kind));
    let first = stage::client_of(&place);
    let serve = || (stage::serve(first), stage::take_notes());
    let ((is_answered, notes), _) = observer.refusing(refusals, spared, serve);
    let has_refused = observer.has_refused();
    let second = stage::client_of(&place);
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

/// Calls a function, which returns its error, twice: the first time while a call is refused.
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
    let errors = ERRORS.iter().filter(|(errno, _)| call.never != Some(*errno));
    let outcomes = errors.map(|&(errno, name)| (name, worst(call, errno, &play))).collect();
    Row { doing, call: call.name, outcomes }
}

#[test]
fn each_call_that_fails_harms_one_connection_at_most() {
    let _alone = alone();
    let observer = Observer::new().unwrap();
    let mut rows = Vec::new();
    for (kind, doing) in SERVING {
        for call in calls::of_serving(kind) {
            rows.push(row(doing, call, |refusals, spared| {
                serve(&observer, kind, call, refusals, spared)
            }));
        }
    }
    let destination = Destination::new();
    for (kind, doing) in CONNECTING {
        let place = destination.place(kind.has_path());
        for call in calls::of_connecting(kind) {
            rows.push(row(doing, call, |refusals, spared| {
                try_twice(&observer, call, (refusals, spared), || {
                    let connected = stage::connect(kind, &place);
                    destination.hang_up();
                    connected
                })
            }));
        }
    }
    for (kind, doing) in LISTENING {
        for call in calls::of_listening(kind) {
            rows.push(row(doing, call, |refusals, spared| {
                try_twice(&observer, call, (refusals, spared), || stage::listen(kind))
            }));
        }
    }
    for call in calls::OF_DATAGRAMS {
        rows.push(row("exchanging datagrams", call, |refusals, spared| {
            try_twice(&observer, call, (refusals, spared), stage::exchange_datagrams)
        }));
    }
    table::check(&rows);
}

#[test]
fn a_server_that_cannot_end_its_pause_tries_again_a_second_later() {
    let _alone = alone();
    let observer = Observer::new().unwrap();
    let (place, _) = observer.calls_of(|| stage::open(Kind::Streams));
    let client = stage::client_of(&place);
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
