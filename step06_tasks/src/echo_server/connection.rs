//! The echo server's tasks: one that accepts clients, and one for each client.

use std::cell::Cell;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::time::Duration;

use step01_fd::{Outbox, Read, read, set_nonblocking};
use step03_selector::Interest;
use step04_timers::{Clock, Time};

use super::Shared;
use super::idle::Client;
use crate::{Error, Result};

/// The pause before another try to accept or to register, for example when the process has run out
/// of descriptors.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Accepts clients and starts a task for each client.
pub(crate) async fn accept_clients(shared: Rc<Shared>, listener: TcpListener) -> Result<()> {
    loop {
        shared.readable(&listener).await?;
        match listener.accept() {
            // If a client can't be set up, drop it and keep serving.
            Ok((stream, _)) => drop(welcome(&shared, stream)),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionAborted => {}
                _ => shared.sleep(RETRY_PAUSE).await?,
            },
        }
    }
}

fn welcome(shared: &Rc<Shared>, stream: TcpStream) -> io::Result<()> {
    set_nonblocking(&stream, true)?;
    // Sends small replies immediately: disables Nagle's algorithm.
    stream.set_nodelay(true)?;
    let last_activity = Rc::new(Cell::new(shared.clock.now()));
    let serving = serve_client(Rc::clone(shared), stream, Rc::clone(&last_activity));
    Client::new(shared.queue.create_task(serving), last_activity).watch(shared);
    Ok(())
}

/// Serves one client. A client's error ends only this task.
async fn serve_client(
    shared: Rc<Shared>,
    stream: TcpStream,
    last_activity: Rc<Cell<Time>>,
) -> Result<()> {
    let _gone = echo(&shared, &stream, &last_activity).await;
    Ok(())
}

// ANCHOR: echo
/// Sends the client's bytes back until the client closes its end. Doesn't read while any bytes are
/// unsent, so a client that doesn't read its answers costs at most the memory of one read.
async fn echo(shared: &Shared, stream: &TcpStream, last_activity: &Cell<Time>) -> Result<()> {
    loop {
        shared.reactor.ready(stream, Interest::READABLE).await?;
        last_activity.set(shared.clock.now());
        // A new outbox for each message, so that an idle client owns no buffer.
        let mut outbox = Outbox::new();
        if shared.answer(stream, &mut outbox)? == Read::End {
            return Ok(());
        }
        while !outbox.is_empty() {
            shared.reactor.ready(stream, Interest::WRITABLE).await?;
            last_activity.set(shared.clock.now());
            outbox.flush(stream)?;
        }
    }
}
// ANCHOR_END: echo

impl Shared {
    /// Waits until `fd` is readable. If `fd` can't be registered, tries again after a pause,
    /// because the loop needs this descriptor.
    pub(crate) async fn readable(&self, fd: impl AsFd) -> Result<()> {
        loop {
            match self.reactor.ready(&fd, Interest::READABLE).await {
                Err(Error::Io(_)) => self.sleep(RETRY_PAUSE).await?,
                outcome => return outcome,
            }
        }
    }

    /// Reads once and writes the bytes back. `outbox` keeps the bytes that the kernel doesn't take.
    fn answer(&self, stream: &TcpStream, outbox: &mut Outbox) -> io::Result<Read> {
        let scratch = &mut *self.scratch.borrow_mut();
        let outcome = read(stream, scratch)?;
        if let Read::Bytes(count) = outcome {
            outbox.send(stream, &scratch[..count])?;
        }
        Ok(outcome)
    }
}
