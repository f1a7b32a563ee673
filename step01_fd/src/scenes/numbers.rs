//! What a descriptor's number says, and what it does not.

use std::os::fd::AsRawFd;

use step01_fd::pipe;
use workbook::{Transcript, say};

/// POSIX promises the lowest number that is free, so a number comes back as soon as it is closed.
pub(crate) fn lowest_free_number(t: &mut Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let freed = reader.as_raw_fd();
    say!(t, "the writer has the next number: {}", writer.as_raw_fd() == freed + 1);
    drop(reader);
    let (reader, _writer) = pipe()?;
    say!(t, "a new pipe's reader has the freed number: {}", reader.as_raw_fd() == freed);
    Ok(())
}
