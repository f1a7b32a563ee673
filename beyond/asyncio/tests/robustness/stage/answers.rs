//! The code that the library's servers call: a coroutine for each client, or a protocol.

use asyncio::{Error, Protocol, Result, StreamReader, StreamWriter, Transport};

use super::{MUCH, note};

/// Answers a line with the line and much more, shuts down its sending side, and waits for the
/// client's end.
pub(super) async fn answer(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    let answered = async {
        let line = reader.readline().await?;
        writer.write(&line)?;
        writer.write(&vec![b'!'; MUCH])?;
        writer.drain().await?;
        writer.write_eof()?;
        reader.read_to_end().await
    };
    let answered = answered.await.map(drop);
    writer.close();
    for outcome in [answered, writer.wait_closed().await] {
        if let Err(error) = outcome {
            note(error);
        }
    }
    Ok(())
}

/// Does the same as a protocol.
pub(super) struct Answering;

impl Protocol for Answering {
    fn data_received(&self, transport: &Transport, line: &[u8]) -> Result<()> {
        transport.write(line)?;
        transport.write(&vec![b'!'; MUCH])?;
        transport.write_eof()
    }

    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        error.into_iter().for_each(note);
        Ok(())
    }
}
