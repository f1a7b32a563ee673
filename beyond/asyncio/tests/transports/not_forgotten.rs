//! A transport that ends while the kernel refuses to change its registration: the loop calls it
//! once more, which does no harm.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

use crate::support::{Log, Recorder, close, connected, new_loop, tick};
use asyncio::Transport;
use kit::{Observer, Refusal, limit_time};

/// More than a socket holds.
const MUCH: usize = 1 << 20;

/// Has a transport act and aborts it, while the kernel refuses to change its registration, after
/// the change that adds its writer. Returns the calls to its protocol and the reports of the loop's
/// handler.
fn abort_refusing(first: impl Fn(&Transport, &UnixStream) + Sync) -> Vec<String> {
    limit_time();
    let argument = Some((1, libc::EPOLL_CTL_MOD.cast_unsigned()));
    let refusal = Refusal { call: libc::SYS_epoll_ctl, argument, errno: libc::ENOMEM };
    let observer = Observer::new().unwrap();
    let abort = || {
        let log = Log::default();
        let event_loop = new_loop(&log);
        let (transport, theirs) = connected(&event_loop, Recorder::new(&log));
        transport.write(&vec![0; MUCH]).unwrap();
        first(&transport, &theirs);
        transport.abort();
        for _ in 0..3 {
            tick(&event_loop);
        }
        close(&event_loop);
        log.take()
    };
    let (log, _) = observer.refusing(&[refusal], 1, abort);
    assert!(observer.has_refused());
    log
}

#[test]
fn bytes_that_arrive_for_a_lost_connection_are_not_read() {
    let log = abort_refusing(|transport, mut theirs| {
        // The transport has unsent bytes and wants to stop reading.
        transport.close();
        theirs.write_all(b"too late").unwrap();
    });
    assert_eq!(log, ["connection_made", "pause_writing", "connection_lost"]);
}

#[test]
fn room_that_comes_for_a_lost_connection_is_not_used() {
    let log = abort_refusing(|_, mut theirs| {
        let _ = theirs.read_to_end(&mut Vec::new());
    });
    assert_eq!(log, ["connection_made", "pause_writing", "connection_lost"]);
}
