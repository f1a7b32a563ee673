//! A reception desk: writes down what its guests say. It asks guests who have been quiet for five
//! seconds whether they're still there. When a guest says `close`, the server says goodbye to all
//! guests and then ends.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    AnyTask, Event, Result, StreamReader, StreamWriter, current_task, start_unix_server, timeout,
};

use crate::name_this_task;

/// The time that a guest may stay silent.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves until a guest has said `close` and the last guest has left.
pub async fn serve(path: PathBuf) -> Result<()> {
    let reception = Rc::new(Reception::default());
    let receiving = Rc::clone(&reception);
    let server = start_unix_server(
        move |reader, writer| serve_guest(Rc::clone(&receiving), reader, writer),
        path,
    );
    let server = server.await?;
    reception.closing.wait().await?;
    server.close();
    for guest in reception.guests.take() {
        guest.cancel();
    }
    server.wait_closed().await
}

#[derive(Default)]
struct Reception {
    closing: Event,
    /// The guests' tasks.
    guests: RefCell<Vec<AnyTask>>,
}

async fn serve_guest(
    reception: Rc<Reception>,
    mut reader: StreamReader,
    writer: StreamWriter,
) -> Result<()> {
    name_this_task("guest");
    reception.guests.borrow_mut().retain(|guest| !guest.done());
    reception.guests.borrow_mut().extend(current_task());
    let outcome = take_notes(&reception, &mut reader, &writer).await;
    writer.write(b"goodbye\n")?;
    outcome
}

async fn take_notes(
    reception: &Reception,
    reader: &mut StreamReader,
    writer: &StreamWriter,
) -> Result<()> {
    while let Some(line) = next_line(reader, writer).await? {
        if line == b"close\n" {
            reception.closing.set();
        }
        writer.write(b"noted\n")?;
        writer.drain().await?;
    }
    Ok(())
}

/// Returns the guest's next line, or `None` once the guest has left.
async fn next_line(reader: &mut StreamReader, writer: &StreamWriter) -> Result<Option<Vec<u8>>> {
    loop {
        match timeout(PATIENCE)?.run(reader.next_line()).await {
            Ok(line) => return Ok(line),
            Err(_) => writer.write(b"are you still there?\n")?,
        }
    }
}
