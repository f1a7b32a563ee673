//! Bytes out: what there's room for is sent at once, and the rest when there is.
//!
//! A transport keeps whatever is written, so it's the protocol that has to stop. It's told to when
//! more is unsent than the upper mark, and to go on when no more is unsent than the lower one. There
//! are two marks so that it isn't told with every byte.

use std::cell::Cell;

use step01_fd::Outbox;
use step06_tasks::{Error, ExceptionContext, Result};

use super::{StreamSocket, Transport};
use crate::send_or_keep;

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
        let sent = self.on_socket(|socket| {
            send_or_keep(socket, &mut self.connection.outbox.borrow_mut(), data)
        });
        match sent {
            Ok(true) => {}
            Ok(false) => {
                self.add_writer();
                self.pause_protocol_if_above();
            }
            Err(error) => self.fatal_error(error, "Fatal write error on socket transport"),
        }
    }

    // ANCHOR: write_ready
    /// Sends what's unsent, as far as there's room, and then does what had to wait for that. It's
    /// called in every tick in which an event reports room, for as long as something is unsent.
    ///
    /// When something was sent, the protocol hears of it first: it's
    /// [resumed](Transport::resume_protocol_if_below) if no more is unsent than the lower mark, and can
    /// write more at that moment, or close or abort the connection. If nothing is unsent after that,
    /// the outbox's memory and the writer go ([`forget_unsent`](Transport::forget_unsent)). Then:
    /// - if the connection is closing, it's [lost](Transport::connection_lost), without an error, now
    ///   and not in the next tick;
    /// - otherwise, after `write_eof`, the other side is told the end. If the kernel refuses that, it's
    ///   reported as an `Exception in callback`.
    ///
    /// If sending fails, even after a part was sent, the protocol isn't resumed: what's unsent is
    /// forgotten, and the connection ends with that [error](Transport::fatal_error), as a `Fatal write
    /// error on socket transport`. If the event was wrong, and there was no room for a single byte,
    /// nothing of this follows. Nor does it if the connection is lost: the kernel can refuse to forget
    /// a writer, which is then called once more.
    fn write_ready(&self) {
        if self.connection.lost.get() > 0 {
            return;
        }
        let before = self.get_write_buffer_size();
        let sent = self.on_socket(|socket| self.connection.outbox.borrow_mut().flush(socket));
        if let Err(error) = sent {
            self.forget_unsent();
            return self.fatal_error(error, "Fatal write error on socket transport");
        }
        if self.get_write_buffer_size() == before {
            return;
        }
        self.resume_protocol_if_below();
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
    // ANCHOR_END: write_ready

    fn add_writer(&self) {
        let writer = self.clone();
        let added =
            self.on_socket(|fd| self.event_loop().add_writer(fd, move || writer.write_ready()));
        if let Err(error) = added {
            self.fatal_error(error, "Fatal error on transport");
        }
    }

    /// Drops what's unsent, with its memory, and no longer waits for room.
    pub(super) fn forget_unsent(&self) {
        self.connection.outbox.replace(Outbox::new());
        // It fails only if the selector doesn't know it, and then there's nothing to remove.
        let _ = self.on_socket(|fd| self.event_loop().remove_writer(fd));
    }
}

/// asyncio's upper mark; the lower one is a quarter of it.
const DEFAULT_HIGH: usize = 64 * 1024;

/// The marks, and whether the protocol was told to pause.
pub(super) struct FlowControl {
    high: Cell<usize>,
    low: Cell<usize>,
    protocol_is_paused: Cell<bool>,
}

impl Default for FlowControl {
    fn default() -> Self {
        let (high, low) = (Cell::new(DEFAULT_HIGH), Cell::new(DEFAULT_HIGH / 4));
        FlowControl { high, low, protocol_is_paused: Cell::new(false) }
    }
}

impl Transport {
    /// Sets the marks in bytes. Without a lower one, it's a quarter of the upper one; without an upper
    /// one, that's four times the lower one; without either, they're asyncio's 64 KiB and 16 KiB.
    ///
    /// With zero for both, the protocol pauses whenever something is unsent. If more is unsent than
    /// the new upper mark, the protocol is told at once. Fails if the lower mark is above the upper one.
    pub fn set_write_buffer_limits(&self, high: Option<usize>, low: Option<usize>) -> Result<()> {
        let high = high.unwrap_or_else(|| low.map_or(DEFAULT_HIGH, |low| low.saturating_mul(4)));
        let low = low.unwrap_or(high / 4);
        if low > high {
            return Err(Error::other(format!("high ({high}) must be >= low ({low}) must be >= 0")));
        }
        self.connection.flow_control.high.set(high);
        self.connection.flow_control.low.set(low);
        self.pause_protocol_if_above();
        Ok(())
    }

    /// Returns the marks, the lower one first.
    pub fn get_write_buffer_limits(&self) -> (usize, usize) {
        let FlowControl { high, low, .. } = &self.connection.flow_control;
        (low.get(), high.get())
    }

    /// Returns the number of unsent bytes. What the kernel has taken doesn't count.
    pub fn get_write_buffer_size(&self) -> usize {
        self.connection.outbox.borrow().len()
    }

    /// Call it whenever more is unsent than before.
    pub(super) fn pause_protocol_if_above(&self) {
        let FlowControl { high, protocol_is_paused, .. } = &self.connection.flow_control;
        if self.get_write_buffer_size() <= high.get() || protocol_is_paused.replace(true) {
            return;
        }
        if let Err(error) = self.call(|protocol| protocol.pause_writing(self)) {
            self.report("protocol.pause_writing() failed", error);
        }
    }

    /// Call it whenever less is unsent than before.
    pub(super) fn resume_protocol_if_below(&self) {
        let FlowControl { low, protocol_is_paused, .. } = &self.connection.flow_control;
        if self.get_write_buffer_size() > low.get() || !protocol_is_paused.replace(false) {
            return;
        }
        if let Err(error) = self.call(|protocol| protocol.resume_writing(self)) {
            self.report("protocol.resume_writing() failed", error);
        }
    }
}
