//! All of a program's input and output at once.
//!
//! Who writes all of the input first and reads the output then can wait forever: the program waits for
//! room for its output, and so reads no more input. So the three pipes are served together, in one
//! task.

use std::io::ErrorKind;

use step06_tasks::{Error, Result};

use super::together::together;
use super::{PipeReader, PipeWriter, Process};

impl Process {
    /// Writes `input` and closes the pipe, reads both outputs to the end, waits for the end of the
    /// process, and returns what was read; `None` for what isn't a pipe. asyncio's `communicate`.
    ///
    /// A program needn't read its input: if it has closed that, the rest is dropped. Fails if there's
    /// input and no pipe for it. The pipes are closed afterwards, and also if this is cancelled: what
    /// was read by then is lost, but the process can still be waited for.
    pub async fn communicate(
        &mut self,
        input: &[u8],
    ) -> Result<(Option<Vec<u8>>, Option<Vec<u8>>)> {
        let (stdin, stdout, stderr) = (self.stdin.take(), self.stdout.take(), self.stderr.take());
        if stdin.is_none() && !input.is_empty() {
            return Err(Error::other("communicate: stdin isn't a pipe"));
        }
        let ((), output, errors) =
            together(feed(stdin, input), read_all(stdout), read_all(stderr)).await?;
        self.wait().await?;
        Ok((output, errors))
    }
}

async fn feed(stdin: Option<PipeWriter>, input: &[u8]) -> Result<()> {
    let Some(stdin) = stdin else { return Ok(()) };
    match stdin.write_all(input).await {
        Err(Error::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

async fn read_all(pipe: Option<PipeReader>) -> Result<Option<Vec<u8>>> {
    match pipe {
        Some(pipe) => Ok(Some(pipe.read_to_end().await?)),
        None => Ok(None),
    }
}
