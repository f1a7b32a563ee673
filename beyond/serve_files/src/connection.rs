//! Serves a connection in a task: receives requests and sends answers in the same order.
//!
//! Three things are true at each await:
//! 1. Unless the connection is about to be closed, `received` starts at the beginning of the next
//!    request.
//! 2. At most one request is in progress. The request is in `request` until there's an answer to
//!    it, and the answer is in `sending` until it has been sent. So after a cancellation, the task
//!    can continue where it stopped.
//! 3. No bytes are read while an answer is unsent, so a client that doesn't read can't fill our
//!    memory.

use std::io::ErrorKind;
use std::net::Shutdown;
use std::rc::Rc;

use asyncio::{
    Error, Read, Result, TcpStream, TimeoutError, get_running_loop, recv, timeout, timeout_at,
    yield_now,
};

use crate::head_end::leading_empty_lines;
use crate::request::{Parsed, Request, parse};
use crate::response::{Form, Response};
use crate::sending::Sending;
use crate::shared::{Shared, Socket};
use crate::status::Status;

/// The maximum number of bytes to read at once. A typical request is shorter.
const READ_SIZE: usize = 4 * 1024;

struct Connection {
    shared: Rc<Shared>,
    socket: Rc<Socket>,
    received: Vec<u8>,
    request: Option<Box<Request>>,
    sending: Sending,
    /// True if the connection has to be closed after the current answer.
    closes: bool,
}

/// Serves a connection until it ends or the task is cancelled. A client that disconnects halfway
/// doesn't count as a server error.
///
/// A first cancellation lets the connection finish the current answer; a second cuts the answer
/// short.
pub(crate) async fn serve_connection(stream: TcpStream, shared: Rc<Shared>) -> Result<()> {
    // A head and the first piece of a file may be two writes, and the second write shouldn't have
    // to wait until the client has acknowledged the first. If setting this option fails, the
    // connection is only slower.
    let _ = stream.set_nodelay(true);
    let mut connection = Connection::new(stream.into_async_fd(), shared);
    let mut outcome = connection.exchange().await;
    if outcome.as_ref().is_err_and(Error::is_cancelled) && connection.owes_an_answer() {
        connection.closes = true;
        outcome = connection.exchange().await.and(outcome);
    }
    match outcome {
        Err(Error::Io(error)) if is_over(error.kind()) => Ok(()),
        Err(error) if TimeoutError::is(&error) => Ok(()),
        outcome => outcome,
    }
}

/// Returns true for errors that end only this connection: the client has left, or the file has
/// shrunk since its size was announced.
fn is_over(error: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionReset, NotConnected, TimedOut, UnexpectedEof};
    matches!(error, BrokenPipe | ConnectionReset | NotConnected | TimedOut | UnexpectedEof)
}

impl Connection {
    fn new(socket: Socket, shared: Rc<Shared>) -> Self {
        let socket = Rc::new(socket);
        let sending = Sending::new(Rc::clone(&socket), Rc::clone(&shared));
        let received = Vec::new();
        Connection { shared, socket, received, request: None, sending, closes: false }
    }

    fn owes_an_answer(&self) -> bool {
        self.request.is_some() || !self.sending.is_done()
    }

    /// Answers the current request, if there is one, and then further requests, one after another.
    async fn exchange(&mut self) -> Result<()> {
        loop {
            if let Some(request) = &self.request {
                let closes = self.closes || self.shared.is_full.get();
                let response = self.shared.site.answer(request, closes).await?;
                self.request = None;
                self.send(response);
            }
            self.sending.finish().await?;
            if self.closes {
                return self.linger().await;
            }
            if !self.received.is_empty() {
                // The client has sent several requests at once, but other clients get their turn
                // first.
                yield_now().await?;
            }
            if !self.receive().await? {
                return Ok(());
            }
        }
    }

    fn send(&mut self, response: Response) {
        self.closes |= response.closes;
        self.sending.begin(response);
    }

    /// Waits for the next request. If the bytes aren't a request, or if the head takes too long,
    /// prepares a refusal instead. Returns false if the client has ended the connection. Fails with
    /// a `TimeoutError` if the client doesn't begin a request in time.
    async fn receive(&mut self) -> Result<bool> {
        // The limit applies to the whole wait: empty lines aren't a request and don't extend the
        // wait.
        let idle_until = get_running_loop()?.time() + self.shared.limits.idle;
        let mut deadline = None;
        loop {
            self.received.drain(..leading_empty_lines(&self.received));
            match parse(&self.received) {
                Parsed::Complete(request, length) => {
                    self.request = Some(request);
                    self.received.drain(..length);
                    if self.received.is_empty() {
                        // Release the buffer, so that idle connections don't hold memory.
                        self.received = Vec::new();
                    }
                    return Ok(true);
                }
                Parsed::Refused(status) => {
                    self.send(Response::refusal(status, Form::LAST, &[]));
                    return Ok(true);
                }
                Parsed::Partial => {}
            }
            let limit = if self.received.is_empty() {
                timeout_at(idle_until)
            } else if let Some(deadline) = deadline {
                timeout_at(deadline)
            } else {
                let from_now = get_running_loop()?.time() + self.shared.limits.head;
                timeout_at(*deadline.insert(from_now))
            };
            match limit.run(self.read()).await {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) if TimeoutError::is(&error) && !self.received.is_empty() => {
                    self.send(Response::refusal(Status::RequestTimeout, Form::LAST, &[]));
                    return Ok(true);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits for bytes and reads them. Returns false at the end of the input.
    async fn read(&mut self) -> Result<bool> {
        loop {
            self.socket.readable().await?;
            let scratch = &mut self.shared.scratch.borrow_mut()[..READ_SIZE];
            match recv(&self.socket, scratch)? {
                Read::Bytes(count) => {
                    if count < READ_SIZE {
                        self.socket.note_short_read();
                    }
                    self.received.extend(&scratch[..count]);
                    return Ok(true);
                }
                Read::End => return Ok(false),
                Read::WouldBlock => self.socket.clear_readable(),
            }
        }
    }

    /// Closes our sending side, then reads until the client closes its side or a time limit passes.
    ///
    /// Closing a socket with unread bytes resets the connection, and on a reset the client's kernel
    /// may discard bytes that the client hasn't read yet, such as our answer: RFC 9112, 9.6.
    async fn linger(&mut self) -> Result<()> {
        self.socket.get_ref().shutdown(Shutdown::Write)?;
        let limit = timeout(self.shared.limits.linger)?;
        let reading = async {
            while self.read().await? {
                self.received.clear();
            }
            Ok(())
        };
        match limit.run(reading).await {
            Err(error) if TimeoutError::is(&error) => Ok(()),
            outcome => outcome,
        }
    }
}
