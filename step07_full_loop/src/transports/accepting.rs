//! Accepting connections for a server; asyncio's `_accept_connection`.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use step06_tasks::{Error, ExceptionContext, Handle, Result};

use super::server::ProtocolServer;
use super::transport::Parts;
use super::{Protocol, Transport};
use crate::event_loop::{Direction, EventLoop};
use crate::net::AcceptFailure;

/// The most connections that are accepted in one go, so that the others have their turn.
const BACKLOG: usize = 100;

/// The pause in accepting when no descriptors are left; asyncio's `ACCEPT_RETRY_DELAY`.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Accepts from now on, if the server isn't closed.
pub(super) fn start(server: &ProtocolServer) -> io::Result<()> {
    let accepting = server.clone();
    let handle = Handle::repeating(move || accept_all(&accepting));
    match &*server.shared.listener.borrow() {
        Some(listener) => server.shared.event_loop.set_callback(listener, Direction::Read, handle),
        None => Ok(()),
    }
}

/// Accepts no longer.
pub(super) fn stop(event_loop: &EventLoop, listener: &TcpListener) {
    // It fails only if the selector doesn't know it, and then there's nothing to remove.
    let _ = event_loop.clear_callback(listener, Direction::Read);
}

fn accept_all(server: &ProtocolServer) {
    for _ in 0..BACKLOG {
        match accept_one(server) {
            Some(Ok(socket)) => begin_in_a_task(server, socket),
            Some(Err(error)) => match AcceptFailure::of(&error) {
                AcceptFailure::NothingThere => return,
                AcceptFailure::PeerLeft => {}
                AcceptFailure::OneConnection => report(server, "socket.accept() failed", error),
                AcceptFailure::OutOfResources => return pause(server, error),
                AcceptFailure::Lasting => {
                    report(server, "socket.accept() failed", error);
                    return server.close();
                }
            },
            None => return,
        }
    }
}

fn accept_one(server: &ProtocolServer) -> Option<io::Result<TcpStream>> {
    let listener = server.shared.listener.borrow();
    listener.as_ref().map(|listener| Ok(listener.accept()?.0))
}

/// The connection that can't be accepted keeps the listener readable, and the loop would spin.
fn pause(server: &ProtocolServer, error: io::Error) {
    report(server, "socket.accept() out of system resource", error);
    if let Some(listener) = &*server.shared.listener.borrow() {
        stop(&server.shared.event_loop, listener);
    }
    let paused = server.clone();
    server.shared.event_loop.call_later(RETRY_DELAY, move || {
        if let Err(error) = start(&paused) {
            report(&paused, "socket.accept() failed", error);
        }
    });
}

/// The factory is the program's own code, and so runs a tick later, in a task.
fn begin_in_a_task(server: &ProtocolServer, socket: TcpStream) {
    let accepted = server.clone();
    server.shared.event_loop.create_task(async move {
        if let Err(error) = begin(&accepted, socket).await {
            report(&accepted, "Error on transport creation for incoming connection", error);
        }
        Ok(())
    });
}

async fn begin(server: &ProtocolServer, socket: TcpStream) -> Result<()> {
    let made = catch_unwind(AssertUnwindSafe(|| (server.shared.factory)()));
    let protocol: Rc<dyn Protocol> = made.map_err(|payload| Error::panicked(&*payload))?;
    let parts = Parts { socket: socket.into(), protocol, server: Some(server.attach()) };
    Transport::make(&server.shared.event_loop, parts).await?;
    Ok(())
}

fn report(server: &ProtocolServer, message: &str, error: impl Into<Error>) {
    let context = ExceptionContext::new(message).with_exception(error.into());
    server.shared.event_loop.call_exception_handler(&context);
}
