//! Sending an answer, in pieces, as fast as the client takes them.

use std::rc::Rc;

use step01_fd::Outbox;
use step07_full_loop::{Result, TcpStream, timeout, yield_now};

use crate::response::Response;
use crate::server::{PIECE, Shared};

/// The answer under way on a connection. Everything that's left to do is in here, so a task that was
/// cancelled can call [`finish`](Sending::finish) again.
pub(crate) struct Sending {
    shared: Rc<Shared>,
    stream: Rc<TcpStream>,
    response: Option<Response>,
    /// What the kernel had no room for.
    outbox: Outbox,
}

impl Sending {
    pub(crate) fn new(stream: Rc<TcpStream>, shared: Rc<Shared>) -> Self {
        Sending { shared, stream, response: None, outbox: Outbox::new() }
    }

    pub(crate) fn begin(&mut self, response: Response) {
        self.response = Some(response);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.response.is_none() && self.outbox.is_empty()
    }

    /// Sends all that's left. Fails with a `TimeoutError` if the client takes too long to make room for
    /// a piece.
    pub(crate) async fn finish(&mut self) -> Result<()> {
        loop {
            if !self.outbox.is_empty() {
                let limit = timeout(self.shared.limits.piece)?;
                limit.run(self.stream.flush(&mut self.outbox)).await?;
                // Its memory isn't needed until there's no room again.
                self.outbox = Outbox::new();
            }
            if self.response.is_none() {
                return Ok(());
            }
            if !self.send_cached()? {
                self.send_uncached().await?;
            }
            if self.outbox.is_empty() && self.response.is_some() {
                // A client that reads as fast as we write doesn't let us wait, and there are others.
                yield_now().await?;
            }
        }
    }

    /// Sends what's in memory, with one write: the head, and a piece of the file. Returns false if
    /// nothing was.
    fn send_cached(&mut self) -> Result<bool> {
        let Some(response) = &mut self.response else { return Ok(true) };
        let mut scratch = self.shared.scratch.borrow_mut();
        let mut filled = response.unsent.len();
        scratch[..filled].copy_from_slice(&response.unsent);
        response.unsent.clear();
        if let Some((file, part)) = &mut response.file {
            let room = usize::try_from(part.end - part.start).unwrap_or(usize::MAX);
            let room = room.min(PIECE);
            if let Some(count) =
                file.read_cached(&mut scratch[filled..filled + room], part.start)?
            {
                filled += count;
                part.start += count as u64;
            }
        }
        if response.file.as_ref().is_none_or(|(_, part)| part.is_empty()) {
            self.response = None;
        }
        if filled > 0 {
            self.stream.try_send(&mut self.outbox, &scratch[..filled])?;
        }
        Ok(filled > 0)
    }

    /// Reads the next piece in a thread, and sends it.
    async fn send_uncached(&mut self) -> Result<()> {
        let Some((file, part)) = self.response.as_mut().and_then(|it| it.file.as_mut()) else {
            return Ok(());
        };
        let count = usize::try_from(part.end - part.start).unwrap_or(usize::MAX).min(PIECE);
        let piece = file.read_in_thread(count, part.start).await?;
        part.start += piece.len() as u64;
        if part.is_empty() {
            self.response = None;
        }
        self.stream.try_send(&mut self.outbox, &piece)?;
        Ok(())
    }
}
