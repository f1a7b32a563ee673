//! Sending through an outbox, which keeps what there's no room for.
//!
//! A task that answers many clients from one shared buffer can't keep a part of that buffer while
//! it waits. So it moves the unsent bytes into an outbox, and waits with that.

use std::os::fd::AsFd;

use step01_fd::Outbox;
use step06_tasks::Result;

use super::recv_send::send_or_keep;
use super::stream::Stream;

impl<S: AsFd> Stream<S> {
    /// Sends `bytes` after the unsent bytes in `outbox`, and keeps there what there's no room for
    /// now. Returns true if everything is sent; otherwise [`flush`](Stream::flush) does the
    /// rest.
    pub fn try_send(&self, outbox: &mut Outbox, bytes: &[u8]) -> Result<bool> {
        let is_sent = send_or_keep(&*self.socket, outbox, bytes)?;
        if !is_sent {
            // The kernel took less than it was offered, so it has no room, and will report when it
            // has.
            self.readiness.write.clear_ready();
        }
        Ok(is_sent)
    }

    /// Sends the unsent bytes in `outbox`, and waits whenever there's no room.
    pub async fn flush(&self, outbox: &mut Outbox) -> Result<()> {
        while !outbox.is_empty() {
            self.readiness.write.ready().await?;
            if !outbox.flush(&self.socket)? {
                self.readiness.write.clear_ready();
            }
        }
        Ok(())
    }
}
