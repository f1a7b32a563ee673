//! Bytes in: the reader of a connection, pausing and resuming it, and the end.

use step01_fd::Read;
use step06_tasks::{Handle, Result};

use super::Transport;
use crate::event_loop::{Direction, MAX_SIZE};
use crate::net::recv;

impl Transport {
    /// Stops reading: nothing is received until it's resumed. What has arrived waits in the kernel,
    /// and when there's no more room, the other side waits too. If it's closing or paused already,
    /// does nothing.
    pub fn pause_reading(&self) {
        if self.is_reading() {
            self.connection.is_paused.set(true);
            self.remove_reader();
        }
    }

    /// Reads again. Does nothing if it isn't paused, or is closing.
    pub fn resume_reading(&self) {
        if !self.is_closing() && self.connection.is_paused.replace(false) {
            self.add_reader();
        }
    }

    /// Returns true if it's neither paused nor closing. (As in asyncio, the other side's end makes no
    /// difference.)
    pub fn is_reading(&self) -> bool {
        !self.is_closing() && !self.connection.is_paused.get()
    }

    /// Registers the reader, unless reading was paused or the connection closed before it began.
    pub(super) fn add_reader(&self) {
        if !self.is_reading() {
            return;
        }
        let reader = self.clone();
        let handle = Handle::repeating(move || reader.read_ready());
        let added =
            self.on_socket(|fd| self.event_loop().set_callback(fd, Direction::Read, handle));
        if let Err(error) = added {
            self.fatal_error(error, "Fatal error on transport");
        }
    }

    pub(super) fn remove_reader(&self) {
        // It fails only if the selector doesn't know it, and then there's nothing to remove.
        let _ = self.on_socket(|fd| self.event_loop().clear_callback(fd, Direction::Read));
    }

    /// Reads once, into the loop's buffer. If there's more, the loop calls again in the next tick,
    /// after the others.
    fn read_ready(&self) {
        if self.connection.lost.get() > 0 {
            return;
        }
        // It's lent until the protocol has seen the bytes.
        let mut scratch = self.event_loop().scratch_of(MAX_SIZE);
        match self.on_socket(|socket| recv(socket, &mut scratch)) {
            Ok(Read::Bytes(count)) => self.data_received(&scratch[..count]),
            Ok(Read::End) => self.eof_received(),
            Ok(Read::WouldBlock) => {}
            Err(error) => self.fatal_error(error, "Fatal read error on socket transport"),
        }
    }

    fn data_received(&self, data: &[u8]) {
        let received: Result<()> = self.call(|protocol| protocol.data_received(self, data));
        if let Err(error) = received {
            self.fatal_error(error, "Fatal error: protocol.data_received() call failed.");
        }
    }

    fn eof_received(&self) {
        match self.call(|protocol| protocol.eof_received(self)) {
            // It can still write, but there's nothing left to read: the end would be reported forever.
            Ok(true) => self.remove_reader(),
            Ok(false) => self.close(),
            Err(error) => {
                self.fatal_error(error, "Fatal error: protocol.eof_received() call failed.");
            }
        }
    }
}
