//! A signal that arrives in the middle of a read or a write (`EINTR`).

use std::fs::File;
use std::io::{Read as _, Write};
use std::os::fd::OwnedFd;

use scene::{Transcript, say, scene};
use step01_fd::{Written, pipe, pipe_with_capacity, read, set_nonblocking, write};

use kit::{Sleeper, count_signals};

scene!(
    interrupted_read,
    "A signal arrives while a thread sleeps in read, and then 5 bytes arrive. What does read return?"
);
/// `returns Err(Interrupted)` from std's `read`: the signal's handler had to run, so the kernel
/// broke off the sleeping read with `EINTR`. Nothing has gone wrong, and nothing is lost. The usual
/// reaction is to call `read` again, and the layer's `read` does that for its callers:
/// `returns Ok(Bytes(5))`. With `SA_RESTART`, which this handler doesn't have, the kernel would
/// restart the call itself.
fn interrupted_read(t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    say!(t, "std's read: a signal comes, then hello");
    say!(t, "  returns {}", interrupt(|reader| std_read(&mut File::from(reader)))?);
    say!(t, "the layer's read: a signal comes, then hello");
    say!(t, "  returns {}", interrupt(|reader| our_read(&reader))?);
    Ok(())
}

/// Lets a thread sleep in `reading`, sends it a signal, and writes 5 bytes after the handler has
/// run.
fn interrupt<F>(reading: F) -> anyhow::Result<String>
where
    F: FnOnce(OwnedFd) -> String + Send + 'static,
{
    let (reader, writer) = pipe()?;
    set_nonblocking(&reader, false)?;
    // Keeps the pipe open for reading when the thread closes its own descriptor.
    let _duplicate = reader.try_clone()?;
    let sleeper = Sleeper::start(move || reading(reader))?;
    sleeper.wait_until_asleep()?;

    sleeper.interrupt()?;
    // The thread either sleeps again or has returned.
    sleeper.wait_until_asleep()?;
    File::from(writer).write_all(b"hello")?;
    sleeper.join()
}

fn std_read(file: &mut File) -> String {
    match file.read(&mut [0; 16]) {
        Ok(count) => format!("Ok({count})"),
        Err(error) => format!("Err({:?})", error.kind()),
    }
}

fn our_read(reader: &OwnedFd) -> String {
    match read(reader, &mut [0; 16]) {
        Ok(read) => format!("Ok({read:?})"),
        Err(error) => format!("Err({:?})", error.kind()),
    }
}

scene!(
    interrupted_write,
    "A signal arrives while a thread sleeps in write. What does write return?"
);
/// `after the signal, the thread: sleeps in write`: the signal ended the write before the kernel
/// had taken a byte, so the kernel returned `EINTR`, and our layer called `write` again. If the
/// kernel has taken some bytes, the write succeeds with the count so far:
/// `write takes:     as much as fits`, without an error. So a short count doesn't tell you whether
/// the pipe was full or a signal came.
fn interrupted_write(t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    let (reader, writer) = pipe_with_capacity(1)?;
    let mut buffer = vec![0; 2 << 20];
    let Written::Bytes(size) = write(&writer, &buffer)? else {
        anyhow::bail!("the write to the empty pipe took no bytes");
    };
    // From here on a write without room sleeps, instead of returning "would block".
    set_nonblocking(&writer, false)?;

    let sleeper = interrupt_a_write(&writer, 1)?;
    say!(t, "write 1 byte to a full pipe: a signal comes");
    let state = if sleeper.is_finished() { "has returned" } else { "sleeps in write" };
    say!(t, "  after the signal, the thread: {}", state);
    read(&reader, &mut buffer)?;
    say!(t, "  the pipe is read, write takes: {}", sleeper.join()?);
    read(&reader, &mut buffer)?;

    let sleeper = interrupt_a_write(&writer, buffer.len())?;
    say!(t, "write more than an empty pipe holds: a signal comes");
    // If the write has gone to sleep again, this lets it end.
    let received = read(&reader, &mut buffer)?;
    let written = sleeper.join()?;
    say!(t, "  write takes:     {}", relative(written, size));
    say!(t, "  the reader gets: {}", relative(format!("{received:?}"), size));
    Ok(())
}

/// Rewrites an answer in words that hold for pipes of every size.
fn relative(answer: String, size: usize) -> String {
    if answer == format!("Bytes({size})") { "as much as fits".to_string() } else { answer }
}

/// Lets a thread sleep in a write of `offered` bytes and sends it a signal. Returns when the
/// thread sleeps again or has returned.
fn interrupt_a_write(writer: &OwnedFd, offered: usize) -> anyhow::Result<Sleeper> {
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
