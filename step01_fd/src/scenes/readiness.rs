//! "May I read, may I write, without blocking?"

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{Read, Written, check, pipe, read, write};

use kit::objects::own;

scene!(ready_or_not, "May I read, may I write, without blocking?");
/// The answer belongs to the moment: bytes come, are read, and a buffer fills up.
fn ready_or_not(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let ask = |when: &str| -> anyhow::Result<()> {
        say!(t, "{when:<19} pipe.r: {:<8} pipe.w: {}", ready_for(&reader)?, ready_for(&writer)?);
        Ok(())
    };
    ask("empty")?;
    write(&writer, b"hello")?;
    ask("hello came")?;
    while write(&writer, &[b'x'; 512])? != Written::WouldBlock {}
    ask("full")?;
    while read(&reader, &mut [0; 4096])? != Read::WouldBlock {}
    ask("all was read")?;
    drop(reader);
    say!(t, "the reader left     pipe.w: {}", ready_for(&writer)?);
    Ok(())
}

scene!(files_are_always_ready, "What does the question mean for a file?");
/// For a file there is no "not now". So poll(2) always says yes, epoll refuses the question, and
/// the end that a read meets is only where the file ends today.
fn files_are_always_ready(t: Transcript) -> anyhow::Result<()> {
    let mut file = scratch_file()?;
    let reader = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    say!(t, "an empty file, poll says:    {}", ready_for(&reader)?);
    say!(t, "  a read says:               {:?}", read(&reader, &mut [0; 16])?);
    file.write_all(b"hello")?;
    say!(t, "  hello was appended, read:  {:?}", read(&reader, &mut [0; 16])?);
    say!(t, "epoll and a pipe:            {}", offer_to_epoll(&pipe()?.0)?);
    say!(t, "epoll and the file:          {}", offer_to_epoll(&reader)?);
    say!(t, "epoll and a directory:       {}", offer_to_epoll(&File::open("/")?)?);
    let null = File::open("/dev/null")?;
    say!(t, "epoll and /dev/null:         {}", offer_to_epoll(&null)?);
    say!(t, "  of which poll says:        {}", ready_for(&null)?);
    Ok(())
}

/// What poll(2) says of a descriptor now.
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

/// Whether epoll takes it. Step 02 does this properly.
fn offer_to_epoll(fd: impl AsFd) -> anyhow::Result<String> {
    // SAFETY: epoll_create1 takes a number and touches no memory of ours.
    let epoll = own("epoll_create1", unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    let mut event = libc::epoll_event { events: libc::EPOLLIN.cast_unsigned(), u64: 0 };
    let (epoll, number) = (epoll.as_raw_fd(), fd.as_fd().as_raw_fd());
    // SAFETY: `event` is valid; the kernel copies it before it returns.
    let added = unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, number, &raw mut event) };
    Ok(match added {
        0 => "taken".to_string(),
        _ => io::Error::last_os_error().to_string(),
    })
}

/// A file that has no name any more, and goes when it is closed.
fn scratch_file() -> anyhow::Result<File> {
    let path = std::env::temp_dir().join(format!("workbook-{}", std::process::id()));
    let file = File::create_new(&path).with_context(|| format!("create {}", path.display()))?;
    fs::remove_file(&path)?;
    Ok(file)
}
