//! A signal that arrives in the middle of a read.

use std::fs::File;
use std::io::{Read as _, Write};
use std::os::fd::OwnedFd;

use step01_fd::{Read, pipe, read, set_nonblocking};
use workbook::{Transcript, say};

use super::sleeper::{Sleeper, count_signals};

/// The kernel breaks the read off (`EINTR`), so that the handler can run. std hands that on;
/// our `read` asks again, for nobody above can do better.
pub(crate) fn interrupted_read(t: &mut Transcript) -> anyhow::Result<()> {
    count_signals()?;
    say!(t, "std's read, a signal, then hello:");
    say!(t, "  {}", interrupt(|reader| std_read(&mut File::from(reader)))?);
    say!(t, "our read, a signal, then hello:");
    say!(t, "  {}", interrupt(|reader| our_read(&reader))?);
    Ok(())
}

/// Lets a thread sleep in `reading`, sends it a signal, and writes hello once that was handled.
fn interrupt<F>(reading: F) -> anyhow::Result<String>
where
    F: FnOnce(OwnedFd) -> String + Send + 'static,
{
    let (reader, writer) = pipe()?;
    set_nonblocking(&reader, false)?;
    // Keeps the pipe whole if the thread closes its own number.
    let _duplicate = reader.try_clone()?;
    let sleeper = Sleeper::start(move || reading(reader))?;
    sleeper.wait_until_asleep()?;

    sleeper.interrupt()?;
    // Asleep again, or back with an answer.
    sleeper.wait_until_asleep()?;
    File::from(writer).write_all(b"hello")?;
    sleeper.join()
}

fn std_read(file: &mut File) -> String {
    match file.read(&mut [0; 16]) {
        Ok(count) => format!("{count} bytes"),
        Err(error) => format!("{:?}", error.kind()),
    }
}

fn our_read(reader: &OwnedFd) -> String {
    match read(reader, &mut [0; 16]) {
        Ok(Read::Bytes(count)) => format!("{count} bytes"),
        Ok(other) => format!("{other:?}"),
        Err(error) => format!("{:?}", error.kind()),
    }
}
