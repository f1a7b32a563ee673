//! A parrot: repeats its clients' words. A client may send three lines per second, each of up to
//! forty bytes.

use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Result, ServerOptions, StreamReader, StreamWriter, create_task, sleep};

use crate::name_this_task;

/// The number of lines that a client may send per second.
const LINES_PER_SECOND: u32 = 3;

/// Serves until the loop ends.
pub async fn serve(path: PathBuf) -> Result<()> {
    let options = ServerOptions { limit: 40, ..ServerOptions::default() };
    let server = options.start_unix_server(serve_client, path);
    server.await?.serve_forever().await
}

async fn serve_client(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    name_this_task("client");
    let budget = Rc::new(Cell::new(LINES_PER_SECOND));
    let refilling = create_task(refill(Rc::clone(&budget)))?;
    while let Some(line) = reader.next_line().await? {
        match budget.get().checked_sub(1) {
            Some(left) => {
                budget.set(left);
                writer.write(&line)?;
            }
            None => writer.write(b"slow down!\n")?,
        }
        writer.drain().await?;
    }
    refilling.cancel();
    Ok(())
}

/// Refills a client's budget every second.
async fn refill(budget: Rc<Cell<u32>>) -> Result<()> {
    name_this_task("refill");
    loop {
        sleep(Duration::from_secs(1)).await?;
        budget.set(LINES_PER_SECOND);
    }
}
