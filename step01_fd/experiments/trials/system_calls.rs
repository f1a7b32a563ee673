//! Trials of the system calls of `read` and `write`: their number, and the errors that are
//! returned.

use std::fs::File;
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use kit::cost::within;
use kit::{Observer, Refusal, as_descriptor_zero, errno_name, errnos};
use scene::{Program, Transcript, say, trial};
use step01_fd::{Read, Written, pipe, pipe_with_capacity, read, write};

use super::answer::{count, outcome};

/// Returns how many system calls a read or a write may make in all if the first of them fails with
/// this error.
fn calls_after(errno: i32) -> usize {
    if errno == libc::EINTR { 2 } else { 1 }
}

trial!(
    every_error_of_read,
    1,
    "Only EAGAIN means that a read would block; every other error but EINTR is returned at once, with its errno."
);
fn every_error_of_read(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    File::from(writer).write_all(&[b'x'; 4096])?;
    let observer = Observer::new()?;
    for errno in program.verbs(errnos()) {
        let mut buffer = [UNTOUCHED; 5];
        let refused = refused(&[libc::SYS_read, libc::SYS_readv], errno);
        let (answer, calls) = observer.refusing(&refused, 0, || read(&reader, &mut buffer));
        let (contents, name) = (contents(&answer, &buffer), errno_name(errno));
        let (answer, calls) = (outcome(&answer), within(calls, calls_after(errno)));
        say!(t, "read, when read(2) fails once with {name}: {answer}; system calls: {calls}");
        say!(t, "  {contents}");
        say!(t, "  read again: {}", outcome(&read(&reader, &mut [0; 5])));
    }
    let places: Vec<(&str, OwnedFd)> = vec![
        ("a pipe's writing end", pipe()?.1),
        ("a directory", File::open("/")?.into()),
        ("/dev/null", File::open("/dev/null")?.into()),
    ];
    for (place, fd) in program.verbs(places) {
        let mut buffer = [UNTOUCHED; 16];
        let answer = read(&fd, &mut buffer);
        say!(t, "read from {place}: {}; {}", outcome(&answer), contents(&answer, &buffer));
    }
    for () in program.verbs([()]) {
        let answer = as_descriptor_zero(&reader, |zero| read(zero, &mut [0; 5]))?;
        say!(t, "read from a pipe that is descriptor 0: {}", outcome(&answer));
    }
    Ok(())
}

/// The byte that fills a buffer before a read. No test writes it to the pipe.
const UNTOUCHED: u8 = 255;

/// Says whether the part of the buffer behind the read bytes is unchanged.
fn contents(answer: &io::Result<Read>, buffer: &[u8]) -> &'static str {
    let taken = if let Ok(Read::Bytes(count)) = answer { *count } else { 0 };
    let rest = buffer.get(taken..).unwrap_or_default();
    match (taken, rest.iter().all(|&byte| byte == UNTOUCHED)) {
        (0, true) => "the buffer is unchanged",
        (0, false) => "the buffer is overwritten, although nothing was read",
        (_, true) => "the rest of the buffer is unchanged",
        (_, false) => "the rest of the buffer is overwritten",
    }
}

trial!(
    every_error_of_write,
    1,
    "Only EAGAIN means that a write would block; every other error but EINTR is returned at once, with its errno."
);
fn every_error_of_write(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let (_reader, writer) = pipe()?;
    let observer = Observer::new()?;
    for errno in program.verbs(errnos()) {
        let refused = refused(&[libc::SYS_write, libc::SYS_writev], errno);
        for bytes in [&b"hello"[..], b""] {
            let write = || write(&writer, bytes);
            let (answer, calls) = observer.refusing(&refused, 0, write);
            let (answer, calls) = (outcome(&answer), within(calls, calls_after(errno)));
            let (name, what) = (errno_name(errno), count(bytes.len(), "byte"));
            say!(t, "write {what}, when write(2) fails once with {name}: {answer}");
            say!(t, "  system calls: {calls}; write again: {}", outcome(&write()));
        }
    }
    let places: Vec<(&str, OwnedFd)> = vec![
        ("a pipe's reading end", pipe()?.0),
        ("a pipe without a reader", pipe()?.1),
        ("/dev/full", File::options().write(true).open("/dev/full")?.into()),
        ("/dev/null", File::options().write(true).open("/dev/null")?.into()),
        ("a socket that is shut down", shut_down_for_writing()?),
    ];
    for (place, fd) in program.verbs(places) {
        say!(t, "write to {place}: {}", outcome(&write(&fd, b"hello")));
        say!(t, "write nothing to {place}: {}", outcome(&write(&fd, b"")));
    }
    for () in program.verbs([()]) {
        let answer = as_descriptor_zero(&writer, |zero| write(zero, b"hello"))?;
        say!(t, "write to a pipe that is descriptor 0: {}", outcome(&answer));
    }
    Ok(())
}

