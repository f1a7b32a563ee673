//! One client, as a task.

use std::io::ErrorKind::{BrokenPipe, ConnectionReset};

use step01_fd::{Outbox, Read};
use step06_tasks::{Error, Result, yield_now};

use super::SharedBuffer;
use super::idle::LastActivity;
use crate::TcpStream;

// ANCHOR: serve_client
/// Serves one client, until the client ends or the task is cancelled. A client that disconnects in
/// the middle isn't an error of the server.
///
/// The first cancellation lets the task answer what has arrived; a second cancellation doesn't.
pub(crate) async fn serve_client(client: TcpStream, scratch: SharedBuffer) -> Result<()> {
    let last_activity = LastActivity::of_this_task()?;
    let mut outbox = Outbox::new();
    let mut outcome = echo(&client, &scratch, &last_activity, &mut outbox).await;
    if outcome.as_ref().is_err_and(Error::is_cancelled) {
        outcome = answer_the_rest(&client, &scratch, &mut outbox).await.and(outcome);
    }
    match outcome {
        Err(error) if is_lost_connection(&error) => Ok(()),
        outcome => outcome,
    }
}
// ANCHOR_END: serve_client

// ANCHOR: echo
/// Sends back what the client sends, until the client ends. Reads nothing more while bytes are
/// unsent, so a client that doesn't read its answers costs at most the memory of one read.
async fn echo(
    client: &TcpStream,
    scratch: &SharedBuffer,
    last_activity: &LastActivity,
    outbox: &mut Outbox,
) -> Result<()> {
    loop {
        client.readable().await?;
        last_activity.note();
        if answer(client, &mut scratch.borrow_mut(), outbox)? == Read::End {
            return Ok(());
        }
        client.flush(outbox).await?;
        // A new outbox for each message, so that an idle client owns no buffer.
        *outbox = Outbox::new();
    }
}
// ANCHOR_END: echo

/// Sends the unsent bytes and then echoes whatever else has arrived, until nothing is left.
async fn answer_the_rest(
    client: &TcpStream,
    scratch: &SharedBuffer,
    outbox: &mut Outbox,
) -> Result<()> {
    client.flush(outbox).await?;
    loop {
        let outcome = answer(client, &mut scratch.borrow_mut(), outbox)?;
        let Read::Bytes(_) = outcome else { return Ok(()) };
        client.flush(outbox).await?;
        // A flush that finds room doesn't wait, and a client might never stop sending.
        yield_now().await?;
    }
}

/// Reads once and sends the bytes back; `outbox` keeps the bytes that the kernel doesn't take.
fn answer(client: &TcpStream, scratch: &mut [u8], outbox: &mut Outbox) -> Result<Read> {
    let outcome = client.try_read(scratch)?;
    if let Read::Bytes(count) = outcome {
        client.try_send(outbox, &scratch[..count])?;
    }
    Ok(outcome)
}

fn is_lost_connection(error: &Error) -> bool {
    matches!(error, Error::Io(error) if matches!(error.kind(), BrokenPipe | ConnectionReset))
}
