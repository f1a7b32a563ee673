//! A stream and its peer, for the trials of `write_all`.
//!
//! The connections are Unix sockets, which a `TcpStream` can hold, too. Written bytes reach the
//! other side at once, so every run is the same.

use std::future::{Future, poll_fn};
use std::io::{ErrorKind, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use kit::Transfers;
use step01_fd::errno;
use step07_full_loop::{Error, Result, Task, TcpStream, create_task, yield_now};

/// Makes a stream and its peer.
pub(super) fn connected() -> Result<(Rc<TcpStream>, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    let stream = TcpStream::from_std(std::net::TcpStream::from(OwnedFd::from(ours)))?;
    Ok((Rc::new(stream), theirs))
}

/// Starts a task that writes.
pub(super) fn write_in_a_task(stream: &Rc<TcpStream>, bytes: Vec<u8>) -> Result<Task<()>> {
    let stream = Rc::clone(stream);
    Ok(create_task(async move { stream.write_all(&bytes).await })?)
}

/// Lets other tasks run for `count` ticks.
pub(super) async fn ticks(count: u32) -> Result<()> {
    for _ in 0..count {
        yield_now().await?;
    }
    Ok(())
}

/// Reads all bytes that the peer has received.
pub(super) fn received(mut peer: &UnixStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // It ends with an error, because the socket is non-blocking; the bytes are kept.
    let _ = peer.read_to_end(&mut bytes);
    bytes
}

pub(super) fn outcome(result: Result<()>) -> String {
    match result {
        Err(Error::Io(error)) => match (error.kind(), errno(&error)) {
            (kind, None) => format!("Err({kind:?}), without its errno"),
            (ErrorKind::BrokenPipe | ErrorKind::ConnectionReset, _) => {
                "Err(the peer is gone)".to_owned()
            }
            (kind, _) => format!("Err({kind:?})"),
        },
        other => format!("{other:?}"),
    }
}

/// Polls a write once and returns the outcome and the number of calls to send(2).
pub(super) async fn poll_once(
    write: impl Future<Output = Result<()>>,
    transfers: &Transfers,
) -> (String, u64) {
    let mut write = pin!(write);
    let polled = poll_fn(|context| Poll::Ready(transfers.of(|| write.as_mut().poll(context))));
    let (polled, calls) = polled.await;
    let outcome = match polled {
        Poll::Ready(result) => outcome(result),
        Poll::Pending => "Pending".to_owned(),
    };
    (outcome, calls.writes)
}
