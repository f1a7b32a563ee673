//! The integer that a descriptor gets, and the object that the integer refers to.

use std::fs::File;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use scene::{Transcript, say, scene};
use step01_fd::{Kind, pipe, read, socketpair, what_is, write};

use kit::objects::{eventfd, own, signalfd, terminal, timerfd};

scene!(
    descriptors_of_a_second_pipe,
    "A pipe's reading end is closed, and a new pipe is made. Which descriptors does the new pipe get?"
);
/// Makes a pipe, closes its reading end, and makes a second pipe. The first pipe's lower descriptor
/// depends on what the process has open already, so the transcript calls it N.
fn descriptors_of_a_second_pipe(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let first = reader.as_raw_fd();
    say!(t, "first pipe:   pipe.r = N    pipe.w = {}", relative(&writer, first));
    drop(reader);
    say!(t, "its pipe.r is closed, and a second pipe is made");
    let (reader, writer) = pipe()?;
    let (r, w) = (relative(&reader, first), relative(&writer, first));
    say!(t, "second pipe:  pipe.r = {:<4} pipe.w = {}", r, w);
    Ok(())
}

/// Names a descriptor by its distance from another descriptor, N.
fn relative(fd: &impl AsRawFd, n: RawFd) -> String {
    match fd.as_raw_fd() - n {
        0 => "N".to_string(),
        distance => format!("N{distance:+}"),
    }
}

scene!(
    a_closed_descriptor,
    "A program closes a socket, keeps the integer, and later writes to that descriptor. Where do the bytes go?"
);
/// A program keeps the integer of a socket, as programs in many languages do. The socket is closed,
/// and another part of the program makes a new pair of sockets.
fn a_closed_descriptor(t: Transcript) -> anyhow::Result<()> {
    let (socket, _peer) = socketpair()?;
    let kept = socket.as_raw_fd();
    say!(t, "our socket is descriptor N");
    drop(socket);
    let (new_socket, new_peer) = socketpair()?;
    say!(t, "we close it; a new socket is made:  descriptor {}", relative(&new_socket, kept));
    // SAFETY: the descriptor is open. That it no longer refers to our socket is the experiment.
    let stale = unsafe { BorrowedFd::borrow_raw(kept) };
    say!(t, "we write 24 bytes to descriptor N:  {:?}", write(stale, b"the key is under the mat")?);
    let mut buffer = [0; 64];
    say!(t, "the new socket's peer reads:        {:?}", read(&new_peer, &mut buffer)?);
    Ok(())
}

scene!(what_descriptors_name, "What kinds of objects can a descriptor refer to?");
/// `an epoll:        anon_inode:[eventpoll]`: even epoll's list has a descriptor, and so do a
/// counter, a timer and a set of signals. That's deliberate, because a loop can wait for most
/// objects that have a descriptor, all in one call. N is the terminal's number or an inode number,
/// which identifies the object. Both ends of a pipe have the same inode number, since there's one
/// pipe behind them: `pipe.w:          pipe:[N], the same N: true`. A pair is two sockets, each
/// with its own number.
fn what_descriptors_name(t: Transcript) -> anyhow::Result<()> {
    say!(t, "standard input:  {}", label(&what_is(std::io::stdin())?));
    say!(t, "standard output: {}", label(&what_is(std::io::stdout())?));
    say!(t, "a device:        {}", label(&what_is(File::open("/dev/null")?)?));
    say!(t, "a directory:     {}", label(&what_is(File::open("/proc")?)?));

    let (reader, writer) = std::io::pipe()?;
    let same = what_is(&reader)? == what_is(&writer)?;
    say!(t, "pipe.r:          {}", label(&what_is(&reader)?));
    say!(t, "pipe.w:          {}, the same N: {}", label(&what_is(&writer)?), same);
    let (left, right) = socketpair()?;
    let same = what_is(&left)? == what_is(&right)?;
    say!(t, "pair.a:          {}", label(&what_is(&left)?));
    say!(t, "pair.b:          {}, the same N: {}", label(&what_is(&right)?), same);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    say!(t, "a TCP listener:  {}", label(&what_is(&listener)?));
    say!(t, "a terminal:      {}", label(&what_is(&terminal()?.1)?));

    // SAFETY: epoll_create1 takes an integer and touches no memory of ours.
    let epoll = own("epoll_create1", unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    say!(t, "an epoll:        {}", label(&what_is(&epoll)?));
    say!(t, "an eventfd:      {}", label(&what_is(&eventfd(0)?)?));
    say!(t, "a timerfd:       {}", label(&what_is(&timerfd()?)?));
    say!(t, "a signalfd:      {}", label(&what_is(&signalfd(libc::SIGUSR2)?)?));
    Ok(())
}

/// Returns the kernel's text, with N in place of the inode or the terminal's number, which differ
/// from run to run.
fn label(kind: &Kind) -> String {
    match kind {
        Kind::Pipe { .. } => "pipe:[N]".to_string(),
        Kind::Socket { .. } => "socket:[N]".to_string(),
        Kind::Path(path) if path.starts_with("/dev/pts") => "/dev/pts/N".to_string(),
        other => other.to_string(),
    }
}
