//! The end of a server: what has come is answered, and nobody is kept waiting for ever.
//!
//! What is answered is what lies in our own kernel's buffers at the time. Bytes that are still on
//! their way are lost; a protocol that cannot have that must say goodbye itself.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use step02_epoll::{Connection, Progress};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Clock, MonotonicClock, Time};

/// How long clients may take to fetch their answers.
const GRACE: Duration = Duration::from_secs(5);

/// Answers what every client has sent so far, and closes its connection.
pub(crate) fn finish_connections(
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

/// Echoes until there is nothing left to read, or no room to write, or no time.
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
