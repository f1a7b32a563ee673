//! A signal that arrives in the middle of a read, or of a write.

use std::fs::File;
use std::io::{Read as _, Write};
use std::os::fd::OwnedFd;

use scene::{Transcript, say, scene};
use step01_fd::{Read, Written, pipe, pipe_with_capacity, read, set_nonblocking, write};

use kit::{Sleeper, count_signals};

scene!(
    interrupted_read,
    "A signal arrives while a thread is asleep in read. What does read return?"
);
/// The kernel breaks the read off (`EINTR`), so that the handler can run. std hands that on;
/// our `read` asks again, for nobody above can do better.
fn interrupted_read(t: Transcript) -> anyhow::Result<()> {
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

scene!(interrupted_write, "A signal arrives in the middle of a write. What does write return?");
/// Before the first byte was taken the signal is an `EINTR`, as with read. After it the kernel does
/// not take the bytes back, so the call succeeds with what it has done: a short count.
fn interrupted_write(t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    let (reader, writer) = pipe_with_capacity(1)?;
    let mut buffer = vec![0; 2 << 20];
    let Written::Bytes(size) = write(&writer, &buffer)? else {
        anyhow::bail!("an empty pipe takes nothing");
    };
    // A write that has no room sleeps, and does not say "would block".
    set_nonblocking(&writer, false)?;

    let sleeper = write_and_be_interrupted(&writer, 1)?;
    say!(t, "full, one byte is offered, a signal: write waits on: {}", !sleeper.is_finished());
    read(&reader, &mut buffer)?;
    say!(t, "  all is read, write took: {}", sleeper.join()?);
    read(&reader, &mut buffer)?;

    let sleeper = write_and_be_interrupted(&writer, buffer.len())?;
    say!(t, "empty, too much is offered, a signal");
    // Should it have gone to sleep again, this lets it end.
    let came = read(&reader, &mut buffer)?;
    let took = sleeper.join()?;
    say!(t, "  write took what fits: {}", took == format!("{:?}", Written::Bytes(size)));
    say!(t, "  the reader has as much: {}", came == Read::Bytes(size));
    Ok(())
}

/// Lets a thread sleep in a write of so many bytes, and sends it a signal. Then it is asleep again,
/// or back.
fn write_and_be_interrupted(writer: &OwnedFd, offered: usize) -> anyhow::Result<Sleeper> {
    let writer = writer.try_clone()?;
    let bytes = vec![b'x'; offered];
    let sleeper = Sleeper::start(move || match write(&writer, &bytes) {
        Ok(written) => format!("{written:?}"),
        Err(error) => format!("{:?}", error.kind()),
    })?;
    sleeper.wait_until_asleep()?;
    sleeper.interrupt()?;
    sleeper.wait_until_asleep()?;
    Ok(sleeper)
}
