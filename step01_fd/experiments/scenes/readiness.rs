//! The reports of poll(2) and epoll about descriptors that are or aren't ready.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{Read, Written, check, pipe, read, write};

use kit::objects::own;

scene!(
    readiness_changes,
    "When does poll(2) report a pipe's ends as ready: when the pipe is empty, has 5 bytes, or is full?"
);
/// `full                pipe.r: read     pipe.w: neither`: an end is ready if a call on it wouldn't
/// have to wait, so the reader is ready once there's a byte, and the writer while there's room for
/// a page. `pipe.w: write + error` when the reader is gone: the empty pipe has room, and a write
/// would fail at once, with `EPIPE`. Every call can change the answer, so the answer holds only for
/// the moment at which the kernel looked.
fn readiness_changes(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let ask = |when: &str| -> anyhow::Result<()> {
        say!(t, "{when:<19} pipe.r: {:<8} pipe.w: {}", ready_for(&reader)?, ready_for(&writer)?);
        Ok(())
    };
    ask("empty")?;
    write(&writer, b"hello")?;
    ask("5 bytes in it")?;
    while write(&writer, &[b'x'; 512])? != Written::WouldBlock {}
    ask("full")?;
    while read(&reader, &mut [0; 4096])? != Read::WouldBlock {}
    ask("all was read")?;
    drop(reader);
    say!(t, "pipe.r is closed                     pipe.w: {}", ready_for(&writer)?);
    Ok(())
}

scene!(
    an_empty_file,
    "Is an empty file ready for reading? What does poll(2) report, and what does epoll?"
);
/// `poll, an empty file:   read + write`, although there's nothing to read: POSIX requires poll to
/// report regular files as ready, since there's no moment at which a file's bytes arrive. epoll is
/// stricter: it accepts only objects that have a `poll` method in the kernel. The file, the
/// directory and `/dev/null` have none, so `epoll_ctl` refuses them with `EPERM`:
/// `Operation not permitted (os error 1)`.
fn an_empty_file(t: Transcript) -> anyhow::Result<()> {
    let mut file = scratch_file()?;
    let reader = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    say!(t, "poll, an empty file:   {}", ready_for(&reader)?);
    say!(t, "  read:                {:?}", read(&reader, &mut [0; 16])?);
    file.write_all(b"hello")?;
    say!(t, "  5 bytes later, read: {:?}", read(&reader, &mut [0; 16])?);
    say!(t, "epoll, a pipe:         {}", add_to_epoll(&pipe()?.0)?);
    say!(t, "epoll, the file:       {}", add_to_epoll(&reader)?);
    say!(t, "epoll, a directory:    {}", add_to_epoll(&File::open("/")?)?);
    let null = File::open("/dev/null")?;
    say!(t, "epoll, /dev/null:      {}", add_to_epoll(&null)?);
    say!(t, "poll, /dev/null:       {}", ready_for(&null)?);
    Ok(())
}

/// Says in which directions poll(2) reports a descriptor as ready, without waiting.
pub(crate) fn ready_for(fd: impl AsFd) -> anyhow::Result<String> {
    let fd = fd.as_fd().as_raw_fd();
    let mut entry = libc::pollfd { fd, events: libc::POLLIN | libc::POLLOUT, revents: 0 };
    // SAFETY: the kernel reads and writes one entry.
    let asked = unsafe { libc::poll(&raw mut entry, 1, 0) };
    check(asked, || format!("poll fd {fd}"))?;
    let names = [
        (libc::POLLIN, "read"),
        (libc::POLLOUT, "write"),
        (libc::POLLHUP, "hang-up"),
        (libc::POLLERR, "error"),
    ];
    let set = names.iter().filter(|(bit, _)| entry.revents & bit != 0);
    let set: Vec<&str> = set.map(|(_, name)| *name).collect();
    Ok(if set.is_empty() { "neither".to_string() } else { set.join(" + ") })
}

/// Tries to register a descriptor with an epoll object, for which step 02 has a type.
fn add_to_epoll(fd: impl AsFd) -> anyhow::Result<String> {
    // SAFETY: epoll_create1 takes an integer and touches no memory of ours.
    let epoll = own("epoll_create1", unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    let mut event = libc::epoll_event { events: libc::EPOLLIN.cast_unsigned(), u64: 0 };
    let (epoll, fd) = (epoll.as_raw_fd(), fd.as_fd().as_raw_fd());
    // SAFETY: `event` is valid; the kernel copies it before it returns.
    let added = unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &raw mut event) };
    Ok(match added {
        0 => "added".to_string(),
        _ => io::Error::last_os_error().to_string(),
    })
}

/// Makes a file without a name, which the kernel deletes when its last descriptor is closed.
fn scratch_file() -> anyhow::Result<File> {
    let path = std::env::temp_dir().join(format!("workbook-{}", std::process::id()));
    let file = File::create_new(&path).with_context(|| format!("create {}", path.display()))?;
    fs::remove_file(&path)?;
    Ok(file)
}
