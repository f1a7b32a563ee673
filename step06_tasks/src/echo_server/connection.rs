//! The echo server's tasks: one hears the news, one accepts, and each client has its own.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::time::Duration;

use step03_selector::Interest;
use step04_timers::{Clock, Time};

use super::{Shared, Timer};
use crate::{Result, Task};

/// How long to accept nobody after the process has run out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Empties the self-pipe whenever somebody has written to it. What the news is, the loop looks up.
pub(crate) async fn handle_wakeups(shared: Rc<Shared>) -> Result<()> {
    loop {
        shared.reactor.ready(&shared.pipe, Interest::READABLE).await?;
        shared.pipe.drain()?;
    }
}

/// Makes a task of every client that comes.
pub(crate) async fn accept_clients(shared: Rc<Shared>, listener: TcpListener) -> Result<()> {
    loop {
        shared.reactor.ready(&listener, Interest::READABLE).await?;
        match listener.accept() {
            // A client that cannot be taken in is let go; it is no reason to stop.
            Ok((stream, _)) => drop(welcome(&shared, stream)),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionAborted => {}
                _ => shared.sleep(ACCEPT_PAUSE).await?,
            },
        }
    }
}

fn welcome(shared: &Rc<Shared>, stream: TcpStream) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    let now = shared.clock.now();
    let last_activity = Rc::new(Cell::new(now));
    let serving = serve_client(Rc::clone(shared), stream, Rc::clone(&last_activity));
    let client = Client { task: shared.queue.create_task(serving), last_activity };
    shared.timers.borrow_mut().push(now + shared.idle_limit, Timer::Idle(client));
    Ok(())
}

/// A client's task, and when the client was last heard of.
pub(crate) struct Client {
    task: Task<()>,
    last_activity: Rc<Cell<Time>>,
}

impl Client {
    /// The client's timer fired. Its bytes do not move the timer; so it may well have been heard
    /// of since, and gets a new timer then. A task that waits too long is cancelled.
    pub(crate) fn check_idle(self, shared: &Shared, now: Time) {
        let limit = self.last_activity.get() + shared.idle_limit;
        if limit <= now {
            self.task.cancel();
        } else if !self.task.done() {
            shared.timers.borrow_mut().push(limit, Timer::Idle(self));
        }
    }
}

/// An error of the client's ends that client, and nobody else.
async fn serve_client(
    shared: Rc<Shared>,
    stream: TcpStream,
    last_activity: Rc<Cell<Time>>,
) -> Result<()> {
    let _gone = echo(&shared, &stream, &last_activity).await;
    Ok(())
}

// ANCHOR: echo
/// One client, from its first byte to its last.
async fn echo(shared: &Shared, mut stream: &TcpStream, last_activity: &Cell<Time>) -> Result<()> {
    loop {
        shared.reactor.ready(stream, Interest::READABLE).await?;
        last_activity.set(shared.clock.now());
        let Some(mut unsent) = shared.answer(stream)? else { return Ok(()) };
        while !unsent.is_empty() {
            shared.reactor.ready(stream, Interest::WRITABLE).await?;
            last_activity.set(shared.clock.now());
            let count = or_none(stream.write(&unsent))?;
            unsent.drain(..count.unwrap_or(0));
        }
    }
}
// ANCHOR_END: echo

impl Shared {
    /// One read and one write, at once. Returns what the kernel did not take; nothing at the end.
    fn answer(&self, mut stream: &TcpStream) -> io::Result<Option<Vec<u8>>> {
        let scratch = &mut *self.scratch.borrow_mut();
        let Some(count) = or_none(stream.read(scratch))? else { return Ok(Some(Vec::new())) };
        if count == 0 {
            return Ok(None);
        }
        let sent = or_none(stream.write(&scratch[..count]))?.unwrap_or(0);
        Ok(Some(scratch[sent..count].to_vec()))
    }
}

/// What a call achieved; nothing if it would block, or a signal came in between.
fn or_none(outcome: io::Result<usize>) -> io::Result<Option<usize>> {
    match outcome {
        Ok(count) => Ok(Some(count)),
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        },
    }
}
