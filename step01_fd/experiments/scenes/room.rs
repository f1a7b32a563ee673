//! The number of bytes that a write takes when there's little room, and poll(2)'s report about that
//! room.

use scene::{Transcript, say, scene};
use step01_fd::{Written, pipe_with_capacity, read, socketpair, write};

use super::page_size;
use super::readiness::ready_for;

scene!(
    nearly_full_pipe,
    "A pipe has room for 96 more bytes, and a program offers it 200. How many does the pipe take?"
);
/// A pipe that holds one page (4,096 bytes on most machines) is filled except for 96 bytes. Then
/// the pipe is emptied and offered more bytes than it can hold.
fn nearly_full_pipe(t: Transcript) -> anyhow::Result<()> {
    let page = page_size()?;
    let bytes = vec![b'x'; page + 200];
    let (reader, writer) = pipe_with_capacity(1)?;
    write(&writer, &bytes[..page - 96])?;
    say!(t, "the pipe has room for 96 bytes");
    say!(t, "  write 200:       {:?}", write(&writer, &bytes[..200])?);
    say!(t, "  write 97:        {:?}", write(&writer, &bytes[..97])?);
    say!(t, "  poll, ready for: {}", ready_for(&writer)?);
    say!(t, "  write 96:        {:?}", write(&writer, &bytes[..96])?);

    read(&reader, &mut vec![0; page])?;
    say!(t, "the pipe is empty, with room for a page");
    let answer = match write(&writer, &bytes)? {
        Written::Bytes(count) if count == page => "Bytes(a page)".to_string(),
        other => format!("{other:?}"),
    };
    say!(t, "  write a page and 200: {}", answer);
    Ok(())
}

scene!(
    a_full_pair,
    "A socket is full. How much must its peer read before a write succeeds, and how much before poll(2) reports room?"
);
/// `poll, ready for: neither`, and then `write 1:         Bytes(1)`: once the peer had read a byte,
/// there was room for one. But the kernel reports a UNIX socket as writable only when three
/// quarters of its buffer are free. Without such a threshold, it could wake a waiting writer for
/// every byte read. So a descriptor that poll doesn't report may still take a write.
fn a_full_pair(t: Transcript) -> anyhow::Result<()> {
    let (writer, reader) = socketpair()?;
    let mut fit = 0;
    while write(&writer, b"x")? != Written::WouldBlock {
        fit += 1;
    }
    say!(t, "the socket is full");
    say!(t, "  poll, ready for: {}", ready_for(&writer)?);
    read(&reader, &mut [0])?;
    say!(t, "its peer reads 1 byte");
    say!(t, "  poll, ready for: {}", ready_for(&writer)?);
    say!(t, "  write 1:         {:?}", write(&writer, b"x")?);

    let mut drained = 0;
    while ready_for(&writer)? != "write" {
        read(&reader, &mut [0])?;
        drained += 1;
    }
    let quarters = (4 * drained + fit / 2) / fit;
    say!(t, "its peer reads on, a byte at a time");
    say!(t, "  poll, ready for: write, once {} quarters are read", quarters);
    Ok(())
}
