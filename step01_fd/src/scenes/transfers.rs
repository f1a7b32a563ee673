//! Four answers to a read, three to a write.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd};

use step01_fd::{Read, Written, check, pipe, read, write};
use workbook::{Transcript, say};

/// Nothing now, and nothing ever again, are two answers: a loop waits after the one and closes
/// after the other.
pub(crate) fn end_or_would_block(t: &mut Transcript) -> anyhow::Result<()> {
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

/// A pipe of one page takes a page. It takes more only when the page is read to its last byte:
/// room for 99 % is no room at all.
pub(crate) fn full_pipe(t: &mut Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let page = shrink(&writer)?;
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

/// Makes the pipe as small as a pipe can be, and returns its size: a page, 4 KiB on most machines.
fn shrink(pipe: impl AsFd) -> anyhow::Result<usize> {
    let number = pipe.as_fd().as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes a number and touches no memory of ours.
    let size = unsafe { libc::fcntl(number, libc::F_SETPIPE_SZ, 1) };
    Ok(usize::try_from(check(size, || "fcntl F_SETPIPE_SZ".to_string())?)?)
}

fn taken(written: Written, page: usize) -> String {
    match written {
        Written::Bytes(count) if count == page => "took a page".to_string(),
        Written::Bytes(count) => format!("took {count}"),
        Written::WouldBlock => "would block".to_string(),
    }
}

/// The kernel tells the writer by an error, and by SIGPIPE, which would end most programs at once.
/// Every Rust program ignores SIGPIPE from its start, so the error is all there is.
pub(crate) fn broken_pipe(t: &mut Transcript) -> anyhow::Result<()> {
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
