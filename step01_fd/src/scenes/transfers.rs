//! Four answers to a read, three to a write.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;

use scene::{Transcript, say, scene};
use step01_fd::{Outbox, Read, Written, errno, pipe, pipe_with_capacity, read, write};

scene!(end_or_would_block, "A pipe has nothing to read: for now, or for good?");
/// Nothing now, and nothing ever again, are two answers: a loop waits after the one and closes
/// after the other.
fn end_or_would_block(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    // Written by std, so that this scene is about reading alone.
    let mut writer = File::from(writer);
    let mut buffer = [0; 16];
    say!(t, "empty:                  {:?}", read(&reader, &mut buffer)?);
    writer.write_all(b"hello")?;
    say!(t, "after hello:            {}", text(&reader, &mut buffer)?);
    say!(t, "empty again:            {:?}", read(&reader, &mut buffer)?);
    writer.write_all(b"bye")?;
    drop(writer);
    say!(t, "after bye, writer gone: {}", text(&reader, &mut buffer)?);
    say!(t, "then:                   {:?}", read(&reader, &mut buffer)?);
    say!(t, "and for ever:           {:?}", read(&reader, &mut buffer)?);
    Ok(())
}

fn text(fd: impl AsFd, buffer: &mut [u8]) -> anyhow::Result<String> {
    Ok(match read(fd, buffer)? {
        Read::Bytes(count) => {
            format!("Bytes({count}) {:?}", String::from_utf8_lossy(&buffer[..count]))
        }
        other => format!("{other:?}"),
    })
}

scene!(full_pipe, "How much does a pipe take, and when does it take more?");
/// A pipe of one page takes a page. It takes more only when the page is read to its last byte:
/// room for 99 % is no room at all.
fn full_pipe(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe_with_capacity(1)?;
    let page = page_size()?;
    let offered = vec![b'x'; page + page / 2];
    say!(t, "offered a page and a half: {}", taken(write(&writer, &offered)?, page));
    say!(t, "offered one byte:          {}", taken(write(&writer, b"x")?, page));

    let mut buffer = vec![0; page - 1];
    say!(t, "all but one byte was read: {}", read(&reader, &mut buffer)? == Read::Bytes(page - 1));
    say!(t, "offered one byte:          {}", taken(write(&writer, b"x")?, page));
    say!(t, "the last byte was read:    {}", read(&reader, &mut buffer)? == Read::Bytes(1));
    say!(t, "offered one byte:          {}", taken(write(&writer, b"x")?, page));
    Ok(())
}

fn page_size() -> anyhow::Result<usize> {
    // SAFETY: sysconf takes a number and touches no memory of ours.
    Ok(usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) })?)
}

fn taken(written: Written, page: usize) -> String {
    match written {
        Written::Bytes(count) if count == page => "took a page".to_string(),
        Written::Bytes(count) => format!("took {count}"),
        Written::WouldBlock => "would block".to_string(),
    }
}

scene!(broken_pipe, "What happens to bytes that nobody can read any more?");
/// The kernel tells the writer by an error, and by SIGPIPE, which would end most programs at once.
/// Every Rust program ignores SIGPIPE from its start, so the error is all there is.
fn broken_pipe(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    say!(t, "somebody may read:   {:?}", write(&writer, b"hello")?);
    drop(reader);
    match write(&writer, b"hello") {
        Ok(written) => say!(t, "nobody can any more: {written:?}"),
        Err(error) => say!(t, "nobody can any more: {:?}", error.kind()),
    }
    say!(t, "and we are still here");
    Ok(())
}

scene!(impossible_pipe_capacity, "Half of the work was done when it failed. What is left behind?");
/// A pipe cannot be as large as one likes. What was made before the kernel said so must be closed.
fn impossible_pipe_capacity(t: Transcript) -> anyhow::Result<()> {
    let (_reader, writer) = pipe_with_capacity(1)?;
    // Written by std, which waits if it has to: so the pipe takes it at once, or nothing does.
    File::from(writer).write_all(b"x")?;
    say!(t, "room for one byte: made");
    let refused = pipe_with_capacity(u32::MAX).err();
    let invalid = refused.as_ref().and_then(errno) == Some(libc::EINVAL);
    say!(t, "room for 4 GiB: invalid argument: {invalid}");
    Ok(())
}

scene!(slow_reader, "There is more to write than fits. Where is the rest?");
/// What could not be written yet waits in an outbox, in order, and the loop goes on with others.
fn slow_reader(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe_with_capacity(1)?;
    let page = page_size()?;
    let message: Vec<u8> = (0..3 * page).map(|place| (place % 251).to_le_bytes()[0]).collect();
    let mut outbox = Outbox::new();
    outbox.push(&message);
    let mut flush = |t: Transcript, when: &str| -> anyhow::Result<()> {
        let all = outbox.flush(&writer)?;
        let unsent = outbox.len();
        say!(t, "{when} all out: {all}, two pages or more wait: {}", unsent >= 2 * page);
        Ok(())
    };
    flush(t, "three pages, a pipe of one:")?;
    flush(t, "nobody has read, again:    ")?;

    let mut came = Vec::new();
    let mut buffer = vec![0; page];
    while let Read::Bytes(count) = read(&reader, &mut buffer)? {
        came.extend_from_slice(&buffer[..count]);
        outbox.flush(&writer)?;
    }
    say!(t, "read and flush in turns:    bytes that wait: {}", outbox.len());
    say!(t, "all came, in order: {}", came == message);
    drop(reader);
    outbox.push(b"hello");
    let error = outbox.flush(&writer).err().map(|error| error.kind());
    say!(t, "the reader left: {error:?}, bytes that wait: {}", outbox.len());
    Ok(())
}