fn shut_down_for_writing() -> anyhow::Result<OwnedFd> {
    let (socket, _) = UnixStream::pair()?;
    socket.shutdown(Shutdown::Write)?;
    Ok(socket.into())
}

/// The state of a pipe before a read or a write.
#[derive(Debug, Clone, Copy)]
struct Pipe {
    what: &'static str,
    /// The number of bytes in the pipe, which has room for 1 MiB.
    bytes: usize,
    /// The number of bytes that a call offers or wants.
    wanted: usize,
    is_closed: bool,
}

const PIPES: &[Pipe] = &[
    Pipe { what: "an empty pipe", bytes: 0, wanted: 16, is_closed: false },
    Pipe { what: "a pipe with 5 bytes", bytes: 5, wanted: 16, is_closed: false },
    Pipe { what: "a pipe with 5 bytes", bytes: 5, wanted: 5, is_closed: false },
    Pipe { what: "a pipe with 5 bytes", bytes: 5, wanted: 1, is_closed: false },
    Pipe { what: "a pipe with 5 bytes", bytes: 5, wanted: 0, is_closed: false },
    Pipe { what: "a pipe with 600,000 bytes", bytes: 600_000, wanted: 1 << 20, is_closed: false },
    Pipe { what: "a full pipe", bytes: 1 << 20, wanted: 16, is_closed: false },
    Pipe { what: "an empty pipe", bytes: 0, wanted: 0, is_closed: false },
    Pipe { what: "a pipe with 5 bytes and one open end", bytes: 5, wanted: 16, is_closed: true },
    Pipe { what: "an empty pipe with one open end", bytes: 0, wanted: 16, is_closed: true },
    Pipe { what: "an empty pipe with one open end", bytes: 0, wanted: 0, is_closed: true },
];

impl Pipe {
    fn make(self) -> anyhow::Result<(OwnedFd, OwnedFd)> {
        let (reader, writer) = pipe_with_capacity(1 << 20)?;
        let mut filling = File::from(writer.try_clone()?);
        filling.write_all(&vec![b'x'; self.bytes])?;
        Ok((reader, writer))
    }
}

trial!(one_call_per_read, 1, "A read makes a single call to read(2) and no other system call.");
fn one_call_per_read(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for pipe in program.verbs(PIPES.iter().copied()) {
        let (reader, writer) = pipe.make()?;
        let writer = Some(writer).filter(|_| !pipe.is_closed);
        let mut buffer = vec![0; pipe.wanted];
        let (answer, calls) = observer.calls_of(|| read(&reader, &mut buffer));
        let (answer, cost) = (outcome::<Read>(&answer), within(calls, 1));
        let wanted = count(pipe.wanted, "byte");
        say!(t, "read {wanted} from {}: {answer}; system calls: {cost}", pipe.what);
        drop(writer);
    }
    Ok(())
}

trial!(one_call_per_write, 1, "A write makes a single call to write(2) and no other system call.");
fn one_call_per_write(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for pipe in program.verbs(PIPES.iter().copied()) {
        let (reader, writer) = pipe.make()?;
        let reader = Some(reader).filter(|_| !pipe.is_closed);
        let bytes = vec![b'y'; pipe.wanted];
        let (answer, calls) = observer.calls_of(|| write(&writer, &bytes));
        let (answer, cost) = (outcome::<Written>(&answer), within(calls, 1));
        let offered = count(pipe.wanted, "byte");
        say!(t, "write {offered} to {}: {answer}; system calls: {cost}", pipe.what);
        drop(reader);
    }
    Ok(())
}

fn refused(calls: &[libc::c_long], errno: i32) -> Vec<Refusal> {
    calls.iter().map(|&call| Refusal { call, argument: None, errno }).collect()
}
