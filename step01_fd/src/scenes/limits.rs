//! When there is no number left.

use std::fs::File;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;

use scene::{Transcript, say, scene};
use step01_fd::{check, errno, open_descriptors, pipe, read, what_is};

use super::readiness::ready_for;

scene!(out_of_descriptors, "The process may open no more. What still works?");
/// What needs no new number goes on as if nothing had happened. A client that cannot be accepted
/// stays in the listener's queue, so the listener stays readable.
fn out_of_descriptors(t: Transcript) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let mut client = TcpStream::connect(listener.local_addr()?)?;
    let (reader, writer) = pipe()?;
    let limit = Limit::leave_one()?;

    say!(t, "one number is free");
    say!(t, "  a pipe needs two:   {}", answer(pipe()));
    say!(t, "  it took none:       {}", answer(File::open("/dev/null")));
    let last = File::open("/dev/null")?;
    say!(t, "none is free");
    say!(t, "  open:               {}", answer(File::open("/dev/null")));
    say!(t, "  look at all:        {}", answer(open_descriptors()));
    say!(t, "  look at one:        {}", answer(what_is(&last)));
    say!(t, "  write and read:     {}", answer(step01_fd::write(&writer, b"hello")));
    say!(t, "                      {}", answer(read(&reader, &mut [0; 16])));
    say!(t, "  a client says:      {}", answer(client.write_all(b"hello")));
    say!(t, "  accept it:          {}", answer(listener.accept()));
    say!(t, "  the listener:       {}", ready_for(&listener)?);
    say!(t, "  reuse one with dup: {}", answer(dup_onto(&reader, &last)));
    drop(last);
    say!(t, "one was closed");
    say!(t, "  accept it:          {}", answer(listener.accept()));
    limit.restore()?;
    Ok(())
}

scene!(reading_opens_no_descriptor, "All numbers are taken. Can a socket still be read?");
/// A read asks the kernel for bytes, and for no number.
fn reading_opens_no_descriptor(t: Transcript) -> anyhow::Result<()> {
    let (mut client, server) = UnixStream::pair()?;
    client.write_all(b"hello")?;
    let limit = Limit::leave_one()?;
    let last = File::open("/dev/null")?;
    say!(t, "no number is free");
    say!(t, "  open:         {}", answer(File::open("/dev/null")));
    say!(t, "  read a byte:  {}", answer(read(&server, &mut [0; 1])));
    say!(t, "  and the rest: {}", answer(read(&server, &mut [0; 16])));
    drop(last);
    limit.restore()?;
    Ok(())
}

fn answer<T>(result: io::Result<T>) -> String {
    match result {
        Ok(_) => "done".to_string(),
        Err(error) => match errno(&error) {
            Some(number) => io::Error::from_raw_os_error(number).to_string(),
            None => error.to_string(),
        },
    }
}

/// Makes the second number mean what the first one means. What it meant before is closed.
fn dup_onto(fd: impl AsFd, place: &File) -> io::Result<()> {
    let (old, new) = (fd.as_fd().as_raw_fd(), place.as_raw_fd());
    // SAFETY: dup3 takes numbers; `place` goes on owning its number, which stays open.
    let made = unsafe { libc::dup3(old, new, libc::O_CLOEXEC) };
    check(made, || "dup3".to_string()).map(drop)
}

/// The soft limit that was, to be put back.
struct Limit(libc::rlimit);

impl Limit {
    /// Lowers the soft limit until only the lowest free number is below it. What is open above it
    /// stays open: the limit is for new numbers alone.
    fn leave_one() -> anyhow::Result<Self> {
        let lowest_free = File::open("/dev/null")?.as_raw_fd();
        let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `old` is a valid place for the answer.
        let got = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut old) };
        check(got, || "getrlimit NOFILE".to_string())?;
        let soft = libc::rlim_t::try_from(lowest_free)? + 1;
        set_limit(&libc::rlimit { rlim_cur: soft, ..old })?;
        Ok(Limit(old))
    }

    fn restore(self) -> anyhow::Result<()> {
        set_limit(&self.0)
    }
}

fn set_limit(limit: &libc::rlimit) -> anyhow::Result<()> {
    // SAFETY: `limit` is a valid rlimit.
    let set = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, limit) };
    check(set, || "setrlimit NOFILE".to_string())?;
    Ok(())
}
