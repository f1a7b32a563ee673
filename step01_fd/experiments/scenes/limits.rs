//! A process that has as many descriptors open as its limit allows (`RLIMIT_NOFILE`).

use std::fs::{File, read_link};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;

use scene::{Transcript, say, scene};
use step01_fd::{check, errno, open_descriptors, pipe, read};

use super::readiness::ready_for;

scene!(
    out_of_descriptors,
    "A server has one descriptor left and then none. Which of its calls fail?"
);
/// `accept:              Too many open files (os error 24)`, like every call that makes a
/// descriptor; a pipe even needs two descriptors. A read or a write needs no new descriptor, so
/// clients that are connected still get their answers. The new client waits in the kernel's queue
/// meanwhile, so poll says `listener ready for:  read`. A loop that calls `accept` whenever poll
/// says so would get this error each time and keep a core busy.
fn out_of_descriptors(t: Transcript) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let mut client = TcpStream::connect(listener.local_addr()?)?;
    let (reader, writer) = pipe()?;
    let limit = Limit::leave_one()?;

    say!(t, "one descriptor left");
    say!(t, "  pipe:                {}", answer(pipe()));
    say!(t, "  open:                {}", answer(File::open("/dev/null")));
    let last = File::open("/dev/null")?;
    let link = format!("/proc/self/fd/{}", last.as_raw_fd());
    say!(t, "none left");
    say!(t, "  open:                {}", answer(File::open("/dev/null")));
    say!(t, "  list /proc/self/fd:  {}", answer(open_descriptors()));
    say!(t, "  follow one link:     {}", answer(read_link(&link)));
    say!(t, "  write to a pipe:     {}", answer(step01_fd::write(&writer, b"hello")));
    say!(t, "  read from it:        {}", answer(read(&reader, &mut [0; 16])));
    say!(t, "  a client writes:     {}", answer(client.write_all(b"hello")));
    say!(t, "  accept:              {}", answer(listener.accept()));
    say!(t, "  listener ready for:  {}", ready_for(&listener)?);
    say!(t, "  dup onto an open fd: {}", answer(dup_onto(&reader, &last)));
    drop(last);
    say!(t, "one descriptor was closed");
    say!(t, "  accept:              {}", answer(listener.accept()));
    limit.restore()?;
    Ok(())
}

scene!(
    reading_at_the_limit,
    "A process has no descriptors left. Can it still read from a socket that it has open?"
);
/// `open:          Too many open files (os error 24)`, and still both reads are `ok`.
/// `RLIMIT_NOFILE` limits the numbers that the kernel may give to new descriptors, and a read needs
/// no new one. So a server at its limit can still serve its connected clients. Only calls that make
/// a descriptor fail, such as `accept`.
fn reading_at_the_limit(t: Transcript) -> anyhow::Result<()> {
    let (mut client, server) = UnixStream::pair()?;
    client.write_all(b"hello")?;
    let limit = Limit::leave_one()?;
    let last = File::open("/dev/null")?;
    say!(t, "no descriptors left");
    say!(t, "  open:          {}", answer(File::open("/dev/null")));
    say!(t, "  read 1 byte:   {}", answer(read(&server, &mut [0; 1])));
    say!(t, "  read the rest: {}", answer(read(&server, &mut [0; 16])));
    drop(last);
    limit.restore()?;
    Ok(())
}

/// Describes the outcome of a call: success, or the kernel's text for its `errno`.
fn answer<T>(result: io::Result<T>) -> String {
    match result {
        Ok(_) => "ok".to_string(),
        Err(error) => match errno(&error) {
            Some(errno) => io::Error::from_raw_os_error(errno).to_string(),
            None => error.to_string(),
        },
    }
}

/// Makes `target` refer to the object that `fd` refers to, and no longer to its previous object.
fn dup_onto(fd: impl AsFd, target: &File) -> io::Result<()> {
    let (old, new) = (fd.as_fd().as_raw_fd(), target.as_raw_fd());
    // SAFETY: dup3 takes integers; `target` still owns its descriptor, which stays open.
    let made = unsafe { libc::dup3(old, new, libc::O_CLOEXEC) };
    check(made, || "dup3".to_string()).map(drop)
}

/// The previous limits, for restoring them.
struct Limit(libc::rlimit);

impl Limit {
    /// Lowers the soft limit until only the lowest free descriptor is below it. Descriptors above
    /// the limit stay open, since it applies only to new ones.
    fn leave_one() -> anyhow::Result<Self> {
        let lowest_free = File::open("/dev/null")?.as_raw_fd();
        let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the kernel writes one rlimit, into `old`.
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
