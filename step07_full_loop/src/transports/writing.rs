//! Bytes out: what there's room for is sent at once, and the rest when there is.

use step01_fd::Outbox;
use step06_tasks::{Error, ExceptionContext, Handle, Result};

use super::{StreamSocket, Transport};
use crate::event_loop::Direction;

/// After so many writes in vain, each further one is reported: the protocol doesn't listen.
/// (asyncio: `LOG_THRESHOLD_FOR_CONNLOST_WRITES`)
const VAIN_WRITES: u32 = 5;

impl Transport {
    /// Sends `data`. Never waits: what the kernel doesn't take now is kept, and sent when there's room.
    ///
    /// It's tried at once, if nothing is unsent before it. If sending fails, the connection ends with
    /// that error, and this call doesn't fail. Fails after [`write_eof`](Transport::write_eof). Once
    /// the connection is lost, the bytes go nowhere, and someone who goes on writing is reported.
    pub fn write(&self, data: &[u8]) -> Result<()> {
        if self.connection.wrote_eof.get() {
            return Err(Error::other("Cannot call write() after write_eof()"));
        }
        if data.is_empty() {
            return Ok(());
        }
        if self.connection.lost.get() > 0 {
            self.count_vain_write();
        } else if self.get_write_buffer_size() > 0 {
            self.connection.outbox.borrow_mut().push(data);
            self.pause_protocol_if_above();
        } else {
            self.try_to_send(data);
        }
        Ok(())
    }

    /// Sends all of `pieces`, in order, as one [`write`](Transport::write).
    pub fn writelines(&self, pieces: &[&[u8]]) -> Result<()> {
        if self.connection.wrote_eof.get() {
            return Err(Error::other("Cannot call writelines() after write_eof()"));
        }
        match pieces {
            [piece] => self.write(piece),
            pieces => self.write(&pieces.concat()),
        }
    }

    /// Tells the other side that nothing more will come, once all is sent. It can still be read from.
    /// Does nothing if it's closing. Fails if the kernel refuses, because the other side has ended the
    /// connection meanwhile.
    pub fn write_eof(&self) -> Result<()> {
        if self.is_closing() || self.connection.wrote_eof.replace(true) {
            return Ok(());
        }
        if self.get_write_buffer_size() > 0 {
            return Ok(());
        }
        self.on_socket(StreamSocket::shutdown_writing)
    }

    /// Returns true: every stream socket can end one direction. (asyncio's TLS can't.)
    pub fn can_write_eof(&self) -> bool {
        true
    }

    fn count_vain_write(&self) {
        let lost = self.connection.lost.get();
        if lost >= VAIN_WRITES {
            let context = ExceptionContext::new("socket.send() raised exception.");
            self.event_loop().call_exception_handler(&context);
        }
        self.connection.lost.set(lost.saturating_add(1));
    }

    fn try_to_send(&self, data: &[u8]) {
        let sent = self.on_socket(|fd| self.connection.outbox.borrow_mut().send(fd, data));
        match sent {
            Ok(true) => {}
            Ok(false) => {
                self.add_writer();
                self.pause_protocol_if_above();
            }
            Err(error) => self.fatal_error(error, "Fatal write error on socket transport"),
        }
    }

    /// Sends what's unsent, as far as there's room.
    fn write_ready(&self) {
        if self.connection.lost.get() > 0 {
            return;
        }
        let before = self.get_write_buffer_size();
        match self.on_socket(|fd| self.connection.outbox.borrow_mut().flush(fd)) {
            Ok(_) if self.get_write_buffer_size() == before => {}
            Ok(_) => self.has_sent(),
            Err(error) => {
                self.forget_unsent();
                self.fatal_error(error, "Fatal write error on socket transport");
            }
        }
    }

    fn has_sent(&self) {
        self.resume_protocol_if_below();
        // The protocol may have written more just now.
        if self.get_write_buffer_size() > 0 {
            return;
        }
        self.forget_unsent();
        if self.is_closing() {
            self.connection_lost(None);
        } else if self.connection.wrote_eof.get()
            && let Err(error) = self.on_socket(StreamSocket::shutdown_writing)
        {
            self.report("Exception in callback", error);
        }
    }

    fn add_writer(&self) {
        let writer = self.clone();
        let handle = Handle::repeating(move || writer.write_ready());
        let added =
            self.on_socket(|fd| self.event_loop().set_callback(fd, Direction::Write, handle));
        if let Err(error) = added {
            self.fatal_error(error, "Fatal error on transport");
        }
    }

    /// Drops what's unsent, with its memory, and no longer waits for room.
    pub(super) fn forget_unsent(&self) {
        self.connection.outbox.replace(Outbox::new());
        // It fails only if the selector doesn't know it, and then there's nothing to remove.
        let _ = self.on_socket(|fd| self.event_loop().clear_callback(fd, Direction::Write));
    }
}
