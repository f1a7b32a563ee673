//! The results of reads and writes on a pipe, and the moments at which they return.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use anyhow::Context;
use kit::cost::open_descriptors;
use scene::{Transcript, say, scene};
use step01_fd::{Read, Written, errno, pipe, pipe_with_capacity, read, write};

scene!(
    end_or_would_block,
    "What does a read of an empty pipe return before and after the writer closes?"
);
/// `empty again:                 WouldBlock` means that no bytes have arrived yet: the writer is
/// open and can still send some, so a loop should wait. `read again:                  End` means
/// that no more bytes will ever arrive, because the writer has closed. Then a loop should stop
/// reading. The kernel reports the end only after the last bytes, so `Bytes(3) "bye"` arrives
/// although the writer is gone by then.
fn end_or_would_block(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    // Written by std, so that this scene depends on `read` alone.
    let mut writer = File::from(writer);
    let mut buffer = [0; 16];
    say!(t, "empty:                       {:?}", read(&reader, &mut buffer)?);
    writer.write_all(b"hello")?;
    say!(t, "hello is written:            {}", text(&reader, &mut buffer)?);
    say!(t, "empty again:                 {:?}", read(&reader, &mut buffer)?);
    writer.write_all(b"bye")?;
    drop(writer);
    say!(t, "bye is written, then closed: {}", text(&reader, &mut buffer)?);
    say!(t, "read again:                  {:?}", read(&reader, &mut buffer)?);
    say!(t, "and again:                   {:?}", read(&reader, &mut buffer)?);
    Ok(())
}

/// Reads once and returns the answer with the bytes as text.
fn text(fd: impl AsFd, buffer: &mut [u8]) -> anyhow::Result<String> {
    Ok(match read(fd, buffer)? {
        Read::Bytes(count) => {
            format!("Bytes({count}) {:?}", String::from_utf8_lossy(&buffer[..count]))
        }
        other => format!("{other:?}"),
    })
}

scene!(
    full_pipe,
    "A full pipe of one page: how many of its bytes must be read before one more can be written?"
);
/// `write 1 byte:            would block`, even after all but one byte of the page were read: the
/// kernel keeps a pipe's bytes in pages and frees a page only when its last byte has been read.
/// After `read the last byte:      got 1 byte` the page is free, and the same write succeeds. So
/// don't work out how much room there should be. Write and see how much the pipe takes.
fn full_pipe(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe_with_capacity(1)?;
    let page = page_size()?;
    let offered = vec![b'x'; page + page / 2];
    say!(t, "write a page and a half: {}", took(write(&writer, &offered)?, page));
    say!(t, "write 1 byte:            {}", took(write(&writer, b"x")?, page));

    let mut buffer = vec![0; page - 1];
    say!(t, "read all but 1 byte:     {}", got(read(&reader, &mut buffer)?, page));
    say!(t, "write 1 byte:            {}", took(write(&writer, b"x")?, page));
    say!(t, "read the last byte:      {}", got(read(&reader, &mut buffer)?, page));
    say!(t, "write 1 byte:            {}", took(write(&writer, b"x")?, page));
    Ok(())
}

/// Returns the size of a page, which is the smallest capacity of a pipe.
pub(crate) fn page_size() -> anyhow::Result<usize> {
    // SAFETY: sysconf takes an integer and touches no memory of ours.
    Ok(usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) })?)
}

fn took(written: Written, page: usize) -> String {
    match written {
        Written::Bytes(count) => format!("took {}", in_pages(count, page)),
        Written::WouldBlock => "would block".to_string(),
    }
}

fn got(answer: Read, page: usize) -> String {
    match answer {
        Read::Bytes(count) => format!("got {}", in_pages(count, page)),
        other => format!("{other:?}"),
    }
}

/// Describes a count of bytes in words that hold for pages of every size.
fn in_pages(count: usize, page: usize) -> String {
    match count {
        1 => "1 byte".to_string(),
        count if count == page => "a page".to_string(),
        count if count + 1 == page => "a page less 1 byte".to_string(),
        count => format!("{count} bytes"),
    }
}

