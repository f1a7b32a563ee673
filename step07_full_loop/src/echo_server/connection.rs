//! One client, as a task.

use std::io::ErrorKind::{BrokenPipe, ConnectionReset};
use std::rc::Rc;

use step01_fd::{Outbox, Read};
use step06_tasks::{Error, Result};

use super::Scratch;
use super::idle::LastActivity;
use crate::TcpStream;

/// Serves one client. A client that disconnects in the middle isn't an error of the server.
pub(crate) async fn serve_client(
    client: TcpStream,
    scratch: Scratch,
    last_activity: Rc<LastActivity>,
) -> Result<()> {
    match echo(&client, &scratch, &last_activity).await {
        Err(error) if is_lost_connection(&error) => Ok(()),
        outcome => outcome,
    }
}

// ANCHOR: echo
/// Sends back what the client sends, until it ends. While something is unsent, nothing more is
/// read, so a client that doesn't read its answers costs at most the memory of one read.
async fn echo(client: &TcpStream, scratch: &Scratch, last_activity: &LastActivity) -> Result<()> {
    loop {
        client.readable().await?;
        last_activity.note();
        // A new outbox for each message, so that an idle client owns no buffer.
        let mut outbox = Outbox::new();
        if answer(client, &mut scratch.borrow_mut(), &mut outbox)? == Read::End {
            return Ok(());
        }
        client.flush(&mut outbox).await?;
    }
}
// ANCHOR_END: echo

/// Reads once, and sends those bytes back at once; `outbox` keeps what the kernel doesn't take.
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
