//! What a descriptor's number says, and what it does not.

use std::fs::{self, File};
use std::io::Read;
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd};

use anyhow::Context;
use step01_fd::{Kind, pipe, socketpair, what_is};
use workbook::{Transcript, say};

/// POSIX promises the lowest number that is free, so a number comes back as soon as it is closed.
pub(crate) fn lowest_free_number(t: &mut Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let freed = reader.as_raw_fd();
    let next = writer.as_raw_fd() == freed + 1;
    say!(t, "the writer has the next number: {next}");
    drop(reader);
    let (reader, _writer) = pipe()?;
    let same = reader.as_raw_fd() == freed;
    say!(t, "a new pipe's reader has the freed number: {same}");
    Ok(())
}

/// Pipes, sockets, devices: whatever can be read, written or waited for is a number.
pub(crate) fn more_than_files(t: &mut Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    say!(t, "pipe.r names {}", label(&what_is(&reader)?));
    let one_object = what_is(&reader)? == what_is(&writer)?;
    say!(t, "pipe.w names the same object: {one_object}");

    let (left, right) = socketpair()?;
    say!(t, "pair.a names {}", label(&what_is(&left)?));
    let one_object = what_is(&left)? == what_is(&right)?;
    say!(t, "pair.b names the same object: {one_object}");

    let listener = TcpListener::bind("127.0.0.1:0")?;
    say!(t, "a TCP listener names {}", label(&what_is(&listener)?));
    let device = File::open("/dev/null")?;
    say!(t, "an open device names {}", label(&what_is(&device)?));
    Ok(())
}

/// The kernel's words, without the number that is another one each time.
fn label(kind: &Kind) -> String {
    match kind {
        Kind::Pipe { .. } => "pipe:[N]".to_string(),
        Kind::Socket { .. } => "socket:[N]".to_string(),
        other => other.to_string(),
    }
}

/// `dup` makes a second number for the same open object, and the object holds the offset. Opening
/// the path again makes a second object.
pub(crate) fn dup_shares_the_offset(t: &mut Transcript) -> anyhow::Result<()> {
    // The program's own file: it begins with the byte 7f and the letters ELF.
    let mut file = File::open("/proc/self/exe")?;
    let mut duplicate = file.try_clone()?;
    say!(t, "file:       {}", two_bytes(&mut file)?);
    say!(t, "its dup:    {}", two_bytes(&mut duplicate)?);
    let mut again = File::open("/proc/self/exe")?;
    say!(t, "open again: {}", two_bytes(&mut again)?);
    Ok(())
}

fn two_bytes(file: &mut File) -> anyhow::Result<String> {
    let mut bytes = [0; 2];
    file.read_exact(&mut bytes)?;
    Ok(bytes.escape_ascii().to_string())
}

/// Non-blocking, or one slow client stops the loop; close-on-exec, or a child process keeps our
/// connections open.
pub(crate) fn flags_from_birth(t: &mut Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    say!(t, "pipe.r: {}", flags(&reader)?);
    say!(t, "pipe.w: {}", flags(&writer)?);
    let (left, right) = socketpair()?;
    say!(t, "pair.a: {}", flags(&left)?);
    say!(t, "pair.b: {}", flags(&right)?);
    let opened_by_std = File::open("/dev/null")?;
    say!(t, "a file opened by std: {}", flags(&opened_by_std)?);
    Ok(())
}

/// The flags of a descriptor, as `/proc/self/fdinfo` shows them.
fn flags(fd: impl AsFd) -> anyhow::Result<String> {
    let path = format!("/proc/self/fdinfo/{}", fd.as_fd().as_raw_fd());
    let info = fs::read_to_string(&path).with_context(|| path.clone())?;
    let octal = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = i32::from_str_radix(octal.context("no flags in fdinfo")?.trim(), 8)?;
    let non_blocking = flags & libc::O_NONBLOCK != 0;
    let close_on_exec = flags & libc::O_CLOEXEC != 0;
    Ok(format!("non-blocking {non_blocking}, close-on-exec {close_on_exec}"))
}
