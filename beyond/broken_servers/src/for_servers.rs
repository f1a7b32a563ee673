//! Functions that the servers call to simulate work, to name their tasks and to set up their
//! connections. `work` and `name_this_task` have to find the clients without the server's help, so
//! the clients are stored in a thread-local variable.

use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use asyncio::current_task;
use rustix::net::sockopt::set_socket_send_buffer_size;

use crate::clients::Clients;

thread_local! {
    /// The clients of the server that's running on this thread.
    static PLAYING: RefCell<Option<Clients>> = const { RefCell::new(None) };
}

/// Sets the thread's clients for the duration of a call to `run`, which runs a server's loop.
pub(crate) fn playing<T>(clients: &Clients, run: impl FnOnce() -> T) -> T {
    PLAYING.set(Some(clients.clone()));
    let ran = run();
    PLAYING.set(None);
    ran
}

/// Simulates work, such as a computation, that keeps the thread busy for `duration`. Time is
/// virtual here, so the call only moves the clock and lets the clients make the moves that become
/// due. On a thread that doesn't run a server's loop, the call does nothing.
pub fn work(duration: Duration) {
    if let Some(clients) = PLAYING.with_borrow(Clone::clone) {
        clients.work(duration);
    }
}

/// Names the running task after its kind and its number among the tasks of that kind.
pub fn name_this_task(kind: &str) {
    if let (Some(clients), Some(task)) = (PLAYING.with_borrow(Clone::clone), current_task()) {
        task.set_name(&clients.next_name(kind));
    }
}

/// The size of a send buffer on most machines: 208 KiB. The kernel doubles the number that we pass
/// (`socket(7)`, `SO_SNDBUF`).
const USUAL_SEND_BUFFER: usize = 2 * 106_496;

/// Gives a connection the send buffer that it would have on most machines, so that a story is the
/// same everywhere. Fails with the error from `setsockopt(2)`.
pub fn use_the_usual_settings(socket: &impl AsFd) -> io::Result<()> {
    // Without this call, the sysctl `net.core.wmem_default` would determine the size.
    Ok(set_socket_send_buffer_size(socket, USUAL_SEND_BUFFER / 2)?)
}
