//! Sends an answer in pieces, as fast as the client takes them.
//!
//! A small file that's in the kernel's memory is read and sent together with its head in one write.
//! The kernel sends a larger file from its own memory (sendfile(2)), so only those of its pieces
//! that have to be read from the disk enter this program.
//!
//! A slow client hardly costs memory: if the socket has no room for some bytes that are in the
//! kernel's memory, we read them from the file again once there's room.

use std::ops::Range;
use std::rc::Rc;

use asyncio::{Result, send, timeout, yield_now};
use step01_fd::Written;

use crate::file::File;
use crate::response::Response;
use crate::shared::{PIECE, SENT_AT_ONCE, SMALL, Shared, Socket};

/// A connection's current answer. It holds everything that's left to send, so after a cancellation,
/// the task can call [`finish`](Sending::finish) again.
pub(crate) struct Sending {
    shared: Rc<Shared>,
    socket: Rc<Socket>,
    response: Option<Response>,
}

/// The next step after sending a piece.
enum Next {
    /// There's nothing left to send.
    Nothing,
    /// Send another piece, for which there may be room.
    Send,
    /// Wait until there's room.
    Wait,
    /// Let a thread read the next piece.
    Read,
}

impl Sending {
    pub(crate) fn new(socket: Rc<Socket>, shared: Rc<Shared>) -> Self {
        Sending { shared, socket, response: None }
    }

    pub(crate) fn begin(&mut self, response: Response) {
        self.response = Some(response);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.response.is_none()
    }

    /// Sends the rest of the answer. Fails with a `TimeoutError` if the client takes too long to
    /// make room.
    pub(crate) async fn finish(&mut self) -> Result<()> {
        while let Some(response) = &mut self.response {
            let next = send_cached(&self.socket, &mut self.shared.scratch.borrow_mut(), response)?;
            match next {
                Next::Nothing => self.response = None,
                // A client that reads as fast as we write never makes us wait, but other clients
                // need their turn.
                Next::Send => yield_now().await?,
                Next::Wait => {
                    self.socket.clear_writable();
                    timeout(self.shared.limits.piece)?.run(self.socket.writable()).await?;
                }
                Next::Read => read_uncached(response).await?,
            }
        }
        Ok(())
    }
}

/// Sends bytes that are in memory: first the unsent bytes, then a piece of the file. Returns the
/// next step.
fn send_cached(socket: &Socket, scratch: &mut [u8], response: &mut Response) -> Result<Next> {
    if !response.unsent.is_empty() && !send_unsent(socket, scratch, response)? {
        return Ok(Next::Wait);
    }
    match &mut response.file {
        Some((file, part)) if !part.is_empty() => send_piece(socket, file, part),
        _ => Ok(Next::Nothing),
    }
}

/// Sends the unsent bytes in one write, along with the file's bytes that are in memory if at most
/// [`SMALL`] bytes of the file are left. Returns false if the socket doesn't have room for all of
/// these bytes.
fn send_unsent(socket: &Socket, scratch: &mut [u8], response: &mut Response) -> Result<bool> {
    let mut filled = response.unsent.len();
    scratch[..filled].copy_from_slice(&response.unsent);
    if let Some((file, part)) = &response.file
        && length(part) <= SMALL
    {
        let room = &mut scratch[filled..filled + length(part)];
        filled += file.read_cached(room, part.start)?.unwrap_or(0);
    }
    let sent = match send(socket, &scratch[..filled])? {
        Written::Bytes(count) => count,
        Written::WouldBlock => 0,
    };
    response.advance(sent);
    Ok(sent == filled)
}

/// Sends a piece of the file without reading it and returns the next step.
///
/// If a page is only on the disk, sendfile(2) sleeps, and no flag prevents that. Checking every
/// page would cost more than reading them all. But the kernel loads pages in long runs and evicts
/// them in the same runs. So if the first and last pages of a piece are in memory, the pages in
/// between nearly always are too.
fn send_piece(socket: &Socket, file: &File, part: &mut Range<u64>) -> Result<Next> {
    let end = part.end.min(part.start + SENT_AT_ONCE);
    if !file.is_cached(part.start)? || !file.is_cached(end - 1)? {
        return Ok(Next::Read);
    }
    // A short count may mean that the socket is full or that the file has no more bytes. The next
    // call tells us which.
    while part.start < end {
        match file.send(socket, part.start..end)? {
            Written::Bytes(0) => return Ok(Next::Read),
            Written::Bytes(count) => part.start += count as u64,
            Written::WouldBlock => return Ok(Next::Wait),
        }
    }
    Ok(if part.is_empty() { Next::Nothing } else { Next::Send })
}

/// Lets a thread read the next piece of the file.
async fn read_uncached(response: &mut Response) -> Result<()> {
    let Some((file, part)) = &mut response.file else { return Ok(()) };
    response.unsent = file.read_in_thread(length(part).min(PIECE), part.start).await?;
    part.start += response.unsent.len() as u64;
    Ok(())
}

fn length(part: &Range<u64>) -> usize {
    usize::try_from(part.end - part.start).unwrap_or(usize::MAX)
}
