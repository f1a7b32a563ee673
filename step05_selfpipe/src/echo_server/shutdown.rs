//! Graceful shutdown: answers the bytes that have arrived, then closes the connections, by a
//! deadline at the latest.
//!
//! Bytes count as arrived if they're in this machine's kernel buffers when shutdown begins. Bytes
//! still in transit may be lost; a protocol that can't afford that needs its own closing handshake.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use step02_epoll::{Connection, Progress};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Clock, MonotonicClock, Time};

/// The time that slow clients get to read their answers.
const GRACE: Duration = Duration::from_secs(5);

/// Answers the bytes that have arrived from each client and closes the client's connection, after
/// `GRACE` even if bytes are unanswered.
pub(crate) fn answer_and_close(
    connections: impl Iterator<Item = Connection>,
    scratch: &mut [u8],
) -> io::Result<()> {
    let clock = MonotonicClock::new();
    let end = clock.now() + GRACE;
    let mut selector = EpollSelector::new()?;
    let mut slow: HashMap<RawFd, Connection> = HashMap::new();
    for mut connection in connections {
        if has_unsent(&mut connection, scratch, &clock, end) {
            let fd = connection.as_fd().as_raw_fd();
            selector.register(&connection, Interest::WRITABLE, fd)?;
            slow.insert(fd, connection);
        }
    }
    let mut ready = Vec::new();
    while !slow.is_empty() && clock.now() < end {
        selector.select(Some(end - clock.now()), &mut ready)?;
        for event in &ready {
            let connection = slow.get_mut(&event.data);
            if connection.is_some_and(|it| !has_unsent(it, scratch, &clock, end))
                && let Some(answered) = slow.remove(&event.data)
            {
                selector.unregister(&answered)?;
            }
        }
    }
    Ok(())
}

/// Echoes until nothing is left to read, there's no room to write, the connection fails, or time is
/// up. Returns true only if there's no room: the client has to read before the rest can be written.
fn has_unsent(
    connection: &mut Connection,
    scratch: &mut [u8],
    clock: &MonotonicClock,
    end: Time,
) -> bool {
    while clock.now() < end {
        match connection.echo(scratch) {
            Ok(Progress::Echoed) => {}
            Ok(Progress::Waiting) => return connection.wants_to_write(),
            Ok(Progress::Finished) | Err(_) => return false,
        }
    }
    false
}
