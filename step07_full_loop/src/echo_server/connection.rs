//! One client, as a task.

use std::io::ErrorKind::{BrokenPipe, ConnectionReset};

use step01_fd::{Outbox, Read};
use step06_tasks::{Error, Result, yield_now};

use super::idle::LastActivity;
use crate::TcpStream;

/// The maximum size of a read: large enough that a busy client needs few calls.
const READ_SIZE: usize = 64 * 1024;

/// The values that a client's task keeps while it waits.
///
/// The task also keeps the variables of its functions and the futures that they await. So these
/// functions send the unsent bytes themselves: with [`Stream::flush`](TcpStream::flush), each
/// client's task would be 40 bytes larger.
struct Client {
    stream: TcpStream,
    outbox: Outbox,
    last_activity: LastActivity,
}

// ANCHOR: serve_client
/// Serves one client, until the client leaves or the task is cancelled. If the connection breaks or
/// is reset, only this task ends, without an error.
///
/// After the first cancellation, the task answers the bytes that have arrived and then ends. A
/// second cancellation ends the task at once.
pub(crate) async fn serve_client(stream: TcpStream) -> Result<()> {
    let last_activity = LastActivity::of_this_task()?;
    let mut client = Client { stream, outbox: Outbox::new(), last_activity };
    let mut outcome = client.echo().await;
    if outcome.as_ref().is_err_and(Error::is_cancelled) {
        outcome = client.answer_the_rest().await.and(outcome);
    }
    match outcome {
        Err(error) if is_lost_connection(&error) => Ok(()),
        outcome => outcome,
    }
}
// ANCHOR_END: serve_client

impl Client {
    // ANCHOR: echo
    /// Sends back what the client sends, until the client leaves. Reads nothing more while bytes
    /// are unsent, so a client that doesn't read its answers costs at most the memory of one read.
    async fn echo(&mut self) -> Result<()> {
        loop {
            self.stream.readable().await?;
            self.last_activity.note();
            if self.answer()? == Read::End {
                return Ok(());
            }
            while !self.outbox.is_empty() {
                self.stream.writable().await?;
                self.stream.try_send(&mut self.outbox, &[])?;
            }
            // A new outbox for each message, so that an idle client owns no buffer.
            self.outbox = Outbox::new();
        }
    }
    // ANCHOR_END: echo

    /// Sends the unsent bytes and then echoes the bytes that have arrived, until none are left.
    async fn answer_the_rest(&mut self) -> Result<()> {
        loop {
            while !self.outbox.is_empty() {
                self.stream.writable().await?;
                self.stream.try_send(&mut self.outbox, &[])?;
            }
            let Read::Bytes(_) = self.answer()? else { return Ok(()) };
            // A socket with room never makes the task wait, and a client might never stop sending.
            yield_now().await?;
        }
    }

    /// Reads once, into the loop's buffer, and sends the bytes back; the outbox keeps the bytes
    /// that the kernel doesn't take.
    fn answer(&mut self) -> Result<Read> {
        let mut buffer = self.stream.event_loop().scratch(READ_SIZE);
        let outcome = self.stream.try_read(&mut buffer)?;
        if let Read::Bytes(count) = outcome {
            self.stream.try_send(&mut self.outbox, &buffer[..count])?;
        }
        Ok(outcome)
    }
}

fn is_lost_connection(error: &Error) -> bool {
    matches!(error, Error::Io(error) if matches!(error.kind(), BrokenPipe | ConnectionReset))
}
