//! Sending an answer, in pieces, as fast as the client takes them.
//!
//! A client that takes its time costs no memory: what the kernel has no room for is read from the
//! file again when there's room.

use std::rc::Rc;

use asyncio::{Result, TcpStream, timeout, yield_now};

use crate::response::Response;
use crate::shared::{PIECE, Shared};

/// The answer under way on a connection. Everything that's left to do is in here, so a task that
/// was cancelled can call [`finish`](Sending::finish) again.
pub(crate) struct Sending {
    shared: Rc<Shared>,
    stream: Rc<TcpStream>,
    response: Option<Response>,
}

/// What's to be done after a piece.
enum Next {
    /// Nothing: that was the last one.
    Nothing,
    /// There may be room for another piece.
    Send,
    /// Wait for room.
    Wait,
    /// A thread has to read the next piece.
    Read,
}

impl Sending {
    pub(crate) fn new(stream: Rc<TcpStream>, shared: Rc<Shared>) -> Self {
        Sending { shared, stream, response: None }
    }

    pub(crate) fn begin(&mut self, response: Response) {
        self.response = Some(response);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.response.is_none()
    }

    /// Sends all that's left. Fails with a `TimeoutError` if the client takes too long to make
    /// room.
    pub(crate) async fn finish(&mut self) -> Result<()> {
        while let Some(response) = &mut self.response {
            let next = send_cached(&self.stream, &mut self.shared.scratch.borrow_mut(), response)?;
            match next {
                Next::Nothing => self.response = None,
                // A client that reads as fast as we write doesn't let us wait, and there are
                // others.
                Next::Send => yield_now().await?,
                Next::Wait => {
                    timeout(self.shared.limits.piece)?.run(self.stream.writable()).await?;
                }
                Next::Read => read_uncached(response).await?,
            }
        }
        Ok(())
    }
}

/// Sends what's in memory, with one write if there's room: what's unsent, and a piece of the file.
fn send_cached(stream: &TcpStream, scratch: &mut [u8], response: &mut Response) -> Result<Next> {
    let mut filled = response.unsent.len();
    scratch[..filled].copy_from_slice(&response.unsent);
    if let Some((file, part)) = &response.file {
        let room = usize::try_from(part.end - part.start).unwrap_or(usize::MAX);
        let room = room.min(PIECE).min(scratch.len() - filled);
        filled += file.read_cached(&mut scratch[filled..filled + room], part.start)?.unwrap_or(0);
    }
    let sent = write_what_fits(stream, &scratch[..filled])?;
    response.advance(sent);
    Ok(match (response.is_sent(), filled) {
        (true, _) => Next::Nothing,
        (false, 0) => Next::Read,
        (false, filled) if sent < filled => Next::Wait,
        (false, _) => Next::Send,
    })
}

/// Writes until all is written or a write would block. After a short write, only another one makes
/// the stream expect an event.
fn write_what_fits(stream: &TcpStream, bytes: &[u8]) -> Result<usize> {
    let mut sent = 0;
    while sent < bytes.len() {
        match stream.try_write(&bytes[sent..])? {
            0 => break,
            count => sent += count,
        }
    }
    Ok(sent)
}

/// Lets a thread read the next piece of the file.
async fn read_uncached(response: &mut Response) -> Result<()> {
    let Some((file, part)) = &mut response.file else { return Ok(()) };
    let count = usize::try_from(part.end - part.start).unwrap_or(usize::MAX).min(PIECE);
    response.unsent = file.read_in_thread(count, part.start).await?;
    part.start += response.unsent.len() as u64;
    Ok(())
}
