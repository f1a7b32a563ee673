//! Flow control: the two water marks between which a protocol may write.
//!
//! A transport keeps whatever is written, so it's the protocol that has to stop. It's told to when
//! more is unsent than the upper mark, and to go on when no more is unsent than the lower one. There
//! are two marks so that it isn't told with every byte.

use std::cell::Cell;

use step06_tasks::{Error, Result};

use super::Transport;

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