scene!(
    impossible_pipe_capacity,
    "The kernel refuses a new pipe's capacity. Which error is returned, and which descriptors stay open?"
);
/// `capacity 4 GiB:  EINVAL` comes from the second of two calls: the kernel has already made the
/// pipe when it refuses to resize it, since no pipe can be that large. `left open:     nothing`,
/// because by then each end belongs to an `OwnedFd`, and the `?` that returns the error drops both.
/// The kernel's smallest pipe holds a page, so a capacity of 1 byte is rounded up to that.
fn impossible_pipe_capacity(t: Transcript) -> anyhow::Result<()> {
    let (_reader, writer) = pipe_with_capacity(1)?;
    say!(t, "capacity 1 byte: made");
    // Written by std, so that this scene doesn't depend on `write`.
    File::from(writer).write_all(b"x")?;
    say!(t, "  write 1 byte:  took 1 byte");
    let before = open_descriptors()?;
    let answer = match pipe_with_capacity(u32::MAX) {
        Ok(_) => "made".to_string(),
        Err(error) if errno(&error) == Some(libc::EINVAL) => "EINVAL".to_string(),
        Err(error) => error.to_string(),
    };
    say!(t, "capacity 4 GiB:  {}", answer);
    let left = match open_descriptors()?.saturating_sub(before) {
        0 => "nothing".to_string(),
        count => format!("{count} descriptors"),
    };
    say!(t, "  left open:     {}", left);
    Ok(())
}

scene!(
    broken_pipe,
    "A program writes to a pipe whose reading end is closed. What does write return?"
);
/// `write 5 bytes: BrokenPipe`: without a reader, the bytes could never be read, so the kernel
/// refuses them with `EPIPE`. It also sends the writer SIGPIPE, which by default kills a process
/// without a message. But Rust's runtime ignores that signal before `main` begins, so
/// `this process:  still runs`, and your code gets an error that it can handle.
fn broken_pipe(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    say!(t, "the reading end is open");
    say!(t, "  write 5 bytes: {:?}", write(&writer, b"hello")?);
    drop(reader);
    say!(t, "the reading end is closed");
    match write(&writer, b"hello") {
        Ok(written) => say!(t, "  write 5 bytes: {:?}", written),
        Err(error) => say!(t, "  write 5 bytes: {:?}", error.kind()),
    }
    say!(t, "  this process:  still runs");
    Ok(())
}

scene!(
    sigpipe,
    "A shell script writes to a pipe whose reading end is closed. Does the script reach its last line?"
);
/// `the shell is killed by SIGPIPE`: when a program writes to a pipe without a reader, the kernel
/// sends the program that signal, whose default action kills the process. For `yes | head -1`
/// that's right, since `yes` should stop once `head` has its line. If the signal is ignored, the
/// write only fails with `EPIPE`: `the shell reaches its last line`. If a server kept the
/// default action, any client could kill the server by hanging up.
fn sigpipe(t: Transcript) -> anyhow::Result<()> {
    say!(t, "SIGPIPE has its default action");
    say!(t, "  the shell {}", write_without_a_reader("echo hello; exit 7")?);
    say!(t, "SIGPIPE is ignored");
    say!(t, "  the shell {}", write_without_a_reader("trap '' PIPE; echo hello; exit 7")?);
    Ok(())
}

/// Runs a shell that prints into a pipe without a reader and says how it ended. std restores the
/// default action for SIGPIPE in every child.
fn write_without_a_reader(script: &str) -> anyhow::Result<String> {
    let (reader, writer) = pipe()?;
    drop(reader);
    let mut child = Command::new("sh");
    child.args(["-c", script]).stdout(writer).stderr(Stdio::null());
    let status = child.status().context("start sh")?;
    Ok(match (status.signal(), status.code()) {
        (Some(libc::SIGPIPE), _) => "is killed by SIGPIPE".to_string(),
        (_, Some(7)) => "reaches its last line".to_string(),
        _ => format!("ends: {status}"),
    })
}
