//! A parrot: repeats what its clients say. A client can say three lines per second, of up to forty
//! bytes.

use std::path::PathBuf;
use std::time::Duration;

use asyncio::{Result, ServerOptions, StreamReader, StreamWriter, Time, get_running_loop};

use crate::name_this_task;

/// How many lines a client can say in a second.
const LINES_PER_SECOND: u32 = 3;

/// Serves until the loop ends.
pub async fn serve(path: PathBuf) -> Result<()> {
    let options = ServerOptions { limit: 80, ..ServerOptions::default() };
    let server = options.start_unix_server(serve_client, path);
    server.await?.serve_forever().await
}

async fn serve_client(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    name_this_task("client");
    let mut budget = Budget { left: LINES_PER_SECOND, since: get_running_loop()?.time() };
    while let Some(line) = reader.next_line().await? {
        if budget.has_one_left()? {
            writer.write(&line)?;
        } else {
            writer.write(b"slow down!\n")?;
        }
        writer.drain().await?;
    }
    Ok(())
}

/// A client's budget, which is full again a second after it was.
struct Budget {
    left: u32,
    since: Time,
}

impl Budget {
    fn has_one_left(&mut self) -> Result<bool> {
        let now = get_running_loop()?.time();
        if now - self.since >= Duration::from_secs(1) {
            *self = Budget { left: LINES_PER_SECOND, since: now };
        }
        let Some(left) = self.left.checked_sub(1) else { return Ok(false) };
        self.left = left;
        Ok(true)
    }
}
