//! A connection, as a task: requests in, answers out, in order.
//!
//! Three statements are true between any two awaits:
//! 1. `received` begins where the next request begins.
//! 2. At most one request is in progress: it's in `request` until it has an answer, and the answer
//!    is in `sending` until it's sent. So a task that's cancelled can continue where it stopped.
//! 3. No byte is read while an answer is unsent: a client that doesn't read can't fill our memory.

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

/// The number of bytes to read at once. A request is rarely longer than a packet.
const READ_SIZE: usize = 4 * 1024;

struct Connection {
    shared: Rc<Shared>,
    socket: Rc<Socket>,
    received: Vec<u8>,
    request: Option<Box<Request>>,
    sending: Sending,
    /// The connection is closed after the current answer.
    closes: bool,
}

/// Serves a connection until it ends or the task is cancelled. A client that disconnects in the
/// middle isn't an error of the server.
///
/// The first cancellation lets the connection finish the current answer, and a second ends that.
pub(crate) async fn serve_connection(stream: TcpStream, shared: Rc<Shared>) -> Result<()> {
    // A head and the first piece of a file can be two writes, and the second shouldn't wait until
    // the client has acknowledged the first. Without this option, it's only slower.
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

/// Returns true for errors that end only the connection: the client has left, or the file has
/// changed since its size was announced.
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

    /// Answers the current request, and then one request after another.
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
                // The client has sent several requests at once, but other clients have their turn,
                // too.
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

    /// Waits for the next request, or for bytes that aren't a request and get their answer at once.
    /// Returns false if there's nothing to answer: the client has ended, or was silent for too
    /// long.
    async fn receive(&mut self) -> Result<bool> {
        // For the whole wait: empty lines are no request and don't extend the wait.
        let idle_until = get_running_loop()?.time() + self.shared.limits.idle;
        let mut deadline = None;
        loop {
            self.received.drain(..leading_empty_lines(&self.received));
            match parse(&self.received) {
                Parsed::Complete(request, length) => {
                    self.request = Some(request);
                    self.received.drain(..length);
                    if self.received.is_empty() {
                        // An idle connection owns no buffer.
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

    /// Waits for bytes and returns false at the end.
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

    /// Ends our side and then reads until the client ends its side, but only for a while.
    ///
    /// Closing a socket that has unread bytes resets the connection, and a reset makes the client's
    /// kernel drop the bytes that its program hasn't read yet, such as our answer. (RFC 9112, 9.6)
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
